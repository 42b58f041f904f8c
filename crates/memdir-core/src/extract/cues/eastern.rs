//! Finding phrases in a text without spaces between its words.

use aho_corasick::AhoCorasick;

use super::{Candidate, CueSet, Cues};
use crate::extract::pattern::{Begins, Choice, Element, Pieces};
use crate::extract::places::NAMES;
use crate::extract::vocabulary::kinds;

/// What replaces a quotation, an address, a piece of code in a text that is looked through.
pub(in crate::extract) const QUOTE: char = '\u{e000}';
pub(in crate::extract) const ADDRESS: char = '\u{e001}';
pub(in crate::extract) const CODE: char = '\u{e002}';

/// A gap of one element in the notation is so many characters here.
const CHARACTERS_A_PIECE: usize = 4;
const MOST_STEPS: usize = 2_000;

impl Cues {
    pub(super) fn find_by_text(&mut self) {
        let mut texts: Vec<String> = Vec::new();
        let mut owners = Vec::new();
        for (at, (cue, pattern)) in self.cues.iter().enumerate() {
            let mut own: Vec<&str> = Vec::new();
            for choice in pattern.first() {
                match choice {
                    Choice::Word(_, word) => own.push(word),
                    Choice::Class(0) => self.problems.push(format!("no such class: pattern {at}")),
                    Choice::Class(bits) => own.extend(self.vocabulary.words_of(*bits).map(|(word, _)| word)),
                    _ => {}
                }
            }
            if own.is_empty() {
                let candidate = Candidate { pattern: at, cue: *cue, rarest: Pieces::ANY };
                self.wild.push((u8::MAX, Begins::Anywhere, candidate));
            }
            for text in own {
                texts.push(text.to_owned());
                owners.push(at);
            }
        }
        match AhoCorasick::new(&texts) {
            Ok(finder) => self.finder = Some((finder, owners)),
            Err(error) => self.problems.push(error.to_string()),
        }
    }

    /// What the phrases of a sentence are signs of. The text is in lower case, with [`QUOTE`] and its like in it.
    pub(in crate::extract) fn of_text(&self, text: &str) -> CueSet {
        let mut found = CueSet::default();
        let Some((finder, owners)) = &self.finder else { return found };
        let starts = self.clause_starts(text);
        let hits = finder.find_overlapping_iter(text);
        let hits = hits.filter_map(|hit| Some((*owners.get(hit.pattern().as_usize())?, hit.start())));
        let everywhere = text
            .char_indices()
            .flat_map(|(at, _)| self.wild.iter().map(move |(_, _, wild)| (wild.pattern, at)));
        for (candidate, at) in hits.chain(everywhere) {
            let Some((cue, pattern)) = self.cues.get(candidate) else { continue };
            if found.place(*cue).is_some_and(|place| place as usize <= at) {
                continue;
            }
            let mut search = Search { text, starts: &starts, cues: self, steps: MOST_STEPS };
            if search.matches(&pattern.0, at) {
                found.add(*cue, at);
            }
        }
        found
    }

    /// Where clauses start: behind punctuation and white space, and behind the words that only link them.
    fn clause_starts(&self, text: &str) -> Vec<usize> {
        let mut starts = Vec::new();
        let mut after_mark = true;
        let mut skipped_to = 0;
        for (at, character) in text.char_indices() {
            if is_mark(character) {
                after_mark = true;
                continue;
            }
            if character.is_whitespace() || at < skipped_to {
                continue;
            }
            if after_mark {
                starts.push(at);
                let rest = text.get(at..).unwrap_or_default();
                let skip = self.vocabulary.words_of(self.links).map(|(word, _)| word);
                let longest = skip.filter(|word| rest.starts_with(word)).map(str::len).max();
                match longest {
                    Some(length) => skipped_to = at + length,
                    None => after_mark = false,
                }
            }
        }
        starts
    }
}

