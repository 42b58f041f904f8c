//! What sentences say by their words: a table for each language, made when the first sentence of that language comes.

use std::sync::OnceLock;

use aho_corasick::AhoCorasick;

use super::language::Language;
use super::pattern::{Begins, Choice, Held, Need, Pattern, Pieces};
use super::token::Token;
use super::vocabulary::Vocabulary;
use crate::ablation;

mod eastern;

pub(super) use eastern::{ADDRESS, CODE, QUOTE};

/// What a phrase is a sign of. The names are those of the sections in the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Cue {
    /// How to work, said so that it can only be meant for good.
    FeedbackStrong,
    /// How to work, unless the turn is about one task.
    Feedback,
    /// How to work, if a reason or a wide scope is given with it.
    FeedbackWeak,
    User,
    Project,
    /// The project, if a reason is given with it.
    ProjectWeak,
    /// An event that, with a date, is a deadline.
    Deadline,
    /// A thing that is kept somewhere, in the words that say so.
    Kept,
    /// A reason is given.
    Reason,
    /// Meant for the whole project or the whole team.
    Scope,
    /// A question that asks the agent to behave in another way.
    Asked,
    Question,
    Hypothetical,
    OneOff,
    /// A day that is near: one-off for a rule, but a date for a deadline.
    Soon,
    Reported,
    Sarcasm,
    /// The words are material: to be written, translated, built.
    Content,
    /// The turn asks for one piece of work.
    Task,
    Withdraw,
    /// What follows the colon is quoted from another person.
    Paste,
    /// What follows the colon are rules of the speaker.
    RuleIntro,
    /// Words of lasting.
    Durable,
    /// Words that ask for something.
    Directive,
    /// The work itself: answers, commits, tests, names.
    Process,
    /// Liking and disliking.
    Preference,
    /// A case that comes again and again.
    Generic,
    /// One particular thing.
    Specific,
    /// What the product does, rather than how it is made.
    Spec,
    /// A person or a thing outside the project that sets limits.
    External,
    /// Words that set limits.
    Modal,
    /// What the speaker usually does, knows or lacks.
    Habit,
    /// Being kept somewhere.
    Locative,
    /// What the agent did and should not have.
    Complaint,
    /// What went wrong before, as a reason.
    Experience,
    /// Another person's text is handed over.
    Handover,
    /// A part is to be played, and the rest of the prompt belongs to the play.
    Role,
    /// What the agent did was right, and is to be done so again.
    Approval,
    /// What worked in the end, or what the cause was.
    HardWon,
}

/// The sections of the tables.
pub(super) const SECTIONS: [(&str, Cue); 39] = [
    ("feedback strong", Cue::FeedbackStrong),
    ("feedback", Cue::Feedback),
    ("feedback weak", Cue::FeedbackWeak),
    ("user", Cue::User),
    ("project", Cue::Project),
    ("project weak", Cue::ProjectWeak),
    ("deadline", Cue::Deadline),
    ("kept", Cue::Kept),
    ("reason", Cue::Reason),
    ("scope", Cue::Scope),
    ("asked", Cue::Asked),
    ("question", Cue::Question),
    ("hypothetical", Cue::Hypothetical),
    ("one-off", Cue::OneOff),
    ("soon", Cue::Soon),
    ("reported", Cue::Reported),
    ("sarcasm", Cue::Sarcasm),
    ("content", Cue::Content),
    ("task", Cue::Task),
    ("withdraw", Cue::Withdraw),
    ("paste", Cue::Paste),
    ("rule-intro", Cue::RuleIntro),
    ("durable", Cue::Durable),
    ("directive", Cue::Directive),
    ("process", Cue::Process),
    ("preference", Cue::Preference),
    ("generic", Cue::Generic),
    ("specific", Cue::Specific),
    ("spec", Cue::Spec),
    ("external", Cue::External),
    ("modal", Cue::Modal),
    ("habit", Cue::Habit),
    ("locative", Cue::Locative),
    ("complaint", Cue::Complaint),
    ("experience", Cue::Experience),
    ("handover", Cue::Handover),
    ("role", Cue::Role),
    ("approval", Cue::Approval),
    ("hard-won", Cue::HardWon),
];

impl Cue {
    fn parse(section: &str) -> Option<Self> {
        SECTIONS.iter().find(|(name, _)| *name == section).map(|(_, cue)| *cue)
    }
}

/// The cues of one sentence, each with the place where it was first found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CueSet([u32; CUES]);

const CUES: usize = 40;
const NOWHERE: u32 = u32::MAX;

impl Default for CueSet {
    fn default() -> Self {
        Self([NOWHERE; CUES])
    }
}

