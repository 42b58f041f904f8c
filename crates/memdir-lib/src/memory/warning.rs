use std::cell::OnceCell;

use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::env::Env;
use memdir_core::hook::ToolCall;
use memdir_core::hygiene::{Owner, Provenance, render};
use memdir_core::memory::topic::{Topic, decode};
use memdir_core::operation::Author;
use memdir_core::secrets::redact;
use memdir_disk::file_table::Limit;
use memdir_search::{RecalledMemory, ShownMemories};

use super::{Entry, Extent, Memory, MemoryError};
use crate::place::{Checkout, Place};
use crate::sources::recall_folder;
use crate::usage::note_warned;

/// A memory that speaks about a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolWarning {
    /// Its text, quoted for a model.
    pub text: String,
    /// Whether the call is refused.
    pub block: bool,
}

/// The most of one memory that is quoted, in UTF-16 units.
const MAX_UNITS: usize = 2_000;
/// No call gets more warnings.
const MAX_WARNINGS: usize = 3;
/// In how many of the newest operations the user's consent is looked for.
const LOOKED_AT: usize = 10_000;

/// The memory of a project, then what the user keeps for all projects and for this machine: what counts in a session.
///
/// # Errors
/// The project's memory cannot be opened.
pub fn memories_in_use(place: Place, env: &Env) -> Result<Vec<Memory>, MemoryError> {
    let beside =
        [Extent::User, Extent::Machine].into_iter().filter_map(|extent| Memory::beside(extent, env).ok());
    Ok(std::iter::once(Memory::at_place(place, env)?).chain(beside).collect())
}

impl Memory {
    /// The memories whose `when` means a tool call: each once a session, and each time if the call is refused.
    ///
    /// Only what the user accepted in review can refuse a call.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn tool_warnings(
        &self,
        call: &ToolCall<'_>,
        session: Option<&str>,
        env: &Env,
        now: Timestamp,
    ) -> Result<Vec<ToolWarning>, MemoryError> {
        let here = Checkout::of(env);
        let (mut warnings, authors) = (Vec::new(), OnceCell::new());
        for entry in self.limited(Limit::When)? {
            let validity = &entry.validity;
            if !entry.counts(&here, now) || !validity.when.iter().any(|pattern| call.matches(pattern)) {
                continue;
            }
            let Some(content) = self.read(&entry.path)? else { continue };
            let block = validity.block && self.was_accepted(&entry, &content);
            let path = self.directory().join(entry.path.as_path());
            let authors = authors.get_or_init(|| self.last_authors());
            if block || is_new(env, session, &path) {
                note_warned(env, path, session, now);
                warnings.push(ToolWarning {
                    text: entry.quote(&content, authors.get(entry.path.as_str()), now),
                    block,
                });
            }
            if warnings.len() == MAX_WARNINGS {
                break;
            }
        }
        Ok(warnings)
    }

    /// Whether the user accepted exactly this version in review.
    fn was_accepted(&self, entry: &Entry, content: &[u8]) -> bool {
        let hash = ContentHash::of(content);
        let operations = self.log(LOOKED_AT).map(|log| log.operations).unwrap_or_default();
        let mut accepted = operations.iter().filter(|operation| operation.plan.is_some());
        accepted.any(|operation| {
            operation.changes.iter().any(|change| change.path == entry.path && change.after == Some(hash))
        })
    }
}

/// Whether a session has not been warned with this memory; without a session it counts as new.
fn is_new(env: &Env, session: Option<&str>, path: &camino::Utf8Path) -> bool {
    let (Some(session), Some(folder)) = (session, recall_folder(env)) else { return true };
    ShownMemories::load(&folder, &format!("{session} before tools")).claim(&[path.to_owned()])
}

impl Entry {
    /// Whether it counts now, on this branch and in this worktree.
    fn counts(&self, here: &Checkout, now: Timestamp) -> bool {
        self.validity.superseded_by.is_none()
            && here.has(&self.validity)
            && !self.validity.has_expired(self.modified, now)
            && !self.is_archived()
    }

    fn quote(&self, content: &[u8], changed_by: Option<&Author>, now: Timestamp) -> String {
        let text = decode(content).0;
        let body = text.get(Topic::parse(&text).0.body).unwrap_or_default();
        let (body, _) = redact(body.trim());
        let (file, modified) = (self.path.as_str(), Some(self.modified));
        render(&body, &Provenance { file, owner: Owner::User, modified, changed_by, now }, MAX_UNITS)
    }
}

impl Memory {
    /// The pinned memories that count here, newest first, quoted for a model.
    pub(crate) fn pinned(&self, here: &Checkout, now: Timestamp) -> Vec<RecalledMemory> {
        let entries = self.limited(Limit::Pinned).unwrap_or_default().into_iter();
        let authors = OnceCell::new();
        let quoted = entries.filter(|entry| entry.counts(here, now)).filter_map(|entry| {
            let content = self.read(&entry.path).ok().flatten()?;
            let author = authors.get_or_init(|| self.last_authors()).get(entry.path.as_str());
            Some(RecalledMemory {
                path: self.directory().join(entry.path.as_path()),
                name: entry.title().to_owned(),
                modified: Some(entry.modified),
                text: entry.quote(&content, author, now),
                probability: 1.0,
            })
        });
        quoted.collect()
    }
}
