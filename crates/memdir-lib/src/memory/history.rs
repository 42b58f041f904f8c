use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::history::lineage::{Moment, Past, Version, of_file, version_at};
use memdir_core::history::short_ids::ShortIds;
use memdir_core::history::undo::{Renames, Sources, UndoRefused, plan_undo};
use memdir_core::history::{find, last_to_redo, last_to_undo, undone};
use memdir_core::memory::change::{FoundFile, restore};
use memdir_core::operation::{Author, Operation, OperationId};
use memdir_core::plan::Plan;
use memdir_core::rel_path::{ENTRYPOINT, RelPath};
use memdir_disk::history::History;

use super::changes::file_name;
use super::{Memory, MemoryError, Wish, merge};
use crate::projects::ProjectsError;
use crate::team::TEAM_DIR;

/// What was done to a memory directory, newest first.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// The operations that took place, newest first.
    pub operations: Vec<Operation>,
    /// Damaged places of the history; everything else is unaffected.
    pub problems: Vec<String>,
    /// Segments of the history that could not be read: what was done last may be in one of them.
    pub unread: Vec<Utf8PathBuf>,
}

impl Log {
    /// Which operations are undone, and by which.
    #[must_use]
    pub fn undone(&self) -> BTreeMap<&OperationId, &OperationId> {
        undone(&self.operations)
    }

    /// Finds an operation by its id or a unique piece of it.
    ///
    /// # Errors
    /// None has it, or more than one.
    pub fn find(&self, wanted: &str) -> Result<&Operation, MemoryError> {
        Ok(find(&self.operations, wanted)?)
    }

    /// What `undo` undoes: the named one, else the caller's last that still holds; `None` if there is none.
    ///
    /// # Errors
    /// No operation has that name.
    pub fn to_undo(&self, wanted: Option<&str>, asker: &Author) -> Result<Option<&Operation>, MemoryError> {
        match wanted {
            Some(wanted) => self.find(wanted).map(Some),
            None => {
                self.must_be_complete()?;
                Ok(last_to_undo(&self.operations, asker))
            }
        }
    }

    /// What `redo` redoes: the caller's last undo that still holds; `None` if there is none.
    ///
    /// # Errors
    /// Part of the history cannot be read, so it is unknown which one was the last.
    pub fn to_redo(&self, asker: &Author) -> Result<Option<&Operation>, MemoryError> {
        self.must_be_complete()?;
        Ok(last_to_redo(&self.operations, asker))
    }

    /// A history of which a part is unreadable does not say what was done last. An older operation must not be taken
    /// for it.
    pub(crate) fn must_be_complete(&self) -> Result<(), MemoryError> {
        match self.unread.first() {
            Some(path) => Err(MemoryError::HistoryUnread { path: path.clone() }),
            None => Ok(()),
        }
    }
}

/// In how many of the newest operations the author of a file is looked for.
const LOOKED_AT: usize = 500;

/// How many operations are read first.
const FIRST_LIMIT: usize = 64;

impl Memory {
    /// Reads what was done here, newest first, at most `limit` operations of it.
    ///
    /// # Errors
    /// The history cannot be listed.
    pub fn log(&self, limit: usize) -> Result<Log, MemoryError> {
        let Some(history) = self.history() else { return Ok(Log::default()) };
        let recorded = history.newest(limit)?;
        let operations = recorded.operations.into_iter().map(|(operation, _)| operation).collect();
        Ok(Log { operations, problems: recorded.problems, unread: recorded.unread })
    }

