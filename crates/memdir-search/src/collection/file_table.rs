//! What was known about every file when it was indexed.

use std::collections::HashMap;

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

/// All files of a collection, in the order in which the last scan met them.
///
/// A directory lists its files in the same order every time, so the next scan finds each entry behind the one before
/// it, without searching.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileTable {
    entries: Vec<FileEntry>,
}

/// How many words an entry takes that says nothing about a transcript, and one that does.
const SHORT: usize = 4;
const LONG: usize = 7;
/// How far ahead an entry is looked for before the whole table is searched.
const NEAR: usize = 32;

impl FileTable {
    pub(super) fn new(entries: Vec<FileEntry>) -> Self {
        Self { entries }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn entries(&self) -> &[FileEntry] {
        &self.entries
    }

    /// The table in the order of these keys; entries without one come last.
    pub(super) fn in_order_of(mut self, keys: &[u64]) -> Self {
        let places: HashMap<u64, usize> = keys.iter().enumerate().map(|(place, key)| (*key, place)).collect();
        self.entries.sort_by_cached_key(|entry| places.get(&entry.key).copied().unwrap_or(usize::MAX));
        self
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let is_long = self.entries.iter().any(|entry| (entry.offset, entry.line, entry.tail) != (0, 0, 0));
        let width = if is_long { LONG } else { SHORT };
        let mut bytes = Vec::with_capacity(self.entries.len() * width * 8 + 12);
        for entry in &self.entries {
            let Stamp { size, modified, inode } = entry.stamp;
            let words =
                [entry.key, size, modified.cast_unsigned(), inode, entry.offset, entry.line, entry.tail];
            words.into_iter().take(width).for_each(|word| bytes.extend(word.to_le_bytes()));
        }
        bytes.extend((width as u64).to_le_bytes());
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
        let Some((words, width)) =
            content.as_chunks::<8>().0.split_last().map(|(width, words)| (words, width))
        else {
            return damaged("the table of files");
        };
        let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
        let stamp = |size, modified: u64, inode| Stamp { size, modified: modified.cast_signed(), inode };
        let entries = if word(width) == SHORT as u64 {
            let entry = |record: &[[u8; 8]; SHORT]| {
                let [key, size, modified, inode] = record.each_ref().map(word);
                FileEntry { key, stamp: stamp(size, modified, inode), ..FileEntry::default() }
            };
            words.as_chunks::<SHORT>().0.iter().map(entry).collect()
        } else {
            let entry = |record: &[[u8; 8]; LONG]| {
                let [key, size, modified, inode, offset, line, tail] = record.each_ref().map(word);
                FileEntry { key, stamp: stamp(size, modified, inode), offset, line, tail }
            };
            words.as_chunks::<LONG>().0.iter().map(entry).collect()
        };
        Ok(Self { entries })
    }
}

/// Finds entries in the order in which they stand.
pub(super) struct Finder<'a> {
    entries: &'a [FileEntry],
    next: usize,
    places: Option<HashMap<u64, usize>>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(table: &'a FileTable) -> Self {
        Self { entries: &table.entries, next: 0, places: None }
    }

    /// The place of a key.
    pub(super) fn find(&mut self, key: u64) -> Option<usize> {
        let near = self.entries.get(self.next..).unwrap_or_default().iter().take(NEAR);
        let found = match near.enumerate().find(|(_, entry)| entry.key == key) {
            Some((ahead, _)) => self.next + ahead,
            None => *self.places().get(&key)?,
        };
        self.next = found + 1;
        Some(found)
    }

    fn places(&mut self) -> &HashMap<u64, usize> {
        let entries = self.entries;
        self.places.get_or_insert_with(|| {
            entries.iter().enumerate().map(|(place, entry)| (entry.key, place)).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_key_is_found_in_any_order(
            keys in proptest::collection::hash_set(0..500_u64, 0..200),
            asked in proptest::collection::hash_set(0..500_u64, 0..100),
            long in any::<bool>(),
        ) {
            let entry = |key: &u64| FileEntry { key: *key, offset: u64::from(long), ..FileEntry::default() };
            let table = FileTable::new(keys.iter().map(entry).collect());
            let mut finder = Finder::new(&table);
            for key in keys.iter().chain(&asked) {
                let found = finder.find(*key).map(|at| table.entries()[at].key);
                prop_assert_eq!(found, keys.contains(key).then_some(*key));
            }
            prop_assert_eq!(&FileTable::decode(&table.encode()).unwrap(), &table);
            let asked: Vec<u64> = asked.into_iter().collect();
            let ordered = table.clone().in_order_of(&asked);
            prop_assert_eq!(ordered.len(), table.len());
            let first = asked.iter().find(|key| keys.contains(key));
            if let Some(first) = first {
                prop_assert_eq!(ordered.entries()[0].key, *first);
            }
        }
    }
}
