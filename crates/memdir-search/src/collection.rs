//! One folder and its index: opened for reading by anybody, brought up to date by one process at a time.

use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_disk::cache_dir::CacheDir;

use crate::error::SearchError;
use crate::segment::{Segment, checksum};
use manifest::{Manifest, SegmentInfo};

mod file_table;
mod listing;
mod live;
mod manifest;
mod read_file;
mod refresh;
mod refresh_file;
mod scan;
mod source;
mod stamp;
#[cfg(test)]
mod tests;

pub(crate) use live::Live;
pub(crate) use read_file::open_file;
pub use source::{Kind, Scope, Source};

/// A folder that can be searched.
pub struct Collection {
    source: Source,
    cache: CacheDir,
    manifest: Manifest,
    segments: Vec<Live>,
}

/// How far bringing an index up to date may go.
pub struct Limits<'a> {
    /// What the caller takes as now.
    pub now: Timestamp,
    /// When to stop and leave the rest for the next time.
    pub deadline: Option<Instant>,
    /// Told how many of how many files have been read.
    pub progress: &'a mut dyn FnMut(usize, usize),
}

/// What bringing an index up to date came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Freshness {
    /// How many files there are.
    pub files: usize,
    /// How many of them were read this time.
    pub read: usize,
    /// How many have changed and were not read yet: what is found is partial.
    pub waiting: usize,
}

/// How often a reader tries again when a writer has just replaced what it was about to open.
const ATTEMPTS: usize = 8;

impl Collection {
    /// Opens the index of a folder as it is, below the folder `cache` in which all indexes are.
    ///
    /// Whatever is damaged or missing reads as empty; [`Collection::refresh`] brings it back.
    #[must_use]
    pub fn open(cache: &Utf8Path, source: Source) -> Self {
        let cache = CacheDir::new(cache.join(source.folder_name()));
        let mut collection =
            Self { manifest: Manifest::new(&source.root), source, cache, segments: Vec::new() };
        if collection.reopen().is_err() {
            collection.forget();
        }
        collection
    }

    /// What is indexed.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Whether every file was indexed when the index was last written.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.manifest.complete
    }

    /// Whether the folder has ever been looked at.
    #[must_use]
    pub fn is_indexed(&self) -> bool {
        !self.manifest.table.is_empty()
    }

    /// How many files are indexed.
    #[must_use]
    pub fn files(&self) -> usize {
        let of = |live: &Live| live.segment.groups().saturating_sub(live.dead().map_or(0, <[u32]>::len));
        self.segments.iter().map(of).sum()
    }

    /// Where the index is.
    #[must_use]
    pub fn cache_folder(&self) -> &Utf8Path {
        self.cache.path()
    }

    pub(crate) fn live(&self) -> &[Live] {
        &self.segments
    }

    /// The absolute path of a file of the collection.
    pub(crate) fn path_of(&self, path: &str) -> Utf8PathBuf {
        self.source.root.join(path)
    }

    /// Changes with whatever is indexed.
    pub(crate) fn index_version(&self) -> u32 {
        checksum(&self.manifest.encode())
    }

    /// The memories that are indexed, below the root, without indexes and daily logs.
    pub(crate) fn memory_paths(&self) -> Result<Vec<String>, SearchError> {
        let mut paths = Vec::new();
        for live in &self.segments {
            let dead = live.dead()?;
            for group in (0..).take(live.segment.groups()) {
                if dead.binary_search(&group).is_err() {
                    paths.push(live.segment.group(group)?.path);
                }
            }
        }
        paths.retain(|path| self.is_memory(path));
        Ok(paths)
    }

    /// Whether recall may bring this file.
    pub(crate) fn is_memory(&self, path: &str) -> bool {
        let scope = self.source.scope_of(path);
        let is_index = path.ends_with("MEMORY.md");
        !is_index && matches!(scope, Scope::Memories | Scope::Team | Scope::Agents | Scope::Folder)
    }

    /// Treats the index as if there were none.
    fn forget(&mut self) {
        self.manifest = Manifest::new(&self.source.root);
        self.segments.clear();
    }

    /// Takes over what is on disk now. Returns whether that differs from what was known.
    fn reopen(&mut self) -> Result<bool, SearchError> {
        let mut last = Ok(false);
        for _ in 0..ATTEMPTS {
            let manifest =
                Manifest::load(self.cache.path())?.unwrap_or_else(|| Manifest::new(&self.source.root));
            if manifest == self.manifest && self.segments.len() == manifest.segments.len() {
                return Ok(false);
            }
            match self.open_segments(&manifest) {
                Ok(segments) => {
                    self.manifest = manifest;
                    self.segments = segments;
                    return Ok(true);
                }
                // A writer may have replaced a segment since the manifest was read.
                Err(error) => last = Err(error),
            }
        }
        last
    }

    fn open_segments(&self, manifest: &Manifest) -> Result<Vec<Live>, SearchError> {
        let open = |info: &SegmentInfo| {
            let segment = Segment::open(&self.cache.path().join(&info.name))?;
            Ok(Live::opened(segment, info))
        };
        manifest.segments.iter().map(open).collect()
    }
}
