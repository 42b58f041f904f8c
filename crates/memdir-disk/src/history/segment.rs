//! The files that a history consists of.

use std::fs;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::content_hash::ContentHash;
use serde::Deserialize;

use super::frame::{Frame, scan};
use super::stored_content::{MAX_DEPTH, StoredContent};
use crate::disk_error::{DiskError, IoContext};

/// A segment that has grown beyond this is closed, and the next one begun.
pub(crate) const FULL_BYTES: u64 = 1 << 20;

/// The numbers of the segments of a history, ascending; none if there is no history yet.
pub(crate) fn numbers(dir: &Utf8Path) -> Result<Vec<u32>, DiskError> {
    let mut numbers: Vec<u32> = entries(dir)?
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter_map(|entry| number_of(entry.file_name().to_str()?))
        .collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// What is called like a segment and is none: a folder, a link, a pipe. It is never opened.
pub(crate) fn impostors(dir: &Utf8Path) -> Result<Vec<Utf8PathBuf>, DiskError> {
    let others = entries(dir)?.filter(|entry| !entry.file_type().is_ok_and(|kind| kind.is_file()));
    let names = others.filter_map(|entry| entry.file_name().into_string().ok());
    Ok(names.filter(|name| number_of(name).is_some()).map(|name| dir.join(name)).collect())
}

fn entries(dir: &Utf8Path) -> Result<impl Iterator<Item = fs::DirEntry>, DiskError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => Some(entries),
        // What else is in the folder's place holds no segments, and is set aside by the next record.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => None,
        Err(error) => return Err(error).during("list", dir),
    };
    Ok(entries.into_iter().flatten().flatten())
}

fn number_of(name: &str) -> Option<u32> {
    name.strip_suffix(".seg")?.parse().ok()
}

pub(crate) fn path(dir: &Utf8Path, number: u32) -> Utf8PathBuf {
    dir.join(format!("{number:06}.seg"))
}

/// Only what is needed to find a content; operation and amendment headers both have it.
#[derive(Deserialize)]
struct Contents {
    #[serde(default)]
    contents: Vec<StoredContent>,
}

pub(crate) fn contents_of(header: &[u8]) -> Vec<StoredContent> {
    serde_json::from_slice::<Contents>(header).map(|header| header.contents).unwrap_or_default()
}

/// A version from anywhere in a segment.
pub(crate) fn find_content(segment: &[u8], hash: ContentHash) -> Option<Vec<u8>> {
    let written = hash.to_string();
    let (frames, _) = scan(segment);
    // The newest copy first: what came later is less likely to hang on something damaged.
    frames
        .iter()
        .rev()
        .filter(|(_, frame)| memchr::memmem::find(frame.header, written.as_bytes()).is_some())
        .find_map(|(offset, _)| content_at(segment, u64::try_from(*offset).ok()?, hash, MAX_DEPTH + 1))
}

/// A version from the frame at an offset, with at most so many deltas on the way.
pub(crate) fn content_at(segment: &[u8], offset: u64, hash: ContentHash, depth: u32) -> Option<Vec<u8>> {
    let bytes = segment.get(usize::try_from(offset).ok()?..)?;
    let frame = Frame::parse(bytes)?;
    let contents = contents_of(frame.header);
    let body = frame.body()?;
    let position = contents.iter().position(|content| content.hash == hash)?;
    let start: usize =
        contents.iter().take(position).map(|content| content.length).try_fold(0, usize::checked_add)?;
    let stored = contents.get(position)?;
    let bytes = body.get(start..start.checked_add(stored.length)?)?;
    match stored.base {
        None => stored.restore(bytes, None),
        Some(base) => {
            let base = content_at(segment, base.at.unwrap_or(offset), base.hash, depth.checked_sub(1)?)?;
            stored.restore(bytes, Some(&base))
        }
    }
}
