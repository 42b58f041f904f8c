//! A session has a directory of its own for temporary files, from its start to its end.

use anyhow::Result;
use memdir_disk::scratchpad::Scratchpads;

use super::Hook;

/// Makes the directory of the session. Those of sessions that ended without a word are for detached work.
pub(super) fn begin(hook: &Hook<'_>) -> Result<()> {
    let (Some(state_dir), Some(session)) = (hook.env.state_dir(), hook.event.session.as_deref()) else {
        return Ok(());
    };
    Scratchpads::new(&state_dir).create(session)?;
    Ok(())
}

/// Removes the directory of the session.
pub(super) fn end(hook: &Hook<'_>) -> Result<()> {
    if let (Some(state_dir), Some(session)) = (hook.env.state_dir(), hook.event.session.as_deref()) {
        Scratchpads::new(&state_dir).remove(session)?;
    }
    Ok(())
}
