//! What kind of text it is, seen from its surface.

use std::borrow::Cow;
use std::ops::Range;

use memdir_core::hidden_char::is_hidden;

use crate::analyze::{Sort, Term};
use crate::segment::{SegmentBuilder, UnitFlags};

const LONGEST_TIME_WORD: usize = 9;

/// Words that place something in time, sorted.
#[rustfmt::skip]
static TIME_WORDS: &[&str] = &[
    "ago", "april", "august", "century", "date", "day", "days", "decade", "december", "february", "friday",
    "january", "july", "june", "last", "monday", "month", "months", "morning", "next", "november",
    "october", "recently", "saturday", "september", "since", "spring", "summer", "sunday", "thursday",
    "today", "tomorrow", "tonight", "tuesday", "wednesday", "week", "weekend", "weeks", "winter", "year",
    "years", "yesterday",
];

/// Whether the text places something in time, and how much of it asks.
pub(super) fn flags(text: &str) -> UnitFlags {
    let mut flags = UnitFlags::default();
    let names_time = text.split(|c: char| !c.is_ascii_alphabetic()).any(|word| {
        let mut lower = [0; LONGEST_TIME_WORD];
        let Some(lower) = lower.get_mut(..word.len()).filter(|lower| lower.len() >= 3) else { return false };
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        TIME_WORDS.binary_search_by(|time| time.as_bytes().cmp(lower)).is_ok()
    });
    if names_time {
        flags.0 |= UnitFlags::TIME;
    }
    flags.with_question_share(question_share(text))
}

/// The share of the text that is in sentences which end with a question mark.
fn question_share(text: &str) -> f32 {
    let (mut asking, mut start) = (0, 0);
    for (at, byte) in text.bytes().enumerate() {
        if matches!(byte, b'?' | b'.' | b'!' | b'\n') {
            if byte == b'?' {
                asking += at + 1 - start;
            }
            start = at + 1;
        }
    }
    if text.is_empty() { 0.0 } else { asking as f32 / text.len() as f32 }
}

/// The name at the start of a turn, as in minutes and chats: `Anna: I have found it`.
pub(super) fn speaker_label(text: &str) -> Option<&str> {
    let (label, rest) = text.split_once(':')?;
    let is_name = (2..=30).contains(&label.len())
        && rest.starts_with(' ')
        && label.split(' ').count() <= 3
        && label.split(' ').all(|word| word.chars().next().is_some_and(char::is_uppercase))
        && label.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'' | '.'));
    is_name.then_some(label)
}

/// The term that means a speaker: the first word of the name.
pub(super) fn speaker_term(builder: &mut SegmentBuilder, label: &str) -> Option<Term> {
    let mut first = None;
    builder.analyzer.each_term(label, |term, _, sort| {
        if sort == Sort::Word {
            first.get_or_insert(term);
        }
    });
    first
}

/// Text from bytes that may hold anything.
pub(super) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The text with blanks in place of secrets: they do not enter the index, and everything else keeps its place.
///
/// A secret that is split by invisible characters is a secret nevertheless.
pub(crate) fn without_secrets(text: Cow<'_, str>) -> Cow<'_, str> {
    let mut found: Vec<Range<usize>> = secret_ranges(&text);
    if text.chars().any(is_invisible) {
        let (visible, starts) = visible_part(&text);
        let place = |offset: usize| starts.get(offset).copied().unwrap_or(text.len());
        found.extend(secret_ranges(&visible).into_iter().map(|range| place(range.start)..place(range.end)));
    }
    if found.is_empty() {
        return text;
    }
    let mut bytes = text.into_owned().into_bytes();
    for range in found {
        if let Some(secret) = bytes.get_mut(range) {
            secret.fill(b' ');
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

fn secret_ranges(text: &str) -> Vec<Range<usize>> {
    memdir_core::secrets::scan(text).into_iter().map(|finding| finding.range).collect()
}

fn is_invisible(c: char) -> bool {
    !matches!(c, ' '..='~' | '\n' | '\t' | '\r') && is_hidden(c)
}

/// What of the text can be seen, and for every byte of it where it is in the text.
fn visible_part(text: &str) -> (String, Vec<usize>) {
    let mut visible = String::with_capacity(text.len());
    let mut starts = Vec::with_capacity(text.len());
    for (at, c) in text.char_indices().filter(|(_, c)| !is_invisible(*c)) {
        visible.push(c);
        starts.extend(at..at + c.len_utf8());
    }
    (visible, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speakers() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(speaker_label(text), expected, "{text}");
        check("Anna: hello", Some("Anna"));
        check("Dr. Ada Byron: hello", Some("Dr. Ada Byron"));
        check("Note that: hello", None);
        check("error: no such file", None);
        check("https://x", None);
        check("Error:x", None);
        check("no colon", None);
    }

    #[test]
    fn secrets_are_blanked_and_everything_keeps_its_place() {
        let token = "ghp_aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA3";
        let (head, tail) = token.split_at(17);
        for hidden in ["", "\u{200b}", "\u{ad}", "\u{2060}\u{feff}", "\0", "\u{e0041}"] {
            let text = format!("né {head}{hidden}{tail} end");
            let blank = without_secrets(text.as_str().into());
            assert_eq!((blank.len(), blank.trim_end().ends_with("end")), (text.len(), true), "{hidden:?}");
            assert_eq!(blank.split_whitespace().collect::<Vec<_>>(), ["né", "end"], "{hidden:?}");
        }
        assert_eq!(without_secrets("no\u{200b}thing".into()), "no\u{200b}thing");
    }

    #[test]
    fn questions_and_times() {
        assert!(TIME_WORDS.is_sorted() && TIME_WORDS.iter().all(|word| word.len() <= LONGEST_TIME_WORD));
        let share = |text: &str| (flags(text).question_share() * 10.0).round();
        assert_eq!((share("Who is it?"), share("It is me."), share("")), (10.0, 0.0, 0.0));
        assert_eq!(share("It is me. Is it you?"), 5.0);
        assert!(flags("We met last Friday").has(UnitFlags::TIME));
        assert!(!flags("We met in the lasting rain").has(UnitFlags::TIME));
    }
}
