//! Wishes not to store something: "off the record", "don't save this", "between us", in the languages of extraction.
//!
//! Extraction, the search over sessions and model calls obey them. A wish counts for its whole turn, whether it is said
//! before or after the statement, and for the session if it says so. A wish is a set phrase, or a sentence with a refusal,
//! a word for keeping, and what was said as its object. Rules of a project ("never store tokens in plain text") are not
//! wishes: they name what is not to be stored, or where.

mod phrases;

use phrases::Sections;

/// How far a wish reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// What was said up to this byte of the turn is withdrawn; what follows counts.
    Before(usize),
    /// The turn in which it is said.
    Turn,
    /// The session in which it is said.
    Session,
}

/// The wish in what a user said, if there is one; the one that reaches furthest.
#[must_use]
pub fn wish(said: &str) -> Option<Reach> {
    // A wish is said, not pasted: it is in the first or the last part of a long turn.
    let text = normalised(&ends_of(said));
    let reach = sentences(&text).filter_map(reach_of).max();
    if reach.is_some() {
        return reach;
    }
    let last = WITHDRAWN.iter().filter_map(|phrase| place_of(&text, phrase)).max()?;
    // Only the text as it was said can be cut, so a text that changed its length is withdrawn as a whole.
    if text.len() == said.len() && said.is_char_boundary(last) {
        Some(Reach::Before(last))
    } else {
        Some(Reach::Turn)
    }
}

/// Words that withdraw what was said before them in the same turn.
const WITHDRAWN: [&str; 8] = [
    "scratch that",
    "strike that",
    "forget that",
    "never mind that",
    "ignore what i just said",
    "disregard that",
    "disregard what i",
    "ignore that last",
];

/// How much of each end of a turn is looked at.
const END: usize = 4_000;
/// So many words may be between a refusal and what it refuses, and between that and its object.
const REACH: usize = 6;

fn ends_of(text: &str) -> String {
    if text.len() <= 2 * END {
        return text.to_owned();
    }
    let first = (0..=END).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let last = (text.len() - END..).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    format!("{}\n{}", text.get(..first).unwrap_or_default(), text.get(last..).unwrap_or_default())
}

