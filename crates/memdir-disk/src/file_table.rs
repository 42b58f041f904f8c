//! The table of a store: what every file of a memory directory is and says, kept so that a command about one memory
//! need not look at all of them.
//!
//! Derived: it may be deleted at any time, and the next look at the directory makes it anew. One file holds rows that
//! are found by a sorted array of keys, and behind them the changes since, appended. Readers open it once and see one
//! state of it; writers hold the store's lock. The form is in docs/FORMAT.md, "Table".

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::operation::StoreId;

use crate::history::LogPosition;
use crate::platform::{self, FileExt, OpenOwn};
use crate::state_file;

mod bytes;
mod row;
#[cfg(test)]
mod tests;

use bytes::{checksum, push_text, take, take_text};
pub use row::{FileHeader, FileRow, FileStamp, Limit, RowKey, is_index_file};

/// The table of one store, as it was when it was opened.
#[derive(Debug)]
pub struct FileTable {
    path: Utf8PathBuf,
    file: File,
    base: Base,
    /// What was appended for a path since: its row, or `None` if the file is gone.
    changed: BTreeMap<String, Option<Appended>>,
    directories: BTreeMap<String, Option<i64>>,
    covered: LogPosition,
    appended_bytes: u64,
    /// Whether a killed process left half of a change at the end.
    is_torn: bool,
}

/// Where the parts of the file are that were written together.
#[derive(Debug, Clone, Copy)]
struct Base {
    keys_at: u64,
    key_count: u64,
    rows_at: u64,
    end: u64,
}

#[derive(Debug)]
struct Appended {
    keys: Vec<u64>,
    row: FileRow,
}

/// One change of the table.
#[derive(Debug)]
pub(crate) enum TableChange {
    /// The row of a file.
    Put(Box<FileRow>),
    /// A file is gone.
    Remove(String),
    /// When the entries of a directory last changed; `None`: that has to be looked at.
    Directory(String, Option<i64>),
    /// The history is taken into account up to here.
    Covered(LogPosition),
}

const MAGIC: &[u8; 8] = b"MDTABLE3";
const CHECKSUM_BYTES: usize = 8;
/// Magic, checksum, five numbers of eight bytes, the covered segment, the length of the directories.
const FIXED_BYTES: usize = 8 + CHECKSUM_BYTES + 5 * 8 + 4 + 4;
const KEY_BYTES: u64 = 12;
/// A row takes less than this, and so does what is known of all directories.
const MAX_PART: usize = 16 << 20;
/// What is appended is read whole by every command: beyond this it becomes part of the rows.
const MAX_APPENDED: u64 = 192 << 10;
/// A file that changed within one tick of the file system's clock before a look may change once more within the same
/// tick, and look the same.
const TICK: i64 = 20_000_000;

impl FileTable {
    /// Where the table of a store is.
    pub(crate) fn path_of(state_dir: &Utf8Path, store: &StoreId) -> Utf8PathBuf {
        state_dir.join("cache/table").join(store.to_string())
    }

    /// Opens the table of a store; `None` if there is none that can be trusted.
    #[must_use]
    pub fn open(state_dir: &Utf8Path, store: &StoreId) -> Option<Self> {
        Self::open_at(Self::path_of(state_dir, store))
    }

    pub(crate) fn open_at(path: Utf8PathBuf) -> Option<Self> {
        let file = fs::OpenOptions::new().read(true).not_waiting().open(&path).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() {
            return None;
        }
        let length = metadata.len();
        let mut fixed = [0; FIXED_BYTES];
        file.read_exact_at(&mut fixed, 0).ok()?;
        let (mut input, directories_length) = (fixed.strip_prefix(MAGIC)?, fixed.last_chunk::<4>()?);
        let sum = take::<CHECKSUM_BYTES>(&mut input)?;
        let directories_length = usize::try_from(u32::from_le_bytes(*directories_length)).ok()?;
        let listed = read_part(&file, u64::try_from(FIXED_BYTES).ok()?, directories_length)?;
        if checksum(&[input, &listed]) != sum {
            return None;
        }
        let mut number = || Some(u64::from_le_bytes(take(&mut input)?));
        let base = Base { keys_at: number()?, key_count: number()?, rows_at: number()?, end: number()? };
        let offset = number()?;
        let covered = LogPosition { segment: u32::from_le_bytes(take(&mut input)?), offset };
        let appended_bytes = length.checked_sub(base.end)?;
        let mut table = Self {
            path,
            file,
            base,
            changed: BTreeMap::new(),
            directories: read_directories(&listed)?,
            covered,
            appended_bytes,
            is_torn: false,
        };
        let appended = read_part(&table.file, base.end, usize::try_from(appended_bytes).ok()?)?;
        table.is_torn = table.take_appended(&appended).is_none();
        Some(table)
    }

