//! Where in a segment the versions lie that were written last.

use std::os::unix::fs::FileExt;

use camino::Utf8Path;
use memdir_core::content_hash::ContentHash;

/// A small table in a file beside the segment: for a hash, the offset of a frame that holds it. Derived and
/// lossy; whoever uses an answer verifies it at the frame.
#[derive(Debug)]
pub(crate) struct KnownPlaces {
    file: Option<std::fs::File>,
}

const SLOTS: u64 = 1024;
const SLOT_BYTES: u64 = 16;

impl KnownPlaces {
    /// Opens the table of a segment; without one, everything counts as unknown.
    pub(crate) fn open(segment: &Utf8Path) -> Self {
        use std::os::unix::fs::OpenOptionsExt;
        let path = segment.with_extension("known");
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path);
        Self { file: file.ok() }
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
