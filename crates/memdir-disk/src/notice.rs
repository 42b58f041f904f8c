//! Edits that did not go through us: noticed at the next look, and recorded so that they can be undone.
//!
//! A look costs little more than asking the system about every file: only what is not as it was when we last
//! looked is read. What our own operations changed is known from the history and is not a foreign edit.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::journal::key::{ARCHIVE_FILE, INDEX_FILE, SESSION_FILE};
use memdir_core::operation::{Author, AuthorKind, ChangeRecord, Operation, OperationId};
use memdir_core::rel_path::RelPath;

use crate::apply::{Store, random, recover_open};
use crate::disk_error::DiskError;
use crate::file_table::{self, FileRow, FileStamp, FileTable, TableChange, file_system_time, is_settled};
use crate::history::History;
use crate::history::log_writer::LogWriter;
use crate::list_files::{ListedFile, Listing};
use crate::memory_root::MemoryRoot;
use crate::place::FileStat;
use crate::store_lock::StoreLock;

mod known;
mod settled;
#[cfg(test)]
mod tests;

use known::Known;
use settled::{Settled, read_settled};

/// What a look found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Noticed {
    /// What was recorded, oldest first.
    pub operations: Vec<Operation>,
    /// Files that another process writes right now: they are looked at the next time.
    pub restless: Vec<RelPath>,
    /// Files that cannot be read, so that it is unknown whether they changed.
    pub unreadable: Vec<RelPath>,
}

/// Looks at a memory directory and records what others did to it since the last look: new, changed, renamed and
/// deleted files, with their contents. Nothing is synced, because nothing was promised.
///
/// At the very first look the files are recorded as they are, so that whatever happens to them later can be taken
/// back. A directory that is being written by another process of ours is left for the next time.
///
/// # Errors
/// The directory cannot be listed or the history cannot be written; no memory was touched.
pub fn notice(store: &Store<'_>, now: Timestamp, patience: Duration) -> Result<Noticed, DiskError> {
    let root = match MemoryRoot::open(store.memory_dir) {
        Ok(root) => Some(root),
        Err(error) if error.is_not_found() => None,
        Err(error) => return Err(error),
    };
    let _lock = match &root {
        Some(root) => match StoreLock::acquire(root, patience)? {
            Some(lock) => Some(lock),
            None => return Ok(Noticed::default()),
        },
        None => None,
    };
    let path = FileTable::path_of(store.state_dir, store.id);
    let started = file_system_time(&path);
    let mut listing = match &root {
        Some(root) => root.list_files(0)?,
        None => Listing::default(),
    };
    if root.as_ref().is_some_and(is_journal) {
        listing.files.retain(|file| !follows_from_records(&file.path));
    }
    let table = FileTable::open_at(path.clone());
    let rows = table.as_ref().and_then(FileTable::rows);
    if rows.as_ref().map_or(listing.files.is_empty(), |rows| agree(rows, &listing.files)) {
        return Ok(Noticed::default());
    }
    let history = History::of(store.state_dir, store.id);
    let mut log = LogWriter::open(&history)?;
    if let Some(root) = root.as_ref().filter(|_| !log.ends_clean())
        && (root.write_refusal()?.is_some() || recover_open(root, &mut log)?.still_open > 0)
    {
        return Ok(Noticed::default());
    }
    if root.is_some() || log.ends_clean() {
        log = log.past_damage(&history)?;
    }
    let covered = table.as_ref().map(FileTable::covered);
    let known = Known::of(rows.as_deref(), covered, &history)?;
    let is_first = rows.is_none();
    let mut look = Look { store, now, history: &history, log, started, noticed: Noticed::default() };
    let seen = look.compare(root.as_ref(), &listing.files, known, is_first)?;
    look.remember(path, table, rows.unwrap_or_default(), seen, listing.directories);
    Ok(look.noticed)
}

/// Whether a directory is a journal.
pub(crate) fn is_journal(root: &MemoryRoot) -> bool {
    RelPath::parse(SESSION_FILE).is_ok_and(|session| matches!(root.stat(&session), Ok(Some(_))))
}

/// Whether a file of a journal is its index or archive. They follow from its records: what we write there
/// is not a foreign edit.
pub(crate) fn follows_from_records(path: &RelPath) -> bool {
    [INDEX_FILE, ARCHIVE_FILE].contains(&path.as_str())
}

/// Whether the files are exactly those of the table, and none may have changed unseen.
fn agree(rows: &[FileRow], files: &[ListedFile]) -> bool {
    rows.len() == files.len()
        && rows
            .iter()
            .zip(files)
            .all(|(row, file)| row.stamp == Some(FileStamp::of(&file.stat)) && row.path == file.path.as_str())
}

