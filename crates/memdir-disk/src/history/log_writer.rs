//! Appending to a history.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::{ChangeRecord, Operation, OperationId};

use super::frame::{FIXED_BYTES, Frame, FrameKind, encode_frame, frame_lengths, scan};
use super::known_places::{KnownPlaces, Stamp};
use super::stored_content::{DeltaBase, StoredContent};
use super::{
    AmendmentHeader, HEADER_VERSION, History, LogPosition, OperationHeader, Outcome, OutcomeHeader, Recorded,
    read_segment, segment,
};
use crate::disk_error::{DiskError, IoContext};
use crate::memory_root::create_private_dirs;
use crate::platform::{self, FileExt, OpenOwn};
use crate::process_mark::ProcessMark;
use crate::store_lock::wait_for;

/// The last segment of a history, open for appending.
#[derive(Debug)]
pub(crate) struct LogWriter {
    number: u32,
    path: Utf8PathBuf,
    file: File,
    known: KnownPlaces,
    /// How the segment looked when it was opened.
    at_open: Stamp,
    /// Up to where the segment is known to be synced. Beyond its end: it was cut.
    synced: u64,
    /// Where the segment ends if nothing but this has been appended since it was opened.
    own_end: Option<u64>,
    /// Whether nothing is written at all; only for measuring.
    discards: bool,
}

/// The contents that one frame has to make available, in pairs of before and after.
pub type Versions<'a> = [(Option<&'a [u8]>, Option<&'a [u8]>)];

/// Appends are short; a process that holds the lock longer than this was stopped.
pub(super) const APPEND_PATIENCE: Duration = Duration::from_secs(1);

impl LogWriter {
    /// Opens the last segment, or begins the next when that one is full and nothing in it is open.
    pub(crate) fn open(history: &History) -> Result<Self, DiskError> {
        let number = segment::numbers(history.dir())?.last().copied();
        if let Some(number) = number {
            let writer = Self::open_segment(history, number)?;
            // A segment that was cut keeps its seal, so that readers can say what is missing.
            let is_full = writer.at_open.length() >= segment::FULL_BYTES || writer.is_cut();
            if !is_full || !writer.ends_clean() {
                return Ok(writer);
            }
            // Recovery looks at the last segment alone: that the one before it ended must outlast a power cut.
            writer.file.sync_data().during("sync", &writer.path)?;
        } else {
            set_impostor_aside(history.dir());
            create_private_dirs(history.dir())?;
        }
        Self::begin_next(history, number)
    }

    /// Begins the segment after this one. A name that something else has taken is passed over.
    fn begin_next(history: &History, last: Option<u32>) -> Result<Self, DiskError> {
        let mut number = last.map_or(1, |last| last.saturating_add(1));
        let begin = |number| {
            let path = segment::path(history.dir(), number);
            if !path.exists() {
                // What it says is about a removed segment, whose inode the new one may get.
                let _ = std::fs::remove_file(path.with_extension("known"));
            }
            Self::open_segment(history, number)
        };
        let mut writer = begin(number);
        for _ in 0..MAX_IMPOSTORS {
            if writer.is_ok() {
                break;
            }
            number = number.saturating_add(1);
            writer = begin(number);
        }
        let writer = writer?;
        platform::sync_directory_path(history.dir().as_std_path()).during("sync", history.dir())?;
        Ok(writer)
    }

    /// The same segment, or the next one if this one was damaged: what is written as a difference from something that
    /// is lost would be lost too. The caller has settled what was open in it.
    pub(crate) fn past_damage(self, history: &History) -> Result<Self, DiskError> {
        if self.at_open.length() == 0 || self.known.seal_of(&self.at_open).is_some() || !self.is_damaged()? {
            return Ok(self);
        }
        self.file.sync_data().during("sync", &self.path)?;
        Self::begin_next(history, Some(self.number))
    }

    fn is_damaged(&self) -> Result<bool, DiskError> {
        let bytes = std::fs::read(&self.path).during("read", &self.path)?;
        let (frames, damages) = scan(&bytes);
        Ok(!damages.is_empty() || frames.iter().any(|(_, frame)| !frame.is_whole()))
    }

