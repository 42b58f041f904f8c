//! PreToolUse: may this change of a memory be made, and what did the file hold before? Does a memory warn of this call?

use anyhow::Result;
use memdir_core::hook::{HookAnswer, ToolCall, ToolEdit};
use memdir_core::permissions::{Places, Tool, may_touch};
use memdir_core::settings::ClientFlags;
use memdir_disk::real_look::RealLook;
use memdir_lib::features::read_features;
use memdir_lib::journal::Journal;
use memdir_lib::memory::{Memory, ToolVerdict, memories_in_use};
use memdir_lib::permissions::{judge_beside, permitted_places};
use memdir_lib::place::Place;
use serde_json::Value;

use super::Hook;

pub(super) fn answer(hook: &Hook<'_>) -> Result<HookAnswer> {
    match about_memory(hook)? {
        HookAnswer::Nothing => warn(hook),
        decided => Ok(decided),
    }
}

/// No call gets more warnings.
const MAX_WARNINGS: usize = 3;

/// What the user wrote down about such a tool call, where warnings are on.
fn warn(hook: &Hook<'_>) -> Result<HookAnswer> {
    let (Some(tool), true) = (hook.event.tool.as_deref(), read_features(&hook.env).0.warnings) else {
        return Ok(HookAnswer::Nothing);
    };
    let place = Place::find(&hook.env, &ClientFlags::default())?;
    let root = place.location.root.clone();
    let call = ToolCall { tool, input: &hook.event.tool_input, root: &root };
    let session = hook.event.session.as_deref();
    let mut warnings = Vec::new();
    for memory in memories_in_use(place, &hook.env)? {
        warnings.extend(memory.tool_warnings(&call, session, &hook.env, hook.world.now)?);
    }
    warnings.truncate(MAX_WARNINGS);
    if warnings.is_empty() {
        return Ok(HookAnswer::Nothing);
    }
    let texts: Vec<&str> = warnings.iter().map(|warning| warning.text.as_str()).collect();
    let told = format!("A memory names this tool call. Consider it first:\n{}", texts.join("\n"));
    let is_refused = warnings.iter().any(|warning| warning.block);
    Ok(if is_refused { HookAnswer::Deny(told) } else { HookAnswer::Context(told) })
}

/// May this change of a memory be made?
fn about_memory(hook: &Hook<'_>) -> Result<HookAnswer> {
    let tool = hook.event.tool.as_deref().unwrap_or_default();
    let Some(edit) = ToolEdit::parse(tool, &hook.event.tool_input) else { return Ok(HookAnswer::Nothing) };
    let place = Place::find(&hook.env, &ClientFlags::default())?;
    let home = hook.env.home.as_deref();
    if hook.event.agent.is_some()
        && let Some(why) = Journal::at_place(&place, &hook.env).refuse_subagent(&edit.path, home)
    {
        return Ok(HookAnswer::Deny(why));
    }
    let mut memory = Memory::at_place(place, &hook.env)?;
    let mut verdict = memory.before_tool(&edit, home, hook.author(), hook.world.now)?;
    let place = Place::find(&hook.env, &ClientFlags::default())?;
    let places = permitted_places(&place, &hook.env);
    if verdict == ToolVerdict::NoObjection {
        verdict = judge_beside(&edit, &place, &places, &hook.env, &hook.author(), hook.world.now)?;
    }
    Ok(match verdict {
        ToolVerdict::NoObjection => allowed(hook, tool, &edit.path, &places),
        ToolVerdict::Deny(why) => HookAnswer::Deny(why),
        ToolVerdict::Ask(why) => HookAnswer::Ask(why),
    })
}

/// PermissionRequest: the client is about to ask, because it takes every file below its own directory for sensitive.
pub(super) fn requested(hook: &Hook<'_>) -> Result<HookAnswer> {
    let path = hook.event.tool_input.get("file_path").and_then(Value::as_str);
    let decided = match (hook.event.tool.as_deref(), path) {
        (Some("Read"), Some(path)) => {
            let place = Place::find(&hook.env, &ClientFlags::default())?;
            allowed(hook, "Read", path, &permitted_places(&place, &hook.env))
        }
        _ => about_memory(hook)?,
    };
    // What speaks against the change is for the user to read.
    Ok(if matches!(decided, HookAnswer::Allow(_)) { decided } else { HookAnswer::Nothing })
}

/// Spares the user the question wherever `memdir check write` says yes. Everywhere else the client decides.
fn allowed(hook: &Hook<'_>, tool: &str, path: &str, places: &Places) -> HookAnswer {
    let tool = Tool::from_name(tool).unwrap_or(Tool::Edit);
    let agent = hook.event.agent.as_ref().and(hook.event.agent_type.as_deref());
    let verdict = may_touch(tool, path, agent, places, &RealLook);
    if verdict.allow { HookAnswer::Allow(verdict.why) } else { HookAnswer::Nothing }
}
