//! PreToolUse: may this change of a memory be made, and what did the file hold before?

use anyhow::Result;
use memdir_core::hook::{Answer, ToolEdit};
use memdir_lib::memory::ToolVerdict;

use super::Hook;

pub(super) fn answer(hook: &Hook<'_>) -> Result<Answer> {
    let tool = hook.event.tool.as_deref().unwrap_or_default();
    let Some(edit) = ToolEdit::parse(tool, &hook.event.tool_input) else { return Ok(Answer::Nothing) };
    let mut memory = hook.memory()?;
    Ok(match memory.before_tool(&edit, hook.env.home.as_deref(), hook.author(), hook.world.now)? {
        ToolVerdict::NoObjection => Answer::Nothing,
        ToolVerdict::Deny(why) => Answer::Deny(why),
        ToolVerdict::Ask(why) => Answer::Ask(why),
    })
}
