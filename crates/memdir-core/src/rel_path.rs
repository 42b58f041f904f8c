//! A path inside a memory directory that is safe to use.

use std::fmt;

use camino::Utf8Path;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

mod look_alike;
#[cfg(test)]
mod tests;

/// A validated path relative to a memory root: `/` between components, NFC, no `.` or `..`, nothing invisible.
///
/// A caller may join one to a root without leaving that root as far as names go; links are the disk
/// crate's business.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RelPath(String);

/// Why a path is refused. Says which rule, so that the message can.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{rule}")]
pub struct PathRefused {
    /// The rule that it breaks, in a few words.
    pub rule: &'static str,
}

impl PathRefused {
    pub(crate) fn because<T>(rule: &'static str) -> Result<T, Self> {
        Err(Self { rule })
    }
}

/// The name of the index in every memory directory.
pub const ENTRYPOINT: &str = "MEMORY.md";

/// The longest component: what the file system takes, less what the name of a temporary file adds.
pub const MAX_COMPONENT_BYTES: usize = 255 - 12;
/// The deepest path.
pub const MAX_DEPTH: usize = 16;
/// The longest input that is looked at; no longer path can be opened.
pub const MAX_PATH_BYTES: usize = 4095;

/// How the name of every temporary file of ours begins; such names belong to us alone.
pub const TEMPORARY_PREFIX: &str = ".memdir-";

impl RelPath {
    /// Validates a path given by a person, a model or a file.
    ///
    /// `.`, empty inner components and a `..` that stays inside are resolved by name, and the result is NFC.
    ///
    /// # Errors
    /// The first rule that the path breaks.
    pub fn parse(input: &str) -> Result<Self, PathRefused> {
        if is_plain(input) {
            return Ok(Self(input.to_owned()));
        }
        Self::parse_any(input)
    }

    fn parse_any(input: &str) -> Result<Self, PathRefused> {
        if input.trim().is_empty() {
            return PathRefused::because("names no file");
        }
        if input.len() > MAX_PATH_BYTES {
            return PathRefused::because("longer than the system allows");
        }
        if input.starts_with('/') {
            return PathRefused::because("not relative to the memory directory");
        }
        if matches!(input.rsplit('/').next(), Some("" | "." | "..")) {
            return PathRefused::because("names a directory, not a file");
        }
        let components = resolve_dots(input)?;
        let mut normal = components.join("/");
        if !normal.is_ascii() {
            normal = normal.nfc().collect();
        }
        if components.len() > MAX_DEPTH {
            return PathRefused::because("deeper than 16 levels");
        }
        for component in normal.split('/') {
            check_component(component)?;
        }
        Ok(Self(normal))
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path as a relative path.
    #[must_use]
    pub fn as_path(&self) -> &Utf8Path {
        Utf8Path::new(&self.0)
    }

    /// The last component.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The directory that holds the file; `None` if that is the root itself.
    #[must_use]
    pub fn parent(&self) -> Option<&str> {
        self.0.rsplit_once('/').map(|(parent, _)| parent)
    }

    /// Whether agents' own tools may write it: Markdown by its exact extension, as the client has it.
    #[must_use]
    pub fn is_markdown(&self) -> bool {
        self.file_name().strip_suffix(".md").is_some_and(|stem| !stem.is_empty())
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for RelPath {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// Whether no rule can apply to a name, as to most: directories hold thousands. `M` begins what looks like the index.
fn is_plain(name: &str) -> bool {
    let is_harmless = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    name.starts_with(|first: char| first.is_ascii_alphanumeric() && first != 'M')
        && name.len() <= MAX_COMPONENT_BYTES
        && name.bytes().all(is_harmless)
}

fn resolve_dots(input: &str) -> Result<Vec<&str>, PathRefused> {
    let mut components = Vec::new();
    for component in input.split('/') {
        match component {
            "." | "" => {}
            ".." => {
                if components.pop().is_none() {
                    return PathRefused::because("leaves the memory directory");
                }
            }
            name => {
                // A name that `..` takes away again is judged too: it says what the writer had in mind.
                if name.contains('\0') {
                    return PathRefused::because("holds a NUL");
                }
                components.push(name);
            }
        }
    }
    if components.is_empty() {
        return PathRefused::because("names the memory directory itself");
    }
    Ok(components)
}

fn check_component(name: &str) -> Result<(), PathRefused> {
    if is_plain(name) {
        return Ok(());
    }
    check_any_component(name)
}

fn check_any_component(name: &str) -> Result<(), PathRefused> {
    if name.len() > MAX_COMPONENT_BYTES {
        return PathRefused::because("a name is longer than 243 bytes");
    }
    if name.trim().is_empty() {
        return PathRefused::because("a name is blank");
    }
    if name.chars().any(char::is_control) {
        return PathRefused::because("holds a control character");
    }
    if crate::hidden_char::holds_hidden(name) {
        return PathRefused::because("holds an invisible or direction-changing character");
    }
    look_alike::check(name)?;
    let folded = name.nfkc().collect::<String>().to_lowercase();
    if RESERVED.contains(&folded.trim_end_matches([' ', '.'])) {
        return PathRefused::because("lies in a directory that tools act on (.git, .claude, .vscode, .idea)");
    }
    if folded.starts_with(TEMPORARY_PREFIX) {
        return PathRefused::because("has the name of a temporary file of memdir");
    }
    Ok(())
}

/// Directories whose files other programs obey; the client never lets a tool write there.
const RESERVED: [&str; 4] = [".git", ".claude", ".vscode", ".idea"];
