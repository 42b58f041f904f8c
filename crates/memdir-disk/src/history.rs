//! The history of one store, which is its write-ahead log too.
//!
//! One append-only file after the other (`000001.seg`, …) of frames: an operation's record with the contents that
//! it needs goes in, with one fsync, before a file changes; a small frame without fsync says how it ended. What
//! has no end is finished or undone at the next start. The form is in docs/FORMAT.md, "History".

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::{ChangeRecord, Operation, OperationId, StoreId};
use serde::{Deserialize, Serialize};

use crate::disk_error::{DiskError, IoContext};
pub use crate::history::collect::Bounds;
use crate::history::frame::{FrameKind, scan};
use crate::history::known_places::KnownPlaces;
use crate::history::log_writer::LogWriter;
pub use crate::history::log_writer::Versions;
pub use crate::history::rewrite::{Forgotten, Redact, Redaction};
use crate::history::segment_versions::SegmentVersions;
use crate::history::stored_content::StoredContent;

mod collect;
mod delta;
pub(crate) mod frame;
mod known_places;
pub(crate) mod log_writer;
mod mentioning;
mod newest;
mod rewrite;
pub(crate) mod segment;
mod segment_versions;
mod stored_content;
#[cfg(test)]
mod tests;

/// The folder that holds one store's segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    dir: Utf8PathBuf,
}

/// What a history holds, oldest first, and what of it could not be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorded {
    /// The operations in the order in which they were recorded, with how they ended.
    pub operations: Vec<(Operation, Outcome)>,
    /// Damaged places; everything else is unaffected.
    pub problems: Vec<String>,
    /// Segments that are there and could not be opened or read: what they hold is unknown, not absent.
    pub unread: Vec<Utf8PathBuf>,
}

impl Recorded {
    /// Notes that records are missing at the end of a segment, if its seal says so.
    fn note_cut(&mut self, path: &Utf8Path) {
        if let Some(missing) = KnownPlaces::missing_bytes(path) {
            self.problems.push(format!(
                "`{path}` has lost its last {missing} bytes: the newest records in it are missing"
            ));
        }
    }
}

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It took place.
    Done,
    /// It failed or was interrupted before anything could be seen of it, and was undone.
    Aborted,
    /// Its end is not recorded: it runs, or was interrupted and waits for the next start.
    Open,
}

/// A place between two records of a history: everything before it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogPosition {
    /// The number of the segment.
    pub(crate) segment: u32,
    /// The offset in it.
    pub(crate) offset: u64,
}

/// The header of an operation's frame.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OperationHeader {
    pub(crate) v: u32,
    /// The process that performs it.
    pub(crate) owner: String,
    pub(crate) operation: Operation,
    pub(crate) contents: Vec<StoredContent>,
}

/// The header of an amendment's frame: these records replace those of the same paths, or come in addition.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AmendmentHeader {
    pub(crate) v: u32,
    pub(crate) operation: OperationId,
    pub(crate) changes: Vec<ChangeRecord>,
    pub(crate) contents: Vec<StoredContent>,
}

/// The header of an outcome's frame.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OutcomeHeader {
    pub(crate) v: u32,
    pub(crate) operation: OperationId,
    pub(crate) outcome: Outcome,
    /// Every operation before it in the segment has ended too: a reader that finds this at the end need not look back.
    pub(crate) clean: bool,
}

/// The version of all three headers.
pub(crate) const HEADER_VERSION: u32 = 1;

impl History {
    /// The history of a store below our state directory. Nothing is opened or created yet.
    #[must_use]
    pub fn of(state_dir: &Utf8Path, store: &StoreId) -> Self {
        Self { dir: state_dir.join("history").join(store.to_string()) }
    }

    /// The folder of the segments.
    #[must_use]
    pub fn dir(&self) -> &Utf8Path {
        &self.dir
    }

    /// Reads all records. Damage is reported beside what could be read; a history that does not exist is empty.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn read(&self) -> Result<Recorded, DiskError> {
        let mut recorded = Recorded::default();
        for number in segment::numbers(&self.dir)? {
            let path = segment::path(&self.dir, number);
            recorded.note_cut(&path);
            match fs::read(&path) {
                Ok(bytes) => {
                    read_segment(&bytes, &path, &mut recorded);
                    recorded.problems.extend(damaged_contents(&bytes, &path));
                }
                Err(error) => {
                    recorded.problems.push(format!("cannot read `{path}`: {error}"));
                    recorded.unread.push(path);
                }
            }
        }
        recorded.problems.extend(self.impostors()?);
        Ok(recorded)
    }

    /// A line for whatever is called like a segment and is none.
    fn impostors(&self) -> Result<impl Iterator<Item = String>, DiskError> {
        let impostors = segment::impostors(&self.dir)?;
        Ok(impostors.into_iter().map(|path| format!("`{path}` is not a regular file, and was not read")))
    }

    /// Records a change that another process made, noticed afterwards: its record, and for each change the versions
    /// before and after. Not synced, because nothing was promised.
    ///
    /// # Errors
    /// The history cannot be written.
    pub fn record_observed(&self, operation: &Operation, versions: &Versions<'_>) -> Result<(), DiskError> {
        let mut log = LogWriter::open(self)?;
        if log.opened_clean() {
            log = log.past_damage(self)?;
        }
        log.observe(operation, versions)
    }

    /// The content of a version, if any segment holds it undamaged.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn content(&self, hash: ContentHash) -> Result<Option<Vec<u8>>, DiskError> {
        for number in segment::numbers(&self.dir)?.into_iter().rev() {
            let path = segment::path(&self.dir, number);
            let Ok(bytes) = fs::read(&path).during("read", &path) else { continue };
            if let Some(content) = segment::find_content(&bytes, hash) {
                return Ok(Some(content));
            }
        }
        Ok(None)
    }
}

