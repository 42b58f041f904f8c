//! Who may use a file.

use std::mem::offset_of;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::OnceLock;

use windows_sys::Win32::Foundation::{ERROR_SUCCESS, LocalFree};
use windows_sys::Win32::Security as win;
use windows_sys::Win32::Security::Authorization as authz;
use windows_sys::Win32::Storage::FileSystem as files;
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

use crate::errno::Errno;

/// Whether an error is the system's with this number.
pub(crate) fn is_code(error: Errno, code: u32) -> bool {
    std::io::Error::from(error).raw_os_error() == Some(code.cast_signed())
}

/// Memory that the system allocated for us.
#[derive(Debug)]
struct Local(*mut core::ffi::c_void);

impl Drop for Local {
    fn drop(&mut self) {
        // SAFETY: only made from what a call told us to free this way, and freed once.
        unsafe { LocalFree(self.0) };
    }
}

/// Access for this user, the system and the administrators alone; a directory hands it down to what is made in it.
#[derive(Debug)]
pub struct OwnAccess(Local);

impl OwnAccess {
    /// For the user whom this process runs for.
    ///
    /// # Errors
    /// What the system says.
    pub fn new() -> Result<Self, Errno> {
        let user = own_sid()?;
        let text = format!("D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;{user})");
        let wide: Vec<u16> = text.encode_utf16().chain([0]).collect();
        let mut descriptor = null_mut();
        // SAFETY: the text ends with a zero; the call stores a pointer, which is freed with `Local`.
        let answer = unsafe {
            authz::ConvertStringSecurityDescriptorToSecurityDescriptorW(
                wide.as_ptr(),
                authz::SDDL_REVISION_1,
                &raw mut descriptor,
                null_mut(),
            )
        };
        if answer == 0 { Err(Errno::last()) } else { Ok(Self(Local(descriptor))) }
    }

    pub(crate) fn descriptor(&self) -> *mut core::ffi::c_void {
        self.0.0
    }
}

/// The user whom this process runs for: what `GetTokenInformation` filled, which holds pointers into itself.
#[derive(Debug)]
struct OwnUser(Box<[u64; 32]>);

impl OwnUser {
    fn get() -> Result<&'static Self, Errno> {
        static OWN: OnceLock<Result<OwnUser, Errno>> = OnceLock::new();
        OWN.get_or_init(Self::ask).as_ref().map_err(|error| *error)
    }

    fn ask() -> Result<Self, Errno> {
        // SAFETY: the call returns a constant that means this process.
        let own = unsafe { GetCurrentProcess() };
        let mut token = null_mut();
        // SAFETY: the constant is valid; the call stores a handle.
        if unsafe { OpenProcessToken(own, win::TOKEN_QUERY, &raw mut token) } == 0 {
            return Err(Errno::last());
        }
        // SAFETY: the call succeeded, so it made this handle, and nothing else owns it.
        let token = unsafe { OwnedHandle::from_raw_handle(token) };
        // Words, because the structure holds a pointer. The longest number of a user has 68 bytes.
        let mut words = Box::new([0_u64; 32]);
        let mut length = 0;
        // SAFETY: the call fills at most the bytes of the buffer, and says if they do not suffice.
        let answer = unsafe {
            win::GetTokenInformation(
                token.as_raw_handle(),
                win::TokenUser,
                words.as_mut_ptr().cast(),
                256,
                &raw mut length,
            )
        };
        if answer == 0 { Err(Errno::last()) } else { Ok(Self(words)) }
    }

    /// The user's number; it lies in the buffer, which is never moved or freed.
    fn sid(&self) -> win::PSID {
        // SAFETY: the aligned buffer was filled, so it starts with this structure.
        unsafe { self.0.as_ptr().cast::<win::TOKEN_USER>().read() }.User.Sid
    }
}

/// The number of the user whom this process runs for, as text.
fn own_sid() -> Result<String, Errno> {
    let user = OwnUser::get()?.sid();
    let mut text = null_mut();
    // SAFETY: the number lives as long as the process; the call stores a pointer.
    if unsafe { authz::ConvertSidToStringSidW(user, &raw mut text) } == 0 {
        return Err(Errno::last());
    }
    let held = Local(text.cast());
    let mut wide = Vec::new();
    loop {
        // SAFETY: the text that the call made ends with a zero, and the loop ends there.
        let unit = unsafe { text.wrapping_add(wide.len()).read() };
        if unit == 0 {
            break;
        }
        wide.push(unit);
    }
    drop(held);
    Ok(String::from_utf16_lossy(&wide))
}

