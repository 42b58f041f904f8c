//! The steps by which a project's files go to another directory. Each can be repeated after a crash: what is done
//! already is left as it is.

use std::fs::{self, File};
use std::io::{Read, Write};

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::content_hash::ContentHash;

use crate::disk_error::{DiskError, IoContext};
use crate::platform::{self, Errno, OpenOwn};
use crate::state_file;

mod move_record;

pub use move_record::{Carried, Direction, MoveLock, MoveRecord, MoveRecords};

/// Copies a file, with its time, to a place below `root` where nothing else is, and reads the copy back.
///
/// If something else is there by now, a free name beside it is taken; if the same is there, it is left. The
/// answer is where the content is, and its hash.
///
/// # Errors
/// The system fails, a link is in the way, or the copy is not what was read.
pub fn copy_verified(
    root: &Utf8Path,
    from: &Utf8Path,
    to: &Utf8Path,
) -> Result<(Utf8PathBuf, ContentHash), DiskError> {
    let parent = to.parent().unwrap_or(root);
    make_directories(root, parent)?;
    let hash = hash_of(from)?;
    for target in names(to) {
        match fs::symlink_metadata(&target) {
            Ok(metadata) if metadata.is_file() && hash_of(&target)? == hash => return Ok((target, hash)),
            Ok(_) => continue,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).during("look at", &target),
        }
        let temporary =
            parent.join(format!(".memdir-move-{}.tmp", target.file_name().unwrap_or_default().len()));
        copy_to(from, &temporary)?;
        if hash_of(&temporary)? != hash {
            let _ = fs::remove_file(&temporary);
            return Err(DiskError::Restless { path: from.to_owned() });
        }
        if rename_to_free(&temporary, &target)? {
            state_file::sync_directory(parent).during("sync", parent)?;
            return Ok((target, hash));
        }
    }
    Err(DiskError::Restless { path: to.to_owned() })
}

/// Gives a directory another name if that is free. One that has it already is fine.
///
/// # Errors
/// The system fails, or both names are taken or free.
pub fn set_aside(from: &Utf8Path, to: &Utf8Path) -> Result<(), DiskError> {
    let is_there = |path: &Utf8Path| fs::symlink_metadata(path).is_ok();
    if !is_there(from) && is_there(to) {
        return Ok(());
    }
    if !rename_to_free(from, to)? {
        return DiskError::refused(to, "a file or directory of that name exists");
    }
    let parent = to.parent().unwrap_or(Utf8Path::new("/"));
    state_file::sync_directory(parent).during("sync", parent)
}

/// Removes an unchanged copy. `false`: it holds something else by now, and stays.
///
/// # Errors
/// The system fails.
pub fn remove_copy(path: &Utf8Path, hash: ContentHash) -> Result<bool, DiskError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        Ok(metadata) if metadata.is_file() && hash_of(path)? == hash => {}
        _ => return Ok(false),
    }
    fs::remove_file(path).during("remove", path)?;
    // The folders that the copies needed go with them, as far as they are empty.
    for parent in path.ancestors().skip(1).take(MAX_DEPTH) {
        if fs::remove_dir(parent).is_err() {
            break;
        }
    }
    Ok(true)
}

/// The hash of a file of any length.
///
/// # Errors
/// It cannot be read.
pub fn hash_of(path: &Utf8Path) -> Result<ContentHash, DiskError> {
    let mut file = File::open(path).during("read", path)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 256 << 10];
    loop {
        let length = file.read(&mut buffer).during("read", path)?;
        if length == 0 {
            return Ok(ContentHash::from_bytes(*hasher.finalize().as_bytes()));
        }
        hasher.update(buffer.get(..length).unwrap_or_default());
    }
}

const MAX_DEPTH: usize = 16;
const MAX_NAMES: u32 = 1_000;

