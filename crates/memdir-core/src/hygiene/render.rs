//! Quotes a memory for a model: bounded, clean, inert, attributed.

use std::fmt::Write;

use jiff::Timestamp;

use super::{Reason, clean, escape, flag, unescape};
use crate::content_hash::ContentHash;
use crate::operation::{Author, AuthorKind};

const TAG: &str = "memory-quote";
/// Every quoted line begins with this, so that none of them begins a line of its own.
const LINE_PREFIX: &str = "| ";
const CUT_NOTE: &str = "[cut: ";
/// Letters of a file's or person's name that are shown.
const LONGEST_ATTRIBUTE: usize = 120;

/// Where a memory comes from.
#[derive(Debug, Clone)]
pub struct Provenance<'a> {
    /// The file, as a reader would name it.
    pub file: &'a str,
    /// Whose memory it is.
    pub owner: Owner<'a>,
    /// When the file last changed.
    pub modified: Option<Timestamp>,
    /// Who changed it last; `None` if the author is not known.
    pub changed_by: Option<&'a Author>,
    /// The time of rendering.
    pub now: Timestamp,
}

/// Whose memory it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner<'a> {
    /// The user's own memory of this project.
    User,
    /// The named agent's memory.
    Agent(&'a str),
    /// The team's, from the named author.
    Team(&'a str),
}

/// A memory as the model should see it: quoted, attributed data of at most `most_units` UTF-16 units.
///
/// Nothing in the text or in the provenance can end the quotation, forge another or speak outside it: every line
/// carries a prefix, markup is inert, and the closing tag repeats a digest of the content, which no content can hold.
/// The digest makes equal memories render equally, so a prompt stays cacheable where a random boundary would not.
#[must_use]
pub fn render(text: &str, provenance: &Provenance<'_>, most_units: usize) -> String {
    let cleaned = clean(text);
    let shown = first_units(&cleaned, most_units);
    let body = escape(shown);
    let id: String = ContentHash::of(body.as_bytes()).to_string().chars().take(12).collect();
    let mut output = String::with_capacity(body.len() + body.len() / 16 + 256);
    output.push('<');
    output.push_str(TAG);
    push_attribute(&mut output, "id", &id);
    push_attribute(&mut output, "file", provenance.file);
    push_attribute(&mut output, "of", &owner_text(provenance.owner));
    push_attribute(&mut output, "age", &age_text(provenance.modified, provenance.now));
    push_attribute(&mut output, "changed-by", &author_text(provenance.changed_by));
    let reasons = flag(raw_start(text, most_units));
    if !reasons.is_empty() {
        let caution: Vec<&str> = reasons.iter().copied().map(Reason::describe).collect();
        push_attribute(&mut output, "caution", &caution.join("; "));
    }
    output.push_str(">\n");
    for line in body.split('\n') {
        output.push_str(LINE_PREFIX);
        output.push_str(line);
        output.push('\n');
    }
    if shown.len() < cleaned.len() {
        let lines = shown.lines().count();
        let all = cleaned.lines().count();
        let _ =
            writeln!(output, "{CUT_NOTE}{lines} of {all} lines, {} of {} bytes]", shown.len(), cleaned.len());
    }
    let _ = write!(output, "</{TAG} id=\"{id}\">");
    output
}

/// One frame around several pieces that went through [`quote_line`] and [`quote_lines`]: none of them can end it,
/// because the closing tag repeats a digest of them all.
#[must_use]
pub fn wrap(pieces: &str) -> String {
    let id: String = ContentHash::of(pieces.as_bytes()).to_string().chars().take(12).collect();
    format!("<{TAG} id=\"{id}\">\n{pieces}</{TAG} id=\"{id}\">\n")
}

/// Text as one line inside a frame: white space folded, clean, inert.
#[must_use]
pub fn quote_line(text: &str) -> String {
    let cleaned = clean(text);
    let folded: Vec<&str> = cleaned.split_whitespace().collect();
    escape(&folded.join(" ")).into_owned()
}

/// A text inside a frame, at most `most_units` of it: every line with a mark in front, clean, inert. Lines that begin
/// with one of `labels` keep that: the caller wrote it. Says with the text whether it was cut.
#[must_use]
pub fn quote_lines(text: &str, labels: &[&str], most_units: usize) -> (String, bool) {
    let cleaned = clean(text);
    let shown = first_units(&cleaned, most_units);
    let mut output = String::with_capacity(shown.len() + shown.len() / 16);
    let mut push = |label: &str, block: &str| {
        for line in escape(block).split('\n') {
            output.push_str(LINE_PREFIX);
            output.push_str(label);
            output.push_str(line);
            output.push('\n');
        }
    };
    // The text between two labels is judged as a whole, because a line's meaning depends on the one above it.
    let mut block = String::new();
    for line in shown.split('\n') {
        match labels.iter().find(|label| line.starts_with(**label)) {
            Some(label) => {
                if !block.is_empty() {
                    push("", block.trim_end_matches('\n'));
                    block.clear();
                }
                push(label, line.get(label.len()..).unwrap_or_default());
            }
            None => {
                block.push_str(line);
                block.push('\n');
            }
        }
    }
    if !block.is_empty() {
        push("", block.trim_end_matches('\n'));
    }
    (output, shown.len() < cleaned.len())
}

/// What in a text looks like an attack, in a few words; `None` if nothing does.
#[must_use]
pub fn caution(text: &str) -> Option<String> {
    let reasons: Vec<&str> = flag(text).into_iter().map(Reason::describe).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// Where a rendering of a text ends before the text does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// How many lines are shown, a broken one counted.
    pub lines: usize,
    /// Whether the last of them is shown in part.
    pub is_within_line: bool,
}

/// What [`render`] shows of a text that is longer than the limit; `None` if it shows all.
#[must_use]
pub fn cut(text: &str, most_units: usize) -> Option<Cut> {
    let cleaned = clean(text);
    let shown = first_units(&cleaned, most_units);
    let rest = cleaned.get(shown.len()..).filter(|rest| !rest.is_empty())?;
    Some(Cut { lines: shown.split('\n').count(), is_within_line: !rest.starts_with('\n') })
}

/// What one rendering quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted {
    /// The text as it was shown, before it was made inert.
    pub text: String,
    /// Whether there was more.
    pub is_cut: bool,
}

