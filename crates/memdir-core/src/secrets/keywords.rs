//! One pass over the text that says which rules are worth trying, and where.

use std::sync::LazyLock;

use super::assignment::{FOREIGN_WORDS, NAME_WORDS};
use super::judge::Kind;
use super::rule::LazyRule;
use super::rules;
use super::word_set::WordSet;

/// What a keyword calls for.
#[derive(Clone, Copy)]
pub(super) enum Trigger {
    Rule(usize),
    NameWord,
    ForeignWord(Kind),
    Url,
    Armour,
    PuttyLines,
}

/// All keywords of all rules, searched together.
pub(super) struct Keywords {
    pub(super) rules: Vec<LazyRule>,
    pub(super) words: WordSet<Trigger>,
}

/// Built when the first text is scanned; no regular expression is compiled for it.
pub(super) static KEYWORDS: LazyLock<Keywords> = LazyLock::new(Keywords::new);

impl Keywords {
    pub(super) fn new() -> Self {
        let rules: Vec<LazyRule> = rules::all().map(LazyRule::new).collect();
        let of_rules = rules.iter().enumerate().flat_map(|(index, rule)| {
            rule.rule.keywords.iter().map(move |word| (*word, Trigger::Rule(index)))
        });
        let words = WordSet::new(
            of_rules
                .chain(NAME_WORDS.iter().map(|word| (*word, Trigger::NameWord)))
                .chain(FOREIGN_WORDS.iter().map(|(word, kind)| (*word, Trigger::ForeignWord(*kind))))
                .chain([
                    ("://", Trigger::Url),
                    ("-begin ", Trigger::Armour),
                    ("- begin ", Trigger::Armour),
                    ("private-lines:", Trigger::PuttyLines),
                ]),
        );
        Self { rules, words }
    }
}