    /// A log that keeps nothing: what a change costs without history can only be measured without it.
    #[cfg(feature = "unrecorded")]
    pub(crate) fn nowhere() -> Result<Self, DiskError> {
        let path = Utf8PathBuf::from("/dev/null");
        let file = File::open(&path).during("open", &path)?;
        let (known, at_open) = (KnownPlaces::nowhere(), Stamp::of(&file).during("look at", &path)?);
        Ok(Self { number: 0, path, file, known, at_open, synced: 0, own_end: None, discards: true })
    }

    /// Opens the last segment as it is; `None` if there is no history yet.
    pub(crate) fn open_last(history: &History) -> Result<Option<Self>, DiskError> {
        let last = segment::numbers(history.dir())?.last().copied();
        last.map(|number| Self::open_segment(history, number)).transpose()
    }

    fn open_segment(history: &History, number: u32) -> Result<Self, DiskError> {
        let path = segment::path(history.dir(), number);
        let (file, at_open) = open_to_append(&path)?;
        let known = KnownPlaces::open(&path);
        let own_end = Some(at_open.length());
        let synced = known.synced_end(&at_open).unwrap_or_default();
        Ok(Self { number, path, file, known, at_open, synced, own_end, discards: false })
    }

    /// Whether records are missing at the end that were synced once.
    fn is_cut(&self) -> bool {
        self.synced > self.at_open.length()
    }

    /// Where the segment ended when it was opened.
    pub(crate) fn opened_at(&self) -> LogPosition {
        LogPosition { segment: self.number, offset: self.at_open.length() }
    }

    /// Behind what was appended last; `None` if another process has appended in between.
    pub(crate) fn position(&self) -> Option<LogPosition> {
        Some(LogPosition { segment: self.number, offset: self.own_end? })
    }

    /// Where the open file ends, if it is still the one that has the segment's name.
    fn named_length(&self) -> Option<u64> {
        let named = platform::stat_path(self.path.as_std_path()).ok()?;
        let opened = platform::stat_open(&self.file).ok()?;
        let same = (named.device, named.file.inode) == (opened.device, opened.file.inode);
        same.then_some(opened.file.size)
    }

    /// Whether the segment ended, when it was opened, with an outcome after which nothing is open. An empty one does.
    pub(crate) fn opened_clean(&self) -> bool {
        self.is_clean(&self.at_open)
    }

    /// The same, as the segment is now.
    pub(crate) fn ends_clean(&self) -> bool {
        Stamp::of(&self.file).is_ok_and(|stamp| self.is_clean(&stamp))
    }

    fn is_clean(&self, stamp: &Stamp) -> bool {
        const TAIL_BYTES: u64 = 512;
        let length = stamp.length();
        if length == 0 {
            return true;
        }
        if let Some(clean) = self.known.seal_of(stamp) {
            return clean;
        }
        let mut tail = vec![0; usize::try_from(length.min(TAIL_BYTES)).unwrap_or(0)];
        if self.file.read_exact_at(&mut tail, length.saturating_sub(TAIL_BYTES)).is_err() {
            return false;
        }
        let Some(start) = memchr::memmem::rfind(&tail, &super::frame::MAGIC) else { return false };
        let tail = tail.get(start..).unwrap_or_default();
        Frame::parse(tail).is_some_and(|frame| {
            frame.length() == tail.len()
                && frame.kind == FrameKind::Outcome
                && serde_json::from_slice::<OutcomeHeader>(frame.header).is_ok_and(|header| header.clean)
        })
    }

    /// Everything in the segment, for recovery.
    pub(crate) fn read(&self) -> Result<(Vec<u8>, Recorded), DiskError> {
        let bytes = std::fs::read(&self.path).during("read", &self.path)?;
        let mut recorded = Recorded::default();
        read_segment(&bytes, &self.path, &mut recorded);
        Ok((bytes, recorded))
    }

    /// The processes of the operations in the segment's bytes.
    pub(crate) fn owners(segment: &[u8]) -> Vec<(OperationId, Option<ProcessMark>)> {
        let (frames, _) = scan(segment);
        let operations = frames.iter().filter(|(_, frame)| frame.kind == FrameKind::Operation);
        operations
            .filter_map(|(_, frame)| serde_json::from_slice::<OperationHeader>(frame.header).ok())
            .map(|header| (header.operation.id, ProcessMark::parse(&header.owner)))
            .collect()
    }

    /// Records an operation before it happens: durable when this returns.
    pub(crate) fn begin(&mut self, operation: &Operation, versions: &Versions<'_>) -> Result<(), DiskError> {
        self.record(operation, versions, Sync::Now)
    }

