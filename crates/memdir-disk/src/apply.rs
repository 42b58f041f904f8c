//! The one way to change a memory directory.

use std::borrow::Cow;
use std::time::Duration;

use camino::Utf8Path;
use jiff::Timestamp;
use memdir_core::gate::Admitted;
use memdir_core::operation::{Author, Operation, OperationId, StoreId};
use memdir_core::plan::Plan;
use memdir_core::rel_path::RelPath;

use crate::disk_error::{DiskError, IoContext};
use crate::history::log_writer::LogWriter;
use crate::history::{History, Outcome};
use crate::memory_root::MemoryRoot;
use crate::process_mark::InFlight;
use crate::random::random_bits;
use crate::store_lock::StoreLock;

mod execute;
mod prepare;
mod recover;
mod roll_back;
mod table_beside;
#[cfg(test)]
mod tests;

use execute::Execution;
use prepare::prepare;
pub(crate) use recover::recover_open;
pub use recover::{Recovery, recover, settle};
use table_beside::TableBeside;

/// A memory directory and where its history is.
#[derive(Debug, Clone, Copy)]
pub struct Store<'a> {
    /// The memory directory.
    pub memory_dir: &'a Utf8Path,
    /// Its id in the registry.
    pub id: &'a StoreId,
    /// The folder of our own state.
    pub state_dir: &'a Utf8Path,
    /// Whether a link in the place of MEMORY.md is written through.
    pub follow_entrypoint_link: bool,
}

/// Who wants a plan applied, and how.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Who wants it.
    pub author: &'a Author,
    /// When.
    pub time: Timestamp,
    /// The operation that it undoes.
    pub undo_of: Option<&'a OperationId>,
    /// The staged plan that it accepts.
    pub staged: Option<&'a str>,
    /// What to do where another person's change cannot be merged.
    pub on_conflict: OnConflict,
    /// How long to wait for another process of ours; usually [`LOCK_PATIENCE`], in a hook much less.
    pub patience: Duration,
    /// How two changes of one file become one.
    pub merge: &'a Merge<'a>,
}

/// Merges two changes of the file at a path: from the version that both were made from (`None`: there was none),
/// ours and theirs. `None`: it cannot be done.
pub type Merge<'a> = dyn Fn(&RelPath, Option<&[u8]>, &[u8], &[u8]) -> Option<Vec<u8>> + 'a;

/// What to do where another person's change cannot be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnConflict {
    /// Keep both versions, the second in a file beside the first.
    KeepBoth,
    /// Change nothing and say so, as long as that is possible: a change that comes while we write is kept beside.
    Refuse,
}

/// What became of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The operation as recorded; `None` if there was nothing to do.
    pub operation: Option<Operation>,
    /// Files of which two versions are kept.
    pub conflicts: Vec<Conflict>,
    /// What the user should be told.
    pub warnings: Vec<String>,
}

/// Two changes that could not be merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The file that both wanted to change.
    pub path: RelPath,
    /// Where the other version is; `None`: another process changed what we wanted to delete, and it stays.
    pub kept_as: Option<RelPath>,
    /// Whose version is there.
    pub kept: Whose,
}

/// One of the two sides of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The version that we were asked to write.
    Ours,
    /// The version that another process wrote.
    Theirs,
}

/// How long our own processes usually wait for each other before they go on and merge.
pub const LOCK_PATIENCE: Duration = Duration::from_secs(20);

/// Applies a plan: durable when it returns `Ok`, and with an error nothing has changed.
///
/// The record goes first, then complete new files take the places of the old ones, then the directories are
/// synced. What another process changed in the meantime is merged or kept beside.
///
/// # Errors
/// A rule forbids the change, another person's change cannot be merged and the caller wants no second file, or the
/// system failed; then what was done already was undone, or will be at the next start.
pub fn apply(store: &Store<'_>, plan: &Admitted<Plan>, request: &Request<'_>) -> Result<Applied, DiskError> {
    apply_made(store, request, |_| Ok(Cow::Borrowed(plan)))
}

/// Applies a plan that is made from the directory under the lock, so that no process of ours comes in between: to
/// choose a name that is free, or to add to what is there.
///
/// # Errors
/// As [`apply`], and whatever keeps the plan from being made.
pub fn apply_planned<Failed: From<DiskError>>(
    store: &Store<'_>,
    request: &Request<'_>,
    make: impl FnOnce(&MemoryRoot) -> Result<Admitted<Plan>, Failed>,
) -> Result<Applied, Failed> {
    apply_made(store, request, |root| make(root).map(Cow::Owned))
}

