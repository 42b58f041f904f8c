//! Opening, looking at, renaming and removing entries of an open directory, by the native calls that take one.

use std::mem::offset_of;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr::{null, null_mut};

use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem as nt;
use windows_sys::Win32::Foundation::{HANDLE, OBJ_CASE_INSENSITIVE, UNICODE_STRING};
use windows_sys::Win32::Security::Cryptography::{BCRYPT_USE_SYSTEM_PREFERRED_RNG, BCryptGenRandom};
use windows_sys::Win32::Storage::FileSystem as win;
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

use crate::access::OwnAccess;
use crate::errno::Errno;

/// What may be done with what is opened. Its attributes and its owner can always be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only looking at it.
    Look,
    /// Reading a file, or listing a directory.
    Read,
    /// Writing a file, or making the entries of a directory durable.
    Write,
    /// Appending to a file, and reading it.
    Append,
    /// Giving it another name, or removing it.
    Remove,
}

/// What it must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Whatever it is.
    Anything,
    /// Not a directory.
    File,
    /// A directory.
    Directory,
}

/// Whether it exists already.
#[derive(Debug, Clone, Copy)]
pub enum Opening<'a> {
    /// It must exist.
    Existing,
    /// It must not exist.
    New(Option<&'a OwnAccess>),
    /// It may exist.
    Either,
}

/// Opens an entry of a directory; the empty name is the directory itself. The name is not looked at: who calls has made
/// sure that it is one name.
///
/// A link is opened itself unless `follow` says otherwise.
///
/// # Errors
/// What the system says.
pub fn open(
    dir: BorrowedHandle<'_>,
    name: &str,
    access: Access,
    wanted: Wanted,
    opening: Opening<'_>,
    follow: bool,
) -> Result<OwnedHandle, Errno> {
    let look = win::FILE_READ_ATTRIBUTES | win::READ_CONTROL | win::SYNCHRONIZE;
    let access = look
        | match access {
            Access::Look => 0,
            Access::Read => win::FILE_GENERIC_READ,
            Access::Write => win::FILE_GENERIC_WRITE,
            Access::Append => win::FILE_GENERIC_READ | win::FILE_APPEND_DATA | win::FILE_WRITE_ATTRIBUTES,
            Access::Remove => win::DELETE,
        };
    let (disposition, security) = match opening {
        Opening::Existing => (nt::FILE_OPEN, None),
        Opening::New(security) => (nt::FILE_CREATE, security),
        Opening::Either => (nt::FILE_OPEN_IF, None),
    };
    let kind = match wanted {
        Wanted::Anything => 0,
        Wanted::File => nt::FILE_NON_DIRECTORY_FILE,
        Wanted::Directory => nt::FILE_DIRECTORY_FILE,
    };
    let link = if follow { 0 } else { nt::FILE_OPEN_REPARSE_POINT };
    let options = kind | link | nt::FILE_SYNCHRONOUS_IO_NONALERT | nt::FILE_OPEN_FOR_BACKUP_INTENT;
    let mut wide = name.encode_utf16().collect::<Vec<_>>();
    let bytes = u16::try_from(wide.len() * 2).map_err(|_| Errno::INVAL)?;
    let name = UNICODE_STRING { Length: bytes, MaximumLength: bytes, Buffer: wide.as_mut_ptr() };
    let attributes = OBJECT_ATTRIBUTES {
        Length: size_of_u32::<OBJECT_ATTRIBUTES>(),
        RootDirectory: dir.as_raw_handle(),
        ObjectName: &raw const name,
        Attributes: OBJ_CASE_INSENSITIVE,
        SecurityDescriptor: security.map_or(null(), |security| security.descriptor().cast()),
        SecurityQualityOfService: null(),
    };
    let mut status = IO_STATUS_BLOCK::default();
    let mut handle: HANDLE = null_mut();
    // SAFETY: every pointer leads to a local of the right type, or to the descriptor that `security` owns; all outlive the
    // call, which is synchronous. `dir` is open while it is borrowed.
    let answer = unsafe {
        nt::NtCreateFile(
            &raw mut handle,
            access,
            &raw const attributes,
            &raw mut status,
            null(),
            win::FILE_ATTRIBUTE_NORMAL,
            win::FILE_SHARE_READ | win::FILE_SHARE_WRITE | win::FILE_SHARE_DELETE,
            disposition,
            options,
            null(),
            0,
        )
    };
    Errno::check(answer)?;
    // SAFETY: the call succeeded, so it made this handle, and nothing else owns it.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// What the system knows about an open file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Whether it is a file on a disk; a pipe and a device are not.
    pub is_on_disk: bool,
    /// Whether it leads to another place: a symbolic link, a junction.
    pub is_link: bool,
    /// Whether the system attaches something else to it: a file in the cloud, a compressed one.
    pub is_special: bool,
    /// Whether it must not be written.
    pub is_read_only: bool,
    /// The number of its volume.
    pub volume: u32,
    /// Its number on the volume.
    pub number: u64,
    /// How many names it has.
    pub links: u32,
    /// Its length in bytes.
    pub size: u64,
    /// When it was made, in 100 ns since 1601.
    pub created: i64,
    /// When its content changed last.
    pub written: i64,
    /// When its content or its place changed last.
    pub changed: i64,
}

