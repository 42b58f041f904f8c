//! Writing segments anew without what must be forgotten.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;

use camino::Utf8Path;
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::ChangeRecord;

use super::frame::{FrameKind, encode_frame, scan};
use super::segment::contents_of;
use super::segment_versions::SegmentVersions;
use super::stored_content::{DeltaBase, StoredContent};
use super::{AmendmentHeader, History, OperationHeader, segment};
use crate::disk_error::{DiskError, IoContext};
use crate::platform::{self, OpenOwn};
use crate::state_file;
use crate::store_lock::wait_for;

/// What becomes of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Redaction {
    /// It stays.
    Keep,
    /// Its record stays, its content goes.
    Drop,
    /// Another content takes its place, in every record.
    Replace(Vec<u8>),
}

/// What has to be forgotten.
pub struct Redact<'r> {
    /// What becomes of a version.
    pub version: &'r dyn Fn(ContentHash, &[u8]) -> Redaction,
    /// The reason of an operation without what must not be said; `None`: it stays.
    pub reason: &'r dyn Fn(&str) -> Option<String>,
}

/// What was forgotten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Versions that were dropped or replaced.
    pub versions: usize,
    /// Segments that were written anew.
    pub segments: usize,
}

impl History {
    /// Writes every segment anew that holds something to be forgotten, each by one atomic rename: a process that is killed
    /// in between does it again and finds the rest. Damaged places, which cannot be looked into, go too. The caller
    /// holds the store's lock.
    ///
    /// # Errors
    /// The system fails; segments are as they were or rewritten, never half.
    pub(crate) fn rewrite(&self, redact: &Redact<'_>) -> Result<Forgotten, DiskError> {
        let mut forgotten = Forgotten::default();
        for number in segment::numbers(self.dir())? {
            let path = segment::path(self.dir(), number);
            let old = File::open(&path).during("open", &path)?;
            // An appending process takes this lock, and checks afterwards whether the file is still the one it opened.
            wait_for(&old, super::log_writer::APPEND_PATIENCE);
            let bytes = fs::read(&path).during("read", &path)?;
            let mut rewriter = Rewriter {
                segment: &bytes,
                old: SegmentVersions::of(&bytes),
                redact,
                renamed: BTreeMap::new(),
                new: BTreeMap::new(),
                out: Vec::new(),
                versions: 0,
                changed: false,
            };
            rewriter.run();
            if rewriter.changed {
                replace(&path, &rewriter.out)?;
                forgotten.versions += rewriter.versions;
                forgotten.segments += 1;
            }
        }
        Ok(forgotten)
    }
}

fn replace(path: &Utf8Path, bytes: &[u8]) -> Result<(), DiskError> {
    let temporary = path.with_extension("new");
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .private()
        .open(&temporary)
        .during("create", &temporary)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).during("write", &temporary)?;
    platform::replace_path(temporary.as_std_path(), path.as_std_path()).during("replace", path)?;
    let _ = fs::remove_file(path.with_extension("known"));
    let parent = path.parent().unwrap_or(Utf8Path::new("/"));
    state_file::sync_directory(parent).during("sync", parent)
}

struct Rewriter<'r> {
    segment: &'r [u8],
    old: SegmentVersions<'r>,
    redact: &'r Redact<'r>,
    /// The new hashes of replaced versions.
    renamed: BTreeMap<ContentHash, ContentHash>,
    /// What the new segment holds: where, how deep, and what.
    new: BTreeMap<ContentHash, (u64, u32, Vec<u8>)>,
    out: Vec<u8>,
    versions: usize,
    changed: bool,
}

impl Rewriter<'_> {
    fn run(&mut self) {
        let (frames, damages) = scan(self.segment);
        self.changed = !damages.is_empty();
        for (offset, frame) in &frames {
            let whole = self.segment.get(*offset..*offset + frame.length()).unwrap_or_default();
            let rewritten = match frame.kind {
                FrameKind::Operation => self.operation(*offset, frame.header),
                FrameKind::Amendment => self.amendment(*offset, frame.header),
                FrameKind::Outcome | FrameKind::Unknown(_) => Some(whole.to_vec()),
            };
            // A record that is not understood cannot be cleaned either.
            match rewritten {
                Some(bytes) => self.out.extend_from_slice(&bytes),
                None => self.changed = true,
            }
        }
    }

    fn operation(&mut self, offset: usize, header: &[u8]) -> Option<Vec<u8>> {
        let mut parsed: OperationHeader = serde_json::from_slice(header).ok()?;
        let (contents, body) = self.contents(offset, header);
        parsed.contents = contents;
        self.rename(&mut parsed.operation.changes);
        if let Some(reason) = (self.redact.reason)(&parsed.operation.reason) {
            parsed.operation.reason = reason;
            self.changed = true;
        }
        encode_frame(FrameKind::Operation, &serde_json::to_vec(&parsed).ok()?, &body)
    }

    fn amendment(&mut self, offset: usize, header: &[u8]) -> Option<Vec<u8>> {
        let mut parsed: AmendmentHeader = serde_json::from_slice(header).ok()?;
        let (contents, body) = self.contents(offset, header);
        parsed.contents = contents;
        self.rename(&mut parsed.changes);
        encode_frame(FrameKind::Amendment, &serde_json::to_vec(&parsed).ok()?, &body)
    }

    fn rename(&self, changes: &mut [ChangeRecord]) {
        let new = |hash: ContentHash| self.renamed.get(&hash).copied().unwrap_or(hash);
        for change in changes {
            change.before = change.before.map(new);
            change.after = change.after.map(new);
        }
    }

    /// The versions of a frame, written anew.
    fn contents(&mut self, offset: usize, header: &[u8]) -> (Vec<StoredContent>, Vec<u8>) {
        let at = u64::try_from(self.out.len()).unwrap_or(u64::MAX);
        let (mut contents, mut body) = (Vec::new(), Vec::new());
        for stored in contents_of(header) {
            let place = u64::try_from(offset).unwrap_or(u64::MAX);
            let Some(content) = self.old.content_in(place, stored.hash) else {
                self.changed = true;
                continue;
            };
            let content = match (self.redact.version)(stored.hash, &content) {
                Redaction::Keep => content,
                Redaction::Drop => {
                    self.changed = true;
                    self.versions += 1;
                    continue;
                }
                Redaction::Replace(content) => {
                    self.changed = true;
                    self.versions += 1;
                    self.renamed.insert(stored.hash, ContentHash::of(&content));
                    content
                }
            };
            let hash = ContentHash::of(&content);
            if self.new.contains_key(&hash) {
                continue;
            }
            let base = stored.base.map(|base| self.renamed.get(&base.hash).copied().unwrap_or(base.hash));
            let base = base.and_then(|hash| self.new.get(&hash).map(|found| (hash, found)));
            let (written, bytes) = match base {
                Some((base_hash, (place, depth, base))) => {
                    let place = (*place != at).then_some(*place);
                    StoredContent::after(
                        base,
                        DeltaBase { at: place, hash: base_hash },
                        *depth,
                        hash,
                        &content,
                    )
                }
                None => StoredContent::full(hash, &content),
            };
            body.extend_from_slice(&bytes);
            self.new.insert(hash, (at, written.depth, content));
            contents.push(written);
        }
        (contents, body)
    }
}
