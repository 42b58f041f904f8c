//! What a user asks for: words, exact phrases, words that must not be there, filters, and times.

use jiff::civil::Date;

use crate::analyze::{Analyzer, Sort, Term};
use crate::collection::Scope;

mod event;
mod filters;
mod split;
#[cfg(test)]
mod tests;
mod time;

pub(crate) use event::{Event, Side};
pub(crate) use filters::Filters;
pub use time::named_days;
pub(crate) use time::{Days, day_in, day_number, times};

/// A question, understood.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// What is asked for, without filters.
    pub(crate) text: String,
    pub(crate) terms: Vec<QueryTerm>,
    /// Exact phrases, as they were typed.
    pub(crate) phrases: Vec<String>,
    /// Terms of which none may be in a hit.
    pub(crate) excluded: Vec<Term>,
    pub(crate) filters: Filters,
    /// The days that the question names.
    pub(crate) times: Vec<Days>,
    /// Something that happened before or after what is asked for, at a time that the store must tell.
    pub(crate) event: Option<Event>,
    /// The stretch of time that the event bounds, once it is known.
    pub(crate) window: Option<Window>,
    /// Asks when something was.
    pub(crate) asks_when: bool,
    /// Asks what the agent said, rather than what the person did.
    pub(crate) asks_agent: bool,
    /// Words that were left out because they say nothing.
    pub(crate) empty_words: bool,
    /// Filters whose value means nothing: their words are looked for instead.
    pub(crate) not_understood: Vec<(String, String)>,
}

/// Why a question asks for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NothingAsked {
    /// It holds only words that are everywhere.
    CommonWords,
    /// It says only what must not be there.
    OnlyExcluded,
    /// It holds no word at all.
    NoWords,
}

/// A stretch of time on one side of an event, and the day of the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) days: Days,
    pub(crate) anchor: i64,
}

/// A term that is looked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QueryTerm {
    pub(crate) term: Term,
    pub(crate) text: String,
    /// The word as it was typed.
    pub(crate) typed: String,
    pub(crate) weight: f32,
    /// A word as typed, rather than a form that we made of it.
    pub(crate) is_word: bool,
}

/// Text beyond this is not a question.
const MAX_BYTES: usize = 16 << 10;
const MAX_TERMS: usize = 256;
/// How much a word counts that says little.
const WEAK: f32 = 0.5;
/// How much a word counts that only names an event.
const OF_EVENT: f32 = 0.3;
/// How much two words count that may have been written as one.
const JOINED: f32 = 0.5;

