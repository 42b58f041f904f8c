//! What sync keeps between two runs: one folder, with a key of its own, for each memory directory.

use std::fs::{self, File};
use std::io;
use std::thread;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::operation::StoreId;

use crate::disk_error::{DiskError, IoContext};
use crate::place::FileStat;
use crate::platform::{self, OpenOwn};
use crate::state_file::{self, make_directory, sync_directory};

/// The folder of one sync. Who changes anything in it holds its lock.
#[derive(Debug, Clone)]
pub struct SyncDir {
    directory: Utf8PathBuf,
}

/// Held by the one process that syncs. The system releases it when that process ends, however it ends.
#[derive(Debug)]
pub struct SyncLock {
    _file: File,
}

/// Removes the files of a folder whose names begin so: what a program that was killed left half-written. What cannot be
/// removed stays, and costs space.
pub fn remove_leftovers(folder: &Utf8Path, prefix: &str) {
    let Ok(entries) = folder.read_dir_utf8() else { return };
    for entry in entries.filter_map(Result::ok).filter(|entry| entry.file_name().starts_with(prefix)) {
        let _ = fs::remove_file(entry.path());
    }
}

/// A hundred thousand entries take about twenty megabytes.
const MAX_FILE_BYTES: usize = 256 << 20;

impl SyncDir {
    /// The folder for whatever has this name: a store, or the user's own machines.
    #[must_use]
    pub fn of(state_dir: &Utf8Path, name: &str) -> Self {
        Self { directory: folder(state_dir).join(name) }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Utf8Path {
        &self.directory
    }

    /// The content of a file; `None` if there is none.
    ///
    /// # Errors
    /// The system fails.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, DiskError> {
        let path = self.directory.join(name);
        state_file::read(&path, MAX_FILE_BYTES).during("read", &path)
    }

    /// Replaces a file: durable when it returns.
    ///
    /// # Errors
    /// The system fails; then the old content stays.
    pub fn replace(&self, name: &str, content: &[u8]) -> Result<(), DiskError> {
        let path = self.directory.join(name);
        make_directory(&self.directory).during("create", &self.directory)?;
        state_file::replace(&path, content).during("write", &path)
    }

    /// What the system knows about a file; `None` if there is none, or that cannot be told.
    #[must_use]
    pub fn stat(&self, name: &str) -> Option<FileStat> {
        let found = platform::stat_link(self.directory.join(name).as_std_path());
        found.ok().map(|stat| stat.file)
    }

    /// What time it is by the clock that gives files their times, in nanoseconds since 1970, or a little earlier.
    ///
    /// # Errors
    /// The system fails.
    pub fn clock(&self) -> io::Result<i128> {
        let file = fs::OpenOptions::new().write(true).truncate(true).open(self.directory.join(LOCK))?;
        Ok(platform::stat_open(&file)?.file.modified)
    }

