//! Links that set-up makes beside the settings of other programs.

use std::fs;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use crate::disk_error::{DiskError, IoContext};
use crate::memory_root::create_private_dirs;
use crate::platform::make_link;

/// Where a link leads; `None` if nothing is there.
///
/// # Errors
/// Something else than a link is there, or the system fails.
pub fn read_settings_link(path: &Utf8Path) -> Result<Option<Utf8PathBuf>, DiskError> {
    match path.read_link_utf8() {
        Ok(target) => Ok(Some(target)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            DiskError::refused(path, "it is not a link")
        }
        Err(error) => Err(error).during("look at", path),
    }
}

/// Makes a link where nothing is.
///
/// # Errors
/// Something is there, or the system fails.
pub fn make_settings_link(path: &Utf8Path, target: &Utf8Path) -> Result<(), DiskError> {
    create_private_dirs(path.parent().unwrap_or(Utf8Path::new("/")))?;
    make_link(target.as_std_path(), path.as_std_path()).during("link", path)
}

/// Removes a link that leads where it should, and the directories that were made for it if nothing else is in them.
///
/// # Errors
/// It leads somewhere else, or the system fails.
pub fn remove_settings_link(
    path: &Utf8Path,
    target: &Utf8Path,
    made: &[Utf8PathBuf],
) -> Result<(), DiskError> {
    match read_settings_link(path)? {
        Some(found) if found == target => fs::remove_file(path).during("remove", path)?,
        Some(_) => return Err(DiskError::Conflict { path: path.to_owned() }),
        None => {}
    }
    for directory in made.iter().rev() {
        // What another process put there stays, and so does the directory.
        let _ = fs::remove_dir(directory);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_link_goes() {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(temp.path()).unwrap();
        let (path, made) = (root.join("a/b/x"), [root.join("a"), root.join("a/b")]);
        assert_eq!(read_settings_link(&path).unwrap(), None);
        make_settings_link(&path, Utf8Path::new("../x")).unwrap();
        assert!(make_settings_link(&path, Utf8Path::new("../x")).is_err());
        assert!(remove_settings_link(&path, Utf8Path::new("../y"), &made).is_err());
        remove_settings_link(&path, Utf8Path::new("../x"), &made).unwrap();
        assert!(!root.join("a").exists());
        fs::write(root.join("file"), "x").unwrap();
        assert!(read_settings_link(&root.join("file")).is_err());
    }
}
