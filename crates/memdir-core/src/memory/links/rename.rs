//! Links that follow a memory to its new name.

use super::targets::stem;
use super::{Link, LinkKind, links};

/// A memory's names before and after.
#[derive(Debug, Clone, Copy)]
pub struct Renamed<'n> {
    /// Its old name, if it had one.
    pub old_name: Option<&'n str>,
    /// Its old path in the directory.
    pub old_path: &'n str,
    /// Its new name; where it is empty, links use the stem of the new path.
    pub new_name: &'n str,
    /// Its new path in the directory.
    pub new_path: &'n str,
}

/// The text with every link to the old name or path pointing to the new one. Nothing else changes.
///
/// `path` is where the text itself is in the directory: Markdown links are relative to it.
#[must_use]
pub fn rename_links(text: &str, path: &str, renamed: &Renamed<'_>) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut copied = 0;
    for link in links(text) {
        let Some(replacement) = replacement(&link, path, renamed) else { continue };
        changed.push_str(text.get(copied..link.range.start).unwrap_or_default());
        changed.push_str(&replacement);
        copied = link.range.end;
    }
    changed.push_str(text.get(copied..).unwrap_or_default());
    changed
}

fn replacement(link: &Link, path: &str, renamed: &Renamed<'_>) -> Option<String> {
    match link.kind {
        LinkKind::Wiki => {
            let old_stem = stem(renamed.old_path);
            let old_base = renamed.old_path.strip_suffix(".md").unwrap_or(renamed.old_path);
            let by_name = renamed.old_name.filter(|name| !name.is_empty()) == Some(&link.target);
            let new_name = Some(renamed.new_name)
                .filter(|name| !name.is_empty())
                .unwrap_or_else(|| stem(renamed.new_path));
            if by_name {
                Some(new_name.to_owned())
            } else if link.target == old_stem {
                Some(stem(renamed.new_path).to_owned())
            } else if link.target == renamed.old_path {
                Some(renamed.new_path.to_owned())
            } else if link.target == old_base {
                Some(renamed.new_path.strip_suffix(".md").unwrap_or(renamed.new_path).to_owned())
            } else {
                None
            }
        }
        LinkKind::Markdown => {
            let folder = folder(path);
            (joined(&folder, &link.target).as_deref() == Some(renamed.old_path))
                .then(|| encoded(&relative(&folder, renamed.new_path)))
        }
    }
}

fn folder(path: &str) -> Vec<&str> {
    let mut components: Vec<&str> = path.split('/').collect();
    components.pop();
    components
}

/// The path that a relative one means, seen from a folder; `None` if it leaves the directory.
fn joined(folder: &[&str], relative: &str) -> Option<String> {
    let mut components = folder.to_vec();
    for component in relative.split('/') {
        match component {
            "" | "." => {}
            ".." => {
                components.pop()?;
            }
            name => components.push(name),
        }
    }
    Some(components.join("/"))
}

fn relative(folder: &[&str], path: &str) -> String {
    let target: Vec<&str> = path.split('/').collect();
    let shared = folder.iter().zip(&target).take_while(|(left, right)| left == right).count();
    let shared = shared.min(target.len().saturating_sub(1));
    let ups = std::iter::repeat_n("..", folder.len() - shared);
    ups.chain(target.iter().skip(shared).copied()).collect::<Vec<_>>().join("/")
}

/// The path as the destination of a new link: one with white space is put in angle brackets, without which Markdown sees
/// no link.
pub(in crate::memory) fn new_destination(path: &str) -> String {
    let encoded = encoded(path);
    if encoded.contains(char::is_whitespace) { format!("<{encoded}>") } else { encoded }
}

/// The path in place of a link's destination: what would end the destination is percent-encoded.
fn encoded(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for character in path.chars() {
        match character {
            '(' | ')' | '[' | ']' | '<' | '>' | '#' | '%' | '"' | '\\' => {
                encoded.push_str(&format!("%{:02X}", u32::from(character)));
            }
            _ => encoded.push(character),
        }
    }
    encoded
}
