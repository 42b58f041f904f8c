//! A Markdown text as lines that keep every byte: where its headings are, which lines say nothing, and edits that
//! change the lines they are about and no other.

use std::ops::Range;

use crate::memory::code_fence::CodeFence;
use crate::merge_mark::{is_mark, is_merge_mark};

mod table;
#[cfg(test)]
mod tests;

pub use table::{Cell, Row, Table, escape_cell, plain};

/// A text and what its lines are.
#[derive(Debug, Clone)]
pub struct Outline<'t> {
    text: &'t str,
    /// The lines, in order; together they are the text.
    pub lines: Vec<Line<'t>>,
    /// The line, counted from 1, that opens a code block or a comment which nothing closes: whatever is put behind
    /// it is part of it.
    pub unclosed: Option<usize>,
}

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'t> {
    /// Where it begins in the text.
    pub start: usize,
    /// The line without its end.
    pub text: &'t str,
    /// Its end: `\n`, `\r\n`, or nothing at the end of the text.
    pub ending: &'t str,
    /// What it is.
    pub kind: LineKind<'t>,
}

/// What a line is, as far as sections go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind<'t> {
    /// `## Title`.
    Heading {
        /// The number of `#`.
        level: usize,
        /// What follows them.
        title: &'t str,
    },
    /// Of a code block: it looks like something and is not.
    Code,
    /// Of a comment: it is not meant to be read.
    Comment,
    /// `<<<<<<<` and its like, which a merge left.
    Conflict,
    /// Everything else.
    Text,
}

/// Why nothing may be put into a text: its own lines could not be told from what is put there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// What a merge left.
    #[error("line {line}: a merge was never finished")]
    Conflict {
        /// Counted from 1.
        line: usize,
    },
    /// A code block or a comment without an end.
    #[error("line {line}: a code block or comment is never closed")]
    Unclosed {
        /// Counted from 1.
        line: usize,
    },
}

/// A heading and what is below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'t> {
    /// The line of the heading.
    pub heading: usize,
    /// Its level.
    pub level: usize,
    /// Its title.
    pub title: &'t str,
    /// The lines below it, up to the next heading of its level or a higher one.
    pub body: Range<usize>,
}

