//! `_index-archive.md`: the sessions that ended, and the rows that no longer fit into the index.

use super::document::Document;
use super::row::{Row, cells};
use super::{Problem, decode};
use crate::merge_mark::is_merge_mark;

const SESSIONS: &str = "## Archived Sessions";
const ENTRIES: &str = "## Archived Entries";

/// The archive as it is in the file. An edit adds lines and changes no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    document: Document,
    /// What could not be understood.
    pub problems: Vec<Problem>,
    /// Whether lines can be added.
    pub is_sound: bool,
}

/// A session that ended.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ArchivedSession {
    /// When it started.
    pub started: String,
    /// When it ended.
    pub ended: String,
    /// How many rows it left in the archive.
    pub entries: u64,
}

impl Archive {
    /// A new archive.
    #[must_use]
    pub fn new(key: &str) -> Self {
        let text = format!(
            "# Memory Index Archive: {key}\n\n{SESSIONS}\n| Session Started | Session Ended | Entries Archived |\n|-----------------|---------------|------------------|\n\n{ENTRIES}\n| Category | File | Updated | Summary | Archived |\n|----------|------|---------|---------|----------|\n"
        );
        Self { document: Document::parse(&text), problems: Vec::new(), is_sound: true }
    }

    /// Reads the file. Nothing in it makes this fail.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let (text, problem) = decode(bytes);
        let document = Document::parse(&text);
        let mut problems: Vec<Problem> = problem.into_iter().collect();
        for heading in [SESSIONS, ENTRIES] {
            if document.table(heading).is_none() {
                problems.push(Problem::new(
                    0,
                    format!("the table `{}` is missing", heading.trim_start_matches("## ")),
                ));
            }
        }
        if super::text::is_utf16(bytes) {
            problems.push(Problem::new(0, "in UTF-16, where the journal is written in UTF-8"));
        }
        let is_sound = problems.is_empty() && !document.lines.iter().any(|line| is_merge_mark(line));
        for (at, line) in document.lines.iter().enumerate() {
            if super::document::is_conflict_marker(line) {
                problems.push(Problem::new(at + 1, "a merge left its marker"));
            }
        }
        Self { document, problems, is_sound }
    }

    /// The file.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.document.to_text()
    }

    /// The rows with the moment at which each was archived, in the order of the file.
    #[must_use]
    pub fn entries(&self) -> Vec<(Row, String)> {
        let Some(table) = self.document.table(ENTRIES) else { return Vec::new() };
        table.rows.iter().filter_map(|at| Row::parse_archived(self.document.line(*at))).collect()
    }

    /// The sessions that ended.
    #[must_use]
    pub fn sessions(&self) -> Vec<ArchivedSession> {
        let Some(table) = self.document.table(SESSIONS) else { return Vec::new() };
        let read = |at: &usize| {
            let cells = cells(self.document.line(*at));
            let [started, ended, entries] = <[String; 3]>::try_from(cells).ok()?;
            Some(ArchivedSession { started, ended, entries: entries.parse().ok()? })
        };
        table.rows.iter().filter_map(read).collect()
    }

    /// Adds rows at the end.
    pub fn add_entries(&mut self, rows: &[Row], archived: &str) {
        let lines: Vec<String> = rows.iter().map(|row| row.archived_line(archived)).collect();
        self.add(ENTRIES, lines);
    }

    /// Adds rows that were archived before, each with its own moment.
    pub fn add_dated(&mut self, rows: &[(Row, String)]) {
        let lines: Vec<String> = rows.iter().map(|(row, archived)| row.archived_line(archived)).collect();
        self.add(ENTRIES, lines);
    }

    /// Adds a session that ended.
    pub fn add_session(&mut self, session: &ArchivedSession) {
        let ArchivedSession { started, ended, entries } = session;
        self.add(SESSIONS, vec![format!("| {started} | {ended} | {entries} |")]);
    }

    fn add(&mut self, heading: &str, lines: Vec<String>) {
        let Some(table) = self.document.table(heading) else { return };
        let at = table.rows.last().copied().unwrap_or(table.separator) + 1;
        let at = at.min(self.document.lines.len());
        self.document.lines.splice(at..at, lines);
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::Category;
    use super::*;

    #[test]
    fn the_archive_has_the_protocols_form_and_grows_at_its_end() {
        let mut archive = Archive::new("app");
        let row = |number: u32| {
            Row::new(
                Category::Decision,
                &format!("decisions/{number}.md"),
                "2026-01-15T10:30:00Z",
                "PostgreSQL",
            )
        };
        archive.add_entries(&[row(1), row(2)], "2026-01-19T22:00:00Z");
        let session = ArchivedSession {
            started: "2026-01-15T10:00:00Z".into(),
            ended: "2026-01-15T18:00:00Z".into(),
            entries: 2,
        };
        archive.add_session(&session);
        archive.add_entries(&[row(3)], "2026-01-20T22:00:00Z");
        insta::assert_snapshot!(archive.to_text(), @r"
        # Memory Index Archive: app

        ## Archived Sessions
        | Session Started | Session Ended | Entries Archived |
        |-----------------|---------------|------------------|
        | 2026-01-15T10:00:00Z | 2026-01-15T18:00:00Z | 2 |

        ## Archived Entries
        | Category | File | Updated | Summary | Archived |
        |----------|------|---------|---------|----------|
        | Decision | decisions/1.md | 2026-01-15T10:30:00Z | PostgreSQL | 2026-01-19T22:00:00Z |
        | Decision | decisions/2.md | 2026-01-15T10:30:00Z | PostgreSQL | 2026-01-19T22:00:00Z |
        | Decision | decisions/3.md | 2026-01-15T10:30:00Z | PostgreSQL | 2026-01-20T22:00:00Z |
        ");
        let read = Archive::parse(archive.to_text().as_bytes());
        assert_eq!((read.sessions(), read.entries().len(), read.is_sound), (vec![session], 3, true));
        assert!(!Archive::parse(b"# something else").is_sound);
    }
}
