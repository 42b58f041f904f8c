//! What sentences say by their words: a table for each language, made when the first sentence of that language comes.

use std::collections::HashMap;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::language::Language;
use super::pattern::{Choice, Classes, Pattern};
use super::token::Token;

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
    /// What follows the colon is somebody else's.
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
    /// Somebody or something outside that sets limits.
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
}

/// The sections of the tables.
pub(super) const SECTIONS: [(&str, Cue); 35] = [
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
        self.0.get(cue as usize).copied().filter(|place| *place != NOWHERE)
    }

    fn add(&mut self, cue: Cue, at: usize) {
        if let Some(place) = self.0.get_mut(cue as usize) {
            *place = (*place).min(u32::try_from(at).unwrap_or(NOWHERE - 1));
        }
    }
}

/// The table of one language.
pub(super) struct Cues {
    cues: Vec<(Cue, Pattern)>,
    classes: Classes,
    by_word: HashMap<Box<str>, Vec<usize>>,
    /// Patterns whose first element is no plain word.
    wild: Vec<usize>,
    /// For languages without spaces: where any pattern could begin.
    finder: Option<(AhoCorasick, Vec<usize>)>,
    problems: Vec<String>,
}

impl Cues {
    /// The table of a language.
    pub(super) fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::Spanish => &SPANISH,
            Language::German => &GERMAN,
            Language::French => &FRENCH,
            Language::Portuguese => &PORTUGUESE,
            Language::Chinese => &CHINESE,
            Language::Japanese => &JAPANESE,
        }
    }

    fn parse(table: &str, is_eastern: bool) -> Self {
        let mut cues = Self {
            cues: Vec::new(),
            classes: Classes::new(),
            by_word: HashMap::new(),
            wild: Vec::new(),
            finder: None,
            problems: Vec::new(),
        };
        let mut section = None;
        for line in table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                section = Cue::parse(name);
                if section.is_none() {
                    cues.problems.push(format!("no section {name}"));
                }
            } else if let (None, Some((name, words))) = (section, class_line(line)) {
                let words = words.split_whitespace().map(|word| Box::from(super::token::fold(word).as_ref()));
                cues.classes.entry(name.into()).or_default().extend(words);
            } else if let Some(cue) = section {
                cues.cues.push((cue, Pattern::parse(line)));
            } else {
                cues.problems.push(format!("outside of any section: {line}"));
            }
        }
        if is_eastern {
            cues.find_by_text();
        } else {
            cues.find_by_word();
        }
        cues
    }

    fn find_by_word(&mut self) {
        for (at, (_, pattern)) in self.cues.iter().enumerate() {
            let mut is_wild = pattern.first().is_empty();
            for choice in pattern.first() {
                match choice {
                    Choice::Word(word) => self.by_word.entry(word.clone()).or_default().push(at),
                    Choice::Row(row) => {
                        if let Some(first) = row.first() {
                            self.by_word.entry(first.clone()).or_default().push(at);
                        }
                    }
                    Choice::Class(name) => match self.classes.get(name) {
                        Some(class) => {
                            for word in class {
                                self.by_word.entry(word.clone()).or_default().push(at);
                            }
                        }
                        None => self.problems.push(format!("no class {name}")),
                    },
                    _ => is_wild = true,
                }
            }
            if is_wild {
                self.wild.push(at);
            }
        }
    }

    /// Marks where clauses start: behind punctuation, and behind the words that only link a clause to the last one.
    pub(super) fn mark_clauses(&self, tokens: &mut [Token<'_>]) {
        let mut starts = true;
        for token in tokens {
            let is_mark = token.kind == super::token::TokenKind::Mark;
            token.starts_clause = starts && !is_mark;
            let links = self.is_in("skip", &token.word);
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

    /// Whether a word belongs to a class.
    pub(super) fn is_in(&self, class: &str, word: &str) -> bool {
        self.classes.get(class).is_some_and(|words| words.contains(word))
    }

    /// What the words of a sentence are signs of.
    pub(super) fn of_tokens(&self, tokens: &[Token<'_>]) -> CueSet {
        let mut found = CueSet::default();
        for (at, token) in tokens.iter().enumerate() {
            let by_word = self.by_word.get(token.word.as_ref()).map(Vec::as_slice).unwrap_or_default();
            for candidate in by_word.iter().chain(&self.wild) {
                let Some((cue, pattern)) = self.cues.get(*candidate) else { continue };
                if !found.has(*cue) && pattern.matches_at(tokens, at, &self.classes) {
                    found.add(*cue, at);
                }
            }
        }
        found
    }
}

/// `@name word word`: a class, above the first section.
fn class_line(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix('@')?.split_once(' ')
}

static ENGLISH: LazyLock<Cues> = LazyLock::new(|| Cues::parse(include_str!("cues/english.txt"), false));
static SPANISH: LazyLock<Cues> = LazyLock::new(|| Cues::parse(include_str!("cues/spanish.txt"), false));
static GERMAN: LazyLock<Cues> = LazyLock::new(|| Cues::parse(include_str!("cues/german.txt"), false));
static FRENCH: LazyLock<Cues> = LazyLock::new(|| Cues::parse(include_str!("cues/french.txt"), false));
static PORTUGUESE: LazyLock<Cues> = LazyLock::new(|| Cues::parse(include_str!("cues/portuguese.txt"), false));
static CHINESE: LazyLock<Cues> = LazyLock::new(|| Cues::parse(include_str!("cues/chinese.txt"), true));
static JAPANESE: LazyLock<Cues> = LazyLock::new(|| Cues::parse(include_str!("cues/japanese.txt"), true));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_understood() {
        use Language::{Chinese, English, French, German, Japanese, Portuguese, Spanish};
        for language in [English, Spanish, German, French, Portuguese, Chinese, Japanese] {
            assert_eq!(Cues::of(language).problems, [""; 0], "{language:?}");
        }
    }
}