/// Which version every file has, as far as it was seen or recorded.
pub(crate) fn known_versions(
    store: &Store<'_>,
    history: &History,
) -> Result<Vec<(RelPath, ContentHash)>, DiskError> {
    let table = FileTable::open(store.state_dir, store.id);
    let rows = table.as_ref().and_then(FileTable::rows);
    let known = Known::of(rows.as_deref(), table.as_ref().map(FileTable::covered), history)?;
    Ok(known.files.into_iter().map(|(path, file)| (path, file.hash)).collect())
}

/// So many changes, or so many bytes, are one operation at most.
const MAX_CHANGES: usize = 1_000;
const MAX_BYTES: usize = 16 << 20;

struct Look<'l> {
    store: &'l Store<'l>,
    now: Timestamp,
    history: &'l History,
    log: LogWriter,
    /// When the look began, by the clock of the file system.
    started: i64,
    noticed: Noticed,
}

/// One edit, with the new content.
pub(crate) struct Edit {
    pub(crate) record: ChangeRecord,
    pub(crate) content: Option<Vec<u8>>,
}

impl Look<'_> {
    /// Finds what differs from what is known, records it, and gives back what is known now.
    fn compare(
        &mut self,
        root: Option<&MemoryRoot>,
        files: &[ListedFile],
        mut known: Known,
        is_first: bool,
    ) -> Result<Vec<FileRow>, DiskError> {
        let suspects: Vec<&RelPath> =
            files.iter().filter(|file| !known.is_as_seen(file)).map(|file| &file.path).collect();
        let Settled { contents, restless, unreadable } = match root {
            Some(root) => read_settled(root, &suspects, &|path| known.hash(path)),
            None => Settled::default(),
        };
        let mut edits = Vec::new();
        let mut read = BTreeMap::new();
        for (path, (content, stat)) in contents {
            let row = FileRow::of(path.as_str(), &content, self.settled(&stat));
            let (hash, before) = (row.hash, known.hash(&path));
            read.insert(path.clone(), row);
            if before != Some(hash) {
                // What is there at the first look is not an edit: it is known from now on.
                let before = before.or(is_first.then_some(hash));
                let record = ChangeRecord { path, before, after: Some(hash), renamed_from: None };
                edits.push(Edit { record, content: Some(content) });
            }
        }
        let listed: BTreeSet<&RelPath> = files.iter().map(|file| &file.path).collect();
        // What is not listed, because only Markdown is, may still be there.
        let is_gone = |path: &RelPath| root.is_none_or(|root| matches!(root.stat(path), Ok(None)));
        let vanished = known.files.iter().filter(|(path, _)| !listed.contains(path) && is_gone(path));
        let vanished: Vec<(RelPath, ContentHash)> =
            vanished.map(|(path, known)| (path.clone(), known.hash)).collect();
        for (path, hash) in vanished {
            known.files.remove(&path);
            take_for_rename(&mut edits, path, hash);
        }
        self.record(edits)?;
        let rows = files.iter().filter_map(|file| match read.remove(&file.path) {
            Some(row) => Some(row),
            None => known.row(file, restless.contains(&file.path) || unreadable.contains(&file.path)),
        });
        let rows = rows.collect();
        self.noticed.restless = restless;
        self.noticed.unreadable = unreadable;
        Ok(rows)
    }

    /// How a file looked, unless it could change once more and look the same.
    fn settled(&self, stat: &FileStat) -> Option<FileStamp> {
        Some(FileStamp::of(stat)).filter(|stamp| is_settled(stamp.last_change(), self.started))
    }

    /// Brings the table up to date: by appending what is different, or by writing it anew if that is much.
    fn remember(
        &self,
        path: Utf8PathBuf,
        table: Option<FileTable>,
        before: Vec<FileRow>,
        after: Vec<FileRow>,
        directories: Vec<(String, i64)>,
    ) {
        // Also of a directory that changed a moment ago: or each command about one memory would look at all of them
        // until the next look. What comes within the same tick is found by that one (docs/DURABILITY.md).
        let known = directories.into_iter().map(|(path, modified)| (path, Some(modified)));
        let directories: BTreeMap<String, Option<i64>> = known.collect();
        let Some(covered) = self.log.position() else {
            let _ = std::fs::remove_file(path);
            return;
        };
        let known: BTreeSet<&str> =
            table.iter().flat_map(FileTable::directories).map(|(path, _)| path).collect();
        let has_lost_a_directory = known.iter().any(|path| !directories.contains_key(*path));
        let before: BTreeMap<&str, &FileRow> = before.iter().map(|row| (row.path.as_str(), row)).collect();
        let new = after.iter().filter(|row| before.get(row.path.as_str()) != Some(row));
        let mut changes: Vec<TableChange> = new.cloned().map(|row| TableChange::Put(Box::new(row))).collect();
        match table {
            Some(table) if !has_lost_a_directory && changes.len() <= after.len() / 8 + 16 => {
                let left: BTreeSet<&str> = after.iter().map(|row| row.path.as_str()).collect();
                let gone = before.keys().filter(|path| !left.contains(**path));
                changes.extend(gone.map(|path| TableChange::Remove((*path).to_owned())));
                changes.extend(directories.into_iter().map(|(path, at)| TableChange::Directory(path, at)));
                changes.push(TableChange::Covered(covered));
                table.change(changes);
            }
            _ => file_table::write(&path, &after, &directories, covered),
        }
    }

    fn record(&mut self, mut edits: Vec<Edit>) -> Result<(), DiskError> {
        edits.sort_by(|one, other| one.record.path.cmp(&other.record.path));
        while !edits.is_empty() {
            let mut bytes = 0;
            let fits = |edit: &&Edit| {
                bytes += edit.content.as_ref().map_or(0, Vec::len);
                bytes <= MAX_BYTES
            };
            let count = edits.iter().take(MAX_CHANGES).take_while(fits).count().max(1);
            let rest = edits.split_off(count.min(edits.len()));
            self.record_some(&edits)?;
            edits = rest;
        }
        Ok(())
    }

    fn record_some(&mut self, edits: &[Edit]) -> Result<(), DiskError> {
        let wanted = edits.iter().filter(|edit| edit.record.before != edit.record.after);
        let earlier = self.history.contents(&wanted.filter_map(|edit| edit.record.before).collect())?;
        let operation = record_edits(self.store, self.now, edits, &earlier, &mut self.log)?;
        self.noticed.operations.push(operation);
        Ok(())
    }
}

