//! Windows: native calls relative to an open directory, through `memdir-os`.

use std::borrow::Cow;
use std::ffi::{CStr, CString};
use std::fs::{File, OpenOptions};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{AsHandle, OwnedHandle};
use std::path::Path;
use std::time::Duration;

use memdir_core::host_path::is_windows_name;
use memdir_os::{Access, Opening, Stat, Wanted};

use super::{FileKind, StatBits, Target, Writing};
use crate::place::FileStat;

mod change;
mod own;
mod process;

pub(crate) use change::*;
pub use own::*;
pub use process::*;

/// An open file or directory.
pub type Handle = OwnedHandle;

pub use memdir_os::Errno;
pub use std::os::windows::io::AsHandle as AsOpen;

const BACKUP_SEMANTICS: u32 = 0x0200_0000;
const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
const LOOK: u32 = 0x0002_0080;

/// A name, or a path with `/` between its names.
pub trait Arg {
    /// As text.
    ///
    /// # Errors
    /// It is not UTF-8.
    fn text(&self) -> Result<Cow<'_, str>, Errno>;
}

impl Arg for &str {
    fn text(&self) -> Result<Cow<'_, str>, Errno> {
        Ok(Cow::Borrowed(self))
    }
}

impl Arg for &String {
    fn text(&self) -> Result<Cow<'_, str>, Errno> {
        Ok(Cow::Borrowed(self))
    }
}

impl Arg for &CStr {
    fn text(&self) -> Result<Cow<'_, str>, Errno> {
        self.to_str().map(Cow::Borrowed).map_err(|_| Errno::INVAL)
    }
}

/// Opens one name in a directory; a link is refused. `.` is the directory itself.
fn open_name(
    dir: &Handle,
    name: &str,
    access: Access,
    wanted: Wanted,
    opening: Opening<'_>,
) -> Result<(OwnedHandle, Stat), Errno> {
    let name = match name {
        "." => "",
        name if is_windows_name(name) => name,
        _ => return Err(Errno::INVAL),
    };
    let open = |follow| {
        patiently_for_a_file(|| memdir_os::open(dir.as_handle(), name, access, wanted, opening, follow))
    };
    let opened = match open(false) {
        // A link to a file is not a directory either: name the true reason.
        Err(Errno::NOTDIR) if wanted == Wanted::Directory && is_link(dir, name) => return Err(Errno::LOOP),
        opened => opened?,
    };
    let stat = memdir_os::stat(&opened)?;
    if stat.is_link {
        return Err(Errno::LOOP);
    }
    if !stat.is_special {
        return Ok((opened, stat));
    }
    // A file in the cloud or a compressed one: only an opening of the usual kind reads its content.
    let usual = memdir_os::open(dir.as_handle(), name, access, wanted, Opening::Existing, true)?;
    let its = memdir_os::stat(&usual)?;
    let same = (its.volume, its.number) == (stat.volume, stat.number);
    if same { Ok((usual, its)) } else { Err(Errno::LOOP) }
}

/// A file whose last handle is being closed after its removal cannot be opened for a moment.
fn patiently_for_a_file<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    for _ in 0..20 {
        match call() {
            Err(Errno::BUSY) => std::thread::sleep(Duration::from_millis(1)),
            answer => return answer,
        }
    }
    call()
}

fn is_link(dir: &Handle, name: &str) -> bool {
    let opened =
        memdir_os::open(dir.as_handle(), name, Access::Look, Wanted::Anything, Opening::Existing, false);
    opened.and_then(memdir_os::stat).is_ok_and(|stat| stat.is_link)
}

/// Opens by a path with `/` between its names, one at a time: each is opened in the directory before it.
fn open_path(dir: &Handle, path: &str, access: Access, wanted: Wanted) -> Result<(OwnedHandle, Stat), Errno> {
    let mut held: Option<OwnedHandle> = None;
    let mut rest = path;
    while let Some((name, tail)) = rest.split_once('/') {
        let here = held.as_ref().unwrap_or(dir);
        held = Some(open_name(here, name, Access::Read, Wanted::Directory, Opening::Existing)?.0);
        rest = tail;
    }
    open_name(held.as_ref().unwrap_or(dir), rest, access, wanted, Opening::Existing)
}

/// Opens a relative path below `dir`. No component may be a link.
///
/// # Errors
/// `LOOP` if a link is in the way, else what the system says.
pub fn open_beneath(dir: &Handle, path: &str, target: Target) -> Result<Handle, Errno> {
    let wanted = match target {
        Target::File => Wanted::Anything,
        Target::Directory => Wanted::Directory,
    };
    open_path(dir, path, Access::Read, wanted).map(|(opened, _)| opened)
}

/// Opens a directory by its path, through links.
///
/// # Errors
/// What the system says.
pub fn open_directory(path: &Path) -> Result<Handle, Errno> {
    let opened = OpenOptions::new().read(true).custom_flags(BACKUP_SEMANTICS).open(path)?;
    if memdir_os::stat(&opened)?.is_directory { Ok(opened.into()) } else { Err(Errno::NOTDIR) }
}

/// Opens a directory by its name in another one, or by a path below it whose parts were just listed.
///
/// # Errors
/// What the system says; `LOOP` or `NOTDIR` for a link unless links are followed.
pub fn open_directory_at(dir: &Handle, name: impl Arg, follow: bool) -> Result<Handle, Errno> {
    let name = name.text()?;
    if follow && is_windows_name(&name) {
        let dir = dir.as_handle();
        return memdir_os::open(dir, &name, Access::Read, Wanted::Directory, Opening::Existing, true);
    }
    open_path(dir, &name, Access::Read, Wanted::Directory).map(|(opened, _)| opened)
}

