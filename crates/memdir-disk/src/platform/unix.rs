//! What Linux and macOS have in common.

use std::ffi::CStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};

use rustix::fs::{AtFlags, CWD, FileType, Gid, Mode, OFlags, Stat, Timespec, Timestamps, UTIME_NOW, Uid};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use super::{FileKind, StatBits, Target, Writing};
use crate::place::FileStat;

/// An open file or directory.
pub type Handle = OwnedFd;

pub use rustix::io::Errno;
pub use rustix::path::Arg;
pub use std::os::fd::AsFd as AsOpen;
pub use std::os::unix::fs::FileExt;

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC).union(OFlags::NOCTTY);

pub(super) fn flags_of(target: Target) -> OFlags {
    let flags = match target {
        Target::File => FILE,
        Target::Directory => DIRECTORY,
    };
    flags | OFlags::NOFOLLOW | OFlags::NOCTTY
}

/// Opens a directory by its path, through links.
///
/// # Errors
/// What the system says.
pub fn open_directory(path: &Path) -> Result<Handle, Errno> {
    rustix::fs::open(path, DIRECTORY, Mode::empty())
}

/// Opens a directory by its name in another one, or by a path below it whose parts were just listed.
///
/// # Errors
/// What the system says; `LOOP` or `NOTDIR` for a link unless links are followed.
pub fn open_directory_at(dir: &Handle, name: impl Arg, follow: bool) -> Result<Handle, Errno> {
    let link = if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
    rustix::fs::openat(dir, name, DIRECTORY | link, Mode::empty())
}

/// Opens a file for reading by its path; never waits for a pipe, and follows a link at the end only if told so.
///
/// # Errors
/// What the system says.
pub fn open_file(path: &Path, follow: bool) -> Result<File, Errno> {
    let link = if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
    rustix::fs::open(path, FILE | link, Mode::empty()).map(File::from)
}

/// Opens an entry of a directory for reading. A link is refused, a pipe is not waited for.
///
/// # Errors
/// What the system says.
pub(crate) fn open_at(dir: &Handle, name: impl Arg) -> Result<File, Errno> {
    rustix::fs::openat(dir, name, FILE | OFlags::NOFOLLOW, Mode::empty()).map(File::from)
}

/// Opens an entry of a directory for writing, a new one for the user alone. A link is refused.
///
/// # Errors
/// `EXIST` if the file must be new and is not, else what the system says.
pub(crate) fn create(dir: &Handle, name: impl Arg, writing: Writing) -> Result<File, Errno> {
    let plain = OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let flags = match writing {
        Writing::New => plain | OFlags::WRONLY | OFlags::EXCL,
        Writing::Existing => plain | OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY,
        Writing::Append => plain | OFlags::RDWR | OFlags::APPEND | OFlags::NONBLOCK | OFlags::NOCTTY,
    };
    rustix::fs::openat(dir, name, flags, Mode::RUSR | Mode::WUSR).map(File::from)
}

/// Opens a relative path below `dir`, one component at a time: each is opened in the directory before it and may not
/// be a link.
pub(super) fn walk_beneath(dir: &Handle, path: &str, target: Target) -> Result<Handle, Errno> {
    let mut held: Option<OwnedFd> = None;
    let mut rest = path;
    while let Some((name, tail)) = rest.split_once('/') {
        let here = held.as_ref().unwrap_or(dir);
        held = Some(open_component(here, name, flags_of(Target::Directory))?);
        rest = tail;
    }
    open_component(held.as_ref().unwrap_or(dir), rest, flags_of(target))
}

fn open_component(dir: &Handle, name: &str, flags: OFlags) -> Result<Handle, Errno> {
    if matches!(name, "" | "..") {
        return Err(Errno::INVAL);
    }
    match rustix::fs::openat(dir, name, flags, Mode::empty()) {
        // With DIRECTORY, some systems say "not a directory" of a link: name the true reason.
        Err(Errno::NOTDIR) if stat_at(dir, name).is_ok_and(|stat| stat.kind == FileKind::Link) => {
            Err(Errno::LOOP)
        }
        answer => answer,
    }
}

