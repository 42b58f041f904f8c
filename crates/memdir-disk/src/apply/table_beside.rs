//! The table of a store beside a change: what others did to the files that it touches is recorded before it, and the
//! table follows it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::{ChangeRecord, Operation};
use memdir_core::rel_path::{ENTRYPOINT, RelPath};

use super::Store;
use super::prepare::ChangedFile;
use crate::disk_error::DiskError;
use crate::file_table::{FileRow, FileTable, RowKey, TableChange};
use crate::history::History;
use crate::history::log_writer::LogWriter;
use crate::memory_root::MemoryRoot;
use crate::notice::{Edit, follows_from_records, is_journal, record_edits};
use crate::swap_file::MAX_FILE_BYTES;

/// The table when a change began, with what the history knows beyond it.
pub(super) struct TableBeside {
    table: FileTable,
    /// What operations did since the table was written: the version of each file, `None` if it is gone.
    recent: BTreeMap<RelPath, Option<ContentHash>>,
    /// The directories whose entries were as the table says before the change.
    unchanged: BTreeSet<String>,
}

/// So many files that the table does not know yet are left to the next look.
const MAX_RECENT: usize = 256;

impl TableBeside {
    /// Opens the table; `None` if there is none: then the next look records what is there.
    pub(super) fn open(store: &Store<'_>, history: &History, log: &LogWriter) -> Option<Self> {
        let table = FileTable::open(store.state_dir, store.id)?;
        let mut beside = Self { table, recent: BTreeMap::new(), unchanged: BTreeSet::new() };
        let covered = beside.table.covered();
        if log.opened_at() != covered {
            history.after(Some(covered)).ok()?.iter().for_each(|operation| beside.take_in(operation));
        }
        Some(beside)
    }

    fn take_in(&mut self, operation: &Operation) {
        for change in &operation.changes {
            self.recent.extend(change.renamed_from.clone().map(|from| (from, None)));
            self.recent.insert(change.path.clone(), change.after);
        }
    }

    /// Records what others did to the files of a change since they were last seen.
    pub(super) fn record_foreign(
        &mut self,
        store: &Store<'_>,
        now: Timestamp,
        root: &MemoryRoot,
        files: &[ChangedFile],
        log: &mut LogWriter,
    ) -> Result<(), DiskError> {
        let known = self.table.directories();
        let unchanged = known.filter(|(path, at)| at.is_some() && root.directory_time(path) == *at);
        self.unchanged = unchanged.map(|(path, _)| path.to_owned()).collect();
        let is_journal = is_journal(root);
        let found = files.iter().flat_map(ChangedFile::found);
        let found = found.filter(|(path, _)| !(is_journal && follows_from_records(path)));
        let edits: Vec<Edit> =
            found.filter_map(|(path, content)| self.foreign(store, root, path, content)).collect();
        if !edits.is_empty() {
            let operation = record_edits(store, now, &edits, &BTreeMap::new(), log)?;
            self.take_in(&operation);
        }
        Ok(())
    }

    fn foreign(
        &self,
        store: &Store<'_>,
        root: &MemoryRoot,
        path: &RelPath,
        content: Option<&[u8]>,
    ) -> Option<Edit> {
        // A link in the place of the index is written through, and is in no list.
        if !is_listed(path) || (store.follow_entrypoint_link && path.as_str() == ENTRYPOINT) {
            return None;
        }
        let (before, after) = (self.version(path), content.map(ContentHash::of));
        if before == after {
            return None;
        }
        let mut record = ChangeRecord { path: path.clone(), before, after, renamed_from: None };
        if let (None, Some(hash)) = (before, after)
            && let Some(from) = self.gone_with(hash, root)
        {
            record.before = Some(hash);
            record.renamed_from = Some(from);
        }
        Some(Edit { record, content: content.map(<[u8]>::to_vec) })
    }

    /// The version that a file should have.
    fn version(&self, path: &RelPath) -> Option<ContentHash> {
        match self.recent.get(path) {
            Some(version) => *version,
            None => self.table.row(path.as_str()).map(|row| row.hash),
        }
    }

    /// A file that had a version and is gone: one that appears with it was renamed.
    fn gone_with(&self, hash: ContentHash, root: &MemoryRoot) -> Option<RelPath> {
        let rows = self.table.rows_with(RowKey::Hash(hash)).into_iter();
        let mut paths = rows.filter_map(|row| RelPath::parse(&row.path).ok());
        paths.find(|path| self.version(path) == Some(hash) && matches!(root.stat(path), Ok(None)))
    }

    /// Takes the operation into the table. The caller holds the store's lock.
    pub(super) fn follow(mut self, root: &MemoryRoot, operation: &Operation, log: &LogWriter) {
        self.take_in(operation);
        if self.recent.len() > MAX_RECENT {
            return;
        }
        let mut changes: Vec<TableChange> = Vec::new();
        if is_journal(root) {
            self.recent.retain(|path, _| !follows_from_records(path));
        }
        for (path, version) in &self.recent {
            match (version, root.read(path, MAX_FILE_BYTES)) {
                (Some(version), Ok(content)) if is_listed(path) => {
                    // What was written a moment ago can change once more and look the same: no stamp.
                    let row = FileRow::of(path.as_str(), &content.unwrap_or_default(), None);
                    changes.push(TableChange::Put(Box::new(FileRow { hash: *version, ..row })));
                }
                (Some(_), Err(_)) => return,
                _ => changes.push(TableChange::Remove(path.to_string())),
            }
        }
        let touched: BTreeSet<&str> = operation.changes.iter().flat_map(ancestors).collect();
        for path in touched {
            let was_known = self.table.directories().any(|(known, _)| known == path);
            if self.unchanged.contains(path) || !was_known {
                changes.push(TableChange::Directory(path.to_owned(), root.directory_time(path)));
            }
        }
        changes.extend(log.position().map(TableChange::Covered));
        self.table.change(changes);
    }
}

/// Every directory that holds a changed file, or holds one that does.
fn ancestors(change: &ChangeRecord) -> Vec<&str> {
    let names = std::iter::once(&change.path).chain(&change.renamed_from);
    let ancestors = names.flat_map(|path| path.as_path().ancestors().skip(1));
    ancestors.map(camino::Utf8Path::as_str).collect()
}

/// Whether a look lists a file with this path.
fn is_listed(path: &RelPath) -> bool {
    path.is_markdown() && !path.as_str().split('/').any(|component| component.starts_with('.'))
}
