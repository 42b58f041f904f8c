//! PreToolUse: may this change of a memory be made, and what did the file hold before?

use anyhow::Result;
use memdir_core::hook::{Answer, ToolEdit};
use memdir_core::settings::ClientFlags;
use memdir_lib::journal::Journal;
use memdir_lib::memory::{Memory, ToolVerdict};
use memdir_lib::place::Place;

use super::Hook;

pub(super) fn answer(hook: &Hook<'_>) -> Result<Answer> {
    let tool = hook.event.tool.as_deref().unwrap_or_default();
    let Some(edit) = ToolEdit::parse(tool, &hook.event.tool_input) else { return Ok(Answer::Nothing) };
    let place = Place::find(&hook.env, &ClientFlags::default())?;
    let home = hook.env.home.as_deref();
    if hook.event.agent.is_some()
        && let Some(why) = Journal::at_place(&place, &hook.env).refuse_subagent(&edit.path, home)
    {
        return Ok(Answer::Deny(why));
    }
    let mut memory = Memory::at_place(place, &hook.env)?;
    Ok(match memory.before_tool(&edit, home, hook.author(), hook.world.now)? {
        ToolVerdict::NoObjection => Answer::Nothing,
        ToolVerdict::Deny(why) => Answer::Deny(why),
        ToolVerdict::Ask(why) => Answer::Ask(why),
    })
}
