//! A session has a directory of its own for temporary files, from its start to its end.

use anyhow::Result;
use memdir_core::hook::Answer;
use memdir_disk::scratchpad::Scratchpads;

use super::Hook;

/// Makes the directory of the session, and removes those of sessions that ended without a word.
pub(super) fn begin(hook: &Hook<'_>) -> Result<()> {
    let (Some(state_dir), Some(session)) = (hook.env.state_dir(), hook.event.session.as_deref()) else {
        return Ok(());
    };
    let scratchpads = Scratchpads::new(&state_dir);
    scratchpads.sweep(hook.world.now);
    scratchpads.create(session)?;
    Ok(())
}

/// Removes the directory of the session.
pub(super) fn end(hook: &Hook<'_>) -> Result<Answer> {
    if let (Some(state_dir), Some(session)) = (hook.env.state_dir(), hook.event.session.as_deref()) {
        Scratchpads::new(&state_dir).remove(session)?;
    }
    Ok(Answer::Nothing)
}
