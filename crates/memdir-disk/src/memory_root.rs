//! The confined handle of one memory directory.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::rel_path::{ENTRYPOINT, RelPath};

use crate::disk_error::{DiskError, IoContext};
pub use crate::place::FileStat;
use crate::place::{NewDir, Place, link_error, regular};
use crate::platform::{self, Errno, FileKind, Handle, Target, open_beneath};
use crate::real_path::real_path;

/// A memory directory, opened once and held: whatever happens to its path afterwards, all access goes below the
/// directory that was opened, through no link, to regular files only.
#[derive(Debug, Clone)]
pub struct MemoryRoot {
    path: Utf8PathBuf,
    dir: Arc<Handle>,
    follow_entrypoint_link: bool,
}

impl MemoryRoot {
    /// Opens a memory directory for reading; looking never creates one.
    ///
    /// # Errors
    /// The directory is not there or may not be opened.
    pub fn open(path: &Utf8Path) -> Result<Self, DiskError> {
        let dir = platform::open_directory(path.as_std_path()).during("open", path)?;
        Ok(Self { path: path.to_owned(), dir: Arc::new(dir), follow_entrypoint_link: false })
    }

    /// Opens a memory directory for an explicit write: creates it, and what is missing above it, for the user
    /// alone, and makes the new directories durable.
    ///
    /// # Errors
    /// It cannot be created or opened.
    pub fn open_or_create(path: &Utf8Path) -> Result<Self, DiskError> {
        match Self::open(path) {
            Err(error) if error.is_not_found() => {}
            answer => return answer,
        }
        create_private_dirs(path)?;
        Self::open(path)
    }

    /// Lets a link that is in the place of MEMORY.md be read and written through, because the user said so.
    #[must_use]
    pub fn following_entrypoint_link(mut self) -> Self {
        self.follow_entrypoint_link = true;
        self
    }

    /// The path that the directory was opened by.
    #[must_use]
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// What tells this directory from another one that takes its place, wherever it is moved: its number, and when it was
    /// made where the system knows that.
    #[must_use]
    pub fn identity(&self) -> Option<String> {
        platform::identity(&self.dir)
    }

