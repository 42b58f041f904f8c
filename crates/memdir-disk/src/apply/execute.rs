//! Carrying out the steps of an operation, with compare-and-swap at every file.
//!
//! A new file takes the old one's name by exchange, so that the old one is not overwritten but displaced, and can
//! be looked at. If it is not what the step was made from, another process wrote in between: its version goes into the
//! record, the two are merged and swapped in again, or both are kept.
//!
//! A process that opened the old file before the exchange may write into it after we have looked. So displaced files
//! are kept until everything else is done and looked at once more. What is written into one after that second
//! look, by a writer that held it open all the while, cannot be seen; its old content is in the history.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::Utf8PathBuf;
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::{ChangeRecord, Operation};
use memdir_core::rel_path::RelPath;

use super::prepare::conflict_name;
use super::{Conflict, Merge, OnConflict, Whose, random};
use crate::disk_error::{DiskError, IoContext};
use crate::history::amend;
use crate::history::log_writer::{LogWriter, Versions};
use crate::memory_root::MemoryRoot;
use crate::place::{FileStat, Place};
use crate::platform::{self, Handle};
use crate::swap_file::{
    exchange, read_settled, remove, remove_known, rename_new, stat, sync_together, write_new,
    write_one_of_many,
};
use crate::temporary::{Stage, Temporary};

/// One file to put or to remove.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) path: RelPath,
    /// What must be there; `None`: nothing.
    pub(super) before: Option<Vec<u8>>,
    /// What is to be there afterwards; `None`: nothing.
    pub(super) after: Option<Vec<u8>>,
    /// The file whose mode and owner the new one gets.
    pub(super) like: Option<FileStat>,
    /// The time of last change that the new file gets.
    pub(super) modified: Option<i128>,
}

/// The state of an operation under way.
pub(super) struct Execution<'a> {
    root: &'a MemoryRoot,
    log: &'a mut LogWriter,
    merge: &'a Merge<'a>,
    on_conflict: OnConflict,
    pub(super) operation: Operation,
    pub(super) conflicts: Vec<Conflict>,
    pub(super) warnings: Vec<String>,
    /// Whether something temporary could not be removed.
    pub(super) leftovers: bool,
    pub(super) done: Vec<Swap>,
    pub(super) staged: Vec<Place>,
    pub(super) touched: BTreeMap<Utf8PathBuf, Arc<Handle>>,
    names: u32,
}

/// A step that took place, with what is needed to check or undo it.
pub(super) struct Swap {
    pub(super) path: RelPath,
    pub(super) place: Place,
    /// The file that stood there; `None`: nothing was displaced.
    pub(super) displaced: Option<Displaced>,
    /// What was put there; `None`: the file was removed.
    pub(super) put: Option<Vec<u8>>,
}

/// A file that had to give up its name.
pub(super) struct Displaced {
    pub(super) place: Place,
    pub(super) content: Vec<u8>,
    seen: FileStat,
    /// It was given a name beside the file, where it stays.
    kept: bool,
}

/// From this many new files on, one wait for the whole file system is shorter than one for each.
const TOGETHER: usize = 64;

/// How often a step is tried against a process that keeps writing.
const MAX_TRIES: u32 = 64;

impl<'a> Execution<'a> {
    pub(super) fn new(
        root: &'a MemoryRoot,
        log: &'a mut LogWriter,
        operation: Operation,
        merge: &'a Merge<'a>,
        on_conflict: OnConflict,
    ) -> Self {
        Self {
            root,
            log,
            merge,
            on_conflict,
            operation,
            conflicts: Vec::new(),
            warnings: Vec::new(),
            leftovers: false,
            done: Vec::new(),
            staged: Vec::new(),
            touched: BTreeMap::new(),
            // Not from zero: an earlier try of the same operation may have left its names behind.
            names: random().map_or(0, |bits| u32::try_from(bits >> 34).unwrap_or(0)),
        }
    }

