//! Stop: a turn has ended, so what the user said in it can be written down.

use anyhow::Result;
use memdir_core::hook::Answer;
use memdir_lib::features::read_features;

use super::Hook;
use crate::job::Job;

pub(super) fn answer(hook: &Hook<'_>) -> Result<Answer> {
    let features = read_features(&hook.env).0;
    // What a program says through the agent is not a person's preference, unless the user says that it is.
    let entrypoint = hook.world.vars.get("CLAUDE_CODE_ENTRYPOINT");
    let is_headless = entrypoint.is_some_and(|entrypoint| entrypoint.starts_with("sdk"));
    // Only the session that it was called for: others may be headless, paused, or another person's turn.
    if features.extract && (!is_headless || features.extract_headless) && hook.event.session.is_some() {
        hook.start(Job::Extract);
    }
    Ok(Answer::Nothing)
}
