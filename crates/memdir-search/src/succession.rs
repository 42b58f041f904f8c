//! Which of several texts about the same thing comes first: what replaces another, and else what was written later.
//!
//! Words alone prefer the old text as often as the new one. Measured by `scripts/bench-successors.py`.

use std::collections::HashSet;

use crate::analyze::{Analyzer, Sort, Term, TermMap, fold_text, words};

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
    /// Whether it is a memory, which says one thing. Other files are long, and their dates say less.
    pub(crate) is_memory: bool,
    /// How much of the question it holds, from 0 to 1.
    pub(crate) answers: f32,
    /// Its names and numbers: they tell one text about a thing from others of the same subject.
    pub(crate) particulars: HashSet<Term>,
    /// Whether a memory says in words that something is different now.
    pub(crate) tells_of_change: bool,
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
/// A later memory need not answer as well, if it says what the older one says of the question, and this share of the
/// rest. These two and the next were fitted to pairs and to memories that must keep their place; see the README in
/// data/successors.
const REPEATED: f32 = 0.2;
/// It may say less of the question if it repeats a name or a number of the older one, as in "Nx replaces Bazel".
const ASKED_WITH_NAME: f32 = 0.3;
/// The older one must hold so much of the question, or it is about something else.
const LEAST_ANSWERED: f32 = 0.5;
/// If more of the words are capitalised, a capital makes no name: German nouns.
const MOST_CAPITALS: f32 = 0.34;
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

/// Words by which a memory tells of a change, folded.
static CHANGED: &[&str] = &[
    " now ",
    " now,",
    " now.",
    "since ",
    "moved to",
    "switched",
    "no longer",
    "any more",
    "anymore",
    "dropped",
    "gone",
    "renamed",
    "replaced",
    "replaces",
    "instead",
    "seit ",
    "jetzt ",
    "nicht mehr",
    "nur noch",
    "ersetzt",
    "depuis ",
    "desormais",
    "remplace",
    "desde ",
    "ahora ",
    "agora ",
    "现在",
    "改用",
    "今は",
    "代わりに",
];