    /// Writes all new files, then swaps them in, then removes, then makes it durable.
    pub(super) fn run(&mut self, steps: Vec<Step>) -> Result<(), DiskError> {
        let (puts, removes): (Vec<Step>, Vec<Step>) =
            steps.into_iter().partition(|step| step.after.is_some());
        let mut staged = Vec::new();
        let together = puts.len() >= TOGETHER;
        for step in puts {
            let (place, created) = self.root.place_for_writing(&step.path)?;
            for dir in created {
                self.touched.insert(dir.parent_path, dir.parent);
            }
            let new = if together {
                self.write_one_of_many(&place, &step)?
            } else {
                self.write_temporary(&place, &step.path, &step)?
            };
            staged.push((step, place, new));
        }
        if together {
            sync_together(&self.staged)?;
        }
        for (step, place, new) in staged {
            self.put(step, place, new)?;
        }
        for step in removes {
            if let Some(place) = self.root.place(&step.path)? {
                self.take_away(&step, place)?;
            }
        }
        self.look_again()?;
        for (path, dir) in &self.touched {
            platform::sync_directory(dir).during("sync", path)?;
        }
        self.drop_displaced();
        Ok(())
    }

    fn put(&mut self, mut step: Step, place: Place, mut new: Place) -> Result<(), DiskError> {
        for _ in 0..MAX_TRIES {
            let mine = step.after.clone().unwrap_or_default();
            if step.before.is_none() && rename_new(&new, &place)? {
                self.forget_staged(&new);
                self.note(Swap { path: step.path, place, displaced: None, put: Some(mine) });
                return Ok(());
            }
            // A look before the exchange costs little and spares readers a moment without the other's change.
            if let Some((theirs, seen)) = changed_since(&place, &step)? {
                if theirs == mine {
                    self.forget_staged(&new);
                    return remove(&new);
                }
                let Some(merged) = (self.merge)(&step.path, step.before.as_deref(), &mine, &theirs) else {
                    return self.keep_ours(&step.path, &new, &mine, &theirs);
                };
                self.amend(&step.path, &theirs, &merged)?;
                self.forget_staged(&new);
                remove(&new)?;
                step = Step { before: Some(theirs), after: Some(merged), like: Some(seen), ..step };
                new = self.write_temporary(&place, &step.path, &step)?;
                continue;
            }
            let Some(before) = step.before.clone() else { continue };
            let swap = self.temporary(&place, &step.path, Stage::Swapped);
            if new.name != swap.name && !rename_new(&new, &swap)? {
                continue;
            }
            self.rename_staged(&new, &swap);
            new = swap;
            if !exchange(&new, &place)? {
                self.warnings.push(format!(
                    "`{}` was deleted by another process in the meantime and is back",
                    step.path
                ));
                step.before = None;
                continue;
            }
            // From here on the temporary name holds what was displaced.
            self.forget_staged(&new);
            let displaced = match read_settled(&new, Some(&before)) {
                Ok(Some(displaced)) => displaced,
                Ok(None) => (before.clone(), step.like.unwrap_or_else(empty_stat)),
                Err(error) => {
                    // A directory or a link was put there, or it is written without pause: it goes back.
                    self.leftovers = true;
                    exchange(&new, &place)?;
                    self.leftovers = !remove_known(&new, &mine)?;
                    return Err(error);
                }
            };
            let (theirs, stat) = displaced;
            let swapped = Swap {
                path: step.path.clone(),
                place: place.clone(),
                displaced: Some(Displaced {
                    place: new.clone(),
                    content: theirs.clone(),
                    seen: stat,
                    kept: false,
                }),
                put: Some(mine.clone()),
            };
            if theirs == before {
                self.note(swapped);
                return Ok(());
            }
            self.note(swapped);
            let Some(merged) = (self.merge)(&step.path, Some(&before), &mine, &theirs) else {
                let index = self.done.len() - 1;
                return self.keep_displaced(index);
            };
            self.amend(&step.path, &theirs, &merged)?;
            if merged == mine {
                return Ok(());
            }
            step = Step { before: Some(mine), after: Some(merged), ..step };
            new = self.write_temporary(&place, &step.path, &step)?;
        }
        Err(DiskError::Restless { path: place.path })
    }

