use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A term as the index knows it: a hash of its text that is the same on every machine and in every version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub u64);

impl Term {
    /// The term of a text that has been folded and stemmed.
    #[must_use]
    pub fn of(text: &str) -> Self {
        // FNV-1a spreads short texts badly over the upper bits, by which the index is sorted: hence the finish.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in text.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        Self(hash ^ (hash >> 32))
    }

    /// Half of it, never 0: enough to compare a few terms with each other.
    pub(crate) fn short(self) -> u32 {
        (self.0 as u32).max(1)
    }

    /// Which of `1 << bits` equal parts of all terms it is in.
    pub(crate) fn bucket(self, bits: u32) -> usize {
        self.0.checked_shr(64 - bits).unwrap_or(0) as usize
    }
}

/// A map by term: a term is already a hash.
pub(crate) type TermMap<V> = HashMap<Term, V, BuildHasherDefault<AsItIs>>;

/// A map by the hash of a path.
pub(crate) type KeyMap<V> = HashMap<u64, V, BuildHasherDefault<AsItIs>>;

/// A set of hashes of paths.
pub(crate) type KeySet = HashSet<u64, BuildHasherDefault<AsItIs>>;

/// Takes a number as its own hash.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }
    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}
