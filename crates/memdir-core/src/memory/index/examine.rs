//! What is wrong with an index, and how close to its limits it is.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::{Index, MAX_LINE_UNITS, OVERFLOW};
use crate::memory::entrypoint::{ENTRYPOINT, Profile, Usage, counted};
use crate::memory::js_text;
use crate::memory::links::{LinkTargets, links};

/// The state of an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexReport {
    /// How much of the limits it uses.
    pub usage: Usage,
    /// Lines longer than what is written, with their lengths in units.
    pub over_long: Vec<LineNote>,
    /// Lines whose file does not exist.
    pub dangling: Vec<LineNote>,
    /// Lines for a file that an earlier line points to already.
    pub duplicate: Vec<LineNote>,
    /// Lines that no agent sees, because the limits cut them off.
    pub cut: Vec<LineNote>,
    /// Files that nothing in the index points to.
    pub missing: Vec<String>,
}

/// A line that is to be named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineNote {
    /// Its number, counted from 1.
    pub line: usize,
    /// Its length in UTF-16 units.
    pub units: usize,
    /// Its text, without its end.
    pub text: String,
}

/// Examines an index beside the Markdown files of its directory, given as paths relative to it.
#[must_use]
pub fn examine(text: &str, files: &[&str]) -> IndexReport {
    let index = Index::parse(text);
    let existing: HashSet<&str> = files.iter().copied().collect();
    let note = |number: usize| {
        let text = index.lines.get(number - 1).map_or("", |line| line.raw.trim_end());
        LineNote { line: number, units: js_text::units(text), text: text.to_owned() }
    };
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut report = IndexReport {
        usage: Usage::of(text),
        over_long: Vec::new(),
        dangling: Vec::new(),
        duplicate: Vec::new(),
        cut: cut_lines(text, &index).into_iter().map(note).collect(),
        missing: missing(text, files),
    };
    for (number, entry) in index.entries() {
        let found = note(number);
        if found.units > MAX_LINE_UNITS {
            report.over_long.push(found.clone());
        }
        if !existing.contains(entry.path.as_str()) && entry.path != OVERFLOW {
            report.dangling.push(found.clone());
        }
        if seen.insert(&entry.path, number).is_some() {
            report.duplicate.push(found);
        }
    }
    report
}

/// The files that no link of the index reaches.
fn missing(text: &str, files: &[&str]) -> Vec<String> {
    let targets = LinkTargets::new(files.iter().map(|path| (None, *path)));
    let reached: HashSet<usize> =
        links(text).iter().flat_map(|link| targets.resolve(&link.target)).copied().collect();
    let own = |path: &str| matches!(path, ENTRYPOINT | OVERFLOW);
    let missing = files.iter().enumerate().filter(|(at, path)| !reached.contains(at) && !own(path));
    missing.map(|(_, path)| (*path).to_owned()).collect()
}

/// The numbers of the non-blank lines behind the cut.
fn cut_lines(text: &str, index: &Index<'_>) -> Vec<usize> {
    let usage = Usage::of(text);
    if usage.fits() {
        return Vec::new();
    }
    let counted = counted(text.strip_prefix('\u{feff}').unwrap_or(text), Profile::Current);
    // Line 1 of a single line that is too long is loaded in part, and nothing behind it.
    let first_lost = usage.loaded_lines.max(1);
    let mut kept = counted.split('\n').take(first_lost).peekable();
    let mut lost = Vec::new();
    for (at, line) in index.lines.iter().enumerate() {
        let content = line.raw.trim();
        match kept.peek() {
            // What the client takes out (frontmatter, comments) does not match and is passed over.
            Some(expected)
                if expected.trim() == content
                    || (expected.trim().len() < content.len()
                        && content.ends_with(expected.trim())
                        && !expected.trim().is_empty()) =>
            {
                kept.next();
            }
            Some(_) => {}
            None if !content.is_empty() => lost.push(at + 1),
            None => {}
        }
    }
    lost
}