    fn take_appended(&mut self, mut input: &[u8]) -> Option<()> {
        while !input.is_empty() {
            let length = usize::try_from(u32::from_le_bytes(take(&mut input)?)).ok()?;
            let sum = take::<CHECKSUM_BYTES>(&mut input)?;
            let (mut record, rest) = input.split_at_checked(length)?;
            if checksum(&[record]) != sum {
                return None;
            }
            input = rest;
            match take::<1>(&mut record)? {
                [1] => {
                    let row = FileRow::decode(&mut record)?;
                    self.changed.insert(row.path.clone(), Some(Appended { keys: row.keys(), row }));
                }
                [2] => {
                    self.changed.insert(take_text(&mut record)?.to_owned(), None);
                }
                [3] => {
                    let (path, modified) = take_directory(&mut record)?;
                    self.directories.insert(path, modified);
                }
                [4] => {
                    let segment = u32::from_le_bytes(take(&mut record)?);
                    self.covered = LogPosition { segment, offset: u64::from_le_bytes(take(&mut record)?) };
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// Up to where in the history operations are taken into account.
    pub(crate) fn covered(&self) -> LogPosition {
        self.covered
    }

    /// Every directory below the root and the root itself (the empty path), with when its entries last changed.
    pub fn directories(&self) -> impl Iterator<Item = (&str, Option<i64>)> {
        self.directories.iter().map(|(path, modified)| (path.as_str(), *modified))
    }

    /// The row of a file.
    #[must_use]
    pub fn row(&self, path: &str) -> Option<FileRow> {
        self.rows_with(RowKey::Path(path)).pop()
    }

    /// Every row that has a key.
    #[must_use]
    pub fn rows_with(&self, key: RowKey<'_>) -> Vec<FileRow> {
        let number = key.number();
        let in_base = self.base_rows(number).unwrap_or_default();
        let mut rows: Vec<FileRow> = in_base
            .into_iter()
            .filter(|row| !self.changed.contains_key(&row.path) && row.keys().contains(&number))
            .collect();
        let appended = self.changed.values().flatten().filter(|appended| appended.keys.contains(&number));
        rows.extend(appended.map(|appended| appended.row.clone()));
        rows
    }

    fn base_rows(&self, number: u64) -> Option<Vec<FileRow>> {
        let (mut low, mut high) = (0, self.base.key_count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.key_at(middle)?.0 < number { low = middle + 1 } else { high = middle }
        }
        let mut rows = Vec::new();
        while let Some((key, offset)) = self.key_at(low).filter(|(key, _)| *key == number) {
            debug_assert_eq!(key, number);
            rows.push(self.base_row(offset)?);
            low += 1;
        }
        Some(rows)
    }

    fn key_at(&self, place: u64) -> Option<(u64, u32)> {
        let at = (place < self.base.key_count).then(|| self.base.keys_at + place * KEY_BYTES)?;
        let mut bytes = [0; KEY_BYTES as usize];
        self.file.read_exact_at(&mut bytes, at).ok()?;
        let mut input = bytes.as_slice();
        Some((u64::from_le_bytes(take(&mut input)?), u32::from_le_bytes(take(&mut input)?)))
    }

    fn base_row(&self, offset: u32) -> Option<FileRow> {
        let at = self.base.rows_at.checked_add(offset.into())?;
        let mut head = [0; 4 + CHECKSUM_BYTES];
        self.file.read_exact_at(&mut head, at).ok()?;
        let length = u32::from_le_bytes(*head.first_chunk()?);
        let whole = read_part(&self.file, at, head.len().checked_add(usize::try_from(length).ok()?)?)?;
        take_row(&mut whole.as_slice())
    }

    /// Every row, sorted by path; `None` if one of them is damaged.
    #[must_use]
    pub fn rows(&self) -> Option<Vec<FileRow>> {
        let length = self.base.end.checked_sub(self.base.rows_at)?;
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        self.file.read_exact_at(&mut bytes, self.base.rows_at).ok()?;
        let mut input = bytes.as_slice();
        let mut rows = Vec::with_capacity(bytes.len() / 200);
        while !input.is_empty() {
            let row = take_row(&mut input)?;
            if self.changed.is_empty() || !self.changed.contains_key(&row.path) {
                rows.push(row);
            }
        }
        if !self.changed.is_empty() {
            rows.extend(self.changed.values().flatten().map(|appended| appended.row.clone()));
            rows.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        }
        Some(rows)
    }

    /// Makes changes. The caller holds the store's lock. If it fails, the next look finds out what is missing.
    pub(crate) fn change(self, changes: Vec<TableChange>) {
        if changes.is_empty() {
            return;
        }
        let mut bytes = Vec::new();
        for change in &changes {
            push_record(&mut bytes, &change.encode());
        }
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if self.is_torn || self.appended_bytes.saturating_add(length) > MAX_APPENDED {
            self.rewrite(changes);
            return;
        }
        if let Ok(file) = fs::OpenOptions::new().append(true).open(&self.path) {
            let _ = std::io::Write::write_all(&mut &file, &bytes);
        }
    }

    /// Writes all rows together, with the changes among them.
    fn rewrite(mut self, changes: Vec<TableChange>) {
        let Some(rows) = self.rows() else {
            let _ = fs::remove_file(&self.path);
            return;
        };
        let mut rows: BTreeMap<String, FileRow> =
            rows.into_iter().map(|row| (row.path.clone(), row)).collect();
        for change in changes {
            match change {
                TableChange::Put(row) => drop(rows.insert(row.path.clone(), *row)),
                TableChange::Remove(path) => drop(rows.remove(&path)),
                TableChange::Directory(path, modified) => drop(self.directories.insert(path, modified)),
                TableChange::Covered(position) => self.covered = position,
            }
        }
        write(&self.path, rows.values(), &self.directories, self.covered);
    }
}

impl TableChange {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Self::Put(row) => {
                bytes.push(1);
                row.encode(&mut bytes);
            }
            Self::Remove(path) => {
                bytes.push(2);
                push_text(&mut bytes, path);
            }
            Self::Directory(path, modified) => {
                bytes.push(3);
                push_directory(&mut bytes, path, *modified);
            }
            Self::Covered(position) => {
                bytes.push(4);
                bytes.extend_from_slice(&position.segment.to_le_bytes());
                bytes.extend_from_slice(&position.offset.to_le_bytes());
            }
        }
        bytes
    }
}

/// Puts a table with these rows, which are sorted by path, in the place of the last one.
pub(crate) fn write<'r>(
    path: &Utf8Path,
    rows: impl IntoIterator<Item = &'r FileRow>,
    directories: &BTreeMap<String, Option<i64>>,
    covered: LogPosition,
) {
    let (mut row_bytes, mut keys) = (Vec::new(), Vec::new());
    for row in rows {
        let Ok(offset) = u32::try_from(row_bytes.len()) else { return };
        let distinct: HashSet<u64> = row.keys().into_iter().collect();
        keys.extend(distinct.into_iter().map(|key| (key, offset)));
        let mut bytes = Vec::new();
        row.encode(&mut bytes);
        push_record(&mut row_bytes, &bytes);
    }
    keys.sort_unstable();
    let mut listed = Vec::new();
    for (path, modified) in directories {
        push_directory(&mut listed, path, *modified);
    }
    let number = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
    let keys_at = number(FIXED_BYTES + listed.len());
    let rows_at = keys_at + number(keys.len()) * KEY_BYTES;
    let end = rows_at + number(row_bytes.len());
    let mut fixed = Vec::new();
    for number in [keys_at, number(keys.len()), rows_at, end, covered.offset] {
        fixed.extend_from_slice(&number.to_le_bytes());
    }
    fixed.extend_from_slice(&covered.segment.to_le_bytes());
    fixed.extend_from_slice(&u32::try_from(listed.len()).unwrap_or(u32::MAX).to_le_bytes());
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&checksum(&[&fixed, &listed]));
    bytes.extend_from_slice(&fixed);
    bytes.extend_from_slice(&listed);
    for (key, offset) in keys {
        bytes.extend_from_slice(&key.to_le_bytes());
        bytes.extend_from_slice(&offset.to_le_bytes());
    }
    bytes.extend_from_slice(&row_bytes);
    let _ = replace_lightly(path, &bytes);
}