    /// Records what another process did. Nothing was promised, so no process waits for the disk.
    pub(crate) fn observe(
        &mut self,
        operation: &Operation,
        versions: &Versions<'_>,
    ) -> Result<(), DiskError> {
        let clean = self.ends_clean();
        self.record(operation, versions, Sync::Later)?;
        self.end(&operation.id, Outcome::Done, clean)
    }

    fn record(
        &mut self,
        operation: &Operation,
        versions: &Versions<'_>,
        sync: Sync,
    ) -> Result<(), DiskError> {
        if self.discards {
            return Ok(());
        }
        let (contents, body) = self.store(&operation.changes, versions);
        let header = OperationHeader {
            v: HEADER_VERSION,
            owner: ProcessMark::own().to_string(),
            operation: operation.clone(),
            contents,
        };
        self.append(FrameKind::Operation, &header, &header.contents, &body, sync).map(drop)
    }

    /// Records what an operation met and what it makes of it: durable when this returns.
    pub(crate) fn amend(
        &mut self,
        operation: &OperationId,
        changes: Vec<ChangeRecord>,
        versions: &Versions<'_>,
    ) -> Result<(), DiskError> {
        let (contents, body) = self.store(&changes, versions);
        let header = AmendmentHeader { v: HEADER_VERSION, operation: operation.clone(), changes, contents };
        self.append(FrameKind::Amendment, &header, &header.contents, &body, Sync::Now).map(drop)
    }

    /// Records how an operation ended. No process waits for it: without it the next start finds out.
    pub(crate) fn end(
        &mut self,
        operation: &OperationId,
        outcome: Outcome,
        clean: bool,
    ) -> Result<(), DiskError> {
        if self.discards {
            return Ok(());
        }
        let header = OutcomeHeader { v: HEADER_VERSION, operation: operation.clone(), outcome, clean };
        let end = self.append(FrameKind::Outcome, &header, &[], &[], Sync::Later)?;
        self.known.seal(&self.file, end, clean, self.synced);
        Ok(())
    }

    /// Encodes the versions that this segment does not hold yet. The records, in the same order, know their hashes.
    fn store(&self, changes: &[ChangeRecord], versions: &Versions<'_>) -> (Vec<StoredContent>, Vec<u8>) {
        let mut places = Places { log: self, new: Vec::new(), frames: Vec::new() };
        let mut body = Vec::new();
        for (number, &(before, after)) in versions.iter().enumerate() {
            let record = changes.get(number);
            let mut base = None;
            if let Some(before) = before {
                let hash = hash_of(before, record.and_then(|record| record.before));
                let (at, depth) = places.find(hash).unwrap_or_else(|| {
                    places.add(StoredContent::full(hash, before), &mut body);
                    (None, 0)
                });
                base = Some((DeltaBase { at, hash }, depth, before));
            }
            let Some(after) = after else { continue };
            let hash = hash_of(after, record.and_then(|record| record.after));
            if places.find(hash).is_none() {
                let stored = match base {
                    Some((base, depth, before)) => StoredContent::after(before, base, depth, hash, after),
                    None => StoredContent::full(hash, after),
                };
                places.add(stored, &mut body);
            }
        }
        (places.new, body)
    }

    /// The contents of the frame at an offset, if it is undamaged: a damaged body must not become the base of
    /// everything that follows.
    fn contents_at(&self, offset: u64) -> Option<Vec<StoredContent>> {
        // Most frames are shorter than this, and one reading is enough.
        let mut bytes = vec![0; 4096];
        let read = self.file.read_at(&mut bytes, offset).ok()?;
        bytes.truncate(read);
        let (_, whole) = frame_lengths(bytes.get(..FIXED_BYTES)?)?;
        if whole > bytes.len() {
            bytes.resize(whole, 0);
            self.file.read_exact_at(&mut bytes, offset).ok()?;
        }
        let frame = Frame::parse(&bytes)?;
        frame.is_whole().then(|| segment::contents_of(frame.header))
    }

