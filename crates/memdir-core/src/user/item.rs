use std::ops::Range;

use jiff::civil::Date;
use serde::Serialize;

use super::Category;
use super::problem::ProfileProblem;
use crate::outline::{LineKind, Outline};

/// What one file of the profile says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileFile {
    /// Which file.
    pub category: Category,
    /// Its list items, in order.
    pub items: Vec<Item>,
    /// What was not understood.
    pub problems: Vec<ProfileProblem>,
}

/// One thing that is known about the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// The file that it is in.
    pub category: Category,
    /// The heading above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// The day on which it was written down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<Date>,
    /// What it says, without date and marks, on one line.
    pub text: String,
    /// `Confirmed: yes|no`, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<bool>,
    /// `Worked: yes|no`, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worked: Option<bool>,
    /// Its lines in the file, counted from 0.
    #[serde(skip)]
    pub lines: Range<usize>,
}

impl Item {
    /// Whether agents may be told: an observation only after the user's yes.
    #[must_use]
    pub fn may_be_used(&self) -> bool {
        match self.confirmed {
            Some(confirmed) => confirmed,
            None => self.category != Category::Observations,
        }
    }

    /// Whether it says the same as another text, blanks, letter case and the final point aside.
    #[must_use]
    pub fn says(&self, text: &str) -> bool {
        folded(&self.text) == folded(text)
    }
}

pub(super) fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_end_matches('.').to_lowercase()
}

impl ProfileFile {
    /// Reads a file. Whatever it holds, this returns what it understood.
    #[must_use]
    pub fn parse(category: Category, text: &str) -> Self {
        let outline = Outline::of(text);
        let mut file = Self { category, items: Vec::new(), problems: Vec::new() };
        file.problems.extend(outline.obstacle().map(ProfileProblem::Obstacle));
        let mut heading = None;
        let mut index = 0;
        while let Some(line) = outline.lines.get(index) {
            match line.kind {
                // The title of the file is not a heading of its items.
                LineKind::Heading { level, title } => {
                    heading = (level > 1 && !title.is_empty()).then(|| title.to_owned());
                }
                LineKind::Text if marker(line.text).is_some() => {
                    let end = end_of_item(&outline, index);
                    let item = file.read_item(&outline, index..end, heading.clone());
                    file.items.push(item);
                    index = end;
                    continue;
                }
                _ => {}
            }
            index += 1;
        }
        file
    }

    /// Reads bytes, also those that are not UTF-8.
    #[must_use]
    pub fn from_bytes(category: Category, bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::parse(category, text),
            Err(_) => {
                let mut file = Self::parse(category, &String::from_utf8_lossy(bytes));
                file.problems.insert(0, ProfileProblem::NotUtf8);
                file
            }
        }
    }

    fn read_item(&mut self, outline: &Outline<'_>, lines: Range<usize>, heading: Option<String>) -> Item {
        let mut item = Item {
            category: self.category,
            heading,
            date: None,
            text: String::new(),
            confirmed: None,
            worked: None,
            lines: lines.clone(),
        };
        let mut words: Vec<&str> = Vec::new();
        for index in lines.clone() {
            let Some(line) = outline.lines.get(index) else { continue };
            let mut rest = line.text.trim();
            if index == lines.start {
                rest = marker(line.text).and_then(|mark| line.text.get(mark.end..)).unwrap_or(rest).trim();
                (item.date, rest) = date(rest);
            }
            for (name, value) in [("confirmed", &mut item.confirmed), ("worked", &mut item.worked)] {
                let Some(mark) = find_mark(rest, name) else { continue };
                *value = Some(mark.yes == Some(true));
                if mark.yes.is_none() {
                    let found = mark.value.to_owned();
                    self.problems.push(ProfileProblem::NeitherYesNorNo { line: index + 1, found });
                }
                rest = rest.get(..mark.start).unwrap_or_default().trim_end();
                rest = rest.trim_end_matches(['(', '-', '—', '*']).trim_end();
            }
            words.extend(rest.split_whitespace());
        }
        item.text = words.join(" ");
        item
    }
}

/// The range of a list mark, with the blanks around it.
pub(super) fn marker(line: &str) -> Option<Range<usize>> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = line.get(indent..)?;
    let is_mark = indent < 2 && ["- ", "* ", "+ "].iter().any(|mark| rest.starts_with(mark));
    is_mark.then_some(0..indent + 2)
}

/// An item goes on while lines are indented, also across a blank one.
fn end_of_item(outline: &Outline<'_>, start: usize) -> usize {
    let mut end = start + 1;
    let mut index = end;
    while let Some(line) = outline.lines.get(index) {
        let is_blank = line.text.trim().is_empty();
        let is_indented = line.text.starts_with("  ") || line.text.starts_with('\t');
        if line.kind == LineKind::Conflict || !(is_blank || is_indented) || line_is_heading(line.kind) {
            break;
        }
        index += 1;
        if !is_blank {
            end = index;
        }
    }
    end
}

fn line_is_heading(kind: LineKind<'_>) -> bool {
    matches!(kind, LineKind::Heading { .. })
}

/// The date at the beginning of an item, in any of the ways in which people write one there.
fn date(text: &str) -> (Option<Date>, &str) {
    let bare = text.trim_start_matches(['[', '(', '*', '`']);
    let Some((day, rest)) = bare.split_at_checked(10) else { return (None, text) };
    let is_day = day.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    match day.parse::<Date>().ok().filter(|_| is_day) {
        Some(date) => (Some(date), rest.trim_start_matches([']', ')', '*', '`', ':', '—', '–', '-', ' '])),
        None => (None, text),
    }
}

/// `Name: value` at the end of a line.
pub(super) struct Mark<'t> {
    pub(super) start: usize,
    pub(super) value: &'t str,
    /// Where the value is in the line.
    pub(super) value_range: Range<usize>,
    pub(super) yes: Option<bool>,
}

/// Finds a mark at the end of a line, in any letter case, with or without `**` around its name.
pub(super) fn find_mark<'t>(line: &'t str, name: &str) -> Option<Mark<'t>> {
    // Only the end of the line can hold one, and its value is one word.
    let trimmed = line.trim_end();
    let bare = trimmed.trim_end_matches([')', '.', '*']);
    let value_start = bare.rfind(|c: char| c.is_whitespace() || c == ':' || c == '*').map_or(0, |at| at + 1);
    let value = bare.get(value_start..)?;
    let before = bare.get(..value_start)?.trim_end().trim_end_matches('*').trim_end();
    let before = before.strip_suffix(':')?.trim_end_matches('*').trim_end();
    let start = before.len().checked_sub(name.len())?;
    let found = before.get(start..)?;
    let is_word = before.get(..start)?.chars().next_back().is_none_or(|c| !c.is_alphanumeric());
    if !found.eq_ignore_ascii_case(name) || !is_word || value.is_empty() {
        return None;
    }
    let yes = match value.to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    };
    Some(Mark { start, value, value_range: value_start..value_start + value.len(), yes })
}
