//! Bringing an index up to date with what changed on disk.

use std::io::{self, Seek, SeekFrom};
use std::time::Instant;

use memdir_disk::cache_dir::CacheWriter;
use memdir_disk::random::random_bits;

use super::file_table::{FileEntry, FileTable, Progress};
use super::listing::next_table;
use super::manifest::{self, SegmentInfo};
use super::scan::{ChangedFile, Differences, scan};
use super::{Collection, Freshness, Kind, Limits, Live, read_file};
use crate::analyze::{Analyzer, KeyMap, KeySet};
use crate::document::{FileId, add_markdown, add_session};
use crate::error::SearchError;
use crate::segment::{Input, Segment, SegmentBuilder, merge};
use crate::transcript::Position;

/// How much a segment holds in memory before it is written.
const SEGMENT_BYTES: usize = 12 << 20;
/// How much is indexed in memory when another process has the right to write.
const BORROWED_BYTES: usize = 8 << 20;
/// With so many segments merging cannot wait, however little time there is.
const MANY_SEGMENTS: usize = 16;
/// A segment is merged with those behind it when they are together at least a quarter as big.
const MERGE_RATIO: u64 = 4;

/// What an update starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    WhatIsThere,
    Nothing,
    /// Nothing, and nothing is written either.
    NothingOnDisk,
}

impl Collection {
    /// Compares the folder with the index and indexes what changed, as far as the limits allow.
    ///
    /// One process at a time writes. The second indexes what changed in memory, for itself alone, so
    /// no process waits and none misses anything.
    ///
    /// # Errors
    /// The folder of the index cannot be read. That it cannot be *written* is not an error: the search goes on from
    /// memory.
    pub fn refresh(&mut self, limits: &mut Limits<'_>) -> Result<Freshness, SearchError> {
        match self.try_refresh(limits) {
            Err(SearchError::Damaged { .. } | SearchError::Read { .. }) => {
                // Whatever is wrong with the index, the files are the truth: begin again.
                self.rebuild(limits)
            }
            other => other,
        }
    }

    /// Builds the index anew, whatever there is of it.
    ///
    /// # Errors
    /// See [`Collection::refresh`].
    pub fn rebuild(&mut self, limits: &mut Limits<'_>) -> Result<Freshness, SearchError> {
        self.forget();
        self.update(limits, From::Nothing)
    }

    /// Builds the index anew in memory alone, for one answer, if every index on disk is damaged.
    pub(crate) fn rebuild_in_memory(&mut self, limits: &mut Limits<'_>) -> Result<Freshness, SearchError> {
        self.forget();
        self.update(limits, From::NothingOnDisk)
    }

    fn try_refresh(&mut self, limits: &mut Limits<'_>) -> Result<Freshness, SearchError> {
        self.reopen()?;
        self.update(limits, From::WhatIsThere)
    }

    fn update(&mut self, limits: &mut Limits<'_>, from: From) -> Result<Freshness, SearchError> {
        let mut table = self.manifest.load_table(self.cache.path())?;
        let mut differences = scan(&self.source, &table, limits);
        if self.manifest.complete && differences.are_none() {
            return Ok(Freshness { files: differences.files, ..Freshness::default() });
        }
        let writer = match from {
            From::NothingOnDisk => None,
            From::WhatIsThere | From::Nothing => self.cache.try_write().ok().flatten(),
        };
        // Between the look and the lock another process may have done the work.
        if writer.is_some() && from == From::WhatIsThere && self.reopen()? {
            table = self.manifest.load_table(self.cache.path())?;
            differences = scan(&self.source, &table, limits);
        }
        let mut update = Update::new(self, &table, writer, limits);
        update.index(&differences)?;
        // Of a big first indexing this is megabytes, and the merge needs room.
        differences.changed = Vec::new();
        let Update { freshness, entries, finished, writer, .. } = update;
        let mut dead: KeySet = differences.gone.iter().copied().collect();
        let table = next_table(&table, &differences.directories, &entries, &dead);
        dead.extend(finished.rewritten);
        self.bury(&dead)?;
        for (live, name) in finished.segments {
            self.manifest.segments.push(SegmentInfo::new(name, &live.segment));
            self.segments.push(live);
        }
        self.manifest.complete = freshness.waiting == 0;
        if let Some(writer) = writer {
            let in_haste = freshness.waiting > 0 && self.segments.len() < MANY_SEGMENTS;
            self.merge(&writer, if in_haste { 0 } else { u64::MAX })?;
            // A full disk costs the index, not the answer.
            let _ = self.save(&writer, &table);
        }
        Ok(freshness)
    }