/// The time of the file system's clock, in nanoseconds. Without a file to ask, a time before everything: then nothing
/// that is seen counts as settled.
pub(crate) fn file_system_time(table: &Utf8Path) -> i64 {
    let time = || {
        let file = fs::OpenOptions::new().write(true).open(table).ok()?;
        platform::date_now(&file).ok()?;
        i64::try_from(platform::stat_open(&file).ok()?.file.modified).ok()
    };
    time().unwrap_or(i64::MIN)
}

/// Whether something that changed at a time cannot have changed once more, unseen, when it was looked at.
pub(crate) fn is_settled(changed: i64, looked_at: i64) -> bool {
    changed.saturating_add(TICK) < looked_at
}

fn push_record(bytes: &mut Vec<u8>, record: &[u8]) {
    bytes.extend_from_slice(&u32::try_from(record.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend_from_slice(&checksum(&[record]));
    bytes.extend_from_slice(record);
}

fn take_row(input: &mut &[u8]) -> Option<FileRow> {
    let length = usize::try_from(u32::from_le_bytes(take(input)?)).ok()?;
    let sum = take::<CHECKSUM_BYTES>(input)?;
    let (mut record, rest) = input.split_at_checked(length)?;
    *input = rest;
    (checksum(&[record]) == sum).then(|| FileRow::decode(&mut record)).flatten()
}

fn push_directory(bytes: &mut Vec<u8>, path: &str, modified: Option<i64>) {
    push_text(bytes, path);
    bytes.extend_from_slice(&modified.unwrap_or(i64::MIN).to_le_bytes());
}

fn take_directory(input: &mut &[u8]) -> Option<(String, Option<i64>)> {
    let path = take_text(input)?.to_owned();
    let modified = i64::from_le_bytes(take(input)?);
    Some((path, Some(modified).filter(|modified| *modified != i64::MIN)))
}

fn read_directories(mut input: &[u8]) -> Option<BTreeMap<String, Option<i64>>> {
    let mut directories = BTreeMap::new();
    while !input.is_empty() {
        let (path, modified) = take_directory(&mut input)?;
        directories.insert(path, modified);
    }
    Some(directories)
}

fn read_part(file: &File, at: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; Some(length).filter(|length| *length <= MAX_PART)?];
    file.read_exact_at(&mut bytes, at).ok()?;
    Some(bytes)
}

/// Replaces a derived file: a reader sees the old one or the new one, and no process waits for the disk.
///
/// The temporary name is fixed, so that one left by a killed process is used again. Should two write at once, the
/// checksums tell.
fn replace_lightly(path: &Utf8Path, bytes: &[u8]) -> std::io::Result<()> {
    let temporary = Utf8PathBuf::from(format!("{path}.tmp"));
    let write = || {
        let mut options = fs::OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).private().open(&temporary)?;
        std::io::Write::write_all(&mut file, bytes)?;
        fs::rename(&temporary, path)
    };
    let written = write().or_else(|_| {
        path.parent().map_or(Ok(()), state_file::make_directory)?;
        write()
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}
