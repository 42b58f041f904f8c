//! Small files of our own state: read tolerantly, replaced whole, changed by one process at a time.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::thread;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use crate::platform::{self, Errno, OpenOwn};

/// The whole content, in three system calls for the usual small file; `None` if there is none.
pub(crate) fn read(path: &Utf8Path, limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut file = match platform::open_file(path.as_std_path(), true) {
        Ok(file) => file,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut content = vec![0; FIRST_READ.min(limit + 1)];
    let mut filled = 0;
    loop {
        let room = content.get_mut(filled..).unwrap_or_default();
        let wanted = room.len();
        let got = file.read(room)?;
        filled += got;
        // A regular file gives less than asked only at its end.
        if got < wanted {
            content.truncate(filled);
            return Ok(Some(content));
        }
        if filled > limit {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {limit} bytes")));
        }
        content.resize((filled * 2).min(limit + 1), 0);
    }
}

const FIRST_READ: usize = 8 * 1024;

/// Replaces the content so that a reader sees the old file or the new one, and returns once it is durable.
///
/// The caller holds the lock: the temporary file's name is fixed, so that one left by a crash is used again.
pub(crate) fn replace(path: &Utf8Path, content: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Utf8Path::new("/"));
    let temporary = Utf8PathBuf::from(format!("{path}.tmp"));
    let written = (|| {
        let mut file =
            fs::OpenOptions::new().write(true).create(true).truncate(true).private().open(&temporary)?;
        file.write_all(content)?;
        file.sync_all()?;
        platform::replace_path(temporary.as_std_path(), path.as_std_path())
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written?;
    sync_directory(directory)
}

/// Gives a file that could not be understood a second name beside it, so that its owner can look at it before
/// it is replaced. `false` if too many are there already.
pub(crate) fn keep_broken(path: &Utf8Path) -> io::Result<bool> {
    for attempt in 1..100 {
        let suffix = if attempt == 1 { BROKEN.to_owned() } else { format!("{BROKEN}-{attempt}") };
        match fs::hard_link(path, format!("{path}{suffix}")) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            linked => return linked.map(|()| true),
        }
    }
    Ok(false)
}

/// What the names of broken files end in, or in this with a number.
pub(crate) const BROKEN: &str = ".broken";

/// Makes a rename or removal in a directory durable.
pub(crate) fn sync_directory(directory: &Utf8Path) -> io::Result<()> {
    platform::sync_directory_path(directory.as_std_path())
}

/// Makes a directory and its parents, for the user alone; durable, because what is written below it is promised.
pub(crate) fn make_directory(path: &Utf8Path) -> io::Result<()> {
    match platform::private_directories().create(path) {
        Ok(()) => path.parent().map_or(Ok(()), sync_directory),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_directory(path.parent().ok_or(error)?)?;
            make_directory(path)
        }
        Err(error) => Err(error),
    }
}

/// Keeps out other processes that take the same lock until it is dropped; `None` if another holds it for too long.
pub(crate) fn lock(path: &Utf8Path) -> io::Result<Option<File>> {
    if let Some(directory) = path.parent() {
        make_directory(directory)?;
    }
    let file = fs::OpenOptions::new().create(true).write(true).truncate(false).private().open(path)?;
    let mut pause = Duration::from_millis(1);
    let mut waited = Duration::ZERO;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(fs::TryLockError::WouldBlock) if waited < LOCK_LIMIT => {
                thread::sleep(pause);
                waited += pause;
                pause = (pause * 2).min(Duration::from_millis(20));
            }
            Err(fs::TryLockError::WouldBlock) => return Ok(None),
            Err(fs::TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// A change of a small file takes milliseconds; a process that holds the lock longer is stuck.
const LOCK_LIMIT: Duration = Duration::from_secs(5);
