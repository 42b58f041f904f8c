//! What was known about every file when it was indexed.

use crate::error::{SearchError, damaged};
use crate::segment::checksum;

/// A file as it was when it was indexed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FileEntry {
    /// The hash of its path.
    pub(super) key: u64,
    pub(super) stamp: Stamp,
    /// How much of a transcript has been read: bytes and lines.
    pub(super) offset: u64,
    pub(super) line: u64,
    /// A sum over the last bytes before `offset`, by which a rewritten transcript is recognised.
    pub(super) tail: u64,
}

/// What changes when a file changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) size: u64,
    /// Nanoseconds since 1970; 0 if the file may have changed since without showing it.
    pub(super) modified: i64,
    pub(super) inode: u64,
}

/// All files of a collection, sorted by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileTable {
    entries: Vec<FileEntry>,
}

const WORDS: usize = 7;

impl FileTable {
    pub(super) fn new(mut entries: Vec<FileEntry>) -> Self {
        entries.sort_unstable_by_key(|entry| entry.key);
        entries.dedup_by_key(|entry| entry.key);
        Self { entries }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn entries(&self) -> &[FileEntry] {
        &self.entries
    }

    /// The place of a key. Keys are spread evenly, so the place can be guessed and is near.
    pub(super) fn find(&self, key: u64) -> Option<usize> {
        let count = self.entries.len();
        let mut at = ((u128::from(key) * count as u128) >> 64) as usize;
        let (mut low, mut high) = (0, count);
        // A few steps from the guess suffice; a table that is not spread evenly falls back to halving.
        for _ in 0..8 {
            let entry = self.entries.get(at)?;
            match entry.key.cmp(&key) {
                std::cmp::Ordering::Equal => return Some(at),
                std::cmp::Ordering::Less => {
                    low = at + 1;
                    let missing = key - entry.key;
                    at += (((u128::from(missing) * count as u128) >> 64) as usize).max(1);
                }
                std::cmp::Ordering::Greater => {
                    high = at;
                    let missing = entry.key - key;
                    at = at.saturating_sub((((u128::from(missing) * count as u128) >> 64) as usize).max(1));
                }
            }
            if at < low || at >= high {
                break;
            }
        }
        let range = self.entries.get(low..high)?;
        range.binary_search_by_key(&key, |entry| entry.key).ok().map(|found| low + found)
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.entries.len() * WORDS * 8 + 4);
        for entry in &self.entries {
            let Stamp { size, modified, inode } = entry.stamp;
            let words =
                [entry.key, size, modified.cast_unsigned(), inode, entry.offset, entry.line, entry.tail];
            words.into_iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        }
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, SearchError> {
        let Some((content, sum)) = bytes.split_last_chunk::<4>() else {
            return damaged("the table of files");
        };
        if checksum(content) != u32::from_le_bytes(*sum) {
            return damaged("the table of files");
        }
        let (words, _) = content.as_chunks::<8>();
        let (records, _) = words.as_chunks::<WORDS>();
        let entries = records.iter().map(|record| {
            let [key, size, modified, inode, offset, line, tail] = record.map(u64::from_le_bytes);
            let stamp = Stamp { size, modified: modified.cast_signed(), inode };
            FileEntry { key, stamp, offset, line, tail }
        });
        Ok(Self { entries: entries.collect() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_key_is_found_and_no_other(
            keys in proptest::collection::vec(prop_oneof![any::<u64>(), 0..50_u64, (u64::MAX - 50)..u64::MAX], 0..200),
            other in any::<u64>(),
        ) {
            let table = FileTable::new(keys.iter().map(|key| FileEntry { key: *key, ..FileEntry::default() }).collect());
            for key in &keys {
                prop_assert_eq!(table.find(*key).map(|at| table.entries()[at].key), Some(*key));
            }
            prop_assert_eq!(table.find(other).is_some(), keys.contains(&other));
            prop_assert_eq!(&FileTable::decode(&table.encode()).unwrap(), &table);
        }
    }
}