    fn take_away(&mut self, step: &Step, place: Place) -> Result<(), DiskError> {
        let before = step.before.as_deref().unwrap_or_default();
        let aside = self.temporary(&place, &step.path, Stage::Swapped);
        match rename_new(&place, &aside) {
            Ok(_) => {}
            Err(error) if error.is_not_found() => return Ok(()),
            Err(error) => return Err(error),
        }
        let (theirs, stat) = match read_settled(&aside, Some(before)) {
            Ok(Some(displaced)) => displaced,
            Ok(None) => return Ok(()),
            Err(error) => {
                self.leftovers = true;
                self.leftovers = !rename_new(&aside, &place)?;
                return Err(error);
            }
        };
        if theirs == before {
            self.note(Swap {
                path: step.path.clone(),
                place,
                displaced: Some(Displaced { place: aside, content: theirs, seen: stat, kept: false }),
                put: None,
            });
            return Ok(());
        }
        // It was changed meanwhile: that version stays, and nothing is deleted.
        self.amend(&step.path, &theirs, &theirs)?;
        self.touch(&place);
        if rename_new(&aside, &place)? {
            self.conflicts.push(Conflict { path: step.path.clone(), kept_as: None, kept: Whose::Theirs });
            return Ok(());
        }
        let (kept_as, _) = self.give_conflict_name(&step.path, &aside)?;
        self.note_conflict(&step.path, kept_as, Whose::Theirs, &theirs)
    }

    /// Looks at every displaced file once more, for those who had it open when it was displaced.
    fn look_again(&mut self) -> Result<(), DiskError> {
        let mut index = 0;
        while let Some(swap) = self.done.get_mut(index) {
            index += 1;
            let Some(displaced) = swap.displaced.as_mut().filter(|displaced| !displaced.kept) else {
                continue;
            };
            if stat(&displaced.place) == Some(displaced.seen) {
                continue;
            }
            let Some((theirs, seen)) = read_settled(&displaced.place, Some(&displaced.content))? else {
                continue;
            };
            let known = std::mem::replace(&mut displaced.content, theirs.clone());
            displaced.seen = seen;
            if theirs == known {
                continue;
            }
            let (path, place, put) = (swap.path.clone(), swap.place.clone(), swap.put.clone());
            let merged = put.as_deref().and_then(|mine| (self.merge)(&path, Some(&known), mine, &theirs));
            let Some((mine, merged)) = put.zip(merged) else {
                self.keep_displaced(index - 1)?;
                continue;
            };
            self.amend(&path, &theirs, &merged)?;
            if merged != mine {
                let step = Step {
                    path,
                    before: Some(mine),
                    after: Some(merged),
                    like: stat(&place),
                    modified: None,
                };
                let new = self.write_temporary(&place, &step.path, &step)?;
                self.put(step, place, new)?;
            }
        }
        Ok(())
    }

    /// Gives the displaced file of a step a name beside it. The file itself: a process that still writes into it writes
    /// into what is kept.
    fn keep_displaced(&mut self, index: usize) -> Result<(), DiskError> {
        let Some(swap) = self.done.get(index) else { return Ok(()) };
        let Some(displaced) = &swap.displaced else { return Ok(()) };
        let (path, place, theirs) = (swap.path.clone(), displaced.place.clone(), displaced.content.clone());
        let (kept_as, beside) = self.give_conflict_name(&path, &place)?;
        if let Some(displaced) = self.done.get_mut(index).and_then(|swap| swap.displaced.as_mut()) {
            displaced.kept = true;
            displaced.place = beside;
        }
        self.note_conflict(&path, kept_as, Whose::Theirs, &theirs)
    }

    /// Leaves another person's version where it is and puts ours beside it, unless the caller wants neither.
    fn keep_ours(
        &mut self,
        path: &RelPath,
        new: &Place,
        mine: &[u8],
        theirs: &[u8],
    ) -> Result<(), DiskError> {
        if self.on_conflict == OnConflict::Refuse {
            return Err(DiskError::Conflict { path: self.root.path().join(path.as_str()) });
        }
        self.amend(path, theirs, theirs)?;
        let (kept_as, _) = self.give_conflict_name(path, new)?;
        self.forget_staged(new);
        self.note_conflict(path, kept_as, Whose::Ours, mine)
    }

    fn note_conflict(
        &mut self,
        path: &RelPath,
        kept_as: RelPath,
        kept: Whose,
        content: &[u8],
    ) -> Result<(), DiskError> {
        self.conflicts.push(Conflict { path: path.clone(), kept_as: Some(kept_as.clone()), kept });
        self.amend_with(created(&kept_as, content), &[(None, Some(content))])
    }

