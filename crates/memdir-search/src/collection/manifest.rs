//! Which segments make up the index right now.

use std::io;

use camino::Utf8Path;
use memdir_disk::own_file::read_own;
use serde::{Deserialize, Serialize};

use super::file_table::FileTable;
use crate::analyze;
use crate::error::{SearchError, damaged};
use crate::meaning;
use crate::segment::Segment;

/// The one file that says which others count. It is replaced whole, so a reader sees one state or the next.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    v: u32,
    analysis: u32,
    /// The folder that is indexed, for the process that looks.
    pub(super) root: String,
    /// Oldest first.
    pub(super) segments: Vec<SegmentInfo>,
    /// The file with the table of files.
    pub(super) table: String,
    /// Whether every file was indexed when this was written.
    pub(super) complete: bool,
}

/// A segment and what of it no longer counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SegmentInfo {
    pub(super) name: String,
    pub(super) passages: u64,
    /// Groups whose files have changed or gone, sorted.
    pub(super) dead: Vec<u32>,
    /// The keys of files that have changed or gone since they were last looked up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) gone: Vec<u64>,
}

impl SegmentInfo {
    /// A segment of which everything counts.
    pub(super) fn new(name: String, segment: &Segment) -> Self {
        Self { name, passages: segment.passages() as u64, ..Self::default() }
    }
}

pub(super) const NAME: &str = "manifest.json";
const VERSION: u32 = 4;

impl Manifest {
    pub(super) fn new(root: &Utf8Path) -> Self {
        Self { v: VERSION, analysis: analyze::VERSION, root: root.to_string(), ..Self::default() }
    }

    /// Reads it; `None` if there is none.
    pub(super) fn load(folder: &Utf8Path) -> Result<Option<Self>, SearchError> {
        let path = folder.join(NAME);
        let bytes = match read_own(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(SearchError::Read { path, source }),
        };
        match serde_json::from_slice::<Self>(&bytes) {
            Ok(manifest) if manifest.v == VERSION && manifest.analysis == analyze::VERSION => {
                Ok(Some(manifest))
            }
            Ok(_) => damaged("it is of another version"),
            Err(_) => damaged("its manifest cannot be read"),
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Whether a file of the folder belongs to this state.
    pub(super) fn names(&self, file: &str) -> bool {
        file == NAME
            || file == meaning::NAME
            || file == self.table
            || self.segments.iter().any(|segment| segment.name == file)
    }

    pub(super) fn load_table(&self, folder: &Utf8Path) -> Result<FileTable, SearchError> {
        if self.table.is_empty() {
            return Ok(FileTable::default());
        }
        let path = folder.join(&self.table);
        let bytes = read_own(&path).map_err(|source| SearchError::Read { path, source })?;
        FileTable::decode(bytes)
    }
}
