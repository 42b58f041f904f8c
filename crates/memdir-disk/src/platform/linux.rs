//! What only Linux has: `openat2`, `renameat2`, `syncfs`, `getrandom`, `/proc`.
//!
//! The feature `portable` takes the branches of a system that has none of these, so that Linux can prove them.

use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, RawDir, RenameFlags, ResolveFlags, StatxFlags};

use super::unix::{Errno, Handle, flags_of, give_entry, walk_beneath};
use super::{FileKind, Target};
use crate::place::Place;

/// Opens a relative path below `dir`. No component may be a link; the kernel ensures it in one call if it can.
///
/// # Errors
/// `LOOP` if a link is in the way, else what the system says.
pub fn open_beneath(dir: &Handle, path: &str, target: Target) -> Result<Handle, Errno> {
    if cfg!(feature = "portable") {
        return walk_beneath(dir, path, target);
    }
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let mut answer = Err(Errno::AGAIN);
    // The kernel asks for another try when a directory was renamed meanwhile; the walk needs none.
    for _ in 0..8 {
        answer = rustix::fs::openat2(dir, path, flags_of(target), Mode::empty(), resolve);
        match answer {
            Err(Errno::AGAIN | Errno::INTR) => {}
            // An old kernel has no such call, and a sandbox may forbid it.
            Err(Errno::NOSYS | Errno::PERM) => return walk_beneath(dir, path, target),
            _ => return answer,
        }
    }
    walk_beneath(dir, path, target).or(answer)
}

pub(super) fn rename_noreplace(from: (&Handle, &str), to: (&Handle, &str)) -> Result<(), Errno> {
    if cfg!(feature = "portable") {
        return Err(Errno::NOSYS);
    }
    rustix::fs::renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE)
}

pub(super) fn rename_exchange(new: (&Handle, &str), old: (&Handle, &str)) -> Result<(), Errno> {
    if cfg!(feature = "portable") {
        return Err(Errno::NOSYS);
    }
    rustix::fs::renameat_with(new.0, new.1, old.0, old.1, RenameFlags::EXCHANGE)
}

pub(super) fn rename_noreplace_path(from: &Path, to: &Path) -> Result<(), Errno> {
    if cfg!(feature = "portable") {
        return Err(Errno::NOSYS);
    }
    super::unix::at_cwd(|cwd| rustix::fs::renameat_with(cwd, from, cwd, to, RenameFlags::NOREPLACE))
}

/// Lets two files change names, by paths.
///
/// # Errors
/// What the system says.
pub(crate) fn exchange_paths(one: &Path, other: &Path) -> Result<(), Errno> {
    if cfg!(feature = "portable") {
        return Err(Errno::NOSYS);
    }
    super::unix::at_cwd(|cwd| rustix::fs::renameat_with(cwd, one, cwd, other, RenameFlags::EXCHANGE))
}

/// Makes the entries of an open directory durable.
///
/// # Errors
/// What the system says.
pub(crate) fn sync_directory(dir: &Handle) -> Result<(), Errno> {
    rustix::fs::fsync(dir)
}

/// Makes many new files of one file system durable with one wait instead of one for each.
///
/// # Errors
/// What the system says.
pub(crate) fn sync_files(places: &[Place]) -> io::Result<()> {
    let Some(first) = places.first() else { return Ok(()) };
    Ok(rustix::fs::syncfs(&*first.dir)?)
}

/// What tells this directory from another one that takes its place, wherever it is moved: its number, and when it was
/// made if the system knows that.
pub(crate) fn identity(dir: &Handle) -> Option<String> {
    let wanted = StatxFlags::INO | StatxFlags::BTIME;
    let found = rustix::fs::statx(dir, c"", AtFlags::EMPTY_PATH, wanted).ok()?;
    Some(format!("{} {}.{:09}", found.stx_ino, found.stx_btime.tv_sec, found.stx_btime.tv_nsec))
}

/// The buffer of [`for_each_entry`], for many directories.
#[derive(Debug)]
pub struct EntryBuffer(Vec<MaybeUninit<u8>>);

impl Default for EntryBuffer {
    /// Room for some hundred entries at a time.
    fn default() -> Self {
        Self(vec![MaybeUninit::uninit(); 32 << 10])
    }
}

/// Calls back with name, kind and number for every entry but `.` and `..`.
pub fn for_each_entry(dir: &Handle, buffer: &mut EntryBuffer, mut entry: impl FnMut(&CStr, FileKind, u64)) {
    let mut entries = RawDir::new(dir, &mut buffer.0);
    while let Some(Ok(found)) = entries.next() {
        give_entry(dir, found.file_name(), found.file_type(), found.ino(), &mut entry);
    }
}

/// Fills with random bytes.
///
/// # Errors
/// The system has none to give.
pub(crate) fn fill_random(bytes: &mut [u8]) -> io::Result<()> {
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        filled += rustix::rand::getrandom(rest, rustix::rand::GetRandomFlags::empty())?;
    }
    Ok(())
}

/// Clock ticks between the start of the machine and of the process: field 22 of its `stat`.
pub(crate) fn start_time(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, field 2, is in parentheses and may hold anything, parentheses included.
    let after_name = stat.get(stat.rfind(')')?..)?;
    let mut fields = after_name.split_ascii_whitespace().skip(1);
    // A zombie has ended; only its number lives on.
    let state = fields.next()?;
    if state == "Z" || state == "X" {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

/// Seconds since 1970 of a time that [`start_time`] returned.
pub(crate) fn started_at(ticks: u64) -> Option<i64> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let boot = stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse::<i64>().ok()?;
    // What the kernel tells programs is counted so on every machine that we run on.
    const TICKS_PER_SECOND: u64 = 100;
    Some(boot + i64::try_from(ticks / TICKS_PER_SECOND).ok()?)
}

/// The number of the world in which process numbers mean something: a container has its own.
pub(crate) fn process_namespace() -> u64 {
    let link = std::fs::read_link("/proc/self/ns/pid").ok();
    let text = link.as_deref().and_then(|link| link.to_str()).unwrap_or_default();
    text.trim_start_matches("pid:[").trim_end_matches(']').parse().unwrap_or(0)
}
