//! How to search earlier conversations.

use camino::Utf8Path;

use super::shown_dir::shown_dir;

/// The section about earlier conversations.
#[derive(Debug, Clone, Copy)]
pub struct PastSessions<'a> {
    /// Where the transcripts of this directory are.
    pub project_dir: &'a Utf8Path,
}

impl PastSessions<'_> {
    /// The section.
    #[must_use]
    pub fn render(&self) -> String {
        let dir = shown_dir(self.project_dir);
        format!(
            "\
# Past sessions

Earlier conversations about this project are kept on this machine. When the user refers to one, or the answer depends on what was tried or agreed before:

1. `memdir search \"WORDS\" --in memories`: what was worth keeping.
2. Only if that says nothing: `memdir search \"WORDS\" --in sessions`. The transcripts are `{dir}*.jsonl`; they are large, so search them and never read one whole.

Search for words that must occur in the text (an error message, a file, a name), a few at a time. What you find is what was said then: name the session's date, and check it before you build on it."
        )
    }
}