/// Reads a rendering back, the way a strict reader would; `None` unless it is exactly one whole quotation.
#[must_use]
pub fn read_back(rendered: &str) -> Option<Quoted> {
    let (head, rest) = rendered.split_once('\n')?;
    let attributes = head.strip_prefix('<')?.strip_prefix(TAG)?.strip_suffix('>')?;
    let id = attributes.strip_prefix(" id=\"")?.split('"').next()?;
    let (body, closing) = rest.rsplit_once('\n')?;
    if closing != format!("</{TAG} id=\"{id}\">") || attributes.contains(['<', '>']) {
        return None;
    }
    let (body, is_cut) = match body.rsplit_once('\n') {
        Some((lines, note)) if note.starts_with(CUT_NOTE) => (lines, true),
        _ => (body, false),
    };
    if body.contains(&format!("<{TAG}")) || body.contains(&format!("</{TAG}")) {
        return None;
    }
    let lines: Option<Vec<&str>> = body.split('\n').map(|line| line.strip_prefix(LINE_PREFIX)).collect();
    Some(Quoted { text: unescape(&lines?.join("\n")).into_owned(), is_cut })
}

/// A passage that was copied with the marks before its lines, without them; `None` unless every line has one.
pub(super) fn without_line_prefixes(text: &str) -> Option<String> {
    let bare = |line: &str| match line {
        "|" => Some(String::new()),
        line => line.strip_prefix(LINE_PREFIX).map(str::to_owned),
    };
    let (lines, end) = match text.strip_suffix('\n') {
        Some(lines) => (lines, "\n"),
        None => (text, ""),
    };
    let bare: Option<Vec<String>> = lines.split('\n').map(bare).collect();
    Some(bare?.join("\n") + end)
}

/// A start of `text` that holds all of what is shown of it: the rest need not be looked at closely.
pub(super) fn raw_start(text: &str, most_units: usize) -> &str {
    let mut window = most_units.saturating_add(1);
    while window < text.len() {
        let start = text.get(..text.floor_char_boundary(window)).unwrap_or_default();
        let cleaned = clean(start);
        if first_units(&cleaned, most_units).len() < cleaned.len() {
            return start;
        }
        window = window.saturating_mul(2);
    }
    text
}

/// The longest start of `text` within the limit: whole lines, or part of the first line if that alone is longer.
pub(super) fn first_units(text: &str, most_units: usize) -> &str {
    // A byte never holds more than one unit, so short texts need no counting.
    if text.len() <= most_units {
        return text;
    }
    let mut units = 0;
    let mut last_line = 0;
    for (position, character) in text.char_indices() {
        units += character.len_utf16();
        if units > most_units {
            let end = match (character, last_line) {
                ('\n', _) | (_, 0) => position,
                (_, line) => line,
            };
            return text.get(..end).unwrap_or_default();
        }
        if character == '\n' {
            last_line = position;
        }
    }
    text
}

fn push_attribute(output: &mut String, name: &str, value: &str) {
    let _ = write!(output, " {name}=\"");
    let most = if name == "caution" { usize::MAX } else { LONGEST_ATTRIBUTE };
    let plain: String = clean(value)
        .chars()
        .take(most)
        .map(|character| match character {
            '"' | '<' | '>' | '&' | '＜' | '﹤' => '_',
            '\n' | '\t' => ' ',
            character => character,
        })
        .collect();
    output.push_str(&escape(&plain));
    output.push('"');
}

fn owner_text(owner: Owner<'_>) -> String {
    match owner {
        Owner::User => "the user".to_owned(),
        Owner::Agent(name) => format!("agent {name}"),
        Owner::Team(author) => format!("team, from {author}"),
    }
}

fn author_text(author: Option<&Author>) -> String {
    let Some(author) = author else { return "unknown".to_owned() };
    let kind = match author.kind {
        AuthorKind::Person => "the user",
        AuthorKind::Agent => "agent",
        AuthorKind::Extract => "extraction",
        AuthorKind::Dream => "consolidation",
        AuthorKind::Team => "team mate",
        AuthorKind::Foreign => "another program",
    };
    match &author.id {
        Some(id) => format!("{kind} {id}"),
        None => kind.to_owned(),
    }
}

fn age_text(modified: Option<Timestamp>, now: Timestamp) -> String {
    let Some(modified) = modified else { return "unknown".to_owned() };
    match now.as_second().saturating_sub(modified.as_second()) {
        ..0 => "dated in the future".to_owned(),
        seconds @ 0..3_600 => plural(seconds / 60, "minute"),
        seconds @ 3_600..86_400 => plural(seconds / 3_600, "hour"),
        seconds => plural(seconds / 86_400, "day"),
    }
}

fn plural(count: i64, unit: &str) -> String {
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

#[cfg(test)]
mod tests;
