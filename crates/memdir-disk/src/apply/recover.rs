//! Finishing or taking back what an earlier process began.

use std::collections::BTreeSet;
use std::time::Duration;

use camino::Utf8Path;
use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::{ChangeRecord, Operation, OperationId};
use memdir_core::rel_path::{ENTRYPOINT, RelPath};

use super::execute::{Execution, Step};
use super::prepare::conflict_name;
use super::{LOCK_PATIENCE, Merge, OnConflict, Store};
use crate::disk_error::{DiskError, IoContext};
use crate::history::log_writer::LogWriter;
use crate::history::{History, Outcome, segment};
use crate::memory_root::MemoryRoot;
use crate::place::Place;
use crate::platform;
use crate::process_mark::{Life, ProcessMark, may_go_on};
use crate::store_lock::StoreLock;
use crate::swap_file::{MAX_FILE_BYTES, remove, rename_new, stat};
use crate::temporary::{Stage, Temporary};

/// What a start found and did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Operations of which something could be seen already, and which were finished.
    pub finished: u32,
    /// Operations of which nothing could be seen, and which count as never begun.
    pub taken_back: u32,
    /// Operations that another process still performs, or that could not be settled.
    pub still_open: u32,
    /// Temporary files that were removed.
    pub collected: u32,
    /// Directories in which something temporary could not be removed.
    pub uncollected: u32,
    /// What the user should be told.
    pub warnings: Vec<String>,
}

/// Settles what is open in a store's history, and removes temporary files of processes that are gone.
///
/// Every apply does this first when the history does not end cleanly; this is for the process that wants it done now.
///
/// # Errors
/// The system fails; nothing is lost by trying again.
pub fn recover(store: &Store<'_>, now: Timestamp) -> Result<Recovery, DiskError> {
    let root = store.open_root()?;
    let Some(_lock) = StoreLock::acquire(&root, LOCK_PATIENCE)? else { return Ok(Recovery::default()) };
    let history = History::of(store.state_dir, store.id);
    let mut log = LogWriter::open(&history)?;
    let mut recovery = recover_open(&root, &mut log)?;
    let recorded = history.read()?;
    let collector = Collector {
        known: Known::of(&recorded.operations),
        elsewhere_before: Some(now.as_nanosecond() - 3_600_000_000_000),
    };
    for dir in directories(&root)? {
        collector.directory(&root, &dir, &mut recovery);
    }
    Ok(recovery)
}

/// Settles what an earlier process left half done, so that no plan is made from half of it. When there is nothing to
/// do, which is nearly always, this is one look at the end of the history.
///
/// What a living process is just doing is left to it. Another holder of the lock settles first what a killed one left:
/// that is waited for, at most as long as `patience`.
///
/// # Errors
/// The history or the directory cannot be read.
pub fn settle(store: &Store<'_>, patience: Duration) -> Result<Recovery, DiskError> {
    let Some(mut log) = LogWriter::open_last(&History::of(store.state_dir, store.id))? else {
        return Ok(Recovery::default());
    };
    if log.ends_clean() {
        return Ok(Recovery::default());
    }
    let root = match store.open_existing_root() {
        Err(error) if error.is_not_found() => return Ok(Recovery::default()),
        root => root?,
    };
    let mut left = patience;
    loop {
        if let Some(_lock) = StoreLock::acquire(&root, left.min(BETWEEN_LOOKS))? {
            return recover_open(&root, &mut log);
        }
        left = left.saturating_sub(BETWEEN_LOOKS);
        if left.is_zero() || !is_abandoned(&log)? {
            return Ok(Recovery::default());
        }
    }
}

/// A process that waits for another to settle something checks this often.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// Whether the last segment holds an operation whose process has ended.
fn is_abandoned(log: &LogWriter) -> Result<bool, DiskError> {
    if log.ends_clean() {
        return Ok(false);
    }
    let (bytes, recorded) = log.read()?;
    let owners = LogWriter::owners(&bytes);
    let mut open = recorded.operations.iter().filter(|(_, outcome)| *outcome == Outcome::Open);
    Ok(open.any(|(operation, _)| !is_under_way(operation, &owners)))
}

fn is_under_way(operation: &Operation, owners: &[(OperationId, Option<ProcessMark>)]) -> bool {
    let owner = owners.iter().find(|(id, _)| *id == operation.id).and_then(|(_, owner)| *owner);
    owner.is_some_and(|owner| may_go_on(owner, &operation.id))
}

