//! How far extraction has read each session, who is at it, and whether it was asked for meanwhile.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::operation::StoreId;
use serde::{Deserialize, Serialize};

use crate::platform::OpenOwn;
use crate::state_file::{self, make_directory};

/// How far extraction has read one session. Part of docs/FORMAT.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionMark {
    /// The last line that was looked at.
    pub uuid: String,
    /// Where that line starts, in bytes.
    pub offset: u64,
    /// How many lines are before it.
    pub line: u64,
    /// How long the transcript was when it was read; 0 where an older memdir read it.
    #[serde(default)]
    pub bytes: u64,
    /// What the user's model was to read and has not, because it could not be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unasked: Option<Unasked>,
}

/// A part of a session that waits for the user's model: from behind this line on. Part of docs/FORMAT.md.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unasked {
    /// The last line that the model need not read; empty for the beginning.
    pub uuid: String,
    /// Where that line starts, in bytes.
    pub offset: u64,
    /// How many lines are before it.
    pub line: u64,
    /// How many calls were made and paid for in vain.
    pub tries: u32,
}

/// What the agent of a session did not save, and when it was asked. Part of docs/FORMAT.md.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaveRequest {
    /// What it will be asked about, a sentence each.
    pub open: Vec<String>,
    /// How many turns ended since it was asked; nothing if it never was.
    pub turns_since: Option<u32>,
}

/// How far extraction has read each session of a store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractionMarks {
    /// The version of this form.
    pub v: u32,
    /// By session id.
    pub sessions: BTreeMap<String, SessionMark>,
    /// What was written down before, oldest first: the turn and the type of each. What of that is no longer there was
    /// removed since, and is not written again.
    #[serde(default)]
    pub written: Vec<String>,
    /// What was written down in the background, until a session was told.
    #[serde(default)]
    pub unsaid: Vec<String>,
    /// What the agent is to be asked to save, by session id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub requests: BTreeMap<String, SaveRequest>,
    /// When sessions were last looked at.
    #[serde(default)]
    pub last: Option<Timestamp>,
}

/// What goes on in a store's extraction right now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExtractionUnderWay {
    /// Whether a process is at it.
    pub is_running: bool,
    /// How many requests wait for that process.
    pub queued: usize,
}

impl ExtractionUnderWay {
    /// Looks without disturbing anybody.
    #[must_use]
    pub fn look(state_dir: &Utf8Path, store: &StoreId) -> Self {
        let folder = state_dir.join("extract");
        let lock = File::open(folder.join(format!("{}.lock", store.0)));
        let is_running = lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock)));
        let again = state_file::read(&folder.join(format!("{}.again", store.0)), MAX_BYTES).ok().flatten();
        let queued = again.map_or(0, |asked| asked.iter().filter(|byte| **byte == b'\n').count());
        Self { is_running, queued }
    }
}

impl ExtractionMarks {
    /// How far every session of a store was read. A file that cannot be understood counts as none: reading starts over,
    /// and what is known is recognised.
    #[must_use]
    pub fn read(state_dir: &Utf8Path, store: &StoreId) -> Self {
        let path = marks_path(&state_dir.join("extract"), store);
        let content = state_file::read(&path, MAX_BYTES).ok().flatten().unwrap_or_default();
        serde_json::from_slice::<Self>(&content).ok().filter(|marks| marks.v <= VERSION).unwrap_or_default()
    }
}

fn marks_path(folder: &Utf8Path, store: &StoreId) -> Utf8PathBuf {
    folder.join(format!("{}.json", store.0))
}

/// Held by the one process that extracts for a store; the system releases it when that process ends.
#[derive(Debug)]
pub struct ExtractionLease {
    folder: Utf8PathBuf,
    store: StoreId,
    _lock: File,
}

const VERSION: u32 = 1;
const MAX_BYTES: usize = 8 << 20;
/// Sessions are forgotten beyond this number; ids sort in no order, so which ones does not matter much.
const MOST_SESSIONS: usize = 5_000;
/// So many memories are remembered as written.
const MOST_WRITTEN: usize = 3_000;

