use std::fs::{self, File};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::{Author, OperationId, StoreId};
use memdir_core::project::relocate::Relocation;
use serde::{Deserialize, Serialize};

use crate::disk_error::{DiskError, IoContext};
use crate::state_file;

/// One move of a project's files: written before the first step, and kept so that it can be undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The version of this form.
    pub v: u32,
    /// Its name, and what the operation's record calls it.
    pub id: OperationId,
    /// Who wanted it.
    pub author: Author,
    /// When.
    pub time: Timestamp,
    /// Which way.
    pub direction: Direction,
    /// The real path of the project that the files go to.
    pub root: Utf8PathBuf,
    /// The memory directory that the files go to.
    pub memory_dir: Utf8PathBuf,
    /// The store that both become; known after the first step.
    #[serde(default)]
    pub store: Option<StoreId>,
    /// The stores of both places before: their histories become one.
    #[serde(default)]
    pub absorbs: Vec<StoreId>,
    /// What is brought from where to where.
    pub relocations: Vec<Relocation>,
    /// The files beside the memory that were copied.
    #[serde(default)]
    pub copied: Vec<Carried>,
}

/// Whether files are brought, or a move is undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// To the new place.
    There,
    /// To the new place once more: this undo of the move is undone.
    Again {
        /// The undo.
        operation: OperationId,
    },
    /// Back: this operation is undone.
    Back {
        /// The operation.
        operation: OperationId,
    },
}

/// A file that was copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    /// Where to.
    pub to: Utf8PathBuf,
    /// What.
    pub hash: ContentHash,
}

/// The moves that our state directory knows: those that are under way, done, or undone.
#[derive(Debug, Clone)]
pub struct MoveRecords {
    dir: Utf8PathBuf,
}

/// Held while files are moved: one move at a time.
#[derive(Debug)]
pub struct MoveLock {
    _file: File,
}

const MAX_BYTES: usize = 256 << 20;

impl MoveRecords {
    /// The records below a state directory.
    #[must_use]
    pub fn new(state_dir: &Utf8Path) -> Self {
        Self { dir: state_dir.join("moves") }
    }

    /// Keeps others from moving anything until it is dropped.
    ///
    /// # Errors
    /// Another process moves files, or the system fails.
    pub fn lock(&self) -> Result<MoveLock, DiskError> {
        let path = self.dir.with_file_name("locks").join("moves.lock");
        match state_file::lock(&path).during("lock", &path)? {
            Some(file) => Ok(MoveLock { _file: file }),
            None => DiskError::refused(&path, "another process moves files"),
        }
    }

    /// The moves that were begun and not finished. Costs one system call where there are none.
    #[must_use]
    pub fn open(&self) -> Vec<MoveRecord> {
        self.all_in("open")
    }

    /// The move to a memory directory that was undone last.
    #[must_use]
    pub fn last_undone_to(&self, memory_dir: &Utf8Path) -> Option<MoveRecord> {
        let undone = self.all_in("undone").into_iter();
        undone.filter(|record| record.memory_dir == memory_dir).max_by_key(|record| record.time)
    }

    fn all_in(&self, folder: &str) -> Vec<MoveRecord> {
        let Ok(entries) = fs::read_dir(self.dir.join(folder)) else { return Vec::new() };
        let paths = entries.flatten().filter_map(|entry| Utf8PathBuf::from_path_buf(entry.path()).ok());
        paths.filter_map(|path| read(&path)).collect()
    }

    /// Whether the place of moves under way is empty.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        fs::read_dir(self.dir.join("open")).map_or(true, |mut entries| entries.next().is_none())
    }

    /// Removes records that were never completed: what they would have said had not begun. The caller holds the lock.
    pub fn sweep(&self) {
        let Ok(entries) = fs::read_dir(self.dir.join("open")) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.extension().is_some_and(|extension| extension == "tmp") {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// A move that is done.
    #[must_use]
    pub fn done(&self, id: &OperationId) -> Option<MoveRecord> {
        read(&self.file("done", id)?)
    }

    /// Remembers a move before its first step, or a step of it.
    ///
    /// # Errors
    /// The system fails.
    pub fn begin(&self, record: &MoveRecord) -> Result<(), DiskError> {
        self.write("open", record)
    }

    /// Remembers that a move is done, with what it needs to be undone.
    ///
    /// # Errors
    /// The system fails.
    pub fn finish(&self, record: &MoveRecord) -> Result<(), DiskError> {
        self.write("done", record)?;
        self.drop_from("undone", &record.id)?;
        self.drop_from("open", &record.id)
    }

    /// A move that was undone.
    #[must_use]
    pub fn undone(&self, id: &OperationId) -> Option<MoveRecord> {
        read(&self.file("undone", id)?)
    }

    /// Remembers that a move is undone, with what it needs to be made again.
    ///
    /// # Errors
    /// The system fails.
    pub fn take_back(&self, record: &MoveRecord) -> Result<(), DiskError> {
        self.write("undone", record)?;
        self.drop_from("done", &record.id)?;
        self.drop_from("open", &record.id)
    }

    fn drop_from(&self, folder: &str, id: &OperationId) -> Result<(), DiskError> {
        let Some(path) = self.file(folder, id) else { return Ok(()) };
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).during("remove", &path),
            _ => Ok(()),
        }
    }

    fn write(&self, folder: &str, record: &MoveRecord) -> Result<(), DiskError> {
        let Some(path) = self.file(folder, &record.id) else {
            return DiskError::refused(&self.dir, "not the id of a move");
        };
        let directory = self.dir.join(folder);
        state_file::make_directory(&directory).during("create", &directory)?;
        let bytes = serde_json::to_vec(record).map_err(std::io::Error::from).during("write", &path)?;
        state_file::replace(&path, &bytes).during("write", &path)
    }

    fn file(&self, folder: &str, id: &OperationId) -> Option<Utf8PathBuf> {
        let is_id = !id.0.is_empty() && id.0.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_id.then(|| self.dir.join(folder).join(format!("{id}.json")))
    }
}

fn read(path: &Utf8Path) -> Option<MoveRecord> {
    let bytes = state_file::read(path, MAX_BYTES).ok()??;
    serde_json::from_slice(&bytes).ok().filter(|record: &MoveRecord| record.v == 1)
}