impl CueSet {
    pub(super) fn has(&self, cue: Cue) -> bool {
        self.place(cue).is_some()
    }

    /// Where a cue was found first: places compare within one sentence.
    pub(super) fn place(&self, cue: Cue) -> Option<u32> {
        self.0.get(cue as usize).copied().filter(|place| *place != NOWHERE && !is_off(cue))
    }

    fn add(&mut self, cue: Cue, at: usize) {
        if let Some(place) = self.0.get_mut(cue as usize) {
            *place = (*place).min(u32::try_from(at).unwrap_or(NOWHERE - 1));
        }
    }
}

/// Whether `scripts/ablate` has switched a section off.
fn is_off(cue: Cue) -> bool {
    ablation::is_any() && SECTIONS.iter().any(|(name, other)| *other == cue && ablation::is_off(name))
}

/// A pattern that may match at a token, with what can be told of that at once.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    pattern: usize,
    /// What it is a sign of.
    cue: Cue,
    /// The rarest of what a sentence must hold; kept here, because most patterns end with this.
    rarest: Pieces,
}

/// The patterns that can begin with one word, by where they can.
#[derive(Debug, Default)]
struct Candidates {
    anywhere: Vec<Candidate>,
    at_clause: Vec<Candidate>,
    at_sentence: Vec<Candidate>,
}

/// The table of one language.
pub(super) struct Cues {
    cues: Vec<(Cue, Pattern)>,
    /// For every pattern, what a sentence must hold.
    needs: Vec<Vec<Need>>,
    vocabulary: Vocabulary,
    /// The patterns that can begin with a word, by its number.
    by_word: Vec<Candidates>,
    /// The class of words that only link clauses.
    links: u64,
    /// The class of words that tell what happened.
    past: u64,
    /// Patterns whose first element is not a plain word, and the kinds of pieces that can begin one of them.
    wild: Vec<(u8, Begins, Candidate)>,
    wild_kinds: u8,
    /// For languages without spaces: where any pattern could begin.
    finder: Option<(AhoCorasick, Vec<usize>)>,
    problems: Vec<String>,
}

