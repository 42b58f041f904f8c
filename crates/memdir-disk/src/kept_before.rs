//! What a file held before an agent's own tool changed it, kept for the moment in between.

use std::fs;
use std::io::Write;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::StoreId;
use memdir_core::rel_path::RelPath;

use crate::platform::OpenOwn;
use crate::state_file::{self, make_directory};
use crate::swap_file::MAX_FILE_BYTES;

/// The copies of one store. Each costs one small file, however many memories there are.
///
/// Nothing is synced: until the tool has run, the file itself still holds the same.
#[derive(Debug, Clone)]
pub struct KeptBefore {
    dir: Utf8PathBuf,
}

impl KeptBefore {
    /// The copies of a store.
    #[must_use]
    pub fn of(state_dir: &Utf8Path, store: &StoreId) -> Self {
        Self { dir: state_dir.join("kept").join(&store.0) }
    }

    /// Keeps what a file holds now; `None`: there is no such file.
    ///
    /// # Errors
    /// What the system says.
    pub fn keep(&self, path: &RelPath, content: Option<&[u8]>) -> std::io::Result<()> {
        let place = self.place(path);
        let Some(content) = content else {
            return match fs::remove_file(place) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        };
        make_directory(&self.dir)?;
        let temporary = Utf8PathBuf::from(format!("{place}.{}.tmp", std::process::id()));
        let mut file =
            fs::OpenOptions::new().write(true).create(true).truncate(true).private().open(&temporary)?;
        let written = file.write_all(content).and_then(|()| fs::rename(&temporary, &place));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    /// Gives back what was kept of a file, once: of several agents that wrote it at one time, one gets it.
    ///
    /// # Errors
    /// What the system says.
    pub fn take(&self, path: &RelPath) -> std::io::Result<Option<Vec<u8>>> {
        let place = self.place(path);
        let taken = Utf8PathBuf::from(format!("{place}.{}.tmp", std::process::id()));
        match fs::rename(&place, &taken) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            renamed => renamed?,
        }
        let limit = usize::try_from(MAX_FILE_BYTES).unwrap_or(usize::MAX);
        let content = state_file::read(&taken, limit);
        fs::remove_file(&taken)?;
        content
    }

    fn place(&self, path: &RelPath) -> Utf8PathBuf {
        self.dir.join(ContentHash::of(path.as_str().as_bytes()).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_given_back_once() {
        let temp = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(temp.path()).unwrap();
        let kept = KeptBefore::of(state, &StoreId("s".to_owned()));
        let path = RelPath::parse("a/b.md").unwrap();
        assert_eq!(kept.take(&path).unwrap(), None);
        kept.keep(&path, Some(b"one")).unwrap();
        kept.keep(&path, Some(b"two")).unwrap();
        assert_eq!(kept.take(&path).unwrap().as_deref(), Some(&b"two"[..]));
        assert_eq!(kept.take(&path).unwrap(), None);
        kept.keep(&path, Some(b"three")).unwrap();
        kept.keep(&path, None).unwrap();
        assert_eq!(kept.take(&path).unwrap(), None);
    }

    #[test]
    fn of_agents_that_take_at_once_one_gets_it_and_none_fails() {
        let temp = tempfile::tempdir().unwrap();
        let kept = KeptBefore::of(Utf8Path::from_path(temp.path()).unwrap(), &StoreId("s".to_owned()));
        let path = RelPath::parse("a.md").unwrap();
        for _ in 0..200 {
            kept.keep(&path, Some(b"one")).unwrap();
            let takers = std::thread::scope(|scope| {
                let takers: Vec<_> = (0..8).map(|_| scope.spawn(|| kept.take(&path))).collect();
                takers.into_iter().map(|taker| taker.join().unwrap().unwrap()).collect::<Vec<_>>()
            });
            assert_eq!(takers.into_iter().flatten().collect::<Vec<_>>(), [b"one".to_vec()]);
        }
    }
}
