//! MEMORY.md for an agent that does not read it by itself, quoted and bounded.

use anyhow::Result;
use memdir_core::hygiene::{Owner, Provenance, render};
use memdir_core::memory::entrypoint::Profile;
use memdir_core::secrets::redact;
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::Memory;
use memdir_lib::place::Place;

use super::Hook;

/// How much of MEMORY.md it gets, in UTF-16 units.
const INDEX_UNITS: usize = 4_000;

/// The index of the project's memory; `None` if it is off or empty.
pub(super) fn quoted(hook: &Hook<'_>) -> Result<Option<String>> {
    let place = Place::find(&hook.env, &ClientFlags::default())?;
    if !place.location.enabled {
        return Ok(None);
    }
    let memory = Memory::at_place(place, &hook.env)?;
    let text = memory.load(Profile::Current)?.text;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let (text, _) = redact(&text);
    let provenance = Provenance {
        file: "MEMORY.md",
        owner: Owner::User,
        modified: None,
        changed_by: None,
        now: hook.world.now,
    };
    let quoted = render(&text, &provenance, INDEX_UNITS);
    let directory = memory.directory();
    Ok(Some(format!(
        "The memory of this project lies in `{directory}`; this is its index, a line a file.\n\n{quoted}"
    )))
}
