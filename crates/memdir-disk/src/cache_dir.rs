//! A folder of derived files: written whole, never needed, deleted without regret.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::thread;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use crate::platform::{OpenOwn, exchange_paths};
use crate::state_file::make_directory;

/// A folder in which one process at a time writes derived files, and any number read them.
///
/// Nothing here is made durable: after a crash a file may be missing or damaged, and its reader must notice.
#[derive(Debug, Clone)]
pub struct CacheDir {
    path: Utf8PathBuf,
}

/// The right to write in a [`CacheDir`], until it is dropped.
#[derive(Debug)]
pub struct CacheWriter {
    path: Utf8PathBuf,
    _lock: File,
}

impl CacheDir {
    /// The folder, whether it exists or not.
    #[must_use]
    pub fn new(path: Utf8PathBuf) -> Self {
        Self { path }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Takes the right to write, making the folder if need be; `None` if another process has it.
    ///
    /// # Errors
    /// The folder or its lock cannot be made.
    pub fn try_write(&self) -> io::Result<Option<CacheWriter>> {
        make_directory(&self.path)?;
        let path = self.path.join("lock");
        let lock = fs::OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(false)
            .private()
            .not_waiting()
            .open(path)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(CacheWriter { path: self.path.clone(), _lock: lock })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// As [`CacheDir::try_write`], but waits for the process that has the right, though no longer than `patience`.
    ///
    /// # Errors
    /// The folder or its lock cannot be made.
    pub fn write_within(&self, patience: Duration) -> io::Result<Option<CacheWriter>> {
        let start = Instant::now();
        loop {
            let writer = self.try_write()?;
            if writer.is_some() || start.elapsed() >= patience {
                return Ok(writer);
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl CacheWriter {
    /// Writes a file so that a reader sees the old one, the new one or none, never a part.
    ///
    /// # Errors
    /// What the system or `fill` says; the old file is then left as it was.
    pub fn write(&self, name: &str, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let temporary = format!("{name}.tmp");
        self.write_new(&temporary, fill)?;
        let temporary = self.path.join(temporary);
        take_the_place(&temporary, &self.path.join(name)).inspect_err(|_| {
            let _ = fs::remove_file(&temporary);
        })
    }

    /// Writes a file that no reader knows before it is complete, and gives it back for reading.
    ///
    /// # Errors
    /// What the system or `fill` says; the file is then gone.
    pub fn write_new(
        &self,
        name: &str,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<File> {
        let path = self.path.join(name);
        let written = (|| {
            let mut options = fs::OpenOptions::new();
            let file = options.read(true).write(true).create(true).truncate(true).private().open(&path)?;
            let mut buffered = BufWriter::with_capacity(64 << 10, file);
            fill(&mut buffered)?;
            buffered.into_inner().map_err(io::IntoInnerError::into_error)
        })();
        written.inspect_err(|_| {
            let _ = fs::remove_file(&path);
        })
    }

    /// Removes every file of the folder that `keep` does not want. A process that has one open reads on.
    pub fn remove_others(&self, keep: impl Fn(&str) -> bool) {
        let Ok(entries) = fs::read_dir(&self.path) else { return };
        for entry in entries.flatten() {
            let unwanted = entry.file_name().to_str().is_some_and(|name| name != "lock" && !keep(name));
            if unwanted && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Gives a file the name of another. They change places and the old one goes, because some file systems write a file
/// out at once when it is renamed over another, and no process waits for these.
fn take_the_place(new: &Utf8Path, old: &Utf8Path) -> io::Result<()> {
    match exchange_paths(new.as_std_path(), old.as_std_path()) {
        Ok(()) => fs::remove_file(new),
        Err(_) => fs::rename(new, old),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_writes_at_a_time_and_a_failed_write_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let cache = CacheDir::new(Utf8Path::from_path(folder.path()).unwrap().join("a/b"));
        let writer = cache.try_write().unwrap().unwrap();
        assert!(cache.try_write().unwrap().is_none());
        assert!(cache.write_within(Duration::from_millis(2)).unwrap().is_none());
        writer.write("x", |file| file.write_all(b"old")).unwrap();
        let failed = writer.write("x", |file| {
            file.write_all(b"new")?;
            Err(io::Error::other("full"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(cache.path().join("x")).unwrap(), b"old");
        writer.write("y", |_| Ok(())).unwrap();
        writer.remove_others(|name| name == "y");
        let mut names: Vec<_> = cache
            .path()
            .read_dir_utf8()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["lock", "y"]);
        drop(writer);
        assert!(cache.write_within(Duration::ZERO).unwrap().is_some());
    }
}
