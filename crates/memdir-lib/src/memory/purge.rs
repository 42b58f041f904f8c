use std::collections::BTreeSet;

use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::history::lineage::of_file;
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::index::{OVERFLOW, remove_lines};
use memdir_core::operation::{Author, OperationId};
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::RelPath;
use memdir_disk::apply::Store;
use memdir_disk::forget::purge;
use memdir_disk::history::{Forgotten, Redact, Redaction};
use memdir_disk::kept_before::KeptBefore;

use super::{Log, Memory, MemoryError, Wish};

/// What is to be forgotten, everywhere.
#[derive(Debug, Clone)]
pub enum Purge {
    /// A memory with all its versions, under all its names, and its lines in the index.
    Memory(RelPath),
    /// A text, wherever it is: [`PURGED`] takes its place.
    Text(String),
}

/// What replaces a purged text.
pub const PURGED: &str = "[purged]";

/// What a purge did.
#[derive(Debug, Clone)]
pub struct Purged {
    /// The operation that changed the files, if any had to be changed.
    pub operation: Option<OperationId>,
    /// The files that were changed or removed.
    pub files: Vec<RelPath>,
    /// What was taken out of history.
    pub forgotten: Forgotten,
    /// What the user should be told.
    pub warnings: Vec<String>,
}

impl Memory {
    /// Takes a memory or a text out of the files, out of every version that history holds, and out of our caches and
    /// staged plans. This cannot be undone.
    ///
    /// # Errors
    /// The system fails; asking again finds the rest.
    pub fn purge(&mut self, what: &Purge, author: &Author, now: Timestamp) -> Result<Purged, MemoryError> {
        self.look(now)?;
        let plan = self.plan_purge(what)?;
        let wish = Wish { verbatim: true, look: false, ..Wish::of(author) };
        let applied = self.apply_as(&plan, &wish, now)?;
        let changes = applied.operation.iter().flat_map(|operation| &operation.changes);
        let files = changes.map(|change| change.path.clone()).collect();
        let mut warnings = applied.warnings;
        for conflict in &applied.conflicts {
            warnings.push(format!("`{}` was changed meanwhile: purge it again", conflict.path));
        }
        let forgotten = self.forget(what)?;
        Ok(Purged { operation: applied.operation.map(|operation| operation.id), files, forgotten, warnings })
    }

    /// Removes all files whose paths fit, and every version of them that only they have, as if they had never been here.
    /// This cannot be undone: it is for what another place keeps.
    ///
    /// # Errors
    /// The system fails; asking again finds the rest.
    pub fn remove_for_good(
        &mut self,
        fits: &dyn Fn(&str) -> bool,
        author: &Author,
        now: Timestamp,
    ) -> Result<(), MemoryError> {
        self.look(now)?;
        let mut plan = Plan::new("remove what is kept elsewhere");
        let listing = self.root().map(|root| root.list_files(0)).transpose()?.unwrap_or_default();
        for file in listing.files.into_iter().filter(|file| fits(file.path.as_str())) {
            if let Some(base) = self.read(&file.path)? {
                plan.changes.push(Change::Delete { path: file.path, base: Content(base) });
            }
        }
        let wish = Wish { verbatim: true, look: false, ..Wish::of(author) };
        self.apply_as(&plan, &wish, now)?;
        let (Some(state_dir), Some(id)) = (&self.state_dir, &self.store) else { return Ok(()) };
        let store = Store { memory_dir: &self.here.memory_dir, id, state_dir, follow_entrypoint_link: false };
        let log = self.log(usize::MAX)?;
        let others = versions_of(&log, |path| !fits(path.as_str()));
        let own = versions_of(&log, |path| fits(path.as_str()));
        let version = |hash: ContentHash, _: &[u8]| {
            if own.contains(&hash) && !others.contains(&hash) { Redaction::Drop } else { Redaction::Keep }
        };
        purge(&store, &Redact { version: &version, reason: &|_| None }, &[])?;
        Ok(())
    }

