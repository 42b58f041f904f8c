use std::collections::{BTreeMap, BTreeSet};

use memdir_core::content_hash::ContentHash;
use memdir_core::rel_path::RelPath;

use crate::disk_error::DiskError;
use crate::file_table::{FileHeader, FileRow, FileStamp};
use crate::history::{History, LogPosition};
use crate::list_files::ListedFile;

/// Which version every file should have: what was seen last, and what our own operations did since.
pub(super) struct Known {
    pub(super) files: BTreeMap<RelPath, KnownFile>,
    /// Files that operations changed since the table was written: what was seen of them says nothing.
    touched: BTreeSet<RelPath>,
}

pub(super) struct KnownFile {
    pub(super) hash: ContentHash,
    stamp: Option<FileStamp>,
    header: FileHeader,
}

impl Known {
    pub(super) fn of(
        rows: Option<&[FileRow]>,
        covered: Option<LogPosition>,
        history: &History,
    ) -> Result<Self, DiskError> {
        let mut known = Self { files: BTreeMap::new(), touched: BTreeSet::new() };
        for row in rows.unwrap_or_default() {
            if let Ok(path) = RelPath::parse(&row.path) {
                let file = KnownFile { hash: row.hash, stamp: row.stamp, header: row.header.clone() };
                known.files.insert(path, file);
            }
        }
        let newer = history.after(covered.filter(|_| rows.is_some()))?;
        for change in newer.into_iter().flat_map(|operation| operation.changes) {
            for path in std::iter::once(&change.path).chain(&change.renamed_from) {
                known.touched.insert(path.clone());
            }
            if let Some(from) = &change.renamed_from {
                known.files.remove(from);
            }
            match change.after {
                Some(hash) => {
                    let file = KnownFile { hash, stamp: None, header: FileHeader::default() };
                    known.files.insert(change.path, file)
                }
                None => known.files.remove(&change.path),
            };
        }
        Ok(known)
    }

    pub(super) fn hash(&self, path: &RelPath) -> Option<ContentHash> {
        self.files.get(path).map(|known| known.hash)
    }

    pub(super) fn is_as_seen(&self, file: &ListedFile) -> bool {
        !self.touched.contains(&file.path)
            && self.files.get(&file.path).is_some_and(|known| known.stamp == Some(FileStamp::of(&file.stat)))
    }

    /// The row of a file that was not read this time.
    pub(super) fn row(&self, file: &ListedFile, restless: bool) -> Option<FileRow> {
        let known = self.files.get(&file.path)?;
        Some(FileRow {
            path: file.path.to_string(),
            hash: known.hash,
            stamp: known.stamp.filter(|_| !restless),
            header: known.header.clone(),
        })
    }
}
