use jiff::Timestamp;
use memdir_core::memory::auto_index::{IndexSource, is_indexed};
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::index::OVERFLOW;
use memdir_core::memory::links::LinkTargets;
use memdir_core::memory::manifest::{HEAD_BYTES, ManifestEntry, client_description};
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::memory::problem::Problem;
use memdir_core::rel_path::RelPath;
use memdir_disk::list_files::LeftOut;

use super::{Memory, MemoryError};

/// Every memory of a directory by its header: newest first.
#[derive(Debug, Default)]
pub struct Catalogue {
    /// The memories.
    pub entries: Vec<Entry>,
    /// What is in the directory and cannot be a memory.
    pub left_out: Vec<LeftOut>,
}

/// One memory, known by its header.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Where it lies.
    pub path: RelPath,
    /// Its name, if its header has one.
    pub name: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// Its type, if its header has one.
    pub memory_type: Option<MemoryType>,
    /// When the file last changed.
    pub modified: Timestamp,
    /// Its size.
    pub bytes: u64,
    /// What is wrong with its header.
    pub problems: Vec<Problem>,
    /// What the client would write about it into an index.
    indexed_as: Option<String>,
}

impl Entry {
    /// What people call it: its name, or its file's stem.
    #[must_use]
    pub fn title(&self) -> &str {
        let stem = self.path.as_path().file_stem().unwrap_or_default();
        self.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(stem)
    }
}

impl Memory {
    /// Lists every memory by its header. Reads the first bytes of each file and nothing else.
    ///
    /// # Errors
    /// The directory cannot be listed.
    pub fn catalogue(&self) -> Result<Catalogue, MemoryError> {
        let Some(root) = &self.root else { return Ok(Catalogue::default()) };
        let listing = root.list_files(HEAD_BYTES)?;
        let files = listing.files.into_iter().filter(|file| !is_index(&file.path));
        let mut entries: Vec<Entry> = files
            .map(|file| {
                let modified = timestamp(file.stat.modified);
                let whole = file.stat.size <= file.head.len() as u64;
                let header = ManifestEntry::from_head(file.path.as_str(), &file.head, whole, modified);
                Entry {
                    indexed_as: client_description(&String::from_utf8_lossy(&file.head)),
                    path: file.path,
                    name: header.name,
                    description: header.description,
                    memory_type: header.memory_type,
                    modified,
                    bytes: file.stat.size,
                    problems: header.problems,
                }
            })
            .collect();
        entries.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.path.cmp(&b.path)));
        Ok(Catalogue { entries, left_out: listing.left_out })
    }

    /// What one file says about itself, as [`Memory::catalogue`] has it for all; `None` if it is not there.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn header(&self, path: &RelPath) -> Result<Option<ManifestEntry>, MemoryError> {
        let Some(root) = &self.root else { return Ok(None) };
        let Some((content, stat)) = root.read_with_stat(path, MAX_HEADED_BYTES)? else { return Ok(None) };
        let head = content.get(..HEAD_BYTES).unwrap_or(&content);
        let whole = head.len() == content.len();
        let modified = timestamp(stat.modified);
        Ok(Some(ManifestEntry::from_head(path.as_str(), head, whole, modified)))
    }
}

/// A file that is larger is no memory, and has no head that anybody would look at.
const MAX_HEADED_BYTES: u64 = 16 << 20;

impl Catalogue {
    /// Finds a memory by its name, its file's stem or its path.
    ///
    /// # Errors
    /// Nothing has that name, or more than one has.
    pub fn find(&self, name: &str, memory: &Memory) -> Result<&Entry, MemoryError> {
        let by_path = |path: &str| self.entries.iter().find(|entry| entry.path.as_str() == path);
        if let Some(entry) = by_path(name) {
            return Ok(entry);
        }
        let targets =
            LinkTargets::new(self.entries.iter().map(|entry| (entry.name.as_deref(), entry.path.as_str())));
        match targets.resolve(name) {
            [] => {
                let is_meant =
                    |left_out: &&LeftOut| left_out.path == name || left_out.path == format!("{name}.md");
                if let Some(left_out) = self.left_out.iter().find(is_meant) {
                    return Err(MemoryError::LeftOut {
                        path: memory.directory().join(&left_out.path),
                        rule: left_out.rule,
                    });
                }
                Err(MemoryError::NotFound { name: name.to_owned(), directory: memory.directory().to_owned() })
            }
            [one] => Ok(&self.entries[*one]),
            many => {
                let mut candidates: Vec<String> =
                    many.iter().map(|place| self.entries[*place].path.to_string()).collect();
                candidates.sort();
                Err(MemoryError::Ambiguous { name: name.to_owned(), candidates })
            }
        }
    }

    /// Refuses a catalogue that may lack a memory: what must follow in every file cannot be done in some of them.
    ///
    /// # Errors
    /// The first file or directory that the system did not let us read.
    pub(super) fn complete(&self, memory: &Memory) -> Result<(), MemoryError> {
        match self.left_out.iter().find(|left_out| left_out.failed) {
            Some(missed) => {
                Err(MemoryError::LeftOut { path: memory.directory().join(&missed.path), rule: missed.rule })
            }
            None => Ok(()),
        }
    }

    /// What an index is made from.
    #[must_use]
    pub fn index_sources(&self) -> Vec<IndexSource> {
        let indexed = self.entries.iter().filter(|entry| is_indexed(entry.path.as_str()));
        indexed
            .map(|entry| IndexSource {
                path: entry.path.to_string(),
                description: entry.indexed_as.clone(),
                modified: entry.modified,
            })
            .collect()
    }
}

/// Whether a file is the index or its overflow, of this directory or of one below it.
fn is_index(path: &RelPath) -> bool {
    path.file_name() == ENTRYPOINT || path.as_str() == OVERFLOW
}

pub(super) fn timestamp(nanoseconds: i128) -> Timestamp {
    Timestamp::from_nanosecond(nanoseconds).unwrap_or(Timestamp::UNIX_EPOCH)
}