impl Query {
    /// Understands a question. `today` is the day that "yesterday" is before.
    #[must_use]
    pub fn parse(text: &str, today: Date, analyzer: &mut Analyzer) -> Self {
        let text = text.get(..text.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
        let mut query = Self::default();
        let mut words = String::new();
        for part in split::split(text) {
            match part {
                split::Part::Text(text) => {
                    words.push_str(text);
                    words.push(' ');
                }
                split::Part::Phrase(phrase) => {
                    words.push_str(phrase);
                    words.push(' ');
                    query.phrases.push(phrase.to_owned());
                }
                split::Part::Excluded(word) => {
                    analyzer.each_term(word, |term, _, _| query.excluded.push(term));
                }
                split::Part::Filter { key, value } => {
                    if !query.filters.add(key, value, today) {
                        query.not_understood.push((key.to_owned(), value.to_owned()));
                        words.push_str(key);
                        words.push(' ');
                        words.push_str(value);
                        words.push(' ');
                    }
                }
            }
        }
        query.text = words.trim().to_owned();
        query.add_words(&words, analyzer);
        query.times = times(&words, today);
        query.event = event::event(&words, today, analyzer);
        let lower = words.to_lowercase();
        let first = lower.split_whitespace().next().unwrap_or_default();
        query.asks_when = first == "when" || WHEN.iter().any(|phrase| lower.contains(phrase));
        query.asks_agent = AGENT.iter().any(|phrase| lower.contains(phrase));
        query
    }

    /// A query of words alone: nothing in it is a filter, a phrase or an exclusion.
    #[must_use]
    pub fn of_words(text: &str, analyzer: &mut Analyzer) -> Self {
        let text = text.get(..text.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
        let mut query = Self::default();
        query.add_words(text, analyzer);
        query
    }

    /// The projects that it asks for with `project:`, in lower case.
    #[must_use]
    pub fn projects(&self) -> &[String] {
        &self.filters.projects
    }

    /// What it asks for with `in:`.
    #[must_use]
    pub fn scopes(&self) -> &[Scope] {
        &self.filters.scopes
    }

    /// The types that it asks for with `type:`, in lower case.
    #[must_use]
    pub fn types(&self) -> &[String] {
        &self.filters.types
    }

    /// Filters whose value means nothing, with it: their words are looked for instead.
    #[must_use]
    pub fn not_understood(&self) -> &[(String, String)] {
        &self.not_understood
    }

    /// Why there is nothing to look for, if that is so.
    #[must_use]
    pub fn nothing_asked(&self) -> Option<NothingAsked> {
        let is_empty = self.terms.is_empty()
            && self.phrases.is_empty()
            && self.times.is_empty()
            && self.filters.is_empty();
        is_empty.then_some(match (self.empty_words, self.excluded.is_empty()) {
            (true, _) => NothingAsked::CommonWords,
            (false, false) => NothingAsked::OnlyExcluded,
            (false, true) => NothingAsked::NoWords,
        })
    }

    fn add_words(&mut self, text: &str, analyzer: &mut Analyzer) {
        let mut previous = String::new();
        for word in crate::analyze::words(text) {
            let mut said = false;
            analyzer.each_term(word.text(), |term, text, sort| {
                said = true;
                let weight = if sort == Sort::Weak { WEAK } else { 1.0 };
                let (text, typed) = (text.to_owned(), word.text().to_owned());
                self.add(QueryTerm { term, text, typed, weight, is_word: sort == Sort::Word });
            });
            let says_nothing = !said;
            self.empty_words |= says_nothing && word.text().chars().any(char::is_alphanumeric);
            let lower = if says_nothing { String::new() } else { word.text().to_lowercase() };
            if !previous.is_empty()
                && !lower.is_empty()
                && previous.len() + lower.len() <= 24
                && lower.is_ascii()
            {
                let joined = format!("{previous}{lower}");
                analyzer.each_term(&joined, |term, text, _| {
                    let (text, typed) = (text.to_owned(), joined.clone());
                    self.add(QueryTerm { term, text, typed, weight: JOINED, is_word: false });
                });
            }
            previous = if lower.is_ascii() { lower } else { String::new() };
        }
    }

    fn add(&mut self, term: QueryTerm) {
        let full = self.terms.len() >= MAX_TERMS;
        match self.terms.iter_mut().find(|known| known.term == term.term) {
            Some(known) => {
                known.is_word |= term.is_word;
                known.weight = known.weight.max(term.weight);
            }
            None if full => {}
            None => self.terms.push(term),
        }
    }

    /// Takes over when the event was: its own words then say little about the answer.
    pub(crate) fn set_window(&mut self, window: Window, analyzer: &mut Analyzer) {
        let named = self.event.as_ref().map(|event| event.words.clone()).unwrap_or_default();
        analyzer.each_term(&named, |term, _, _| {
            for known in self.terms.iter_mut().filter(|known| known.term == term) {
                known.weight *= OF_EVENT;
            }
        });
        self.window = Some(window);
    }

    /// Asks only for what is this to the user.
    pub fn restrict(&mut self, scopes: &[Scope]) {
        self.filters.scopes.extend_from_slice(scopes);
    }
}

static WHEN: &[&str] = &[
    "what date",
    "which date",
    "what day",
    "which day",
    "which year",
    "what year",
    "which month",
    "what month",
    "how long ago",
    "what time",
];
static AGENT: &[&str] = &[
    "you said",
    "you say",
    "you suggest",
    "you recommend",
    "you told",
    "you tell",
    "you mention",
    "did you",
    "you gave",
    "you provide",
    "your suggestion",
    "your recommendation",
    "your answer",
    "your advice",
    "remind me what you",
];
