//! The passages that hold a term, and how much of it.

use super::encode::{push_varint, take_varint};

/// Half occurrences: an ordinary one counts two, one in a heading or a path less or more.
pub(crate) type Halves = u8;

/// An ordinary single occurrence, which is stored without a byte of its own.
const USUAL: Halves = 2;

/// Encodes one more passage behind `last`, the one before it (`None` at the start).
pub(super) fn push(out: &mut Vec<u8>, last: Option<u32>, passage: u32, halves: Halves) {
    let gap = match last {
        Some(last) => u64::from(passage.saturating_sub(last)),
        None => u64::from(passage),
    };
    push_varint(out, gap << 1 | u64::from(halves != USUAL));
    if halves != USUAL {
        out.push(halves);
    }
}

/// Iterates over the passages of one term, in order.
#[derive(Debug, Clone)]
pub(crate) struct Postings<'a> {
    bytes: &'a [u8],
    last: u32,
}

impl<'a> Postings<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, last: 0 }
    }
}

impl Iterator for Postings<'_> {
    type Item = (u32, Halves);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // Most gaps fit in one byte.
        let code = match self.bytes.split_first() {
            Some((&byte, rest)) if byte < 0x80 => {
                self.bytes = rest;
                u64::from(byte)
            }
            _ => take_varint(&mut self.bytes)?,
        };
        self.last = self.last.wrapping_add((code >> 1) as u32);
        if code & 1 == 0 {
            return Some((self.last, USUAL));
        }
        let (&halves, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some((self.last, halves))
    }
}
