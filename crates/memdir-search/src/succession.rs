//! Which of several texts about the same thing comes first: what replaces another, and else what was written later.
//!
//! Words alone prefer the old text as often as the new one. Measured by `scripts/bench-successors.py`.

use std::collections::HashSet;

use crate::analyze::{Analyzer, Sort, Term, TermMap, fold_text};

/// A text in a ranking, as far as it decides what replaces what.
#[derive(Debug, Clone, Default)]
pub(crate) struct DatedText {
    /// The names under which a mark may name it.
    pub(crate) names: Vec<String>,
    /// The name of what replaced it; empty if nothing did.
    pub(crate) superseded_by: String,
    /// When it was written, in seconds; `None` if that is not known.
    pub(crate) time: Option<i64>,
    /// How much later another text must be dated to count as later, in seconds.
    pub(crate) apart: i64,
    /// How well it answers.
    pub(crate) score: f32,
    /// The words that say what it is about.
    pub(crate) words: HashSet<Term>,
    /// The words of the question that it holds, with their weights.
    pub(crate) asked: TermMap<f32>,
    /// Whether a user says in a session that something shall be different from now on. In files, "instead" and
    /// "no longer" mostly describe what code does.
    pub(crate) amends: bool,
}

/// Files that were written within an hour were written as one: a copy, a checkout, a first import.
pub(crate) const FILES_APART: i64 = 3_600;

/// So many of the words of both must be in both for them to be about the same thing. Half of the shorter text's words
/// were not enough: functions that do different things then passed each other (CoSQA with dates: 3.4 NDCG less).
const SAME_THING: f32 = 0.43;
/// Fewer words in common are chance.
const FEWEST_SHARED: usize = 3;
/// It must hold so much of what the other one holds of the question.
const ANSWERED: f32 = 0.95;
/// A later text must answer nearly as well.
const LEAST_SCORE: f32 = 0.9;
/// An amendment must hold so much of what the amended text holds of the question.
const AMENDED: f32 = 0.65;
/// An amendment is short, and may answer worse by its words.
const LEAST_AMENDMENT: f32 = 0.4;
/// How much of a text is looked at for words that amend: they are at its beginning.
const AMENDING_BYTES: usize = 400;

/// Words by which a person changes what was said before, folded.
static AMENDING: &[&str] = &[
    "from now on",
    "as of today",
    "as of now",
    "instead",
    "no longer",
    "any more",
    "anymore",
    "changed my mind",
    "change of plan",
    "scratch that",
    "forget ",
    "actually,",
    "no, ",
    "replaces ",
    "ab jetzt",
    "ab sofort",
    "stattdessen",
    "nicht mehr",
    "doch lieber",
    "desormais",
    "a la place",
    "plutot",
    "a partir de ahora",
    "en lugar de",
    "a partir de agora",
    "em vez de",
    "今後は",
    "代わりに",
    "从现在起",
    "改用",
];

impl DatedText {
    /// Adds what the text says.
    pub(crate) fn read(&mut self, text: &str, question: &TermMap<f32>, analyzer: &mut Analyzer) {
        analyzer.each_term(text, |term, _, sort| {
            if sort == Sort::Word {
                self.words.insert(term);
            }
            if let Some(weight) = question.get(&term) {
                self.asked.insert(term, *weight);
            }
        });
        if self.apart >= FILES_APART {
            return;
        }
        let head = fold_text(text.get(..text.floor_char_boundary(AMENDING_BYTES)).unwrap_or_default());
        self.amends |= AMENDING.iter().any(|words| head.contains(words));
    }

    fn is_later_than(&self, other: &Self) -> bool {
        matches!((self.time, other.time), (Some(own), Some(others)) if own - others >= self.apart.max(1))
    }

    fn is_about_the_same_as(&self, other: &Self) -> bool {
        let shared = self.words.intersection(&other.words).count();
        let all = self.words.len() + other.words.len() - shared;
        shared >= FEWEST_SHARED && shared as f32 >= SAME_THING * all as f32
    }

    /// How much of what another text holds of the question this one holds too, from 0 to 1.
    fn shares_asked_with(&self, other: &Self) -> f32 {
        let held: f32 = other.asked.values().sum();
        let shared = other.asked.iter().filter(|(term, _)| self.asked.contains_key(term));
        let shared: f32 = shared.map(|(_, weight)| weight).sum();
        if held > 0.0 { shared / held } else { 0.0 }
    }

    /// Whether this text comes before another that answers better.
    fn passes(&self, other: &Self) -> bool {
        if !other.superseded_by.is_empty() {
            return self.names.contains(&other.superseded_by);
        }
        let shared = self.shares_asked_with(other);
        let is_newer_version =
            shared >= ANSWERED && self.is_about_the_same_as(other) && self.score >= LEAST_SCORE * other.score;
        let is_amendment = self.amends && shared >= AMENDED && self.score >= LEAST_AMENDMENT * other.score;
        self.superseded_by.is_empty() && self.is_later_than(other) && (is_newer_version || is_amendment)
    }
}

/// The order of texts that are ranked by score, as places in that ranking.
pub(crate) fn order(texts: &[DatedText]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(texts.len());
    for (place, text) in texts.iter().enumerate() {
        let passed = order.iter().position(|other| texts.get(*other).is_some_and(|other| text.passes(other)));
        order.insert(passed.unwrap_or(order.len()), place);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order_of(texts: &[(&str, i64, &str)]) -> Vec<usize> {
        let mut analyzer = Analyzer::new();
        let mut question = TermMap::default();
        analyzer.each_term("port of the staging database", |term, _, _| {
            question.insert(term, 1.0);
        });
        let dated = |(text, day, superseded_by): &(&str, i64, &str)| {
            let mut dated = DatedText {
                names: vec![format!("day-{day}")],
                superseded_by: (*superseded_by).to_owned(),
                time: Some(day * 86_400),
                score: 1.0,
                ..DatedText::default()
            };
            dated.read(text, &question, &mut analyzer);
            dated
        };
        order(&texts.iter().map(dated).collect::<Vec<_>>())
    }

    #[test]
    fn what_replaces_another_comes_first() {
        let old = "the staging database listens on port 5433";
        let new = "the staging database listens on port 6010";
        assert_eq!(order_of(&[(old, 1, ""), (new, 2, "")]), [1, 0], "the later one");
        assert_eq!(order_of(&[(new, 2, ""), (old, 1, "")]), [0, 1]);
        assert_eq!(order_of(&[(old, 1, ""), ("tea is in the kitchen", 2, "")]), [0, 1], "another thing");
        assert_eq!(order_of(&[(old, 1, "day-2"), ("use the tunnel", 2, "")]), [1, 0], "a mark");
        assert_eq!(order_of(&[(new, 1, ""), (old, 2, "day-1")]), [0, 1], "a mark counts more than dates");
        let amendment = "no, the staging database is behind the tunnel instead";
        assert_eq!(order_of(&[(old, 1, ""), (amendment, 2, "")]), [1, 0], "an amendment");
        assert_eq!(order_of(&[(old, 3, ""), (amendment, 2, "")]), [0, 1], "nothing amends what comes later");
        let near = "back up the staging database through its port every night, keep 14 copies in the vault";
        assert_eq!(order_of(&[(old, 1, ""), (near, 2, "")]), [0, 1], "the same words about another thing");
    }
}
