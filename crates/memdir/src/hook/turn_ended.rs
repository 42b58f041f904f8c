//! Stop: a turn has ended, so what the user said in it can be written down.

use anyhow::Result;
use camino::Utf8Path;
use memdir_core::config::ExtractBy;
use memdir_core::hook::{HookAnswer, marked_files};
use memdir_core::settings::ClientFlags;
use memdir_lib::extract::{EndedTurn, request};
use memdir_lib::features::{read_extract_by, read_features};
use memdir_lib::place::Place;
use memdir_lib::usage::note_cited;

use super::{Hook, conversation};
use crate::job::Job;

pub(super) fn answer(hook: &Hook<'_>) -> Result<HookAnswer> {
    note_marked(hook)?;
    conversation::record(hook)?;
    let by = read_extract_by(&hook.env);
    let Some(session) = hook.event.session.as_deref().filter(|_| by != ExtractBy::Off) else {
        return Ok(HookAnswer::Nothing);
    };
    // What a program says through the agent is not a person's preference, unless the user says that it is.
    let entrypoint = hook.world.vars.get("CLAUDE_CODE_ENTRYPOINT");
    let is_headless = entrypoint.is_some_and(|entrypoint| entrypoint.starts_with("sdk"));
    let takes_headless = read_features(&hook.env).0.extract_headless;
    if is_headless && !takes_headless {
        return Ok(HookAnswer::Nothing);
    }
    match (by, hook.event.transcript.as_deref()) {
        (ExtractBy::Ask, Some(transcript)) => {
            let turn = EndedTurn {
                session,
                transcript: Utf8Path::new(transcript),
                is_answer: hook.event.stop_hook_active,
                headless: takes_headless,
            };
            let asked = request(&hook.env, &hook.memory()?, &turn, hook.world.now)?;
            Ok(asked.map_or(HookAnswer::Nothing, HookAnswer::GoOn))
        }
        (ExtractBy::Ask, None) => Ok(HookAnswer::Nothing),
        _ => {
            // Only the session that it was called for: others may be headless, paused, or another person's turn.
            hook.start(Job::Extract);
            Ok(HookAnswer::Nothing)
        }
    }
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
