use std::fs;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::{OperationId, StoreId};
use memdir_core::rel_path::RelPath;

use crate::list_files::ListedFile;
use crate::place::FileStat;
use crate::state_file;

/// What every file of a store was like at the last look. Derived: without it the history says the same, slower.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// The last operation that is taken into account.
    pub(super) last_operation: Option<OperationId>,
    /// Every file, sorted by path.
    pub(super) files: Vec<SeenFile>,
    /// When the table was written, by the clock of the file system, in nanoseconds.
    written: i64,
}

/// One file as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SeenFile {
    pub(super) path: String,
    pub(super) hash: ContentHash,
    pub(super) stamp: Stamp,
}

/// By what a file is cheaply known not to have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    size: u64,
    modified: i64,
    changed: i64,
    inode: u64,
}

impl Stamp {
    /// What no file has.
    pub(super) const NEVER: Self = Self { size: u64::MAX, modified: 0, changed: 0, inode: 0 };

    pub(super) fn of(stat: &FileStat) -> Self {
        let nanos = |time: i128| i64::try_from(time).unwrap_or(i64::MAX);
        Self {
            size: stat.size,
            modified: nanos(stat.modified),
            changed: nanos(stat.changed),
            inode: stat.inode,
        }
    }
}

impl SeenFile {
    pub(super) fn new(path: &RelPath, hash: ContentHash, stat: &FileStat) -> Self {
        Self { path: path.to_string(), hash, stamp: Stamp::of(stat) }
    }
}

const MAGIC: &[u8; 8] = b"MDSEEN1\n";
const CHECKSUM_BYTES: usize = 8;
/// A table of as many files as are ever listed is smaller.
const MAX_BYTES: usize = 64 << 20;
/// A file that changed within one tick of the file system's clock before the table was written may have changed
/// once more within the same tick.
const TICK: i64 = 20_000_000;

impl Seen {
    pub(super) fn new(last_operation: Option<OperationId>, files: Vec<SeenFile>) -> Self {
        Self { last_operation, files, written: i64::MAX }
    }

    pub(super) fn path(state_dir: &Utf8Path, store: &StoreId) -> Utf8PathBuf {
        state_dir.join("cache/seen").join(store.to_string())
    }

    /// Whether the files are exactly those that were seen, and none may have changed unseen.
    pub(super) fn agrees_with(&self, files: &[ListedFile]) -> bool {
        self.files.len() == files.len()
            && self.files.iter().zip(files).all(|(seen, file)| {
                seen.stamp == Stamp::of(&file.stat)
                    && seen.path == file.path.as_str()
                    && self.reliable(seen).is_some()
            })
    }

    /// The stamp of a file, unless a change right after it was taken could have the same one.
    pub(super) fn reliable(&self, file: &SeenFile) -> Option<Stamp> {
        let last = file.stamp.modified.max(file.stamp.changed);
        (last.saturating_add(TICK) < self.written).then_some(file.stamp)
    }

    /// Reads a table; `None` if there is none that can be trusted.
    pub(super) fn read(path: &Utf8Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let written = metadata.mtime().checked_mul(1_000_000_000)?.checked_add(metadata.mtime_nsec())?;
        let bytes = state_file::read(path, MAX_BYTES).ok()??;
        let (magic, rest) = bytes.split_at_checked(MAGIC.len())?;
        let (sum, content) = rest.split_at_checked(CHECKSUM_BYTES)?;
        if magic != MAGIC || sum != checksum(content) {
            return None;
        }
        let mut input = content;
        let last = take_text(&mut input)?;
        let last_operation = (!last.is_empty()).then(|| OperationId(last.to_owned()));
        let mut files = Vec::with_capacity(input.len() / 80);
        while !input.is_empty() {
            let path = take_text(&mut input)?.to_owned();
            let hash = ContentHash::from_bytes(take::<32>(&mut input)?);
            let stamp = Stamp {
                size: u64::from_le_bytes(take(&mut input)?),
                modified: i64::from_le_bytes(take(&mut input)?),
                changed: i64::from_le_bytes(take(&mut input)?),
                inode: u64::from_le_bytes(take(&mut input)?),
            };
            files.push(SeenFile { path, hash, stamp });
        }
        Some(Self { last_operation, files, written })
    }

    /// Puts the table in the place of the last one. If that fails, the next look takes longer.
    pub(super) fn write(&self, path: &Utf8Path) {
        let mut content = Vec::with_capacity(self.files.len() * 100);
        push_text(&mut content, self.last_operation.as_ref().map_or("", |id| id.0.as_str()));
        for file in &self.files {
            push_text(&mut content, &file.path);
            content.extend_from_slice(file.hash.as_bytes());
            content.extend_from_slice(&file.stamp.size.to_le_bytes());
            content.extend_from_slice(&file.stamp.modified.to_le_bytes());
            content.extend_from_slice(&file.stamp.changed.to_le_bytes());
            content.extend_from_slice(&file.stamp.inode.to_le_bytes());
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&checksum(&content));
        bytes.extend_from_slice(&content);
        let _ = replace_lightly(path, &bytes);
    }
}

/// Replaces a derived file: a reader sees the old one or the new one, and nobody waits for the disk.
///
/// The temporary name is fixed, so that one left by a killed process is used again. Should two write at once, the
/// checksum tells.
fn replace_lightly(path: &Utf8Path, bytes: &[u8]) -> std::io::Result<()> {
    let temporary = Utf8PathBuf::from(format!("{path}.tmp"));
    let write = || {
        let mut options = fs::OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&temporary)?;
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

fn checksum(content: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut first = [0; CHECKSUM_BYTES];
    first.copy_from_slice(&blake3::hash(content).as_bytes()[..CHECKSUM_BYTES]);
    first
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    // Paths of a memory directory are far shorter; a longer one would only be looked at every time.
    let length = u16::try_from(text.len()).unwrap_or(0);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(text.get(..usize::from(length)).unwrap_or_default().as_bytes());
}

fn take_text<'b>(input: &mut &'b [u8]) -> Option<&'b str> {
    let length = usize::from(u16::from_le_bytes(take(input)?));
    let (text, rest) = input.split_at_checked(length)?;
    *input = rest;
    std::str::from_utf8(text).ok()
}

fn take<const N: usize>(input: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = input.split_first_chunk::<N>()?;
    *input = rest;
    Some(*first)
}
