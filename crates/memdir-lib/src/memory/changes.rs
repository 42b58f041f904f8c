use std::collections::BTreeSet;

use jiff::Timestamp;
use memdir_core::memory::auto_index::IndexSource;
use memdir_core::memory::change::{self, FoundFile, Indexes, Replacement};
use memdir_core::memory::entrypoint::{ENTRYPOINT, Usage};
use memdir_core::memory::index::{Index, IndexEntry, OVERFLOW};
use memdir_core::memory::links::{LinkTargets, links};
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::memory::topic::validity::{self, Expiry, Validity, day};
use memdir_core::memory::topic::{NewTopic, client_slug, cues, decode, file_stem};
use memdir_core::plan::{Change, Plan};
use memdir_core::rel_path::RelPath;
use memdir_disk::file_table::{FileTable, RowKey};

use super::catalogue::{Target, timestamp};
use super::{Catalogue, Entry, Memory, MemoryError, entrypoint};

/// A memory that is to be added.
#[derive(Debug, Clone)]
pub struct NewMemory<'m> {
    /// What it is called; its file is named after it unless `path` says otherwise.
    pub name: &'m str,
    /// What it is about, in one line.
    pub description: &'m str,
    /// Its type.
    pub memory_type: &'m MemoryType,
    /// Its text.
    pub body: &'m str,
    /// Phrases that say when it will be needed.
    pub cues: &'m [String],
    /// What it replaces, whether it is pinned, when it ends.
    pub validity: &'m Validity,
    /// Where to put it, if not at `<name>.md`.
    pub path: Option<&'m str>,
    /// The session of the agent that adds it.
    pub session: Option<&'m str>,
}

/// The contents of the index's two files, as found.
pub(super) struct FoundIndexes {
    index: Option<Vec<u8>>,
    overflow: Option<Vec<u8>>,
    /// Where the index is nearly full: the files that it names, with the times when they were written.
    named: Vec<IndexSource>,
}

impl FoundIndexes {
    /// Takes over what a plan makes of the two files.
    pub(super) fn follow(&mut self, plan: &Plan) {
        for change in &plan.changes {
            let Change::Write { path, content, .. } = change else { continue };
            match path.as_str() {
                ENTRYPOINT => self.index = Some(content.0.clone()),
                OVERFLOW => self.overflow = Some(content.0.clone()),
                _ => {}
            }
        }
    }

    /// Whether there is an index.
    pub(super) fn is_there(&self) -> bool {
        self.index.is_some() || self.overflow.is_some()
    }

    /// Refuses a new memory whose name or file differs only in case from one in the same directory: some file systems
    /// keep one file for both, and neither people nor models could tell them apart.
    fn refuse_namesake(&self, name: &str, path: &RelPath) -> Result<(), MemoryError> {
        let parent = |path: &str| path.rsplit_once('/').map_or("", |(parent, _)| parent).to_lowercase();
        let (lower_path, lower_name) = (path.as_str().to_lowercase(), name.to_lowercase());
        for text in [&self.index, &self.overflow].into_iter().flatten() {
            let text = decode(text).0;
            let index = Index::parse(&text);
            let is_namesake = |(_, entry): &(_, &IndexEntry)| {
                let same_name = entry.title.to_lowercase() == lower_name && entry.title != name;
                entry.path != path.as_str()
                    && (entry.path.to_lowercase() == lower_path
                        || same_name && parent(&entry.path) == parent(path.as_str()))
            };
            if let Some((_, entry)) = index.entries().find(is_namesake) {
                return Err(MemoryError::Namesake { name: name.to_owned(), existing: entry.path.clone() });
            }
        }
        Ok(())
    }

    pub(super) fn with<'i>(&'i self, catalogue: Option<&Catalogue>) -> Indexes<'i> {
        Indexes {
            index: self.index.as_deref(),
            overflow: self.overflow.as_deref(),
            files: catalogue.map_or_else(|| self.named.clone(), Catalogue::index_sources),
        }
    }
}

