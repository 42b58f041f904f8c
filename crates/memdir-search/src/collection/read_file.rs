//! Opening a user's file for reading, and nothing else.

use std::fs::File;
use std::io::{self, Read};

use camino::Utf8Path;
use memdir_disk::platform::{self, FileExt, FileKind};

use super::stamp::Stamp;
use crate::segment::checksum;

/// The longest Markdown file that is read to its end.
const MAX_MARKDOWN: u64 = 8 << 20;

/// How many bytes before a position tell whether a transcript is still the same.
const TAIL: u64 = 256;

/// Opens a regular file; never waits for a pipe, and follows a link at the end only if the user named the
/// file.
pub(super) fn open(path: &Utf8Path, was_named: bool) -> io::Result<(File, Stamp)> {
    let file = platform::open_file(path.as_std_path(), was_named)?;
    let stat = platform::stat_open(&file)?;
    if stat.kind != FileKind::File {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((file, Stamp::of(&stat.file)))
}

/// Opens a regular file whose version does not matter.
pub(crate) fn open_file(path: &Utf8Path) -> io::Result<File> {
    open(path, false).map(|(file, _)| file)
}

/// The content of a Markdown file.
pub(super) fn read(file: &File, stamp: &Stamp) -> io::Result<Vec<u8>> {
    let mut content = Vec::with_capacity(usize::try_from(stamp.size.min(MAX_MARKDOWN)).unwrap_or(0) + 1);
    file.take(MAX_MARKDOWN).read_to_end(&mut content)?;
    Ok(content)
}

/// A sum over the bytes before a position, never 0; 0 if they cannot be read.
pub(super) fn tail(file: &File, offset: u64) -> u64 {
    let length = offset.min(TAIL);
    let mut bytes = vec![0; length as usize];
    match file.read_exact_at(&mut bytes, offset - length) {
        Ok(()) => u64::from(checksum(&bytes)) | 1 << 32,
        Err(_) => 0,
    }
}