impl<'t> Outline<'t> {
    /// Reads any text.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        let mut reader = Reader::default();
        let mut lines = Vec::new();
        let mut unclosed = None;
        let mut start = 0;
        for raw in text.split_inclusive('\n') {
            let without = raw.strip_suffix('\n').unwrap_or(raw);
            let content =
                if raw.ends_with('\n') { without.strip_suffix('\r').unwrap_or(without) } else { raw };
            let ending = raw.get(content.len()..).unwrap_or_default();
            let was_open = reader.is_open();
            lines.push(Line { start, text: content, ending, kind: reader.kind(content) });
            start += raw.len();
            if !was_open || !reader.is_open() {
                unclosed = reader.is_open().then_some(lines.len());
            }
        }
        Self { text, lines, unclosed }
    }

    /// Every heading with what is below it, in order.
    #[must_use]
    pub fn sections(&self) -> Vec<Section<'t>> {
        let mut sections: Vec<Section<'t>> = Vec::new();
        // The headings that are still open, outermost first.
        let mut open: Vec<usize> = Vec::new();
        for (index, line) in self.lines.iter().enumerate() {
            let LineKind::Heading { level, title } = line.kind else { continue };
            while let Some(section) = open.last().and_then(|last| sections.get_mut(*last)) {
                if section.level < level {
                    break;
                }
                section.body.end = index;
                open.pop();
            }
            open.push(sections.len());
            let body = index + 1..self.lines.len();
            sections.push(Section { heading: index, level, title, body });
        }
        sections
    }

    /// Why nothing may be put into this text, if so.
    #[must_use]
    pub fn obstacle(&self) -> Option<Obstacle> {
        match (self.first_conflict(), self.unclosed) {
            (Some(line), _) => Some(Obstacle::Conflict { line }),
            (None, Some(line)) => Some(Obstacle::Unclosed { line }),
            (None, None) => None,
        }
    }

    /// The first line that a merge left behind, counted from 1.
    #[must_use]
    pub fn first_conflict(&self) -> Option<usize> {
        self.lines.iter().position(|line| line.kind == LineKind::Conflict).map(|index| index + 1)
    }

    /// The line end that the text uses.
    #[must_use]
    pub fn ending(&self) -> &'static str {
        let crlf = self.lines.iter().filter(|line| line.ending == "\r\n").count();
        if crlf * 2 > self.lines.len() { "\r\n" } else { "\n" }
    }

    /// The text with lines after the one with this index; before all others without one. A text that does not end
    /// with a line end still does not.
    #[must_use]
    pub fn insert_after(&self, line: Option<usize>, new: &[String]) -> String {
        let ending = self.ending();
        let line = line.and_then(|index| self.lines.get(index));
        let at = line.map_or(0, |line| line.start + line.text.len() + line.ending.len());
        let (before, after) = self.text.split_at_checked(at).unwrap_or((self.text, ""));
        let block = new.join(ending);
        if line.is_some_and(|line| line.ending.is_empty()) {
            format!("{before}{ending}{block}{after}")
        } else {
            format!("{before}{block}{ending}{after}")
        }
    }

    /// The text with a range of its bytes replaced.
    #[must_use]
    pub fn replace(&self, range: Range<usize>, new: &str) -> String {
        let before = self.text.get(..range.start).unwrap_or_default();
        let after = self.text.get(range.end..).unwrap_or_default();
        format!("{before}{new}{after}")
    }

    /// The text without some of its lines.
    #[must_use]
    pub fn without(&self, removed: impl Fn(usize) -> bool) -> String {
        let kept = self.lines.iter().enumerate().filter(|(index, _)| !removed(*index));
        kept.flat_map(|(_, line)| [line.text, line.ending]).collect()
    }

    /// The last line of a range that is not blank.
    #[must_use]
    pub fn last_filled(&self, range: Range<usize>) -> Option<usize> {
        range.rev().find(|index| self.lines.get(*index).is_some_and(|line| !line.text.trim().is_empty()))
    }
}

/// What has been opened and not closed yet.
#[derive(Default)]
struct Reader {
    fence: CodeFence,
    in_comment: bool,
    in_conflict: bool,
}

impl Reader {
    fn is_open(&self) -> bool {
        self.fence.is_open() || self.in_comment
    }

    fn kind<'t>(&mut self, line: &'t str) -> LineKind<'t> {
        if self.is_conflict(line) {
            return LineKind::Conflict;
        }
        let bare = line.trim_start_matches('\u{FEFF}').trim_start();
        if self.in_comment {
            self.in_comment = !bare.contains("-->");
            return LineKind::Comment;
        }
        if self.fence.is_code(bare) {
            return LineKind::Code;
        }
        if let Some(comment) = bare.strip_prefix("<!--") {
            self.in_comment = !comment.contains("-->");
            return LineKind::Comment;
        }
        heading(bare).unwrap_or(LineKind::Text)
    }

    fn is_conflict(&mut self, line: &str) -> bool {
        if is_mark(line, "<<<<<<<") {
            self.in_conflict = true;
        }
        if is_mark(line, ">>>>>>>") {
            self.in_conflict = false;
        }
        is_merge_mark(line) || (self.in_conflict && line == "=======")
    }
}

fn heading(line: &str) -> Option<LineKind<'_>> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let rest = line.get(level..).filter(|_| (1..=6).contains(&level))?;
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let title = rest.trim();
    let closed = title.trim_end_matches('#');
    let title = if closed.is_empty() || closed.ends_with(' ') { closed.trim_end() } else { title };
    Some(LineKind::Heading { level, title })
}