fn is_mark(character: char) -> bool {
    matches!(
        character,
        '，' | '、'
            | '。'
            | '；'
            | '：'
            | '！'
            | '？'
            | '（'
            | '）'
            | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | '('
            | ')'
            | '.'
            | '—'
            | '-'
    )
}

struct Search<'s> {
    text: &'s str,
    starts: &'s [usize],
    cues: &'s Cues,
    steps: usize,
}

impl Search<'_> {
    fn matches(&mut self, elements: &[Element], at: usize) -> bool {
        let Some((element, rest)) = elements.split_first() else { return true };
        let Some(left) = self.steps.checked_sub(1) else { return false };
        self.steps = left;
        match element {
            Element::ClauseStart => self.starts.contains(&at) && self.matches(rest, at),
            Element::SentenceStart => {
                self.starts.first().is_some_and(|first| *first == at) && self.matches(rest, at)
            }
            Element::ClauseEnd => {
                let after = self.text.get(at..).unwrap_or_default().trim_start();
                after.chars().next().is_none_or(is_mark) && self.matches(rest, at)
            }
            Element::Gap(most) => {
                let tail = self.text.get(at..).unwrap_or_default();
                let places: Vec<usize> = tail
                    .char_indices()
                    .map(|(step, _)| at + step)
                    .take(most * CHARACTERS_A_PIECE + 1)
                    .collect();
                places.into_iter().any(|place| self.matches(rest, place))
            }
            Element::Not(options) => {
                let at = self.skip_space(at);
                !options.iter().any(|option| self.length(option, at).is_some()) && self.matches(rest, at)
            }
            Element::Any { options, optional, .. } => {
                let at = self.skip_space(at);
                let ends: Vec<usize> = options
                    .iter()
                    .filter_map(|option| self.length(option, at))
                    .map(|length| at + length)
                    .collect();
                ends.into_iter().any(|end| self.matches(rest, end)) || *optional && self.matches(rest, at)
            }
        }
    }

    fn skip_space(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        at + rest.len() - rest.trim_start().len()
    }

    fn length(&self, choice: &Choice, at: usize) -> Option<usize> {
        let rest = self.text.get(at..).filter(|rest| !rest.is_empty())?;
        match choice {
            Choice::Word(_, word) => rest.starts_with(word.as_ref()).then_some(word.len()),
            Choice::Class(bits) => {
                let words = self.cues.vocabulary.words_of(*bits).map(|(word, _)| word);
                words.filter(|word| rest.starts_with(word)).map(str::len).max()
            }
            Choice::Kind(kinds::QUOTE) => sign(rest, QUOTE),
            Choice::Kind(kinds::ADDRESS) => sign(rest, ADDRESS),
            Choice::Kind(kinds::CODE) => sign(rest, CODE),
            Choice::Kind(kinds::NUMBER) => number(rest),
            Choice::Kind(kinds::PLACE) => {
                let end = rest.find(|character: char| !character.is_ascii_alphanumeric() && character != '-');
                let word = rest.get(..end.unwrap_or(rest.len())).filter(|word| !word.is_empty())?;
                NAMES.contains(word).then_some(word.len())
            }
            Choice::AnyWord | Choice::Kind(kinds::BARE) => {
                let end = rest.find(|character: char| !character.is_ascii_alphanumeric() && character != '-');
                let length = end.unwrap_or(rest.len());
                (length > 0).then_some(length)
            }
            _ => None,
        }
    }
}

fn sign(rest: &str, sign: char) -> Option<usize> {
    rest.starts_with(sign).then_some(sign.len_utf8())
}

fn number(rest: &str) -> Option<usize> {
    let is_digit = |character: char| {
        character.is_ascii_digit() || "一二三四五六七八九十百两兩数好几".contains(character)
    };
    let end = rest.find(|character: char| !is_digit(character)).unwrap_or(rest.len());
    (end > 0).then_some(end)
}