/// Records what others did as one operation. `earlier` has the versions before it, as far as they are at hand.
pub(crate) fn record_edits(
    store: &Store<'_>,
    now: Timestamp,
    edits: &[Edit],
    earlier: &BTreeMap<ContentHash, Vec<u8>>,
    log: &mut LogWriter,
) -> Result<Operation, DiskError> {
    let before = |edit: &Edit| edit.record.before.and_then(|hash| earlier.get(&hash)).map(Vec::as_slice);
    let versions: Vec<_> = edits.iter().map(|edit| (before(edit), edit.content.as_deref())).collect();
    let operation = Operation {
        v: memdir_core::plan::VERSION,
        id: OperationId::new(now, random()?),
        time: now,
        author: Author { kind: AuthorKind::Foreign, id: None, session: None },
        reason: reason(edits),
        store: store.id.clone(),
        memory_dir: store.memory_dir.to_owned(),
        changes: edits.iter().map(|edit| edit.record.clone()).collect(),
        undo_of: None,
        plan: None,
    };
    log.observe(&operation, &versions)?;
    Ok(operation)
}

/// A file that vanished while one with the same content appeared was renamed; else it was deleted.
fn take_for_rename(edits: &mut Vec<Edit>, path: RelPath, hash: ContentHash) {
    let is_it = |edit: &&mut Edit| {
        edit.record.before.is_none() && edit.record.after == Some(hash) && edit.record.renamed_from.is_none()
    };
    match edits.iter_mut().find(is_it) {
        Some(edit) => {
            edit.record.before = Some(hash);
            edit.record.renamed_from = Some(path);
        }
        None => {
            let record = ChangeRecord { path, before: Some(hash), after: None, renamed_from: None };
            edits.push(Edit { record, content: None });
        }
    }
}

fn reason(edits: &[Edit]) -> String {
    let count =
        |matches: &dyn Fn(&ChangeRecord) -> bool| edits.iter().filter(|edit| matches(&edit.record)).count();
    let moved = |record: &ChangeRecord| record.renamed_from.is_some();
    let parts = [
        ("found", count(&|record| !moved(record) && record.before == record.after)),
        ("created", count(&|record| record.before.is_none())),
        (
            "changed",
            count(&|record| {
                record.before.is_some() && record.after.is_some() && record.before != record.after
            }),
        ),
        ("renamed", count(&moved)),
        ("deleted", count(&|record| record.after.is_none())),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(_, number)| *number > 0)
        .map(|(verb, number)| match (edits, number) {
            ([only], _) => format!("{verb} {}", only.record.path),
            (_, 1) => format!("{verb} 1 file"),
            _ => format!("{verb} {number} files"),
        })
        .collect();
    format!("noticed: {}", parts.join(", "))
}
