//! MEMORY.md as an index: one line for each memory, and whatever else its user wrote between them.
//!
//! Lines are kept verbatim; only those that were asked for change. Two forms are read, `- [T](f.md) — hook` and
//! `- [f](f.md): hook`, and the first one is written.

mod edit;
mod examine;
mod line;
mod merge;
mod overflow;

#[cfg(test)]
mod tests;

pub(super) use edit::stem;
pub use edit::{add_line, add_lines, remove_lines, rename_lines, update_line};
pub use examine::{IndexReport, LineNote, examine};
pub(super) use line::with_hook;
pub use line::{IndexEntry, MAX_LINE_UNITS, format_line, parse_line};
pub use merge::{Conflict, Merged, merge};
pub(crate) use overflow::OVERFLOW_HEADING;
pub use overflow::{Balanced, OVERFLOW, all_out, balance};

use super::code_fence::CodeFence;
use super::entrypoint::without_frontmatter;

/// The text of an index, line by line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index<'t> {
    /// Every line in order.
    pub lines: Vec<IndexLine<'t>>,
}

/// One line of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexLine<'t> {
    /// The line as it is, its end included.
    pub raw: &'t str,
    /// What it points to, if it is an entry.
    pub entry: Option<IndexEntry>,
}

impl<'t> Index<'t> {
    /// Reads an index. What is in frontmatter, code or a block comment is not an entry.
    #[must_use]
    pub fn parse(text: &'t str) -> Self {
        let mut state = Outside::default();
        let body = text.len() - without_frontmatter(text).len();
        let mut offset = 0;
        let lines = text.split_inclusive('\n').map(|raw| {
            offset += raw.len();
            let counts = offset > body && state.is_prose(raw);
            IndexLine { raw, entry: if counts { parse_line(raw) } else { None } }
        });
        Self { lines: lines.collect() }
    }

    /// The entries with their line numbers, counted from 1.
    pub fn entries(&self) -> impl Iterator<Item = (usize, &IndexEntry)> {
        self.lines.iter().enumerate().filter_map(|(at, line)| Some((at + 1, line.entry.as_ref()?)))
    }
}

/// Which lines are neither code nor comment.
#[derive(Default)]
struct Outside {
    fence: CodeFence,
    in_comment: bool,
}

impl Outside {
    fn is_prose(&mut self, line: &str) -> bool {
        let trimmed = line.trim();
        if self.in_comment {
            self.in_comment = !trimmed.contains("-->");
            return false;
        }
        if self.fence.is_code(trimmed) {
            return false;
        }
        self.in_comment = trimmed.starts_with("<!--") && !trimmed.contains("-->");
        !trimmed.starts_with("<!--")
    }
}