/// Opens a file for reading by its path; follows a link at the end only if told so. Only a file on a disk is opened.
///
/// # Errors
/// What the system says.
pub fn open_file(path: &Path, follow: bool) -> Result<File, Errno> {
    let link = if follow { 0 } else { OPEN_REPARSE_POINT };
    let flags = BACKUP_SEMANTICS | link;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if memdir_os::stat(&file)?.is_link { Err(Errno::LOOP) } else { Ok(file) }
}

/// Opens an entry of a directory for reading. A link is refused.
///
/// # Errors
/// What the system says.
pub(crate) fn open_at(dir: &Handle, name: impl Arg) -> Result<File, Errno> {
    let name = name.text()?;
    let opened = open_name(dir, &name, Access::Read, Wanted::Anything, Opening::Existing)?;
    Ok(File::from(opened.0))
}

/// Opens an entry of a directory for writing. A link is refused. A new file has the access of its directory.
///
/// # Errors
/// `EXIST` if the file must be new and is not, else what the system says.
pub(crate) fn create(dir: &Handle, name: impl Arg, writing: Writing) -> Result<File, Errno> {
    let (access, opening) = match writing {
        Writing::New => (Access::Write, Opening::New(None)),
        Writing::Existing => (Access::Write, Opening::Either),
        Writing::Append => (Access::Append, Opening::Either),
    };
    let name = name.text()?;
    open_name(dir, &name, access, Wanted::File, opening).map(|(opened, _)| File::from(opened))
}

/// What the system knows about an entry of a directory; of a link, not of where it leads.
///
/// # Errors
/// What the system says.
pub fn stat_at(dir: &Handle, name: impl Arg) -> Result<StatBits, Errno> {
    let name = name.text()?;
    if !is_windows_name(&name) {
        return Err(Errno::INVAL);
    }
    let opened = patiently_for_a_file(|| {
        memdir_os::open(dir.as_handle(), &name, Access::Look, Wanted::Anything, Opening::Existing, false)
    })?;
    stat_open(&opened)
}

/// What the system knows about an open file or directory.
///
/// # Errors
/// What the system says.
pub fn stat_open(file: impl AsOpen) -> Result<StatBits, Errno> {
    let stat = memdir_os::stat(&file)?;
    let (is_own, everybody_writes) = memdir_os::access_of(&file).unwrap_or((true, false));
    let kind = if stat.is_link {
        FileKind::Link
    } else if stat.is_directory {
        FileKind::Directory
    } else {
        FileKind::File
    };
    // The bits that rules ask for: may the owner read and write it, may others write it.
    let mode = 0o400
        | if stat.is_read_only && !stat.is_directory { 0 } else { 0o200 }
        | if everybody_writes { 0o022 } else { 0 };
    let file = FileStat {
        size: stat.size,
        modified: nanos(stat.written),
        changed: nanos(stat.changed),
        inode: stat.number,
        mode,
        owner: u32::from(!is_own),
        group: 0,
        links: stat.links.into(),
    };
    Ok(StatBits { kind, device: stat.volume.into(), file })
}

/// Nanoseconds since 1970 of a time in 100 ns since 1601.
fn nanos(time: i64) -> i128 {
    const UNIX_EPOCH: i128 = 116_444_736_000_000_000;
    (i128::from(time) - UNIX_EPOCH) * 100
}

/// What the system knows about a path, links followed.
///
/// # Errors
/// What the system says.
pub fn stat_path(path: &Path) -> Result<StatBits, Errno> {
    stat_open(OpenOptions::new().access_mode(LOOK).custom_flags(BACKUP_SEMANTICS).open(path)?)
}

/// What the system knows about a path; of a link, not of where it leads.
///
/// # Errors
/// What the system says.
pub fn stat_link(path: &Path) -> Result<StatBits, Errno> {
    let flags = BACKUP_SEMANTICS | OPEN_REPARSE_POINT;
    stat_open(OpenOptions::new().access_mode(LOOK).custom_flags(flags).open(path)?)
}

fn list(dir: &Handle) -> Result<Vec<memdir_os::Entry>, Errno> {
    // A listing has a position, and an opening has one listing: each needs its own.
    let own =
        memdir_os::open(dir.as_handle(), "", Access::Read, Wanted::Directory, Opening::Existing, false)?;
    memdir_os::entries(own.as_handle())
}

fn kind_of(entry: &memdir_os::Entry) -> FileKind {
    match (entry.is_link, entry.is_directory) {
        (true, _) => FileKind::Link,
        (false, true) => FileKind::Directory,
        (false, false) => FileKind::File,
    }
}

/// The names in a directory and what they are, `.` and `..` included.
///
/// # Errors
/// What the system says.
pub(crate) fn read_names(dir: &Handle) -> Result<Vec<(CString, FileKind)>, Errno> {
    let named = |entry: memdir_os::Entry| Some((CString::new(entry.name.as_str()).ok()?, kind_of(&entry)));
    Ok(list(dir)?.into_iter().filter_map(named).collect())
}

/// The buffer of [`for_each_entry`]; the listing has its own. Made by `default`, as on Linux, so not a unit struct.
#[derive(Debug, Default)]
pub struct EntryBuffer(());

/// Calls back with name, kind and number for every entry but `.` and `..`.
pub fn for_each_entry(dir: &Handle, _: &mut EntryBuffer, mut entry: impl FnMut(&CStr, FileKind, u64)) {
    for found in list(dir).unwrap_or_default() {
        if let (false, Ok(name)) =
            (matches!(found.name.as_str(), "." | ".."), CString::new(found.name.as_str()))
        {
            entry(&name, kind_of(&found), found.number);
        }
    }
}
