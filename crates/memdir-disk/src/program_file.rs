//! A program that takes the place of an older one, and gives it back if it does not start.

use std::env::consts::EXE_SUFFIX;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};

use camino::Utf8Path;

use crate::disk_error::{DiskError, IoContext};
use crate::platform;

/// Replaces a program, durably. `starts` runs the file that it is given: the new program before it takes the place of the
/// old one, and once more there. If it does not start, the old one stays or comes back.
///
/// # Errors
/// The new program does not start, or the system fails; then the old one is in its place.
pub fn replace_program(
    path: &Utf8Path,
    content: &[u8],
    starts: impl Fn(&Utf8Path) -> bool,
) -> Result<(), DiskError> {
    let [new, old] =
        ["new", "old"].map(|which| path.with_file_name(format!(".memdir-update-{which}{EXE_SUFFIX}")));
    // Windows keeps the file of a program that runs; the update after it removes it.
    for left in [&new, &old] {
        let _ = fs::remove_file(left);
    }
    let written = write(&new, path, content).during("write", &new);
    if written.is_err() || !starts(&new) {
        let _ = fs::remove_file(&new);
        written?;
        return DiskError::refused(path, "the new program does not start, so nothing was replaced");
    }
    swap(&new, path, &old).during("replace", path)?;
    if !starts(path) {
        fs::rename(&old, path).or_else(|_| swap(&old, path, &new)).during("restore", path)?;
        return DiskError::refused(path, "the new program does not start there; the old one was restored");
    }
    let _ = fs::remove_file(&old);
    Ok(())
}

fn write(new: &Utf8Path, like: &Utf8Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(new)?;
    file.write_all(content)?;
    platform::copy_access(&file, &platform::stat_path(like.as_std_path())?.file)?;
    file.sync_all()
}

/// Puts `new` at `path` and what was there at `old`: in one step, or where the system holds a program that runs, in two.
fn swap(new: &Utf8Path, path: &Utf8Path, old: &Utf8Path) -> io::Result<()> {
    if fs::hard_link(path, old).is_err() || fs::rename(new, path).is_err() {
        let _ = fs::remove_file(old);
        fs::rename(path, old)?;
        if let Err(error) = fs::rename(new, path) {
            fs::rename(old, path)?;
            return Err(error);
        }
    }
    platform::sync_directory_path(path.parent().unwrap_or(Utf8Path::new(".")).as_std_path())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_program_that_does_not_start_leaves_the_old_one() {
        let temp = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(temp.path()).unwrap().join("memdir");
        fs::write(&path, "old").unwrap();
        let holds = |text: &str| {
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);
        };
        replace_program(&path, b"broken", |_| false).unwrap_err();
        holds("old");
        let looks = Cell::new(0);
        let only_before = |_: &Utf8Path| looks.replace(looks.get() + 1) == 0;
        replace_program(&path, b"broken there", only_before).unwrap_err();
        assert_eq!((looks.get(), fs::read_to_string(&path).unwrap().as_str()), (2, "old"));
        replace_program(&path, b"new", |file| fs::read(file).unwrap() == b"new").unwrap();
        holds("new");
    }
}
