//! Wishes not to store something: "off the record", "don't save this", "between us", in the languages of extraction.
//!
//! Extraction, the search over sessions and model calls obey them. A wish counts for its whole turn, whether it is said
//! before or after the statement, for the session if it says so, and for the turn before if it has nothing else to be
//! about. A rule of a project ("never store tokens in plain text") is not a wish: it names what is not to be stored, or
//! where. Nor is a question about privacy.
//!
//! Besides some set phrases, a sentence is a wish if it
//! - refuses to keep what was said: a refusal, a word for keeping, and what was said as its object or no object at all;
//! - calls what was said private, or begins so;
//! - takes it out of memory again, or asks to keep it to oneself;
//! - switches memory off.

mod phrases;

use phrases::Sections;

use crate::ablation;

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
    if let Some(last) = WITHDRAWN.iter().flat_map(|phrase| places(&text, phrase)).max() {
        // Only the text as it was said can be cut, so a text that changed its length is withdrawn as a whole.
        let is_said = text.len() == said.len() && said.is_char_boundary(last);
        let is_alone = sentences(&text).count() < 2;
        let withdraws = |sentence: &str| {
            WITHDRAWN.iter().any(|phrase| {
                sentence.starts_with(phrase) || sentence.ends_with(phrase.trim_end_matches([',', '.']))
            })
        };
        let others = sentences(&text).filter(|sentence| !withdraws(sentence));
        return others.filter_map(reach_of).max().or(Some(if is_said && !is_alone {
            Reach::Before(last)
        } else {
            Reach::Turn
        }));
    }
    sentences(&text).filter_map(reach_of).max()
}

/// Whether every sentence of a wish is part of it, and none says what is meant: `Don't keep that, please.`
#[must_use]
pub fn is_bare(said: &str) -> bool {
    const FEWEST: usize = 3;
    let text = normalised(&ends_of(said));
    let names = |sentence: &str| {
        let behind = sentence.split_once([':', '：']).map_or("", |(_, behind)| behind);
        word_count(behind) >= FEWEST
    };
    let is_wish = |sentence: &str| {
        WITHDRAWN.iter().any(|phrase| sentence.contains(phrase.trim_end_matches([',', '.'])))
            || reach_of(sentence).is_some()
    };
    sentences(&text).all(|sentence| (is_wish(sentence) || word_count(sentence) <= FEWEST) && !names(sentence))
}

/// Words that withdraw what was said before them in the same turn.
const WITHDRAWN: [&str; 8] = [
    "forget that,",
    "forget that.",
    "scratch that,",
    "scratch that.",
    "strike that,",
    "strike that.",
    "never mind that",
    "ignore what i just said",
];

/// How much of each end of a turn is looked at.
const END: usize = 4_000;
/// So many words may be between a refusal and what it refuses, and between that and its object.
const REACH: usize = 6;
/// So many may be between taking back and what is taken back.
const NEAR: usize = 4;

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

/// The sentences of a text, without the marks that end them, but for the question mark. A dot inside a name ends nothing.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let mut found = Vec::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map_or(' ', |(_, next)| *next);
        let is_end = match character {
            '\n' | ';' | '。' | '！' | '；' => true,
            '.' | '!' => next.is_whitespace(),
            _ => false,
        };
        let is_question = matches!(character, '?' | '？') && !matches!(next, '?' | '!');
        if is_end || is_question {
            let end = if is_question { at + character.len_utf8() } else { at };
            found.push(text.get(start..end).unwrap_or_default().trim());
            start = at + character.len_utf8();
        }
    }
    found.push(text.get(start..).unwrap_or_default().trim().trim_end_matches(['.', '!']));
    found.into_iter().filter(|part| !part.is_empty())
}

fn reach_of(sentence: &str) -> Option<Reach> {
    // What is refused in a clause of its own belongs to the refusal.
    let plain = sentence.replace(", dass ", " dass ").replace(", que ", " que ");
    let readings: Vec<Reading<'_>> = phrases::each().map(|language| Reading::new(&plain, language)).collect();
    let holds = |section: &'static str| readings.iter().any(|reading| !reading.spots(section).is_empty());
    if readings.iter().any(Reading::asks) {
        return None;
    }
    if holds("alone") || readings.iter().any(Reading::switches_off) {
        return Some(Reach::Session);
    }
    let is_wish = holds("off the record") && !ablation::is_off("set phrases")
        || rules().iter().any(|(name, is)| !ablation::is_off(name) && readings.iter().any(is));
    is_wish.then(|| if holds("session") { Reach::Session } else { Reach::Turn })
}

