//! A small notation for phrases, and how they are found.
//!
//! A pattern is a row of elements with spaces between them:
//! `a|b_c` one of these words or rows of words · `x?` may be missing · `!a|b` must not follow · `~ing`, `inst~` a word
//! that ends or begins so, `~` any word · `@class` one of the words of a class · `<num>`, `<url>`, `<quote>`, `<code>`,
//! `<place>`, `<name>`, `<bare>`, `<plural>` pieces by their kind · `..` up to three pieces between, `...` up to eight ·
//! `^` a clause starts here, `^^` the sentence does · `$` the clause ends here.

use std::collections::{HashMap, HashSet};

use super::places::is_place;
use super::token::{Token, TokenKind, fold};

/// What is looked for, parsed.
#[derive(Debug, Default)]
pub(super) struct Pattern(pub(super) Vec<Element>);

#[derive(Debug)]
pub(super) enum Element {
    ClauseStart,
    SentenceStart,
    ClauseEnd,
    Gap(usize),
    Any { options: Vec<Choice>, optional: bool },
    Not(Vec<Choice>),
}

#[derive(Debug)]
pub(super) enum Choice {
    Word(Box<str>),
    Row(Vec<Box<str>>),
    Begins(Box<str>),
    Ends(Box<str>),
    Class(Box<str>),
    Kind(Special),
    AnyWord,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    Number,
    Address,
    Quote,
    Code,
    Place,
    Name,
    Bare,
    Plural,
}

/// The word lists that patterns name.
pub(super) type Classes = HashMap<Box<str>, HashSet<Box<str>>>;

/// A search gives up after so many steps, so that no sentence is slow.
const MOST_STEPS: usize = 4_000;

impl Pattern {
    /// Reads the notation. What cannot be read is left out; a test reads every table.
    pub(super) fn parse(notation: &str) -> Self {
        Self(notation.split_whitespace().map(element).collect())
    }