fn normalised(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\u{2019}' | '\u{2018}' | '`' => plain.push('\''),
            '\n' => plain.push('\n'),
            character if character.is_whitespace() => plain.push(' '),
            character => plain.extend(character.to_lowercase()),
        }
    }
    plain
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', '!', '?', ';', '\n', '。', '！', '？', '；'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

fn reach_of(sentence: &str) -> Option<Reach> {
    let holds = |section: &str| phrases::entries(section).any(|phrase| place_of(sentence, phrase).is_some());
    if holds("alone") {
        return Some(Reach::Session);
    }
    let is_wish =
        holds("off the record") || phrases::each().any(|language| refuses_to_keep(sentence, language));
    is_wish.then(|| if holds("session") { Reach::Session } else { Reach::Turn })
}

/// Where a phrase is as words of its own; scripts without spaces have no such borders.
fn place_of(text: &str, phrase: &str) -> Option<usize> {
    places(text, phrase).next()
}

fn places(text: &str, phrase: &str) -> impl Iterator<Item = usize> {
    let is_letter = |character: char| character.is_alphanumeric() && (character as u32) < 0x2e80;
    let ends_open = phrase.ends_with('\'');
    text.match_indices(phrase).map(|(at, _)| at).filter(move |at| {
        let before = text.get(..*at).and_then(|text| text.chars().next_back());
        let after = text.get(at + phrase.len()..).and_then(|text| text.chars().next());
        let (first, last) = (phrase.chars().next(), phrase.chars().next_back());
        !(first.is_some_and(is_letter) && before.is_some_and(is_letter)
            || !ends_open
                && last.is_some_and(is_letter)
                && after.is_some_and(|after| is_letter(after) || after == '\''))
    })
}

/// The start and end of a phrase in a sentence.
type Spot = (usize, usize);

fn spots(sentence: &str, language: &Sections, section: &str) -> Vec<Spot> {
    let phrases = language.get(section).map(Vec::as_slice).unwrap_or_default();
    phrases.iter().flat_map(|phrase| places(sentence, phrase).map(|at| (at, at + phrase.len()))).collect()
}

/// "Don't save this": a refusal, a word for keeping, and what was said as its object. Where it would be kept decides: in
/// memory is a wish, in a file or a table is a rule of the project.
fn refuses_to_keep(sentence: &str, language: &Sections) -> bool {
    let refusals = spots(sentence, language, "refuse");
    if refusals.is_empty() {
        return false;
    }
    let of_others = spots(sentence, language, "they");
    let keeping = spots(sentence, language, "keep");
    let memory = spots(sentence, language, "memory");
    let objects = spots(sentence, language, "this");
    let either_order = language.contains_key("order");
    let refusals = refusals.iter().filter(|refusal| {
        let behind = sentence.get(refusal.1..).unwrap_or_default();
        // "We never store it" tells what is so; "No, keep it" refuses something else.
        !behind.starts_with([',', '，', '、', ':'])
            && !of_others.iter().any(|other| gap(sentence, *other, **refusal) == Some(0))
    });
    refusals.into_iter().any(|refusal| {
        let follows = |spot: &&Spot| {
            let behind = gap(sentence, *refusal, **spot);
            let before = either_order.then(|| gap(sentence, **spot, *refusal)).flatten();
            behind.or(before).is_some_and(|words| words <= REACH)
        };
        let is_object = |spot: &Spot, kept: &Spot| {
            (spot.1 <= kept.0 || spot.0 >= kept.1)
                && gap(sentence, *kept, *spot)
                    .or_else(|| gap(sentence, *spot, *kept))
                    .is_some_and(|words| words <= REACH)
        };
        let has_memory = !memory.is_empty();
        let in_memory =
            memory.iter().filter(follows).any(|kept| objects.iter().any(|object| is_object(object, kept)));
        let is_kept = keeping.iter().filter(follows).any(|kept| {
            let ends = sentence.get(kept.1..).is_some_and(|rest| is_close(rest, language));
            // What names a place that is not memory is a rule about that place.
            let is_placed = spots(sentence, language, "into")
                .iter()
                .any(|into| gap(sentence, *kept, *into).is_some_and(|words| words <= 3));
            (ends || objects.iter().any(|object| is_object(object, kept))) && (has_memory || !is_placed)
        });
        in_memory || is_kept
    })
}

/// Whether nothing is named any more: the clause ends here, or with a word of politeness.
fn is_close(rest: &str, language: &Sections) -> bool {
    if rest.trim_start().starts_with([',', '，', '、', '–', '—']) {
        return true;
    }
    let rest = rest.trim_matches(|character: char| !character.is_alphanumeric());
    let close = language.get("close").map(Vec::as_slice).unwrap_or_default();
    let is_dense = rest.chars().all(|character| (character as u32) >= 0x2e80);
    close.contains(&rest) || is_dense && word_count(rest) <= 1
}

/// How many words are between two spots, the first of which ends before the other.
fn gap(sentence: &str, first: Spot, second: Spot) -> Option<usize> {
    (first.1 <= second.0).then(|| word_count(sentence.get(first.1..second.0).unwrap_or_default()))
}

/// The words of a text; three characters of a script without spaces count as one.
fn word_count(text: &str) -> usize {
    let dense =
        text.chars().filter(|character| (*character as u32) >= 0x2e80 && character.is_alphabetic()).count();
    let latin = text.split(|character: char| !character.is_alphanumeric() || (character as u32) >= 0x2e80);
    dense / 2 + latin.filter(|word| !word.is_empty()).count()
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::extract::{Extractor, Source};

    #[test]
    fn a_rule_of_a_project_is_not_a_wish() {
        for rule in include_str!("off_the_record/rules.txt").lines() {
            assert_eq!(wish(rule), None, "{rule}");
        }
    }

    #[test]
    fn a_wish_reaches_as_far_as_it_says() {
        assert_eq!(wish("Off the record: the launch is in May."), Some(Reach::Turn));
        assert_eq!(wish("This conversation is off the record."), Some(Reach::Session));
        assert_eq!(wish("From now on, don't save anything I say."), Some(Reach::Session));
        assert_eq!(wish("Always use tabs. Scratch that, use spaces."), Some(Reach::Before(17)));
        assert_eq!(wish("Always use tabs."), None);
    }

    /// What extraction would store of a case: turns, parted by bars.
    fn stored(case: &str) -> Vec<String> {
        let mut extractor = Extractor::new(TimeZone::UTC);
        for (number, turn) in case.split(" ||| ").enumerate() {
            extractor.said(turn, &Source { turn: number.to_string(), time: None });
        }
        extractor.finish().memories.into_iter().map(|memory| memory.description).collect()
    }

    fn cases(set: &str) -> Vec<&'static str> {
        let lines = include_str!("off_the_record/cases.txt").lines();
        lines
            .filter_map(|line| line.split_once('\t'))
            .filter(|(of, _)| *of == set)
            .map(|(_, case)| case)
            .collect()
    }

    #[test]
    fn nothing_is_stored_that_is_off_the_record() {
        let kept: Vec<_> = cases("dev").into_iter().filter(|case| !stored(case).is_empty()).collect();
        assert_eq!(kept, Vec::<&str>::new());
    }

    #[test]
    fn nothing_is_stored_of_cases_that_were_held_out() {
        let kept: Vec<_> = cases("held").into_iter().filter(|case| !stored(case).is_empty()).collect();
        assert_eq!(kept, Vec::<&str>::new());
    }
}
