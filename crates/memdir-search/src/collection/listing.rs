//! The directories that a scan met, and the table that comes of them.

use std::ffi::CStr;

use super::file_table::{Directory, FileEntry, FileTable, TableWriter};
use crate::analyze::{KeyMap, KeySet};

/// A directory that the scan met.
#[derive(Debug)]
pub(super) struct SeenDirectory {
    /// Below the root.
    pub(super) path: String,
    /// See [`Directory::version`].
    pub(super) version: u64,
    pub(super) listing: Listing,
}

/// The files of a directory.
#[derive(Debug)]
pub(super) enum Listing {
    /// The same as in the table, in the directory at this index.
    Known(usize),
    /// These, because the directory has changed.
    Listed(Names),
}

/// Names that were just listed.
#[derive(Debug, Default)]
pub(super) struct Names {
    bytes: Vec<u8>,
    files: Vec<Name>,
}

#[derive(Debug, Clone, Copy)]
struct Name {
    key: u64,
    inode: u64,
    start: u32,
}

impl Names {
    pub(super) fn push(&mut self, name: &CStr, key: u64, inode: u64) {
        let Ok(start) = u32::try_from(self.bytes.len()) else { return };
        self.bytes.extend_from_slice(name.to_bytes_with_nul());
        self.files.push(Name { key, inode, start });
    }

    /// Inodes are near each other in the order of their numbers, so looking at them in it is cheaper.
    pub(super) fn sort(&mut self) {
        self.files.sort_unstable_by_key(|name| name.inode);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &CStr)> {
        self.files.iter().filter_map(|name| {
            let bytes = self.bytes.get(name.start as usize..)?;
            Some((name.key, CStr::from_bytes_until_nul(bytes).ok()?))
        })
    }
}

/// The table after a scan: entries of files that were read are `fresh`, those of others are taken over.
pub(super) fn next_table(
    old: &FileTable,
    directories: &[SeenDirectory],
    fresh: &KeyMap<FileEntry>,
    gone: &KeySet,
) -> FileTable {
    let mut writer = TableWriter::default();
    let by_path: std::collections::HashMap<&str, &Directory> =
        old.directories().iter().map(|directory| (directory.path.as_str(), directory)).collect();
    for seen in directories {
        writer.directory(&seen.path, seen.version);
        match &seen.listing {
            Listing::Known(at) => {
                let Some(directory) = old.directories().get(*at) else { continue };
                for (_, entry, name) in old.files_in(directory) {
                    if gone.contains(&entry.key) {
                        writer.forget_directory();
                    } else {
                        writer.file(fresh.get(&entry.key).copied().unwrap_or(entry), name);
                    }
                }
            }
            Listing::Listed(names) => {
                let places = by_path.get(seen.path.as_str()).map(|directory| old.places(directory));
                let known = |key: u64| old.entry(*places.as_ref()?.get(&key)?);
                for (key, name) in names.iter() {
                    match fresh.get(&key).copied().or_else(|| known(key)) {
                        Some(entry) if !gone.contains(&key) => writer.file(entry, name),
                        _ => writer.forget_directory(),
                    }
                }
            }
        }
    }
    writer.finish()
}
