//! `_index.md`: what a reader opens first. Twenty rows, the state of the work, and where to look for what.

use super::document::{Document, is_conflict_marker};
use super::row::Row;
use super::text::{is_utf16, one_line};
use super::{Problem, decode};
use crate::merge_mark::is_merge_mark;

mod quick_lookup;
#[cfg(test)]
mod tests;

pub use quick_lookup::{LookupLine, lookups_for};

/// How many rows an index holds; older ones go to the archive.
pub const MOST_ROWS: usize = 20;

const RECENT: &str = "## Recent Files";
const STATE: &str = "## Current State";
const LOOKUP: &str = "## Quick Lookup";
const NOTE: &str = "<!-- Older entries archived to _index-archive.md -->";

/// The index as it is in the file. An edit changes the lines that it is about, and no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    document: Document,
    /// What could not be understood.
    pub problems: Vec<Problem>,
    /// Whether the file may be written over: its bytes were text, and what we need is in it.
    pub is_sound: bool,
}

/// Whether the journal is kept, as the index says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It is.
    Active,
    /// It was stopped.
    Inactive,
}

impl Status {
    fn word(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Inactive => "INACTIVE",
        }
    }
}

/// The state of the work, in a line each.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct CurrentState {
    /// What is being done.
    pub task: String,
    /// How far it is.
    pub progress: String,
    /// What keeps it from going on.
    pub blocker: String,
}

impl Default for CurrentState {
    fn default() -> Self {
        Self { task: NONE.to_owned(), progress: NONE.to_owned(), blocker: NONE.to_owned() }
    }
}

/// How the absence of a task or a blocker is written.
pub const NONE: &str = "None";

/// The head of an index.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// The project's key.
    pub key: &'a str,
    /// When the session started.
    pub session: &'a str,
    /// Whether it goes on.
    pub status: Status,
    /// The project's path.
    pub path: &'a str,
}

impl Index {
    /// A new index.
    #[must_use]
    pub fn new(head: &Head<'_>, state: &CurrentState, rows: &[Row], lookups: &[String]) -> Self {
        let Head { key, session, status, path } = head;
        let mut text = format!(
            "# Memory Index: {key}\nSession: {session}\nStatus: {}\nPath: {path}\n\n{STATE}\n- **Task**: {}\n- **Progress**: {}\n- **Active Blocker**: {}\n\n{RECENT} (Last {MOST_ROWS})\n| Category | File | Updated | Summary |\n|----------|------|---------|---------|\n",
            status.word(),
            state.task,
            state.progress,
            state.blocker
        );
        for row in rows {
            text.push_str(&row.line());
            text.push('\n');
        }
        text.push_str(&format!("\n{LOOKUP}\n"));
        for line in lookups {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str(&format!("\n{NOTE}\n"));
        Self { document: Document::parse(&text), problems: Vec::new(), is_sound: true }
    }

    /// Reads the file. Nothing in it makes this fail: what is not understood is listed and stays.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let (text, problem) = decode(bytes);
        let mut is_sound = problem.is_none() && !is_utf16(bytes);
        let mut problems: Vec<Problem> = problem.into_iter().collect();
        if is_utf16(bytes) {
            problems.push(Problem::new(0, "in UTF-16, where the journal is written in UTF-8"));
        }
        let document = Document::parse(&text);
        for (at, line) in document.lines.iter().enumerate() {
            if is_conflict_marker(line) {
                is_sound &= !is_merge_mark(line);
                problems.push(Problem::new(at + 1, "a merge left its marker"));
            }
        }
        match document.table(RECENT) {
            Some(table) => {
                let last = document.lines.len().saturating_sub(1);
                for at in table.rows {
                    if Row::parse(document.line(at)).is_none() {
                        // A row that ends the file was cut off, and with it whatever came behind.
                        is_sound &= at != last;
                        problems.push(Problem::new(at + 1, "a row with too few cells"));
                    }
                }
            }
            None => {
                is_sound = false;
                problems.push(Problem::new(0, "the table of recent files is missing"));
            }
        }
        if document.section(STATE).is_none() {
            problems.push(Problem::new(0, "the section `Current State` is missing"));
        }
        Self { document, problems, is_sound }
    }