/// Whether an open file belongs to this user or one of the user's groups, and whether everybody may write it.
///
/// # Errors
/// What the system says.
pub fn access_of(file: impl AsHandle) -> Result<(bool, bool), Errno> {
    let (mut owner, mut list, mut descriptor) = (null_mut(), null_mut(), null_mut());
    // SAFETY: the call stores pointers into one allocation, which is freed with `Local`; the handle is open.
    let answer = unsafe {
        authz::GetSecurityInfo(
            file.as_handle().as_raw_handle(),
            authz::SE_FILE_OBJECT,
            win::OWNER_SECURITY_INFORMATION | win::DACL_SECURITY_INFORMATION,
            &raw mut owner,
            null_mut(),
            &raw mut list,
            null_mut(),
            &raw mut descriptor,
        )
    };
    if answer != ERROR_SUCCESS {
        return Err(std::io::Error::from_raw_os_error(answer.cast_signed()).into());
    }
    let _held = Local(descriptor);
    let user = OwnUser::get()?.sid();
    // SAFETY: the owner lies in the allocation that is held, the user's number lives as long as the process.
    let is_users = unsafe { win::EqualSid(owner, user) } != 0;
    let mut is_groups = 0;
    // SAFETY: as above; without a token the call asks about this process, whose groups may own files.
    let asked = unsafe { win::CheckTokenMembership(null_mut(), owner, &raw mut is_groups) };
    Ok((is_users || asked != 0 && is_groups != 0, list.is_null() || lets_everybody_write(list)))
}

/// Whether the list, which the caller keeps alive, allows everybody to write.
fn lets_everybody_write(list: *const win::ACL) -> bool {
    const WRITE: u32 = files::FILE_WRITE_DATA
        | files::FILE_APPEND_DATA
        | files::FILE_DELETE_CHILD
        | files::WRITE_DAC
        | files::WRITE_OWNER;
    const ALLOWED: u8 = 0;
    const INHERIT_ONLY: u8 = 8;
    for number in 0.. {
        let mut entry = null_mut();
        // SAFETY: the list is alive; the call checks the number and stores a pointer into the list.
        if unsafe { win::GetAce(list, number, &raw mut entry) } == 0 {
            return false;
        }
        // SAFETY: every entry starts with this header.
        let header = unsafe { entry.cast::<win::ACE_HEADER>().read_unaligned() };
        if header.AceType != ALLOWED || header.AceFlags & INHERIT_ONLY != 0 {
            continue;
        }
        let mask = entry.cast::<u32>().wrapping_byte_add(offset_of!(win::ACCESS_ALLOWED_ACE, Mask));
        // SAFETY: the header says that the entry is of this type, so the number lies there.
        let mask = unsafe { mask.read_unaligned() };
        let who = entry.wrapping_byte_add(offset_of!(win::ACCESS_ALLOWED_ACE, SidStart));
        let is = |kind| {
            // SAFETY: the number lies in the list, which is alive.
            unsafe { win::IsWellKnownSid(who, kind) != 0 }
        };
        if mask & WRITE != 0
            && [win::WinWorldSid, win::WinAnonymousSid, win::WinBuiltinGuestsSid].into_iter().any(is)
        {
            return true;
        }
    }
    false
}

/// Takes a file or directory from all but this user, the system and the administrators.
///
/// # Errors
/// What the system says.
pub fn make_private(path: &Path) -> Result<(), Errno> {
    let access = OwnAccess::new()?;
    let wide: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
    let what = win::DACL_SECURITY_INFORMATION | win::PROTECTED_DACL_SECURITY_INFORMATION;
    // SAFETY: the path ends with a zero, and the descriptor is owned by `access`; both outlive the call.
    let answer = unsafe { win::SetFileSecurityW(wide.as_ptr(), what, access.descriptor()) };
    if answer == 0 { Err(Errno::last()) } else { Ok(()) }
}
