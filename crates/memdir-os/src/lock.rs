//! Locks that end with the process that holds them.

use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr::null;

use windows_sys::Win32::Foundation::ERROR_ALREADY_EXISTS;
use windows_sys::Win32::Storage::FileSystem::{
    LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx, UnlockFileEx,
};
use windows_sys::Win32::System::IO::{OVERLAPPED, OVERLAPPED_0, OVERLAPPED_0_0};
use windows_sys::Win32::System::Threading::CreateMutexW;

/// A byte that no file reaches: locks are mandatory on Windows, and one inside the file would stop its readers.
fn beyond_the_end() -> OVERLAPPED {
    let place = OVERLAPPED_0_0 { Offset: u32::MAX - 1, OffsetHigh: 0x7fff_ffff };
    OVERLAPPED { Anonymous: OVERLAPPED_0 { Anonymous: place }, ..OVERLAPPED::default() }
}

/// Takes an open file for this opening alone; `false` if another has it, or the file system has no locks.
#[must_use]
pub fn lock_file(file: BorrowedHandle<'_>) -> bool {
    let mut place = beyond_the_end();
    let how = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: the structure outlives the call, which does not wait; the handle is open while it is borrowed.
    unsafe { LockFileEx(file.as_raw_handle(), how, 0, 1, 0, &raw mut place) != 0 }
}

/// Gives back what [`lock_file`] took.
pub fn unlock_file(file: BorrowedHandle<'_>) {
    let mut place = beyond_the_end();
    // SAFETY: as in `lock_file`.
    unsafe { UnlockFileEx(file.as_raw_handle(), 0, 1, 0, &raw mut place) };
}

/// A name that one process at a time can hold. It is free again when this is dropped or the process ends.
///
/// A directory cannot be locked on Windows, and a file beside it would be seen by others. The lock is that the mutex
/// exists; no thread owns or waits for it, so it does not matter which thread drops it.
#[derive(Debug)]
pub struct NamedLock {
    _mutex: OwnedHandle,
}

impl NamedLock {
    /// Takes the name; `None` if another process holds it.
    #[must_use]
    pub fn try_take(name: &str) -> Option<Self> {
        let wide: Vec<u16> = format!("Global\\{name}").encode_utf16().chain([0]).collect();
        // SAFETY: the name ends with a zero and outlives the call.
        let handle = unsafe { CreateMutexW(null(), 0, wide.as_ptr()) };
        let was_there =
            std::io::Error::last_os_error().raw_os_error() == Some(ERROR_ALREADY_EXISTS.cast_signed());
        if handle.is_null() {
            return None;
        }
        // SAFETY: the call succeeded, so it made this handle, and nothing else owns it.
        let mutex = unsafe { OwnedHandle::from_raw_handle(handle) };
        (!was_there).then_some(Self { _mutex: mutex })
    }
}
