//! Reading a value where one begins, in whatever way it is marked off.

use std::ops::Range;

/// A value is not read further than this.
const LONGEST: usize = 512;

/// A value as it is in the text.
#[derive(Clone)]
pub(super) struct ValueText<'text> {
    pub(super) text: &'text str,
    pub(super) range: Range<usize>,
    /// Whether quotes mark it off.
    pub(super) quoted: bool,
    /// Where the text goes on behind the closing quote.
    pub(super) end_with_quote: usize,
}

/// The quotes that open a value, each with the one that closes it.
const QUOTES: &[(&str, &str)] = &[
    ("\\\"", "\\\""),
    ("\\'", "\\'"),
    ("\"\"\"", "\"\"\""),
    ("```", "```"),
    ("``", "``"),
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("“", "”"),
    ("”", "”"),
    ("‘", "’"),
    ("„", "“"),
    ("«", "»"),
    ("‹", "›"),
    ("「", "」"),
    ("『", "』"),
    ("《", "》"),
    ("〈", "〉"),
    ("【", "】"),
    ("＂", "＂"),
    ("＇", "＇"),
    ("&quot;", "&quot;"),
    ("%22", "%22"),
    ("<code>", "</code>"),
    ("<kbd>", "</kbd>"),
];

/// Reads the value that begins at a position; in a URL's query it ends before `&`.
pub(super) fn read(text: &str, at: usize, in_query: bool) -> Option<ValueText<'_>> {
    let at = skip_literal_prefix(text, at);
    let rest = text.get(at..)?;
    let mut limit = rest.len().min(LONGEST);
    while !rest.is_char_boundary(limit) {
        limit -= 1;
    }
    let window = rest.get(..limit)?;
    for (open, close) in QUOTES {
        if let Some(inside) = window.strip_prefix(open) {
            let line = inside.split('\n').next().unwrap_or_default();
            let Some(length) = find_close(line, close) else { break };
            // A quoted text inside quotes of another kind: `"'x'"`.
            let inner = line.get(..length)?;
            let trimmed = inner.trim();
            let start = at + open.len() + (inner.len() - inner.trim_start().len());
            return value(text, start..start + trimmed.len(), true, at + open.len() + length + close.len());
        }
    }
    let length = bare_length(window, in_query);
    value(text, at..at + length, false, at + length)
}

fn value(text: &str, range: Range<usize>, quoted: bool, end_with_quote: usize) -> Option<ValueText<'_>> {
    let value = text.get(range.clone())?;
    (!value.is_empty()).then_some(ValueText { text: value, range, quoted, end_with_quote })
}

/// Prefixes of string literals: Python's `b`, `r`, `f`, C#'s `@`, Rust's `r#`.
fn skip_literal_prefix(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    for length in 1..=2 {
        let prefix = bytes.get(at..at + length).unwrap_or_default();
        let is_prefix = prefix.len() == length && prefix.iter().all(|byte| b"bBrRuUfF@L#".contains(byte));
        if is_prefix && matches!(bytes.get(at + length), Some(b'"' | b'\'')) {
            return at + length;
        }
    }
    at
}

fn find_close(line: &str, close: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let found = from + line.get(from..)?.find(close)?;
        let backslashes =
            line.as_bytes().get(..found)?.iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 0 || close.starts_with('\\') || close == "`" {
            return Some(found);
        }
        from = found + close.len();
    }
}

fn bare_length(window: &str, in_query: bool) -> usize {
    let mut length = 0;
    let mut previous = ' ';
    for (index, character) in window.char_indices() {
        let ends = character.is_whitespace()
            || matches!(character, '"' | '`' | '<' | '>' | ';' | '|' | ',')
            || character == '\'' && !previous.is_ascii_alphanumeric()
            || !character.is_ascii() && !('\u{c0}'..='\u{24f}').contains(&character)
            || in_query && matches!(character, '&' | '#' | '\'' | ')')
            || previous == '\\' && matches!(character, 'n' | 'r' | 't' | '\\');
        if ends && !(character == '<' && index == 0) {
            if previous == '\\' {
                length -= 1;
            }
            break;
        }
        length = index + character.len_utf8();
        previous = character;
    }
    let value = window.get(..length).unwrap_or_default();
    let mut value = value.trim_end_matches(['.', ',', ':', '\'', '\\']);
    for (open, close) in [('(', ')'), ('[', ']'), ('{', '}')] {
        while value.ends_with(close) && value.matches(close).count() > value.matches(open).count() {
            value = value.strip_suffix(close).unwrap_or(value).trim_end_matches(['.', ',', ':', '\'']);
        }
    }
    // Emphasis around the value.
    value.trim_end_matches("**").len()
}
