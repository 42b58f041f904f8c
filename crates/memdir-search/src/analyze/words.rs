//! Where a word starts and ends.

use super::MAX_RUN;
use super::fold::is_apostrophe;

/// A stretch of text that belongs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word<'a> {
    /// A word, a number, an identifier, or names joined by `.`, `-` or `_`.
    Plain(&'a str),
    /// Characters of a script that is written without spaces.
    Ideographs(&'a str),
}

impl<'a> Word<'a> {
    /// The text of it.
    #[must_use]
    pub fn text(self) -> &'a str {
        match self {
            Self::Plain(text) | Self::Ideographs(text) => text,
        }
    }
}

/// The words of a text, in order.
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(is_letter)?;
        rest = rest.get(start..).unwrap_or_default();
        let ideographs = rest.chars().next().is_some_and(is_ideograph);
        let end = if ideographs { run_end(rest) } else { plain_end(rest) };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(if ideographs { Word::Ideographs(word) } else { Word::Plain(word) })
    })
}

/// Where a run of ideographs ends. A very long one is cut, so that it costs no more than its length.
fn run_end(text: &str) -> usize {
    let mut characters = text.char_indices().enumerate();
    let beyond = characters.find(|(count, (_, c))| *count == MAX_RUN || !is_ideograph(*c));
    beyond.map_or(text.len(), |(_, (at, _))| at)
}

/// Where a plain word ends: a joiner belongs to it only between two letters.
fn plain_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii_alphanumeric() {
            at += 1;
        } else if byte.is_ascii() {
            let next = text.get(at + 1..).and_then(|rest| rest.chars().next());
            let joins = matches!(byte, b'_' | b'.' | b'-' | b'\'');
            let goes_on = next.is_some_and(|c| is_letter(c) && !is_ideograph(c));
            if !(joins && goes_on || byte == b'_' && next == Some('_')) {
                return at;
            }
            at += 1;
        } else {
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { return at };
            let next = text.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
            let belongs = (is_letter(c) && !is_ideograph(c))
                || is_mark(c)
                || (is_apostrophe(c) && next.is_some_and(char::is_alphanumeric));
            if !belongs {
                return at;
            }
            at += c.len_utf8();
        }
    }
    at
}

/// The parts of a word: `parse_http2Header` is `parse`, `http2`, `Header`.
pub(super) fn pieces(word: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for part in word.split(['_', '.', '-']).filter(|part| !part.is_empty()) {
        let mut start = 0;
        let mut previous: Option<char> = None;
        let mut characters = part.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            let next_is_lower = characters.peek().is_some_and(|(_, next)| next.is_lowercase());
            let begins = c.is_uppercase()
                && previous.is_some_and(|previous| {
                    previous.is_lowercase() || (next_is_lower && !previous.is_lowercase())
                });
            if begins && at > start {
                pieces.extend(part.get(start..at));
                start = at;
            }
            previous = Some(c);
        }
        pieces.extend(part.get(start..));
    }
    pieces
}

fn is_letter(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() } else { c.is_alphanumeric() }
}

/// Marks that are inside a word and belong to the letter before them.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

/// Characters of scripts without spaces between words: Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x1100..=0x11ff | 0x3005..=0x3007
        | 0x3031..=0x3035 | 0x3041..=0x30ff | 0x3105..=0x318e | 0x31a0..=0x31bf | 0x31f0..=0x31ff
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xa960..=0xa97f | 0xac00..=0xd7ff | 0xf900..=0xfaff
        | 0xff66..=0xff9f | 0x20000..=0x3ffff)
}
