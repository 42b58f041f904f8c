//! MEMORY.md inside a section of ours.

use jiff::Timestamp;

use crate::hygiene::{Owner, PROMPT_UNITS, Provenance, render};
use crate::memory::entrypoint::{self, ENTRYPOINT, Loaded};
use crate::operation::Author;

/// A MEMORY.md that a section shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct IndexFile<'a> {
    /// Its bytes.
    pub content: &'a [u8],
    /// When it last changed.
    pub modified: Option<Timestamp>,
    /// Who changed it last; `None` if the history does not know.
    pub changed_by: Option<&'a Author>,
    /// The time of rendering; without it no age is told.
    pub now: Option<Timestamp>,
}

impl IndexFile<'_> {
    /// The index under its heading: always quoted as data, whose it is and how old, and with the reason where it
    /// looks like an attack. The warning about what was cut is ours and is outside.
    pub(super) fn block(&self, profile: entrypoint::Profile, owner: Owner<'_>) -> String {
        let loaded = entrypoint::load(self.content, profile);
        let text = if loaded.shown {
            let warning = loaded.warning.as_deref().unwrap_or_default();
            let body = loaded.text.strip_suffix(warning).unwrap_or(&loaded.text);
            let quoted = quoted_index(body, owner, (self.modified, self.changed_by), self.now);
            // The client's warning repeats a line of the file, so outside the quotation is one of ours.
            format!("{quoted}{}", if loaded.truncated { cut_note(&loaded) } else { String::new() })
        } else {
            "Nothing is saved yet.".to_owned()
        };
        format!("## {ENTRYPOINT}\n\n{text}")
    }
}

fn cut_note(loaded: &Loaded) -> String {
    let Loaded { lines, units, .. } = loaded;
    format!(
        "\n\nOnly part of {ENTRYPOINT} is shown: it has {lines} lines and {units} characters. Shorten its lines, and move detail into the files."
    )
}

/// The text of an index as quoted data.
pub(super) fn quoted_index(
    text: &str,
    owner: Owner<'_>,
    (modified, changed_by): (Option<Timestamp>, Option<&Author>),
    now: Option<Timestamp>,
) -> String {
    // Without the time of rendering there is no age to count.
    let modified = modified.filter(|_| now.is_some());
    let now = now.unwrap_or(Timestamp::UNIX_EPOCH);
    let provenance = Provenance { file: ENTRYPOINT, owner, modified, changed_by, now };
    // Loading has cut the text already, and added a warning to it.
    render(text, &provenance, 2 * PROMPT_UNITS)
}
