//! PostToolUse: a memory was changed by the agent's own tool; history gets it, and the agent hears what is wrong.

use anyhow::Result;
use memdir_core::hook::Answer;
use serde_json::Value;

use super::Hook;

pub(super) fn answer(hook: &Hook<'_>) -> Result<Answer> {
    let changes = matches!(hook.event.tool.as_deref(), Some("Write" | "Edit" | "MultiEdit"));
    let path = hook.event.tool_input.get("file_path").and_then(Value::as_str);
    let (true, Some(path)) = (changes, path) else { return Ok(Answer::Nothing) };
    let session = hook.event.session.as_deref();
    let facts = hook.memory()?.after_tool(path, hook.env.home.as_deref(), session, hook.world.now)?;
    Ok(Answer::facts(&facts))
}
