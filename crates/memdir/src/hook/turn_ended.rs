//! Stop: a turn has ended, so what the user said in it can be written down.

use memdir_core::hook::Answer;
use memdir_lib::features::read_features;

use super::Hook;

pub(super) fn answer(hook: &Hook<'_>) -> Answer {
    // What a program says through the agent is nobody's preference.
    let entrypoint = hook.world.vars.get("CLAUDE_CODE_ENTRYPOINT");
    let is_headless = entrypoint.is_some_and(|entrypoint| entrypoint.starts_with("sdk"));
    if !is_headless && read_features(&hook.env).0.extract {
        hook.start("extract");
    }
    Answer::Nothing
}