/// What the system knows about an entry of a directory; of a link, not of where it leads.
///
/// # Errors
/// What the system says.
pub fn stat_at(dir: &Handle, name: impl Arg) -> Result<StatBits, Errno> {
    rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).map(|stat| bits(&stat))
}

/// What the system knows about an open file or directory.
///
/// # Errors
/// What the system says.
pub fn stat_open(file: impl AsOpen) -> Result<StatBits, Errno> {
    rustix::fs::fstat(file).map(|stat| bits(&stat))
}

/// What the system knows about a path, links followed.
///
/// # Errors
/// What the system says.
pub fn stat_path(path: &Path) -> Result<StatBits, Errno> {
    rustix::fs::stat(path).map(|stat| bits(&stat))
}

/// What the system knows about a path; of a link, not of where it leads.
///
/// # Errors
/// What the system says.
pub fn stat_link(path: &Path) -> Result<StatBits, Errno> {
    rustix::fs::lstat(path).map(|stat| bits(&stat))
}

#[allow(clippy::unnecessary_cast, clippy::useless_conversion, reason = "the fields differ between systems")]
fn bits(stat: &Stat) -> StatBits {
    let nanos = |seconds: i64, nanos: u64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    let file = FileStat {
        size: u64::try_from(stat.st_size).unwrap_or(0),
        modified: nanos(stat.st_mtime as i64, stat.st_mtime_nsec as u64),
        changed: nanos(stat.st_ctime as i64, stat.st_ctime_nsec as u64),
        inode: stat.st_ino as u64,
        mode: u32::from(stat.st_mode) & 0o7777,
        owner: stat.st_uid,
        group: stat.st_gid,
        links: stat.st_nlink as u64,
    };
    StatBits { kind: kind_of(FileType::from_raw_mode(stat.st_mode)), device: stat.st_dev as u64, file }
}

pub(super) fn kind_of(kind: FileType) -> FileKind {
    match kind {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Link,
        FileType::Unknown => FileKind::Unknown,
        _ => FileKind::Other,
    }
}

/// The names in a directory and what they are, `.` and `..` included.
///
/// # Errors
/// What the system says.
pub(crate) fn read_names(dir: &Handle) -> Result<Vec<(std::ffi::CString, FileKind)>, Errno> {
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(dir)? {
        let entry = entry?;
        names.push((entry.file_name().to_owned(), kind_of(entry.file_type())));
    }
    Ok(names)
}

/// Calls back with name, kind and number for every entry but `.` and `..`; asks for the kind where the listing does not
/// say.
pub(super) fn give_entry(
    dir: &Handle,
    name: &CStr,
    kind: FileType,
    number: u64,
    entry: &mut impl FnMut(&CStr, FileKind, u64),
) {
    if name == c"." || name == c".." {
        return;
    }
    let kind = match kind_of(kind) {
        FileKind::Unknown => stat_at(dir, name).map_or(FileKind::Unknown, |stat| stat.kind),
        known => known,
    };
    entry(name, kind, number);
}

/// Makes a directory for the user alone.
///
/// # Errors
/// What the system says.
pub(crate) fn make_directory_at(dir: &Handle, name: &str) -> Result<(), Errno> {
    rustix::fs::mkdirat(dir, name, Mode::RWXU)
}

/// Makes a directory for the user alone, by its path.
///
/// # Errors
/// What the system says.
pub(crate) fn make_directory(path: &Path) -> Result<(), Errno> {
    rustix::fs::mkdir(path, Mode::RWXU)
}

