//! The key of a team entry: a path that means the same on every machine.

use std::fmt;

use unicode_normalization::UnicodeNormalization;

use crate::rel_path::{PathRefused, RelPath};

#[cfg(test)]
mod tests;

/// A validated key: a [`RelPath`] that is written in its normal form, names a Markdown file, is hidden nowhere,
/// is in no folder that could be a memory, and means the same file on Windows and on volumes that ignore case or decompose letters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TeamKey(RelPath);

impl TeamKey {
    /// Validates a key that came from, or goes to, a team mate.
    ///
    /// # Errors
    /// The first rule that the key breaks.
    pub fn parse(input: &str) -> Result<Self, PathRefused> {
        let path = RelPath::parse(input)?;
        if path.as_str() != input {
            return PathRefused::because("a team key must be in its normal form (NFC, no `.`, `..` or `//`)");
        }
        check_percent(input)?;
        for name in input.split('/') {
            check_name(name)?;
        }
        for folder in path.parent().into_iter().flat_map(|parent| parent.split('/')) {
            check_folder(folder)?;
        }
        if !path.is_markdown() {
            return PathRefused::because("a team key names a `.md` file");
        }
        Ok(Self(path))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The key as a path below the team's directory.
    #[must_use]
    pub fn as_path(&self) -> &RelPath {
        &self.0
    }
}

impl fmt::Display for TeamKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

fn check_name(name: &str) -> Result<(), PathRefused> {
    if name.starts_with('.') {
        return PathRefused::because("a team key has no hidden component");
    }
    if name.contains(['<', '>', ':', '"', '|', '?', '*', '\\']) {
        return PathRefused::because("holds a character that Windows does not take");
    }
    if name.ends_with(['.', ' ']) || name.starts_with(' ') {
        return PathRefused::because("a name begins or ends with a blank, or ends with a dot");
    }
    let folded = name.nfkc().collect::<String>().to_lowercase();
    // The index is derived on every machine, so not even its exact name travels.
    if folded == "memory.md" {
        return PathRefused::because("aliases the index MEMORY.md");
    }
    // An agent would read them as orders, wherever they are.
    if ["claude.md", "claude.local.md", "agents.md", "gemini.md"].contains(&folded.as_str()) {
        return PathRefused::because("is a name that agents read as instructions");
    }
    let stem = folded.split('.').next().unwrap_or_default().trim_end();
    if is_device(stem) {
        return PathRefused::because("is the name of a Windows device");
    }
    if is_short_alias(&folded) {
        return PathRefused::because("has the form of a Windows short name");
    }
    Ok(())
}

/// A folder `x.md` here and a memory `x.md` there could never both be written: sync would stop for every member.
fn check_folder(name: &str) -> Result<(), PathRefused> {
    if name.nfkc().collect::<String>().to_lowercase().ends_with(".md") {
        return PathRefused::because("lies in a folder named like a memory (`….md`)");
    }
    Ok(())
}

fn is_device(stem: &str) -> bool {
    if matches!(stem, "con" | "prn" | "aux" | "nul" | "conin$" | "conout$" | "clock$") {
        return true;
    }
    // Superscript digits have become plain ones under NFKC by now.
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    port.is_some_and(|number| number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `MEMORY~1.MD` opens `MEMORY.md` on a volume that keeps short names.
fn is_short_alias(name: &str) -> bool {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let Some((prefix, number)) = stem.rsplit_once('~') else { return false };
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    digits && !prefix.is_empty() && stem.chars().count() <= 8 && extension.chars().count() <= 3
}

/// Refuses escapes that a peer which decodes once more would take for part of the path.
fn check_percent(input: &str) -> Result<(), PathRefused> {
    let refused = input.as_bytes().windows(3).any(|window| match *window {
        [b'%', high, low] => decode(high, low).is_some_and(|byte| {
            byte.is_ascii_control() || matches!(byte, b'.' | b'/' | b'\\' | b'%' | 0xC0 | 0xC1 | 0xF5..)
        }),
        _ => false,
    });
    if refused {
        PathRefused::because("holds a percent-encoded separator, dot or control character")
    } else {
        Ok(())
    }
}

fn decode(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}
