//! The directory for temporary files.

use camino::Utf8Path;

use super::shown_dir::shown_dir;

/// The section about a session's own directory for temporary files.
#[derive(Debug, Clone, Copy)]
pub struct Scratchpad<'a> {
    /// The directory of this session.
    pub directory: &'a Utf8Path,
}

impl Scratchpad<'_> {
    /// After how many days the directory of a session that ended without a word is removed.
    pub const KEPT_DAYS: u32 = 7;

    /// The section.
    #[must_use]
    pub fn render(&self) -> String {
        let dir = shown_dir(self.directory);
        let days = Self::KEPT_DAYS;
        format!(
            "\
# Scratchpad

`{dir}` is yours for this session, and no other user can read it. Put temporary files there (scripts, downloads, intermediate results) instead of `/tmp` or the repository. It is removed when the session ends, at the latest {days} days after its last use: what should last belongs into memory or into the project."
        )
    }
}
