use std::collections::HashSet;
use std::fmt::Write;

use crate::memory::auto_index::{self, IndexSource};
use crate::memory::entrypoint::{ENTRYPOINT, MAX_LINES, MAX_UNITS, Usage};
use crate::memory::index::{
    Index, IndexEntry, MAX_LINE_UNITS, OVERFLOW, add_line, add_lines, balance, examine, remove_lines,
    rename_lines, update_line,
};
use crate::plan::{Change, Content, Plan};
use crate::rel_path::RelPath;

use super::ChangeRefused;

/// The index as it was found: its two files, and the memories to make one from where there is none.
#[derive(Debug, Clone, Default)]
pub struct Indexes<'c> {
    /// The content of MEMORY.md; `None`: there is none.
    pub index: Option<&'c [u8]>,
    /// The content of the overflow file.
    pub overflow: Option<&'c [u8]>,
    /// Every memory, to make an index from where there is no MEMORY.md, as the client does; where there is one that
    /// is nearly full, those that it names, to know which of them are the oldest.
    pub files: Vec<IndexSource>,
}

/// An index being changed. What does not fit goes to the overflow file when it is finished.
pub(super) struct IndexDraft<'i> {
    found: &'i Indexes<'i>,
    index: String,
    overflow: Option<String>,
}

impl<'i> IndexDraft<'i> {
    pub(super) fn new(found: &'i Indexes<'i>) -> Result<Self, ChangeRefused> {
        let index = match found.index {
            Some(bytes) => text(bytes, ENTRYPOINT)?,
            None => auto_index::generate(found.files.clone()).unwrap_or_default(),
        };
        let overflow = found.overflow.map(|bytes| text(bytes, OVERFLOW)).transpose()?;
        Ok(Self { found, index, overflow })
    }

    /// Adds a line, or updates the one that points there already.
    pub(super) fn add(&mut self, title: &str, path: &RelPath, hook: &str) {
        if self.overflow_points_to(path) {
            self.overflow = self.overflow.take().map(|text| update_line(&text, title, path.as_str(), hook));
        } else if points_to(&self.index, path) {
            self.index = update_line(&self.index, title, path.as_str(), hook);
        } else {
            self.index = add_line(&self.index, title, path.as_str(), hook);
        }
    }

    /// Gives the line of a file a new hook; its title stays the user's.
    pub(super) fn describe(&mut self, path: &RelPath, hook: &str) {
        let stem = path.as_path().file_stem().unwrap_or_default();
        let title = |text: &str| {
            let parsed = Index::parse(text);
            let found = parsed.entries().find(|(_, entry)| entry.path == path.as_str());
            found.map_or_else(|| stem.to_owned(), |(_, entry)| entry.title.clone())
        };
        let title = match &self.overflow {
            Some(overflow) if points_to(overflow, path) => title(overflow),
            _ => title(&self.index),
        };
        self.add(&title, path, hook);
    }

