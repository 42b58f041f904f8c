//! Settings files of agents: another policy than memory directories.
//!
//! Such a file is often a link into a repository of dotfiles. It is followed, the file at its end is replaced as
//! durably as any other, and the link stays a link.

use std::fs;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::disk_error::{DiskError, IoContext};
use crate::memory_root::create_private_dirs;
use crate::place::Place;
use crate::platform::{self, Errno};
use crate::random::random_bits;
use crate::swap_file::{exchange, read_settled, remove, remove_known, rename_new, write_new};

/// Reads a settings file of at most `limit` bytes, links followed; `None` if there is none.
///
/// # Errors
/// It is not a regular file, too large, or the system fails.
pub fn read_settings(path: &Utf8Path, limit: u64) -> Result<Option<Vec<u8>>, DiskError> {
    match place_of(path)? {
        Some(place) => Ok(place.read(limit)?.map(|(content, _)| content)),
        None => Ok(None),
    }
}

/// Replaces a settings file that was read as `base` (`None`: there was none); durable when it returns `Ok`.
///
/// # Errors
/// Another process changed it in the meantime, and it stays as they left it; or the system fails.
pub fn replace_settings(path: &Utf8Path, base: Option<&[u8]>, content: &[u8]) -> Result<(), DiskError> {
    let place = match place_of(path)? {
        Some(place) => place,
        None => {
            refuse_dangling(path)?;
            create_private_dirs(path.parent().unwrap_or(Utf8Path::new("/")))?;
            place_of(path)?.ok_or_else(|| DiskError::Conflict { path: path.to_owned() })?
        }
    };
    let current = read_settled(&place, base)?;
    if current.as_ref().map(|(content, _)| content.as_slice()) != base {
        return Err(DiskError::Conflict { path: path.to_owned() });
    }
    // A user who protects a file so does not want it replaced by way of its directory either.
    if current.as_ref().is_some_and(|(_, stat)| stat.mode & 0o222 == 0) {
        return DiskError::refused(path, "it is write-protected");
    }
    remove_leftovers(&place);
    let random = random_bits().during("get random bits for", path)?;
    let new = place.sibling(format!(".{}.memdir-{:x}.tmp", place.name, random >> 64));
    write_new(&new, content, current.as_ref().map(|(_, stat)| stat), None)?;
    let swapped = swap_in(&new, &place, base);
    match swapped {
        Ok(true) => {}
        Ok(false) => {
            remove_known(&new, content)?;
            return Err(DiskError::Conflict { path: path.to_owned() });
        }
        Err(error) => {
            let _ = remove_known(&new, content);
            return Err(error);
        }
    }
    if let Err(error) = platform::sync_directory(&place.dir).during("sync", &place.path) {
        if base.is_some() {
            exchange(&new, &place)?;
            remove_known(&new, content)?;
        } else {
            remove_known(&place, content)?;
        }
        return Err(error);
    }
    remove(&new)
}

/// Refuses a link into a directory that does not exist: the user keeps the file there, and has not put it there yet.
///
/// # Errors
/// It is such a link, or a circle of links.
pub fn refuse_dangling(path: &Utf8Path) -> Result<(), DiskError> {
    let target = end_of_links(path)?;
    if target != path && target.parent().is_some_and(|parent| !parent.exists()) {
        return DiskError::refused(path, "it is a link into a directory that does not exist");
    }
    Ok(())
}

/// Removes a settings file that was read as `base`, and then every directory of `made` that is empty; a link stays.
///
/// # Errors
/// Another process changed it in the meantime, and it stays as they left it; or the system fails.
pub fn remove_settings(path: &Utf8Path, base: &[u8], made: &[Utf8PathBuf]) -> Result<(), DiskError> {
    if let Some(place) = place_of(path)? {
        if !remove_known(&place, base)? {
            return Err(DiskError::Conflict { path: path.to_owned() });
        }
        platform::sync_directory(&place.dir).during("sync", &place.path)?;
    }
    for directory in made.iter().rev() {
        // One that another process uses by now stays.
        let _ = fs::remove_dir(directory);
    }
    Ok(())
}

/// The directories above a file that do not exist yet, outermost first.
#[must_use]
pub fn missing_dirs(path: &Utf8Path) -> Vec<Utf8PathBuf> {
    let above = path.ancestors().skip(1).take_while(|directory| !directory.exists());
    let mut missing: Vec<Utf8PathBuf> = above.map(ToOwned::to_owned).collect();
    missing.reverse();
    missing
}