impl Memory {
    /// Plans to add a memory and its line in the index.
    ///
    /// # Errors
    /// The name is taken, reserved, or cannot be that of a file.
    pub fn plan_add(&self, new: &NewMemory<'_>, now: Timestamp) -> Result<Plan, MemoryError> {
        let path = memory_path(&new.path.map_or_else(|| file_name(new.name), str::to_owned))?;
        let found = self.indexes()?;
        let catalogue = if found.index.is_none() { Some(self.catalogue()?) } else { None };
        let replaced = self.named(&new.validity.supersedes)?;
        let validity = Validity {
            supersedes: replaced.iter().map(|(path, content)| change::reference(path, content)).collect(),
            ..new.validity.clone()
        };
        let topic = NewTopic {
            name: new.name,
            description: new.description,
            memory_type: new.memory_type,
            body: new.body,
            cues: new.cues,
            validity: &validity,
            modified: now,
            origin_session: new.session,
        };
        let existing = self.read(&path)?;
        if existing.is_none() {
            found.refuse_namesake(new.name, &path)?;
        }
        let replaced: Vec<FoundFile<'_>> = replaced.iter().map(found_file).collect();
        let indexes = found.with(catalogue.as_ref());
        let mut plan = change::add(&topic, new.name, &path, existing.as_deref(), &replaced, &indexes)?;
        plan.warnings.extend(over(new.validity.expires.as_ref(), &path, now));
        Ok(plan)
    }

    /// Plans to change one field of a memory; `None` removes it. A number of days until it expires counts from now.
    ///
    /// # Errors
    /// The file is not UTF-8, or the field cannot be changed without touching something else.
    pub fn plan_set(
        &self,
        entry: &Entry,
        key: &str,
        value: Option<&str>,
        now: Timestamp,
    ) -> Result<Plan, MemoryError> {
        if key == validity::SUPERSEDES {
            return self.plan_supersede(entry, &cues::split(value.unwrap_or_default()), now);
        }
        let (end, value) = match value {
            Some(text) if key == validity::EXPIRES => {
                let end = Expiry::parse_wish(text)?.map(|end| end.fixed(now));
                (end.clone(), end.map(|end| end.to_string()))
            }
            _ => (None, value.map(str::to_owned)),
        };
        let content = self.content(&entry.path)?;
        let found = self.indexes()?;
        let file = FoundFile { path: &entry.path, content: &content };
        let mut plan = change::set(file, key, value.as_deref(), &found.with(None))?;
        plan.warnings.extend(over(end.as_ref(), &entry.path, now));
        Ok(plan)
    }

    /// Plans what a memory replaces: exactly the named ones. They say so from this day on, and leave the index.
    ///
    /// # Errors
    /// One of them does not exist, or replaces this memory itself.
    pub fn plan_supersede(
        &self,
        entry: &Entry,
        names: &[String],
        now: Timestamp,
    ) -> Result<Plan, MemoryError> {
        let content = self.content(&entry.path)?;
        let own = change::reference(&entry.path, &content);
        let replaced = self.named(names)?;
        let before = Validity::of(&decode(&content).0).supersedes;
        let mut released = Vec::new();
        for entry in before.iter().filter_map(|name| self.find(name).ok()) {
            let old = self.content(&entry.path)?;
            let by = Validity::of(&decode(&old).0).superseded_by;
            if by.as_deref() == Some(own.as_str()) && replaced.iter().all(|(path, _)| *path != entry.path) {
                released.push((entry.path, old));
            }
        }
        let [replaced, released] =
            [&replaced, &released].map(|files| files.iter().map(found_file).collect::<Vec<_>>());
        let replacement = Replacement { on: day(now), replaced: &replaced, released: &released };
        let file = FoundFile { path: &entry.path, content: &content };
        Ok(change::set_supersedes(file, &replacement, &self.indexes()?.with(None))?)
    }

    /// The files of memories by their names.
    fn named(&self, names: &[String]) -> Result<Vec<(RelPath, Vec<u8>)>, MemoryError> {
        let files = names.iter().map(|name| {
            let path = self.find(name)?.path;
            let content = self.content(&path)?;
            Ok((path, content))
        });
        files.collect()
    }

    /// Plans to give a file another content, decided on the one given as `before`.
    ///
    /// # Errors
    /// The index is not UTF-8.
    pub fn plan_replace(&self, path: &RelPath, before: &[u8], after: &str) -> Result<Plan, MemoryError> {
        let found = self.indexes()?;
        let file = FoundFile { path, content: before };
        Ok(change::replace(file, after, format!("edit {path}"), &found.with(None))?)
    }

