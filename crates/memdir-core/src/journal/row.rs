//! A line of the index or the archive: which file, when, and what it says.

use std::fmt;

use serde::Serialize;

use super::text::one_line;

/// What kind of record a file holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// A decision that was taken.
    Decision,
    /// What was found out about a file or component.
    Analysis,
    /// The current task, blockers, notes.
    Context,
    /// What is being done, and what is done.
    Progress,
    /// What a sub-agent reported.
    SubAgent,
    /// Another word.
    Other(String),
}

impl Category {
    /// The kinds that have a folder.
    pub const KNOWN: [Self; 5] =
        [Self::Decision, Self::Analysis, Self::Context, Self::Progress, Self::SubAgent];

    /// The folder in which files of this kind are.
    #[must_use]
    pub fn folder(&self) -> &str {
        match self {
            Self::Decision => "decisions",
            Self::Analysis => "analysis",
            Self::Context => "context",
            Self::Progress => "progress",
            Self::SubAgent => "subagent",
            Self::Other(_) => "",
        }
    }

    /// The kind of the files in a folder, by a path below the journal.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let folder = path.split_once('/')?.0;
        Self::KNOWN.into_iter().find(|known| known.folder() == folder)
    }

    fn parse(word: &str) -> Self {
        let known = Self::KNOWN.into_iter().find(|known| known.to_string().eq_ignore_ascii_case(word));
        known.unwrap_or_else(|| Self::Other(word.to_owned()))
    }
}

impl fmt::Display for Category {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Decision => "Decision",
            Self::Analysis => "Analysis",
            Self::Context => "Context",
            Self::Progress => "Progress",
            Self::SubAgent => "SubAgent",
            Self::Other(word) => word,
        })
    }
}

/// One line of the table of recent files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// What kind of record.
    pub category: Category,
    /// Its path below the journal.
    pub file: String,
    /// When it last changed, as the journal writes it.
    pub updated: String,
    /// What it says, in one line.
    pub summary: String,
}

/// The most characters of a summary.
const SUMMARY: usize = 140;

impl Row {
    /// A line for a record.
    #[must_use]
    pub fn new(category: Category, file: &str, updated: &str, summary: &str) -> Self {
        Self {
            category,
            file: file.to_owned(),
            updated: updated.to_owned(),
            summary: one_line(summary, SUMMARY),
        }
    }

    /// Reads a line of a table; bars in the summary are allowed. `None` if it has too few cells.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let mut cells = cells(line);
        if cells.len() < 4 {
            return None;
        }
        let summary = cells.split_off(3).join(" | ");
        let [category, file, updated] = <[String; 3]>::try_from(cells).ok()?;
        if file.is_empty() || category == "Category" {
            return None;
        }
        Some(Self { category: Category::parse(&category), file, updated, summary })
    }

    /// Reads a line of the archive, whose last cell says when it was archived.
    #[must_use]
    pub fn parse_archived(line: &str) -> Option<(Self, String)> {
        let mut cells = cells(line);
        if cells.len() < 5 {
            return None;
        }
        let archived = cells.pop()?;
        let summary = cells.split_off(3).join(" | ");
        let [category, file, updated] = <[String; 3]>::try_from(cells).ok()?;
        if file.is_empty() || category == "Category" {
            return None;
        }
        Some((Self { category: Category::parse(&category), file, updated, summary }, archived))
    }

    /// The line of the table.
    #[must_use]
    pub fn line(&self) -> String {
        let Self { category, file, updated, summary } = self;
        format!("| {category} | {} | {updated} | {} |", escape(file), escape(summary))
    }

    /// The line of the archive.
    #[must_use]
    pub fn archived_line(&self, archived: &str) -> String {
        format!("{} {archived} |", self.line())
    }
}

fn escape(cell: &str) -> String {
    cell.replace('\\', "\\\\").replace('|', "\\|")
}

/// The cells between bars; a bar after a backslash is text.
pub(super) fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let Some(line) = line.strip_prefix('|') else { return Vec::new() };
    let mut cells = vec![String::new()];
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let Some(cell) = cells.last_mut() else { break };
        match (character, characters.peek()) {
            ('\\', Some('|' | '\\')) => cell.extend(characters.next()),
            ('|', _) => cells.push(String::new()),
            _ => cell.push(character),
        }
    }
    // The bar at the end opens no cell.
    if cells.len() > 1 && cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_row_with_bars_in_its_summary_is_read() {
        let row = Row::parse("| Decision | decisions/a.md | 2026-01-19T22:30:00Z | a | b \\| c |").unwrap();
        assert_eq!((row.file.as_str(), row.summary.as_str()), ("decisions/a.md", "a | b | c"));
        assert_eq!(Row::parse("| Category | File | Updated | Summary |"), None);
        assert_eq!(Row::parse("| Decision | decisions/a.md | 2026"), None);
        assert_eq!(Row::parse("no row"), None);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(summary in "[ -~é]{0,60}", file in "[a-z|\\\\/]{1,20}") {
            let row = Row::new(Category::Analysis, &file, "2026-01-19T22:30:00Z", &summary);
            prop_assert_eq!(Row::parse(&row.line()).unwrap(), row.clone());
            prop_assert_eq!(Row::parse_archived(&row.archived_line("x")).unwrap(), (row, "x".to_owned()));
        }
    }
}
