//! A lock that spares duplicate work.

use std::time::Duration;

use crate::disk_error::{DiskError, IoContext};
use crate::memory_root::MemoryRoot;
use crate::platform::{self, AsOpen, DirectoryLock};

/// Held while we write one store, so that our own processes wait for each other instead of merging.
///
/// It is a lock on the directory itself: no file is needed, and processes with another state directory, or in
/// another container, see it too. Nothing depends on it: a process that does not get it in time goes on, and
/// compare-and-swap sorts things out, as it does with those who know of no lock.
#[derive(Debug)]
pub struct StoreLock {
    _lock: DirectoryLock,
}

impl StoreLock {
    /// Waits for the lock at most as long as `patience`; `None` if another process held it all that time.
    ///
    /// # Errors
    /// The directory cannot be opened.
    pub fn acquire(root: &MemoryRoot, patience: Duration) -> Result<Option<Self>, DiskError> {
        let mut lock = DirectoryLock::of(root.dir()).during("lock", root.path())?;
        Ok(wait_until(|| lock.try_take(), patience).then_some(Self { _lock: lock }))
    }
}

/// Tries to lock an open file until it succeeds or patience ends. A file system without locks counts as locked.
pub(crate) fn wait_for(file: &impl AsOpen, patience: Duration) -> bool {
    wait_until(|| platform::try_lock(file), patience)
}

fn wait_until(mut take: impl FnMut() -> bool, patience: Duration) -> bool {
    let mut waited = Duration::ZERO;
    let mut pause = Duration::from_micros(50);
    loop {
        if take() {
            return true;
        }
        if waited >= patience {
            return false;
        }
        std::thread::sleep(pause);
        waited += pause;
        pause = (pause * 2).min(Duration::from_millis(4));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_patience_ends() {
        let temp = tempfile::tempdir().unwrap();
        let root = MemoryRoot::open(camino::Utf8Path::from_path(temp.path()).unwrap()).unwrap();
        let held = StoreLock::acquire(&root, Duration::ZERO).unwrap();
        assert!(held.is_some());
        assert!(StoreLock::acquire(&root, Duration::from_millis(3)).unwrap().is_none());
        drop(held);
        assert!(StoreLock::acquire(&root, Duration::ZERO).unwrap().is_some());
    }
}
