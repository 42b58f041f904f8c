//! What an agent is given without asking: the few memories that matter for a prompt, or none.
//!
//! Nothing is scanned and nothing written; the index is taken as it is. A memory must share enough with the prompt
//! to be worth its tokens: words count by their rarity in the store, words of every request hardly, and words for
//! the same thing a little less than the words themselves.

use std::collections::HashSet;

use camino::Utf8PathBuf;
use jiff::{Timestamp, tz::TimeZone};
use memdir_core::hygiene::{Owner, Provenance, render};

use crate::analyze::{Analyzer, Term, TermMap};
use crate::collection::{Collection, Scope, open_file};
use crate::document::without_secrets;
use crate::error::SearchError;
use crate::query::{Query, QueryTerm};
use crate::rank::{best_first, rank};
use crate::usage::Usage;

mod common_words;
mod memory_file;
mod related;
#[cfg(test)]
mod tests;

use memory_file::MemoryFile;

/// What a recall is for.
#[derive(Debug, Clone, Copy)]
pub struct RecallOptions<'a> {
    /// What the caller takes as now.
    pub now: Timestamp,
    /// How many tokens the memories may take, at four characters each.
    pub budget: usize,
    /// The tools that the agent is using: it needs no notes on how to use them, only warnings.
    pub tools: &'a [String],
    /// Memories that this session has been shown already.
    pub shown: &'a HashSet<Utf8PathBuf>,
}

/// The memories that matter for a prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recalled {
    /// At most five, the most telling first.
    pub memories: Vec<RecalledMemory>,
    /// How many more mattered, and were shown before, did not fit or were one too many.
    pub left_out: usize,
    /// What they take, at four characters a token.
    pub tokens: usize,
}

/// A memory that matters.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledMemory {
    /// The file.
    pub path: Utf8PathBuf,
    /// Its name.
    pub name: String,
    /// When it was last changed.
    pub modified: Option<Timestamp>,
    /// Quoted for a model: bounded, clean, labelled.
    pub text: String,
    /// How much it shares with the prompt.
    pub strength: f32,
}

/// No prompt needs more.
const MAX_MEMORIES: usize = 5;
/// How many of the best candidates are looked at closely.
const MAX_CANDIDATES: usize = 16;
/// What a memory must share with the prompt at least. Calibrated on `testdata/prompts.json`.
const THRESHOLD: f32 = 1.0;
/// How much more it takes in a big store, where something is always alike by chance.
const CROWD: f32 = 0.12;
/// So many passages of other people's talk are added to every store: in a small one everything seems rare or common.
const BACKGROUND: f32 = 20.0;
/// A memory far behind the best one is not what was meant.
const SHARE_OF_BEST: f32 = 0.5;
/// How much a word of every request counts.
const COMMON: f32 = 0.15;
/// How much another word for the same thing counts.
const RELATED: f32 = 0.6;
/// How much more a word counts in a memory's name or description than in its text.
const IN_TITLE: f32 = 1.4;
/// The most of one memory that is quoted, in UTF-16 units.
const MAX_UNITS: usize = 4_000;
/// Characters to a token, as everybody estimates.
const CHARACTERS_PER_TOKEN: usize = 4;
/// Roughly what the quotation adds to a memory, in characters.
const QUOTATION: usize = 220;

/// The memories that matter for a prompt, from the indexes as they are.
///
/// # Errors
/// An index is damaged; the caller gives nothing, and the next search repairs it.
pub(crate) fn recall(
    collections: &[&Collection],
    prompt: &str,
    options: &RecallOptions<'_>,
    usage: &Usage,
    analyzer: &mut Analyzer,
) -> Result<Recalled, SearchError> {
    let mut asked = Asked::new(prompt, analyzer);
    let mut candidates = asked.candidates(collections, options)?;
    for memory in &mut candidates {
        memory.strength = asked.strength(memory, analyzer);
    }
    let best = candidates.iter().map(|memory| memory.strength).fold(0.0, f32::max);
    candidates.retain(|memory| memory.strength >= asked.threshold && memory.strength >= SHARE_OF_BEST * best);
    // Use decides the order of what matters, never whether it does.
    let favoured = |memory: &MemoryFile| memory.strength * usage.favour(&memory.path);
    candidates.sort_by(|one, other| favoured(other).total_cmp(&favoured(one)));
    Ok(choose(candidates, options))
}

/// The prompt, and the weight of its words in this store.
struct Asked {
    query: Query,
    /// How rare each of its words is in the store, from 0 to 1.
    rarity: TermMap<f32>,
    /// What a memory of this store must share with it at least.
    threshold: f32,
}

impl Asked {
    fn new(prompt: &str, analyzer: &mut Analyzer) -> Self {
        let mut query = Query::of_words(prompt, analyzer);
        let words: Vec<String> =
            crate::analyze::words(prompt).map(|word| word.text().to_lowercase()).collect();
        for word in words.iter().take(400) {
            for other in related::related(word) {
                analyzer.each_term(other, |term, text, _| {
                    if query.terms.iter().all(|known| known.term != term) {
                        query.terms.push(QueryTerm {
                            term,
                            text: text.to_owned(),
                            typed: String::new(),
                            weight: RELATED,
                            is_word: false,
                        });
                    }
                });
            }
        }
        Self { query, rarity: TermMap::default(), threshold: THRESHOLD }
    }

