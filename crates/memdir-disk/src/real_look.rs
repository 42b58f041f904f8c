//! The core's read-only look, answered from the real file system.

use std::fs;
use std::io::{self, Read};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::look::{Entry, Kind, Look, LookError};

use crate::platform::open_file;
use crate::real_path::real_path;

/// The real file system, read only.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealLook;

impl RealLook {
    /// When the content of a file last changed, links followed; `None` if unknown.
    #[must_use]
    pub fn modified(&self, path: &Utf8Path) -> Option<Timestamp> {
        Timestamp::try_from(fs::metadata(path).ok()?.modified().ok()?).ok()
    }
}

impl Look for RealLook {
    fn kind(&self, path: &Utf8Path) -> Option<Kind> {
        fs::symlink_metadata(path).ok().map(|metadata| kind_of(metadata.file_type()))
    }

    fn read(&self, path: &Utf8Path, limit: u64) -> Result<Vec<u8>, LookError> {
        // Without NONBLOCK, opening a pipe without a writer would wait for ever.
        let file = open_file(path.as_std_path(), true).map_err(io::Error::from).map_err(look_error)?;
        let metadata = file.metadata().map_err(look_error)?;
        if !metadata.is_file() {
            return Err(LookError::NotFile);
        }
        if metadata.len() > limit {
            return Err(LookError::TooLarge { limit });
        }
        let mut content = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        file.take(limit.saturating_add(1)).read_to_end(&mut content).map_err(look_error)?;
        if content.len() as u64 > limit {
            return Err(LookError::TooLarge { limit });
        }
        Ok(content)
    }

    fn real_path(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        real_path(path).ok()
    }

    fn listing(&self, path: &Utf8Path) -> Result<Vec<Entry>, LookError> {
        let entries = fs::read_dir(path).map_err(look_error)?;
        let found = entries
            .flatten()
            .filter_map(|entry| {
                let kind = kind_of(entry.file_type().ok()?);
                Some(Entry { name: entry.file_name().into_string().ok()?, kind })
            })
            .collect();
        Ok(found)
    }
}

fn kind_of(file_type: fs::FileType) -> Kind {
    if file_type.is_file() {
        Kind::File
    } else if file_type.is_dir() {
        Kind::Dir
    } else if file_type.is_symlink() {
        Kind::Link
    } else {
        Kind::Other
    }
}

fn look_error(error: io::Error) -> LookError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => LookError::NotFound,
        io::ErrorKind::PermissionDenied => LookError::Denied,
        _ => LookError::Other(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_regular_files_of_bounded_size_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        fs::write(root.join("f"), "12345").unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe").as_std_path(), rustix::fs::Mode::RUSR)
            .unwrap();
        std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();
        let look = RealLook;
        assert_eq!(look.read(&root.join("f"), 5), Ok(b"12345".to_vec()));
        assert_eq!(look.read(&root.join("f"), 4), Err(LookError::TooLarge { limit: 4 }));
        assert_eq!(look.read(&root.join("gone"), 5), Err(LookError::NotFound));
        assert_eq!(look.read(&root.join("pipe"), 5), Err(LookError::NotFile));
        assert_eq!(look.read(root, 5), Err(LookError::NotFile));
        assert_eq!(look.real_path(&root.join("loop")), None);
        assert_eq!(look.kind(&root.join("loop")), Some(Kind::Link));
    }
}