    /// Marks every group of these files as dead.
    pub(super) fn bury(&mut self, keys: &KeySet) -> Result<(), SearchError> {
        if keys.is_empty() {
            return Ok(());
        }
        for (live, info) in self.segments.iter_mut().zip(&mut self.manifest.segments) {
            live.bury(keys)?;
            live.describe(info);
        }
        Ok(())
    }

    /// Joins small segments, and drops what is dead in them, if that touches no more passages than `most`.
    pub(super) fn merge(&mut self, writer: &CacheWriter, most: u64) -> Result<(), SearchError> {
        let Some(start) = self.merge_start() else { return Ok(()) };
        let touched = self.manifest.segments.get(start..).unwrap_or_default();
        if touched.iter().map(|info| info.passages).sum::<u64>() > most {
            return Ok(());
        }
        let name = new_name("segment");
        let olds = self.segments.get(start..).unwrap_or_default();
        let inputs = olds.iter().map(|live| Ok(Input { segment: &live.segment, dead: live.dead()? }));
        let inputs = inputs.collect::<Result<Vec<_>, SearchError>>()?;
        let mut failure = None;
        let written = writer.write_new(&name, |out| match merge(&inputs, out) {
            Ok(written) => written,
            Err(error) => {
                failure = Some(error);
                Err(io::Error::other("a segment is damaged"))
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        let Ok(file) = written else { return Ok(()) };
        let segment = Segment::of_file(file)?;
        self.segments.truncate(start);
        self.manifest.segments.truncate(start);
        self.manifest.segments.push(SegmentInfo::new(name, &segment));
        self.segments.push(Live::new(segment));
        Ok(())
    }

    /// Where the run of segments starts that should become one.
    fn merge_start(&self) -> Option<usize> {
        let sizes: Vec<u64> = self.manifest.segments.iter().map(|info| info.passages).collect();
        let mut start = sizes.len().checked_sub(1)?;
        let mut total = *sizes.get(start)?;
        while let Some(before) = start.checked_sub(1)
            && let Some(size) = sizes.get(before)
            && *size < total.saturating_mul(MERGE_RATIO)
        {
            total += size;
            start = before;
        }
        let mostly_dead = self.segments.iter().position(|live| live.buried() * 2 > live.segment.groups());
        match mostly_dead {
            Some(index) => Some(index.min(start)),
            None => (start + 1 < sizes.len()).then_some(start),
        }
    }

    /// Makes this state the one that everybody sees, and removes what only older states named.
    fn save(&mut self, writer: &CacheWriter, table: &FileTable) -> io::Result<()> {
        let name = new_name("files");
        writer.write_new(&name, |out| out.write_all(table.encode()))?;
        self.manifest.table = name;
        self.save_manifest(writer)?;
        writer.remove_others(|name| self.manifest.names(name));
        Ok(())
    }

    pub(super) fn save_manifest(&self, writer: &CacheWriter) -> io::Result<()> {
        writer.write(manifest::NAME, |out| out.write_all(&self.manifest.encode()))
    }
}

pub(super) fn new_name(what: &str) -> String {
    format!("{what}-{:032x}", random_bits().unwrap_or_default())
}

/// One pass over the changed files.
struct Update<'a, 'b> {
    source: &'a super::Source,
    table: &'a FileTable,
    limits: &'a mut Limits<'b>,
    writer: Option<CacheWriter>,
    freshness: Freshness,
    /// The new entries of files that were read.
    entries: KeyMap<FileEntry>,
    finished: Finished,
    builder: SegmentBuilder,
    in_memory: usize,
}

/// What came of it.
#[derive(Default)]
struct Finished {
    /// New segments with their names; one in memory has none.
    segments: Vec<(Live, String)>,
    /// Files of which nothing that was indexed before counts.
    rewritten: Vec<u64>,
}

impl<'a, 'b> Update<'a, 'b> {
    fn new(
        collection: &'a Collection,
        table: &'a FileTable,
        writer: Option<CacheWriter>,
        limits: &'a mut Limits<'b>,
    ) -> Self {
        Self {
            source: &collection.source,
            table,
            limits,
            writer,
            freshness: Freshness::default(),
            entries: KeyMap::default(),
            finished: Finished::default(),
            builder: SegmentBuilder::new(Analyzer::new()),
            in_memory: 0,
        }
    }

    fn index(&mut self, differences: &Differences) -> Result<(), SearchError> {
        let total = differences.changed.len();
        self.freshness.files = differences.files;
        self.freshness.waiting += usize::from(differences.cut_short);
        for (done, file) in differences.changed.iter().enumerate() {
            if self.is_late() {
                self.freshness.waiting += total - done;
                break;
            }
            (self.limits.progress)(done, total);
            self.file(file);
            if self.builder.bytes() > self.room() {
                self.flush()?;
            }
        }
        (self.limits.progress)(total, total);
        self.flush()
    }

    fn room(&self) -> usize {
        if self.writer.is_some() { SEGMENT_BYTES } else { BORROWED_BYTES }
    }

    fn is_late(&self) -> bool {
        let borrowed = self.writer.is_none() && self.in_memory >= BORROWED_BYTES;
        borrowed || self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Reads one changed file. One that cannot be read is remembered as it is, without content.
    fn file(&mut self, changed: &ChangedFile) {
        self.freshness.read += 1;
        let mut entry = FileEntry {
            key: changed.key,
            version: changed.stamp.settled_version(self.limits.now),
            progress: Progress::default(),
        };
        let opened = read_file::open(&self.source.root.join(&changed.path), self.source.files.is_some());
        let Ok((mut file, stamp)) = opened else {
            self.finished.rewritten.push(changed.key);
            self.entries.insert(entry.key, entry);
            return;
        };
        entry.version = stamp.settled_version(self.limits.now);
        let id = FileId { key: changed.key, path: &changed.path, modified: stamp.modified / 1_000_000_000 };
        match self.source.kind {
            Kind::Markdown => {
                self.finished.rewritten.push(changed.key);
                if let Ok(content) = read_file::read(&file, &stamp) {
                    add_markdown(&mut self.builder, &id, &content);
                }
            }
            Kind::Transcripts => {
                let known = changed.known.and_then(|at| self.table.entry(at)).map(|known| known.progress);
                let grown = known.filter(|known| {
                    known.offset > 0
                        && known.inode == stamp.inode
                        && stamp.size >= known.offset
                        && read_file::tail(&file, known.offset) == known.tail
                });
                let from = grown
                    .map_or(Position::default(), |known| Position { offset: known.offset, line: known.line });
                if grown.is_none() {
                    self.finished.rewritten.push(changed.key);
                }
                if file.seek(SeekFrom::Start(from.offset)).is_ok() {
                    let deadline = self.limits.deadline;
                    let in_time = || deadline.is_none_or(|deadline| Instant::now() < deadline);
                    let part = add_session(&mut self.builder, &id, &file, from, in_time);
                    entry.progress = Progress {
                        offset: part.end.offset,
                        line: part.end.line,
                        tail: read_file::tail(&file, part.end.offset),
                        inode: stamp.inode,
                    };
                    if !part.whole {
                        entry.version = 0;
                        self.freshness.waiting += 1;
                    }
                }
            }
        }
        self.entries.insert(entry.key, entry);
    }

    /// Ends the segment that is being built and begins another.
    fn flush(&mut self) -> Result<(), SearchError> {
        if self.builder.is_empty() {
            return Ok(());
        }
        let full = std::mem::replace(&mut self.builder, SegmentBuilder::new(Analyzer::new()));
        let mut on_disk = None;
        if let Some(writer) = &self.writer {
            let name = new_name("segment");
            match writer.write_new(&name, |out| full.write(out)) {
                Ok(file) => on_disk = Some((Segment::of_file(file)?, name)),
                // The disk is full or may not be written: go on in memory.
                Err(_) => self.writer = None,
            }
        }
        let (segment, name) = match on_disk {
            Some(found) => found,
            None => {
                let mut bytes = Vec::new();
                let _ = full.write(&mut bytes);
                self.in_memory += bytes.len();
                (Segment::in_memory(bytes)?, String::new())
            }
        };
        self.builder = SegmentBuilder::new(full.into_analyzer());
        self.finished.segments.push((Live::new(segment), name));
        Ok(())
    }
}