    /// Adds lines for files that have none, each with its hook. The text is read once, however many they are.
    pub(super) fn add_missing<'f>(&mut self, files: impl Iterator<Item = (&'f RelPath, String)>) {
        let overflow = Index::parse(self.overflow.as_deref().unwrap_or_default());
        let listed: HashSet<String> = overflow.entries().map(|(_, entry)| entry.path.clone()).collect();
        let missing = files.filter(|(path, _)| !listed.contains(path.as_str()));
        let entries = missing.map(|(path, hook)| IndexEntry {
            title: path.as_path().file_stem().unwrap_or_default().to_owned(),
            path: path.to_string(),
            hook,
        });
        self.index = add_lines(&self.index, entries);
    }

    pub(super) fn remove(&mut self, path: &RelPath) {
        self.index = remove_lines(&self.index, path.as_str());
        self.overflow = self.overflow.take().map(|text| remove_lines(&text, path.as_str()));
    }

    pub(super) fn rename(&mut self, from: &RelPath, to: &RelPath) {
        self.index = rename_lines(&self.index, from.as_str(), to.as_str());
        self.overflow = self.overflow.take().map(|text| rename_lines(&text, from.as_str(), to.as_str()));
    }

    /// Makes the index anew, and names every line that is no longer in it or says something else.
    pub(super) fn rebuild(&mut self, make: impl FnOnce(&str) -> String) -> Vec<String> {
        let made = make(&self.index);
        let kept: HashSet<&str> = made.lines().map(str::trim_end).collect();
        let before = Index::parse(&self.index);
        let gone = before.lines.iter().filter(|line| line.entry.is_some()).map(|line| line.raw.trim_end());
        let gone =
            gone.filter(|line| !kept.contains(line)).map(|line| format!("no longer in the index: {line}"));
        let gone = gone.collect();
        self.index = made;
        gone
    }

    /// Puts what changed into the plan, with a warning where the limits are near.
    pub(super) fn finish(self, plan: &mut Plan) {
        let files = self.found.files.iter();
        let modified = files.map(|file| (file.path.clone(), file.modified)).collect();
        let balanced = balance(&self.index, self.overflow.as_deref(), &modified);
        if !balanced.moved_out.is_empty() {
            let count = balanced.moved_out.len();
            let mut warning = format!(
                "{count} {} of MEMORY.md do not fit and went to {OVERFLOW}:",
                if count == 1 { "line" } else { "lines" }
            );
            for line in balanced.moved_out.iter().take(5) {
                let _ = write!(warning, "\n  {line}");
            }
            plan.warnings.push(warning);
        }
        plan.warnings.extend(near_the_limit(&balanced.index));
        push(plan, ENTRYPOINT, self.found.index, Some(balanced.index));
        push(plan, OVERFLOW, self.found.overflow, balanced.overflow);
    }

    fn overflow_points_to(&self, path: &RelPath) -> bool {
        self.overflow.as_deref().is_some_and(|text| points_to(text, path))
    }
}

fn push(plan: &mut Plan, name: &'static str, before: Option<&[u8]>, after: Option<String>) {
    let Ok(path) = RelPath::parse(name) else { return };
    let base = before.map(|bytes| Content(bytes.to_vec()));
    match after {
        Some(after) if before == Some(after.as_bytes()) || (before.is_none() && after.is_empty()) => {}
        Some(after) => plan.changes.push(Change::Write { path, content: after.into(), base }),
        None => plan.changes.extend(base.map(|base| Change::Delete { path, base })),
    }
}

fn points_to(text: &str, path: &RelPath) -> bool {
    Index::parse(text).entries().any(|(_, entry)| entry.path == path.as_str())
}

/// A warning that names the lines worth shortening, once most of the room is used.
pub(super) fn near_the_limit(index: &str) -> Option<String> {
    let usage = Usage::of(index);
    if !usage.is_near() {
        return None;
    }
    let mut warning = format!(
        "MEMORY.md uses {} of {MAX_LINES} lines and {} of {MAX_UNITS} characters that agents load",
        usage.lines, usage.units
    );
    let mut long = examine(index, &[]).over_long;
    long.sort_by_key(|note| std::cmp::Reverse(note.units));
    if long.is_empty() {
        warning.push_str("; merge or remove memories that are no longer needed");
    }
    for note in long.iter().take(5) {
        let _ = write!(
            warning,
            "\n  line {} has {} characters, {MAX_LINE_UNITS} are enough: {}",
            note.line, note.units, note.text
        );
    }
    Some(warning)
}

fn text(bytes: &[u8], name: &'static str) -> Result<String, ChangeRefused> {
    match (std::str::from_utf8(bytes), RelPath::parse(name)) {
        (Err(_), Ok(path)) => Err(ChangeRefused::NotText { path }),
        (text, _) => Ok(text.unwrap_or_default().to_owned()),
    }
}