    /// What a purge would change in the files.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn plan_purge(&self, what: &Purge) -> Result<Plan, MemoryError> {
        match what {
            Purge::Memory(path) => {
                let catalogue = self.catalogue()?;
                let Some(entry) = catalogue.entries.iter().find(|entry| entry.path == *path) else {
                    return Ok(Plan::new(format!("purge {path}")));
                };
                let mut plan = self.plan_remove(entry)?;
                plan.reason = format!("purge {path}");
                Ok(plan)
            }
            Purge::Text(text) => {
                let mut plan = Plan::new("purge a text");
                let Some(root) = self.root() else { return Ok(plan) };
                for file in root.list_files(0)?.files {
                    // Of the client's own directory only the map of the workspace is memdir's.
                    if !self.is_looked_at() && file.path.as_str() != "workspace.md" {
                        continue;
                    }
                    if file.path.as_str().contains(text.as_str()) {
                        plan.warnings.push(format!("the name of `{}` still holds it", file.path));
                    }
                    let Some(content) = self.read(&file.path)? else { continue };
                    if let Some(cleaned) = without(&content, text) {
                        plan.changes.push(Change::Write {
                            path: file.path,
                            content: Content(cleaned),
                            base: Some(Content(content)),
                        });
                    }
                }
                Ok(plan)
            }
        }
    }

    /// Takes something out of every version that history holds, and removes staged plans that hold one of the texts.
    /// The files are not touched.
    pub(crate) fn forget_in_versions(
        &self,
        cleaned: &dyn Fn(&str) -> Option<String>,
        staged: &[&[u8]],
    ) -> Result<Forgotten, MemoryError> {
        let (Some(state_dir), Some(id), Some(_)) = (&self.state_dir, &self.store, &self.root) else {
            return Ok(Forgotten::default());
        };
        let store = Store { memory_dir: &self.here.memory_dir, id, state_dir, follow_entrypoint_link: false };
        let version = |_: ContentHash, content: &[u8]| {
            let cleaned = std::str::from_utf8(content).ok().and_then(cleaned);
            cleaned.map_or(Redaction::Keep, |cleaned| Redaction::Replace(cleaned.into_bytes()))
        };
        Ok(purge(&store, &Redact { version: &version, reason: &|_| None }, staged)?)
    }

    fn forget(&self, what: &Purge) -> Result<Forgotten, MemoryError> {
        let (Some(state_dir), Some(id)) = (&self.state_dir, &self.store) else {
            return Ok(Forgotten::default());
        };
        let store = Store { memory_dir: &self.here.memory_dir, id, state_dir, follow_entrypoint_link: false };
        match what {
            Purge::Memory(path) => {
                let log = self.log(usize::MAX)?;
                let (names, versions) = lineage(path, &log);
                let indexes = versions_of(&log, |path| [ENTRYPOINT, OVERFLOW].contains(&path.as_str()));
                let version = |hash: ContentHash, content: &[u8]| {
                    if versions.contains(&hash) {
                        return Redaction::Drop;
                    }
                    let text = indexes.contains(&hash).then(|| std::str::from_utf8(content).ok()).flatten();
                    let Some(text) = text else { return Redaction::Keep };
                    let cleaned =
                        names.iter().fold(text.to_owned(), |text, name| remove_lines(&text, name.as_str()));
                    if cleaned == text { Redaction::Keep } else { Redaction::Replace(cleaned.into_bytes()) }
                };
                let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
                let staged: Vec<&[u8]> = quoted.iter().map(String::as_bytes).collect();
                self.forget_dreams(&staged)?;
                let kept = KeptBefore::of(state_dir, id);
                names.iter().try_for_each(|name| kept.keep(name, None)).map_err(MemoryError::State)?;
                Ok(purge(&store, &Redact { version: &version, reason: &|_| None }, &staged)?)
            }
            Purge::Text(text) => {
                let version = |_: ContentHash, content: &[u8]| {
                    without(content, text).map_or(Redaction::Keep, Redaction::Replace)
                };
                let reason =
                    |reason: &str| reason.contains(text.as_str()).then(|| reason.replace(text, PURGED));
                // A staged plan is JSON, in which the text may be written with escapes.
                let escaped = serde_json::to_string(text).unwrap_or_default();
                let escaped = escaped.trim_matches('"').as_bytes();
                self.forget_dreams(&[text.as_bytes(), escaped])?;
                Ok(purge(
                    &store,
                    &Redact { version: &version, reason: &reason },
                    &[text.as_bytes(), escaped],
                )?)
            }
        }
    }
}

impl Memory {
    /// Removes the accounts of dreams that hold one of the texts.
    fn forget_dreams(&self, texts: &[&[u8]]) -> Result<(), MemoryError> {
        let Some(state) = self.dream_state() else { return Ok(()) };
        for id in state.ids() {
            let Some(record) = state.get(&id).map_err(MemoryError::State)? else { continue };
            let holds =
                |text: &&[u8]| !text.is_empty() && record.windows(text.len()).any(|part| part == *text);
            if texts.iter().any(holds) {
                state.rename(&id, None).map_err(MemoryError::State)?;
            }
        }
        Ok(())
    }
}

/// All names of a file, and all its versions that no other file has.
fn lineage(path: &RelPath, log: &Log) -> (BTreeSet<RelPath>, BTreeSet<ContentHash>) {
    let mut names = BTreeSet::from([path.clone()]);
    for operation in of_file(&log.operations, path) {
        for change in operation
            .changes
            .iter()
            .filter(|change| names.contains(&change.path))
            .cloned()
            .collect::<Vec<_>>()
        {
            names.extend(change.renamed_from);
        }
    }
    let own = versions_of(log, |path| names.contains(path));
    let others = versions_of(log, |path| !names.contains(path));
    let versions = own.difference(&others).copied().collect();
    (names, versions)
}

fn versions_of(log: &Log, matches: impl Fn(&RelPath) -> bool) -> BTreeSet<ContentHash> {
    let changes = log.operations.iter().flat_map(|operation| &operation.changes);
    let changes =
        changes.filter(|change| matches(&change.path) || change.renamed_from.as_ref().is_some_and(&matches));
    changes.flat_map(|change| [change.before, change.after]).flatten().collect()
}

/// The content without a text; `None` if it does not hold it.
fn without(content: &[u8], text: &str) -> Option<Vec<u8>> {
    let mut cleaned = Vec::new();
    let mut rest = content;
    while let Some(place) = rest.windows(text.len().max(1)).position(|window| window == text.as_bytes()) {
        let (before, after) = rest.split_at(place);
        cleaned.extend_from_slice(before);
        cleaned.extend_from_slice(PURGED.as_bytes());
        rest = after.get(text.len()..).unwrap_or_default();
    }
    if rest.len() == content.len() {
        return None;
    }
    cleaned.extend_from_slice(rest);
    Some(cleaned)
}
