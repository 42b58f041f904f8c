//! UserPromptSubmit: the memories that matter for what the user has just said, and what sub-agents left, or nothing.

use anyhow::Result;
use memdir_core::hook::Answer;
use memdir_core::settings::ClientFlags;
use memdir_lib::journal::Journal;
use memdir_lib::recall::{Wanted, recall};

use super::Hook;
use super::journal::notice;

/// How many tokens recalled memories may take: a memory costs at every later turn of the session.
const BUDGET: usize = 1_500;

pub(super) fn answer(hook: &Hook<'_>) -> Result<Answer> {
    let Some(prompt) = hook.event.prompt.as_deref() else { return Ok(Answer::Nothing) };
    let wanted = Wanted { prompt, session: hook.event.session.as_deref(), budget: BUDGET, tools: &[] };
    let journal = Journal::open(&hook.env, &ClientFlags::default())?;
    let mut facts = Vec::from_iter(notice(hook, &journal)?);
    let recalled = recall(&hook.env, &ClientFlags::default(), &wanted, hook.world.now)?;
    facts.extend(recalled.memories.into_iter().map(|memory| memory.text));
    Ok(Answer::facts(&facts))
}
