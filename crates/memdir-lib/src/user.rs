//! The user's profile: `user/` in the client's configuration directory.

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::env::Env;
use memdir_core::operation::Author;
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::{PathRefused, RelPath};
use memdir_core::user::{
    BadExport, Category, Export, Item, MAX_BYTES, NewItem, ProfileFile, ProfileRefused, RenderedProfile,
    Topic, add, confirm, merge_in, remove, remove_topic, render, replace, usable_texts,
};

use crate::memory::{Extent, Log, Memory, MemoryError};
use crate::workspace::Made;

/// The user's profile, which need not exist yet: looking never creates it.
#[derive(Debug)]
pub struct Profile {
    memory: Memory,
}

/// Why the profile could not be read or changed. Whatever it is, nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// A file cannot be changed as it is, or the change makes no sense.
    #[error("cannot change `{path}`: {refused}")]
    Refused {
        /// The file.
        path: Utf8PathBuf,
        /// Why.
        refused: ProfileRefused,
    },
    /// The file to import is not an export.
    #[error("nothing is imported: {0}")]
    Import(#[from] BadExport),
    /// Reading or writing failed, or a rule of the user's forbids it.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

impl From<PathRefused> for ProfileError {
    fn from(refused: PathRefused) -> Self {
        Self::Memory(refused.into())
    }
}

/// One change of the profile.
#[derive(Debug, Clone)]
pub enum ProfileEdit<'a> {
    /// Write something down.
    Add(Category, NewItem<'a>),
    /// Put another text in the place of an item's.
    Replace {
        /// The item.
        item: &'a Item,
        /// The new text.
        text: &'a str,
        /// When.
        now: Timestamp,
    },
    /// The user said yes.
    Confirm(&'a [Item]),
    /// Take items out.
    Forget(&'a [Item]),
    /// Write a whole file, made from a known state: the user edited it.
    Put {
        /// Which file.
        category: Category,
        /// What it was.
        before: Option<&'a [u8]>,
        /// What it shall be.
        after: &'a str,
    },
    /// Merge an export.
    Import(&'a Export),
}

/// A file of the profile as it is.
#[derive(Debug, Clone)]
pub struct StoredFile {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What it says.
    pub file: ProfileFile,
}

impl Profile {
    /// Opens the profile that belongs to the user's configuration directory.
    ///
    /// # Errors
    /// There is no home directory, or the client's settings cannot be read.
    pub fn open(env: &Env) -> Result<Self, ProfileError> {
        Ok(Self { memory: Memory::beside(Extent::Profile, env)? })
    }

    /// Its directory.
    #[must_use]
    pub fn directory(&self) -> &Utf8Path {
        self.memory.directory()
    }

    /// The path of one of its files.
    #[must_use]
    pub fn path(&self, category: Category) -> Utf8PathBuf {
        self.directory().join(category.file())
    }

    /// One file; `None` if there is none.
    ///
    /// # Errors
    /// It is a link or too large, or the system fails.
    pub fn file(&self, category: Category) -> Result<Option<StoredFile>, ProfileError> {
        let bytes = read(&self.memory, category)?;
        Ok(bytes.map(|bytes| StoredFile { file: ProfileFile::from_bytes(category, &bytes), bytes }))
    }

    /// Every file that there is.
    ///
    /// # Errors
    /// As [`Profile::file`].
    pub fn files(&self) -> Result<Vec<StoredFile>, ProfileError> {
        let mut files = Vec::new();
        for category in Category::ALL {
            files.extend(self.file(category)?);
        }
        Ok(files)
    }

    /// The items that are about a topic, of one category or of all.
    ///
    /// # Errors
    /// As [`Profile::file`].
    pub fn find(&self, topic: &Topic, category: Option<Category>) -> Result<Vec<Item>, ProfileError> {
        let files = self.files()?.into_iter();
        let files = files.filter(|stored| category.is_none_or(|category| stored.file.category == category));
        Ok(files.flat_map(|stored| stored.file.items).filter(|item| topic.is_of(item)).collect())
    }

    /// What agents may use, file by file, most useful first, and when each was last added to. A file that cannot be
    /// read is left out.
    #[must_use]
    pub fn usable_texts(&self) -> Vec<(Utf8PathBuf, String, Option<Timestamp>)> {
        let files: Vec<(Category, String)> = Category::ALL
            .into_iter()
            .filter_map(|category| {
                let bytes = read(&self.memory, category).ok().flatten()?;
                Some((category, String::from_utf8_lossy(&bytes).into_owned()))
            })
            .collect();
        let files: Vec<(Category, &str)> =
            files.iter().map(|(category, text)| (*category, text.as_str())).collect();
        let time = |date: jiff::civil::Date| date.to_zoned(jiff::tz::TimeZone::UTC).ok();
        let told = usable_texts(&files).into_iter().map(|(category, text, newest)| {
            (self.path(category), text, newest.and_then(time).map(|time| time.timestamp()))
        });
        told.collect()
    }

    /// What agents may use, within a budget of tokens. A file that cannot be read is left out.
    #[must_use]
    pub fn render(&self, budget: usize, now: Timestamp) -> RenderedProfile {
        let authors = self.memory.last_authors();
        let readable = Category::ALL.into_iter().filter_map(|category| {
            let bytes = read(&self.memory, category).ok().flatten()?;
            let written = std::fs::symlink_metadata(self.path(category)).and_then(|file| file.modified());
            let written = written.ok().and_then(|time| Timestamp::try_from(time).ok());
            let author = authors.get(category.file()).cloned();
            Some((category, String::from_utf8_lossy(&bytes).into_owned(), written, author))
        });
        let files: Vec<_> = readable.collect();
        let files: Vec<_> = files
            .iter()
            .map(|(category, text, written, author)| (*category, text.as_str(), *written, author.clone()))
            .collect();
        render(&files, budget, now)
    }

    /// The whole profile in one value. Files that are not UTF-8 are an error: an export must be whole.
    ///
    /// # Errors
    /// As [`Profile::file`], and a file that is not UTF-8.
    pub fn export(&self, now: Timestamp) -> Result<Export, ProfileError> {
        let mut files = Vec::new();
        for stored in self.files()? {
            let category = stored.file.category;
            let text = String::from_utf8(stored.bytes).map_err(|_| ProfileError::Refused {
                path: self.path(category),
                refused: ProfileRefused::NotUtf8,
            })?;
            files.push((category, text));
        }
        Ok(Export::new(&files, now))
    }

    /// What a change would do.
    ///
    /// # Errors
    /// The change makes no sense, or a file cannot be changed safely.
    pub fn plan(&self, edit: &ProfileEdit<'_>) -> Result<Plan, ProfileError> {
        plan(&self.memory, edit)
    }

    /// Changes the profile: the lines that the change is about, and no other. What others write meanwhile stays.
    ///
    /// # Errors
    /// The change makes no sense, a file cannot be changed safely, or the system fails.
    pub fn change(
        &mut self,
        edit: &ProfileEdit<'_>,
        author: &Author,
        now: Timestamp,
    ) -> Result<Made, ProfileError> {
        let (plan, submitted) = self.memory.change(author, now, |memory| plan(memory, edit))?;
        Ok(Made { plan, submitted })
    }

    /// Takes what is about a topic out of every version that history holds; how many versions held some of it. This
    /// cannot be undone. The files themselves are changed by [`ProfileEdit::Forget`] first.
    ///
    /// # Errors
    /// The system fails; asking again finds the rest.
    pub fn purge(&mut self, topic: &Topic, forgotten: &[Item]) -> Result<usize, ProfileError> {
        let staged: Vec<&[u8]> = forgotten.iter().map(|item| item.text.as_bytes()).collect();
        let forgotten = self.memory.forget_in_versions(&|text| remove_topic(text, topic), &staged)?;
        Ok(forgotten.versions)
    }

    /// What was done to the profile, newest first. Looks first for what others did.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn log(&mut self, limit: usize, now: Timestamp) -> Result<Log, ProfileError> {
        self.memory.look(now)?;
        Ok(self.memory.log(limit)?)
    }
}

fn read(memory: &Memory, category: Category) -> Result<Option<Vec<u8>>, ProfileError> {
    match memory.root() {
        Some(root) => {
            Ok(root.read(&RelPath::parse(category.file())?, MAX_BYTES).map_err(MemoryError::from)?)
        }
        None => Ok(None),
    }
}

fn plan(memory: &Memory, edit: &ProfileEdit<'_>) -> Result<Plan, ProfileError> {
    match edit {
        ProfileEdit::Add(category, new) => {
            let mut plan = Plan::new(format!("add to {}", category.name()));
            edit_file(memory, &mut plan, *category, |text| add(*category, text, new))?;
            Ok(plan)
        }
        ProfileEdit::Replace { item, text: said, now } => {
            let category = item.category;
            let mut plan = Plan::new(format!("replace in {}", category.name()));
            let date = now.to_zoned(jiff::tz::TimeZone::UTC).date();
            edit_file(memory, &mut plan, category, |text| {
                replace(category, text, item, said, date).map(Some)
            })?;
            Ok(plan)
        }
        ProfileEdit::Confirm(items) => {
            let mut plan = Plan::new("confirm what was observed");
            for category in categories(items) {
                edit_file(memory, &mut plan, category, |text| {
                    let mut changed = text.to_owned();
                    for item in items.iter().filter(|item| item.category == category) {
                        changed = confirm(category, &changed, item)?.unwrap_or(changed);
                    }
                    Ok((changed != text).then_some(changed))
                })?;
            }
            Ok(plan)
        }
        ProfileEdit::Forget(items) => {
            let count = if items.len() == 1 { "1 item".to_owned() } else { format!("{} items", items.len()) };
            let mut plan = Plan::new(format!("forget {count}"));
            for category in categories(items) {
                edit_file(memory, &mut plan, category, |text| remove(category, text, items))?;
            }
            Ok(plan)
        }
        ProfileEdit::Put { category, before, after } => {
            let mut plan = Plan::new(format!("edit {}", category.name()));
            if *before != Some(after.as_bytes()) {
                plan.changes.push(Change::Write {
                    path: RelPath::parse(category.file())?,
                    content: (*after).into(),
                    base: before.map(|bytes| Content(bytes.to_vec())),
                });
            }
            Ok(plan)
        }
        ProfileEdit::Import(export) => {
            let mut plan = Plan::new("import a profile");
            for (category, theirs) in export.categories() {
                edit_file(memory, &mut plan, category, |text| merge_in(category, text, theirs))?;
            }
            Ok(plan)
        }
    }
}

/// The categories of some items, each once.
fn categories(items: &[Item]) -> impl Iterator<Item = Category> {
    Category::ALL.into_iter().filter(|category| items.iter().any(|item| item.category == *category))
}

fn edit_file(
    memory: &Memory,
    plan: &mut Plan,
    category: Category,
    edit: impl FnOnce(&str) -> Result<Option<String>, ProfileRefused>,
) -> Result<(), ProfileError> {
    let refused = |refused| ProfileError::Refused { path: memory.directory().join(category.file()), refused };
    let before = read(memory, category)?;
    let text = std::str::from_utf8(before.as_deref().unwrap_or_default())
        .map_err(|_| refused(ProfileRefused::NotUtf8))?;
    if let Some(after) = edit(text).map_err(refused)? {
        let path = RelPath::parse(category.file())?;
        plan.changes.push(Change::Write { path, content: after.into(), base: before.map(Content) });
    }
    Ok(())
}
