use std::collections::{BTreeMap, BTreeSet};

use memdir_core::content_hash::ContentHash;
use memdir_core::operation::OperationId;
use memdir_core::rel_path::RelPath;

use super::seen::{Seen, SeenFile, Stamp};
use crate::disk_error::DiskError;
use crate::history::History;
use crate::list_files::ListedFile;

/// Which version every file should have: what was seen last, and what our own operations did since.
pub(super) struct Known {
    pub(super) files: BTreeMap<RelPath, KnownFile>,
    pub(super) last_operation: Option<OperationId>,
    /// Files that operations changed since the table was written: what was seen of them says nothing.
    touched: BTreeSet<RelPath>,
}

pub(super) struct KnownFile {
    pub(super) hash: ContentHash,
    stamp: Option<Stamp>,
}

impl Known {
    pub(super) fn of(seen: Option<&Seen>, history: &History) -> Result<Self, DiskError> {
        let mut known = Self { files: BTreeMap::new(), last_operation: None, touched: BTreeSet::new() };
        for file in seen.iter().flat_map(|seen| &seen.files) {
            if let Ok(path) = RelPath::parse(&file.path) {
                let stamp = seen.and_then(|seen| seen.reliable(file));
                known.files.insert(path, KnownFile { hash: file.hash, stamp });
            }
        }
        let since = seen.and_then(|seen| seen.last_operation.as_ref());
        let newer = history.since(since)?;
        known.last_operation = newer.first().map(|operation| operation.id.clone()).or_else(|| since.cloned());
        for change in newer.into_iter().rev().flat_map(|operation| operation.changes) {
            for path in std::iter::once(&change.path).chain(&change.renamed_from) {
                known.touched.insert(path.clone());
            }
            if let Some(from) = &change.renamed_from {
                known.files.remove(from);
            }
            match change.after {
                Some(hash) => known.files.insert(change.path, KnownFile { hash, stamp: None }),
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
            && self.files.get(&file.path).is_some_and(|known| known.stamp == Some(Stamp::of(&file.stat)))
    }

    /// What is remembered of a file that was not read this time.
    pub(super) fn seen_file(&self, file: &ListedFile, restless: bool) -> Option<SeenFile> {
        let known = self.files.get(&file.path)?;
        let mut seen = SeenFile::new(&file.path, known.hash, &file.stat);
        if restless {
            seen.stamp = Stamp::NEVER;
        }
        Some(seen)
    }
}
