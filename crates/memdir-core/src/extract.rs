//! What a session is worth remembering, found by rules and without a model; or what a model would be asked, and whether
//! its answer may be believed.
//!
//! Only what the user typed in their own words becomes a preference or a fact; what tools answered, what was pasted or
//! quoted, questions, what-ifs, jokes, one-off instructions and withdrawn rules do not. Precision comes first: a memory
//! that the user did not mean is worse than one that is missing.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::hygiene::flag;
use crate::memory::memory_type::MemoryType;
use crate::memory::topic::NewTopic;
use crate::memory::topic::validity::ALWAYS_VALID;
use crate::off_the_record::{self, Reach};
use crate::secrets;

mod compose;
mod cues;
mod dates;
mod judge;
mod known;
mod language;
mod lesson;
mod material;
mod own_words;
mod pattern;
pub(crate) mod phrase;
mod places;
mod private;
mod proposal;
pub(crate) mod reading;
mod sentence;
#[cfg(test)]
mod tests;
mod token;
mod topic_words;
mod vocabulary;

use judge::judge;
pub use known::{KnownTexts, Standing};
use language::Language;
use lesson::Lessons;
pub use lesson::Outcome;
pub use material::{KnownName, Material};
use own_words::own_words;
pub use proposal::ProposalRefused;
use topic_words::topic_words;

/// Where something was said or done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// The identity of the transcript's line.
    pub turn: String,
    /// When, if the line says so.
    pub time: Option<Timestamp>,
}

/// A memory as the rules would write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// Its type.
    pub memory_type: MemoryType,
    /// What its line in the index is called: two to five words.
    pub title: String,
    /// Its name, which is its file's stem too.
    pub name: String,
    /// The rule or the fact, in one sentence.
    pub description: String,
    /// The words that say it, in one line.
    pub statement: String,
    /// The reason, if one was given.
    pub reason: Option<String>,
    /// The last day that it names.
    pub day: Option<Date>,
    /// The file's text: the words as a quotation, and the reason.
    pub body: String,
    /// Phrases that say when it will be needed.
    pub cues: Vec<String>,
    /// Where it comes from.
    pub source: Source,
    /// Whether it was learnt from commands rather than said.
    pub is_lesson: bool,
    /// The name of the memory that it is about, if the finder knows.
    pub updates: Option<String>,
}

impl Extracted {
    /// Says what was taken back when this was said, without which it may mean nothing.
    pub fn is_in_place_of(&mut self, gone: &str) {
        if !self.body.contains("\n**Instead of:**") {
            let instead = format!("\n**Instead of:** {}\n", gone.trim());
            let at = self.body.find("\n**").unwrap_or(self.body.len());
            self.body.insert_str(at, &instead);
            self.body = self.body.replacen(&format!("{instead}\n**"), &format!("{instead}**"), 1);
        }
    }

    /// The file that it becomes.
    #[must_use]
    pub fn topic<'e>(&'e self, modified: Timestamp, origin_session: Option<&'e str>) -> NewTopic<'e> {
        NewTopic {
            name: &self.name,
            description: &self.description,
            memory_type: &self.memory_type,
            body: &self.body,
            cues: &self.cues,
            validity: &ALWAYS_VALID,
            modified,
            origin_session,
        }
    }
}

/// Something that looked like a memory and was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The line that it stood in.
    pub turn: String,
    /// Why it was left out.
    pub why: String,
}

/// What was found in a session, or in the part of it that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extraction {
    /// The memories, in the order in which they were said.
    pub memories: Vec<Extracted>,
    /// What was left out although it looked like one.
    pub skipped: Vec<Skipped>,
    /// What a model may be asked about, if that was wanted.
    pub material: Option<Material>,
    /// What was taken back and had been said before the part that was read, if it was said at all.
    pub withdrawn: Vec<Withdrawn>,
}

/// Words that take back something that was said earlier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdrawn {
    /// The line that they are in.
    pub turn: String,
    /// What they name; nothing if they mean the last thing.
    pub about: BTreeSet<String>,
}

impl Withdrawn {
    /// Whether a memory of this description may be meant.
    #[must_use]
    pub fn names(&self, description: &str) -> bool {
        topic_words(description).iter().any(|word| self.about.contains(word))
    }
}

