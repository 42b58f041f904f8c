//! What does not fit into MEMORY.md, kept in a file that MEMORY.md links to.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;

use super::edit::{line_end, mapped, push_line};
use super::{Index, format_line};
use crate::memory::entrypoint::Usage;

/// The file beside MEMORY.md that holds the lines which do not fit.
///
/// It is a plain Markdown file in the same form, not frontmatter and not a folder: a person reads it as the rest of
/// the index, the client lists and opens it like any topic file, and it moves along with the directory.
pub const OVERFLOW: &str = "MEMORY-overflow.md";

const TITLE: &str = "More memories";
/// The heading of that file.
pub(crate) const OVERFLOW_HEADING: &str = "# Memories that do not fit into MEMORY.md";

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
/// The entries of the memories that were written longest ago go, and only as many as needed; if it is unknown when
/// (`modified` does not say), the last lines go first, and what is new in this very change stays. One visible line
/// says where they are. Headings and other text stay. In between (some room, but not for all) nothing moves, so that
/// a directory near the limit does not change at every write.
#[must_use]
pub fn balance(index: &str, overflow: Option<&str>, modified: &HashMap<String, Timestamp>) -> Balanced {
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
        (false, _) => {
            spilled(index, overflow.unwrap_or_default(), modified).unwrap_or_else(|| unchanged(index))
        }
    }
}

/// The index with no entry but the link to the overflow, before everything else: for an index that its user's own words
/// fill, so that agents see at least where the rest is.
#[must_use]
pub fn all_out(index: &str, overflow: &str) -> Option<Balanced> {
    let parsed = Index::parse(index);
    let entries = parsed.entries().filter(|(_, entry)| entry.path != OVERFLOW);
    let moved: BTreeSet<usize> = entries.map(|(number, _)| number - 1).collect();
    let moved_out: Vec<String> = moved
        .iter()
        .filter_map(|at| parsed.lines.get(*at))
        .map(|line| line.raw.trim_end().to_owned())
        .collect();
    let kept = parsed.lines.iter().enumerate().filter(|(at, line)| {
        let is_link = line.entry.as_ref().is_some_and(|entry| entry.path == OVERFLOW);
        !moved.contains(at) && !is_link
    });
    let prose: String = kept.map(|(_, line)| line.raw).collect();
    let overflow = with_added(overflow, &moved_out);
    let link = link_line(entry_lines(&overflow).len());
    (!moved_out.is_empty()).then(|| Balanced {
        index: format!("{link}{}{prose}", line_end(index)),
        overflow: Some(overflow),
        moved_out,
        moved_back: Vec::new(),
    })
}

fn brought_back(index: &str, overflow: &str) -> Option<Balanced> {
    let mut whole = mapped(&Index::parse(index), |entry| (entry.path == OVERFLOW).then_some(None));
    let moved_back = entry_lines(overflow);
    for line in &moved_back {
        push_line(&mut whole, line, line_end(index));
    }
    let only_entries = Index::parse(overflow).lines.iter().all(|line| {
        line.entry.is_some() || line.raw.trim().is_empty() || line.raw.trim() == OVERFLOW_HEADING
    });
    (Usage::of(&whole).fits() && only_entries).then_some(Balanced {
        index: whole,
        overflow: None,
        moved_out: Vec::new(),
        moved_back,
    })
}

fn spilled(index: &str, overflow: &str, modified: &HashMap<String, Timestamp>) -> Option<Balanced> {
    let parsed = Index::parse(index);
    let entries = parsed.entries().filter(|(_, entry)| entry.path != OVERFLOW);
    let mut newest_first: Vec<(Option<Timestamp>, usize)> =
        entries.map(|(number, entry)| (modified.get(&entry.path).copied(), number - 1)).collect();
    newest_first.sort_by_key(|(time, at)| (time.is_some(), Reverse(*time), *at));
    let in_overflow = entry_lines(overflow).len();
    let with_kept = |kept: usize| {
        let moved: BTreeSet<usize> = newest_first.iter().skip(kept).map(|(_, at)| *at).collect();
        let link = link_line(in_overflow + moved.len());
        (without(&parsed, &moved, &link, line_end(index)), moved)
    };
    // The fewer entries stay, the less is used: look for the largest number that fits.
    let (mut fitting, mut too_many) = (0, newest_first.len());
    if !Usage::of(&with_kept(0).0).fits() {
        return None;
    }
    while fitting + 1 < too_many {
        let middle = fitting.midpoint(too_many);
        if Usage::of(&with_kept(middle).0).fits() {
            fitting = middle;
        } else {
            too_many = middle;
        }
    }
    let (index, moved) = with_kept(fitting);
    let moved = moved.iter().filter_map(|at| parsed.lines.get(*at));
    let moved_out: Vec<String> = moved.map(|line| line.raw.trim_end().to_owned()).collect();
    Some(Balanced {
        index,
        overflow: Some(with_added(overflow, &moved_out)),
        moved_out,
        moved_back: Vec::new(),
    })
}

fn link_line(count: usize) -> String {
    format_line(TITLE, OVERFLOW, &format!("{count} entries that did not fit here"))
}

/// The index without some of its lines, and with the link at the place of the first of them.
fn without(index: &Index<'_>, moved: &BTreeSet<usize>, link: &str, end: &str) -> String {
    let mut text = String::new();
    for (at, line) in index.lines.iter().enumerate() {
        let is_link = line.entry.as_ref().is_some_and(|entry| entry.path == OVERFLOW);
        if Some(&at) == moved.first() {
            push_line(&mut text, link, end);
        }
        if !is_link && !moved.contains(&at) {
            text.push_str(line.raw);
        }
    }
    if moved.is_empty() {
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
        text = format!("{OVERFLOW_HEADING}{end}{end}");
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
