//! Stop: a turn has ended, so what the user said in it can be written down.

use memdir_core::hook::Answer;
use memdir_lib::features::read_features;

use super::Hook;

pub(super) fn answer(hook: &Hook<'_>) -> Answer {
    // What a program says through the agent is nobody's preference.
    let entrypoint = hook.world.vars.get("CLAUDE_CODE_ENTRYPOINT");
    let is_headless = entrypoint.is_some_and(|entrypoint| entrypoint.starts_with("sdk"));
    if !is_headless && read_features(&hook.env).0.extract {
        // Only the session that it was called for: others may be headless, paused, or somebody else's turn.
        if let Some(session) = hook.event.session.as_deref() {
            hook.start_all(&["extract"], Some(&format!("--ended={session}")));
        }
    }
    Answer::Nothing
}
