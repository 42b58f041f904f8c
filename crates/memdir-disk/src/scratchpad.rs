//! Directories for the temporary files of sessions: private, and cleaned up.

use std::fs;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::{SignedDuration, Timestamp};
use memdir_core::prompt::Scratchpad;

use crate::disk_error::{DiskError, IoContext};
use crate::platform;

/// The scratchpads of all sessions, one folder below our state directory.
#[derive(Debug, Clone)]
pub struct Scratchpads {
    folder: Utf8PathBuf,
}

/// How many entries are looked at to see when a scratchpad was last used.
const MAX_LOOKED_AT: usize = 1_000;

/// How many scratchpads are looked at in one sweep: a hook waits for it.
const MAX_SWEPT: usize = 200;

impl Scratchpads {
    /// The scratchpads below a state directory. Nothing is created.
    #[must_use]
    pub fn new(state_dir: &Utf8Path) -> Self {
        Self { folder: state_dir.join("scratch") }
    }

    /// The directory of a session, whether it exists or not. A session's id comes from outside: only one that is
    /// a plain name of at most 64 letters, digits, `-` and `_` has a directory.
    ///
    /// # Errors
    /// The id is not such a name.
    pub fn path(&self, session: &str) -> Result<Utf8PathBuf, DiskError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if session.is_empty() || session.len() > 64 || !session.bytes().all(is_plain) {
            return DiskError::refused(&self.folder, "the id of a session is a plain name");
        }
        Ok(self.folder.join(session))
    }

    /// Makes the directory of a session, for its user alone; one that exists is used again.
    ///
    /// # Errors
    /// The id is not a plain name, something else is there, or the system fails.
    pub fn create(&self, session: &str) -> Result<Utf8PathBuf, DiskError> {
        let path = self.path(session)?;
        // It need not survive a power cut, so no process waits for the disk.
        platform::private_directories().recursive(true).create(&path).during("make", &path)?;
        let metadata = fs::symlink_metadata(&path).during("look at", &path)?;
        if !metadata.is_dir() || !platform::is_own_file(&metadata) {
            return DiskError::refused(&path, "something that is not ours is in the way");
        }
        if platform::is_open_to_others(&metadata) {
            platform::make_private(path.as_std_path()).during("make private", &path)?;
        }
        Ok(path)
    }

    /// Removes the directory of a session with all it holds; a link is removed, not followed.
    ///
    /// # Errors
    /// The id is not a plain name, or the system fails.
    pub fn remove(&self, session: &str) -> Result<(), DiskError> {
        remove(&self.path(session)?)
    }

    /// Removes what sessions left that ended without a word, and says how many there were.
    pub fn sweep(&self, now: Timestamp) -> usize {
        let Ok(entries) = self.folder.read_dir_utf8() else { return 0 };
        let kept = SignedDuration::from_hours(24 * i64::from(Scratchpad::KEPT_DAYS));
        let is_over = |path: &Utf8Path| last_use(path).is_some_and(|used| now.duration_since(used) > kept);
        let over = entries.flatten().take(MAX_SWEPT).filter(|entry| is_over(entry.path()));
        over.filter(|entry| remove(entry.path()).is_ok()).count()
    }
}

fn remove(path: &Utf8Path) -> Result<(), DiskError> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        answer => answer.during("remove", path),
    }
}

/// The latest change of the directory or of something directly in it.
fn last_use(path: &Utf8Path) -> Option<Timestamp> {
    let changed = |path: &Utf8Path| {
        let modified = fs::symlink_metadata(path).ok()?.modified().ok()?;
        Timestamp::try_from(modified).ok()
    };
    let inside = path.read_dir_utf8().into_iter().flatten().flatten().take(MAX_LOOKED_AT);
    inside.filter_map(|entry| changed(entry.path())).chain(changed(path)).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratchpads() -> (tempfile::TempDir, Scratchpads) {
        let dir = tempfile::tempdir().unwrap();
        let scratchpads = Scratchpads::new(Utf8Path::from_path(dir.path()).unwrap());
        (dir, scratchpads)
    }

    #[cfg(unix)]
    #[test]
    fn a_scratchpad_is_private_and_goes_away_whole() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let (_dir, scratchpads) = scratchpads();
        let path = scratchpads.create("a-b_1").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        fs::write(path.join("x"), "1").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(scratchpads.create("a-b_1").unwrap(), path, "one session, one directory");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        scratchpads.remove("a-b_1").unwrap();
        assert!(!path.exists());
        scratchpads.remove("a-b_1").unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn no_session_leads_elsewhere() {
        let (dir, scratchpads) = scratchpads();
        for session in ["", "..", "../x", "a/b", ".", "a\0", "日", &"x".repeat(65)] {
            assert!(scratchpads.create(session).is_err(), "{session}");
            assert!(scratchpads.remove(session).is_err(), "{session}");
        }
        fs::create_dir(dir.path().join("scratch")).unwrap();
        fs::create_dir(dir.path().join("mine")).unwrap();
        fs::write(dir.path().join("mine/x"), "1").unwrap();
        std::os::unix::fs::symlink(dir.path().join("mine"), dir.path().join("scratch/s")).unwrap();
        assert!(scratchpads.create("s").is_err());
        scratchpads.remove("s").unwrap();
        assert!(dir.path().join("mine/x").exists());
    }

    #[test]
    fn only_what_was_not_used_for_days_is_swept() {
        let (_dir, scratchpads) = scratchpads();
        let path = scratchpads.create("old").unwrap();
        let used = last_use(&path).unwrap();
        let after = |hours| used + SignedDuration::from_hours(hours);
        let days = i64::from(Scratchpad::KEPT_DAYS);
        assert_eq!(scratchpads.sweep(after(24 * days - 1)), 0);
        assert!(path.exists());
        assert_eq!(scratchpads.sweep(after(24 * days + 1)), 1);
        assert!(!path.exists());
        assert_eq!(scratchpads.sweep(after(0)), 0);
    }
}
