//! A lock that spares duplicate work.

use std::time::Duration;

use crate::disk_error::{DiskError, IoContext};
use crate::memory_root::MemoryRoot;
use crate::platform::{self, AsOpen, Handle, Target, open_beneath};

/// Held while we write one store, so that our own processes wait for each other instead of merging.
///
/// It is a lock on the directory itself: no file is needed, and processes with another state directory, or in
/// another container, see it too. Nothing depends on it: a process that does not get it in time goes on, and
/// compare-and-swap sorts things out, as it does with those who know of no lock.
#[derive(Debug)]
pub struct StoreLock {
    _dir: Handle,
}

impl StoreLock {
    /// Waits for the lock at most as long as `patience`; `None` if another process held it all that time.
    ///
    /// # Errors
    /// The directory cannot be opened.
    pub fn acquire(root: &MemoryRoot, patience: Duration) -> Result<Option<Self>, DiskError> {
        // A lock belongs to an opening of the directory: each holder needs its own.
        let dir = open_beneath(root.dir(), ".", Target::Directory).during("lock", root.path())?;
        Ok(wait_for(&dir, patience).then_some(Self { _dir: dir }))
    }
}

/// Tries to lock an open file until it succeeds or patience ends. A file system without locks counts as locked.
pub(crate) fn wait_for(file: &impl AsOpen, patience: Duration) -> bool {
    let mut waited = Duration::ZERO;
    let mut pause = Duration::from_micros(50);
    loop {
        if platform::try_lock(file) {
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
