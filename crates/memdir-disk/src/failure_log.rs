//! What went wrong where nobody could be told: a hook answers the agent, not the user.

use std::fs;
use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::platform::OpenOwn;
use crate::state_file::{self, make_directory};

/// One thing that went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// When.
    pub time: Timestamp,
    /// What was being done, such as the name of a hook's event.
    pub during: String,
    /// What went wrong, and on which path.
    pub message: String,
}

/// The log's length at which it is put aside; together with the one put aside, twice that is kept.
const FULL_BYTES: u64 = 128 << 10;

/// No message is longer: a path or a parser's complaint can be hostile.
const MAX_MESSAGE: usize = 2_000;

/// Appends a line. Whoever cannot write here has nobody left to tell.
///
/// # Errors
/// What the system says.
pub fn note(state_dir: &Utf8Path, failure: &Failure) -> io::Result<()> {
    let path = place(state_dir);
    if let Some(folder) = path.parent() {
        make_directory(folder)?;
    }
    if fs::metadata(&path).is_ok_and(|metadata| metadata.len() >= FULL_BYTES) {
        fs::rename(&path, put_aside(&path))?;
    }
    let message = failure.message.chars().take(MAX_MESSAGE).collect();
    let mut line = serde_json::to_string(&Failure { message, ..failure.clone() })?;
    line.push('\n');
    let mut file = fs::OpenOptions::new().append(true).create(true).private().open(path)?;
    file.write_all(line.as_bytes())
}

/// Everything that went wrong lately, oldest first; lines that cannot be read are left out.
#[must_use]
pub fn read(state_dir: &Utf8Path) -> Vec<Failure> {
    let path = place(state_dir);
    let limit = usize::try_from(FULL_BYTES * 2).unwrap_or(usize::MAX);
    let files = [put_aside(&path), path].map(|path| state_file::read(&path, limit).ok().flatten());
    let bytes = files.into_iter().flatten().collect::<Vec<_>>().concat();
    String::from_utf8_lossy(&bytes).lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn place(state_dir: &Utf8Path) -> Utf8PathBuf {
    state_dir.join("log/failures.jsonl")
}

fn put_aside(path: &Utf8Path) -> Utf8PathBuf {
    path.with_extension("old.jsonl")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_keeps_the_latest_and_stays_small() {
        let temp = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(temp.path()).unwrap();
        let failure = |at: i64| Failure {
            time: Timestamp::from_second(at).unwrap(),
            during: "Stop".to_owned(),
            message: "m".repeat(9_000),
        };
        for at in 0..300 {
            note(state, &failure(at)).unwrap();
        }
        let read = read(state);
        assert_eq!(read.last().unwrap().time, Timestamp::from_second(299).unwrap());
        assert!(read.len() > 60 && read.iter().all(|failure| failure.message.len() == MAX_MESSAGE));
        let bytes: u64 = fs::read_dir(state.join("log"))
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum();
        assert!(bytes < 2 * FULL_BYTES + 4_096);
    }
}
