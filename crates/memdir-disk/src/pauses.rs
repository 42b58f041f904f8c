//! Sessions and projects for which the user has switched memdir off for a while.

use std::fs;
use std::io;
use std::os::unix::fs::OpenOptionsExt;

use camino::{Utf8Path, Utf8PathBuf};

use crate::state_file::make_directory;

/// One empty file for each pause, so that asking costs one system call.
#[derive(Debug, Clone)]
pub struct Pauses {
    folder: Utf8PathBuf,
}

impl Pauses {
    /// The pauses below a state directory. Nothing is created.
    #[must_use]
    pub fn of(state_dir: &Utf8Path) -> Self {
        Self { folder: state_dir.join("paused") }
    }

    /// Whether a session or a store is paused. What is no plain name is not.
    #[must_use]
    pub fn is_paused(&self, id: &str) -> bool {
        self.place(id).is_some_and(|path| path.exists())
    }

    /// Whether anything may be paused at all: spares the common case a look at the project.
    #[must_use]
    pub fn any(&self) -> bool {
        self.folder.exists()
    }

    /// Pauses a session or a store; `false` if it was paused already.
    ///
    /// # Errors
    /// The id is no plain name, or our state cannot be written.
    pub fn pause(&self, id: &str) -> io::Result<bool> {
        let path = self.place(id).ok_or_else(no_plain_name)?;
        make_directory(&self.folder)?;
        match fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Ends a pause; `false` if there was none.
    ///
    /// # Errors
    /// The id is no plain name, or our state cannot be written.
    pub fn resume(&self, id: &str) -> io::Result<bool> {
        match fs::remove_file(self.place(id).ok_or_else(no_plain_name)?) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn place(&self, id: &str) -> Option<Utf8PathBuf> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let plain = !id.is_empty() && id.len() <= 128 && id.bytes().all(is_plain);
        plain.then(|| self.folder.join(id))
    }
}

fn no_plain_name() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the id of a session is a plain name")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_lasts_until_it_is_ended() {
        let temp = tempfile::tempdir().unwrap();
        let pauses = Pauses::of(Utf8Path::from_path(temp.path()).unwrap());
        assert!(!pauses.is_paused("s-1"));
        assert!(pauses.pause("s-1").unwrap() && !pauses.pause("s-1").unwrap());
        assert!(pauses.is_paused("s-1") && !pauses.is_paused("s-2"));
        assert!(pauses.resume("s-1").unwrap() && !pauses.resume("s-1").unwrap());
        for hostile in ["", "..", "a/b", "a\0"] {
            assert!(!pauses.is_paused(hostile) && pauses.pause(hostile).is_err());
        }
    }
}
