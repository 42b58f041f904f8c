//! A mark that a journal has something to tell: set by one process, taken by exactly one other.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::content_hash::ContentHash;

use crate::state_file;

/// The mark of one journal.
#[derive(Debug, Clone)]
pub struct Untold {
    path: Utf8PathBuf,
}

impl Untold {
    /// The mark of the journal in a directory.
    #[must_use]
    pub fn of(state_dir: &Utf8Path, journal: &Utf8Path) -> Self {
        let name = ContentHash::of(journal.as_str().as_bytes()).to_string();
        Self { path: state_dir.join("untold").join(name) }
    }

    /// Sets it. Not synced, and a failure is not reported: at worst a session is not told.
    pub fn mark(&self) {
        let made = self.path.parent().is_some_and(|folder| state_file::make_directory(folder).is_ok());
        if made {
            let _ = fs::OpenOptions::new().create(true).append(true).open(&self.path);
        }
    }

    /// Takes it away; `true` for the one who did.
    #[must_use]
    pub fn take(&self) -> bool {
        fs::remove_file(&self.path).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_taken_once() {
        let home = tempfile::tempdir().unwrap();
        let home = Utf8Path::from_path(home.path()).unwrap();
        let untold = Untold::of(home, Utf8Path::new("/journal"));
        assert!(!untold.take());
        untold.mark();
        untold.mark();
        assert!(untold.take() && !untold.take());
    }
}