/// The same for the operations that the last segment leaves open. The caller holds the lock.
pub(crate) fn recover_open(root: &MemoryRoot, log: &mut LogWriter) -> Result<Recovery, DiskError> {
    let mut recovery = Recovery::default();
    if log.ends_clean() {
        return Ok(recovery);
    }
    let (bytes, recorded) = log.read()?;
    let owners = LogWriter::owners(&bytes);
    let mut dirs = BTreeSet::from([String::new()]);
    let mut settled = Vec::new();
    for (index, (operation, outcome)) in recorded.operations.iter().enumerate() {
        if *outcome != Outcome::Open {
            continue;
        }
        if is_under_way(operation, &owners) {
            recovery.still_open += 1;
            continue;
        }
        for path in paths(operation) {
            dirs.insert(path.parent().unwrap_or_default().to_owned());
        }
        let later = recorded.operations.get(index + 1..).unwrap_or_default();
        let superseded = |path: &RelPath| {
            later.iter().any(|(later, outcome)| {
                *outcome != Outcome::Aborted && paths(later).any(|known| known == path)
            })
        };
        match settle_operation(root, log, operation, &bytes, &superseded, &mut recovery) {
            Ok(outcome) => settled.push((operation.id.clone(), outcome)),
            Err(error) => {
                // One operation that cannot be settled must not keep everybody from writing.
                recovery.still_open += 1;
                recovery.warnings.push(format!("operation {} cannot be settled yet: {error}", operation.id));
            }
        }
    }
    let collector = Collector { known: Known::of(&recorded.operations), elsewhere_before: None };
    for dir in dirs {
        collector.directory(root, &dir, &mut recovery);
    }
    let clean = recovery.still_open == 0 && recovery.uncollected == 0;
    match settled.pop() {
        Some((last, last_outcome)) => {
            for (id, outcome) in settled {
                log.end(&id, outcome, false)?;
            }
            log.end(&last, last_outcome, clean)?;
        }
        // Only the end was damaged: record again how the last operation ended, so that it is not checked once more.
        None if clean => {
            if let Some((operation, outcome)) = recorded.operations.last() {
                log.end(&operation.id, *outcome, true)?;
            }
        }
        None => {}
    }
    Ok(recovery)
}

fn paths(operation: &Operation) -> impl Iterator<Item = &RelPath> {
    operation
        .changes
        .iter()
        .flat_map(|change| std::iter::once(&change.path).chain(change.renamed_from.as_ref()))
}

/// Finishes an operation of which something can be seen; one of which nothing can be seen never was.
fn settle_operation(
    root: &MemoryRoot,
    log: &mut LogWriter,
    operation: &Operation,
    segment: &[u8],
    superseded: &dyn Fn(&RelPath) -> bool,
    recovery: &mut Recovery,
) -> Result<Outcome, DiskError> {
    let mut to_do = Vec::new();
    let mut visible = false;
    for (path, before, after) in operation.changes.iter().flat_map(effects) {
        if before == after || superseded(path) {
            continue;
        }
        let current = root.read(path, MAX_FILE_BYTES).map(|content| content.as_deref().map(ContentHash::of));
        match current {
            Ok(current) if current == before => to_do.push((path, before, after)),
            // Ours, or changed since: then it is not ours to undo.
            _ => visible = true,
        }
    }
    if !visible {
        recovery.taken_back += 1;
        return Ok(Outcome::Aborted);
    }
    let mut steps = Vec::new();
    for (path, before, after) in to_do {
        let content = |hash: Option<ContentHash>| hash.map(|hash| segment::find_content(segment, hash));
        let (before, after) = (content(before), content(after));
        if before == Some(None) || after == Some(None) {
            recovery.warnings.push(format!("`{path}`: the record of operation {} is damaged", operation.id));
            continue;
        }
        let like = root.stat(path)?;
        steps.push(Step {
            path: path.clone(),
            before: before.flatten(),
            after: after.flatten(),
            like,
            modified: None,
        });
    }
    let no_merge: &Merge<'_> = &|_, _, _, _| None;
    let mut execution = Execution::new(root, log, operation.clone(), no_merge, OnConflict::KeepBoth);
    if let Err(error) = execution.run(steps) {
        execution.roll_back();
        return Err(error);
    }
    recovery.warnings.append(&mut execution.warnings);
    recovery.finished += 1;
    Ok(Outcome::Done)
}

/// What a record means for each name: (name, before, after).
fn effects(change: &ChangeRecord) -> Vec<(&RelPath, Option<ContentHash>, Option<ContentHash>)> {
    match &change.renamed_from {
        Some(from) => vec![(&change.path, None, change.after), (from, change.before, None)],
        None => vec![(&change.path, change.before, change.after)],
    }
}

