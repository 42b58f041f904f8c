//! Links between memories: `[[name]]`, and Markdown links to other files of the directory.

use std::ops::Range;

mod prose;
mod rename;
mod targets;

#[cfg(test)]
mod tests;

pub(super) use rename::new_destination;
pub use rename::{Renamed, rename_links};
pub use targets::LinkTargets;

/// A name longer than this is not a name.
const MAX_TARGET_BYTES: usize = 1024;

/// One link in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// What it points to: a memory's name, or a path as the file system spells it.
    pub target: String,
    /// Where the target is in the text, as it is written there.
    pub range: Range<usize>,
    /// How it is written.
    pub kind: LinkKind,
}

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// `[[target]]`, `[[target|label]]` or `[[target#heading]]`.
    Wiki,
    /// `[label](target.md)`.
    Markdown,
}

/// The links of a text, in order. What is in code is not a link.
#[must_use]
pub fn links(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for piece in prose::pieces(text) {
        in_prose(text, piece, &mut links);
    }
    links
}

fn in_prose(text: &str, piece: Range<usize>, links: &mut Vec<Link>) {
    let mut at = piece.start;
    while let Some(rest) = text.get(at..piece.end) {
        let Some(bracket) = memchr::memchr2(b'[', b']', rest.as_bytes()) else { return };
        let start = at + bracket;
        let here = rest.get(bracket..).unwrap_or_default();
        let found = if here.starts_with("[[") {
            wiki(here, start + 2)
        } else if here.starts_with("](") {
            markdown(here, start + 2)
        } else {
            None
        };
        at = match found {
            Some(link) => {
                let end = link.range.end;
                links.push(link);
                end
            }
            None => start + 1,
        };
    }
}

/// The link whose `[[` ends at `start`.
fn wiki(here: &str, start: usize) -> Option<Link> {
    let inner = bounded(here.get(2..)?);
    let end = inner.find(['[', ']'])?;
    if !inner.get(end..)?.starts_with("]]") {
        return None;
    }
    let inner = inner.get(..end)?;
    let target = inner.split(['|', '#']).next()?;
    let trimmed = target.trim();
    let blank = target.len() - target.trim_start().len();
    let range = start + blank..start + blank + trimmed.len();
    (!trimmed.is_empty()).then(|| Link { target: trimmed.to_owned(), range, kind: LinkKind::Wiki })
}

/// The link whose `](` ends at `start`.
fn markdown(here: &str, start: usize) -> Option<Link> {
    let inner = bounded(here.get(2..)?);
    let (raw, offset) = destination(inner)?;
    let target = without_anchor(raw)?;
    let path = raw.split('#').next().filter(|path| local_path(path).is_some()).unwrap_or(raw);
    let range = start + offset..start + offset + path.len();
    Some(Link { target, range, kind: LinkKind::Markdown })
}

/// The destination of a Markdown link whose `(` was read, and where it begins.
pub(super) fn destination(inner: &str) -> Option<(&str, usize)> {
    if let Some(pointed) = inner.strip_prefix('<') {
        let end = pointed.find(['<', '>'])?;
        let closed = pointed.get(end + 1..)?.trim_start();
        let titled = closed.starts_with([')', '"', '\'']);
        return (pointed.get(end..)?.starts_with('>') && titled)
            .then(|| (pointed.get(..end), 1))
            .and_then(|(raw, at)| Some((raw?, at)));
    }
    let mut depth = 0usize;
    for (at, character) in inner.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => {
                let raw = inner.get(..at)?;
                // A title behind the path is allowed; a blank inside of it is what the client itself writes.
                let path = raw.find(" \"").and_then(|title| raw.get(..title)).unwrap_or(raw);
                return Some((path, 0));
            }
            ')' => depth -= 1,
            '\\' | '\n' | '[' | ']' => return None,
            _ => {}
        }
    }
    None
}

/// The path that a destination names, an anchor behind it left out. A `#` in a file's name is what the client writes.
pub(super) fn without_anchor(raw: &str) -> Option<String> {
    raw.split('#').next().and_then(local_path).or_else(|| local_path(raw))
}

/// The path that a destination names, if it is a Markdown file below or beside this one.
fn local_path(raw: &str) -> Option<String> {
    let path = percent_decoded(raw.trim());
    let local =
        !path.starts_with(['/', '\\', '#', '~']) && !path.contains("://") && !path.contains(char::is_control);
    let file =
        path.len() > 3 && path.get(path.len() - 3..).is_some_and(|end| end.eq_ignore_ascii_case(".md"));
    (local && file).then(|| path.strip_prefix("./").unwrap_or(&path).to_owned())
}

/// The text with `%20` and its like decoded; what does not decode to text stays.
fn percent_decoded(raw: &str) -> String {
    if !raw.contains('%') {
        return raw.to_owned();
    }
    let bytes = raw.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = raw
            .get(at + 1..at + 3)
            .filter(|_| *byte == b'%')
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        decoded.push(hex.unwrap_or(*byte));
        at += if hex.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded).unwrap_or_else(|_| raw.to_owned())
}

fn bounded(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TARGET_BYTES)).unwrap_or(text)
}