    /// Appends a frame and says where it ends.
    fn append(
        &mut self,
        kind: FrameKind,
        header: &impl serde::Serialize,
        contents: &[StoredContent],
        body: &[u8],
        sync: Sync,
    ) -> Result<u64, DiskError> {
        let too_large =
            || DiskError::Refused { path: self.path.clone(), rule: "the change is too large to record" };
        let header = serde_json::to_vec(header).map_err(|_| too_large())?;
        let bytes = encode_frame(kind, &header, body).ok_or_else(too_large)?;
        // One write to a file opened for appending does not mix with another; the lock lets a failed one be
        // undone without touching another person's.
        let mut locked = wait_for(&self.file, APPEND_PATIENCE);
        let mut end = self.named_length();
        if end.is_none() {
            // The segment was rewritten since it was opened: what is appended here would be lost.
            (self.file, _) = open_to_append(&self.path)?;
            locked = wait_for(&self.file, APPEND_PATIENCE);
            end = self.named_length();
        }
        let answer = self.write_frame(&bytes, end, sync, locked);
        if locked {
            platform::unlock(&self.file);
        }
        let offset = answer.during("record in", &self.path)?;
        for content in contents {
            self.known.remember(content.hash, offset);
        }
        let end = offset.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        self.own_end = self.own_end.filter(|own_end| *own_end == offset).map(|_| end);
        if sync == Sync::Now {
            self.synced = self.synced.max(end);
        }
        Ok(end)
    }

    fn write_frame(
        &mut self,
        bytes: &[u8],
        end: Option<u64>,
        sync: Sync,
        locked: bool,
    ) -> std::io::Result<u64> {
        let offset = match end {
            Some(end) => end,
            None => self.file.seek(SeekFrom::End(0))?,
        };
        let written = self.file.write_all(bytes).and_then(|()| match sync {
            Sync::Now => self.file.sync_data(),
            Sync::Later => Ok(()),
        });
        if let Err(error) = written {
            // The frame may be torn, or whole and not durable: an operation that was refused leaves no record.
            if locked {
                let _ = platform::cut(&self.file, self.path.as_std_path(), offset);
            }
            return Err(error);
        }
        Ok(offset)
    }
}

/// Makes room for the folder where something else has taken its name: no write of a memory shall fail for that.
fn set_impostor_aside(dir: &Utf8Path) {
    if std::fs::symlink_metadata(dir).is_ok_and(|found| !found.is_dir()) {
        let _ = std::fs::rename(dir, format!("{dir}.foreign"));
    }
}

/// How many names are tried before a new segment counts as impossible.
const MAX_IMPOSTORS: u32 = 16;

/// Opens a segment; never through a link, and never something that is not a file.
fn open_to_append(path: &Utf8Path) -> Result<(File, Stamp), DiskError> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true).private().no_link();
    let file = options.open(path).during("open", path)?;
    match file.metadata() {
        Ok(metadata) if metadata.is_file() => Ok((file, Stamp::from(&metadata))),
        _ => DiskError::refused(path, "it is not a file"),
    }
}

/// The hash of a version, which its record usually knows.
fn hash_of(content: &[u8], recorded: Option<ContentHash>) -> ContentHash {
    let hash = recorded.unwrap_or_else(|| ContentHash::of(content));
    debug_assert_eq!(hash, ContentHash::of(content), "a record names another version than it comes with");
    hash
}

/// What is known, while one frame is made, of where versions are.
struct Places<'l> {
    log: &'l LogWriter,
    /// What the frame itself will hold.
    new: Vec<StoredContent>,
    /// Earlier frames that were looked into.
    frames: Vec<(u64, Vec<StoredContent>)>,
}

impl Places<'_> {
    fn add(&mut self, (stored, bytes): (StoredContent, Vec<u8>), body: &mut Vec<u8>) {
        self.new.push(stored);
        body.extend_from_slice(&bytes);
    }

    /// Where a version is already: in the frame that is being made, or in an earlier one; with its depth.
    fn find(&mut self, hash: ContentHash) -> Option<(Option<u64>, u32)> {
        let depth_in = |contents: &[StoredContent]| {
            contents.iter().find(|content| content.hash == hash).map(|content| content.depth)
        };
        if let Some(depth) = depth_in(&self.new) {
            return Some((None, depth));
        }
        let offset = self.log.known.find(hash)?;
        if !self.frames.iter().any(|(at, _)| *at == offset) {
            self.frames.push((offset, self.log.contents_at(offset)?));
        }
        let (_, contents) = self.frames.iter().find(|(at, _)| *at == offset)?;
        Some((Some(offset), depth_in(contents)?))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sync {
    Now,
    Later,
}