    fn candidates(
        &mut self,
        collections: &[&Collection],
        options: &RecallOptions<'_>,
    ) -> Result<Vec<MemoryFile>, SearchError> {
        let parts: Vec<_> =
            collections.iter().flat_map(|one| one.live().iter().map(move |live| (*one, live))).collect();
        let lives: Vec<_> = parts.iter().map(|(_, live)| *live).collect();
        let today = crate::query::day_number(options.now.to_zoned(TimeZone::UTC).date());
        let ranked = rank(&lives, &self.query, today)?;
        let passages: usize = lives.iter().map(|live| live.segment.passages()).sum();
        for found in &ranked.terms {
            if let Some(term) = self.query.terms.get(found.index) {
                self.rarity.insert(term.term, term.weight * rarity(passages as f32, found.passages as f32));
            }
        }
        self.threshold = THRESHOLD * (1.0 + CROWD * (1.0 + passages as f32 / 100.0).ln());
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for candidate in best_first(ranked.candidates) {
            if found.len() >= MAX_CANDIDATES {
                break;
            }
            let Some((collection, live)) = parts.get(candidate.segment as usize) else { continue };
            let group = live.segment.unit_group()?.get(candidate.unit as usize).copied().unwrap_or(0);
            if !seen.insert((candidate.segment, group)) {
                continue;
            }
            let record = live.segment.group(group)?;
            let scope = collection.source().scope_of(&record.path);
            let is_index = record.path.ends_with("MEMORY.md");
            if is_index || !matches!(scope, Scope::Memories | Scope::Team | Scope::Agents | Scope::Folder) {
                continue;
            }
            let path = collection.path_of(&record.path);
            let Some(memory) = open_file(&path).ok().and_then(|file| MemoryFile::read(file, path, scope))
            else {
                continue;
            };
            found.push(memory);
        }
        Ok(found)
    }

    /// How much a memory shares with the prompt.
    fn strength(&self, memory: &MemoryFile, analyzer: &mut Analyzer) -> f32 {
        let mut in_title: HashSet<Term> = HashSet::new();
        let mut in_text: HashSet<Term> = HashSet::new();
        analyzer.each_term(&memory.title(), |term, _, _| {
            in_title.insert(term);
        });
        analyzer.each_term(&memory.body, |term, _, _| {
            in_text.insert(term);
        });
        let mut strength = 0.0;
        for term in &self.query.terms {
            let field = if in_title.contains(&term.term) {
                IN_TITLE
            } else if in_text.contains(&term.term) {
                1.0
            } else {
                continue;
            };
            let rarity = self.rarity.get(&term.term).copied().unwrap_or(0.0);
            let common = if common_words::is_common(&term.text) { COMMON } else { 1.0 };
            strength += field * rarity * common;
        }
        strength
    }
}

/// How rare a word is that stands in so many of all passages.
fn rarity(all: f32, holding: f32) -> f32 {
    let frequency = |holding: f32| (1.0 + (all + BACKGROUND - holding + 0.5).max(0.0) / (holding + 0.5)).ln();
    (frequency(holding) / frequency(1.0)).clamp(0.0, 1.0)
}

/// Takes what fits and has not been shown.
fn choose(candidates: Vec<MemoryFile>, options: &RecallOptions<'_>) -> Recalled {
    let mut recalled = Recalled::default();
    for memory in candidates {
        if options.shown.contains(&memory.path) || memory.is_usage_note_of(options.tools) {
            recalled.left_out += 1;
            continue;
        }
        let room = options.budget.saturating_sub(recalled.tokens) * CHARACTERS_PER_TOKEN;
        if recalled.memories.len() >= MAX_MEMORIES || room < QUOTATION * 2 {
            recalled.left_out += 1;
            continue;
        }
        let text = quote(&memory, (room - QUOTATION).min(MAX_UNITS), options.now);
        let tokens = text.chars().count().div_ceil(CHARACTERS_PER_TOKEN);
        if recalled.tokens + tokens > options.budget {
            recalled.left_out += 1;
            continue;
        }
        recalled.tokens += tokens;
        recalled.memories.push(RecalledMemory {
            name: memory.name(),
            modified: memory.modified,
            text,
            strength: memory.strength,
            path: memory.path,
        });
    }
    recalled
}

/// The memory as a model may see it, with a word of caution once it is older than a day.
fn quote(memory: &MemoryFile, most_units: usize, now: Timestamp) -> String {
    let file = memory.path.file_name().unwrap_or_default();
    let owner = if memory.scope == Scope::Team { Owner::Team("the team") } else { Owner::User };
    let provenance = Provenance { file, owner, modified: memory.modified, changed_by: None, now };
    let (text, _) = memdir_core::secrets::redact(&memory.essence());
    let text = without_secrets(text.into());
    let mut quoted = render(&text, &provenance, most_units);
    let is_old = memory.modified.is_none_or(|modified| now.as_second() - modified.as_second() > 86_400);
    if is_old {
        quoted.push_str(
            "\nThis was true when it was written. Check it against the code before you rely on it.",
        );
    }
    quoted
}
