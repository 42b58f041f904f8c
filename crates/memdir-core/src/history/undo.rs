//! Taking an operation back, as a plan like any other.

use std::collections::{BTreeMap, HashMap};

use crate::content_hash::ContentHash;
use crate::memory::entrypoint::ENTRYPOINT;
use crate::memory::index::OVERFLOW;
use crate::operation::{ChangeRecord, Operation};
use crate::plan::{Change, Content, Plan};
use crate::rel_path::RelPath;

/// What an undo is made from.
pub struct Sources<'s> {
    /// Every file that the operation touched and that is there now, by [`name_after`].
    pub current: &'s BTreeMap<RelPath, Vec<u8>>,
    /// The content of a recorded version; `None`: history does not hold it any more.
    pub recorded: &'s dyn Fn(ContentHash) -> Option<Vec<u8>>,
    /// Merges two changes of a file: from the version that both were made from, ours and theirs.
    pub merge: &'s Merge<'s>,
}

/// Makes one of two changes of the file at a path; `None`: it cannot be done.
pub type Merge<'m> = dyn Fn(&RelPath, Option<&[u8]>, &[u8], &[u8]) -> Option<Vec<u8>> + 'm;

/// Why an operation cannot be undone. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UndoRefused {
    /// It was changed since, in the same place.
    #[error("`{path}` was changed since then in the same place{}", by(.since))]
    Changed {
        /// The file.
        path: RelPath,
        /// Who did, if that is recorded.
        since: Option<String>,
    },
    /// It is gone.
    #[error("`{path}` is gone since then{}", by(.since))]
    Gone {
        /// The file.
        path: RelPath,
        /// Who did, if that is recorded.
        since: Option<String>,
    },
    /// Its old name belongs to another file.
    #[error("another file is called `{path}` since then{}", by(.since))]
    Taken {
        /// The name.
        path: RelPath,
        /// Who did, if that is recorded.
        since: Option<String>,
    },
    /// It has another name.
    #[error("`{path}` is called `{now}` since then{}", by(.since))]
    Renamed {
        /// What it was called.
        path: RelPath,
        /// What it is called now.
        now: RelPath,
        /// Who did, if that is recorded.
        since: Option<String>,
    },
    /// History holds the old version no more.
    #[error("history does not hold the earlier version of `{path}` any more")]
    Lost {
        /// The file.
        path: RelPath,
    },
}

fn by(since: &Option<String>) -> String {
    since.as_ref().map(|since| format!(" ({since})")).unwrap_or_default()
}

/// Plans to undo an operation. `newer` are the operations that came after it, newest first: what they changed
/// stays, as far as both are possible.
///
/// # Errors
/// Something newer is in the way, or the old version is lost.
pub fn plan_undo(
    operation: &Operation,
    newer: &[Operation],
    reason: String,
    sources: &Sources<'_>,
) -> Result<Plan, UndoRefused> {
    let mut plan = Plan::new(reason);
    let undo = Undo { newer, renames: Renames::of(newer), sources };
    for change in operation.changes.iter().rev() {
        match &change.renamed_from {
            Some(from) => undo.rename(change, from, &mut plan)?,
            None if change.before == change.after => {}
            None => undo.content(change, &mut plan)?,
        }
    }
    Ok(plan)
}

/// What a file is called after `newer`, newest first: an edit before a rename is an edit of the same file.
#[must_use]
pub fn name_after(path: &RelPath, newer: &[Operation]) -> RelPath {
    Renames::of(newer).name_after(path).clone()
}

/// What some operations renamed, found once for many files.
#[derive(Debug)]
pub struct Renames<'o> {
    /// From each old name to the new one, an operation each, oldest first.
    renamed: Vec<HashMap<&'o RelPath, &'o RelPath>>,
}

impl<'o> Renames<'o> {
    /// Takes operations, newest first.
    #[must_use]
    pub fn of(newer: &'o [Operation]) -> Self {
        let of_operation = |operation: &'o Operation| {
            // Of several changes that name one file, the first counts.
            let changes = operation.changes.iter().rev();
            changes.filter_map(|change| Some((change.renamed_from.as_ref()?, &change.path))).collect()
        };
        let renamed: Vec<HashMap<_, _>> = newer.iter().rev().map(of_operation).collect();
        Self { renamed: renamed.into_iter().filter(|names| !names.is_empty()).collect() }
    }

    /// What a file is called after them.
    #[must_use]
    pub fn name_after<'p>(&self, path: &'p RelPath) -> &'p RelPath
    where
        'o: 'p,
    {
        self.renamed.iter().fold(path, |name, names| names.get(name).copied().unwrap_or(name))
    }
}

