//! The system calls by which one file takes the place of another.
//!
//! Nothing here decides anything. Each step is atomic: whoever looks sees the old file or the new one.

use std::fs::File;
use std::io::Write;
use std::time::Duration;

use rustix::fs::{AtFlags, Gid, Mode, OFlags, RenameFlags, Timespec, Timestamps, Uid};
use rustix::io::Errno;

use crate::disk_error::{DiskError, IoContext};
use crate::place::{FileStat, Place};

/// The longest file that is written or replaced.
pub(crate) const MAX_FILE_BYTES: u64 = 64 << 20;

/// Writes a new file under a name that nobody has, durably: with the mode and owner of `like`, else for the user
/// alone. After an error the name is free again.
pub(crate) fn write_new(
    place: &Place,
    content: &[u8],
    like: Option<&FileStat>,
    modified: Option<i128>,
) -> Result<(), DiskError> {
    // After a failed fsync the descriptor says nothing true any more: the file is given up, not tried again.
    create(place, |file| fill(file, content, like, modified).and_then(|()| file.sync_all()))
}

/// Writes a new file as [`write_new`] does, and leaves it to [`sync_together`] to make it durable.
pub(crate) fn write_one_of_many(
    place: &Place,
    content: &[u8],
    like: Option<&FileStat>,
    modified: Option<i128>,
) -> Result<(), DiskError> {
    create(place, |file| fill(file, content, like, modified))
}

/// Makes many new files of one file system durable with one wait instead of one for each.
pub(crate) fn sync_together(places: &[Place]) -> Result<(), DiskError> {
    let Some(first) = places.first() else { return Ok(()) };
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        rustix::fs::syncfs(&*first.dir).during("sync", &first.path)
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    {
        let _ = first;
        for place in places {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file = rustix::fs::openat(&*place.dir, place.name.as_str(), flags, Mode::empty());
            File::from(file.during("open", &place.path)?).sync_all().during("sync", &place.path)?;
        }
        Ok(())
    }
}

/// Writes a new file that can be made again, without waiting for the disk.
pub(crate) fn write_derived(place: &Place, content: &[u8], like: Option<&FileStat>) -> Result<(), DiskError> {
    create(place, |file| fill(file, content, like, None))
}

/// Makes a file under a name that nobody has; after an error the name is free again.
fn create(place: &Place, write: impl FnOnce(&mut File) -> std::io::Result<()>) -> Result<(), DiskError> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(&*place.dir, place.name.as_str(), flags, Mode::RUSR | Mode::WUSR);
    let mut file = File::from(file.during("create", &place.path)?);
    let written = write(&mut file);
    if written.is_err() {
        let _ = remove(place);
    }
    written.during("write", &place.path)
}

fn fill(
    file: &mut File,
    content: &[u8],
    like: Option<&FileStat>,
    modified: Option<i128>,
) -> std::io::Result<()> {
    file.write_all(content)?;
    if let Some(like) = like {
        let mut mode = like.mode & 0o777;
        let own = FileStat::of(&rustix::fs::fstat(&*file)?);
        if (own.owner, own.group) != (like.owner, like.group) {
            let owner = (own.owner != like.owner).then(|| Uid::from_raw(like.owner));
            if rustix::fs::fchown(&*file, owner, Some(Gid::from_raw(like.group))).is_err() {
                // A group that we may not give must not become another one that may read.
                mode &= 0o700;
            }
        }
        if mode != own.mode & 0o777 {
            rustix::fs::fchmod(&*file, Mode::from_raw_mode(mode))?;
        }
    }
    if let Some(nanos) = modified {
        let second = i64::try_from(nanos.div_euclid(1_000_000_000)).unwrap_or(0);
        let nanosecond = i64::try_from(nanos.rem_euclid(1_000_000_000)).unwrap_or(0);
        let time = Timespec { tv_sec: second, tv_nsec: nanosecond };
        rustix::fs::futimens(&*file, &Timestamps { last_access: time, last_modification: time })?;
    }
    Ok(())
}

/// Gives a file another name in its directory; `Ok(false)` if that name is taken.
pub(crate) fn rename_new(from: &Place, to: &Place) -> Result<bool, DiskError> {
    let renamed = rename_no_replace(from, to);
    match renamed {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(error).during("rename to", &to.path),
    }
}