/// No session is worth more memories.
const MOST_MEMORIES: usize = 400;
/// A rule that is taken back without its name was given so few prompts before.
const WITHDRAWAL_REACH: usize = 2;
/// A wish of so few words has no statement beside it.
const SHORT_WISH: usize = 7;
/// A session that begins with a wish of so few words is about nothing else.
const BARE_WISH: usize = 12;
/// Why something is left out that the user does not want on record.
const OFF_THE_RECORD: &str = "the user wants it off the record";

/// Reads a session turn by turn and keeps what is worth remembering. Its memory is bounded by a number of memories.
pub struct Extractor {
    zone: TimeZone,
    found: Vec<(usize, Extracted)>,
    skipped: Vec<Skipped>,
    prompts: usize,
    lessons: Lessons,
    material: Option<Material>,
    withdrawn: Vec<Withdrawn>,
    /// What the last prompt was written in: the next, if it is short, will be too.
    language: Language,
    /// What the agent said last, which the next prompt may approve of.
    answered: Option<String>,
    /// Whether the user wants nothing of this session on record.
    is_off_the_record: bool,
}

impl Extractor {
    /// Reads from the beginning. Days are those of `zone`.
    #[must_use]
    pub fn new(zone: TimeZone) -> Self {
        Self {
            zone,
            found: Vec::new(),
            skipped: Vec::new(),
            prompts: 0,
            lessons: Lessons::default(),
            material: None,
            withdrawn: Vec::new(),
            language: Language::default(),
            answered: None,
            is_off_the_record: false,
        }
    }

    /// Keeps what a model may be asked about, too.
    #[must_use]
    pub fn with_material(self) -> Self {
        Self { material: Some(Material::default()), ..self }
    }

    /// The user typed something. Text that a tool or the client put there must not be handed in.
    pub fn said(&mut self, prompt: &str, source: &Source) {
        self.prompts += 1;
        self.lessons.prompted();
        let said = source.time.map(|time| time.to_zoned(self.zone.clone()).date());
        let Some((prompt, is_kept)) = self.on_the_record(prompt, source) else { return };
        let words = own_words(prompt);
        let answered = self.answered.take();
        let judged = judge(&words, said, self.language, answered.is_some());
        self.language = judged.language;
        if let Some(material) = self.material.as_mut().filter(|_| is_kept) {
            material.add(self.prompts, source, &words);
        }
        if !is_kept {
            self.obey_bare_wish(prompt, judged.statements.len());
        }
        let gone = judged.withdrawn.as_ref().and_then(|words| self.withdraw(words, source));
        for statement in judged.statements.iter().filter(|_| is_kept) {
            let mut memory = compose::compose(statement, source.clone(), said, answered.as_deref());
            if let Some(gone) = &gone {
                memory.is_in_place_of(gone);
            }
            self.keep(memory);
        }
    }