/// Which versions the history holds, and which files an operation was about.
struct Known<'a> {
    hashes: BTreeSet<ContentHash>,
    operations: Vec<&'a Operation>,
}

impl<'a> Known<'a> {
    fn of(operations: &'a [(Operation, Outcome)]) -> Self {
        let operations: Vec<&Operation> = operations.iter().map(|(operation, _)| operation).collect();
        let changes = operations.iter().flat_map(|operation| &operation.changes);
        let hashes = changes.flat_map(|change| [change.before, change.after]).flatten().collect();
        Self { hashes, operations }
    }

    fn path(&self, temporary: &Temporary) -> Option<&'a RelPath> {
        let operation = self.operations.iter().find(|operation| operation.id == temporary.operation)?;
        paths(operation).find(|path| temporary.stands_for(path))
    }
}

/// Removes the temporary files of processes that are gone.
struct Collector<'a> {
    known: Known<'a>,
    /// Files of processes that we cannot see are taken for abandoned when they are older than this.
    elsewhere_before: Option<i128>,
}

impl Collector<'_> {
    /// Cleans one directory. What fails is told and left for another time.
    fn directory(&self, root: &MemoryRoot, dir: &str, recovery: &mut Recovery) {
        let some_file = if dir.is_empty() { ENTRYPOINT.to_owned() } else { format!("{dir}/{ENTRYPOINT}") };
        let place = RelPath::parse(&some_file).ok().and_then(|path| root.place(&path).ok().flatten());
        if let Some(place) = place
            && let Err(error) = self.clean(&place, recovery)
        {
            recovery.uncollected += 1;
            recovery.warnings.push(error.to_string());
        }
    }

    fn clean(&self, place: &Place, recovery: &mut Recovery) -> Result<(), DiskError> {
        let mut touched = false;
        for (name, _) in platform::read_names(&place.dir).during("list", &place.path)? {
            let Ok(name) = name.into_string() else { continue };
            let Some(temporary) = Temporary::parse(&name) else { continue };
            let file = place.sibling(name);
            if self.is_abandoned(&temporary, &file) {
                touched |= self.collect(&file, &temporary, recovery)?;
            }
        }
        if touched {
            platform::sync_directory(&place.dir).during("sync", &place.path)?;
        }
        Ok(())
    }

    fn is_abandoned(&self, temporary: &Temporary, file: &Place) -> bool {
        if temporary.owner.life() == Life::Elsewhere {
            let changed = stat(file).map(|stat| stat.changed.max(stat.modified));
            return self.elsewhere_before.zip(changed).is_some_and(|(limit, changed)| changed < limit);
        }
        !may_go_on(temporary.owner, &temporary.operation)
    }

    /// Removes one file. What the history does not hold was displaced and never looked at: it gets its name back,
    /// or one beside it.
    fn collect(
        &self,
        file: &Place,
        temporary: &Temporary,
        recovery: &mut Recovery,
    ) -> Result<bool, DiskError> {
        if temporary.stage == Stage::Swapped {
            let Some((content, _)) = file.read(MAX_FILE_BYTES)? else { return Ok(false) };
            if !self.known.hashes.contains(&ContentHash::of(&content)) {
                return give_back(file, temporary, self.known.path(temporary), recovery);
            }
        }
        remove(file)?;
        recovery.collected += 1;
        Ok(true)
    }
}

fn give_back(
    file: &Place,
    temporary: &Temporary,
    path: Option<&RelPath>,
    recovery: &mut Recovery,
) -> Result<bool, DiskError> {
    let fallback = RelPath::parse("recovered.md").ok();
    let Some(path) = path.or(fallback.as_ref()) else { return Ok(false) };
    let own = file.sibling(path.file_name().to_owned());
    if rename_new(file, &own)? {
        recovery.warnings.push(format!("`{path}`: another process's interrupted version is back"));
        return Ok(true);
    }
    for number in 0..100 {
        let name = conflict_name(path, &temporary.operation, number);
        if rename_new(file, &file.sibling(name.file_name().to_owned()))? {
            recovery.warnings.push(format!("`{path}`: another process's version is kept as `{name}`"));
            return Ok(true);
        }
    }
    Ok(false)
}

/// Every directory of the store that can hold a temporary file.
fn directories(root: &MemoryRoot) -> Result<Vec<String>, DiskError> {
    let listing = root.list_files(0)?;
    let mut dirs = BTreeSet::from([String::new()]);
    for file in listing.files {
        let ancestors = Utf8Path::new(file.path.parent().unwrap_or_default()).ancestors();
        dirs.extend(ancestors.map(ToString::to_string));
    }
    Ok(dirs.into_iter().collect())
}