impl Cues {
    /// The table of a language, read when the first sentence of it comes.
    pub(super) fn of(language: Language) -> &'static Self {
        static TABLES: [OnceLock<Cues>; Language::ALL.len()] =
            [const { OnceLock::new() }; Language::ALL.len()];
        static NONE: OnceLock<Cues> = OnceLock::new();
        let table = TABLES.get(language as usize).unwrap_or(&NONE);
        table.get_or_init(|| Self::parse(language.table(), language.is_eastern()))
    }

    fn parse(table: &str, is_eastern: bool) -> Self {
        let mut cues = Self {
            cues: Vec::new(),
            needs: Vec::new(),
            vocabulary: Vocabulary::default(),
            by_word: Vec::new(),
            links: 0,
            past: 0,
            wild: Vec::new(),
            wild_kinds: 0,
            finder: None,
            problems: Vec::new(),
        };
        let (mut section, mut is_text) = (None, false);
        for line in table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                is_text = name.starts_with("text ");
                section = Cue::parse(name);
                if section.is_none() && !is_text {
                    cues.problems.push(format!("no section {name}"));
                }
            } else if is_text {
                // How notes say it is read elsewhere.
            } else if let (None, Some((name, words))) = (section, class_line(line)) {
                if !cues.vocabulary.add_class(name, words) {
                    cues.problems.push(format!("one class too many: {name}"));
                }
            } else if let Some(cue) = section {
                cues.cues.push((cue, Pattern::parse(line, &mut cues.vocabulary)));
            } else {
                cues.problems.push(format!("outside of any section: {line}"));
            }
        }
        cues.links = cues.vocabulary.class("skip");
        cues.past = cues.vocabulary.class("debug");
        cues.needs = cues.cues.iter().map(|(_, pattern)| pattern.needs()).collect();
        // What is rarest is asked for first.
        cues.needs.iter_mut().for_each(|needs| needs.sort_by_key(|need| need.pieces.width()));
        if is_eastern {
            cues.find_by_text();
        } else {
            cues.find_by_word();
        }
        cues.vocabulary.add_marks();
        cues
    }

    fn find_by_word(&mut self) {
        self.by_word.resize_with(self.vocabulary.len(), Candidates::default);
        for (at, (cue, pattern)) in self.cues.iter().enumerate() {
            let needs = self.needs.get(at).map(Vec::as_slice).unwrap_or_default();
            let candidate = Candidate {
                pattern: at,
                cue: *cue,
                rarest: needs.first().map_or(Pieces::ANY, |need| need.pieces),
            };
            let begins = pattern.begins();
            let mut wild = 0;
            let mut firsts = Vec::new();
            for choice in pattern.first() {
                match choice {
                    Choice::Word(word, _) => firsts.push(*word),
                    Choice::Row(row) => firsts.extend(row.first()),
                    Choice::Class(0) => self.problems.push(format!("no such class: pattern {at}")),
                    Choice::Class(bits) => {
                        firsts.extend(self.vocabulary.words_of(*bits).map(|(_, number)| number));
                    }
                    Choice::Kind(kinds) => wild |= kinds,
                    _ => wild = u8::MAX,
                }
            }
            for first in firsts {
                if let Some(patterns) = self.by_word.get_mut(first as usize) {
                    let patterns = match begins {
                        Begins::Anywhere => &mut patterns.anywhere,
                        Begins::Clause => &mut patterns.at_clause,
                        Begins::Sentence => &mut patterns.at_sentence,
                    };
                    patterns.push(candidate);
                }
            }
            if wild != 0 {
                self.wild.push((wild, begins, candidate));
                self.wild_kinds |= wild;
            }
        }
    }

    /// Looks every token up, and marks where clauses start: behind punctuation, and behind the words that only link a
    /// clause to the last one.
    pub(super) fn prepare(&self, tokens: &mut [Token<'_>]) {
        let mut starts = true;
        for token in tokens {
            token.sign = self.vocabulary.sign(token);
            let is_mark = token.kind == super::token::TokenKind::Mark;
            token.starts_clause = starts && !is_mark;
            let links = token.sign.classes & self.links != 0;
            starts = is_mark || starts && links;
        }
    }

    /// Whether a sentence ends like a question although no mark says so.
    pub(super) fn is_question_mark(&self, sentence: &str) -> bool {
        self.finder.is_some()
            && ["吗", "呢", "ですか", "ますか", "でしょうか"]
                .iter()
                .any(|end| sentence.trim_end_matches(['。', '.', '！', '!']).ends_with(end))
    }

    /// Whether a sentence tells what happened.
    pub(super) fn speaks_of_past(&self, tokens: &[Token<'_>]) -> bool {
        tokens.iter().any(|token| token.sign.classes & self.past != 0)
    }

    /// What the words of a sentence are signs of.
    pub(super) fn of_tokens(&self, tokens: &[Token<'_>]) -> CueSet {
        let mut found = CueSet::default();
        let held = Held::of(tokens);
        let mut starts_sentence = true;
        for (at, token) in tokens.iter().enumerate() {
            let is_mark = token.kind == super::token::TokenKind::Mark;
            let begins_sentence = starts_sentence && token.starts_clause;
            starts_sentence &= token.starts_clause || is_mark;
            // The lists of number 0, unnamed words, are empty.
            if let Some(candidates) = self.by_word.get(token.sign.word as usize) {
                let at_clause = if token.starts_clause { candidates.at_clause.as_slice() } else { &[] };
                let at_sentence = if begins_sentence { candidates.at_sentence.as_slice() } else { &[] };
                for candidate in candidates.anywhere.iter().chain(at_clause).chain(at_sentence) {
                    self.try_at(candidate, tokens, at, &held, &mut found);
                }
            }
            if token.sign.kinds & self.wild_kinds != 0 {
                for (kinds, begins, candidate) in &self.wild {
                    let may_begin = match begins {
                        Begins::Anywhere => true,
                        Begins::Clause => token.starts_clause,
                        Begins::Sentence => begins_sentence,
                    };
                    if may_begin && token.sign.kinds & kinds != 0 {
                        self.try_at(candidate, tokens, at, &held, &mut found);
                    }
                }
            }
        }
        found
    }

    fn try_at(
        &self,
        candidate: &Candidate,
        tokens: &[Token<'_>],
        at: usize,
        held: &Held,
        found: &mut CueSet,
    ) {
        // Most patterns lack a word, and this tells it without looking for it.
        if !candidate.rarest.meets(&held.pieces) || found.has(candidate.cue) {
            return;
        }
        let Some((cue, pattern)) = self.cues.get(candidate.pattern) else { return };
        let needs = self.needs.get(candidate.pattern).map(Vec::as_slice).unwrap_or_default();
        if needs.iter().all(|need| need.is_met(held)) && pattern.matches_at(tokens, at) {
            found.add(*cue, at);
        }
    }
}

/// `@name word word`: a class, above the first section.
fn class_line(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix('@')?.split_once(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_understood() {
        for language in Language::ALL {
            assert_eq!(Cues::of(language).problems, [""; 0], "{language:?}");
        }
    }
}
