//! What set-up did, so that it can be taken back exactly.

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::{Format, Member, WholeRecord};
use crate::content_hash::ContentHash;

/// Every settings file that set-up changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    v: u32,
    /// The files, in the order in which they were changed first.
    pub files: Vec<FileRecord>,
    /// Files that are ours as a whole: the nightly timer, and plugins of agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub whole: Vec<WholeRecord>,
}

/// One settings file, before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Whose settings these are: the name of an agent, or `project`.
    pub agent: String,
    /// The file, as it was reached: perhaps a link.
    pub path: Utf8PathBuf,
    /// How it is written.
    pub format: Format,
    /// The name of the backup of what stood there before; `None` if nothing did.
    pub backup: Option<String>,
    /// What stood there afterwards.
    pub after: ContentHash,
    /// What is ours in it.
    pub members: Vec<Member>,
    /// The directories that were made for it, outermost first.
    #[serde(default)]
    pub made_dirs: Vec<Utf8PathBuf>,
}

/// Why a manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// It is damaged.
    #[error("what set-up did cannot be read: {0}")]
    Damaged(#[from] serde_json::Error),
    /// A later memdir wrote it.
    #[error("what set-up did was written down by a later version of memdir")]
    Later,
}

impl Default for Manifest {
    fn default() -> Self {
        Self { v: 1, files: Vec::new(), whole: Vec::new() }
    }
}

impl Manifest {
    /// Reads the written form.
    ///
    /// # Errors
    /// It is damaged, or of a later version.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        let manifest: Self = serde_json::from_slice(bytes)?;
        if manifest.v == 1 { Ok(manifest) } else { Err(ManifestError::Later) }
    }

    /// The written form.
    ///
    /// # Errors
    /// Never in practice: every field can be written.
    pub fn render(&self) -> Result<Vec<u8>, ManifestError> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// What was done to one file.
    #[must_use]
    pub fn file(&self, path: &Utf8Path) -> Option<&FileRecord> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Writes down what was done to a file, instead of what was written down before.
    pub fn put(&mut self, record: FileRecord) {
        match self.files.iter_mut().find(|file| file.path == record.path) {
            Some(file) => *file = record,
            None => self.files.push(record),
        }
    }
}
