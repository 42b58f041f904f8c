//! SubagentStart: how a sub-agent leaves its findings, and what the project remembers, for those whom the client does
//! not tell.

use anyhow::Result;
use memdir_core::hook::Answer;
use memdir_core::hygiene::{Owner, Provenance, render};
use memdir_core::memory::entrypoint::Profile;
use memdir_core::secrets::redact;
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::Memory;
use memdir_lib::place::Place;

use super::{Hook, journal};

/// The kinds of sub-agents that the client starts without MEMORY.md; all others get it as the agent does.
const UNTOLD: [&str; 2] = ["Explore", "Plan"];

/// How much of MEMORY.md they get, in UTF-16 units.
const INDEX_UNITS: usize = 4_000;

pub(super) fn answer(hook: &Hook<'_>) -> Result<Answer> {
    let mut facts = Vec::from_iter(journal::for_subagent(hook)?);
    if hook.event.agent_type.as_deref().is_some_and(|kind| UNTOLD.contains(&kind)) {
        facts.extend(index(hook)?);
    }
    Ok(Answer::facts(&facts))
}

fn index(hook: &Hook<'_>) -> Result<Option<String>> {
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
