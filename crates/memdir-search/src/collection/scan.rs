//! What is on disk now, compared with what the index knows. One stat a file, nothing is opened.
//!
//! A directory whose own time has not changed has the same entries as before: its names are taken from the table,
//! and only the files themselves are looked at.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_disk::platform::{self, EntryBuffer, FileKind, Handle};

use super::file_table::FileTable;
use super::listing::{Listing, Names, SeenDirectory};
use super::stamp::Stamp;
use super::{Kind, Limits, Source};

/// What differs from the table.
#[derive(Debug, Default)]
pub(super) struct Differences {
    /// Files that are new or look different, newest first.
    pub(super) changed: Vec<ChangedFile>,
    /// Keys of files that are gone.
    pub(super) gone: Vec<u64>,
    /// How many files there are.
    pub(super) files: usize,
    /// All directories that were met.
    pub(super) directories: Vec<SeenDirectory>,
    /// A directory was listed that need not be listed next time, if the table is written.
    pub(super) has_settled: bool,
    /// Time ran out before everything was looked at.
    pub(super) cut_short: bool,
}

impl Differences {
    /// Whether there is nothing to do.
    pub(super) fn are_none(&self) -> bool {
        self.changed.is_empty() && self.gone.is_empty() && !self.has_settled && !self.cut_short
    }
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
/// How many files are looked at between two looks at the clock.
const FILES_PER_LOOK: usize = 256;

/// Compares the folder with the table.
pub(super) fn scan(source: &Source, table: &FileTable, limits: &Limits<'_>) -> Differences {
    let mut walk = Walk {
        kind: source.kind,
        table,
        now: limits.now,
        deadline: limits.deadline,
        seen: vec![false; table.len()],
        found: Differences::default(),
    };
    match &source.files {
        Some(files) => walk.listed(&source.root, files),
        None => walk.tree(&source.root),
    }
    walk.finish()
}

struct Walk<'a> {
    kind: Kind,
    table: &'a FileTable,
    now: Timestamp,
    deadline: Option<Instant>,
    seen: Vec<bool>,
    found: Differences,
}

/// The directories of the table by their paths, and which are in which.
struct Tree<'a> {
    by_path: HashMap<&'a str, usize>,
    below: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Tree<'a> {
    fn of(table: &'a FileTable) -> Self {
        let mut tree = Self { by_path: HashMap::new(), below: HashMap::new() };
        for (at, directory) in table.directories().iter().enumerate() {
            let path = directory.path.as_str();
            tree.by_path.insert(path, at);
            if !path.is_empty() {
                let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
                tree.below.entry(parent).or_default().push(path);
            }
        }
        tree
    }
}