/// A rule by its name.
type Rule<'s> = (&'static str, fn(&Reading<'s>) -> bool);

/// What makes a sentence a wish besides set phrases.
fn rules<'s>() -> [Rule<'s>; 4] {
    [
        ("private", Reading::is_private),
        ("to self", Reading::keeps_to_self),
        ("take back", Reading::takes_back),
        ("refuse", Reading::refuses_to_keep),
    ]
}

/// Where a phrase is as words of its own; scripts without spaces have no such borders.
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

/// A sentence as one language reads it.
struct Reading<'s> {
    sentence: &'s str,
    language: &'static Sections,
    is_dense: bool,
}

impl<'s> Reading<'s> {
    fn new(sentence: &'s str, language: &'static Sections) -> Self {
        let is_dense =
            language.get("refuse").and_then(|words| words.first()).is_some_and(|word| !is_latin(word));
        Self { sentence, language, is_dense }
    }

    fn words(&self, section: &str) -> &'static [&'static str] {
        self.language.get(section).map(Vec::as_slice).unwrap_or_default()
    }

    fn spots(&self, section: &str) -> Vec<Spot> {
        let spots = |phrase: &&'static str| {
            let length = phrase.len();
            places(self.sentence, phrase).map(move |at| (at, at + length)).collect::<Vec<_>>()
        };
        self.words(section).iter().flat_map(spots).collect()
    }

    fn between(&self, from: usize, to: usize) -> &'s str {
        self.sentence.get(from..to).unwrap_or_default()
    }

    fn behind(&self, spot: Spot) -> &'s str {
        self.sentence.get(spot.1..).unwrap_or_default()
    }

    /// How many words are between two spots, the first of which ends before the other.
    fn gap(&self, first: Spot, second: Spot) -> Option<usize> {
        (first.1 <= second.0).then(|| word_count(self.between(first.1, second.0)))
    }

    /// The same within one clause.
    fn close_gap(&self, first: Spot, second: Spot) -> Option<usize> {
        self.gap(first, second).filter(|_| !self.between(first.1, second.0).contains(STOPS))
    }

    /// Whether nothing is named any more behind a spot: the clause ends, or with a word of politeness. A colon ends it
    /// unless `is_rule` says that what follows may be what the rule is about.
    fn ends_behind(&self, spot: Spot, is_rule: bool) -> bool {
        let (clause, stop) = clause(self.behind(spot));
        let is_short = self.is_dense && word_count(clause) <= 1;
        self.words("close").contains(&clause)
            || is_short
            || clause.is_empty() && !(is_rule && matches!(stop, Some(':' | '：')))
    }

    /// A question about what is kept, rather than a wish.
    fn asks(&self) -> bool {
        let Some(question) = self.sentence.strip_suffix(['?', '？']) else { return false };
        let (first, rest) = question.split_once(' ').unwrap_or((question, ""));
        let question =
            if ["so", "and", "but", "und", "aber", "et", "mais", "y", "pero", "e", "mas"].contains(&first) {
                rest
            } else {
                question
            };
        self.words("question").iter().any(|word| places(question, word).next() == Some(0))
    }

    /// "Turn off memory for now."
    fn switches_off(&self) -> bool {
        let offs = self.spots("off");
        self.spots("switch").into_iter().any(|memory| {
            let (clause, _) = clause(self.behind(memory));
            let next = clause.split(' ').next().unwrap_or_default();
            let is_whole = self.is_dense || clause.is_empty() || self.words("switch behind").contains(&next);
            is_whole
                && offs.iter().any(|off| {
                    let before = self.close_gap(*off, memory);
                    before
                        .or_else(|| self.close_gap(memory, *off).filter(|_| self.is_dense))
                        .is_some_and(|words| words <= 1)
                })
        })
    }

    /// "Confidential: …", "that stays private".
    fn is_private(&self) -> bool {
        let objects = self.spots("this");
        self.spots("private").into_iter().any(|private| {
            let before = self.between(0, private.0).trim_end();
            let starts = word_count(before) <= 1 || before.ends_with(STOPS);
            let is_said_of =
                objects.iter().any(|object| self.gap(*object, private).is_some_and(|words| words < REACH));
            let ends = self.is_dense && word_count(before) <= REACH || self.ends_behind(private, false);
            ends && (starts || is_said_of || self.is_dense)
        })
    }

    /// "Keep it to yourself."
    fn keeps_to_self(&self) -> bool {
        let kept = self.spots("keep");
        self.spots("to self")
            .into_iter()
            .any(|own| kept.iter().any(|kept| self.close_gap(*kept, own).is_some_and(|words| words <= NEAR)))
    }

    /// "Forget what I said", "wipe that from memory"; not "don't forget".
    fn takes_back(&self) -> bool {
        const LATER: [&str; 3] = ["nicht", "pas", "jamais"];
        let nots = self.spots("not");
        let mut told = self.spots("told");
        told.extend(self.spots(if self.is_dense { "switch" } else { "memory" }));
        let forgets = self.spots("forget");
        self.spots("erase").into_iter().any(|erased| {
            let behind = self.behind(erased);
            let is_denied = nots.iter().any(|not| self.gap(*not, erased) == Some(0))
                || nots
                    .iter()
                    .any(|not| self.is_dense && self.gap(erased, *not).is_some_and(|words| words <= 1))
                || LATER.iter().any(|not| behind.trim_start().starts_with(not))
                || self.is_double_negation(erased);
            let is_of_told = told.iter().any(|told| {
                let gap =
                    self.gap(erased, *told).or_else(|| self.gap(*told, erased).filter(|_| self.is_dense));
                gap.is_some_and(|words| words <= if self.is_dense { REACH } else { NEAR })
            });
            let (clause, _) = clause(behind);
            // `Forget that` speaks of what was said; `delete that` may speak of a file.
            let is_bare = forgets.contains(&erased)
                && self.words("this").contains(&clause.split(' ').next().unwrap_or_default())
                && (clause.split(' ').count() == 1
                    || self.words("close").contains(&clause.split_once(' ').map_or("", |(_, rest)| rest)));
            !is_denied && (is_of_told || is_bare)
        })
    }

    /// "Don't forget" and its like ask for the contrary.
    fn is_double_negation(&self, refusal: Spot) -> bool {
        let forgets = self.spots("forget");
        let denies = |one: Spot, other: Spot| self.gap(one, other) == Some(0);
        let nots = self.spots("not");
        forgets.iter().any(|forget| denies(refusal, *forget))
            || forgets.contains(&refusal)
                && nots.iter().any(|not| denies(*not, refusal) || denies(refusal, *not))
    }

    /// "Don't save this": a refusal, a word for keeping, and what was said as its object. Where it would be kept decides: in
    /// memory is a wish, in a file or a table is a rule of the project.
    fn refuses_to_keep(&self) -> bool {
        const RULES: [&str; 4] = ["don't", "do not", "never", "dont"];
        let of_others = self.spots("they");
        let refusals = self.spots("refuse").into_iter().filter(|refusal| {
            // "We never store it" tells what is so; "No, keep it" refuses something else.
            !self.behind(*refusal).starts_with([',', '，', '、', ':'])
                && !of_others.iter().any(|other| self.gap(*other, *refusal) == Some(0))
                && !self.is_double_negation(*refusal)
        });
        let refusals: Vec<Spot> = refusals.collect();
        if refusals.is_empty() {
            return false;
        }
        let memory = self.spots("memory");
        let names_memory = !memory.is_empty() || !self.spots("switch").is_empty();
        let mut keeping = self.spots("keep");
        if names_memory {
            keeping.extend(self.spots("put"));
        }
        let objects = self.objects();
        let places = self.spots("into");
        let either_order = self.language.contains_key("order");
        let is_object = |object: &Spot, kept: Spot| {
            let behind = self.close_gap(kept, *object);
            behind.or_else(|| self.gap(*object, kept)).is_some_and(|words| words <= REACH)
        };
        refusals.into_iter().any(|refusal| {
            let is_rule = RULES.contains(&self.between(refusal.0, refusal.1));
            let follows = |spot: Spot| {
                let before = || self.close_gap(spot, refusal).filter(|_| either_order);
                self.close_gap(refusal, spot).or_else(before).is_some_and(|words| words <= REACH)
            };
            let in_memory = memory.iter().filter(|spot| follows(**spot)).any(|spot| {
                let most = if self.is_dense { 1 } else { 2 };
                let is_near = self.gap(refusal, *spot).is_some_and(|words| words <= most);
                objects.iter().any(|object| is_object(object, *spot))
                    || is_near && self.ends_behind(*spot, is_rule)
            });
            in_memory
                || keeping.iter().filter(|kept| follows(**kept)).any(|kept| {
                    let other_between = |other: &&Spot| refusal.1 <= other.0 && other.1 <= kept.0;
                    // "Nothing is saved until they press Save."
                    if !self.is_dense && !names_memory && keeping.iter().any(|other| other_between(&other)) {
                        return false;
                    }
                    let names_nothing = match refusal.0 >= kept.1 && self.is_dense {
                        true => self.is_verb_alone(*kept, refusal),
                        false => self.ends_behind(*kept, is_rule),
                    };
                    // What names a place that is not memory is a rule about that place.
                    let is_placed = places
                        .iter()
                        .any(|into| self.close_gap(*kept, *into).is_some_and(|words| words <= 3));
                    (names_nothing || objects.iter().any(|object| is_object(object, *kept)))
                        && (names_memory || !is_placed)
                })
        })
    }

    /// Whether a verb that ends its clause names nothing before it: `メモしないで`.
    fn is_verb_alone(&self, kept: Spot, refusal: Spot) -> bool {
        let mut before = self.between(0, kept.0).rsplit(STOPS).next().unwrap_or_default().to_owned();
        for section in ["memory", "switch", "session"] {
            self.words(section).iter().for_each(|word| before = before.replace(word, ""));
        }
        word_count(&before) <= 1 && word_count(self.between(kept.1, refusal.0)) <= 2
    }

    /// What was said, as a word: `this`, but not in `this function`.
    fn objects(&self) -> Vec<Spot> {
        const POINTERS: [&str; 4] = ["this", "that", "these", "those"];
        let nouns = self.words("noun");
        let mut objects = self.spots("this");
        objects.extend(self.spots("session"));
        objects.retain(|spot| {
            let is_pointer = POINTERS.contains(&self.between(spot.0, spot.1));
            let next = self.behind(*spot).trim_start();
            let word = next.split(|c: char| !c.is_alphanumeric() && c != '\'').next().unwrap_or_default();
            !is_pointer || word.is_empty() || nouns.contains(&word)
        });
        objects
    }
}