    /// Plans to remove a memory and its lines in the index.
    ///
    /// # Errors
    /// The index is not UTF-8, or a file cannot be read.
    pub fn plan_remove(&self, entry: &Entry) -> Result<Plan, MemoryError> {
        let content = self.content(&entry.path)?;
        let linked_from = self.linked_from(entry)?;
        let found = self.indexes()?;
        // Without an index one is made from all files.
        let catalogue = if found.index.is_none() { Some(self.catalogue()?) } else { None };
        Ok(change::remove(
            FoundFile { path: &entry.path, content: &content },
            &linked_from.iter().collect::<Vec<_>>(),
            &found.with(catalogue.as_ref()),
        )?)
    }

    /// Plans to give a memory another path; links and index follow.
    ///
    /// # Errors
    /// The new name is taken, reserved, or cannot be that of a file.
    pub fn plan_rename(
        &self,
        entry: &Entry,
        new_name: &str,
        catalogue: &Catalogue,
    ) -> Result<Plan, MemoryError> {
        catalogue.complete(self)?;
        let new_path = memory_path(&file_name(new_name))?;
        let content = self.content(&entry.path)?;
        let linking = self.linking_to(entry, catalogue)?;
        let linking: Vec<FoundFile<'_>> =
            linking.iter().map(|(path, content)| FoundFile { path, content }).collect();
        let taken = self.read(&new_path)?.is_some();
        let found = self.indexes()?;
        let file = FoundFile { path: &entry.path, content: &content };
        Ok(change::rename(file, &new_path, taken, &linking, &found.with(Some(catalogue)))?)
    }

    /// Plans to link one memory to another.
    ///
    /// # Errors
    /// The file is not UTF-8.
    pub fn plan_link(&self, from: &Entry, to: &Entry) -> Result<Plan, MemoryError> {
        let content = self.content(&from.path)?;
        // A name that is not a plain slug could break out of the brackets, or would not lead back.
        let name = to.name.as_deref().filter(|name| !name.is_empty() && client_slug(name) == **name);
        let stem = to.path.as_path().file_stem().unwrap_or_default();
        Ok(change::link(FoundFile { path: &from.path, content: &content }, name.unwrap_or(stem))?)
    }

    /// Plans to rebuild the index from the files.
    ///
    /// # Errors
    /// The index is not UTF-8.
    pub fn plan_reindex(&self, catalogue: &Catalogue) -> Result<Plan, MemoryError> {
        let found = self.indexes()?;
        catalogue.complete(self)?;
        let unread: Vec<&str> = catalogue.left_out.iter().map(|left_out| left_out.path.as_str()).collect();
        Ok(change::reindex(&found.with(Some(catalogue)), catalogue.index_sources(), &unread)?)
    }

