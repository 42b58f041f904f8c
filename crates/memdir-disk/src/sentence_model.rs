//! The model of sentences that the user has installed: one large file that is written once and read at every prompt.

use std::fs;
use std::io;

use camino::Utf8Path;

use crate::state_file;

/// Makes this the content of an installed model's file; durable, because nothing brings it back.
///
/// # Errors
/// What the system says, and that another process is installing too.
pub fn write(path: &Utf8Path, content: &[u8]) -> io::Result<()> {
    let Some(_lock) = state_file::lock(&path.with_extension("lock"))? else {
        return Err(io::Error::new(io::ErrorKind::WouldBlock, "another process is installing it"));
    };
    state_file::replace(path, content)
}

/// Removes an installed model. Returns whether there was one.
///
/// # Errors
/// What the system says.
pub fn remove(path: &Utf8Path) -> io::Result<bool> {
    let _ = fs::remove_file(path.with_extension("lock"));
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
