//! The journal: when to write, how to read.

use camino::Utf8Path;

use super::shown_dir::shown_dir;

/// The section about the journal of a project, for sessions in which it is kept.
#[derive(Debug, Clone, Copy)]
pub struct Journal<'a> {
    /// Where the journal is.
    pub directory: &'a Utf8Path,
    /// The project's key.
    pub key: &'a str,
}

impl Journal<'_> {
    /// The section.
    #[must_use]
    pub fn render(&self) -> String {
        let dir = shown_dir(self.directory);
        let key = crate::hygiene::model_line(self.key);
        format!(
            "\
# Journal

This project keeps a journal of its work in `{dir}`. It is how you find your way back after a compaction, so write while you still know.

Write, through `memdir journal` (`memdir journal --help` lists the commands):

- a decision that would be costly to take twice, with the alternatives and why they lost: `memdir journal decide --title T --category C --file -`;
- what you understood of a file or component, once you are done with it;
- the task when it starts, changes or ends, and whatever blocks it: `memdir journal task`, `block`, `progress`, `done`.

After a compaction run `memdir journal recover`: it prints the task, what blocks it, the newest records and those that matter. Otherwise read `{dir}_index.md` first, and then only the file that answers the question at hand. Reading everything costs the room that the journal saves.

End every answer with the line `<!-- MEMORY_BREADCRUMB: {key} TIME -->`, TIME in the form 2026-01-19T22:30:00Z (`memdir journal breadcrumb` prints it). If your last answer's line is not in your context, the context was compacted.

A sub-agent reads freely and writes only with `memdir journal subagent write --task NAME --file -`. When your sub-agents are done, `memdir journal consolidate` takes their results over into the index; put what matters into a decision or an analysis.

Where you act on a preference of the user, say so: `💭 Based on your preference: …`"
        )
    }
}