    /// The beginning under which a new operation is printed: what has the same one was done within the same second.
    /// The whole id if the history cannot be read.
    #[must_use]
    pub fn short_id<'i>(&self, id: &'i OperationId) -> &'i str {
        self.log(LOOKED_AT).map_or(&id.0, |log| ShortIds::of(&log.operations).short(id))
    }

    /// Who changed a file last, as far as the newest part of the history says.
    #[must_use]
    pub fn last_author_of(&self, path: &str) -> Option<Author> {
        self.last_authors().remove(path)
    }

    /// Who changed each file last, as far as the newest part of the history says.
    #[must_use]
    pub fn last_authors(&self) -> HashMap<String, Author> {
        let mut authors = HashMap::new();
        let newest = self.history().and_then(|history| history.newest(LOOKED_AT).ok()).unwrap_or_default();
        for (operation, _) in newest.operations {
            for change in operation.changes.iter().filter(|change| change.after.is_some()) {
                authors.entry(change.path.to_string()).or_insert_with(|| operation.author.clone());
            }
        }
        authors
    }

    /// Reads what was done to one memory, also if it is gone, under all its names; and every undo.
    ///
    /// # Errors
    /// Nothing has or had that name, or more than one has.
    pub fn log_about(&self, name: &str) -> Result<(RelPath, Log), MemoryError> {
        let current = match RelPath::parse(name) {
            Ok(path) if self.read(&path).is_ok_and(|content| content.is_some()) => Some(path),
            _ => self.find(name).ok().map(|entry| entry.path),
        };
        let Some(history) = self.history() else {
            let log = Log::default();
            return Ok((self.past_path(name, &log)?, log));
        };
        let recorded = history.mentioning(&[current.as_ref().map_or(name, RelPath::as_str)])?;
        let operations = recorded.operations.into_iter().map(|(operation, _)| operation).collect();
        let mut log = Log { operations, problems: recorded.problems, unread: recorded.unread };
        let path = match current {
            Some(path) => path,
            None => {
                let path = match self.past_path(name, &log) {
                    // A title may be written differently from the file that it gave its name to.
                    Err(MemoryError::NotFound { .. }) => {
                        log = self.log(usize::MAX)?;
                        self.past_path(name, &log)?
                    }
                    found => found?,
                };
                if path.as_str() != name {
                    let recorded = history.mentioning(&[path.as_str()])?;
                    log.operations =
                        recorded.operations.into_iter().map(|(operation, _)| operation).collect();
                }
                path
            }
        };
        Ok((path, log))
    }

    /// Reads as many of the last operations as it takes to know what `undo` of the asker undoes, and all that came
    /// after it.
    ///
    /// # Errors
    /// The history cannot be listed.
    pub fn log_to_undo(&self, asker: &Author) -> Result<Log, MemoryError> {
        let mut limit = FIRST_LIMIT;
        loop {
            let log = self.log(limit)?;
            let operations = &log.operations;
            let ids: HashSet<&OperationId> = operations.iter().map(|operation| &operation.id).collect();
            // Whether an undo was undone, and what by it, is known if all of them are here.
            let mut undos = operations.iter().filter_map(|operation| operation.undo_of.as_ref());
            let is_whole_run =
                |operation: &Operation| operations.last().is_some_and(|last| last.time != operation.time);
            let is_enough = undos.all(|target| ids.contains(target))
                && last_to_undo(operations, asker).is_some_and(is_whole_run);
            if is_enough || operations.len() < limit {
                return Ok(log);
            }
            limit = limit.saturating_mul(16);
        }
    }

    /// Reads as many of the last operations as it takes to find the one whose id begins with a text, and all that came after
    /// it; all of them if none begins so. Ids sort by time: behind an older one none can.
    ///
    /// # Errors
    /// The history cannot be listed.
    pub fn log_up_to(&self, id: &str) -> Result<Log, MemoryError> {
        let wanted = id.to_ascii_lowercase();
        let mut limit = FIRST_LIMIT;
        loop {
            let log = self.log(limit)?;
            let operations = &log.operations;
            let is_there = operations.iter().any(|operation| operation.id.0.starts_with(&wanted));
            let is_past =
                operations.last().is_some_and(|last| last.id.0 < wanted && !last.id.0.starts_with(&wanted));
            if operations.len() < limit || !wanted.is_empty() && is_there && is_past {
                return Ok(log);
            }
            limit = limit.saturating_mul(16);
        }
    }

    /// The history of this directory; `None` while there is none.
    #[must_use]
    pub fn history(&self) -> Option<History> {
        Some(History::of(self.state_dir.as_deref()?, self.store.as_ref()?))
    }

    /// The file that a name means, also if it is gone: by path, by name, or by what history knows.
    ///
    /// # Errors
    /// Nothing has or had that name, or more than one has.
    pub fn past_path(&self, name: &str, log: &Log) -> Result<RelPath, MemoryError> {
        if let Ok(path) = RelPath::parse(name)
            && self.read(&path).is_ok_and(|content| content.is_some())
        {
            return Ok(path);
        }
        let missing = match self.find(name) {
            Ok(entry) => return Ok(entry.path),
            Err(error @ MemoryError::NotFound { .. }) => error,
            Err(error) => return Err(error),
        };
        let changes = log.operations.iter().flat_map(|operation| &operation.changes);
        let paths = changes.flat_map(|change| std::iter::once(&change.path).chain(&change.renamed_from));
        let file = file_name(name);
        let is_named = |path: &&RelPath| {
            let stem = path.as_path().file_stem();
            path.as_str() == name
                || path.as_str() == file
                || stem.is_some_and(|stem| stem.eq_ignore_ascii_case(name))
        };
        paths.into_iter().find(is_named).cloned().ok_or(missing)
    }

    /// The operations that touched a file, under all its names.
    #[must_use]
    pub fn log_of<'l>(&self, path: &RelPath, log: &'l Log) -> Vec<&'l Operation> {
        of_file(&log.operations, path)
    }

    /// The content of a recorded version; `None` if history does not hold it.
    ///
    /// # Errors
    /// The history cannot be listed.
    pub fn recorded(&self, version: ContentHash) -> Result<Option<Vec<u8>>, MemoryError> {
        match self.history() {
            Some(history) => Ok(history.content(version)?),
            None => Ok(None),
        }
    }

    /// The contents of several recorded versions, as far as history holds them: all in one reading.
    ///
    /// # Errors
    /// The history cannot be listed.
    pub fn recorded_versions(
        &self,
        versions: &BTreeSet<ContentHash>,
    ) -> Result<BTreeMap<ContentHash, Vec<u8>>, MemoryError> {
        match self.history() {
            Some(history) => Ok(history.contents(versions)?),
            None => Ok(BTreeMap::new()),
        }
    }

    /// A file as it was at a moment: its name then, and its content if there was one.
    ///
    /// # Errors
    /// The moment is unknown, or history does not hold that version any more.
    pub fn content_at(
        &self,
        path: &RelPath,
        moment: &Moment,
        log: &Log,
    ) -> Result<(RelPath, Option<Vec<u8>>), MemoryError> {
        let lost = || MemoryError::Lost { path: path.clone() };
        let Past { path: name, version } = version_at(&log.operations, path, moment).ok_or_else(lost)?;
        let content = match version {
            Version::Current => self.read(&name)?,
            Version::None => None,
            Version::Recorded(hash) => Some(self.recorded(hash)?.ok_or_else(lost)?),
        };
        Ok((name, content))
    }

    /// Plans to undo an operation and keep later changes.
    ///
    /// # Errors
    /// Something newer is in the way, or the old version is lost.
    pub fn plan_undo(&self, operation: &Operation, reason: String, log: &Log) -> Result<Plan, MemoryError> {
        let newer: Vec<Operation> =
            log.operations.iter().take_while(|newer| newer.id != operation.id).cloned().collect();
        let renames = Renames::of(&newer);
        let mut current = BTreeMap::new();
        let mut versions = BTreeSet::new();
        for change in &operation.changes {
            let names = std::iter::once(&change.path).chain(&change.renamed_from);
            let mut is_as_left = false;
            for path in names.flat_map(|path| [path, renames.name_after(path)]) {
                if let Some(content) = self.read(path)? {
                    is_as_left |= change.after == Some(ContentHash::of(&content));
                    current.insert(path.clone(), content);
                }
            }
            // Only a file that changed since is merged, which takes the version that the operation left.
            versions.extend(change.before.into_iter().chain(change.after.filter(|_| !is_as_left)));
        }
        let versions = self.recorded_versions(&versions)?;
        let recorded = |hash| versions.get(&hash).cloned();
        let sources = Sources { current: &current, recorded: &recorded, merge: &merge::merge };
        match plan_undo(operation, &newer, reason.clone(), &sources) {
            // The team's index follows from the files, and does so again at the next sync.
            Err(UndoRefused::Changed { path, .. } | UndoRefused::Gone { path, .. })
                if is_team_index(&path) =>
            {
                let changes = operation.changes.iter().filter(|change| change.path != path).cloned();
                let rest = Operation { changes: changes.collect(), ..operation.clone() };
                Ok(plan_undo(&rest, &newer, reason, &sources)?)
            }
            planned => Ok(planned?),
        }
    }

    /// Records an operation that changed no memory, because something else of it can be undone.
    pub(crate) fn record_unchanged(
        &mut self,
        plan: &Plan,
        wish: &Wish<'_>,
        now: Timestamp,
    ) -> Result<OperationId, MemoryError> {
        let store = self.store_id(now)?;
        let random = memdir_disk::random::random_bits().map_err(ProjectsError::NoRandom)?;
        let operation = Operation {
            v: memdir_core::plan::VERSION,
            id: OperationId::new(now, u64::try_from(random >> 64).unwrap_or(0)),
            time: now,
            author: wish.author.clone(),
            reason: plan.reason.clone(),
            store,
            memory_dir: self.here.memory_dir.clone(),
            changes: Vec::new(),
            undo_of: wish.undo_of.cloned(),
            plan: wish.staged.map(ToOwned::to_owned),
        };
        if let Some(history) = self.history() {
            history.record_observed(&operation, &[])?;
        }
        Ok(operation.id)
    }

    /// The moment of the last version that differs from what is there now: the one before the last change.
    ///
    /// # Errors
    /// History has no other version of it.
    pub fn previous(&self, path: &RelPath, log: &Log) -> Result<Moment, MemoryError> {
        let current = self.read(path)?;
        for operation in self.log_of(path, log) {
            let moment = Moment::After(operation.id.clone());
            if let Ok((_, Some(content))) = self.content_at(path, &moment, log)
                && Some(&content) != current.as_ref()
            {
                return Ok(moment);
            }
        }
        Err(MemoryError::NoOther { path: path.clone() })
    }

    /// Plans to bring a file back as it was, with its line in the index if that is gone.
    ///
    /// # Errors
    /// There was no such file then, or history does not hold it any more.
    pub fn plan_restore(&self, path: &RelPath, moment: &Moment, log: &Log) -> Result<Plan, MemoryError> {
        let (_, content) = self.content_at(path, moment, log)?;
        let Some(content) = content else { return Err(MemoryError::NotThere { path: path.clone() }) };
        let current = self.read(path)?;
        let found = self.indexes()?;
        let file = FoundFile { path, content: &content };
        Ok(restore(file, current.as_deref(), &found.with(None))?)
    }
}

fn is_team_index(path: &RelPath) -> bool {
    path.as_str().strip_prefix(TEAM_DIR).and_then(|rest| rest.strip_prefix('/')) == Some(ENTRYPOINT)
}