    /// What of a prompt is read, and whether anything of it may be kept: words off the record may still take back what was
    /// said before.
    fn on_the_record<'p>(&mut self, prompt: &'p str, source: &Source) -> Option<(&'p str, bool)> {
        let reach = if self.is_off_the_record { Some(Reach::Session) } else { off_the_record::wish(prompt) };
        match reach {
            None => return Some((prompt, true)),
            Some(Reach::Before(at)) => return Some((prompt.get(at..).unwrap_or_default(), true)),
            Some(Reach::Session) => self.leave_the_record(),
            Some(Reach::Turn) => {
                self.skip(source.turn.clone(), OFF_THE_RECORD);
                return Some((prompt, false));
            }
        }
        self.skip(source.turn.clone(), OFF_THE_RECORD);
        None
    }

    /// Forgets all of the session, and what will be said in it.
    fn leave_the_record(&mut self) {
        self.is_off_the_record = true;
        self.found.clear();
        self.material = self.material.as_ref().map(|_| Material::default());
    }

    /// A wish that has nothing in its own turn to be about is about the turn before, or about all that follows.
    fn obey_bare_wish(&mut self, prompt: &str, statements: usize) {
        let words = prompt.split_whitespace().count();
        if !off_the_record::is_bare(prompt) || statements > 0 && words > SHORT_WISH {
            return;
        }
        if self.prompts == 1 && words <= BARE_WISH {
            self.leave_the_record();
        }
        let before = self.prompts - 1;
        self.found.retain(|(at, _)| *at != before);
        if let Some(material) = &mut self.material {
            material.forget(before);
        }
    }

    /// The agent said something, which the next prompt may answer.
    pub fn agent_said(&mut self, text: &str) {
        if self.is_off_the_record {
            return;
        }
        self.answered = Some(text.to_owned());
        if let Some(material) = &mut self.material {
            material.agent_said(text);
        }
    }

    /// A command was run for the agent.
    pub fn ran(&mut self, command: &str, outcome: Outcome<'_>, source: &Source) {
        if let Some(memory) = self.lessons.ran(command, outcome, source) {
            self.keep(memory);
        }
    }

    /// The agent changed a file: what works from now on may work because of that.
    pub fn edited(&mut self) {
        self.lessons.edited();
    }

    /// The agent wrote memory itself: what the user said since the last prompt is taken care of.
    pub fn agent_remembered(&mut self) {
        let prompt = self.prompts;
        if let Some(material) = &mut self.material {
            material.forget(prompt);
        }
        let (own, rest) = std::mem::take(&mut self.found).into_iter().partition(|(at, _)| *at == prompt);
        self.found = rest;
        let own: Vec<(usize, Extracted)> = own;
        for (_, memory) in own {
            self.skip(memory.source.turn, "the agent wrote memory itself");
        }
    }

    /// What was taken back up to here was taken care of before.
    pub fn forget_withdrawals(&mut self) {
        self.withdrawn.clear();
    }

    /// What was found.
    #[must_use]
    pub fn finish(self) -> Extraction {
        Extraction {
            memories: self.found.into_iter().map(|(_, memory)| memory).collect(),
            skipped: self.skipped,
            material: self.material,
            withdrawn: self.withdrawn,
        }
    }

    fn keep(&mut self, memory: Extracted) {
        let is_same = |known: &Extracted| {
            known.name == memory.name && known.body == memory.body && known.description == memory.description
        };
        if let Some((_, same)) = self.found.iter_mut().find(|(_, known)| is_same(known)) {
            // Word for word the same was looked at before.
            same.source = memory.source;
            return;
        }
        let turn = memory.source.turn.clone();
        let all = format!("{}\n\n{}", memory.description, memory.body);
        let why = if self.found.len() == MOST_MEMORIES {
            Some("there are too many already")
        } else if !secrets::scan(&all).is_empty() || private::is_private(&all) {
            Some("it holds a secret")
        } else if !flag(&all).is_empty() {
            Some("it reads like an attack on its reader")
        } else {
            None
        };
        if let Some(why) = why {
            self.skip(turn, why);
            return;
        }
        let mut memory = memory;
        // What is said again in other words is a memory of its own here, and joins the first when they are compared.
        memory.name = self.free_name(memory.name);
        self.found.push((self.prompts, memory));
    }

    fn free_name(&self, name: String) -> String {
        let is_taken = |name: &str| self.found.iter().any(|(_, known)| known.name == name);
        if !is_taken(&name) {
            return name;
        }
        (2..MOST_MEMORIES)
            .map(|number| format!("{name}-{number}"))
            .find(|name| !is_taken(name))
            .unwrap_or(name)
    }

    /// Takes back what an earlier prompt said: what the words name, or else the last thing. Tells what that was.
    fn withdraw(&mut self, words: &str, source: &Source) -> Option<String> {
        let named = topic_words(words);
        let is_named = |memory: &Extracted| {
            let about = topic_words(&memory.description);
            named.iter().any(|word| about.contains(word))
        };
        let mut taken: Vec<usize> = self
            .found
            .iter()
            .enumerate()
            .filter(|(_, (prompt, memory))| *prompt < self.prompts && is_named(memory))
            .map(|(at, _)| at)
            .collect();
        if taken.is_empty() {
            let near = self.prompts.saturating_sub(WITHDRAWAL_REACH);
            taken
                .extend(self.found.iter().rposition(|(prompt, _)| *prompt >= near && *prompt < self.prompts));
        }
        if taken.is_empty() && self.withdrawn.len() < MOST_MEMORIES {
            let about = named.into_iter().collect();
            self.withdrawn.push(Withdrawn { turn: source.turn.clone(), about });
            return None;
        }
        let mut gone = None;
        for at in taken.into_iter().rev() {
            let (_, memory) = self.found.remove(at);
            self.skip(memory.source.turn, "the user took it back");
            gone = Some(memory.description);
        }
        gone
    }

    fn skip(&mut self, turn: String, why: &'static str) {
        if self.skipped.len() < MOST_MEMORIES {
            self.skipped.push(Skipped { turn, why: why.to_owned() });
        }
    }
}