struct Undo<'u> {
    newer: &'u [Operation],
    renames: Renames<'u>,
    sources: &'u Sources<'u>,
}

impl Undo<'_> {
    fn content(&self, change: &ChangeRecord, plan: &mut Plan) -> Result<(), UndoRefused> {
        // What was deleted has no name to follow.
        let path = match change.after {
            Some(_) => self.renames.name_after(&change.path),
            None => &change.path,
        };
        if *path != change.path && change.before.is_none() {
            return Err(self.renamed(&change.path, path));
        }
        let current = self.sources.current.get(path);
        let found = current.map(|content| ContentHash::of(content));
        if found == change.before {
            return Ok(());
        }
        let before = self.recorded(path, change.before)?;
        let wanted =
            if found == change.after { before } else { Some(self.merged(path, change, before, current)?) };
        // An index that holds nothing any more is not a file either.
        let wanted =
            wanted.filter(|text| !(change.before.is_none() && text.iter().all(u8::is_ascii_whitespace)));
        let base = current.cloned().map(Content);
        match (wanted, base) {
            (Some(wanted), base) if base.as_ref().map(|base| &base.0) != Some(&wanted) => {
                plan.changes.push(Change::Write { path: path.clone(), content: Content(wanted), base });
            }
            (None, Some(base)) => plan.changes.push(Change::Delete { path: path.clone(), base }),
            _ => {}
        }
        Ok(())
    }

    /// The current version without what the operation did.
    fn merged(
        &self,
        path: &RelPath,
        change: &ChangeRecord,
        before: Option<Vec<u8>>,
        current: Option<&Vec<u8>>,
    ) -> Result<Vec<u8>, UndoRefused> {
        let is_index = [ENTRYPOINT, OVERFLOW].contains(&path.as_str());
        let Some(current) = current else {
            return Err(UndoRefused::Gone { path: path.clone(), since: self.since(path) });
        };
        let after = self.recorded(path, change.after)?;
        let before = match before {
            None if is_index => Vec::new(),
            None => return Err(self.changed(path)),
            Some(before) => before,
        };
        (self.sources.merge)(path, after.as_deref(), &before, current).ok_or_else(|| self.changed(path))
    }

    fn rename(&self, change: &ChangeRecord, from: &RelPath, plan: &mut Plan) -> Result<(), UndoRefused> {
        let path = &change.path;
        let now = self.renames.name_after(path);
        if now != path {
            return Err(self.renamed(path, now));
        }
        let Some(current) = self.sources.current.get(path) else {
            return Err(UndoRefused::Gone { path: path.clone(), since: self.since(path) });
        };
        if self.sources.current.contains_key(from) {
            return Err(UndoRefused::Taken { path: from.clone(), since: self.since(from) });
        }
        let base = Content(current.clone());
        plan.changes.push(Change::Rename { from: path.clone(), to: from.clone(), base: base.clone() });
        if change.before == change.after {
            return Ok(());
        }
        let before = self.recorded(path, change.before)?;
        let wanted = if Some(base.hash()) == change.after {
            before.unwrap_or_default()
        } else {
            self.merged(path, change, before, Some(current))?
        };
        if wanted != base.0 {
            plan.changes.push(Change::Write {
                path: from.clone(),
                content: Content(wanted),
                base: Some(base),
            });
        }
        Ok(())
    }

    fn recorded(&self, path: &RelPath, version: Option<ContentHash>) -> Result<Option<Vec<u8>>, UndoRefused> {
        let Some(hash) = version else { return Ok(None) };
        match (self.sources.recorded)(hash) {
            Some(content) => Ok(Some(content)),
            None => Err(UndoRefused::Lost { path: path.clone() }),
        }
    }

    fn changed(&self, path: &RelPath) -> UndoRefused {
        UndoRefused::Changed { path: path.clone(), since: self.since(path) }
    }

    fn renamed(&self, path: &RelPath, now: &RelPath) -> UndoRefused {
        UndoRefused::Renamed { path: path.clone(), now: now.clone(), since: self.since(path) }
    }

    /// The last operation that touched a file, as people know it.
    fn since(&self, path: &RelPath) -> Option<String> {
        let touches = |operation: &&Operation| {
            operation.changes.iter().any(|change| {
                (change.path == *path || change.renamed_from.as_ref() == Some(path))
                    && (change.before != change.after || change.renamed_from.is_some())
            })
        };
        let operation = self.newer.iter().find(touches)?;
        Some(format!("operation {}: {}", operation.id, operation.reason))
    }
}

#[cfg(test)]
mod tests;
