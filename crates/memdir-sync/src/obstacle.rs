//! What is in the way of one file and of no other.

use memdir_core::rel_path::PathRefused;
use memdir_disk::disk_error::DiskError;
use memdir_lib::memory::MemoryError;

/// What keeps one file from being written and says nothing about others; `None`: something else is wrong.
pub(crate) fn obstacle(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    use std::io::ErrorKind::{InvalidFilename, InvalidInput, IsADirectory, NotADirectory};
    let disk = match error.downcast_ref::<MemoryError>() {
        Some(MemoryError::Disk(disk)) => Some(disk),
        Some(MemoryError::Path(_) | MemoryError::Change(_)) => return Some(error.to_string()),
        _ => error.downcast_ref::<DiskError>(),
    };
    let is_one = match disk {
        Some(DiskError::Refused { .. } | DiskError::TooLarge { .. }) => true,
        Some(DiskError::Io { source, .. }) => {
            matches!(source.kind(), InvalidFilename | InvalidInput | IsADirectory | NotADirectory)
        }
        Some(_) => false,
        None => error.is::<PathRefused>(),
    };
    is_one.then(|| error.to_string())
}
