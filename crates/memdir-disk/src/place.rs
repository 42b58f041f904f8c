//! One entry of a directory, and what the system knows about the file there.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::disk_error::{DiskError, IoContext};
use crate::platform::{self, Errno, FileKind, Handle, StatBits, Target, open_beneath};

/// A directory entry: the open directory that holds it, and its name there.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) dir: Arc<Handle>,
    pub(crate) name: String,
    /// The whole path, for messages only.
    pub(crate) path: Utf8PathBuf,
}

/// A directory that was just made; its parent has to be synced for it to last.
#[derive(Debug)]
pub(crate) struct NewDir {
    pub(crate) parent_path: Utf8PathBuf,
    pub(crate) parent: Arc<Handle>,
}

impl Place {
    fn open(&self) -> Result<Option<(File, StatBits)>, DiskError> {
        let file = match open_beneath(&self.dir, &self.name, Target::File) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(link_error(error, &self.path)),
        };
        let stat = platform::stat_open(&file).during("look at", &self.path)?;
        regular(&stat, &self.path)?;
        Ok(Some((file, stat)))
    }

    /// Reads the first bytes of the file; `None` if there is none.
    pub(crate) fn read_head(&self, bytes: usize) -> Result<Option<(Vec<u8>, FileStat)>, DiskError> {
        let Some((file, stat)) = self.open()? else { return Ok(None) };
        let mut head = Vec::new();
        let limit = u64::try_from(bytes).unwrap_or(u64::MAX);
        (&file).take(limit).read_to_end(&mut head).during("read", &self.path)?;
        Ok(Some((head, stat.file)))
    }

    /// Reads the file; `None` if there is none.
    pub(crate) fn read(&self, limit: u64) -> Result<Option<(Vec<u8>, FileStat)>, DiskError> {
        let Some((file, stat)) = self.open()? else { return Ok(None) };
        let size = stat.file.size;
        let too_large = || DiskError::TooLarge { path: self.path.clone(), limit };
        if size > limit {
            return Err(too_large());
        }
        let mut content = Vec::with_capacity(usize::try_from(size).unwrap_or(0).saturating_add(1));
        (&file).take(limit.saturating_add(1)).read_to_end(&mut content).during("read", &self.path)?;
        if content.len() as u64 > limit {
            return Err(too_large());
        }
        Ok(Some((content, stat.file)))
    }

    /// The open directory and the name there, as the platform takes them.
    pub(crate) fn entry(&self) -> (&Handle, &str) {
        (&self.dir, &self.name)
    }

    /// The same directory, another name.
    pub(crate) fn sibling(&self, name: String) -> Self {
        let path = self.path.with_file_name(&name);
        Self { dir: Arc::clone(&self.dir), name, path }
    }
}

/// What the system knows about a file: enough to see cheaply that it did not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    /// Its length in bytes.
    pub size: u64,
    /// When its content last changed, in nanoseconds since 1970.
    pub modified: i128,
    /// When its content or its place last changed, in nanoseconds since 1970.
    pub changed: i128,
    /// The number of the file on its device.
    pub inode: u64,
    /// The permission bits.
    pub mode: u32,
    /// The user who owns it.
    pub owner: u32,
    /// The group that owns it.
    pub group: u32,
    /// How many names it has.
    pub links: u64,
}

impl FileStat {
    /// Whether another user owns it.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        !platform::is_own(self)
    }
}

/// Refuses whatever is not a regular file: a pipe would wait for ever, a device is not a memory.
pub(crate) fn regular(stat: &StatBits, path: &Utf8Path) -> Result<(), DiskError> {
    match stat.kind {
        FileKind::File => Ok(()),
        FileKind::Link => DiskError::refused(path, "a link is in the way"),
        FileKind::Directory => DiskError::refused(path, "is a directory"),
        _ => DiskError::refused(path, "not a regular file"),
    }
}

pub(crate) fn link_error(error: Errno, path: &Utf8Path) -> DiskError {
    let rule = match error {
        Errno::LOOP | Errno::XDEV => "a link is in the way",
        Errno::NOTDIR => "a file is where a directory should be",
        Errno::NXIO | Errno::NODEV => "not a regular file",
        _ => return DiskError::Io { action: "open", path: path.to_owned(), source: error.into() },
    };
    DiskError::Refused { path: path.to_owned(), rule }
}