/// The name itself, then free ones beside it.
fn names(to: &Utf8Path) -> impl Iterator<Item = Utf8PathBuf> {
    let stem = to.file_stem().unwrap_or_default().to_owned();
    let extension = to.extension().map(|extension| format!(".{extension}")).unwrap_or_default();
    let to = to.to_owned();
    (0..MAX_NAMES).map(move |number| match number {
        0 => to.clone(),
        1 => to.with_file_name(format!("{stem}-adopted{extension}")),
        number => to.with_file_name(format!("{stem}-adopted-{number}{extension}")),
    })
}

fn copy_to(from: &Utf8Path, to: &Utf8Path) -> Result<(), DiskError> {
    let mut source = File::open(from).during("read", from)?;
    let metadata = source.metadata().during("look at", from)?;
    let mut target = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .private()
        .no_link()
        .open(to)
        .during("create", to)?;
    std::io::copy(&mut source, &mut target).during("copy to", to)?;
    if let Ok(modified) = metadata.modified() {
        target.set_modified(modified).during("set the time of", to)?;
    }
    target.flush().and_then(|()| target.sync_all()).during("sync", to)
}

/// Gives a copy the time of what it was copied from, so that a memory is as old after a move as before.
///
/// # Errors
/// The system fails.
pub fn keep_time(from: &Utf8Path, to: &Utf8Path) -> Result<(), DiskError> {
    let modified = fs::metadata(from).and_then(|metadata| metadata.modified()).during("look at", from)?;
    let target = fs::OpenOptions::new().write(true).no_link().open(to).during("open", to)?;
    target.set_modified(modified).during("set the time of", to)
}

fn rename_to_free(from: &Utf8Path, to: &Utf8Path) -> Result<bool, DiskError> {
    platform::rename_path_new(from.as_std_path(), to.as_std_path()).during("rename", from)
}

/// Makes the directories from `root` down to `directory`; a link among them is refused.
fn make_directories(root: &Utf8Path, directory: &Utf8Path) -> Result<(), DiskError> {
    crate::memory_root::create_private_dirs(root)?;
    let below = directory.strip_prefix(root).unwrap_or(Utf8Path::new(""));
    let mut here = root.to_owned();
    for component in below.components() {
        let parent = here.clone();
        here.push(component.as_str());
        match platform::make_directory(here.as_std_path()) {
            Ok(()) => state_file::sync_directory(&parent).during("sync", &parent)?,
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error).during("create", &here),
        }
        if !fs::symlink_metadata(&here).is_ok_and(|metadata| metadata.is_dir()) {
            return DiskError::refused(&here, "a link or a file is where a directory should be");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn copies_are_verified_kept_apart_and_taken_back() {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(temp.path()).unwrap();
        fs::create_dir(root.join("old")).unwrap();
        fs::write(root.join("old/a"), "one").unwrap();
        let copy =
            || copy_verified(&root.join("new"), &root.join("old/a"), &root.join("new/deep/a")).unwrap();
        let (to, hash) = copy();
        assert_eq!((to.as_path(), hash), (root.join("new/deep/a").as_path(), ContentHash::of(b"one")));
        assert_eq!(copy().0, to, "once more is the same");
        fs::write(root.join("old/a"), "two").unwrap();
        assert_eq!(copy().0, root.join("new/deep/a-adopted"));
        assert!(remove_copy(&to, hash).unwrap());
        assert!(!remove_copy(&root.join("new/deep/a-adopted"), hash).unwrap());
        std::os::unix::fs::symlink("/tmp", root.join("new/link")).unwrap();
        let through = copy_verified(&root.join("new"), &root.join("old/a"), &root.join("new/link/a"));
        assert!(through.unwrap_err().to_string().contains("a link"));
    }

    #[test]
    fn a_directory_is_set_aside_once() {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(temp.path()).unwrap();
        let (one, two) = (root.join("one"), root.join("two"));
        fs::create_dir(&one).unwrap();
        set_aside(&one, &two).unwrap();
        set_aside(&one, &two).unwrap();
        fs::create_dir(&one).unwrap();
        assert!(set_aside(&one, &two).is_err());
    }
}
