//! A Markdown file of ours as lines: found, replaced and added to without touching the others.

use crate::merge_mark::{is_mark, is_merge_mark};
use std::ops::Range;

/// The lines of a file, and how they end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Document {
    pub(super) lines: Vec<String>,
    crlf: bool,
    ends_with_newline: bool,
}

/// A table in a document: where its separator is, and every line after it that begins with a bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) separator: usize,
    pub(super) rows: Vec<usize>,
}

impl Document {
    pub(super) fn parse(text: &str) -> Self {
        let crlf = text.contains("\r\n");
        let ends_with_newline = text.ends_with('\n') || text.is_empty();
        let lines = text.lines().map(str::to_owned).collect();
        Self { lines, crlf, ends_with_newline }
    }

    pub(super) fn to_text(&self) -> String {
        let end = if self.crlf { "\r\n" } else { "\n" };
        let mut text = self.lines.join(end);
        if self.ends_with_newline && !self.lines.is_empty() {
            text.push_str(end);
        }
        text
    }

    pub(super) fn line(&self, at: usize) -> &str {
        self.lines.get(at).map_or("", String::as_str)
    }

    /// The lines before the first section.
    pub(super) fn head(&self) -> Range<usize> {
        0..self.lines.iter().position(|line| line.starts_with("## ")).unwrap_or(self.lines.len())
    }

    /// The lines of the section whose heading begins so, without the heading; the first one counts.
    pub(super) fn section(&self, heading: &str) -> Option<Range<usize>> {
        let start = self.lines.iter().position(|line| line.starts_with(heading))? + 1;
        let rest = self.lines.get(start..).unwrap_or_default();
        let length = rest.iter().position(|line| line.starts_with("## ")).unwrap_or(rest.len());
        Some(start..start + length)
    }

    /// The table in a section.
    pub(super) fn table(&self, heading: &str) -> Option<Table> {
        let section = self.section(heading)?;
        let lines = self.lines.get(section.clone())?;
        let separator = section.start + lines.iter().position(|line| is_separator(line))?;
        let rows =
            (separator + 1..section.end).filter(|at| self.line(*at).trim_start().starts_with('|')).collect();
        Some(Table { separator, rows })
    }

    pub(super) fn set(&mut self, at: usize, line: String) {
        if let Some(old) = self.lines.get_mut(at) {
            *old = line;
        }
    }

    pub(super) fn insert(&mut self, at: usize, line: String) {
        self.lines.insert(at.min(self.lines.len()), line);
    }

    pub(super) fn remove(&mut self, at: usize) {
        if at < self.lines.len() {
            self.lines.remove(at);
        }
    }
}

/// `|---|:--:|`: at least one cell, and nothing but dashes and colons in any.
fn is_separator(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('|')
        && line.contains('-')
        && line.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' '))
}

/// Whether a line is left from an unfinished merge; the middle one may be a heading's underline, too.
pub(super) fn is_conflict_marker(line: &str) -> bool {
    is_merge_mark(line) || is_mark(line, "=======")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_reads_back_as_it_was() {
        for text in ["", "a", "a\n", "a\r\nb\r\n", "\n\n", "## x\n|a|\n|-|\n|b|\n\nrest"] {
            assert_eq!(Document::parse(text).to_text(), text);
        }
    }

    #[test]
    fn tables_and_sections_are_found() {
        let document = Document::parse("# t\n## One\n| a |\n|---|\n| b |\nx\n| c |\n## Two\n");
        assert_eq!(document.table("## One"), Some(Table { separator: 3, rows: vec![4, 6] }));
        assert_eq!(document.table("## Two"), None);
        assert_eq!(document.section("## Two"), Some(8..8));
        assert!(
            is_conflict_marker("<<<<<<< HEAD")
                && is_conflict_marker("=======")
                && !is_conflict_marker("========")
        );
    }
}
