//! Every file below a directory, for a plan that is shown before anything happens.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::project::relocate::MovedFile;

/// The regular files below a directory, sorted by path; links are not followed.
///
/// The second value counts what a plan cannot carry: links, pipes, names that are not text, whatever is too
/// deep or comes after too many.
#[must_use]
pub fn inventory(directory: &Utf8Path) -> (Vec<MovedFile>, usize) {
    let mut files = Vec::new();
    let mut left_out = 0;
    let mut pending = vec![(Utf8PathBuf::new(), 0)];
    while let Some((below, depth)) = pending.pop() {
        let Ok(entries) = fs::read_dir(directory.join(&below)) else {
            left_out += 1;
            continue;
        };
        for entry in entries.flatten() {
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
                left_out += 1;
                continue;
            };
            let path = below.join(name);
            if kind.is_dir() && depth < MAX_DEPTH {
                pending.push((path, depth + 1));
            } else if kind.is_file() && files.len() < MAX_FILES {
                files.push(MovedFile { path, bytes: entry.metadata().map_or(0, |metadata| metadata.len()) });
            } else {
                left_out += 1;
            }
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    (files, left_out)
}

/// Whether two files have the same content, which is read only if their sizes agree.
#[must_use]
pub fn same_content(one: &Utf8Path, other: &Utf8Path) -> bool {
    let (Ok(first), Ok(second)) = (fs::symlink_metadata(one), fs::symlink_metadata(other)) else {
        return false;
    };
    let comparable = first.is_file() && second.is_file() && first.len() == second.len();
    comparable && matches!((fs::read(one), fs::read(other)), (Ok(first), Ok(second)) if first == second)
}

const MAX_FILES: usize = 200_000;
const MAX_DEPTH: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn files_are_found_and_what_cannot_be_carried_is_counted() {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(directory.path()).unwrap();
        fs::create_dir_all(root.join("memory/deep")).unwrap();
        fs::write(root.join("memory/deep/a.md"), "abc").unwrap();
        fs::write(root.join("b.md"), "abd").unwrap();
        std::os::unix::fs::symlink("/etc", root.join("link")).unwrap();
        let (files, left_out) = inventory(root);
        let paths: Vec<(&str, u64)> = files.iter().map(|file| (file.path.as_str(), file.bytes)).collect();
        assert_eq!(paths, [("b.md", 3), ("memory/deep/a.md", 3)]);
        assert_eq!(left_out, 1);
        assert!(!same_content(&root.join("b.md"), &root.join("memory/deep/a.md")));
        assert!(same_content(&root.join("b.md"), &root.join("b.md")));
        assert_eq!(inventory(&root.join("nowhere")), (Vec::new(), 1));
    }
}
