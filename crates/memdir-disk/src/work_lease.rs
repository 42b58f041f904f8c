//! The right to do a store's detached work, and what the last one who had it left to be said.

use crate::own_file::open_own;
use std::fs::{self, File};
use std::io;
use std::thread;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::operation::StoreId;
use serde::{Deserialize, Serialize};

use crate::platform::{self, OpenOwn};
use crate::state_file::{self, make_directory};

/// Held by the one process that works on a store. The system releases it when that process ends, however it ends.
#[derive(Debug)]
pub struct WorkLease {
    report: Utf8PathBuf,
    _lock: File,
}

/// What detached work did last, and what it found for the next session to be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkReport {
    /// When it began.
    pub started: Timestamp,
    /// When it ended; `None` while it runs, or if it was killed.
    pub finished: Option<Timestamp>,
    /// Memories that another process changed, until a session was told.
    #[serde(default)]
    pub changed: Vec<String>,
    /// What could not be done.
    #[serde(default)]
    pub problems: Vec<String>,
}

/// A report is a few lines; anything longer is none of ours.
const MAX_REPORT: usize = 1 << 20;

impl WorkLease {
    /// Takes the lease; `None` if another process has it.
    ///
    /// # Errors
    /// Our state cannot be written.
    pub fn try_take(state_dir: &Utf8Path, store: &StoreId) -> io::Result<Option<Self>> {
        let folder = folder(state_dir);
        make_directory(&folder)?;
        let lock = open_lock(&folder, store)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { report: report_path(state_dir, store), _lock: lock })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// Leaves a report in the place of the last one.
    ///
    /// # Errors
    /// What the system says.
    pub fn leave(&self, report: &WorkReport) -> io::Result<()> {
        state_file::replace(&self.report, &serde_json::to_vec(report)?)
    }
}

/// Ends this process when its time is over, whatever it waits for then. Everything that it does can be killed at any
/// moment, so nothing is lost.
pub fn end_after(limit: Duration) {
    thread::spawn(move || {
        thread::sleep(limit);
        platform::end_now();
    });
}

/// Bounds the memory of this process and of those that it starts.
pub fn bound_memory(bytes: u64) {
    platform::bound_memory(bytes);
}

/// The last report of a store; `None` if there is none that can be read.
#[must_use]
pub fn last_report(state_dir: &Utf8Path, store: &StoreId) -> Option<WorkReport> {
    let content = state_file::read(&report_path(state_dir, store), MAX_REPORT).ok()??;
    serde_json::from_slice(&content).ok()
}

/// Whether a process works on a store right now.
#[must_use]
pub fn is_running(state_dir: &Utf8Path, store: &StoreId) -> bool {
    let path = folder(state_dir).join(format!("{}.lock", store.0));
    open_own(&path).is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(fs::TryLockError::WouldBlock)))
}

/// Lets everybody else go first from now on.
pub fn lower_priority() {
    // Without it the work is done all the same, only less politely.
    platform::lower_priority();
}

fn folder(state_dir: &Utf8Path) -> Utf8PathBuf {
    state_dir.join("work")
}

fn report_path(state_dir: &Utf8Path, store: &StoreId) -> Utf8PathBuf {
    folder(state_dir).join(format!("{}.json", store.0))
}

fn open_lock(folder: &Utf8Path, store: &StoreId) -> io::Result<File> {
    let path = folder.join(format!("{}.lock", store.0));
    fs::OpenOptions::new().create(true).write(true).truncate(false).private().not_waiting().open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_works_at_a_time_and_its_report_stays() {
        let temp = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(temp.path()).unwrap();
        let store = StoreId("s".to_owned());
        assert!(!is_running(state, &store));
        let lease = WorkLease::try_take(state, &store).unwrap().unwrap();
        assert!(is_running(state, &store));
        assert!(WorkLease::try_take(state, &store).unwrap().is_none());
        let report = WorkReport {
            started: Timestamp::UNIX_EPOCH,
            finished: None,
            changed: vec!["a.md".to_owned()],
            problems: Vec::new(),
        };
        lease.leave(&report).unwrap();
        drop(lease);
        assert!(!is_running(state, &store));
        assert_eq!(last_report(state, &store), Some(report));
    }
}