/// Removes a file by its name in a directory.
///
/// # Errors
/// What the system says.
pub(crate) fn remove_at(dir: &Handle, name: &str) -> Result<(), Errno> {
    rustix::fs::unlinkat(dir, name, AtFlags::empty())
}

/// Removes an empty directory by its name in another one.
///
/// # Errors
/// What the system says.
pub(crate) fn remove_directory_at(dir: &Handle, name: &str) -> Result<(), Errno> {
    rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR)
}

/// Gives a file another name; `EXIST` if that is taken.
///
/// # Errors
/// What the system says.
pub(crate) fn rename_new(from: (&Handle, &str), to: (&Handle, &str)) -> Result<(), Errno> {
    match super::rename_noreplace(from, to) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        answer => return answer,
    }
    // A second name cannot replace anything either.
    rustix::fs::linkat(from.0, from.1, to.0, to.1, AtFlags::empty())?;
    rustix::fs::unlinkat(from.0, from.1, AtFlags::empty())
}

/// Lets two files change names; `NOENT` if the second does not exist.
///
/// If the file system cannot exchange, the old file gets a second name first, and the new one takes over the first.
/// Then a file that another program renames into place between the two calls is lost; in-place writes are not.
///
/// # Errors
/// What the system says.
pub(crate) fn exchange(new: (&Handle, &str), old: (&Handle, &str)) -> Result<(), Errno> {
    match super::rename_exchange(new, old) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        answer => return answer,
    }
    let aside = format!("{}.swap", new.1);
    rustix::fs::linkat(old.0, old.1, old.0, aside.as_str(), AtFlags::empty())?;
    rustix::fs::renameat(new.0, new.1, old.0, old.1)?;
    rustix::fs::renameat(old.0, aside.as_str(), new.0, new.1)
}

/// Gives a file or directory another name, by paths; `false` if that is taken.
///
/// # Errors
/// What the system says.
pub(crate) fn rename_path_new(from: &Path, to: &Path) -> io::Result<bool> {
    match super::rename_noreplace_path(from, to) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        // A file system that cannot do both at once: a look, then the rename.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            if fs::symlink_metadata(to).is_ok() {
                return Ok(false);
            }
            fs::rename(from, to).map(|()| true)
        }
        Err(error) => Err(error.into()),
    }
}

/// Gives a new file of ours the access of another one: its owner, group and mode, or less where we may not.
///
/// # Errors
/// What the system says.
pub(crate) fn copy_access(file: &File, like: &FileStat) -> io::Result<()> {
    let mut mode = like.mode & 0o777;
    let own = stat_open(file)?.file;
    if (own.owner, own.group) != (like.owner, like.group) {
        let owner = (own.owner != like.owner).then(|| Uid::from_raw(like.owner));
        if rustix::fs::fchown(file, owner, Some(Gid::from_raw(like.group))).is_err() {
            // A group that we may not give must not become another one that may read.
            mode &= 0o700;
        }
    }
    if mode != own.mode & 0o777 {
        rustix::fs::fchmod(file, Mode::from_raw_mode(raw_mode(mode)))?;
    }
    Ok(())
}

fn raw_mode(mode: u32) -> rustix::fs::RawMode {
    mode as rustix::fs::RawMode
}

/// Whether a file of this owner belongs to the user whom we run for.
#[must_use]
pub fn is_own(stat: &FileStat) -> bool {
    stat.owner == rustix::process::geteuid().as_raw()
}

/// The same for what the standard library knows about a file.
#[must_use]
pub(crate) fn is_own_file(metadata: &fs::Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Whether others than its owner may do anything with a file or directory.
#[must_use]
pub(crate) fn is_open_to_others(metadata: &fs::Metadata) -> bool {
    metadata.mode() & 0o077 != 0
}

/// Whether others than its owner may write into a directory.
#[must_use]
pub(crate) fn is_writable_by_others(stat: &FileStat) -> bool {
    stat.mode & 0o022 != 0
}

/// Takes a directory from all but its owner.
///
/// # Errors
/// What the system says.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o700))
}