fn apply_made<'p, Failed: From<DiskError>>(
    store: &Store<'_>,
    request: &Request<'_>,
    make: impl FnOnce(&MemoryRoot) -> Result<Cow<'p, Admitted<Plan>>, Failed>,
) -> Result<Applied, Failed> {
    let root = store.open_root()?;
    let lock = StoreLock::acquire(&root, request.patience)?;
    let history = History::of(store.state_dir, store.id);
    let mut log = LogWriter::open(&history)?;
    let mut warnings = Vec::new();
    let mut clean = log.opened_clean();
    if !clean && lock.is_some() {
        let recovery = recover_open(&root, &mut log)?;
        clean = recovery.still_open == 0 && recovery.uncollected == 0;
        warnings.extend(recovery.warnings);
    }
    if clean {
        log = log.past_damage(&history)?;
    }

    let plan = make(&root)?;
    let table = lock.as_ref().and_then(|_| TableBeside::open(store, &history, &log));
    let clean = clean && lock.is_some();
    Ok(carry_out(store, plan.get(), request, &root, &mut Records { log, table, clean }, warnings)?)
}

/// The same without a record, so that nothing can be undone: what history costs is measured against this.
///
/// # Errors
/// As [`apply`].
#[cfg(feature = "unrecorded")]
pub fn apply_unrecorded(
    store: &Store<'_>,
    plan: &Admitted<Plan>,
    request: &Request<'_>,
) -> Result<Applied, DiskError> {
    let root = store.open_root()?;
    let _lock = StoreLock::acquire(&root, request.patience)?;
    let mut records = Records { log: LogWriter::nowhere()?, table: None, clean: true };
    carry_out(store, plan.get(), request, &root, &mut records, Vec::new())
}

/// Where a change is recorded.
struct Records {
    log: LogWriter,
    /// The table of the store, if there is one and the lock is held.
    table: Option<TableBeside>,
    /// Whether nothing that the log holds is still under way.
    clean: bool,
}

/// Carries a plan out with records that are open.
fn carry_out(
    store: &Store<'_>,
    plan: &Plan,
    request: &Request<'_>,
    root: &MemoryRoot,
    records: &mut Records,
    mut warnings: Vec<String>,
) -> Result<Applied, DiskError> {
    let prepared = prepare(root, plan, request)?;
    warnings.extend(plan.warnings.iter().cloned().chain(prepared.warnings));
    if prepared.files.is_empty() {
        return Ok(Applied { operation: None, conflicts: prepared.conflicts, warnings });
    }
    let (log, clean) = (&mut records.log, records.clean);
    if let Some(table) = &mut records.table {
        table.record_foreign(store, request.time, root, &prepared.files, log)?;
    }
    let operation = Operation {
        v: memdir_core::plan::VERSION,
        id: prepared.id,
        time: request.time,
        author: request.author.clone(),
        reason: plan.reason.clone(),
        store: store.id.clone(),
        memory_dir: store.memory_dir.to_owned(),
        changes: prepared.files.iter().map(prepare::ChangedFile::record).collect(),
        undo_of: request.undo_of.cloned(),
        plan: request.staged.map(ToOwned::to_owned),
    };
    let versions: Vec<_> = prepared.files.iter().map(|file| (file.before(), file.after())).collect();
    let _in_flight = InFlight::enter(&operation.id);
    log.begin(&operation, &versions)?;

    let steps = prepared.files.iter().flat_map(prepare::ChangedFile::steps).collect();
    let mut execution = Execution::new(root, log, operation, request.merge, request.on_conflict);
    execution.conflicts = prepared.conflicts;
    match execution.run(steps) {
        Ok(()) => {
            let Execution { operation, conflicts, warnings: more, leftovers, .. } = execution;
            warnings.extend(more);
            // Without this line the next start only has to look once more.
            if !leftovers {
                let _ = log.end(&operation.id, Outcome::Done, clean);
            }
            if let Some(table) = records.table.take() {
                table.follow(root, &operation, log);
            }
            Ok(Applied { operation: Some(operation), conflicts, warnings })
        }
        Err(error) => {
            let (id, taken_back) = (execution.operation.id.clone(), execution.roll_back());
            if taken_back {
                let _ = log.end(&id, Outcome::Aborted, clean);
            }
            Err(error)
        }
    }
}

impl Store<'_> {
    fn open_root(&self) -> Result<MemoryRoot, DiskError> {
        self.admit(MemoryRoot::open_or_create(self.memory_dir)?)
    }

    fn open_existing_root(&self) -> Result<MemoryRoot, DiskError> {
        self.admit(MemoryRoot::open(self.memory_dir)?)
    }

    fn admit(&self, root: MemoryRoot) -> Result<MemoryRoot, DiskError> {
        if let Some(rule) = root.write_refusal()? {
            return DiskError::refused(self.memory_dir, rule);
        }
        Ok(if self.follow_entrypoint_link { root.following_entrypoint_link() } else { root })
    }
}

/// 64 random bits.
pub(crate) fn random() -> Result<u64, DiskError> {
    let bits = random_bits().during("get random bits from", Utf8Path::new("/dev/urandom"))?;
    Ok(u64::try_from(bits >> 64).unwrap_or(0))
}
