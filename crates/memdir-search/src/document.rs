//! From a user's file to units of the index.

mod markdown;
mod session;
mod signs;

pub(crate) use markdown::{add_markdown, front_and_body};
pub(crate) use session::{add_session, first_prompt};
pub(crate) use signs::without_secrets;

use crate::segment::GroupRecord;

/// A file that is to be indexed: what the index calls it, and when it was changed.
#[derive(Debug, Clone)]
pub(crate) struct FileId<'a> {
    pub(crate) key: u64,
    /// Its path below the root of the collection.
    pub(crate) path: &'a str,
    /// Seconds since 1970.
    pub(crate) modified: i64,
}

impl FileId<'_> {
    fn record(&self, title: &str, kind: &str) -> GroupRecord {
        GroupRecord {
            path: self.path.to_owned(),
            title: shorten(title, MAX_TITLE).to_owned(),
            kind: shorten(kind, MAX_TITLE).to_owned(),
            modified: self.modified,
            superseded_by: String::new(),
        }
    }
}

/// Titles are for showing.
const MAX_TITLE: usize = 160;

/// The first line, and no more of it than `limit` bytes.
pub(crate) fn shorten(text: &str, limit: usize) -> &str {
    let line = text.trim().lines().next().unwrap_or_default();
    line.get(..line.floor_char_boundary(limit)).unwrap_or_default()
}
