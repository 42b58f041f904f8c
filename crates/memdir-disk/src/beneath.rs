//! Opening below a directory in such a way that no name and no link can lead out.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// Opens a relative path below `dir`. No component may be a link; the kernel sees to it in one call where it can.
///
/// # Errors
/// `ELOOP` where a link stands in the way, else what the system says.
pub(crate) fn open_beneath(dir: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NOCTTY;
    #[cfg(target_os = "linux")]
    match openat2_beneath(dir, path, flags) {
        // An old kernel has no such call, and a sandbox may forbid it.
        Err(Errno::NOSYS | Errno::PERM) => {}
        answer => return answer,
    }
    walk_beneath(dir, path, flags)
}

#[cfg(target_os = "linux")]
fn openat2_beneath(dir: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let mut answer = Err(Errno::AGAIN);
    // The kernel asks for another try when a directory was renamed meanwhile; the walk needs none.
    for _ in 0..8 {
        answer = rustix::fs::openat2(dir, path, flags, Mode::empty(), resolve);
        if !matches!(answer, Err(Errno::AGAIN | Errno::INTR)) {
            return answer;
        }
    }
    walk_beneath(dir, path, flags).or(answer)
}

/// The same, one component at a time: each is opened in the directory before it and may not be a link.
pub(crate) fn walk_beneath(dir: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NOCTTY;
    let through = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut held: Option<OwnedFd> = None;
    let mut rest = path;
    while let Some((name, tail)) = rest.split_once('/') {
        let here = held.as_ref().map_or(dir, AsFd::as_fd);
        held = Some(open_component(here, name, through)?);
        rest = tail;
    }
    let here = held.as_ref().map_or(dir, AsFd::as_fd);
    open_component(here, rest, flags)
}

fn open_component(dir: BorrowedFd<'_>, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    if matches!(name, "" | "..") {
        return Err(Errno::INVAL);
    }
    match rustix::fs::openat(dir, name, flags, Mode::empty()) {
        // With DIRECTORY, some systems say "not a directory" of a link: name the true reason.
        Err(Errno::NOTDIR) if is_link(dir, name) => Err(Errno::LOOP),
        answer => answer,
    }
}

fn is_link(dir: BorrowedFd<'_>, name: &str) -> bool {
    use rustix::fs::{AtFlags, FileType};
    rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn both_ways_open_the_same_and_refuse_the_same() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("a/b")).unwrap();
        fs::write(temp.path().join("a/b/f"), "x").unwrap();
        std::os::unix::fs::symlink("a", temp.path().join("link")).unwrap();
        std::os::unix::fs::symlink("f", temp.path().join("a/b/to_f")).unwrap();
        let dir = fs::File::open(temp.path()).unwrap();
        for (path, expected) in [
            ("a/b/f", Ok(())),
            ("a/b", Ok(())),
            ("a/none", Err(Errno::NOENT)),
            ("a/b/f/x", Err(Errno::NOTDIR)),
            ("link/b/f", Err(Errno::LOOP)),
            ("a/b/to_f", Err(Errno::LOOP)),
        ] {
            assert_eq!(open_beneath(dir.as_fd(), path, OFlags::RDONLY).map(drop), expected, "{path}");
            assert_eq!(walk_beneath(dir.as_fd(), path, OFlags::RDONLY).map(drop), expected, "walk {path}");
        }
        for path in ["..", "a/../..", "../x", "/etc/passwd"] {
            assert!(open_beneath(dir.as_fd(), path, OFlags::RDONLY).is_err(), "{path}");
            assert!(walk_beneath(dir.as_fd(), path, OFlags::RDONLY).is_err(), "walk {path}");
        }
    }
}
