//! MEMORY.md inside a section of ours.

use jiff::Timestamp;

use crate::hygiene::{Owner, PROMPT_UNITS, Provenance, clean, escape, flag, render};
use crate::memory::entrypoint::{ENTRYPOINT, Loaded};

/// The index under its heading: clean and inert, and quoted with the reason where it looks like an attack.
pub(super) fn index_block(loaded: &Loaded, owner: Owner<'_>) -> String {
    let text = if !loaded.shown {
        "Nothing is saved yet.".to_owned()
    } else if flag(&loaded.text).is_empty() {
        escape(&clean(&loaded.text)).into_owned()
    } else {
        // Without a time of change there is no age to count, so the time of rendering says nothing.
        let provenance = Provenance {
            file: ENTRYPOINT,
            owner,
            modified: None,
            changed_by: None,
            now: Timestamp::UNIX_EPOCH,
        };
        render(&loaded.text, &provenance, PROMPT_UNITS)
    };
    format!("## {ENTRYPOINT}\n\n{text}")
}