/// A builder of directories for the user alone.
#[must_use]
pub(crate) fn private_directories() -> fs::DirBuilder {
    let mut builder = fs::DirBuilder::new();
    builder.mode(0o700);
    builder
}

/// How files of ours are opened.
pub trait OpenOwn {
    /// A new file is for the user alone.
    fn private(&mut self) -> &mut Self;
    /// A pipe in the place of a file is an error, not something to wait for.
    fn not_waiting(&mut self) -> &mut Self;
    /// The same, and a link in the place of a file is refused.
    fn no_link(&mut self) -> &mut Self;
}

impl OpenOwn for OpenOptions {
    fn private(&mut self) -> &mut Self {
        self.mode(0o600)
    }

    fn not_waiting(&mut self) -> &mut Self {
        self.custom_flags(OFlags::NONBLOCK.bits().cast_signed())
    }

    fn no_link(&mut self) -> &mut Self {
        self.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
    }
}

/// Makes a link to a path.
///
/// # Errors
/// What the system says.
pub(crate) fn make_link(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Takes an open file or directory for this process alone; `false` if another has it. A file system without locks
/// counts as locked.
pub(crate) fn try_lock(file: impl AsOpen) -> bool {
    let taken = rustix::fs::flock(file, rustix::fs::FlockOperation::NonBlockingLockExclusive);
    !matches!(taken, Err(Errno::WOULDBLOCK | Errno::INTR))
}

/// Gives back what [`try_lock`] took.
pub(crate) fn unlock(file: impl AsOpen) {
    let _ = rustix::fs::flock(file, rustix::fs::FlockOperation::Unlock);
}

/// A lock on a directory itself: no file is needed, and processes in another container see it too.
#[derive(Debug)]
pub(crate) struct DirectoryLock(Handle);

impl DirectoryLock {
    /// Not held yet. A lock belongs to an opening of the directory: each holder needs its own.
    ///
    /// # Errors
    /// The directory cannot be opened.
    pub(crate) fn of(dir: &Handle) -> Result<Self, Errno> {
        super::open_beneath(dir, ".", Target::Directory).map(Self)
    }

    /// Takes it; `false` if another has it.
    pub(crate) fn try_take(&mut self) -> bool {
        try_lock(&self.0)
    }
}

/// Cuts a file off.
///
/// # Errors
/// What the system says.
pub(crate) fn cut(file: &File, _: &Path, length: u64) -> io::Result<()> {
    file.set_len(length)
}

/// Puts a file in the place of another, by paths.
///
/// # Errors
/// What the system says.
pub(crate) fn replace_path(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// Makes a rename or removal in a directory durable, by its path.
///
/// # Errors
/// What the system says.
pub(crate) fn sync_directory_path(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Dates a file by the clock of its file system.
///
/// # Errors
/// What the system says.
pub(crate) fn date_now(file: &File) -> io::Result<()> {
    let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
    Ok(rustix::fs::futimens(file, &Timestamps { last_access: now, last_modification: now })?)
}

/// What tells an open file from an earlier state of it, or from another file: size, number, and both times.
pub(crate) fn stamp_of(metadata: &fs::Metadata) -> [u64; 4] {
    let nanos = |seconds: i64, nanos: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(nanos);
    [
        metadata.size(),
        metadata.ino(),
        nanos(metadata.mtime(), metadata.mtime_nsec()).cast_unsigned(),
        nanos(metadata.ctime(), metadata.ctime_nsec()).cast_unsigned(),
    ]
}

/// The device and number of what the standard library looked at.
pub(crate) fn device_and_number(_: &Path, metadata: &fs::Metadata) -> Option<(u64, u64)> {
    Some((metadata.dev(), metadata.ino()))
}

/// Whether an open file is a pipe, a socket or a device.
pub(crate) fn is_special(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    kind.is_fifo() || kind.is_socket() || kind.is_char_device() || kind.is_block_device()
}

/// Whether a process of that number runs.
pub(crate) fn has_process(process: u32) -> bool {
    let id = i32::try_from(process).ok().and_then(Pid::from_raw);
    matches!(id.map(rustix::process::test_kill_process), Some(Ok(()) | Err(Errno::PERM)))
}

/// Ends this process at once.
pub(crate) fn end_now() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), Signal::KILL);
}