/// The names and numbers of a text, as terms: words with a digit or a capital inside, and those that begin with a capital
/// and no sentence.
fn particulars_of(text: &str, analyzer: &mut Analyzer) -> HashSet<Term> {
    let (mut sure, mut capitals, mut n_words, mut at) = (Vec::new(), Vec::new(), 0_usize, 0);
    for word in words(text) {
        let word = word.text();
        let before = text.get(..at).unwrap_or_default();
        let gap = text.get(at..).and_then(|rest| rest.get(..rest.find(word)?)).unwrap_or_default();
        at = before.len() + gap.len() + word.len();
        n_words += 1;
        let begins = before.is_empty() || gap.contains(['.', '!', '?', ':', ';', '\n', '#', '*']);
        if word.chars().any(char::is_numeric) || word.chars().skip(1).any(char::is_uppercase) {
            sure.push(word);
        } else if !begins && word.chars().next().is_some_and(char::is_uppercase) {
            capitals.push(word);
        }
    }
    if capitals.len() as f32 <= MOST_CAPITALS * n_words as f32 {
        sure.append(&mut capitals);
    }
    let mut terms = HashSet::new();
    for word in sure {
        analyzer.each_term(word, |term, _, sort| {
            if sort == Sort::Word {
                terms.insert(term);
            }
        });
    }
    terms
}

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
        let is_turn = self.apart < FILES_APART;
        if !self.is_memory && !is_turn {
            return;
        }
        let all: f32 = question.values().sum();
        self.answers = self.asked.values().sum::<f32>() / all.max(f32::EPSILON);
        self.particulars.extend(particulars_of(text, analyzer));
        let head = fold_text(text.get(..text.floor_char_boundary(AMENDING_BYTES)).unwrap_or_default());
        let says_any = |those: &[&str]| those.iter().any(|words| head.contains(words));
        self.amends |= is_turn && says_any(AMENDING);
        self.tells_of_change |= self.is_memory && says_any(CHANGED);
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

    /// Whether the question names something that the other one holds and this one does not: "release 1.2", "the API". Then
    /// it is about another thing of the same kind, and both hold.
    fn is_about_another_than(&self, other: &Self) -> bool {
        other.particulars.iter().any(|term| other.asked.contains_key(term) && !self.words.contains(term))
    }

    /// Whether both are memories and this one says the same thing as it was later.
    fn is_newer_memory_than(&self, other: &Self, shared: f32) -> bool {
        if !self.is_memory || !other.is_memory || other.answers < LEAST_ANSWERED {
            return false;
        }
        let unasked = |terms: &HashSet<Term>| -> Vec<Term> {
            terms.iter().filter(|term| !other.asked.contains_key(term)).copied().collect()
        };
        let held = |terms: &[Term]| terms.iter().filter(|term| self.words.contains(term)).count();
        let rest = unasked(&other.words);
        let repeats = held(&rest) as f32 >= REPEATED * rest.len().max(1) as f32;
        shared >= ANSWERED && (repeats || self.tells_of_change)
            || shared >= ASKED_WITH_NAME && held(&unasked(&other.particulars)) > 0
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
        let is_later =
            self.superseded_by.is_empty() && self.is_later_than(other) && !self.is_about_another_than(other);
        is_later && (is_newer_version || is_amendment || self.is_newer_memory_than(other, shared))
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
        order_as(texts, false, "port of the staging database")
    }

    fn order_as(texts: &[(&str, i64, &str)], is_memory: bool, asked: &str) -> Vec<usize> {
        let mut analyzer = Analyzer::new();
        let mut question = TermMap::default();
        analyzer.each_term(asked, |term, _, _| {
            question.insert(term, 1.0);
        });
        let dated = |(text, day, superseded_by): &(&str, i64, &str)| {
            let mut dated = DatedText {
                names: vec![format!("day-{day}")],
                superseded_by: (*superseded_by).to_owned(),
                time: Some(day * 86_400),
                score: 1.0,
                is_memory,
                apart: if is_memory { FILES_APART } else { 0 },
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
        let (api, browser) = ("log errors of the API to Loki", "log errors of the browser to Sentry instead");
        let order = order_as(&[(api, 1, ""), (browser, 2, "")], false, "log errors of the API");
        assert_eq!(order, [0, 1], "the same about another thing");
        let near = "back up the staging database through its port every night, keep 14 copies in the vault";
        assert_eq!(order_of(&[(old, 1, ""), (near, 2, "")]), [0, 1], "the same words about another thing");
    }

    #[test]
    fn a_later_memory_about_the_same_thing_comes_first_and_a_neighbour_does_not() {
        for (asked, old, later, passes) in [
            (
                "where does our CI run",
                "CI runs on CircleCI.",
                "CI is on GitHub Actions; CircleCI was closed.",
                true,
            ),
            ("invoice numbers", "Invoice numbers start at 1.", "Invoice numbers are now one sequence.", true),
            (
                "invoice numbers",
                "Invoice numbers start with the year.",
                "Invoice numbers start with a letter.",
                true,
            ),
            ("invoice numbers", "Invoice numbers start at 1.", "Invoices are kept for ten years.", false),
            (
                "port of the staging database",
                "The staging database has port 5433.",
                "The production database has port 5432 now.",
                false,
            ),
            (
                "auf welchem Port läuft der Server",
                "Der Server läuft auf Port 80.",
                "Der Server schreibt ins Protokoll.",
                false,
            ),
            (
                "import of release 1.2",
                "Release 1.2 broke the import of CSV files.",
                "Release 1.3 fixed the import of CSV files and dropped XLS.",
                false,
            ),
        ] {
            let expected: &[usize] = if passes { &[1, 0] } else { &[0, 1] };
            assert_eq!(order_as(&[(old, 1, ""), (later, 2, "")], true, asked), expected, "{later}");
            assert_eq!(order_as(&[(old, 2, ""), (later, 1, "")], true, asked), [0, 1], "{later}");
        }
    }
}
