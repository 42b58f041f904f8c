//! A private directory that goes away by itself: the home in which the demonstration runs.

use std::fs;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use crate::platform::private_directories;
use crate::real_path::real_path;

/// A fresh directory that only its owner can enter, removed with all it holds when dropped.
#[derive(Debug)]
pub struct ThrowawayDir {
    path: Utf8PathBuf,
}

impl ThrowawayDir {
    /// Makes one below `parent`, which is usually the system's directory for temporary files.
    ///
    /// # Errors
    /// What the system says when it cannot be made.
    pub fn below(parent: &Utf8Path) -> io::Result<Self> {
        let parent = real_path(parent)?;
        let mut number = 0u32;
        loop {
            let path = parent.join(format!("memdir-{}-{number}", std::process::id()));
            match private_directories().create(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1_000 => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Its real path.
    #[must_use]
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Lets it stay after all, and says where it is.
    #[must_use]
    pub fn keep(mut self) -> Utf8PathBuf {
        std::mem::take(&mut self.path)
    }

    /// Makes a directory below it, with its parents.
    ///
    /// # Errors
    /// What the system says.
    pub fn make_dir(&self, name: &str) -> io::Result<Utf8PathBuf> {
        let path = self.path.join(name);
        fs::create_dir_all(&path)?;
        Ok(path)
    }

    /// Writes a file below it, with its parents.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, name: &str, content: &str) -> io::Result<Utf8PathBuf> {
        let path = self.path.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, content)?;
        Ok(path)
    }

    /// Gives something below it another name.
    ///
    /// # Errors
    /// What the system says.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }
}

impl Drop for ThrowawayDir {
    fn drop(&mut self) {
        if self.path.as_str().is_empty() {
            return;
        }
        // Nothing can be done about what cannot be removed, and the system clears its temporary files anyway.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn it_is_private_and_goes_away() {
        use std::os::unix::fs::PermissionsExt;
        let parent = tempfile::tempdir().unwrap();
        let parent = Utf8Path::from_path(parent.path()).unwrap();
        let first = ThrowawayDir::below(parent).unwrap();
        let second = ThrowawayDir::below(parent).unwrap();
        assert_ne!(first.path(), second.path());
        first.write("a/b.md", "x").unwrap();
        let path = first.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        drop(first);
        assert!(!path.exists() && second.path().exists());
    }
}
