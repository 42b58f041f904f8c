//! SessionEnd: what the session left is looked after in the background, and its temporary files go.

use anyhow::Result;
use memdir_core::hook::HookAnswer;
use memdir_lib::features::read_features;

use super::{Hook, scratchpad};
use crate::job::Job;

pub(super) fn answer(hook: &Hook<'_>) -> Result<HookAnswer> {
    hook.start(Job::Work);
    if read_features(&hook.env).0.dream {
        hook.start(Job::Dream);
    }
    scratchpad::end(hook)?;
    Ok(HookAnswer::Nothing)
}
