//! What a call failed with.

use std::io;

use windows_sys::Win32::Foundation as win;

/// The system's number of an error, with one number for what is one thing to memdir.
///
/// The names are those of POSIX, because the code that compares them runs on all systems.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Errno(u32);

impl Errno {
    /// There is nothing of that name.
    pub const NOENT: Self = Self(win::ERROR_FILE_NOT_FOUND);
    /// Something else is where a directory should be.
    pub const NOTDIR: Self = Self(win::ERROR_DIRECTORY);
    /// The name is taken.
    pub const EXIST: Self = Self(win::ERROR_ALREADY_EXISTS);
    /// A link is in the way.
    pub const LOOP: Self = Self(win::ERROR_CANT_RESOLVE_FILENAME);
    /// The place is on another volume.
    pub const XDEV: Self = Self(win::ERROR_NOT_SAME_DEVICE);
    /// The name is not one that a file can have.
    pub const INVAL: Self = Self(win::ERROR_INVALID_NAME);
    /// Not a file on a disk.
    pub const NXIO: Self = Self(win::ERROR_BAD_UNIT);
    /// Not a file on a disk.
    pub const NODEV: Self = Self(win::ERROR_BAD_DEVICE);
    /// The file system or the system has no such call.
    pub const NOSYS: Self = Self(win::ERROR_NOT_SUPPORTED);
    /// Another program holds the file open and lets no other replace it.
    pub const BUSY: Self = Self(win::ERROR_SHARING_VIOLATION);
    /// The system forbids it.
    pub const ACCESS: Self = Self(win::ERROR_ACCESS_DENIED);

    /// The error of a native call; `Ok` if it is none.
    pub(crate) fn check(status: i32) -> Result<(), Self> {
        if status >= 0 {
            return Ok(());
        }
        if status == win::STATUS_DELETE_PENDING {
            return Err(Self::BUSY);
        }
        // SAFETY: the function takes a number and returns a number.
        let code = unsafe { win::RtlNtStatusToDosError(status) };
        Err(Self::from_code(code))
    }

    /// The error of the call before.
    pub(crate) fn last() -> Self {
        io::Error::last_os_error().into()
    }

    fn from_code(code: u32) -> Self {
        match code {
            win::ERROR_PATH_NOT_FOUND | win::ERROR_BAD_PATHNAME | win::ERROR_BAD_NETPATH => Self::NOENT,
            win::ERROR_FILE_EXISTS => Self::EXIST,
            win::ERROR_INVALID_FUNCTION
            | win::ERROR_CALL_NOT_IMPLEMENTED
            | win::ERROR_INVALID_PARAMETER
            | win::ERROR_INVALID_LEVEL => Self::NOSYS,
            win::ERROR_LOCK_VIOLATION | win::ERROR_USER_MAPPED_FILE => Self::BUSY,
            code => Self(code),
        }
    }
}

impl From<io::Error> for Errno {
    fn from(error: io::Error) -> Self {
        match error.raw_os_error() {
            Some(code) => Self::from_code(code.cast_unsigned()),
            None if error.kind() == io::ErrorKind::NotFound => Self::NOENT,
            None => Self::INVAL,
        }
    }
}

impl From<Errno> for io::Error {
    fn from(error: Errno) -> Self {
        Self::from_raw_os_error(error.0.cast_signed())
    }
}

impl std::fmt::Debug for Errno {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ({})", self.0, io::Error::from(*self))
    }
}

impl std::fmt::Display for Errno {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        io::Error::from(*self).fmt(formatter)
    }
}

impl std::error::Error for Errno {}
