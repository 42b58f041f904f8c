//! SessionEnd: what the session left is looked after in the background, and its temporary files go.

use anyhow::Result;
use memdir_core::env::MEMDIR_TEAM_TOKEN;
use memdir_core::hook::HookAnswer;
use memdir_lib::features::read_features;

use super::{Hook, scratchpad};
use crate::job::Job;

pub(super) fn answer(hook: &Hook<'_>) -> Result<HookAnswer> {
    // After `clear` and `resume` another session continues in the same place.
    let continues = matches!(hook.event.reason.as_deref(), Some("clear" | "resume"));
    let has_token = hook.env.var(MEMDIR_TEAM_TOKEN).is_some();
    hook.start(if has_token && !continues { Job::WorkAtEnd } else { Job::Work });
    if read_features(&hook.env).0.dream {
        hook.start(Job::Dream);
    }
    scratchpad::end(hook)?;
    Ok(HookAnswer::Nothing)
}
