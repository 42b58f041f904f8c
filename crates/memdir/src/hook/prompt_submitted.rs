//! UserPromptSubmit: the memories that matter for what the user has just said, or nothing.

use anyhow::Result;
use memdir_core::hook::Answer;
use memdir_core::settings::ClientFlags;
use memdir_lib::recall::{Wanted, recall};

use super::Hook;

/// How many tokens recalled memories may take: a memory costs at every later turn of the session.
const BUDGET: usize = 1_500;

pub(super) fn answer(hook: &Hook<'_>) -> Result<Answer> {
    let Some(prompt) = hook.event.prompt.as_deref() else { return Ok(Answer::Nothing) };
    let wanted = Wanted { prompt, session: hook.event.session.as_deref(), budget: BUDGET, tools: &[] };
    let recalled = recall(&hook.env, &ClientFlags::default(), &wanted, hook.world.now)?;
    let texts: Vec<String> = recalled.memories.into_iter().map(|memory| memory.text).collect();
    Ok(Answer::facts(&texts))
}