/// Marks that end a clause.
const STOPS: [char; 12] = [',', ';', ':', '，', '；', '：', '、', '–', '—', '(', '（', ')'];

/// The clause that a text begins with, without the marks around it, and the mark that ends it.
fn clause(text: &str) -> (&str, Option<char>) {
    let end = text.find(STOPS);
    let clause = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    let stop = end.and_then(|end| text.get(end..)).and_then(|rest| rest.chars().next());
    (clause.trim_matches(|character: char| !character.is_alphanumeric()), stop)
}

fn is_latin(word: &str) -> bool {
    word.chars().all(|character| (character as u32) < 0x2e80)
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

    #[test]
    fn questions_and_reminders_are_not_wishes() {
        for said in include_str!("off_the_record/no_wishes.txt").lines() {
            assert_eq!(wish(said), None, "{said}");
        }
    }

    #[test]
    fn wishes_are_understood_in_free_words() {
        for said in include_str!("off_the_record/wishes.txt").lines() {
            assert!(wish(said).is_some(), "{said}");
        }
    }

    #[test]
    fn a_wish_without_a_statement_is_about_the_turn_before() {
        for case in [
            "Always use yarn in this repository. ||| Hm, please wipe that from your memory, I should not have told you about it.",
            "Incognito please, and do not take any notes. ||| Always use yarn in this repository.",
        ] {
            assert_eq!(stored(case), [""; 0], "{case}");
        }
        assert_eq!(
            stored("Always use yarn in this repository. ||| Don't save this, but always answer in German.")
                .len(),
            1
        );
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
