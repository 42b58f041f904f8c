//! SubagentStart: how a sub-agent leaves its findings, and what the project remembers, for those whom the client does
//! not tell.

use anyhow::Result;
use memdir_core::hook::HookAnswer;

use super::{Hook, index, journal};

/// The kinds of sub-agents that the client starts without MEMORY.md; all others get it as the agent does.
const UNTOLD: [&str; 2] = ["Explore", "Plan"];

pub(super) fn answer(hook: &Hook<'_>) -> Result<HookAnswer> {
    let mut facts = Vec::from_iter(journal::for_subagent(hook)?);
    if hook.event.agent_type.as_deref().is_some_and(|kind| UNTOLD.contains(&kind)) {
        facts.extend(index::quoted(hook)?);
    }
    Ok(HookAnswer::facts(&facts))
}
