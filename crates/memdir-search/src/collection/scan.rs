//! What lies on disk now, compared with what the index knows. One stat a file, nothing is opened.

use std::os::fd::{AsFd, OwnedFd};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, Stat};

use super::file_table::{FileTable, Finder, Stamp};
use super::{Kind, Source};

/// What differs from the table.
#[derive(Debug, Default)]
pub(super) struct Differences {
    /// Files that are new or look different, newest first.
    pub(super) changed: Vec<ChangedFile>,
    /// Keys of files that are gone.
    pub(super) gone: Vec<u64>,
    /// How many files there are.
    pub(super) files: usize,
    /// The keys of all files, in the order in which they were met.
    pub(super) order: Vec<u64>,
}

/// A file that must be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChangedFile {
    pub(super) key: u64,
    /// Below the root.
    pub(super) path: String,
    pub(super) stamp: Stamp,
    /// Its place in the table, if it is known.
    pub(super) known: Option<usize>,
}

/// No folder of memories or transcripts is deeper or bigger.
const MAX_DEPTH: usize = 16;
const MAX_FILES: usize = 2_000_000;

/// Compares the folder with the table.
pub(super) fn scan(source: &Source, table: &FileTable) -> Differences {
    let mut walk = Walk {
        kind: source.kind,
        table,
        finder: Finder::new(table),
        seen: vec![false; table.len()],
        found: Differences::default(),
    };
    match &source.files {
        Some(files) => {
            for file in files {
                walk.listed(&source.root, file);
            }
        }
        None => walk.tree(&source.root),
    }
    let Walk { seen, mut found, .. } = walk;
    let gone = table.entries().iter().zip(&seen).filter(|(_, seen)| !**seen);
    found.gone = gone.map(|(entry, _)| entry.key).collect();
    found
        .changed
        .sort_by(|one, other| other.stamp.modified.cmp(&one.stamp.modified).then(one.path.cmp(&other.path)));
    found
}

struct Walk<'a> {
    kind: Kind,
    table: &'a FileTable,
    finder: Finder<'a>,
    seen: Vec<bool>,
    found: Differences,
}

impl Walk<'_> {
    fn tree(&mut self, root: &Utf8Path) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(root) = rustix::fs::open(root.as_std_path(), flags, Mode::empty()) else { return };
        let mut buffer = Vec::with_capacity(32 << 10);
        let mut pending = vec![(String::new(), 0)];
        while let Some((path, depth)) = pending.pop() {
            let flags = flags | OFlags::NOFOLLOW;
            let name = if path.is_empty() { "." } else { path.as_str() };
            let Ok(directory) = rustix::fs::openat(&root, name, flags, Mode::empty()) else { continue };
            self.directory(&directory, &path, &mut buffer, &mut |below| {
                if depth < MAX_DEPTH {
                    pending.push((below, depth + 1));
                }
            });
        }
    }

    fn directory(
        &mut self,
        directory: &OwnedFd,
        path: &str,
        buffer: &mut Vec<u8>,
        below: &mut dyn FnMut(String),
    ) {
        let prefix = if path.is_empty() { 0 } else { path_key(0, path) };
        let mut entries = RawDir::new(directory, buffer.spare_capacity_mut());
        while let Some(Ok(entry)) = entries.next() {
            let Ok(name) = entry.file_name().to_str() else { continue };
            if name.starts_with('.') || self.found.files >= MAX_FILES {
                continue;
            }
            let wanted = self.kind.wants_file(name);
            let file_type = entry.file_type();
            if !wanted && !matches!(file_type, FileType::Directory | FileType::Unknown) {
                continue;
            }
            let full = || if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
            match file_type {
                FileType::Directory if self.kind.wants_directory(name) => below(full()),
                FileType::RegularFile | FileType::Unknown => {
                    let stat =
                        rustix::fs::statat(directory.as_fd(), entry.file_name(), AtFlags::SYMLINK_NOFOLLOW);
                    let Ok(stat) = stat else { continue };
                    match FileType::from_raw_mode(stat.st_mode) {
                        FileType::RegularFile if wanted => self.file(path_key(prefix, name), &stat, full),
                        FileType::Directory if self.kind.wants_directory(name) => below(full()),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }

    fn listed(&mut self, root: &Utf8Path, file: &Utf8PathBuf) {
        let Ok(stat) = rustix::fs::stat(root.join(file).as_std_path()) else { return };
        if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
            self.file(path_key(0, file.as_str()), &stat, || file.to_string());
        }
    }

    fn file(&mut self, key: u64, stat: &Stat, path: impl FnOnce() -> String) {
        self.found.files += 1;
        let stamp = stamp(stat);
        self.found.order.push(key);
        let known = self.finder.find(key);
        if let Some(at) = known
            && let (Some(entry), Some(seen)) = (self.table.entries().get(at), self.seen.get_mut(at))
        {
            *seen = true;
            if entry.stamp == stamp {
                return;
            }
        }
        self.found.changed.push(ChangedFile { key, path: path(), stamp, known });
    }
}

/// What a stat says about a file's version.
pub(super) fn stamp(stat: &Stat) -> Stamp {
    let seconds = stat.st_mtime;
    Stamp {
        size: stat.st_size.cast_unsigned(),
        modified: seconds.saturating_mul(1_000_000_000).saturating_add(stat.st_mtime_nsec as i64),
        inode: stat.st_ino,
    }
}

/// The key of a path: its parts one after the other, so that a folder's share is computed once.
fn path_key(prefix: u64, name: &str) -> u64 {
    let mut state = prefix ^ 0x9e37_79b9_7f4a_7c15;
    let (chunks, rest) = name.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(slot, byte)| *slot = *byte);
    for chunk in chunks.iter().chain(std::iter::once(&last)) {
        state = (state ^ u64::from_le_bytes(*chunk)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        state ^= state >> 32;
    }
    state = (state ^ name.len() as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
    state ^ (state >> 32)
}
