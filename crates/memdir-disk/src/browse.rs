//! A look into the folders of a memory directory, whatever kind of file they hold.

use memdir_core::rel_path::{MAX_DEPTH, RelPath};

use crate::disk_error::DiskError;
use crate::memory_root::MemoryRoot;
use crate::platform::{self, Errno, FileKind, Target, open_beneath};

/// How many entries of one folder are looked at.
const MAX_ENTRIES: usize = 100_000;

/// What is at a path of a memory directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// A regular file.
    File {
        /// Its size in bytes.
        size: u64,
    },
    /// A folder.
    Folder,
}

impl MemoryRoot {
    /// What is at a path; `None` for nothing, and for links and everything else that is neither.
    #[must_use]
    pub fn standing(&self, path: &RelPath) -> Option<Standing> {
        let dir = open_beneath(self.dir(), path.parent().unwrap_or("."), Target::Directory).ok()?;
        let stat = platform::stat_at(&dir, path.file_name()).ok()?;
        match stat.kind {
            FileKind::File => Some(Standing::File { size: stat.file.size }),
            FileKind::Directory => Some(Standing::Folder),
            _ => None,
        }
    }

    /// Removes a folder and the folders below it as far as they are empty; files keep theirs.
    pub fn remove_empty_folders(&self, folder: &RelPath) {
        if folder.as_str().split('/').count() > MAX_DEPTH {
            return;
        }
        for name in self.names(Some(folder)) {
            if let Ok(below) = RelPath::parse(&format!("{folder}/{name}"))
                && self.standing(&below) == Some(Standing::Folder)
            {
                self.remove_empty_folders(&below);
            }
        }
        // Only an empty folder can be removed, and one that is not there needs no removing.
        if let Ok(dir) = open_beneath(self.dir(), folder.parent().unwrap_or("."), Target::Directory) {
            let _ = platform::remove_directory_at(&dir, folder.file_name());
        }
    }

    /// The names of the entries of a folder, in no order; `None` is the directory itself. Names that are not
    /// UTF-8 are left out, and a folder that cannot be read has none.
    #[must_use]
    pub fn names(&self, folder: Option<&RelPath>) -> Vec<String> {
        self.try_names(folder).unwrap_or_default()
    }

    /// The same for callers who must not take a folder that cannot be read for an empty one. One that is not there has none.
    ///
    /// # Errors
    /// What the system says.
    pub fn try_names(&self, folder: Option<&RelPath>) -> Result<Vec<String>, DiskError> {
        let path = folder.map_or(".", RelPath::as_str);
        let failed = |source: Errno| {
            let path = self.path().join(path);
            DiskError::Io { action: "list", path, source: source.into() }
        };
        let dir = match open_beneath(self.dir(), path, Target::Directory) {
            Err(Errno::NOENT) => return Ok(Vec::new()),
            dir => dir.map_err(failed)?,
        };
        let entries = platform::read_names(&dir).map_err(failed)?;
        Ok(entries
            .into_iter()
            .take(MAX_ENTRIES)
            .filter_map(|(name, _)| name.into_string().ok())
            .filter(|name| name != "." && name != "..")
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn files_and_folders_are_told_apart_and_links_are_nothing() {
        let temporary = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(temporary.path()).unwrap();
        std::fs::create_dir(path.join("notes")).unwrap();
        std::fs::write(path.join("notes/a.txt"), "abc").unwrap();
        std::os::unix::fs::symlink("/etc", path.join("etc")).unwrap();
        let root = MemoryRoot::open(path).unwrap();
        let at = |text: &str| root.standing(&RelPath::parse(text).unwrap());
        assert_eq!(at("notes"), Some(Standing::Folder));
        assert_eq!(at("notes/a.txt"), Some(Standing::File { size: 3 }));
        assert_eq!((at("etc"), at("etc/passwd"), at("gone")), (None, None, None));
        assert_eq!(root.names(Some(&RelPath::parse("notes").unwrap())), ["a.txt"]);
        assert_eq!(root.names(Some(&RelPath::parse("etc").unwrap())), Vec::<String>::new());
        assert_eq!(root.names(None).len(), 2);
    }
}