impl Walk<'_> {
    fn tree(&mut self, root: &Utf8Path) {
        let Ok(root) = platform::open_directory(root.as_std_path()) else { return };
        let tree = Tree::of(self.table);
        let mut buffer = EntryBuffer::default();
        let mut pending = vec![(String::new(), 0)];
        while let Some((path, depth)) = pending.pop() {
            if self.is_late() {
                // What was known of it stays known.
                if let Some(at) = tree.by_path.get(path.as_str()) {
                    self.keep(*at);
                    let below = tree.below.get(path.as_str()).into_iter().flatten();
                    pending.extend(below.map(|below| ((*below).to_owned(), depth + 1)));
                }
                continue;
            }
            let name = if path.is_empty() { "." } else { path.as_str() };
            let opened = platform::open_directory_at(&root, name, false);
            let stamp = opened.as_ref().ok().and_then(|opened| platform::stat_open(opened).ok());
            let (Ok(directory), Some(stamp)) = (opened, stamp) else {
                // It may become readable without its parent showing it.
                let listing = Listing::Listed(Names::default());
                self.found.directories.push(SeenDirectory { path, version: 0, listing });
                continue;
            };
            let version = Stamp::of(&stamp.file).settled_version(self.now);
            let known = tree.by_path.get(path.as_str()).copied();
            let same = known.filter(|at| {
                let before = self.table.directories().get(*at).map_or(0, |directory| directory.version);
                version != 0 && before == version
            });
            let mut below = Vec::new();
            let listing = if let Some(at) = same {
                below
                    .extend(tree.below.get(path.as_str()).into_iter().flatten().map(|&path| path.to_owned()));
                self.known(&directory, &path, at);
                Listing::Known(at)
            } else {
                self.found.has_settled |= version != 0;
                let names = self.list(&directory, &path, &mut buffer, &mut below);
                self.listed_files(&directory, &path, &names, known);
                Listing::Listed(names)
            };
            self.found.directories.push(SeenDirectory { path, version, listing });
            if depth < MAX_DEPTH {
                pending.extend(below.into_iter().map(|path| (path, depth + 1)));
            }
        }
    }

    /// Looks at the files of a directory that has not changed.
    fn known(&mut self, directory: &Handle, path: &str, at: usize) {
        let table = self.table;
        let Some(known) = table.directories().get(at) else { return };
        for (place, entry, name) in table.files_in(known) {
            if self.is_late() {
                return self.keep_files(place..known.files.end);
            }
            self.look(directory, path, name, entry.key, Some(place));
        }
    }

    /// Looks at the files that were just listed.
    fn listed_files(&mut self, directory: &Handle, path: &str, names: &Names, known: Option<usize>) {
        let table = self.table;
        let places = known.and_then(|at| table.directories().get(at)).map(|known| table.places(known));
        for (key, name) in names.iter() {
            let place = places.as_ref().and_then(|places| places.get(&key)).copied();
            if self.is_late() {
                place.into_iter().for_each(|place| self.keep_files(place..place + 1));
            } else {
                self.look(directory, path, name, key, place);
            }
        }
    }

    /// The wanted names in a directory, and the paths of the directories below it.
    fn list(
        &mut self,
        directory: &Handle,
        path: &str,
        buffer: &mut EntryBuffer,
        below: &mut Vec<String>,
    ) -> Names {
        let prefix = if path.is_empty() { 0 } else { path_key(0, path) };
        let mut names = Names::default();
        platform::for_each_entry(directory, buffer, |file_name, kind, number| {
            let Some(name) = file_name.to_str().ok().filter(|name| !name.starts_with('.')) else { return };
            match kind {
                FileKind::Directory if self.kind.wants_directory(name) => below.push(joined(path, name)),
                FileKind::File if self.kind.wants_file(name) => {
                    names.push(file_name, path_key(prefix, name), number);
                }
                _ => {}
            }
        });
        names.sort();
        names
    }

    /// Files that were named one by one, all over the disk.
    fn listed(&mut self, root: &Utf8Path, files: &[Utf8PathBuf]) {
        let known = self.table.directories().first();
        let places = known.map(|known| self.table.places(known)).unwrap_or_default();
        let mut names = Names::default();
        for file in files {
            let Ok(name) = CString::new(file.as_str()) else { continue };
            let key = path_key(0, file.as_str());
            names.push(&name, key, 0);
            let Ok(stat) = platform::stat_path(root.join(file).as_std_path()) else { continue };
            if stat.kind == FileKind::File {
                let place = places.get(&key).copied();
                self.file(key, Stamp::of(&stat.file), place, || file.to_string());
            }
        }
        let listing = Listing::Listed(names);
        self.found.directories.push(SeenDirectory { path: String::new(), version: 0, listing });
    }

    fn look(&mut self, directory: &Handle, path: &str, name: &CStr, key: u64, known: Option<usize>) {
        let Ok(stat) = platform::stat_at(directory, name) else { return };
        if stat.kind == FileKind::File && self.found.files < MAX_FILES {
            let path = || joined(path, name.to_str().unwrap_or_default());
            self.file(key, Stamp::of(&stat.file), known, path);
        }
    }

    fn file(&mut self, key: u64, stamp: Stamp, known: Option<usize>, path: impl FnOnce() -> String) {
        self.found.files += 1;
        if let Some(seen) = known.and_then(|at| self.seen.get_mut(at)) {
            *seen = true;
        }
        let version = known.and_then(|at| self.table.entry(at)).map_or(0, |entry| entry.version);
        if version != stamp.version() {
            self.found.changed.push(ChangedFile { key, path: path(), stamp, known });
        }
    }

    fn is_late(&mut self) -> bool {
        if !self.found.cut_short && self.found.files.is_multiple_of(FILES_PER_LOOK) {
            self.found.cut_short = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        }
        self.found.cut_short
    }

    /// Takes a directory of the table as it was.
    fn keep(&mut self, at: usize) {
        let Some(directory) = self.table.directories().get(at) else { return };
        self.keep_files(directory.files.clone());
        let (path, version) = (directory.path.clone(), directory.version);
        self.found.directories.push(SeenDirectory { path, version, listing: Listing::Known(at) });
    }

    fn keep_files(&mut self, places: std::ops::Range<usize>) {
        self.found.files += places.len();
        self.seen.get_mut(places).into_iter().flatten().for_each(|seen| *seen = true);
    }

    fn finish(self) -> Differences {
        let Self { table, seen, mut found, .. } = self;
        let gone = seen.iter().enumerate().filter(|(_, seen)| !**seen);
        found.gone = gone.filter_map(|(at, _)| Some(table.entry(at)?.key)).collect();
        if found.cut_short {
            // What is below a directory that was just listed may not have been looked at.
            for seen in &mut found.directories {
                if matches!(seen.listing, Listing::Listed(_)) {
                    seen.version = 0;
                }
            }
        }
        let newest_first = |one: &ChangedFile, other: &ChangedFile| {
            other.stamp.modified.cmp(&one.stamp.modified).then_with(|| one.path.cmp(&other.path))
        };
        found.changed.sort_by(newest_first);
        found
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}

/// The key of a file below the root.
pub(super) fn key_of(path: &str) -> u64 {
    match path.rsplit_once('/') {
        Some((folder, name)) => path_key(path_key(0, folder), name),
        None => path_key(0, path),
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