/// Removes what killed set-ups left beside the file. A running one made its file just now.
fn remove_leftovers(place: &Place) {
    const OLD: std::time::Duration = std::time::Duration::from_secs(60);
    let start = format!(".{}.memdir-", place.name);
    let Some(Ok(entries)) = place.path.parent().map(fs::read_dir) else { return };
    for entry in entries.flatten() {
        let is_ours =
            entry.file_name().to_str().is_some_and(|name| name.starts_with(&start) && name.ends_with(".tmp"));
        let age = entry.metadata().and_then(|metadata| metadata.modified()).map(|time| time.elapsed());
        if is_ours && age.is_ok_and(|age| age.is_ok_and(|age| age > OLD)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// `false`: it is not what it was, and everything is as before.
fn swap_in(new: &Place, place: &Place, base: Option<&[u8]>) -> Result<bool, DiskError> {
    let Some(base) = base else { return rename_new(new, place) };
    if !exchange(new, place)? {
        return Ok(false);
    }
    let unchanged = matches!(read_settled(new, Some(base)), Ok(Some((displaced, _))) if displaced == base);
    if !unchanged {
        exchange(new, place)?;
    }
    Ok(unchanged)
}

/// The end of all links; `None` if the directory of a plain path does not exist.
fn place_of(path: &Utf8Path) -> Result<Option<Place>, DiskError> {
    let target = end_of_links(path)?;
    let (Some(parent), Some(name)) = (target.parent(), target.file_name()) else {
        return DiskError::refused(path, "names no file");
    };
    match platform::open_directory(parent.as_std_path()) {
        Ok(dir) => Ok(Some(Place { dir: Arc::new(dir), name: name.to_owned(), path: target })),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error).during("open", parent),
    }
}

/// Follows links at the end of a path one by one, so that a link to a file that does not exist yet has an end too.
fn end_of_links(path: &Utf8Path) -> Result<Utf8PathBuf, DiskError> {
    let mut here = path.to_owned();
    for _ in 0..40 {
        let Ok(target) = here.read_link_utf8() else { return Ok(here) };
        here = here.parent().unwrap_or(Utf8Path::new("/")).join(target);
    }
    DiskError::refused(path, "links lead in a circle")
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(unix)]
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_stays() {
        let temp = tempfile::tempdir().unwrap();
        let dir = Utf8Path::from_path(temp.path()).unwrap();
        fs::create_dir(dir.join("dotfiles")).unwrap();
        let (link, target) = (dir.join("settings.json"), dir.join("dotfiles/claude.json"));
        symlink("dotfiles/claude.json", &link).unwrap();
        assert_eq!(read_settings(&link, 100).unwrap(), None);
        replace_settings(&link, None, b"{}").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o644)).unwrap();
        replace_settings(&link, Some(b"{}"), b"{\"a\":1}").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"{\"a\":1}");
        assert_eq!(fs::metadata(&target).unwrap().mode() & 0o777, 0o644);
        assert_eq!(read_settings(&link, 100).unwrap().as_deref(), Some(&b"{\"a\":1}"[..]));
        assert_eq!(fs::read_dir(dir.join("dotfiles")).unwrap().count(), 1);
        fs::set_permissions(&target, fs::Permissions::from_mode(0o444)).unwrap();
        let refused = replace_settings(&link, Some(b"{\"a\":1}"), b"{}").unwrap_err().to_string();
        assert!(refused.ends_with("it is write-protected"), "{refused}");
        let dangling = dir.join("other.json");
        symlink("nowhere/other.json", &dangling).unwrap();
        assert_eq!(read_settings(&dangling, 100).unwrap(), None);
        let refused = replace_settings(&dangling, None, b"{}").unwrap_err().to_string();
        assert!(refused.ends_with("it is a link into a directory that does not exist"), "{refused}");
    }

    #[test]
    fn what_was_made_is_removed_and_nothing_else() {
        let temp = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(temp.path()).unwrap().join("a/b/settings.json");
        let made = missing_dirs(&path);
        assert_eq!(made, [path.parent().unwrap().parent().unwrap(), path.parent().unwrap()]);
        replace_settings(&path, None, b"{}").unwrap();
        assert!(matches!(remove_settings(&path, b"other", &made), Err(DiskError::Conflict { .. })));
        fs::write(temp.path().join("a/theirs"), "").unwrap();
        remove_settings(&path, b"{}", &made).unwrap();
        assert!(!path.parent().unwrap().exists() && temp.path().join("a").exists());
        remove_settings(&path, b"{}", &made).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_foreign_change_stays() {
        let temp = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(temp.path()).unwrap().join("new/settings.json");
        replace_settings(&path, None, b"{}").unwrap();
        for base in [None, Some(&b"other"[..])] {
            assert!(matches!(replace_settings(&path, base, b"mine"), Err(DiskError::Conflict { .. })));
        }
        assert_eq!(fs::read(&path).unwrap(), b"{}");
        symlink("loop", path.with_file_name("loop")).unwrap();
        assert!(read_settings(&path.with_file_name("loop"), 10).is_err());
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 2);
    }
}
