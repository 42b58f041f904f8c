//! What went wrong where no error could be printed: a hook answers the agent, not the user.

use std::io;

use camino::Utf8Path;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::rolling_log::RollingLog;

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

/// Appends a line; if that fails, there is no other place to report it.
///
/// # Errors
/// What the system says.
pub fn note(state_dir: &Utf8Path, failure: &Failure) -> io::Result<()> {
    let message = failure.message.chars().take(MAX_MESSAGE).collect();
    log(state_dir).append(&[Failure { message, ..failure.clone() }])
}

/// Everything that went wrong lately, oldest first; lines that cannot be read are left out.
#[must_use]
pub fn read(state_dir: &Utf8Path) -> Vec<Failure> {
    log(state_dir).read()
}

fn log(state_dir: &Utf8Path) -> RollingLog {
    RollingLog::new(state_dir.join("log/failures.jsonl"), FULL_BYTES)
}

#[cfg(test)]
mod tests {
    use std::fs;

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