/// Looks at an open file or directory.
///
/// # Errors
/// What the system says.
pub fn stat(file: impl AsHandle) -> Result<Stat, Errno> {
    let file = file.as_handle();
    let mut plain = win::BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the call fills the structure that it is given, and the handle is open while it is borrowed.
    if unsafe { win::GetFileInformationByHandle(file.as_raw_handle(), &raw mut plain) } == 0 {
        let error = Errno::last();
        // SAFETY: the call takes an open handle and returns a number.
        let kind = unsafe { win::GetFileType(file.as_raw_handle()) };
        return Err(if kind == win::FILE_TYPE_DISK { error } else { Errno::NXIO });
    }
    let basic: win::FILE_BASIC_INFO = information(file, win::FileBasicInfo)?;
    let is_special = plain.dwFileAttributes & win::FILE_ATTRIBUTE_REPARSE_POINT != 0;
    let tag = if is_special {
        information::<win::FILE_ATTRIBUTE_TAG_INFO>(file, win::FileAttributeTagInfo)?.ReparseTag
    } else {
        0
    };
    Ok(Stat {
        is_directory: plain.dwFileAttributes & win::FILE_ATTRIBUTE_DIRECTORY != 0,
        is_on_disk: true,
        is_link: is_special && is_surrogate(tag),
        is_special,
        is_read_only: plain.dwFileAttributes & win::FILE_ATTRIBUTE_READONLY != 0,
        volume: plain.dwVolumeSerialNumber,
        number: u64::from(plain.nFileIndexHigh) << 32 | u64::from(plain.nFileIndexLow),
        links: plain.nNumberOfLinks,
        size: u64::from(plain.nFileSizeHigh) << 32 | u64::from(plain.nFileSizeLow),
        created: basic.CreationTime,
        written: basic.LastWriteTime,
        changed: basic.ChangeTime,
    })
}

/// Whether what has this tag leads elsewhere, as links and junctions do.
pub(crate) fn is_surrogate(tag: u32) -> bool {
    const NAME_SURROGATE: u32 = 0x2000_0000;
    tag & NAME_SURROGATE != 0
}

/// A plain structure of numbers that the system fills.
fn information<T: Default + Copy>(
    file: BorrowedHandle<'_>,
    class: win::FILE_INFO_BY_HANDLE_CLASS,
) -> Result<T, Errno> {
    let mut found = T::default();
    // SAFETY: the call fills the structure that it is given and knows its length; the handle is open while borrowed.
    let answer = unsafe {
        win::GetFileInformationByHandleEx(
            file.as_raw_handle(),
            class,
            (&raw mut found).cast(),
            size_of_u32::<T>(),
        )
    };
    if answer == 0 { Err(Errno::last()) } else { Ok(found) }
}

/// Gives an open entry another name. Without `replace`, a taken name is an error; with it, the file of that name is
/// replaced in one step, even while others have it open where the file system can do that.
///
/// # Errors
/// `EXIST` if the name is taken, else what the system says.
pub fn rename(
    file: BorrowedHandle<'_>,
    dir: BorrowedHandle<'_>,
    name: &str,
    replace: bool,
) -> Result<(), Errno> {
    if !replace {
        return set_name(file, dir, name, 0, nt::FileRenameInformation);
    }
    let flags = nt::FILE_RENAME_REPLACE_IF_EXISTS
        | nt::FILE_RENAME_POSIX_SEMANTICS
        | nt::FILE_RENAME_IGNORE_READONLY_ATTRIBUTE;
    match set_name(file, dir, name, flags, nt::FileRenameInformationEx) {
        Err(Errno::NOSYS) => set_name(file, dir, name, 1, nt::FileRenameInformation),
        answer => answer,
    }
}