    /// The memories that link to one, as the table of the store knows it; without it all files are read.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn linked_from(&self, entry: &Entry) -> Result<Vec<RelPath>, MemoryError> {
        if let Some(table) = self.table().filter(|table| self.has_same_files(table)) {
            return Ok(linked_from_in(&table, entry));
        }
        let linking = self.linking_to(entry, &self.catalogue()?)?;
        Ok(linking.into_iter().map(|(path, _)| path).collect())
    }

    /// The paths of memories that link to one, with their contents.
    fn linking_to(
        &self,
        entry: &Entry,
        catalogue: &Catalogue,
    ) -> Result<Vec<(RelPath, Vec<u8>)>, MemoryError> {
        let names = catalogue.entries.iter().map(|entry| (entry.name.as_deref(), entry.path.as_str()));
        let targets = LinkTargets::new(names);
        let Some(wanted) = catalogue.entries.iter().position(|other| other.path == entry.path) else {
            return Ok(Vec::new());
        };
        let mut linking = Vec::new();
        for other in catalogue.entries.iter().filter(|other| other.path != entry.path) {
            let Some(content) = self.read(&other.path)? else { continue };
            let text = decode(&content).0;
            if links(&text).iter().any(|link| targets.resolve(&link.target).contains(&wanted)) {
                linking.push((other.path.clone(), content));
            }
        }
        Ok(linking)
    }

    pub(super) fn indexes(&self) -> Result<FoundIndexes, MemoryError> {
        let index = self.read(&entrypoint()?)?;
        let named = index.as_deref().map(|index| self.named_in_full(index)).unwrap_or_default();
        Ok(FoundIndexes { index, overflow: self.read(&RelPath::parse(OVERFLOW)?)?, named })
    }

    /// The files that a nearly full index names. An index with room needs no ages.
    fn named_in_full(&self, index: &[u8]) -> Vec<IndexSource> {
        let text = decode(index).0;
        let (true, Some(root)) = (Usage::of(&text).is_near(), &self.root) else { return Vec::new() };
        let parsed = Index::parse(&text);
        let paths = parsed.entries().filter_map(|(_, entry)| RelPath::parse(&entry.path).ok());
        let known = paths.filter_map(|path| {
            let stat = root.stat(&path).ok().flatten()?;
            let modified = timestamp(stat.modified);
            Some(IndexSource { path: path.to_string(), description: None, modified })
        });
        known.collect()
    }

    pub(super) fn content(&self, path: &RelPath) -> Result<Vec<u8>, MemoryError> {
        self.read(path)?.ok_or_else(|| MemoryError::NotFound {
            name: path.to_string(),
            directory: self.directory().to_owned(),
            nearest: None,
        })
    }
}

fn found_file((path, content): &(RelPath, Vec<u8>)) -> FoundFile<'_> {
    FoundFile { path, content }
}

/// The memories whose links lead to one, by the table of the store.
fn linked_from_in(table: &FileTable, entry: &Entry) -> Vec<RelPath> {
    let path = entry.path.as_str();
    let stem = entry.path.as_path().file_stem().unwrap_or_default();
    let slug = entry.name.as_deref().map(client_slug).unwrap_or_default();
    let ways = [
        RowKey::Link(entry.name.as_deref().unwrap_or_default()),
        RowKey::Link(stem),
        RowKey::Link(path),
        RowKey::Link(path.strip_suffix(".md").unwrap_or(path)),
        RowKey::LinkSlug(&slug),
    ];
    let candidates = ways.into_iter().filter(|way| !matches!(way, RowKey::Link("") | RowKey::LinkSlug("")));
    let leads_here = |target: &String| {
        let target = Target::of(target);
        let means = target.keys().map(|key| table.rows_with(key)).find(|rows| !rows.is_empty());
        means.unwrap_or_default().iter().any(|row| row.path == path)
    };
    let rows = candidates.flat_map(|way| table.rows_with(way));
    let linking = rows.filter(|row| row.path != path && row.header.links.iter().any(leads_here));
    let paths: BTreeSet<String> = linking.map(|row| row.path).collect();
    paths.iter().filter_map(|path| RelPath::parse(path).ok()).collect()
}

/// The file of a memory with that name, in letters that every file system and every keyboard has. A name that ends in
/// `.md` is taken as the path.
pub(super) fn file_name(name: &str) -> String {
    if name.ends_with(".md") { name.to_owned() } else { format!("{}.md", file_stem(name)) }
}

/// A path at which a memory may be: a visible Markdown file.
fn memory_path(name: &str) -> Result<RelPath, MemoryError> {
    let refuse = |rule| MemoryError::Name {
        name: name.to_owned(),
        refused: memdir_core::rel_path::PathRefused { rule },
    };
    let path =
        RelPath::parse(name).map_err(|refused| MemoryError::Name { name: name.to_owned(), refused })?;
    if !path.is_markdown() {
        return Err(refuse("a memory is a file that ends in `.md`"));
    }
    if path.as_str().split('/').any(|component| component.starts_with('.')) {
        return Err(refuse("a memory's file name cannot start with a dot"));
    }
    Ok(path)
}

/// What to say of an end that is over already.
fn over(end: Option<&Expiry>, path: &RelPath, now: Timestamp) -> Option<String> {
    let last = end?.last_day(now).filter(|last| *last < day(now))?;
    Some(format!("`{path}` counts until {last}, which is over: recall leaves it out"))
}