    /// Whether the pattern, from its first real element on, matches at a token.
    pub(super) fn matches_at(&self, tokens: &[Token<'_>], at: usize, classes: &Classes) -> bool {
        let mut steps = MOST_STEPS;
        matches(&self.0, tokens, at, classes, &mut steps)
    }

    /// The choices by which the pattern is found: those of its first real element.
    pub(super) fn first(&self) -> &[Choice] {
        let first = self.0.iter().find_map(|element| match element {
            Element::Any { options, .. } => Some(options.as_slice()),
            _ => None,
        });
        first.unwrap_or_default()
    }
}

fn element(text: &str) -> Element {
    match text {
        "^" => return Element::ClauseStart,
        "^^" => return Element::SentenceStart,
        "$" => return Element::ClauseEnd,
        ".." => return Element::Gap(3),
        "..." => return Element::Gap(8),
        _ => {}
    }
    if let Some(choices) = text.strip_prefix('!') {
        return Element::Not(choices.split('|').map(choice).collect());
    }
    let (text, optional) = match text.strip_suffix('?') {
        Some(text) if !text.is_empty() => (text, true),
        _ => (text, false),
    };
    Element::Any { options: text.split('|').map(choice).collect(), optional }
}

fn choice(text: &str) -> Choice {
    let folded = |text: &str| Box::from(fold(text).as_ref());
    if let Some(class) = text.strip_prefix('@') {
        return Choice::Class(class.into());
    }
    if let Some(special) = special(text) {
        return Choice::Kind(special);
    }
    if text == "~" {
        return Choice::AnyWord;
    }
    if let Some(end) = text.strip_prefix('~') {
        return Choice::Ends(folded(end));
    }
    if let Some(start) = text.strip_suffix('~') {
        return Choice::Begins(folded(start));
    }
    let words: Vec<Box<str>> = text.split('_').filter(|word| !word.is_empty()).map(folded).collect();
    match <[Box<str>; 1]>::try_from(words) {
        Ok([word]) => Choice::Word(word),
        Err(words) => Choice::Row(words),
    }
}

fn special(text: &str) -> Option<Special> {
    Some(match text {
        "<num>" => Special::Number,
        "<url>" => Special::Address,
        "<quote>" => Special::Quote,
        "<code>" => Special::Code,
        "<place>" => Special::Place,
        "<name>" => Special::Name,
        "<bare>" => Special::Bare,
        "<plural>" => Special::Plural,
        _ => return None,
    })
}

fn matches(
    elements: &[Element],
    tokens: &[Token<'_>],
    at: usize,
    classes: &Classes,
    steps: &mut usize,
) -> bool {
    let Some((element, rest)) = elements.split_first() else { return true };
    let Some(left) = steps.checked_sub(1) else { return false };
    *steps = left;
    match element {
        Element::ClauseStart => {
            tokens.get(at).is_some_and(|token| token.starts_clause)
                && matches(rest, tokens, at, classes, steps)
        }
        Element::SentenceStart => {
            let before = tokens.get(..at).unwrap_or_default();
            let only_links = before.iter().all(|token| token.starts_clause || token.kind == TokenKind::Mark);
            let starts = tokens.get(at).is_some_and(|token| token.starts_clause);
            starts && only_links && matches(rest, tokens, at, classes, steps)
        }
        Element::ClauseEnd => {
            let ends = tokens.get(at).is_none_or(|token| token.kind == TokenKind::Mark);
            ends && matches(rest, tokens, at, classes, steps)
        }
        Element::Gap(most) => {
            (0..=*most).any(|gap| at + gap <= tokens.len() && matches(rest, tokens, at + gap, classes, steps))
        }
        Element::Not(options) => {
            let found = options.iter().any(|option| length(option, tokens, at, classes).is_some());
            !found && matches(rest, tokens, at, classes, steps)
        }
        Element::Any { options, optional } => {
            let taken = options.iter().any(|option| {
                length(option, tokens, at, classes)
                    .is_some_and(|length| matches(rest, tokens, at + length, classes, steps))
            });
            taken || *optional && matches(rest, tokens, at, classes, steps)
        }
    }
}

/// How many tokens a choice takes at a place, if it stands there.
fn length(choice: &Choice, tokens: &[Token<'_>], at: usize, classes: &Classes) -> Option<usize> {
    let token = tokens.get(at)?;
    let word = token.word.as_ref();
    let is_word = token.kind == TokenKind::Word;
    let stands = match choice {
        Choice::Word(wanted) => word == wanted.as_ref(),
        Choice::Row(row) => {
            let following = row.iter().enumerate().all(|(step, wanted)| {
                tokens.get(at + step).is_some_and(|token| token.word.as_ref() == wanted.as_ref())
            });
            return following.then_some(row.len());
        }
        Choice::Begins(start) => is_word && word.starts_with(start.as_ref()),
        Choice::Ends(end) => is_word && word.len() > end.len() + 1 && word.ends_with(end.as_ref()),
        Choice::Class(name) => {
            let class = classes.get(name)?;
            class.contains(word) || token.kind == TokenKind::Number && class.contains("<num>")
        }
        Choice::AnyWord => is_word,
        Choice::Kind(special) => is_special(*special, token, at),
    };
    stands.then_some(1)
}

fn is_special(special: Special, token: &Token<'_>, at: usize) -> bool {
    let starts_upper = token.text.chars().next().is_some_and(char::is_uppercase);
    match special {
        Special::Number => token.kind == TokenKind::Number,
        Special::Address => token.kind == TokenKind::Address,
        Special::Quote => token.kind == TokenKind::Quote,
        Special::Code => token.kind == TokenKind::Code,
        Special::Place => is_place(token),
        Special::Name => {
            let lower = token.text.chars().skip(1).all(char::is_lowercase);
            token.kind == TokenKind::Word && starts_upper && lower && token.text.len() > 2 && at < 40
        }
        Special::Bare => match token.kind {
            TokenKind::Code => true,
            TokenKind::Word => !DETERMINERS.contains(&token.word.as_ref()),
            _ => false,
        },
        Special::Plural => {
            token.kind == TokenKind::Word
                && token.word.len() > 3
                && token.word.ends_with('s')
                && token.word != "this"
        }
    }
}

/// Words behind which a particular thing stands, or that stand for one.
const DETERMINERS: [&str; 34] = [
    "the", "a", "an", "this", "that", "these", "those", "it", "them", "my", "your", "our", "his", "her",
    "their", "one", "first", "second", "third", "last", "other", "both", "either", "el", "la", "los", "las",
    "der", "die", "das", "le", "les", "o", "os",
];
