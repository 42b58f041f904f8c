//! What does not fit into MEMORY.md, kept in a file that MEMORY.md links to.

use super::edit::{line_end, mapped, push_line};
use super::{Index, format_line};
use crate::memory::entrypoint::Usage;

/// The file beside MEMORY.md that holds the lines which do not fit.
///
/// It is a plain Markdown file in the same form, not frontmatter and not a folder: a person reads it as the rest of
/// the index, the client lists and opens it like any topic file, and it moves along with the directory.
pub const OVERFLOW: &str = "MEMORY-overflow.md";

const TITLE: &str = "More memories";
const HEADING: &str = "# Memories that do not fit into MEMORY.md";

/// An index and its overflow file, balanced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balanced {
    /// The text of MEMORY.md.
    pub index: String,
    /// The text of the overflow file; `None`: there should be none.
    pub overflow: Option<String>,
    /// The lines that moved to the overflow file.
    pub moved_out: Vec<String>,
    /// The lines that came back from it.
    pub moved_back: Vec<String>,
}

/// Moves lines out of an index that is over its limits, and back when all of them fit again.
///
/// The last entries go, and only as many as needed: these are exactly the lines that no agent would see anyway, so
/// moving them costs nothing and one visible line now says where they are. Headings and other text stay. In between
/// (some room, but not for all) nothing moves, so that a directory near the limit does not change at every write.
#[must_use]
pub fn balance(index: &str, overflow: Option<&str>) -> Balanced {
    let fits = Usage::of(index).fits();
    let unchanged = |index: &str| Balanced {
        index: index.to_owned(),
        overflow: overflow.map(str::to_owned),
        moved_out: Vec::new(),
        moved_back: Vec::new(),
    };
    match (fits, overflow) {
        (true, None) => unchanged(index),
        (true, Some(overflow)) => brought_back(index, overflow).unwrap_or_else(|| unchanged(index)),
        (false, _) => spilled(index, overflow.unwrap_or_default()).unwrap_or_else(|| unchanged(index)),
    }
}

fn brought_back(index: &str, overflow: &str) -> Option<Balanced> {
    let mut whole = mapped(&Index::parse(index), |entry| (entry.path == OVERFLOW).then_some(None));
    let moved_back = entry_lines(overflow);
    for line in &moved_back {
        push_line(&mut whole, line, line_end(index));
    }
    let only_entries = Index::parse(overflow)
        .lines
        .iter()
        .all(|line| line.entry.is_some() || line.raw.trim().is_empty() || line.raw.trim() == HEADING);
    (Usage::of(&whole).fits() && only_entries).then_some(Balanced {
        index: whole,
        overflow: None,
        moved_out: Vec::new(),
        moved_back,
    })
}

fn spilled(index: &str, overflow: &str) -> Option<Balanced> {
    let parsed = Index::parse(index);
    let entries: Vec<usize> =
        parsed.entries().filter(|(_, entry)| entry.path != OVERFLOW).map(|(number, _)| number - 1).collect();
    let in_overflow = entry_lines(overflow).len();
    let with_kept = |kept: usize| {
        let first_moved = entries.get(kept).copied().unwrap_or(usize::MAX);
        let link = link_line(in_overflow + entries.len() - kept);
        without_tail(&parsed, first_moved, &link, line_end(index))
    };
    // The fewer entries stay, the less is used: look for the largest number that fits.
    let (mut fitting, mut too_many) = (0, entries.len());
    if !Usage::of(&with_kept(0)).fits() {
        return None;
    }
    while fitting + 1 < too_many {
        let middle = fitting.midpoint(too_many);
        if Usage::of(&with_kept(middle)).fits() {
            fitting = middle;
        } else {
            too_many = middle;
        }
    }
    let moved = entries.iter().skip(fitting).filter_map(|at| parsed.lines.get(*at));
    let moved_out: Vec<String> = moved.map(|line| line.raw.trim_end().to_owned()).collect();
    Some(Balanced {
        index: with_kept(fitting),
        overflow: Some(with_added(overflow, &moved_out)),
        moved_out,
        moved_back: Vec::new(),
    })
}

fn link_line(count: usize) -> String {
    format_line(TITLE, OVERFLOW, &format!("{count} entries that did not fit here"))
}

/// The index without its entries from line `first_moved` on, and with the link at the place of the first of them.
fn without_tail(index: &Index<'_>, first_moved: usize, link: &str, end: &str) -> String {
    let mut text = String::new();
    for (at, line) in index.lines.iter().enumerate() {
        let is_link = line.entry.as_ref().is_some_and(|entry| entry.path == OVERFLOW);
        if at == first_moved {
            push_line(&mut text, link, end);
        }
        if !is_link && (line.entry.is_none() || at < first_moved) {
            text.push_str(line.raw);
        }
    }
    if first_moved >= index.lines.len() {
        push_line(&mut text, link, end);
    }
    text
}

/// The overflow file with more lines before those that it has: they stood before them in the index.
fn with_added(overflow: &str, moved: &[String]) -> String {
    let end = line_end(overflow);
    let parsed = Index::parse(overflow);
    let first = parsed.entries().next().map_or(parsed.lines.len(), |(number, _)| number - 1);
    let mut text = String::new();
    if parsed.lines.is_empty() {
        text = format!("{HEADING}{end}{end}");
    }
    text.extend(parsed.lines.iter().take(first).map(|line| line.raw));
    for line in moved {
        push_line(&mut text, line, end);
    }
    text.extend(parsed.lines.iter().skip(first).map(|line| line.raw));
    text
}

fn entry_lines(text: &str) -> Vec<String> {
    let index = Index::parse(text);
    let entries = index.lines.iter().filter(|line| line.entry.is_some());
    entries.map(|line| line.raw.trim_end().to_owned()).collect()
}
