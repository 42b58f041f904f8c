//! What was known about every file when it was indexed.

use std::ffi::CStr;
use std::ops::Range;

use memchr::memchr;

use crate::analyze::KeyMap;
use crate::error::{SearchError, damaged};
use crate::segment::checksum;

/// A file as it was when it was indexed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FileEntry {
    /// The hash of its path.
    pub(super) key: u64,
    /// What [`super::stamp::Stamp::version`] said of it; 0 if it may have changed since without showing it.
    pub(super) version: u64,
    pub(super) progress: Progress,
}

/// How much of a transcript has been read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Progress {
    pub(super) offset: u64,
    pub(super) line: u64,
    /// A sum over the last bytes before `offset`, by which a rewritten transcript is recognised.
    pub(super) tail: u64,
    /// A file that was put in its place is another one.
    pub(super) inode: u64,
}

/// A directory as the last scan met it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Directory {
    /// Below the root.
    pub(super) path: String,
    /// Stays the same as long as no entry comes, goes or is renamed; 0 if that cannot be told.
    pub(super) version: u64,
    /// Its files, as indexes into the table.
    pub(super) files: Range<usize>,
    /// Where the names of its files start.
    names: usize,
}

/// All files of a collection by directory, each directory's in the order in which they are best looked at.
///
/// It is kept as it is on disk: a search asks every file for its version, so a hundred thousand of them must not
/// be taken apart first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileTable {
    bytes: Vec<u8>,
    width: usize,
    len: usize,
    names: usize,
    directories: Vec<Directory>,
}

/// How many words an entry takes that says nothing about a transcript, and one that does.
const SHORT: usize = 2;
const LONG: usize = 6;
/// Words behind the table that say how it is laid out.
const FOOTER: usize = 4;

impl FileTable {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn directories(&self) -> &[Directory] {
        &self.directories
    }

    pub(super) fn entry(&self, at: usize) -> Option<FileEntry> {
        let start = at.checked_mul(self.width * 8).filter(|_| at < self.len)?;
        let words = self.bytes.get(start..start + self.width * 8)?.as_chunks::<8>().0;
        let word = |index: usize| words.get(index).map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let progress = Progress { offset: word(2), line: word(3), tail: word(4), inode: word(5) };
        Some(FileEntry { key: word(0), version: word(1), progress })
    }

    /// The files of a directory with their names, in order.
    pub(super) fn files_in<'a>(
        &'a self,
        directory: &'a Directory,
    ) -> impl Iterator<Item = (usize, FileEntry, &'a CStr)> {
        let mut rest = self.bytes.get(directory.names..).unwrap_or_default();
        directory.files.clone().map_while(move |at| {
            let end = memchr(0, rest)? + 1;
            let (name, after) = rest.split_at_checked(end)?;
            rest = after;
            Some((at, self.entry(at)?, CStr::from_bytes_with_nul(name).ok()?))
        })
    }

    /// Where the entries of a directory's files are, by their keys.
    pub(super) fn places(&self, directory: &Directory) -> KeyMap<usize> {
        directory.files.clone().filter_map(|at| Some((self.entry(at)?.key, at))).collect()
    }

    pub(super) fn encode(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn decode(bytes: Vec<u8>) -> Result<Self, SearchError> {
        Self::read(bytes).map_or_else(|| damaged("the table of files"), Ok)
    }

    fn read(bytes: Vec<u8>) -> Option<Self> {
        let (content, sum) = bytes.split_last_chunk::<4>()?;
        if checksum(content) != u32::from_le_bytes(*sum) {
            return None;
        }
        let (before, footer) = content.split_last_chunk::<{ FOOTER * 8 }>()?;
        let number = |bytes: &[u8; 8]| usize::try_from(u64::from_le_bytes(*bytes)).ok();
        let [width, len, count, names] = footer.as_chunks::<8>().0 else { return None };
        let (width, len, count, names) = (number(width)?, number(len)?, number(count)?, number(names)?);
        let entries = len.checked_mul(width)?.checked_mul(8)?;
        if ![SHORT, LONG].contains(&width) || entries > names || names > before.len() {
            return None;
        }
        let mut rest = before.get(entries..names)?;
        let (mut file, mut name) = (0_usize, names);
        let mut directories = Vec::new();
        for _ in 0..count {
            let (head, after) = rest.split_first_chunk::<32>()?;
            let [version, files, name_bytes, path] = head.as_chunks::<8>().0 else { return None };
            let (path, after) = after.split_at_checked(number(path)?)?;
            let files = file..file.checked_add(number(files)?).filter(|end| *end <= len)?;
            (file, rest) = (files.end, after);
            let path = String::from_utf8(path.to_vec()).ok()?;
            directories.push(Directory { path, version: u64::from_le_bytes(*version), files, names: name });
            name = name.checked_add(number(name_bytes)?).filter(|end| *end <= before.len())?;
        }
        Some(Self { width, len, names, directories, bytes })
    }
}