    pub(super) fn give_conflict_name(
        &mut self,
        path: &RelPath,
        from: &Place,
    ) -> Result<(RelPath, Place), DiskError> {
        for number in 0..MAX_TRIES {
            let name = conflict_name(path, &self.operation.id, number);
            let beside = from.sibling(name.file_name().to_owned());
            if rename_new(from, &beside)? {
                self.touch(&beside);
                return Ok((name, beside));
            }
        }
        Err(DiskError::Restless { path: from.path.clone() })
    }

    fn amend(&mut self, path: &RelPath, theirs: &[u8], after: &[u8]) -> Result<(), DiskError> {
        let renamed_from = self
            .operation
            .changes
            .iter()
            .find(|change| change.path == *path)
            .and_then(|change| change.renamed_from.clone());
        let record = ChangeRecord {
            path: path.clone(),
            before: Some(ContentHash::of(theirs)),
            after: Some(ContentHash::of(after)),
            renamed_from,
        };
        self.amend_with(record, &[(Some(theirs), Some(after))])
    }

    fn amend_with(&mut self, record: ChangeRecord, versions: &Versions<'_>) -> Result<(), DiskError> {
        self.log.amend(&self.operation.id, vec![record.clone()], versions)?;
        amend(&mut self.operation, vec![record]);
        Ok(())
    }

    fn write_temporary(&mut self, place: &Place, path: &RelPath, step: &Step) -> Result<Place, DiskError> {
        let new = self.temporary(place, path, Stage::Writing);
        write_new(&new, step.after.as_deref().unwrap_or_default(), step.like.as_ref(), step.modified)?;
        self.staged.push(new.clone());
        Ok(new)
    }

    fn write_one_of_many(&mut self, place: &Place, step: &Step) -> Result<Place, DiskError> {
        let new = self.temporary(place, &step.path, Stage::Writing);
        let content = step.after.as_deref().unwrap_or_default();
        write_one_of_many(&new, content, step.like.as_ref(), step.modified)?;
        self.staged.push(new.clone());
        Ok(new)
    }

    pub(super) fn temporary(&mut self, place: &Place, path: &RelPath, stage: Stage) -> Place {
        self.names += 1;
        place.sibling(Temporary::name(&self.operation.id, path, self.names, stage))
    }

    fn forget_staged(&mut self, new: &Place) {
        self.staged.retain(|staged| staged.name != new.name);
    }

    fn rename_staged(&mut self, from: &Place, to: &Place) {
        self.forget_staged(from);
        self.staged.push(to.clone());
    }

    fn note(&mut self, swap: Swap) {
        self.touch(&swap.place);
        self.done.push(swap);
    }

    fn touch(&mut self, place: &Place) {
        let dir = place.path.parent().map(ToOwned::to_owned).unwrap_or_default();
        self.touched.insert(dir, Arc::clone(&place.dir));
    }

    fn drop_displaced(&mut self) {
        for swap in self.done.drain(..) {
            if let Some(displaced) = swap.displaced.filter(|displaced| !displaced.kept)
                && let Err(error) = remove(&displaced.place)
            {
                self.leftovers = true;
                self.warnings.push(format!("{error}; the next start tries again"));
            }
        }
    }
}

/// What is at a place if that is not what the step expects there. Nothing at all is left to the exchange.
fn changed_since(place: &Place, step: &Step) -> Result<Option<(Vec<u8>, FileStat)>, DiskError> {
    if step.before.is_some() && step.like.is_some() && stat(place) == step.like {
        return Ok(None);
    }
    let current = read_settled(place, step.before.as_deref())?;
    Ok(current.filter(|(content, _)| Some(content) != step.before.as_ref()))
}

fn created(path: &RelPath, content: &[u8]) -> ChangeRecord {
    ChangeRecord {
        path: path.clone(),
        before: None,
        after: Some(ContentHash::of(content)),
        renamed_from: None,
    }
}

fn empty_stat() -> FileStat {
    FileStat { size: 0, modified: 0, changed: 0, inode: 0, mode: 0o600, owner: 0, group: 0, links: 0 }
}
