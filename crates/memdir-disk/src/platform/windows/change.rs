//! Making, renaming, exchanging and removing entries on Windows, and making that durable.

use std::fs::{self, File};
use std::io;
use std::os::windows::io::{AsHandle, OwnedHandle};
use std::path::Path;
use std::time::Duration;

use memdir_core::host_path::is_windows_name;
use memdir_os::{Access, Opening, OwnAccess, Wanted};

use super::{Errno, Handle, open_directory, open_name};
use crate::place::Place;

/// Makes a directory for the user alone.
///
/// # Errors
/// What the system says.
pub(crate) fn make_directory_at(dir: &Handle, name: &str) -> Result<(), Errno> {
    let own = OwnAccess::new()?;
    open_name(dir, name, Access::Look, Wanted::Directory, Opening::New(Some(&own))).map(drop)
}

/// Makes a directory for the user alone, by its path.
///
/// # Errors
/// What the system says.
pub(crate) fn make_directory(path: &Path) -> Result<(), Errno> {
    let (parent, name) = parent_and_name(path)?;
    make_directory_at(&parent, name)
}

fn parent_and_name(path: &Path) -> Result<(Handle, &str), Errno> {
    let name = path.file_name().and_then(|name| name.to_str()).ok_or(Errno::EXIST)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((open_directory(parent)?, name))
}

fn open_to_rename(dir: &Handle, name: &str, wanted: Wanted) -> Result<OwnedHandle, Errno> {
    if !is_windows_name(name) {
        return Err(Errno::INVAL);
    }
    patiently(|| memdir_os::open(dir.as_handle(), name, Access::Remove, wanted, Opening::Existing, false))
}

/// Removes a file by its name in a directory.
///
/// # Errors
/// What the system says.
pub(crate) fn remove_at(dir: &Handle, name: &str) -> Result<(), Errno> {
    patiently(|| memdir_os::remove(open_to_rename(dir, name, Wanted::File)?.as_handle()))
}

/// Removes an empty directory by its name in another one.
///
/// # Errors
/// What the system says.
pub(crate) fn remove_directory_at(dir: &Handle, name: &str) -> Result<(), Errno> {
    memdir_os::remove(open_to_rename(dir, name, Wanted::Directory)?.as_handle())
}

/// Gives a file another name; `EXIST` if that is taken.
///
/// # Errors
/// What the system says.
pub(crate) fn rename_new(from: (&Handle, &str), to: (&Handle, &str)) -> Result<(), Errno> {
    rename(from, to, false)
}

fn rename(from: (&Handle, &str), to: (&Handle, &str), replace: bool) -> Result<(), Errno> {
    if !is_windows_name(to.1) {
        return Err(Errno::INVAL);
    }
    let file = open_to_rename(from.0, from.1, Wanted::Anything)?;
    patiently(|| memdir_os::rename(file.as_handle(), to.0.as_handle(), to.1, replace))
}

/// Lets two files change names; `NOENT` if the second does not exist.
///
/// Windows cannot exchange, so the old file gets a second name first, and the new one takes over the first. Then a file
/// that another program renames into place between the two calls is lost; in-place writes are not. Where files cannot
/// have two names (FAT), the old file is moved aside instead, and a reader may find no file for a moment.
///
/// # Errors
/// What the system says.
pub(crate) fn exchange(new: (&Handle, &str), old: (&Handle, &str)) -> Result<(), Errno> {
    let aside = format!("{}.swap", new.1);
    let file = open_to_rename(old.0, old.1, Wanted::File)?;
    let has_both = match memdir_os::link(file.as_handle(), old.0.as_handle(), &aside) {
        Ok(()) => true,
        Err(Errno::NOSYS) => {
            patiently(|| memdir_os::rename(file.as_handle(), old.0.as_handle(), &aside, false))?;
            false
        }
        Err(error) => return Err(error),
    };
    drop(file);
    if let Err(error) = rename(new, old, has_both) {
        // The old file keeps its name.
        let _ = if has_both { remove_at(old.0, &aside) } else { rename((old.0, &aside), old, false) };
        return Err(error);
    }
    rename((old.0, &aside), new, false)
}

/// Gives a file or directory another name, by paths; `false` if that is taken.
///
/// # Errors
/// What the system says.
pub(crate) fn rename_path_new(from: &Path, to: &Path) -> io::Result<bool> {
    let (from, to) = (parent_and_name(from)?, parent_and_name(to)?);
    match rename((&from.0, from.1), (&to.0, to.1), false) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Directories cannot change names in one step.
///
/// # Errors
/// Always.
pub(crate) fn exchange_paths(_: &Path, _: &Path) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// Puts a file in the place of another, by paths, even while others have that open.
///
/// # Errors
/// What the system says.
pub(crate) fn replace_path(from: &Path, to: &Path) -> io::Result<()> {
    patiently(|| fs::rename(from, to).map_err(Errno::from)).map_err(Into::into)
}

/// Makes the entries of an open directory durable: only an opening for writing can be flushed.
///
/// # Errors
/// What the system says.
pub(crate) fn sync_directory(dir: &Handle) -> Result<(), Errno> {
    let (opened, _) = open_name(dir, ".", Access::Write, Wanted::Directory, Opening::Existing)?;
    Ok(File::from(opened).sync_all()?)
}

/// Makes a rename or removal in a directory durable, by its path.
///
/// # Errors
/// What the system says.
pub(crate) fn sync_directory_path(path: &Path) -> io::Result<()> {
    Ok(sync_directory(&open_directory(path)?)?)
}

/// Makes many new files durable, one after the other.
///
/// # Errors
/// What the system says.
pub(crate) fn sync_files(places: &[Place]) -> io::Result<()> {
    places.iter().try_for_each(|place| {
        let opened = open_name(&place.dir, &place.name, Access::Write, Wanted::File, Opening::Existing)?;
        File::from(opened.0).sync_all()
    })
}

/// Tries again for a while what another program's open handle prevents: a virus scanner or an indexer holds a new file
/// for some milliseconds.
fn patiently<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    let mut pause = Duration::from_millis(1);
    loop {
        match call() {
            Err(Errno::BUSY | Errno::ACCESS) if pause < MAX_PAUSE => std::thread::sleep(pause),
            answer => return answer,
        }
        pause *= 2;
    }
}

/// The pauses double up to this one: half a second in all.
const MAX_PAUSE: Duration = Duration::from_millis(300);
