//! What only macOS has: `renameatx_np`, `F_FULLFSYNC`. Other systems of its family get the same without them.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::unix::{Errno, Handle, give_entry, stat_open, walk_beneath};
use super::{FileKind, Target};
use crate::place::Place;

/// Opens a relative path below `dir`, one component at a time. No component may be a link.
///
/// # Errors
/// `LOOP` if a link is in the way, else what the system says.
pub fn open_beneath(dir: &Handle, path: &str, target: Target) -> Result<Handle, Errno> {
    walk_beneath(dir, path, target)
}

#[cfg(target_vendor = "apple")]
mod rename {
    use rustix::fs::RenameFlags;

    use super::{Errno, Handle, Path};

    pub(in super::super) fn rename_noreplace(
        from: (&Handle, &str),
        to: (&Handle, &str),
    ) -> Result<(), Errno> {
        rustix::fs::renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE)
    }

    pub(in super::super) fn rename_exchange(new: (&Handle, &str), old: (&Handle, &str)) -> Result<(), Errno> {
        rustix::fs::renameat_with(new.0, new.1, old.0, old.1, RenameFlags::EXCHANGE)
    }

    pub(in super::super) fn rename_noreplace_path(from: &Path, to: &Path) -> Result<(), Errno> {
        crate::platform::unix::at_cwd(|cwd| {
            rustix::fs::renameat_with(cwd, from, cwd, to, RenameFlags::NOREPLACE)
        })
    }

    /// Lets two files change names, by paths.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn exchange_paths(one: &Path, other: &Path) -> Result<(), Errno> {
        crate::platform::unix::at_cwd(|cwd| {
            rustix::fs::renameat_with(cwd, one, cwd, other, RenameFlags::EXCHANGE)
        })
    }
}

#[cfg(not(target_vendor = "apple"))]
mod rename {
    use super::{Errno, Handle, Path};

    pub(in super::super) fn rename_noreplace(_: (&Handle, &str), _: (&Handle, &str)) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }

    pub(in super::super) fn rename_exchange(_: (&Handle, &str), _: (&Handle, &str)) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }

    pub(in super::super) fn rename_noreplace_path(_: &Path, _: &Path) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }

    pub(crate) fn exchange_paths(_: &Path, _: &Path) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }
}

pub(crate) use rename::exchange_paths;
pub(super) use rename::{rename_exchange, rename_noreplace, rename_noreplace_path};

/// Makes the entries of an open directory durable. `fsync` leaves them in the drive's cache on macOS; `F_FULLFSYNC`
/// empties it. A file system that does not know it gets the plain call.
///
/// # Errors
/// What the system says.
pub(crate) fn sync_directory(dir: &Handle) -> Result<(), Errno> {
    #[cfg(target_vendor = "apple")]
    if rustix::fs::fcntl_fullfsync(dir).is_ok() {
        return Ok(());
    }
    rustix::fs::fsync(dir)
}

/// Makes many new files durable, one after the other.
///
/// # Errors
/// What the system says.
pub(crate) fn sync_files(places: &[Place]) -> io::Result<()> {
    places.iter().try_for_each(|place| super::open_at(&place.dir, place.name.as_str())?.sync_all())
}

/// What tells this directory from another one that takes its place, wherever it is moved: its number, and when it was
/// made.
pub(crate) fn identity(dir: &Handle) -> Option<String> {
    let number = stat_open(dir).ok()?.file.inode;
    let birth = File::from(dir.try_clone().ok()?).metadata().ok()?.created().ok();
    let birth = birth.and_then(|birth| birth.duration_since(std::time::UNIX_EPOCH).ok()).unwrap_or_default();
    Some(format!("{number} {}.{:09}", birth.as_secs(), birth.subsec_nanos()))
}

/// The buffer of [`for_each_entry`]; the system has its own. Made by `default`, as on Linux, so not a unit struct.
#[derive(Debug, Default)]
pub struct EntryBuffer(());

/// Calls back with name, kind and number for every entry but `.` and `..`.
pub fn for_each_entry(dir: &Handle, _: &mut EntryBuffer, mut entry: impl FnMut(&CStr, FileKind, u64)) {
    let Ok(entries) = rustix::fs::Dir::read_from(dir) else { return };
    for found in entries.map_while(Result::ok) {
        give_entry(dir, found.file_name(), found.file_type(), found.ino(), &mut entry);
    }
}

/// Fills with random bytes.
///
/// # Errors
/// The system has none to give.
pub(crate) fn fill_random(bytes: &mut [u8]) -> io::Result<()> {
    File::open("/dev/urandom")?.read_exact(bytes)
}

/// The system tells no start time without a call that is not safe: a number alone tells a process.
pub(crate) fn start_time(_: u32) -> Option<u64> {
    None
}

/// There is no start time to convert.
pub(crate) fn started_at(_: u64) -> Option<i64> {
    None
}

/// All processes of the machine are in one world.
pub(crate) fn process_namespace() -> u64 {
    0
}
