//! A log of JSON lines that stays small: appended to without a lock, and put aside when it is full.

use std::fs;
use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::platform::OpenOwn;
use crate::state_file::{self, make_directory};

/// A file of one JSON object a line, and the one that was put aside before it.
///
/// Nothing here is made durable: a crash may cost the last lines, and a reader leaves out what it cannot read.
#[derive(Debug, Clone)]
pub struct RollingLog {
    path: Utf8PathBuf,
    full_bytes: u64,
}

impl RollingLog {
    /// The log in the file `path`, which is put aside at `full_bytes`; about twice that is kept in all.
    #[must_use]
    pub fn new(path: Utf8PathBuf, full_bytes: u64) -> Self {
        Self { path, full_bytes }
    }

    /// Appends a line an entry, in one write, so that the lines of two processes never mix.
    ///
    /// # Errors
    /// What the system says.
    pub fn append(&self, entries: &[impl Serialize]) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            make_directory(folder)?;
        }
        if fs::metadata(&self.path).is_ok_and(|metadata| metadata.len() >= self.full_bytes) {
            fs::rename(&self.path, self.put_aside())?;
        }
        let mut lines = String::new();
        for entry in entries {
            lines.push_str(&serde_json::to_string(entry)?);
            lines.push('\n');
        }
        let mut file = fs::OpenOptions::new().append(true).create(true).private().open(&self.path)?;
        file.write_all(lines.as_bytes())
    }

    /// Everything that is kept, oldest first.
    #[must_use]
    pub fn read<T: DeserializeOwned>(&self) -> Vec<T> {
        let limit = usize::try_from(self.full_bytes * 2).unwrap_or(usize::MAX);
        let read = |path: &Utf8Path| state_file::read(path, limit).ok().flatten().unwrap_or_default();
        let bytes = [read(&self.put_aside()), read(&self.path)].concat();
        String::from_utf8_lossy(&bytes).lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    fn put_aside(&self) -> Utf8PathBuf {
        self.path.with_extension("old.jsonl")
    }
}
