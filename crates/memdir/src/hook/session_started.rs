//! SessionStart: what the agent should know about its memory and cannot know from what the client loads.

use anyhow::Result;
use memdir_core::hook::Answer;
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::Memory;
use memdir_lib::place::Place;

use super::Hook;

pub(super) fn answer(hook: &Hook<'_>) -> Result<Answer> {
    let place = Place::find(&hook.env, &ClientFlags::default())?;
    let mut facts = place.look_up.warnings();
    let memory = Memory::at_place(place, &hook.env)?;
    match memory.waiting_count() {
        0 => {}
        1 => facts.push("One change of memory waits for the user: `memdir review` shows it.".to_owned()),
        count => {
            facts.push(format!("{count} changes of memory wait for the user: `memdir review` shows them."));
        }
    }
    Ok(Answer::facts(&facts))
}
