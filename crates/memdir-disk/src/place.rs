//! One entry of a directory, and what the system knows about the file there.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{FileType, OFlags, Stat};
use rustix::io::Errno;

use crate::beneath::open_beneath;
use crate::disk_error::{DiskError, IoContext};

/// How a file is opened for reading: a pipe that nobody writes to must not make us wait.
pub(crate) const OPEN_FILE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK);
/// How a directory is opened.
pub(crate) const OPEN_DIR: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A directory entry: the open directory that holds it, and its name there.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) dir: Arc<OwnedFd>,
    pub(crate) name: String,
    /// The whole path, for messages only.
    pub(crate) path: Utf8PathBuf,
}

/// A directory that was just made; its parent has to be synced for it to last.
#[derive(Debug)]
pub(crate) struct NewDir {
    pub(crate) parent_path: Utf8PathBuf,
    pub(crate) parent: Arc<OwnedFd>,
}

impl Place {
    fn open(&self) -> Result<Option<(File, Stat)>, DiskError> {
        let file = match open_beneath(self.dir.as_fd(), &self.name, OPEN_FILE) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(link_error(error, &self.path)),
        };
        let stat = rustix::fs::fstat(&file).during("look at", &self.path)?;
        regular(&stat, &self.path)?;
        Ok(Some((file, stat)))
    }

    /// Reads the first bytes of the file; `None` if there is none.
    pub(crate) fn read_head(&self, bytes: usize) -> Result<Option<(Vec<u8>, FileStat)>, DiskError> {
        let Some((file, stat)) = self.open()? else { return Ok(None) };
        let mut head = Vec::new();
        let limit = u64::try_from(bytes).unwrap_or(u64::MAX);
        (&file).take(limit).read_to_end(&mut head).during("read", &self.path)?;
        Ok(Some((head, FileStat::of(&stat))))
    }

    /// Reads the file; `None` if there is none.
    pub(crate) fn read(&self, limit: u64) -> Result<Option<(Vec<u8>, FileStat)>, DiskError> {
        let Some((file, stat)) = self.open()? else { return Ok(None) };
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        let too_large = || DiskError::TooLarge { path: self.path.clone(), limit };
        if size > limit {
            return Err(too_large());
        }
        let mut content = Vec::with_capacity(usize::try_from(size).unwrap_or(0).saturating_add(1));
        (&file).take(limit.saturating_add(1)).read_to_end(&mut content).during("read", &self.path)?;
        if content.len() as u64 > limit {
            return Err(too_large());
        }
        Ok(Some((content, FileStat::of(&stat))))
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
        self.owner != rustix::process::geteuid().as_raw()
    }

    #[expect(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        reason = "the fields differ between systems"
    )]
    pub(crate) fn of(stat: &Stat) -> Self {
        let nanos = |seconds: i64, nanos: u64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        Self {
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: nanos(stat.st_mtime as i64, stat.st_mtime_nsec as u64),
            changed: nanos(stat.st_ctime as i64, stat.st_ctime_nsec as u64),
            inode: stat.st_ino as u64,
            mode: u32::from(stat.st_mode) & 0o7777,
            owner: stat.st_uid,
            group: stat.st_gid,
            links: stat.st_nlink as u64,
        }
    }
}

/// Refuses whatever is not a regular file: a pipe would wait for ever, a device is no memory.
pub(crate) fn regular(stat: &Stat, path: &Utf8Path) -> Result<(), DiskError> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(()),
        FileType::Symlink => DiskError::refused(path, "a link stands in the way"),
        FileType::Directory => DiskError::refused(path, "is a directory"),
        _ => DiskError::refused(path, "not a regular file"),
    }
}

pub(crate) fn link_error(error: Errno, path: &Utf8Path) -> DiskError {
    let rule = match error {
        Errno::LOOP | Errno::XDEV => "a link stands in the way",
        Errno::NOTDIR => "a file stands where a directory should",
        Errno::NXIO | Errno::NODEV => "not a regular file",
        _ => return DiskError::Io { action: "open", path: path.to_owned(), source: error.into() },
    };
    DiskError::Refused { path: path.to_owned(), rule }
}
