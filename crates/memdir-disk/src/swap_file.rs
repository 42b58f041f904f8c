//! The system calls by which one file takes the place of another.
//!
//! Nothing here decides anything. Each step is atomic: a reader sees the old file or the new one.

use std::fs::{File, FileTimes};
use std::io::Write;
use std::time::{Duration, SystemTime};

use crate::disk_error::{DiskError, IoContext};
use crate::place::{FileStat, Place};
use crate::platform::{self, Errno, Writing};

/// The longest file that is written or replaced.
pub(crate) const MAX_FILE_BYTES: u64 = 64 << 20;

/// Writes a new file under a free name, durably: with the mode and owner of `like`, else for the user
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
    places.first().map_or(Ok(()), |first| platform::sync_files(places).during("sync", &first.path))
}

/// Writes a new file that can be made again, without waiting for the disk.
pub(crate) fn write_derived(place: &Place, content: &[u8], like: Option<&FileStat>) -> Result<(), DiskError> {
    create(place, |file| fill(file, content, like, None))
}

/// Makes a file under a free name; after an error the name is free again.
fn create(place: &Place, write: impl FnOnce(&mut File) -> std::io::Result<()>) -> Result<(), DiskError> {
    let mut file =
        platform::create(&place.dir, place.name.as_str(), Writing::New).during("create", &place.path)?;
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
        platform::copy_access(file, like)?;
    }
    if let Some(nanos) = modified {
        set_both_times(file, nanos)?;
    }
    Ok(())
}

/// Dates the last change and the last reading of a file, in nanoseconds since 1970.
pub(crate) fn set_both_times(file: &File, nanos: i128) -> std::io::Result<()> {
    let apart = Duration::from_nanos(u64::try_from(nanos.unsigned_abs()).unwrap_or(0));
    let epoch = SystemTime::UNIX_EPOCH;
    let time = if nanos < 0 { epoch.checked_sub(apart) } else { epoch.checked_add(apart) };
    let time = time.unwrap_or(epoch);
    file.set_times(FileTimes::new().set_accessed(time).set_modified(time))
}

/// Gives a file another name in its directory; `Ok(false)` if that name is taken.
pub(crate) fn rename_new(from: &Place, to: &Place) -> Result<bool, DiskError> {
    match platform::rename_new(from.entry(), to.entry()) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(error).during("rename to", &to.path),
    }
}

/// Lets two files of one directory change names; `Ok(false)` if the second is not there.
///
/// [`platform::exchange`] says what a file system gives that cannot exchange.
pub(crate) fn exchange(new: &Place, old: &Place) -> Result<bool, DiskError> {
    match platform::exchange(new.entry(), old.entry()) {
        Ok(()) => Ok(true),
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(error).during("replace", &old.path),
    }
}

/// Removes a name; one that is gone already is fine.
pub(crate) fn remove(place: &Place) -> Result<(), DiskError> {
    match platform::remove_at(&place.dir, &place.name) {
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
    platform::stat_at(&place.dir, place.name.as_str()).ok().map(|stat| stat.file)
}

/// Reads a file that is known to be as `expected`, or else waits until no process seems to be writing it: agents'
/// tools truncate a file and fill it again, and half of that is not content.
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