/// Bounds the memory of this process and of those that it starts.
pub(crate) fn bound_memory(bytes: u64) {
    let limit = rustix::process::Rlimit { current: Some(bytes), maximum: Some(bytes) };
    let _ = rustix::process::setrlimit(rustix::process::Resource::Data, limit);
}

/// Lets all other processes go first from now on.
pub(crate) fn lower_priority() {
    let _ = rustix::process::nice(10);
}

/// Lets a command run on when the process that starts it, or its terminal, ends.
pub fn detach(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// A command line of the user's, run by the shell; the argument is added as one word.
pub fn shell_command(line: &str, argument: Option<&str>) -> Command {
    let mut command = Command::new("sh");
    match argument {
        Some(argument) => command.args(["-c", &format!("{line} \"$1\""), "sh", argument]),
        None => command.args(["-c", line]),
    };
    command
}

/// Turns this process into another program; returns only if that fails.
pub fn become_program(command: &mut Command) -> io::Error {
    command.exec()
}

/// Columns and rows of the terminal that standard output is, if it is one.
#[must_use]
pub fn terminal_size() -> Option<(usize, usize)> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then(|| (size.ws_col.into(), size.ws_row.into()))
}

/// The bytes of an argument as they arrived.
#[must_use]
pub fn argument_bytes(argument: &std::ffi::OsStr) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(argument).to_vec()
}

/// A child process together with all processes that it starts.
#[derive(Debug)]
pub struct ProcessTree {
    process: Option<Pid>,
}

impl ProcessTree {
    /// Prepares a command so that the processes it starts can be ended with it.
    pub fn prepare(command: &mut Command) -> &mut Command {
        command.process_group(0)
    }

    /// The tree of a child that was just started from a prepared command.
    ///
    /// # Errors
    /// What the system says.
    pub fn of(child: &Child) -> io::Result<Self> {
        Ok(Self { process: i32::try_from(child.id()).ok().and_then(Pid::from_raw) })
    }

    /// Whether the child has ended. It is left unburied, so that its number stays its own until the tree is killed.
    #[must_use]
    pub fn has_ended(&self, _: &mut Child) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.process.is_none_or(|pid| !matches!(rustix::process::waitid(WaitId::Pid(pid), options), Ok(None)))
    }

    /// Ends all processes of the tree, on Linux also those that have left its group.
    pub fn kill(&self) {
        if let Some(process) = self.process {
            let strays = descendants(process);
            let _ = rustix::process::kill_process_group(process, Signal::KILL);
            for stray in strays {
                let _ = rustix::process::kill_process(stray, Signal::KILL);
            }
        }
    }
}

/// All processes below one, as `/proc` tells; none where there is no `/proc`.
fn descendants(process: Pid) -> Vec<Pid> {
    let parent_of = |entry: fs::DirEntry| {
        let pid = entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw)?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name of the program is in brackets and may hold anything.
        let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        Some((pid, Pid::from_raw(parent)?))
    };
    let all: Vec<(Pid, Pid)> =
        fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(parent_of).collect();
    let mut found = vec![process];
    let mut looked_at = 0;
    while let Some(parent) = found.get(looked_at).copied() {
        looked_at += 1;
        found.extend(all.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
    }
    found.split_off(1)
}

pub(super) fn at_cwd<T>(call: impl FnOnce(rustix::fd::BorrowedFd<'static>) -> T) -> T {
    call(CWD)
}
