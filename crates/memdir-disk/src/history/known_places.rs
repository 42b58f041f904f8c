//! Where in a segment the versions are that were written last.

use camino::Utf8Path;
use memdir_core::content_hash::ContentHash;

use crate::platform::{FileExt, OpenOwn, stamp_of};

/// A small table in a file beside the segment: for a hash, the offset of a frame that holds it. Derived and
/// lossy; a user of an answer verifies it at the frame.
#[derive(Debug)]
pub(crate) struct KnownPlaces {
    file: Option<std::fs::File>,
}

/// Where the seal is: behind the slots.
const SEAL: u64 = SLOTS * SLOT_BYTES;
const STAMP_BYTES: usize = 32;
/// Where in a stamp the number of the file is.
const FILE_NUMBER: std::ops::Range<usize> = 8..16;
/// The stamp of the segment, whether it ends with nothing open, and up to where it was synced.
const SEAL_BYTES: usize = STAMP_BYTES + 1 + 8;

/// How a segment looks from outside: its length, its number and its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    length: u64,
    bytes: [u8; STAMP_BYTES],
}

impl Stamp {
    pub(crate) fn of(segment: &std::fs::File) -> std::io::Result<Self> {
        Ok(Self::from(&segment.metadata()?))
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }
}

impl From<&std::fs::Metadata> for Stamp {
    fn from(metadata: &std::fs::Metadata) -> Self {
        let mut bytes = [0; STAMP_BYTES];
        for (place, number) in bytes.chunks_exact_mut(8).zip(stamp_of(metadata)) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        Self { length: metadata.len(), bytes }
    }
}

const SLOTS: u64 = 1024;
const SLOT_BYTES: u64 = 16;

impl KnownPlaces {
    /// Opens the table of a segment; without one, everything counts as unknown.
    pub(crate) fn open(segment: &Utf8Path) -> Self {
        let path = segment.with_extension("known");
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .private()
            .open(path);
        Self { file: file.ok() }
    }

    /// A table that knows nothing.
    #[cfg(feature = "unrecorded")]
    pub(crate) fn nowhere() -> Self {
        Self { file: None }
    }

    /// Remembers how the segment looks now: while it stays so, it need not be searched for damage, nor for
    /// operations that have not ended. Not if another process wrote behind `end` already.
    pub(crate) fn seal(&self, segment: &std::fs::File, end: u64, clean: bool, synced: u64) {
        let stamp = Stamp::of(segment).ok().filter(|stamp| stamp.length == end);
        if let (Some(file), Some(stamp)) = (&self.file, stamp) {
            let mut seal = stamp.bytes.to_vec();
            seal.push(clean.into());
            seal.extend_from_slice(&synced.to_le_bytes());
            let _ = file.write_all_at(&seal, SEAL);
        }
    }

    /// If the segment looks as it did when it was sealed: whether it ended with nothing open.
    pub(crate) fn seal_of(&self, stamp: &Stamp) -> Option<bool> {
        let (sealed, clean, _) = self.read_seal()?;
        (sealed == stamp.bytes).then_some(clean)
    }

    /// Up to where the segment was synced when it was sealed; `None` if it is another file, or was never sealed.
    pub(crate) fn synced_end(&self, stamp: &Stamp) -> Option<u64> {
        let (sealed, _, synced) = self.read_seal()?;
        (sealed.get(FILE_NUMBER) == stamp.bytes.get(FILE_NUMBER)).then_some(synced)
    }

    /// How many bytes a segment has lost that were synced once; `None` if none are known to be missing.
    pub(crate) fn missing_bytes(segment: &Utf8Path) -> Option<u64> {
        let known = Self { file: std::fs::File::open(segment.with_extension("known")).ok() };
        let stamp = Stamp::from(&segment.metadata().ok()?);
        known.synced_end(&stamp)?.checked_sub(stamp.length()).filter(|missing| *missing > 0)
    }

    fn read_seal(&self) -> Option<([u8; STAMP_BYTES], bool, u64)> {
        let mut seal = [0; SEAL_BYTES];
        self.file.as_ref()?.read_exact_at(&mut seal, SEAL).ok()?;
        let (stamp, rest) = seal.split_first_chunk::<STAMP_BYTES>()?;
        let (clean, synced) = rest.split_first()?;
        Some((*stamp, *clean == 1, u64::from_le_bytes(synced.try_into().ok()?)))
    }

    pub(crate) fn find(&self, hash: ContentHash) -> Option<u64> {
        let (slot, prefix) = slot(hash);
        let mut bytes = [0; SLOT_BYTES as usize];
        self.file.as_ref()?.read_exact_at(&mut bytes, slot).ok()?;
        let (known, offset) = bytes.split_first_chunk::<8>()?;
        (*known == prefix).then_some(u64::from_le_bytes(offset.try_into().ok()?))
    }

    pub(crate) fn remember(&self, hash: ContentHash, offset: u64) {
        let (slot, prefix) = slot(hash);
        let mut bytes = prefix.to_vec();
        bytes.extend_from_slice(&offset.to_le_bytes());
        // Losing it costs space, not content.
        let _ = self.file.as_ref().map(|file| file.write_all_at(&bytes, slot));
    }
}

fn slot(hash: ContentHash) -> (u64, [u8; 8]) {
    let bytes = hash.as_bytes();
    let mut prefix = [0; 8];
    prefix.copy_from_slice(&bytes[..8]);
    let number = u64::from(u16::from_le_bytes([bytes[8], bytes[9]])) % SLOTS;
    (number * SLOT_BYTES, prefix)
}