    /// Removes a file; one that is gone already is fine.
    ///
    /// # Errors
    /// The system fails.
    pub fn remove(&self, name: &str) -> Result<(), DiskError> {
        let path = self.directory.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Ok(()) => sync_directory(&self.directory).during("sync", &self.directory),
            Err(error) => Err(error).during("remove", &path),
        }
    }

    /// Removes a folder of what can be got again.
    ///
    /// # Errors
    /// The system fails.
    pub fn remove_folder(&self, name: &str) -> Result<(), DiskError> {
        let path = self.directory.join(name);
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.during("remove", &path),
        }
    }

    /// Removes everything that was remembered.
    ///
    /// # Errors
    /// The system fails.
    pub fn forget(&self) -> Result<(), DiskError> {
        match fs::remove_dir_all(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.during("remove", &self.directory),
        }
    }

    /// The random bytes behind the signing key, as digits; `None` if there are none.
    ///
    /// # Errors
    /// They cannot be read, or others can read them.
    pub fn signing_seed(&self) -> Result<Option<String>, DiskError> {
        let path = self.directory.join(KEY);
        let kept = || -> io::Result<Option<String>> {
            let found = match fs::symlink_metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                found => found?,
            };
            if !found.is_file() || platform::is_open_to_others(&found) {
                let message = "others can read it: anyone who has read it can write in your name";
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
            }
            let text = state_file::read(&path, 256)?.unwrap_or_default();
            let text = String::from_utf8_lossy(&text).trim().to_owned();
            let is_seed = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            let broken = || io::Error::new(io::ErrorKind::InvalidData, "it holds no key");
            is_seed.then_some(Some(text)).ok_or_else(broken)
        };
        kept().during("use", &path)
    }

    /// Keeps the random bytes behind the signing key, readable by this user alone, in the place of others.
    ///
    /// # Errors
    /// The system fails.
    pub fn keep_signing_seed(&self, seed: &str) -> Result<(), DiskError> {
        self.replace(KEY, format!("{seed}\n").as_bytes())
    }

    /// Takes the right to sync, waiting as long as `patience`; `None` if another process has it all the while.
    ///
    /// # Errors
    /// The system fails.
    pub fn lock(&self, patience: Duration) -> Result<Option<SyncLock>, DiskError> {
        make_directory(&self.directory).during("create", &self.directory)?;
        let path = self.directory.join(LOCK);
        let opened = fs::OpenOptions::new().create(true).write(true).truncate(false).private().open(&path);
        let file = opened.during("open", &path)?;
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(SyncLock { _file: file })),
                Err(fs::TryLockError::WouldBlock) if waited < patience => {
                    thread::sleep(PAUSE);
                    waited += PAUSE;
                }
                Err(fs::TryLockError::WouldBlock) => return Ok(None),
                Err(fs::TryLockError::Error(error)) => return Err(error).during("lock", &path),
            }
        }
    }
}

/// Whether a memory directory is shared with a team, at the cost of one look.
#[must_use]
pub fn has_team(state_dir: &Utf8Path, store: &StoreId) -> bool {
    SyncDir::of(state_dir, &store.0).directory.join(TEAM_SETTINGS).is_file()
}

/// What a project remembers about its team.
pub const TEAM_SETTINGS: &str = "team.json";

const KEY: &str = "key";

const LOCK: &str = "lock";

const PAUSE: Duration = Duration::from_millis(50);

fn folder(state_dir: &Utf8Path) -> Utf8PathBuf {
    state_dir.join("sync")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_key_is_kept_for_its_user_alone() {
        use std::os::unix::fs::PermissionsExt;
        let temp = tempfile::tempdir().unwrap();
        let directory = SyncDir::of(Utf8Path::from_path(temp.path()).unwrap(), "s");
        assert_eq!(directory.signing_seed().unwrap(), None);
        let seed = "0a".repeat(32);
        directory.keep_signing_seed(&seed).unwrap();
        assert_eq!(directory.signing_seed().unwrap(), Some(seed));
        let path = directory.path().join(KEY);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(directory.signing_seed().unwrap_err().to_string().contains("others can read it"));
        directory.replace(KEY, b"0a0a").unwrap();
        assert!(directory.signing_seed().unwrap_err().to_string().contains("no key"));
    }

    #[test]
    fn one_process_syncs_at_a_time() {
        let temp = tempfile::tempdir().unwrap();
        let directory = SyncDir::of(Utf8Path::from_path(temp.path()).unwrap(), "s");
        let lock = directory.lock(Duration::ZERO).unwrap();
        assert!(lock.is_some() && directory.lock(Duration::ZERO).unwrap().is_none());
        drop(lock);
        assert!(directory.lock(Duration::ZERO).unwrap().is_some());
        directory.replace("state", b"a").unwrap();
        assert_eq!(directory.read("state").unwrap().as_deref(), Some(b"a".as_slice()));
        directory.remove("state").unwrap();
        directory.remove("state").unwrap();
        assert_eq!(directory.read("state").unwrap(), None);
    }
}
