//! What is too slow for a hook: done by a process of its own, one at a time for a store, with an end.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use memdir_core::env::Env;
use memdir_core::settings::ClientFlags;
use memdir_disk::scratchpad::Scratchpads;
use memdir_disk::work_lease::{WorkLease, WorkReport, is_running, last_report};

use crate::freshness::refresh;
use crate::memory::{Memory, MemoryError};
use crate::semantic::read_memories;

/// No work takes longer; what is left waits for the next.
pub const TIME_LIMIT: Duration = Duration::from_secs(20);

/// How many changed memories are remembered for the next session.
const MAX_CHANGED: usize = 200;

/// Does what waits for a project: notices what others changed, imports what watched agents noted, archives what no longer counts, brings the search index
/// up to date, has an installed model read what is new, sweeps away the
/// scratchpads of sessions long gone. `None` if another process is at it.
///
/// # Errors
/// Memory cannot be found or written; what can be done without the rest is done and reported.
pub fn work(
    env: &Env,
    flags: &ClientFlags,
    started: Timestamp,
    clock: &dyn Fn() -> Timestamp,
) -> Result<Option<WorkReport>, MemoryError> {
    let deadline = Instant::now() + TIME_LIMIT;
    let mut memory = Memory::open(env, flags)?;
    let state_dir = env.state_dir().ok_or(MemoryError::NoStateDir)?;
    let store = memory.sighted(started)?;
    let Some(lease) = WorkLease::try_take(&state_dir, &store).map_err(MemoryError::State)? else {
        return Ok(None);
    };
    let unsaid = last_report(&state_dir, &store).map(|last| last.changed).unwrap_or_default();
    let mut report = WorkReport { started, finished: None, changed: unsaid, problems: Vec::new() };
    lease.leave(&report).map_err(MemoryError::State)?;
    match memory.look(started) {
        Ok(noticed) => {
            for change in noticed.operations.iter().flat_map(|operation| &operation.changes) {
                let path = change.path.to_string();
                // What is there at the very first look is not a foreign edit.
                if change.before != change.after && !report.changed.contains(&path) {
                    report.changed.push(path);
                }
            }
            report.changed.truncate(MAX_CHANGED);
        }
        Err(error) => report.problems.push(error.to_string()),
    }
    if let Err(error) = memory.settle_limits(started) {
        report.problems.push(error.to_string());
    }
    if let Err(error) = memory.note_recent_work(env) {
        report.problems.push(error.to_string());
    }
    report.problems.extend(memory.follow_imports(env, started));
    if let Err(error) = refresh(env, flags, started, deadline) {
        report.problems.push(error.to_string());
    }
    if let Err(error) = read_memories(env, flags, started, deadline, &mut |_, _| {}) {
        report.problems.push(error.to_string());
    }
    Scratchpads::new(&state_dir).sweep(started);
    report.finished = Some(clock());
    lease.leave(&report).map_err(MemoryError::State)?;
    Ok(Some(report))
}

/// How detached work names a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkStatus {
    /// Whether a process is at it now.
    pub running: bool,
    /// What the last one left.
    pub last: Option<WorkReport>,
}

impl Memory {
    /// How detached work names this directory, at the cost of two small files.
    #[must_use]
    pub fn work_status(&self) -> WorkStatus {
        match self.state_and_store() {
            Some((state_dir, store)) => {
                WorkStatus { running: is_running(state_dir, store), last: last_report(state_dir, store) }
            }
            None => WorkStatus { running: false, last: None },
        }
    }

    /// The memories that others changed as the last detached look found them, once: a session is told.
    #[must_use]
    pub fn take_changed_by_others(&self) -> Vec<String> {
        let Some((state_dir, store)) = self.state_and_store() else { return Vec::new() };
        let Some(report) = last_report(state_dir, store).filter(|report| !report.changed.is_empty()) else {
            return Vec::new();
        };
        // A worker under way will report them itself, together with what it finds.
        let Ok(Some(lease)) = WorkLease::try_take(state_dir, store) else { return Vec::new() };
        let said = WorkReport { changed: Vec::new(), ..report.clone() };
        if lease.leave(&said).is_ok() { report.changed } else { Vec::new() }
    }
}
