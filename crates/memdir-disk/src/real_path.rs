//! The real path of something that exists.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::host_path::without_verbatim;

/// The path without links, in the form that people and the client write: on Windows without the prefix `\\\\?\\`.
///
/// # Errors
/// What the system says, or the path is not UTF-8.
pub fn real_path(path: &Utf8Path) -> io::Result<Utf8PathBuf> {
    let real = path.canonicalize_utf8()?;
    Ok(without_verbatim(real.as_str()).into_owned().into())
}
