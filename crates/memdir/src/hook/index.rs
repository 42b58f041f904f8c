//! MEMORY.md for an agent that does not read it by itself, quoted and bounded.

use anyhow::Result;
use memdir_core::hygiene::{Owner, Provenance, model_remark, render};
use memdir_core::memory::entrypoint::Profile;
use memdir_core::rel_path::ENTRYPOINT;
use memdir_core::secrets::redact;

use super::Hook;

/// How much of MEMORY.md it gets, in UTF-16 units.
const INDEX_UNITS: usize = 4_000;

/// The index of the project's memory; `None` if it is empty.
pub(super) fn quoted(hook: &Hook<'_>) -> Result<Option<String>> {
    let memory = hook.memory()?;
    let text = memory.load(Profile::Current)?.text;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let (text, _) = redact(&text);
    let author = memory.last_author_of(ENTRYPOINT);
    let provenance = Provenance {
        file: ENTRYPOINT,
        owner: Owner::User,
        modified: None,
        changed_by: author.as_ref(),
        now: hook.world.now,
    };
    let quoted = render(&text, &provenance, INDEX_UNITS);
    let directory = model_remark(memory.directory().as_str());
    Ok(Some(format!(
        "The memory of this project is in `{directory}`; this is its index, a line a file.\n\n{quoted}"
    )))
}
