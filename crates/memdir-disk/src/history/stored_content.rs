//! How one version of a file is in the body of a frame.

use memdir_core::content_hash::ContentHash;
use serde::{Deserialize, Serialize};

use super::delta::{apply_delta, encode_delta};

/// What a frame's header says about one version in its body. The versions are there in the same order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredContent {
    /// The hash of the version.
    pub(crate) hash: ContentHash,
    /// Its length.
    pub(crate) size: usize,
    /// How it is written.
    pub(crate) encoding: Encoding,
    /// Whether what is written is compressed.
    pub(crate) compression: Compression,
    /// How many bytes of the body it takes.
    pub(crate) length: usize,
    /// The version that a delta starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) base: Option<DeltaBase>,
    /// How many deltas have to be applied to get it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) depth: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Encoding {
    Full,
    Delta,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Compression {
    None,
    Deflate,
}

/// Where the base of a delta is: always in the same segment, so that a segment needs no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DeltaBase {
    /// The offset of the frame that holds it; absent: the frame itself, further up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<u64>,
    /// Its hash.
    pub(crate) hash: ContentHash,
}

/// After so many deltas a version is written whole again: reading it back stays cheap, and damage stays small.
pub(crate) const MAX_DEPTH: u32 = 50;
/// Fast, and most of the gain on text.
const COMPRESSION_LEVEL: u8 = 3;
/// Below this, compressing costs more than it saves.
const MIN_COMPRESSED: usize = 512;

impl StoredContent {
    /// A version written whole.
    pub(crate) fn full(hash: ContentHash, content: &[u8]) -> (Self, Vec<u8>) {
        Self::written(hash, content.len(), content.to_vec(), Encoding::Full, None, 0)
    }

    /// A version written as its difference from another, unless that saves nothing.
    pub(crate) fn after(
        base_content: &[u8],
        base: DeltaBase,
        base_depth: u32,
        hash: ContentHash,
        content: &[u8],
    ) -> (Self, Vec<u8>) {
        if base_depth >= MAX_DEPTH {
            return Self::full(hash, content);
        }
        let delta = encode_delta(base_content, content);
        if delta.len() > content.len() / 2 {
            return Self::full(hash, content);
        }
        Self::written(hash, content.len(), delta, Encoding::Delta, Some(base), base_depth + 1)
    }

    fn written(
        hash: ContentHash,
        size: usize,
        plain: Vec<u8>,
        encoding: Encoding,
        base: Option<DeltaBase>,
        depth: u32,
    ) -> (Self, Vec<u8>) {
        let packed = (plain.len() >= MIN_COMPRESSED)
            .then(|| miniz_oxide::deflate::compress_to_vec(&plain, COMPRESSION_LEVEL))
            .filter(|packed| packed.len() < plain.len());
        let (compression, bytes) = match packed {
            Some(packed) => (Compression::Deflate, packed),
            None => (Compression::None, plain),
        };
        (Self { hash, size, encoding, compression, length: bytes.len(), base, depth }, bytes)
    }

    /// The version again, given its bytes and, for a delta, the base; `None` if anything does not fit.
    pub(crate) fn restore(&self, bytes: &[u8], base: Option<&[u8]>) -> Option<Vec<u8>> {
        let unpacked;
        let plain = match self.compression {
            Compression::None => bytes,
            Compression::Deflate => {
                // A delta can be longer than its result by its numbers, a whole version cannot.
                let limit = self.size.checked_mul(2)?.checked_add(1 << 10)?.min(super::frame::MAX_BODY_BYTES);
                unpacked = miniz_oxide::inflate::decompress_to_vec_with_limit(bytes, limit).ok()?;
                unpacked.as_slice()
            }
        };
        let content = match self.encoding {
            Encoding::Full => plain.to_vec(),
            Encoding::Delta => apply_delta(base?, plain, self.size)?,
        };
        (ContentHash::of(&content) == self.hash).then_some(content)
    }
}
