use std::collections::HashMap;

use jiff::Timestamp;
use memdir_core::memory::auto_index::{ARCHIVE, IndexSource, is_indexed};
use memdir_core::memory::links::LinkTargets;
use memdir_core::memory::manifest::{HEAD_BYTES, ManifestEntry, client_description};
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::memory::problem::Problem;
use memdir_core::memory::topic::client_slug;
use memdir_core::memory::topic::validity::Validity;
use memdir_core::rel_path::RelPath;
use memdir_disk::file_table::{FileHeader, FileRow, FileStamp, FileTable, Limit, RowKey, is_index_file};
use memdir_disk::list_files::{LeftOut, Listing};
use memdir_disk::memory_root::FileStat;

use super::{MAX_FILE_BYTES, Memory, MemoryError};

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
    /// Where it is.
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
    /// How long and where it counts.
    pub validity: Validity,
    /// What the client would write about it into an index.
    indexed_as: Option<String>,
}

impl Entry {
    /// Whether the file is larger than what is read.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        self.bytes > MAX_FILE_BYTES
    }

    /// What the first bytes of a file say.
    fn read(path: RelPath, head: &[u8], stat: &FileStat) -> Self {
        let modified = timestamp(stat.modified);
        let whole = stat.size <= head.len() as u64;
        let header = ManifestEntry::from_head(path.as_str(), head, whole, modified);
        Self {
            indexed_as: client_description(&String::from_utf8_lossy(head)),
            path,
            name: header.name,
            description: header.description,
            memory_type: header.memory_type,
            modified,
            bytes: stat.size,
            problems: header.problems,
            validity: header.validity,
        }
    }

    /// What the table says about a file that did not change since.
    fn known(path: RelPath, header: FileHeader, stat: &FileStat) -> Self {
        Self {
            path,
            name: header.name,
            description: header.description,
            memory_type: header.memory_type,
            modified: timestamp(stat.modified),
            bytes: stat.size,
            problems: Vec::new(),
            validity: header.validity,
            indexed_as: header.indexed_as,
        }
    }

    /// Whether it is in the archive.
    #[must_use]
    pub fn is_archived(&self) -> bool {
        self.path.as_str().split('/').next() == Some(ARCHIVE)
    }

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
        let Some(rows) = self.table().and_then(|table| table.rows()) else {
            return Ok(Self::read_all(root.list_files(HEAD_BYTES)?));
        };
        let mut rows: HashMap<String, FileRow> =
            rows.into_iter().map(|row| (row.path.clone(), row)).collect();
        let mut listing = root.list_files(0)?;
        let mut entries = Vec::with_capacity(listing.files.len());
        for file in listing.files.iter().filter(|file| !is_index_file(file.path.as_str())) {
            let row = rows.remove(file.path.as_str());
            let is_as_seen =
                |row: &FileRow| !row.header.has_problems && row.stamp == Some(FileStamp::of(&file.stat));
            match row.filter(is_as_seen) {
                Some(row) => entries.push(Entry::known(file.path.clone(), row.header, &file.stat)),
                None => match root.read_head(&file.path, HEAD_BYTES) {
                    Ok(Some((head, stat))) => entries.push(Entry::read(file.path.clone(), &head, &stat)),
                    Ok(None) => {}
                    Err(_) => listing.left_out.push(LeftOut {
                        path: file.path.to_string(),
                        rule: "cannot be read",
                        failed: true,
                    }),
                },
            }
        }
        sort(&mut entries);
        Ok(Catalogue { entries, left_out: listing.left_out })
    }

    /// Finds a memory by its name, its file's stem or its path, without looking at the others if the table of the
    /// store knows it. What the table says is checked against the file itself; if files came or went since the table
    /// was written, all of them are looked at.
    ///
    /// # Errors
    /// Nothing has that name, or more than one has.
    pub fn find(&self, name: &str) -> Result<Entry, MemoryError> {
        match self.find_known(name)? {
            Some(entry) => Ok(entry),
            None => self.catalogue()?.find(name, self).cloned(),
        }
    }

    fn find_known(&self, name: &str) -> Result<Option<Entry>, MemoryError> {
        if let Ok(path) = RelPath::parse(name)
            && path.as_str() == name
            && let Some(entry) = self.entry_at(&path)?
        {
            return Ok(Some(entry));
        }
        let Some(table) = self.table().filter(|table| self.has_same_files(table)) else { return Ok(None) };
        let target = Target::of(name);
        for key in target.keys() {
            let rows = table.rows_with(key);
            let [row] = rows.as_slice() else {
                // Several have it: the caller that reports it names all of them.
                if rows.is_empty() { continue } else { return Ok(None) }
            };
            let path = RelPath::parse(&row.path)?;
            let still_has_it = |entry: &Entry| match key {
                RowKey::Name(name) => entry.name.as_deref() == Some(name),
                RowKey::Slug(slug) => entry.name.as_deref().is_some_and(|name| client_slug(name) == slug),
                _ => true,
            };
            return Ok(self.entry_at(&path)?.filter(still_has_it));
        }
        Ok(None)
    }

    /// The memory at a path, read from its file; `None` if none can be listed there.
    fn entry_at(&self, path: &RelPath) -> Result<Option<Entry>, MemoryError> {
        let is_hidden = path.as_str().split('/').any(|component| component.starts_with('.'));
        let Some(root) =
            self.root.as_ref().filter(|_| path.is_markdown() && !is_hidden && !is_index_file(path.as_str()))
        else {
            return Ok(None);
        };
        // What cannot be read is named by the command that lists everything.
        let read = root.read_head(path, HEAD_BYTES).unwrap_or_default();
        Ok(read.map(|(head, stat)| Entry::read(path.clone(), &head, &stat)))
    }

    /// The memories that have a limit, without looking at the others if the store has a table.
    ///
    /// # Errors
    /// A path or the directory cannot be read.
    pub fn limited(&self, limit: Limit) -> Result<Vec<Entry>, MemoryError> {
        let mut entries = Vec::new();
        let Some(table) = self.table() else {
            entries = self.catalogue()?.entries;
            entries.retain(|entry| limit.is_of(&entry.validity));
            return Ok(entries);
        };
        for row in table.rows_with(RowKey::Limited(limit)) {
            // The file itself says whether that is still so.
            let entry = self.entry_at(&RelPath::parse(&row.path)?)?;
            entries.extend(entry.filter(|entry| limit.is_of(&entry.validity)));
        }
        sort(&mut entries);
        Ok(entries)
    }

    /// The table of this store; `None` if there is none yet.
    pub(super) fn table(&self) -> Option<FileTable> {
        let (state_dir, store) = self.state_and_store()?;
        FileTable::open(state_dir, store)
    }

    /// Whether no file came or went since the table was written, by the times of the directories.
    pub(super) fn has_same_files(&self, table: &FileTable) -> bool {
        self.root.as_ref().is_some_and(|root| {
            table.directories().all(|(path, at)| at.is_some() && at == root.directory_time(path))
        })
    }

    fn read_all(listing: Listing) -> Catalogue {
        let files = listing.files.into_iter().filter(|file| !is_index_file(file.path.as_str()));
        let mut entries: Vec<Entry> =
            files.map(|file| Entry::read(file.path, &file.head, &file.stat)).collect();
        sort(&mut entries);
        Catalogue { entries, left_out: listing.left_out }
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

/// A file that is larger is not a memory, and has no head that anybody would look at.
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
                Err(MemoryError::NotFound {
                    name: name.to_owned(),
                    directory: memory.directory().to_owned(),
                    nearest: self.nearest(name),
                })
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

    /// The name that was probably meant: one that contains the word, or is only a slip of the fingers away.
    fn nearest(&self, name: &str) -> Option<String> {
        let wanted = name.trim_end_matches(".md").to_lowercase();
        let length = wanted.chars().count();
        let titles = self.entries.iter().map(Entry::title);
        let rated = titles.filter_map(|title| {
            let lower = title.to_lowercase();
            let distance = strsim::damerau_levenshtein(&wanted, &lower);
            let is_part =
                length >= 3 && (lower.contains(&wanted) || wanted.contains(&lower) && lower.len() > 3);
            let rating = if is_part { 1 } else { distance };
            (is_part || distance <= 1 + length / 4).then_some((rating, title))
        });
        rated.min().map(|(_, title)| title.to_owned())
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
        let indexed = self
            .entries
            .iter()
            .filter(|entry| is_indexed(entry.path.as_str()) && entry.validity.is_indexed());
        indexed
            .map(|entry| IndexSource {
                path: entry.path.to_string(),
                description: entry.indexed_as.clone(),
                modified: entry.modified,
            })
            .collect()
    }
}

/// The keys by which a name or a link finds a memory, in the order of [`LinkTargets::resolve`].
pub(super) struct Target<'t> {
    name: &'t str,
    with_extension: String,
    slug: String,
}

impl<'t> Target<'t> {
    pub(super) fn of(name: &'t str) -> Self {
        Self { name, with_extension: format!("{name}.md"), slug: client_slug(name) }
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = RowKey<'_>> {
        let keys = [
            RowKey::Name(self.name),
            RowKey::Stem(self.name),
            RowKey::Path(self.name),
            RowKey::Path(&self.with_extension),
            RowKey::Slug(&self.slug),
        ];
        keys.into_iter().filter(|key| !matches!(key, RowKey::Name("") | RowKey::Slug("")))
    }
}

fn sort(entries: &mut [Entry]) {
    entries.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.path.cmp(&b.path)));
}

pub(super) fn timestamp(nanoseconds: i128) -> Timestamp {
    Timestamp::from_nanosecond(nanoseconds).unwrap_or(Timestamp::UNIX_EPOCH)
}