    /// Why nothing may be written here, if so: the path is a link or was replaced, or others own it or can
    /// write into it. Reading stays possible, with this as a warning.
    ///
    /// # Errors
    /// The directory cannot be looked at.
    pub fn write_refusal(&self) -> Result<Option<&'static str>, DiskError> {
        let held = platform::stat_open(&*self.dir).during("look at", &self.path)?;
        let named = match platform::stat_link(self.path.as_std_path()) {
            Ok(named) => named,
            Err(Errno::NOENT | Errno::NOTDIR) => {
                return Ok(Some("the memory directory was moved or removed"));
            }
            Err(error) => return Err(error).during("look at", &self.path),
        };
        Ok(if named.kind == FileKind::Link {
            Some("the memory directory is a link")
        } else if (named.device, named.file.inode) != (held.device, held.file.inode) {
            Some("the memory directory was replaced by another")
        } else if !platform::is_own(&held.file) {
            Some("the memory directory belongs to another user")
        } else if platform::is_writable_by_others(&held.file) {
            Some("the memory directory is writable by others (chmod go-w would help)")
        } else {
            None
        })
    }

    /// Reads a file of at most `limit` bytes; `None` if there is none.
    ///
    /// # Errors
    /// A link or something other than a regular file is there, it is too large, or the system fails.
    pub fn read(&self, path: &RelPath, limit: u64) -> Result<Option<Vec<u8>>, DiskError> {
        Ok(self.read_with_stat(path, limit)?.map(|(content, _)| content))
    }

    /// Reads a file together with what the system knows about it.
    ///
    /// # Errors
    /// As [`MemoryRoot::read`].
    pub fn read_with_stat(
        &self,
        path: &RelPath,
        limit: u64,
    ) -> Result<Option<(Vec<u8>, FileStat)>, DiskError> {
        match self.place(path)? {
            Some(place) => place.read(limit),
            None => Ok(None),
        }
    }

    /// The first bytes of a file, at most so many, and what the system knows about it; `None` if there is none.
    ///
    /// # Errors
    /// As [`MemoryRoot::read`].
    pub fn read_head(&self, path: &RelPath, bytes: usize) -> Result<Option<(Vec<u8>, FileStat)>, DiskError> {
        match self.place(path)? {
            Some(place) => place.read_head(bytes),
            None => Ok(None),
        }
    }

    /// When the entries of a directory below the root last changed, in nanoseconds; the empty path is the root.
    #[must_use]
    pub fn directory_time(&self, path: &str) -> Option<i64> {
        let stat = if path.is_empty() {
            platform::stat_open(self.dir()).ok()?
        } else {
            platform::stat_open(&open_beneath(self.dir(), path, Target::Directory).ok()?).ok()?
        };
        i64::try_from(stat.file.modified).ok()
    }

    /// What the system knows about a file, without reading it; `None` if there is none.
    ///
    /// # Errors
    /// A link or something other than a regular file is there, or the system fails.
    pub fn stat(&self, path: &RelPath) -> Result<Option<FileStat>, DiskError> {
        let Some(place) = self.place(path)? else { return Ok(None) };
        match platform::stat_at(&place.dir, place.name.as_str()) {
            Ok(stat) => regular(&stat, &place.path).map(|()| Some(stat.file)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error).during("look at", &place.path),
        }
    }

    /// Where a file is or would be; `None` if the directory that would hold it does not exist.
    pub(crate) fn place(&self, path: &RelPath) -> Result<Option<Place>, DiskError> {
        if self.follow_entrypoint_link
            && path.as_str() == ENTRYPOINT
            && let Some(place) = self.linked_entrypoint()?
        {
            return Ok(Some(place));
        }
        let full = self.path.join(path.as_str());
        let dir = match path.parent() {
            None => Arc::clone(&self.dir),
            Some(parent) => match open_beneath(&self.dir, parent, Target::Directory) {
                Ok(dir) => Arc::new(dir),
                Err(Errno::NOENT) => return Ok(None),
                Err(error) => return Err(link_error(error, &full)),
            },
        };
        Ok(Some(Place { dir, name: path.file_name().to_owned(), path: full }))
    }

    /// Where a file will be; directories that are missing are created, for the user alone.
    pub(crate) fn place_for_writing(&self, path: &RelPath) -> Result<(Place, Vec<NewDir>), DiskError> {
        if let Some(place) = self.place(path)? {
            return Ok((place, Vec::new()));
        }
        let full = self.path.join(path.as_str());
        let mut created = Vec::new();
        let mut here = Arc::clone(&self.dir);
        let mut here_path = self.path.clone();
        for name in path.parent().unwrap_or_default().split('/') {
            let next = match open_beneath(&here, name, Target::Directory) {
                Err(Errno::NOENT) => {
                    match platform::make_directory_at(&here, name) {
                        Ok(()) => {
                            created
                                .push(NewDir { parent_path: here_path.clone(), parent: Arc::clone(&here) });
                        }
                        Err(Errno::EXIST) => {}
                        Err(error) => return Err(error).during("create the directory of", &full),
                    }
                    open_beneath(&here, name, Target::Directory)
                }
                answer => answer,
            };
            here = Arc::new(next.map_err(|error| link_error(error, &full))?);
            here_path.push(name);
        }
        Ok((Place { dir: here, name: path.file_name().to_owned(), path: full }, created))
    }

    pub(crate) fn dir(&self) -> &Handle {
        &self.dir
    }

    pub(crate) fn follows_entrypoint_link(&self) -> bool {
        self.follow_entrypoint_link
    }

    fn linked_entrypoint(&self) -> Result<Option<Place>, DiskError> {
        let full = self.path.join(ENTRYPOINT);
        let is_link = platform::stat_at(&self.dir, ENTRYPOINT).is_ok_and(|stat| stat.kind == FileKind::Link);
        if !is_link {
            return Ok(None);
        }
        let target = real_path(&full).during("follow the link", &full)?;
        let (Some(parent), Some(name)) = (target.parent(), target.file_name()) else {
            return DiskError::refused(&full, "the link leads to no file");
        };
        let dir = platform::open_directory(parent.as_std_path()).during("open", parent)?;
        Ok(Some(Place { dir: Arc::new(dir), name: name.to_owned(), path: target }))
    }
}

/// Creates a directory and what is missing above it with mode 0700, and syncs every directory that got an entry.
pub(crate) fn create_private_dirs(path: &Utf8Path) -> Result<(), DiskError> {
    let missing: Vec<&Utf8Path> = path
        .ancestors()
        .take_while(|ancestor| matches!(platform::stat_path(ancestor.as_std_path()), Err(Errno::NOENT)))
        .collect();
    for dir in missing.iter().rev().filter(|dir| !dir.as_str().is_empty()) {
        match platform::make_directory(dir.as_std_path()) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error).during("create", dir),
        }
        let parent = dir.parent().filter(|parent| !parent.as_str().is_empty()).unwrap_or(Utf8Path::new("."));
        platform::sync_directory_path(parent.as_std_path()).during("sync", parent)?;
    }
    Ok(())
}
