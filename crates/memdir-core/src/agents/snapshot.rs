//! A ready-made memory that a project hands to everybody who uses one of its agents.
//!
//! A snapshot is in the repository, beside a manifest that says when it was made and what it holds. It is
//! another person's text: it is taken over when the user says so, merged with what their agent has learned since,
//! and never written over it.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::AgentName;
use crate::content_hash::ContentHash;
use crate::operation::OperationId;
use crate::plan::Content;
use crate::rel_path::RelPath;

mod create;
mod take_over;
#[cfg(test)]
mod tests;

pub use create::{Created, create};
pub use take_over::{Outcome, TakeOver, take_over};

/// The version of the serialised forms.
pub const VERSION: u32 = 1;
/// The manifest beside the files.
pub const MANIFEST: &str = "snapshot.json";
/// The largest file of a snapshot.
pub const MAX_FILE_BYTES: u64 = 256 * 1024;
/// The most that all files of a snapshot have together.
pub const MAX_TOTAL_BYTES: u64 = 512 * 1024;
/// The most files of a snapshot.
pub const MAX_FILES: usize = 500;

/// Files of a memory directory with their content.
pub type Files = BTreeMap<RelPath, Content>;

/// Where the snapshot of an agent is in a project.
#[must_use]
pub fn snapshot_dir(project: &Utf8Path, name: &AgentName) -> Utf8PathBuf {
    project.join(".claude/agent-snapshots").join(name.directory())
}

/// What `snapshot.json` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this form.
    pub v: u32,
    /// When the snapshot was made; a later one is newer.
    pub created: Timestamp,
    /// The files, with the hash of each.
    pub files: BTreeMap<RelPath, ContentHash>,
}

impl Manifest {
    /// Reads a manifest out of a repository.
    ///
    /// # Errors
    /// It is not JSON in a known form, or it names too many files or files that are not memories.
    pub fn parse(bytes: &[u8]) -> Result<Self, BadSnapshot> {
        #[derive(Deserialize)]
        struct Versioned {
            v: u32,
        }
        let broken = |error: serde_json::Error| BadSnapshot::NoManifest(error.to_string());
        let Versioned { v } = serde_json::from_slice(bytes).map_err(broken)?;
        if v > VERSION {
            return Err(BadSnapshot::Newer(v));
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(broken)?;
        if manifest.files.len() > MAX_FILES {
            return Err(BadSnapshot::TooMuch);
        }
        match manifest.files.keys().find(|path| !path.is_markdown()) {
            Some(path) => Err(BadSnapshot::NotMarkdown(path.clone())),
            None => Ok(manifest),
        }
    }
}

/// A snapshot whose files are what its manifest says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// When it was made.
    pub created: Timestamp,
    /// Its files.
    pub files: Files,
}

impl Snapshot {
    /// Puts a manifest and its files together; `read` gives the content of one file, `None` if it is missing.
    ///
    /// # Errors
    /// A file is missing, is not the one that the manifest means, or all are too large; or what `read` says.
    pub fn read<E: From<BadSnapshot>>(
        manifest: &Manifest,
        mut read: impl FnMut(&RelPath) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Self, E> {
        let mut files = Files::new();
        let mut total = 0;
        for (path, hash) in &manifest.files {
            let content = Content(read(path)?.ok_or_else(|| BadSnapshot::Missing(path.clone()))?);
            total += content.0.len() as u64;
            if total > MAX_TOTAL_BYTES {
                return Err(BadSnapshot::TooMuch.into());
            }
            if content.hash() != *hash {
                return Err(BadSnapshot::Changed(path.clone()).into());
            }
            files.insert(path.clone(), content);
        }
        Ok(Self { created: manifest.created, files })
    }
}

/// What is wrong with a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSnapshot {
    /// The manifest cannot be read.
    #[error("`{MANIFEST}` is not a snapshot's manifest: {0}")]
    NoManifest(String),
    /// The manifest is of a later form.
    #[error("`{MANIFEST}` was written by a newer memdir (form {0}, this one knows {VERSION})")]
    Newer(u32),
    /// A file that is not a memory.
    #[error("`{0}` is not a `.md` file")]
    NotMarkdown(RelPath),
    /// A file is not there.
    #[error("`{0}` is missing from the snapshot")]
    Missing(RelPath),
    /// A file is not the one that was put in.
    #[error("`{0}` is not what `{MANIFEST}` says; make the snapshot anew")]
    Changed(RelPath),
    /// More than an agent's memory can be.
    #[error("a snapshot has at most {MAX_FILES} files of {MAX_TOTAL_BYTES} bytes together")]
    TooMuch,
}

/// What we remember about a snapshot and a memory directory: what was last taken over, and what was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenOver {
    /// The version of this form.
    pub v: u32,
    /// The agent's memory directory.
    pub memory_dir: Utf8PathBuf,
    /// Where the snapshot is.
    pub snapshot_dir: Utf8PathBuf,
    /// The newest snapshot that was decided on.
    pub decided: Timestamp,
    /// Whether the user then kept what they had.
    pub kept: bool,
    /// The operation that took it over. While it is undone, nothing was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// The files that were last taken over, from which the next merge is made.
    pub files: Files,
}

/// How a snapshot and a memory relate to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// There is no snapshot.
    Absent,
    /// There is a snapshot and no memory: it can be taken over whole.
    Initialise,
    /// There is a snapshot on which nothing was decided yet.
    Newer,
    /// The snapshot was taken over.
    Current,
    /// The user kept what they had.
    Kept,
    /// The snapshot is older than the one that was decided on, as on another branch.
    Older,
}

/// Compares the snapshot's time with what was decided.
#[must_use]
pub fn standing(snapshot: Option<Timestamp>, taken: Option<&TakenOver>, has_memory: bool) -> Standing {
    match (snapshot, taken) {
        (None, _) => Standing::Absent,
        (Some(_), taken) if !has_memory && taken.is_none_or(|taken| !taken.kept) => Standing::Initialise,
        (Some(_), None) => Standing::Newer,
        (Some(created), Some(taken)) if created > taken.decided => Standing::Newer,
        (Some(created), Some(taken)) if created < taken.decided => Standing::Older,
        (Some(_), Some(taken)) if taken.kept => Standing::Kept,
        (Some(_), Some(_)) => Standing::Current,
    }
}