impl History {
    /// Takes over the segments of another history: they come after the own ones, each by one rename.
    ///
    /// # Errors
    /// The system fails; what is left is taken over the next time.
    pub fn absorb(&self, other: &Self) -> Result<(), DiskError> {
        let theirs = segment::numbers(&other.dir)?;
        if theirs.is_empty() || self.dir == other.dir {
            return Ok(());
        }
        crate::memory_root::create_private_dirs(&self.dir)?;
        let mut next = segment::numbers(&self.dir)?.last().map_or(1, |last| last.saturating_add(1));
        for number in theirs {
            let (from, to) = (segment::path(&other.dir, number), segment::path(&self.dir, next));
            fs::rename(&from, &to).during("rename", &from)?;
            let _ = fs::remove_file(from.with_extension("known"));
            next = next.saturating_add(1);
        }
        for dir in [&self.dir, &other.dir] {
            crate::state_file::sync_directory(dir).during("sync", dir)?;
        }
        Ok(())
    }

    /// The contents of several versions, as far as segments hold them undamaged: every segment is read once.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn contents(
        &self,
        wanted: &BTreeSet<ContentHash>,
    ) -> Result<BTreeMap<ContentHash, Vec<u8>>, DiskError> {
        let mut found = BTreeMap::new();
        if wanted.is_empty() {
            return Ok(found);
        }
        for number in segment::numbers(&self.dir)?.into_iter().rev() {
            let Ok(bytes) = fs::read(segment::path(&self.dir, number)) else { continue };
            SegmentVersions::of(&bytes).find(wanted, &mut found);
            if found.len() == wanted.len() {
                break;
            }
        }
        Ok(found)
    }

    /// Gives every version that the history holds undamaged to a function, each once and oldest first. Every segment
    /// is read once, and only one is in memory at a time.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn each_version(&self, mut give: impl FnMut(ContentHash, &[u8])) -> Result<(), DiskError> {
        let mut given = HashSet::new();
        for number in segment::numbers(&self.dir)? {
            let Ok(bytes) = fs::read(segment::path(&self.dir, number)) else { continue };
            let mut versions = SegmentVersions::of(&bytes);
            for hash in versions.hashes() {
                if !given.contains(&hash)
                    && let Some(content) = versions.content(hash)
                {
                    given.insert(hash);
                    give(hash, &content);
                }
            }
        }
        Ok(())
    }
}

/// The records of a segment that can be read while their contents cannot.
fn damaged_contents(bytes: &[u8], path: &Utf8Path) -> Vec<String> {
    let (frames, _) = scan(bytes);
    let damaged = frames.iter().filter(|(_, frame)| !frame.is_whole());
    damaged
        .map(|(offset, _)| format!("`{path}`: the contents of the record at {offset} are damaged"))
        .collect()
}

/// Takes in the records of one segment.
pub(crate) fn read_segment(bytes: &[u8], path: &Utf8Path, recorded: &mut Recorded) {
    read_window(bytes, 0, path, recorded);
}

/// Takes in the records of a segment from an offset on; the frame that the offset cuts is not damage.
fn read_window(bytes: &[u8], from: usize, path: &Utf8Path, recorded: &mut Recorded) {
    let (frames, damages) = scan(bytes);
    for damage in damages.into_iter().filter(|damage| from == 0 || damage.offset > 0) {
        let (offset, length) = (from + damage.offset, damage.length);
        recorded.problems.push(format!("`{path}`: {length} bytes at {offset} are damaged or foreign"));
    }
    for (offset, frame) in frames {
        let offset = from + offset;
        let understood = match frame.kind {
            FrameKind::Operation => take_operation(frame.header, recorded),
            FrameKind::Amendment => take_amendment(frame.header, recorded),
            FrameKind::Outcome => take_outcome(frame.header, recorded),
            FrameKind::Unknown(_) => Some(()),
        };
        if understood.is_none() {
            recorded.problems.push(format!("`{path}`: the record at {offset} is not understood"));
        }
    }
}

fn take_operation(header: &[u8], recorded: &mut Recorded) -> Option<()> {
    /// What a reader of the log needs: not the contents, which are most of a header.
    #[derive(Deserialize)]
    struct Header {
        operation: Operation,
    }
    let header: Header = serde_json::from_slice(header).ok()?;
    recorded.operations.push((header.operation, Outcome::Open));
    Some(())
}

fn take_amendment(header: &[u8], recorded: &mut Recorded) -> Option<()> {
    let header: AmendmentHeader = serde_json::from_slice(header).ok()?;
    if let Some((operation, _)) = find_operation(recorded, &header.operation) {
        amend(operation, header.changes);
    }
    Some(())
}

fn take_outcome(header: &[u8], recorded: &mut Recorded) -> Option<()> {
    let header: OutcomeHeader = serde_json::from_slice(header).ok()?;
    if let Some((_, outcome)) = find_operation(recorded, &header.operation) {
        *outcome = header.outcome;
    }
    Some(())
}

fn find_operation<'a>(recorded: &'a mut Recorded, id: &OperationId) -> Option<&'a mut (Operation, Outcome)> {
    recorded.operations.iter_mut().rev().find(|(operation, _)| operation.id == *id)
}

/// Puts amended records in the place of the first ones; the version before stays the one that the first replaced.
pub(crate) fn amend(operation: &mut Operation, changes: Vec<ChangeRecord>) {
    for change in changes {
        match operation.changes.iter_mut().find(|known| known.path == change.path) {
            Some(known) => *known = change,
            None => operation.changes.push(change),
        }
    }
}
