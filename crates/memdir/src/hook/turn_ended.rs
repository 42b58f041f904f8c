//! Stop: a turn has ended, so what the user said in it can be written down.

use anyhow::Result;
use memdir_core::hook::{Answer, marked_files};
use memdir_core::settings::ClientFlags;
use memdir_lib::features::read_features;
use memdir_lib::place::Place;
use memdir_lib::usage::note_cited;

use super::Hook;
use crate::job::Job;

pub(super) fn answer(hook: &Hook<'_>) -> Result<Answer> {
    note_marked(hook)?;
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

/// Counts the memories on which the agent's last words rest, where the client marks them.
fn note_marked(hook: &Hook<'_>) -> Result<()> {
    let names = hook.event.last_message.as_deref().map(marked_files).unwrap_or_default();
    if names.is_empty() {
        return Ok(());
    }
    let directory = Place::find(&hook.env, &ClientFlags::default())?.here.memory_dir;
    let inside = names.iter().map(|name| directory.join(name)).filter(|path| path.starts_with(&directory));
    note_cited(&hook.env, inside.collect(), hook.event.session.as_deref(), hook.world.now);
    Ok(())
}