    /// The file.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.document.to_text()
    }

    /// The rows, in the order of the file; of two for one file the later one counts.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        let Some(table) = self.document.table(RECENT) else { return Vec::new() };
        let mut rows: Vec<Row> = Vec::new();
        for row in table.rows.iter().filter_map(|at| Row::parse(self.document.line(*at))) {
            match rows.iter_mut().find(|known| known.file == row.file) {
                Some(known) if row.updated > known.updated => *known = row,
                Some(_) => {}
                None => rows.push(row),
            }
        }
        rows
    }

    /// The state of the work, as the index says it.
    #[must_use]
    pub fn state(&self) -> CurrentState {
        let read = |label: &str| self.state_line(label).map(|(_, value)| value);
        let none = CurrentState::default();
        CurrentState {
            task: read("Task").unwrap_or(none.task),
            progress: read("Progress").unwrap_or(none.progress),
            blocker: read("Active Blocker").unwrap_or(none.blocker),
        }
    }

    /// Writes the state of the work.
    pub fn set_state(&mut self, state: &CurrentState) {
        for (label, value) in
            [("Task", &state.task), ("Progress", &state.progress), ("Active Blocker", &state.blocker)]
        {
            if let Some((at, _)) = self.state_line(label) {
                self.document.set(at, format!("- **{label}**: {}", one_line(value, MOST_OF_STATE)));
            }
        }
    }

    fn state_line(&self, label: &str) -> Option<(usize, String)> {
        let marker = format!("- **{label}**:");
        self.document.section(STATE)?.find_map(|at| {
            let value = self.document.line(at).trim_start().strip_prefix(&marker)?;
            Some((at, value.trim().to_owned()))
        })
    }

    /// What a line of the head says: `Session`, `Status` or `Path`.
    #[must_use]
    pub fn head(&self, name: &str) -> Option<&str> {
        let marker = format!("{name}:");
        self.document.head().find_map(|at| self.document.line(at).strip_prefix(&marker)).map(str::trim)
    }

    /// Writes the head's lines; one that is missing is put below the title.
    pub fn set_head(&mut self, head: &Head<'_>) {
        for (name, value) in [("Path", head.path), ("Status", head.status.word()), ("Session", head.session)]
        {
            let marker = format!("{name}:");
            let line = format!("{name}: {value}");
            match self.document.head().find(|at| self.document.line(*at).starts_with(&marker)) {
                Some(at) => self.document.set(at, line),
                None => self.document.insert(1, line),
            }
        }
    }

    /// Puts a row on top, instead of one that the file had before.
    pub fn put_row(&mut self, row: &Row) {
        self.remove_row(&row.file);
        if let Some(table) = self.document.table(RECENT) {
            self.document.insert(table.separator + 1, row.line());
        }
    }

    /// Takes the row of a file out.
    pub fn remove_row(&mut self, file: &str) {
        let Some(table) = self.document.table(RECENT) else { return };
        for at in table.rows.into_iter().rev() {
            if Row::parse(self.document.line(at)).is_some_and(|row| row.file == file) {
                self.document.remove(at);
            }
        }
    }

    /// Takes out the oldest rows beyond the limit, oldest first.
    pub fn take_surplus(&mut self) -> Vec<Row> {
        let mut rows = self.rows();
        // Of equally old ones, those further down go first.
        rows.reverse();
        rows.sort_by(|one, other| one.updated.cmp(&other.updated));
        rows.truncate(rows.len().saturating_sub(MOST_ROWS));
        for row in &rows {
            self.remove_row(&row.file);
        }
        rows
    }

    /// Sections that are not of the protocol, whole: they are the user's own.
    #[must_use]
    pub fn foreign_sections(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut inside = false;
        for line in self.document.lines.iter().skip(self.document.head().end) {
            if line.starts_with("## ") {
                inside = ![RECENT, STATE, LOOKUP].iter().any(|known| line.starts_with(known));
                if inside {
                    found.push(String::new());
                }
            }
            if let Some(section) = found.last_mut().filter(|_| inside && line != NOTE) {
                section.push_str(line);
                section.push('\n');
            }
        }
        found
    }

    /// Adds the user's own sections before the closing note.
    pub fn add_sections(&mut self, sections: &[String]) {
        let end =
            self.document.lines.iter().position(|line| line == NOTE).unwrap_or(self.document.lines.len());
        let mut at = end;
        for section in sections {
            for line in section.trim_end().lines() {
                self.document.insert(at, line.to_owned());
                at += 1;
            }
            self.document.insert(at, String::new());
            at += 1;
        }
    }
}

/// The most characters of a line of the state.
const MOST_OF_STATE: usize = 200;
