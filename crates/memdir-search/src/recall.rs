//! What an agent is given without asking: the few memories that matter for a prompt, or none.
//!
//! Nothing is scanned and nothing written; the index is taken as it is. What is known about a memory in the light of
//! the prompt becomes a few numbers, and a small logistic model, in which the memories compete with each other and with
//! "none", makes a probability of them. Its coefficients were
//! fitted by `scripts/bench-recall.py --fit` on data that is in the repository. What is likely enough is quoted, the
//! next best is named, and nothing else is said.

use std::collections::HashSet;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::hygiene::{Owner, Provenance, render};
use memdir_core::operation::Author;

use crate::analyze::Analyzer;
use crate::collection::{Collection, Scope};
use crate::document::without_secrets;
use crate::error::SearchError;
use crate::succession::order;
use crate::usage::Usage;

mod asked;
mod by_model;
mod coefficients;
mod common_words;
mod features;
mod intent;
mod memory_file;
mod read_memories;
#[cfg(test)]
mod tests;

use asked::Asked;
pub use by_model::ModelUse;
pub use features::{FEATURE_NAMES, Features};
use memory_file::MemoryFile;
pub(crate) use read_memories::{count_read, read_memories};

/// What a recall is for.
#[derive(Clone, Copy)]
pub struct RecallOptions<'a> {
    /// What the caller takes as now.
    pub now: Timestamp,
    /// How many tokens the memories may take, at four characters each.
    pub budget: usize,
    /// A memory is quoted if it is needed with at least this probability.
    pub threshold: f32,
    /// How many of the next best are named.
    pub named: usize,
    /// The tools that the agent is using: it needs no notes on how to use them, only warnings.
    pub tools: &'a [String],
    /// The branch that is checked out: memories of another one are left out.
    pub branch: Option<&'a str>,
    /// The worktree, by the name of its directory: memories of another one are left out.
    pub worktree: Option<&'a str>,
    /// Memories that this session has been shown already.
    pub shown: &'a HashSet<Utf8PathBuf>,
    /// Who changed a file last; asked only about what is quoted.
    pub author_of: &'a dyn Fn(&Utf8Path) -> Option<Author>,
    /// What was worked on last, where a session begins.
    pub recent: &'a RecentWork,
    /// The model that the user has installed.
    pub model: Option<ModelUse<'a>>,
}

/// What the user works on, as far as the repository says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecentWork {
    /// The files that changed last, from the root of the project.
    pub files: Vec<String>,
    /// The words of the branch's name that say something, in lower case.
    pub branch_words: Vec<String>,
}

/// A memory is quoted from this probability on, unless the user says otherwise: it is more likely needed than not. The
/// coefficients are fitted as if every second prompt needed a memory.
pub const QUOTED_FROM: f32 = 0.5;
/// What is less likely than this is not even named.
const NAMED_FROM: f32 = 0.004;
/// How many of the next best are named at most.
pub const MAX_NAMED: usize = 3;

/// The memories that matter for a prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recalled {
    /// At most three, the most likely first.
    pub memories: Vec<RecalledMemory>,
    /// Those that may matter, the most likely first.
    pub named: Vec<NamedMemory>,
    /// How many more mattered, and were shown before, did not fit or were one too many.
    pub left_out: usize,
    /// What they take, at four characters a token.
    pub tokens: usize,
    /// Everything that was looked at, the most likely first.
    pub considered: Vec<ConsideredMemory>,
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
    /// How likely it is that the agent needs it.
    pub probability: f32,
}

/// A memory that may matter: the agent reads it if it thinks so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedMemory {
    /// The file.
    pub path: Utf8PathBuf,
    /// Its name.
    pub name: String,
    /// What it is about, in one clean line.
    pub description: String,
}

/// A memory that was looked at, and what spoke for it.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsideredMemory {
    /// The file.
    pub path: Utf8PathBuf,
    /// Its name.
    pub name: String,
    /// How likely it is that the agent needs it.
    pub probability: f32,
    /// What that follows from.
    pub features: Features,
}

