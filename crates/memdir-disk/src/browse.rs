//! A look into the folders of a memory directory, whatever kind of file they hold.

use memdir_core::rel_path::{MAX_DEPTH, RelPath};
use rustix::fs::{AtFlags, Dir, FileType};

use crate::beneath::open_beneath;
use crate::memory_root::MemoryRoot;
use crate::place::OPEN_DIR;

/// How many entries of one folder are looked at.
const MAX_ENTRIES: usize = 100_000;

/// What stands at a path of a memory directory.
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
    /// What stands at a path; `None` for nothing, and for links and everything else that is neither.
    #[must_use]
    pub fn standing(&self, path: &RelPath) -> Option<Standing> {
        let dir = open_beneath(self.dir(), path.parent().unwrap_or("."), OPEN_DIR).ok()?;
        let stat = rustix::fs::statat(&dir, path.file_name(), AtFlags::SYMLINK_NOFOLLOW).ok()?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Some(Standing::File { size: u64::try_from(stat.st_size).unwrap_or(0) }),
            FileType::Directory => Some(Standing::Folder),
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
        if let Ok(dir) = open_beneath(self.dir(), folder.parent().unwrap_or("."), OPEN_DIR) {
            let _ = rustix::fs::unlinkat(&dir, folder.file_name(), AtFlags::REMOVEDIR);
        }
    }

    /// The names of the entries of a folder, in no order; `None` is the directory itself. Names that are not
    /// UTF-8 are left out, and a folder that cannot be read has none.
    #[must_use]
    pub fn names(&self, folder: Option<&RelPath>) -> Vec<String> {
        let path = folder.map_or(".", RelPath::as_str);
        let Ok(dir) = open_beneath(self.dir(), path, OPEN_DIR) else { return Vec::new() };
        let Ok(entries) = Dir::read_from(&dir) else { return Vec::new() };
        entries
            .take(MAX_ENTRIES)
            .flatten()
            .filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned))
            .filter(|name| name != "." && name != "..")
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;

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