fn rename_no_replace(from: &Place, to: &Place) -> Result<(), Errno> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    match rustix::fs::renameat_with(
        &*from.dir,
        from.name.as_str(),
        &*to.dir,
        to.name.as_str(),
        RenameFlags::NOREPLACE,
    ) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        answer => return answer,
    }
    // A second name cannot replace anything either.
    rustix::fs::linkat(&*from.dir, from.name.as_str(), &*to.dir, to.name.as_str(), AtFlags::empty())?;
    rustix::fs::unlinkat(&*from.dir, from.name.as_str(), AtFlags::empty())
}

/// Lets two files of one directory change names; `Ok(false)` if the second is not there.
///
/// Where the file system cannot exchange, the old file gets a second name first, and the new one takes over the
/// first. Then a file that somebody renames into place between the two calls is lost; in-place writes are not.
pub(crate) fn exchange(new: &Place, old: &Place) -> Result<bool, DiskError> {
    match exchange_names(new, old) {
        Ok(()) => Ok(true),
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(error).during("replace", &old.path),
    }
}

fn exchange_names(new: &Place, old: &Place) -> Result<(), Errno> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    match rustix::fs::renameat_with(
        &*new.dir,
        new.name.as_str(),
        &*old.dir,
        old.name.as_str(),
        RenameFlags::EXCHANGE,
    ) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        answer => return answer,
    }
    let aside = format!("{}.swap", new.name);
    rustix::fs::linkat(&*old.dir, old.name.as_str(), &*old.dir, aside.as_str(), AtFlags::empty())?;
    rustix::fs::renameat(&*new.dir, new.name.as_str(), &*old.dir, old.name.as_str())?;
    rustix::fs::renameat(&*old.dir, aside.as_str(), &*new.dir, new.name.as_str())
}

/// Removes a name; one that is gone already is fine.
pub(crate) fn remove(place: &Place) -> Result<(), DiskError> {
    match rustix::fs::unlinkat(&*place.dir, place.name.as_str(), AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error).during("remove", &place.path),
    }
}

/// Removes a file of which we have the content elsewhere; `Ok(false)` if it holds something else, and stays.
pub(crate) fn remove_known(place: &Place, content: &[u8]) -> Result<bool, DiskError> {
    match read_settled(place, Some(content))? {
        Some((found, _)) if found != content => Ok(false),
        _ => remove(place).map(|()| true),
    }
}

/// What the system knows about a file now; `None` if it is gone or no regular file.
pub(crate) fn stat(place: &Place) -> Option<FileStat> {
    let stat = rustix::fs::statat(&*place.dir, place.name.as_str(), AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(FileStat::of(&stat))
}

/// Reads a file that is known to be as `expected`, or else waits until nobody seems to be writing it: agents'
/// tools truncate a file and fill it again, and half of that is nobody's content.
pub(crate) fn read_settled(
    place: &Place,
    expected: Option<&[u8]>,
) -> Result<Option<(Vec<u8>, FileStat)>, DiskError> {
    let mut last = place.read(MAX_FILE_BYTES)?;
    for _ in 0..MAX_LOOKS {
        match &last {
            None => return Ok(None),
            Some((content, _)) if Some(content.as_slice()) == expected => return Ok(last),
            Some(_) => {}
        }
        // An empty file is what a truncating writer leaves for the longest time.
        let empty = last.as_ref().is_some_and(|(content, _)| content.is_empty());
        std::thread::sleep(if empty { EMPTY_PAUSE } else { PAUSE });
        let next = place.read(MAX_FILE_BYTES)?;
        let same = match (&last, &next) {
            (Some((before, old)), Some((after, new))) => {
                before == after && (old.inode, old.size, old.modified) == (new.inode, new.size, new.modified)
            }
            _ => false,
        };
        last = next;
        if same {
            return Ok(last);
        }
    }
    Err(DiskError::Restless { path: place.path.clone() })
}

const MAX_LOOKS: u32 = 400;
const PAUSE: Duration = Duration::from_millis(1);
const EMPTY_PAUSE: Duration = Duration::from_millis(40);
