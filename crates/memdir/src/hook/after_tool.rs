//! PostToolUse: a memory was changed by the agent's own tool; history gets it, and the agent hears what is wrong.

use anyhow::Result;
use memdir_core::hook::Answer;
use memdir_lib::freshness::refresh_file;
use serde_json::Value;

use super::Hook;

pub(super) fn answer(hook: &Hook<'_>) -> Result<Answer> {
    let changes = matches!(hook.event.tool.as_deref(), Some("Write" | "Edit" | "MultiEdit"));
    let path = hook.event.tool_input.get("file_path").and_then(Value::as_str);
    let (true, Some(path)) = (changes, path) else { return Ok(Answer::Nothing) };
    let mut memory = hook.memory()?;
    let Some(changed) = memory.after_tool(path, hook.env.home.as_deref(), hook.author(), hook.world.now)?
    else {
        return Ok(Answer::Nothing);
    };
    // The next recall knows it; if that fails, the next search does.
    let directory = memory.directory();
    refresh_file(&hook.env, directory, &directory.join(changed.path.as_path()))?;
    Ok(Answer::facts(&changed.remarks))
}