impl ExtractionLease {
    /// Takes the lease. `None` if another process has it: then that one is asked to look once more before it ends, at
    /// this session or else at all that wait.
    ///
    /// # Errors
    /// Our state cannot be written.
    pub fn take_or_ask(
        state_dir: &Utf8Path,
        store: &StoreId,
        session: Option<&str>,
    ) -> io::Result<Option<Self>> {
        let folder = state_dir.join("extract");
        make_directory(&folder)?;
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(false).private();
        let lock = options.open(folder.join(format!("{}.lock", store.0)))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { folder, store: store.clone(), _lock: lock })),
            Err(fs::TryLockError::WouldBlock) => {
                let mut again = fs::OpenOptions::new();
                again.append(true).create(true).private();
                let mut again = again.open(folder.join(format!("{}.again", store.0)))?;
                again.write_all(format!("{}\n", session.unwrap_or_default()).as_bytes())?;
                Ok(None)
            }
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// Takes the lease if it is free, and asks for nothing otherwise.
    ///
    /// # Errors
    /// Our state cannot be written.
    pub fn take_if_free(state_dir: &Utf8Path, store: &StoreId) -> io::Result<Option<Self>> {
        if ExtractionUnderWay::look(state_dir, store).is_running {
            return Ok(None);
        }
        Self::take_or_ask(state_dir, store, None)
    }

    /// What was asked for since the last time this was called: sessions, each once; `None` for all that wait.
    #[must_use]
    pub fn asked_again(&self) -> Vec<Option<String>> {
        let path = self.folder.join(format!("{}.again", self.store.0));
        let asked = state_file::read(&path, MAX_BYTES).ok().flatten();
        let Some(asked) = asked.filter(|_| fs::remove_file(&path).is_ok()) else { return Vec::new() };
        let mut lines: Vec<String> = String::from_utf8_lossy(&asked).lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines.dedup();
        lines.into_iter().map(|line| Some(line).filter(|line| !line.is_empty())).collect()
    }

    /// How far every session was read, as [`ExtractionMarks::read`] tells it.
    #[must_use]
    pub fn marks(&self) -> ExtractionMarks {
        self.folder
            .parent()
            .map(|state_dir| ExtractionMarks::read(state_dir, &self.store))
            .unwrap_or_default()
    }

    /// Remembers how far every session was read.
    ///
    /// # Errors
    /// What the system says.
    pub fn remember(&self, marks: &ExtractionMarks) -> io::Result<()> {
        let mut marks = ExtractionMarks { v: VERSION, ..marks.clone() };
        while marks.sessions.len() > MOST_SESSIONS {
            marks.sessions.pop_first();
        }
        let most = marks.written.len().saturating_sub(MOST_WRITTEN);
        marks.written.drain(..most);
        state_file::replace(&marks_path(&self.folder, &self.store), &serde_json::to_vec(&marks)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_a_request_meanwhile_is_remembered_once() {
        let folder = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(folder.path()).unwrap();
        let store = StoreId::new(7);
        let take = |session| ExtractionLease::take_or_ask(state, &store, session).unwrap();
        let lease = take(None).unwrap();
        assert_eq!(lease.asked_again(), []);
        let under_way = || ExtractionUnderWay::look(state, &store);
        assert_eq!(under_way(), ExtractionUnderWay { is_running: true, queued: 0 });
        assert!(take(None).is_none() && take(Some("s-1")).is_none() && take(Some("s-1")).is_none());
        assert_eq!(under_way(), ExtractionUnderWay { is_running: true, queued: 3 });
        assert_eq!(lease.asked_again(), [None, Some("s-1".to_owned())]);
        assert_eq!(lease.asked_again(), []);
        let mark = SessionMark { uuid: "u".to_owned(), offset: 5, line: 1, bytes: 9, unasked: None };
        let marks = ExtractionMarks {
            v: 1,
            sessions: [("s".to_owned(), mark)].into(),
            written: vec!["u feedback".to_owned()],
            unsaid: Vec::new(),
            requests: BTreeMap::new(),
            last: Some(Timestamp::UNIX_EPOCH),
        };
        lease.remember(&marks).unwrap();
        assert_eq!(lease.marks(), marks);
        drop(lease);
        assert_eq!(under_way(), ExtractionUnderWay::default());
        let lease = take(None).unwrap();
        fs::write(state.join("extract").join(format!("{store}.json")), "nonsense").unwrap();
        assert_eq!(lease.marks(), ExtractionMarks::default());
    }
}
