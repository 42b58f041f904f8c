//! The lines of a frontmatter, told apart.

use std::ops::Range;

use super::{METADATA, flow};
use crate::memory::problem::Problem;

/// What YAML calls white space inside a line.
pub(super) const BLANKS: [char; 2] = [' ', '\t'];

/// One field, by where it is in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    /// Its name, without quotes.
    pub key: String,
    /// All its lines, their ends included; in a flow mapping, just its own characters.
    pub lines: Range<usize>,
    /// Its value without white space around it and, on one line, without a comment behind it.
    pub value: Range<usize>,
    /// Where the text behind the colon begins.
    pub behind_colon: usize,
    /// What shape the value has.
    pub shape: Shape,
    /// The fields of `metadata`.
    pub children: Vec<Field>,
}

/// How a value is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// On the line of its key, or nowhere.
    OneLine,
    /// On further lines too.
    ManyLines,
    /// Inside a `{…}`.
    InFlow,
}

/// Tells the fields of a range apart. Every line belongs to at most one of them.
pub(super) fn parse(text: &str, range: Range<usize>, problems: &mut Vec<Problem>) -> Vec<Field> {
    let mut fields = lines_to_fields(text, range, 2, problems);
    for field in &mut fields {
        if field.key == METADATA {
            field.children = children(text, field, problems);
        }
    }
    fields
}

fn children(text: &str, field: &Field, problems: &mut Vec<Problem>) -> Vec<Field> {
    let inline = text.get(field.value.clone()).unwrap_or_default();
    if inline.starts_with('{') {
        return flow::fields(text, field.value.clone());
    }
    let first_line_end = text
        .get(field.behind_colon..field.lines.end)
        .and_then(|rest| rest.find('\n'))
        .map_or(field.lines.end, |end| field.behind_colon + end + 1);
    let same_line = text.get(field.behind_colon..first_line_end).unwrap_or_default().trim();
    if !same_line.is_empty() && !same_line.starts_with('#') {
        return Vec::new();
    }
    let line = text.get(..first_line_end).unwrap_or_default().split('\n').count();
    lines_to_fields(text, first_line_end..field.lines.end, line, problems)
}

fn lines_to_fields(
    text: &str,
    range: Range<usize>,
    first_line: usize,
    problems: &mut Vec<Problem>,
) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    let mut open = false;
    let mut base = None;
    let mut offset = range.start;
    for (number, line) in text.get(range).unwrap_or_default().split_inclusive('\n').enumerate() {
        let start = offset;
        offset += line.len();
        let content = line.trim_end_matches(['\n', '\r', ' ', '\t']);
        let trimmed = content.trim_start_matches(BLANKS);
        let indent = content.len() - trimmed.len();
        if trimmed.is_empty() {
            continue;
        }
        let deeper = base.is_some_and(|base| indent > base);
        let item = (trimmed == "-" || trimmed.starts_with("- ")) && base == Some(indent);
        if open && (deeper || item) {
            if let Some(field) = fields.last_mut() {
                field.lines.end = offset;
                field.value.end = start + content.len();
                field.shape = Shape::ManyLines;
            }
            continue;
        }
        if trimmed.starts_with('#') {
            continue;
        }
        match field_at(text, start + indent..start + content.len()) {
            Some(mut field) => {
                base.get_or_insert(indent);
                field.lines = start..offset;
                fields.push(field);
                open = true;
            }
            None => {
                problems.push(Problem::BrokenLine { line: first_line + number });
                open = false;
            }
        }
    }
    fields
}

/// A `key: value` that fills the range.
pub(super) fn field_at(text: &str, range: Range<usize>) -> Option<Field> {
    let line = text.get(range.clone())?;
    let (key, colon) = key_at(line)?;
    let behind = line.get(colon + 1..)?;
    let blank = behind.len() - behind.trim_start_matches(BLANKS).len();
    let length = one_line_value(behind.trim_matches(BLANKS));
    let value_start = range.start + colon + 1 + if length == 0 { 0 } else { blank };
    Some(Field {
        key,
        lines: range.clone(),
        value: value_start..value_start + length,
        behind_colon: range.start + colon + 1,
        shape: Shape::OneLine,
        children: Vec::new(),
    })
}

/// The name before the colon, and where the colon is.
fn key_at(line: &str) -> Option<(String, usize)> {
    let quote = line.chars().next().filter(|first| matches!(first, '"' | '\''));
    if let Some(quote) = quote {
        let end = line.get(1..)?.find(quote)? + 1;
        let behind = line.get(end + 1..)?;
        let colon = end
            + 1
            + behind.find(':').filter(|colon| {
                behind.get(..*colon).is_some_and(|gap| gap.trim_matches(BLANKS).is_empty())
            })?;
        return Some((line.get(1..end)?.to_owned(), colon));
    }
    if line.starts_with(['-', '?', '[', '{', ']', '}', ',', '&', '*', '!', '|', '>', '%', '@', '`']) {
        return None;
    }
    let colon = line.match_indices(':').map(|(at, _)| at).find(|at| {
        line.get(at + 1..).is_some_and(|behind| behind.is_empty() || behind.starts_with([' ', '\t']))
    })?;
    let key = line.get(..colon)?.trim_matches(BLANKS);
    (!key.is_empty()).then(|| (key.to_owned(), colon))
}

/// How much of a trimmed one-line value is the value and not a comment behind it.
fn one_line_value(value: &str) -> usize {
    let from = match value.chars().next() {
        None | Some('#') => return 0,
        Some(quote @ ('"' | '\'')) => match closing_quote(value, quote) {
            Some(end) => end + 1,
            None => return value.len(),
        },
        Some('[' | '{') => value.rfind([']', '}']).map_or(0, |end| end + 1),
        Some(_) => 0,
    };
    let behind = value.get(from..).unwrap_or_default();
    let comment = [" #", "\t#"].iter().filter_map(|mark| behind.find(mark)).min();
    match comment {
        Some(at) => value.get(..from + at).map_or(value.len(), |kept| kept.trim_end_matches(BLANKS).len()),
        None => value.len(),
    }
}

/// Where the quote that closes the first one is.
pub(super) fn closing_quote(value: &str, quote: char) -> Option<usize> {
    let mut characters = value.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if quote == '"' && character == '\\' {
            characters.next();
        } else if character == quote {
            if quote == '\'' && characters.next_if(|(_, next)| *next == '\'').is_some() {
                continue;
            }
            return Some(at);
        }
    }
    None
}