/// Puts a table together, directory by directory.
#[derive(Debug, Default)]
pub(super) struct TableWriter {
    entries: Vec<FileEntry>,
    /// Version, number of files, bytes of their names, path.
    directories: Vec<(u64, usize, usize, String)>,
    names: Vec<u8>,
}

impl TableWriter {
    /// Starts a directory; files that follow are in it.
    pub(super) fn directory(&mut self, path: &str, version: u64) {
        self.directories.push((version, 0, 0, path.to_owned()));
    }

    pub(super) fn file(&mut self, entry: FileEntry, name: &CStr) {
        let Some((_, files, name_bytes, _)) = self.directories.last_mut() else { return };
        *files += 1;
        *name_bytes += name.to_bytes_with_nul().len();
        self.names.extend_from_slice(name.to_bytes_with_nul());
        self.entries.push(entry);
    }

    /// Says that not all files of the directory are in the table, so that it is listed again.
    pub(super) fn forget_directory(&mut self) {
        if let Some((version, ..)) = self.directories.last_mut() {
            *version = 0;
        }
    }

    pub(super) fn finish(self) -> FileTable {
        let is_long = self.entries.iter().any(|entry| entry.progress != Progress::default());
        let width = if is_long { LONG } else { SHORT };
        let mut bytes = Vec::with_capacity(self.entries.len() * width * 8 + self.names.len() + 4_096);
        for entry in &self.entries {
            let Progress { offset, line, tail, inode } = entry.progress;
            let words = [entry.key, entry.version, offset, line, tail, inode];
            words.into_iter().take(width).for_each(|word| bytes.extend(word.to_le_bytes()));
        }
        let count = self.directories.len();
        for (version, files, name_bytes, path) in self.directories {
            let words = [version, files as u64, name_bytes as u64, path.len() as u64];
            words.into_iter().for_each(|word| bytes.extend(word.to_le_bytes()));
            bytes.extend_from_slice(path.as_bytes());
        }
        let names = bytes.len();
        bytes.extend_from_slice(&self.names);
        let words = [width, self.entries.len(), count, names];
        words.into_iter().for_each(|word| bytes.extend((word as u64).to_le_bytes()));
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        FileTable::read(bytes).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            directories in proptest::collection::vec(
                ("[a-z/]{0,9}", any::<u64>(), proptest::collection::vec(("[^\\x00]{1,9}", any::<u64>()), 0..9)), 0..9),
            long in any::<bool>(),
        ) {
            let mut writer = TableWriter::default();
            for (path, version, files) in &directories {
                writer.directory(path, *version);
                for (name, key) in files {
                    let progress = Progress { offset: u64::from(long), ..Progress::default() };
                    let entry = FileEntry { key: *key, version: key ^ 5, progress };
                    writer.file(entry, &CString::new(name.as_str()).unwrap());
                }
            }
            let table = writer.finish();
            let read = FileTable::decode(table.encode().to_vec()).unwrap();
            prop_assert_eq!(&read, &table);
            prop_assert_eq!(read.directories().len(), directories.len());
            for (found, (path, version, files)) in read.directories().iter().zip(&directories) {
                prop_assert_eq!((&found.path, found.version), (path, *version));
                let names: Vec<(String, u64)> = read
                    .files_in(found)
                    .map(|(_, entry, name)| (name.to_str().unwrap().to_owned(), entry.key))
                    .collect();
                prop_assert_eq!(&names, files);
                let places = read.places(found);
                prop_assert!(files.iter().all(|(_, key)| read.entry(places[key]).unwrap().key == *key));
            }
        }

        #[test]
        fn garbage_is_noticed(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(FileTable::decode(bytes).is_err());
        }
    }
}