/// No prompt needs more.
const MAX_MEMORIES: usize = 3;
/// The most of one memory that is quoted, in UTF-16 units.
const MAX_UNITS: usize = 4_000;
/// The most of a description that is named, in characters.
const MAX_DESCRIPTION: usize = 160;
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
    let mut candidates = asked.candidates(prompt, collections, options, analyzer)?;
    // Use decides the order of what matters, never whether it does.
    let favoured = |memory: &MemoryFile| memory.probability * usage.favour(&memory.path);
    candidates.sort_by(|one, other| favoured(other).total_cmp(&favoured(one)));
    let dated: Vec<_> =
        candidates.iter().map(|memory| asked.dated(memory, memory.probability, analyzer)).collect();
    Ok(choose(in_order(candidates, &order(&dated)), options))
}

/// The candidates with what replaces another before it, each as likely as the one whose place it takes.
fn in_order(candidates: Vec<MemoryFile>, order: &[usize]) -> Vec<MemoryFile> {
    let probabilities: Vec<f32> = candidates.iter().map(|memory| memory.probability).collect();
    let mut candidates: Vec<Option<MemoryFile>> = candidates.into_iter().map(Some).collect();
    let taken = order.iter().filter_map(|place| candidates.get_mut(*place).and_then(Option::take));
    let mut ordered: Vec<MemoryFile> = taken.collect();
    for (memory, probability) in ordered.iter_mut().zip(probabilities) {
        memory.probability = probability;
    }
    ordered
}

/// Takes what is likely, fits and has not been shown.
fn choose(candidates: Vec<MemoryFile>, options: &RecallOptions<'_>) -> Recalled {
    let mut recalled = Recalled::default();
    for memory in candidates {
        let probability = memory.probability;
        recalled.considered.push(ConsideredMemory {
            path: memory.path.clone(),
            name: memory.name(),
            probability,
            features: memory.features,
        });
        let is_known = options.shown.contains(&memory.path) || memory.is_usage_note_of(options.tools);
        if probability >= options.threshold {
            if is_known || !quote_into(&mut recalled, &memory, options) {
                recalled.left_out += 1;
            }
        } else if probability >= NAMED_FROM && recalled.named.len() < options.named && !is_known {
            let description = memory.one_line(MAX_DESCRIPTION);
            recalled.named.push(NamedMemory { name: memory.name(), description, path: memory.path });
        }
    }
    recalled
}

/// Quotes a memory, if there is room.
fn quote_into(recalled: &mut Recalled, memory: &MemoryFile, options: &RecallOptions<'_>) -> bool {
    let room = options.budget.saturating_sub(recalled.tokens) * CHARACTERS_PER_TOKEN;
    if recalled.memories.len() >= MAX_MEMORIES || room < QUOTATION * 2 {
        return false;
    }
    let text = quote(memory, (room - QUOTATION).min(MAX_UNITS), options);
    let tokens = text.chars().count().div_ceil(CHARACTERS_PER_TOKEN);
    if recalled.tokens + tokens > options.budget {
        return false;
    }
    recalled.tokens += tokens;
    recalled.memories.push(RecalledMemory {
        name: memory.name(),
        modified: memory.modified,
        text,
        probability: memory.probability,
        path: memory.path.clone(),
    });
    true
}

/// The memory as a model may see it, with a word of caution once it is older than a day.
fn quote(memory: &MemoryFile, most_units: usize, options: &RecallOptions<'_>) -> String {
    let now = options.now;
    let file = memory.path.file_name().unwrap_or_default();
    let author = (options.author_of)(&memory.path);
    let member = author.as_ref().and_then(|author| author.id.as_deref()).unwrap_or("the team");
    let owner = if memory.scope == Scope::Team { Owner::Team(member) } else { Owner::User };
    let provenance = Provenance { file, owner, modified: memory.modified, changed_by: author.as_ref(), now };
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
