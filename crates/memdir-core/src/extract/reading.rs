//! What else reads notes by the same rules: sentences, the words that they are about, the days that they name.

use std::collections::HashSet;

use jiff::civil::Date;

use super::cues::Cues;
use super::dates::named_days;
use super::judge::{Kind, Statement, judge};
use super::language::Language;
use super::own_words::own_words;
use super::token::{fold, tokens};
use super::{Extracted, Source, compose, known, sentence, topic_words};
use crate::memory::memory_type::MemoryType;

/// A day that a sentence names, and where its words end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Day {
    /// The day.
    pub(crate) date: Date,
    /// Byte offset behind the words that name it.
    pub(crate) end: usize,
    /// Whether the words already say the whole date.
    pub(crate) is_absolute: bool,
}

/// The sentences of a paragraph, with the marks that end them.
pub(crate) fn sentences_of(paragraph: &str) -> Vec<&str> {
    sentence::sentences(paragraph)
}

/// The words that a text is about.
pub(crate) fn words_of(text: &str) -> HashSet<String> {
    topic_words(text)
}

/// Whether a word only holds sentences together.
pub(crate) fn is_small(word: &str) -> bool {
    Language::is_small_word(&fold(word))
}

/// Whether a text is German, in which every noun has a capital.
pub(crate) fn is_german(text: &str) -> bool {
    Language::of(text, Language::English) == Language::German
}

/// Whether a text says that something is not so.
pub(crate) fn negates(text: &str) -> bool {
    known::negates(text)
}

/// The days that a sentence names if it was written on `today`.
pub(crate) fn days_in(sentence: &str, today: Date) -> Vec<Day> {
    let language = Language::of(sentence, Language::English);
    let mut pieces = tokens(sentence, language);
    Cues::of(language).prepare(&mut pieces);
    let days = named_days(sentence, &pieces, language.is_eastern(), today);
    days.into_iter().map(|day| Day { date: day.date, end: day.end, is_absolute: day.is_absolute }).collect()
}

/// The memory that a note of a day becomes by the rules for what people say; `None` if they see none in it.
pub(crate) fn memory_said(note: &str, source: &Source, day: Date) -> Option<Extracted> {
    let judged = judge(&own_words(note), Some(day), Language::English, false);
    let statement = judged.statements.first()?;
    Some(compose::compose(statement, source.clone(), Some(day), None))
}

/// The memory that a note of a day becomes if it is one of this type.
pub(crate) fn memory_noted(memory_type: &MemoryType, note: &str, source: &Source, day: Date) -> Extracted {
    let kind = match memory_type {
        MemoryType::User => Kind::User,
        MemoryType::Feedback => Kind::Feedback,
        MemoryType::Reference => Kind::Reference,
        MemoryType::Project | MemoryType::Other(_) => Kind::Project,
    };
    let statement = Statement {
        kind,
        text: note.to_owned(),
        main: note.to_owned(),
        approves: false,
        reason: None,
        day: days_in(note, day).iter().map(|day| day.date).max(),
    };
    compose::compose(&statement, source.clone(), Some(day), None)
}
