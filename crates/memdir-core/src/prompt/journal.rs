//! The journal: when to write, how to read.

use camino::Utf8Path;

use super::shown_dir::shown_dir;

/// The section about the journal of a project, for sessions in which it is kept.
#[derive(Debug, Clone, Copy)]
pub struct Journal<'a> {
    /// Where the journal lies.
    pub directory: &'a Utf8Path,
}

impl Journal<'_> {
    /// The section.
    #[must_use]
    pub fn render(&self) -> String {
        let dir = shown_dir(self.directory);
        format!(
            "\
# Journal

This project keeps a journal of its work in `{dir}`. It is how you find your way back after a compaction, so write while you still know.

Write, through `memdir journal` (`memdir journal --help` lists the commands):

- a decision that would be costly to take twice, with the alternatives and why they lost: `memdir journal decide --title T --category C --file -`;
- what you understood of a file or component, once you are done with it;
- the task when it starts, changes or ends, and whatever blocks it.

Read `{dir}_index.md` first, always after a compaction, and then only the file that answers the question at hand. Reading everything costs the room that the journal saves.

A sub-agent reads freely and writes only with `memdir journal subagent write --task NAME --file -`; whoever started it takes the result over into the index."
        )
    }
}
