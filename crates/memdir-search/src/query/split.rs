//! The parts of a question, by its punctuation.

/// A part of what was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Text(&'a str),
    /// `"exactly this"`
    Phrase(&'a str),
    /// `-not`
    Excluded(&'a str),
    /// `type:feedback`
    Filter {
        key: &'a str,
        value: &'a str,
    },
}

/// Splits a question. A quotation mark without a partner is text like any other.
pub(super) fn split(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (part, after) = next(rest);
        parts.push(part);
        rest = after.trim_start();
    }
    parts
}

fn next(text: &str) -> (Part<'_>, &str) {
    if let Some((phrase, after)) = quoted(text) {
        return (Part::Phrase(phrase), after);
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    if let Some(excluded) = word.strip_prefix('-')
        && excluded.starts_with(char::is_alphanumeric)
        && excluded.chars().count() > 1
    {
        return (Part::Excluded(excluded), after);
    }
    if let Some((key, value)) = word.split_once(':')
        && KEYS.contains(&key)
        && !value.is_empty()
        && !value.starts_with(':')
    {
        let start = key.len() + 1;
        if let Some((value, after)) = text.get(start..).and_then(quoted) {
            return (Part::Filter { key, value }, after);
        }
        return (Part::Filter { key, value }, after);
    }
    (Part::Text(word), after)
}

/// What filters are called.
pub(super) const KEYS: &[&str] =
    &["type", "project", "since", "after", "until", "before", "on", "in", "role", "branch", "path", "file"];

/// A text between quotation marks, at the start.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let (open, close) =
        [('"', '"'), ('\u{201c}', '\u{201d}')].into_iter().find(|(open, _)| text.starts_with(*open))?;
    let rest = text.strip_prefix(open)?;
    let (phrase, after) = rest.split_once(close)?;
    (!phrase.trim().is_empty()).then_some((phrase.trim(), after))
}
