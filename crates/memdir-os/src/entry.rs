//! Listing an open directory.

use std::mem::offset_of;
use std::os::windows::io::{AsRawHandle, BorrowedHandle};

use windows_sys::Win32::Foundation::ERROR_NO_MORE_FILES;
use windows_sys::Win32::Storage::FileSystem as win;
use windows_sys::Win32::Storage::FileSystem::FILE_ID_BOTH_DIR_INFO as Info;

use crate::access::is_code;
use crate::errno::Errno;
use crate::file::is_surrogate;

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Whether it is a link or a junction.
    pub is_link: bool,
    /// Its number on the volume.
    pub number: u64,
}

/// All entries, `.` and `..` included. A name that is not Unicode is left out: no path of ours can name it.
///
/// The position belongs to the opening of the directory: who calls has opened one for itself.
///
/// # Errors
/// What the system says.
pub fn entries(dir: BorrowedHandle<'_>) -> Result<Vec<Entry>, Errno> {
    // Words, because the entries are aligned like their longest number.
    let mut words = vec![0_u64; 8 << 10];
    let mut class = win::FileIdBothDirectoryRestartInfo;
    let mut found = Vec::new();
    loop {
        let length = u32::try_from(words.len() * 8).map_err(|_| Errno::INVAL)?;
        // SAFETY: the call fills at most `length` bytes of the buffer, which outlives it.
        let answer = unsafe {
            win::GetFileInformationByHandleEx(dir.as_raw_handle(), class, words.as_mut_ptr().cast(), length)
        };
        if answer == 0 {
            let error = Errno::last();
            return if is_code(error, ERROR_NO_MORE_FILES) { Ok(found) } else { Err(error) };
        }
        class = win::FileIdBothDirectoryInfo;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut rest = bytes.as_slice();
        loop {
            found.extend(parse(rest));
            let next = number(rest, offset_of!(Info, NextEntryOffset)).unwrap_or(0);
            match rest.get(usize::try_from(next).unwrap_or(0)..) {
                Some(tail) if next > 0 => rest = tail,
                _ => break,
            }
        }
    }
}

fn parse(bytes: &[u8]) -> Option<Entry> {
    const NAME: usize = offset_of!(Info, FileName);
    let attributes = number(bytes, offset_of!(Info, FileAttributes))?;
    let length = usize::try_from(number(bytes, offset_of!(Info, FileNameLength))?).ok()?;
    let name = bytes.get(NAME..NAME.checked_add(length)?)?;
    let wide: Vec<u16> =
        name.chunks_exact(2).filter_map(|pair| Some(u16::from_le_bytes(pair.try_into().ok()?))).collect();
    let at = offset_of!(Info, FileId);
    let id = bytes.get(at..at + 8)?.try_into().ok()?;
    // A reparse point has its tag where others have the size of their extended attributes.
    let tag = number(bytes, offset_of!(Info, EaSize))?;
    Some(Entry {
        name: String::from_utf16(&wide).ok()?,
        is_directory: attributes & win::FILE_ATTRIBUTE_DIRECTORY != 0,
        is_link: attributes & win::FILE_ATTRIBUTE_REPARSE_POINT != 0 && is_surrogate(tag),
        number: u64::from_le_bytes(id),
    })
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}