/// Gives an open file a second name.
///
/// # Errors
/// `EXIST` if the name is taken, else what the system says.
pub fn link(file: BorrowedHandle<'_>, dir: BorrowedHandle<'_>, name: &str) -> Result<(), Errno> {
    set_name(file, dir, name, 0, nt::FileLinkInformation)
}

/// The structures for a rename and for a link have the same fields at the same places.
fn set_name(
    file: BorrowedHandle<'_>,
    dir: BorrowedHandle<'_>,
    name: &str,
    flags: u32,
    class: nt::FILE_INFORMATION_CLASS,
) -> Result<(), Errno> {
    use nt::FILE_RENAME_INFORMATION as Rename;
    const ROOT: usize = offset_of!(Rename, RootDirectory);
    const LENGTH: usize = offset_of!(Rename, FileNameLength);
    const NAME: usize = offset_of!(Rename, FileName);
    let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let name_bytes = u32::try_from(wide.len()).map_err(|_| Errno::INVAL)?;
    let mut bytes = flags.to_le_bytes().to_vec();
    bytes.resize(ROOT, 0);
    bytes.extend_from_slice(&dir.as_raw_handle().addr().to_le_bytes());
    bytes.resize(LENGTH, 0);
    bytes.extend_from_slice(&name_bytes.to_le_bytes());
    bytes.resize(NAME, 0);
    bytes.extend_from_slice(&wide);
    let length = u32::try_from(bytes.len().max(size_of::<Rename>())).map_err(|_| Errno::INVAL)?;
    bytes.resize(bytes.len().max(size_of::<Rename>()).next_multiple_of(8), 0);
    // Words, because the structure must be aligned like its handle.
    let words: Vec<u64> =
        bytes.chunks_exact(8).filter_map(|chunk| Some(u64::from_le_bytes(chunk.try_into().ok()?))).collect();
    set_information(file, words.as_ptr().cast(), length, class)
}

/// Removes an open entry: its name is free when this returns where the file system can do that, else when the last
/// program closes it.
///
/// # Errors
/// What the system says.
pub fn remove(file: BorrowedHandle<'_>) -> Result<(), Errno> {
    let flags = nt::FILE_DISPOSITION_DELETE
        | nt::FILE_DISPOSITION_POSIX_SEMANTICS
        | nt::FILE_DISPOSITION_IGNORE_READONLY_ATTRIBUTE;
    let modern = nt::FILE_DISPOSITION_INFORMATION_EX { Flags: flags };
    match set_plain(file, &modern, nt::FileDispositionInformationEx) {
        Err(Errno::NOSYS) => {
            let old = nt::FILE_DISPOSITION_INFORMATION { DeleteFile: true };
            set_plain(file, &old, nt::FileDispositionInformation)
        }
        answer => answer,
    }
}

fn set_plain<T>(file: BorrowedHandle<'_>, value: &T, class: nt::FILE_INFORMATION_CLASS) -> Result<(), Errno> {
    set_information(file, std::ptr::from_ref(value).cast(), size_of_u32::<T>(), class)
}

/// `value` leads to `length` bytes that live until this returns: both callers pass something that they own.
fn set_information(
    file: BorrowedHandle<'_>,
    value: *const core::ffi::c_void,
    length: u32,
    class: nt::FILE_INFORMATION_CLASS,
) -> Result<(), Errno> {
    let mut status = IO_STATUS_BLOCK::default();
    // SAFETY: the callers above own `length` bytes at `value`, laid out as the class demands; the handle was opened for
    // synchronous calls, so nothing is read or written after the return.
    let answer =
        unsafe { nt::NtSetInformationFile(file.as_raw_handle(), &raw mut status, value, length, class) };
    Errno::check(answer)
}

/// Fills with random bytes.
///
/// # Errors
/// The system has none to give.
pub fn fill_random(bytes: &mut [u8]) -> Result<(), Errno> {
    let length = u32::try_from(bytes.len()).map_err(|_| Errno::INVAL)?;
    // SAFETY: the call fills exactly the bytes of the slice; without an algorithm it uses the system's own.
    let answer =
        unsafe { BCryptGenRandom(null_mut(), bytes.as_mut_ptr(), length, BCRYPT_USE_SYSTEM_PREFERRED_RNG) };
    Errno::check(answer)
}

pub(crate) fn size_of_u32<T>() -> u32 {
    u32::try_from(size_of::<T>()).unwrap_or(u32::MAX)
}
