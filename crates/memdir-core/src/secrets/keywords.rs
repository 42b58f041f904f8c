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
    /// For each word of the set, what it calls for.
    pub(super) triggers: Vec<Vec<Trigger>>,
    pub(super) words: WordSet,
}

/// Built when the first text is scanned; no regular expression is compiled for it.
pub(super) static KEYWORDS: LazyLock<Keywords> = LazyLock::new(Keywords::new);

impl Keywords {
    pub(super) fn new() -> Self {
        let rules: Vec<LazyRule> = rules::all().map(LazyRule::new).collect();
        let mut wanted: Vec<(String, Trigger)> = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            wanted.extend(
                rule.rule.keywords.iter().map(|word| (word.to_ascii_lowercase(), Trigger::Rule(index))),
            );
        }
        wanted.extend(NAME_WORDS.iter().map(|word| ((*word).to_owned(), Trigger::NameWord)));
        wanted.extend(
            FOREIGN_WORDS.iter().map(|(word, kind)| (word.to_ascii_lowercase(), Trigger::ForeignWord(*kind))),
        );
        wanted.push(("://".to_owned(), Trigger::Url));
        wanted.push(("-begin ".to_owned(), Trigger::Armour));
        wanted.push(("- begin ".to_owned(), Trigger::Armour));
        wanted.push(("private-lines:".to_owned(), Trigger::PuttyLines));
        // The sort is stable: where several rules share a keyword, the table's order decides.
        wanted.sort_by(|first, second| first.0.cmp(&second.0));
        let mut patterns: Vec<String> = Vec::new();
        let mut triggers: Vec<Vec<Trigger>> = Vec::new();
        for (word, trigger) in wanted {
            match (patterns.last() == Some(&word), triggers.last_mut()) {
                (true, Some(last)) => last.push(trigger),
                _ => {
                    patterns.push(word);
                    triggers.push(vec![trigger]);
                }
            }
        }
        let words = WordSet::new(patterns.iter().map(String::as_str));
        Self { rules, triggers, words }
    }
}
