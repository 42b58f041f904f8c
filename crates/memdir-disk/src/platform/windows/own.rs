//! Files of our own on Windows: access, locks, times, positions.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::windows::fs::{FileExt as _, MetadataExt, OpenOptionsExt};
use std::path::Path;

use super::{AsOpen, Errno, Handle, OPEN_REPARSE_POINT, make_directory, stat_path};
use crate::place::FileStat;

/// A new file of ours has the access of its directory, as the other one has.
///
/// # Errors
/// None.
pub(crate) fn copy_access(_: &File, _: &FileStat) -> io::Result<()> {
    Ok(())
}

/// What tells this directory from another one that takes its place, wherever it is moved: its number, and when it was
/// made.
pub(crate) fn identity(dir: &Handle) -> Option<String> {
    let stat = memdir_os::stat(dir).ok()?;
    Some(format!("{} {}", stat.number, stat.created))
}

/// Whether a file of this owner belongs to the user whom we run for.
#[must_use]
pub fn is_own(stat: &FileStat) -> bool {
    stat.owner == 0
}

/// What the standard library knows about a file names no owner: directories of ours are made for the user alone.
#[must_use]
pub(crate) fn is_own_file(_: &fs::Metadata) -> bool {
    true
}

/// The same for who may use it.
#[must_use]
pub(crate) fn is_open_to_others(_: &fs::Metadata) -> bool {
    false
}

/// Whether everybody may write into a directory.
#[must_use]
pub(crate) fn is_writable_by_others(stat: &FileStat) -> bool {
    stat.mode & 0o022 != 0
}

/// Takes a directory from all but its user.
///
/// # Errors
/// What the system says.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    memdir_os::make_private(path).map_err(Into::into)
}

/// A builder of directories for the user alone.
#[must_use]
pub(crate) fn private_directories() -> PrivateDirectories {
    PrivateDirectories { recursive: false }
}

/// Makes directories for the user alone.
#[derive(Debug)]
pub(crate) struct PrivateDirectories {
    recursive: bool,
}

impl PrivateDirectories {
    /// Whether to make what is missing above, and to accept what is there.
    pub(crate) fn recursive(&mut self, recursive: bool) -> &mut Self {
        self.recursive = recursive;
        self
    }

    /// Makes one.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn create(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        let made = make_directory(path);
        match made {
            Err(Errno::EXIST) if self.recursive && path.is_dir() => Ok(()),
            Err(Errno::NOENT) if self.recursive => {
                self.create(path.parent().ok_or(Errno::NOENT)?)?;
                self.create(path)
            }
            answer => answer.map_err(Into::into),
        }
    }
}

/// How files of ours are opened.
pub trait OpenOwn {
    /// A new file has the access of its directory, and ours are for the user alone.
    fn private(&mut self) -> &mut Self;
    /// There are no pipes among files.
    fn not_waiting(&mut self) -> &mut Self;
    /// A link in the place of a file is opened itself, and holds nothing.
    fn no_link(&mut self) -> &mut Self;
}

impl OpenOwn for OpenOptions {
    fn private(&mut self) -> &mut Self {
        self
    }

    fn not_waiting(&mut self) -> &mut Self {
        self
    }

    fn no_link(&mut self) -> &mut Self {
        self.custom_flags(OPEN_REPARSE_POINT)
    }
}

/// Reading and writing at a place. It moves the position of the file: who uses these uses no other way to read.
pub trait FileExt {
    /// Reads some bytes at an offset.
    ///
    /// # Errors
    /// What the system says.
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes some bytes at an offset.
    ///
    /// # Errors
    /// What the system says.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;

    /// Reads exactly these bytes at an offset.
    ///
    /// # Errors
    /// `UnexpectedEof`, or what the system says.
    fn read_exact_at(&self, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let read = self.read_at(bytes, offset)?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            bytes = bytes.get_mut(read..).unwrap_or_default();
            offset += read as u64;
        }
        Ok(())
    }

    /// Writes all these bytes at an offset.
    ///
    /// # Errors
    /// What the system says.
    fn write_all_at(&self, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let written = self.write_at(bytes, offset)?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            bytes = bytes.get(written..).unwrap_or_default();
            offset += written as u64;
        }
        Ok(())
    }
}

impl FileExt for File {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        self.seek_read(bytes, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        self.seek_write(bytes, offset)
    }
}

/// Makes a link to a path.
///
/// # Errors
/// What the system says: making links is a privilege.
pub(crate) fn make_link(target: &Path, link: &Path) -> io::Result<()> {
    let full = link.parent().unwrap_or(Path::new(".")).join(target);
    if full.is_dir() {
        std::os::windows::fs::symlink_dir(target, link)
    } else {
        std::os::windows::fs::symlink_file(target, link)
    }
}

/// Takes an open file for this process alone; `false` if another has it. A file system without locks counts as locked.
pub(crate) fn try_lock(file: impl AsOpen) -> bool {
    memdir_os::lock_file(file.as_handle())
}

/// Gives back what [`try_lock`] took.
pub(crate) fn unlock(file: impl AsOpen) {
    memdir_os::unlock_file(file.as_handle());
}

/// A lock on a directory. A directory cannot be locked here: a name that follows from its number is locked instead.
#[derive(Debug)]
pub(crate) struct DirectoryLock {
    name: String,
    held: Option<memdir_os::NamedLock>,
}

impl DirectoryLock {
    /// Not held yet.
    ///
    /// # Errors
    /// The directory cannot be looked at.
    pub(crate) fn of(dir: &Handle) -> Result<Self, Errno> {
        let stat = memdir_os::stat(dir)?;
        Ok(Self { name: format!("memdir-{:x}-{:x}", stat.volume, stat.number), held: None })
    }

    /// Takes it; `false` if another has it.
    pub(crate) fn try_take(&mut self) -> bool {
        self.held = memdir_os::NamedLock::try_take(&self.name);
        self.held.is_some()
    }
}

/// Cuts a file off that was opened for appending, which alone does not allow it.
pub(crate) fn cut(_: &File, path: &Path, length: u64) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.set_len(length)
}

/// Dates a file by the clock of its file system.
///
/// # Errors
/// What the system says.
#[allow(clippy::disallowed_methods, reason = "the system has no call that dates a file by its own clock")]
pub(crate) fn date_now(file: &File) -> io::Result<()> {
    file.set_modified(std::time::SystemTime::now())
}

/// What tells an open file from an earlier state of it, or from another file: size, and when it was made and written.
pub(crate) fn stamp_of(metadata: &fs::Metadata) -> [u64; 4] {
    [metadata.file_size(), metadata.creation_time(), metadata.last_write_time(), 0]
}

/// The device and number of what the standard library looked at.
pub(crate) fn device_and_number(path: &Path, _: &fs::Metadata) -> Option<(u64, u64)> {
    stat_path(path).ok().map(|stat| (stat.device, stat.file.inode))
}

/// Whether an open file is a pipe or a device: [`open_file`] opens none.
pub(crate) fn is_special(_: &fs::Metadata) -> bool {
    false
}

/// Fills with random bytes.
///
/// # Errors
/// The system has none to give.
pub(crate) fn fill_random(bytes: &mut [u8]) -> io::Result<()> {
    Ok(memdir_os::fill_random(bytes)?)
}
