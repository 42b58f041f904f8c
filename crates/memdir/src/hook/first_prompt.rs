//! The first prompt of a session, for an agent that loses what it is told at the start.

use std::fs::File;
use std::io::Read;

use anyhow::Result;
use memdir_core::hook::HookAnswer;
use memdir_core::wiring::Start;

use super::{Hook, session_started};

/// So much of a transcript is looked at: the agent's first answer is near its beginning.
const HEAD: u64 = 1 << 20;

/// What a line holds that the agent wrote: Gemini CLI, Qwen Code.
const ANSWERS: [&str; 2] = [r#""type":"gemini""#, r#""type":"assistant""#];

/// What other agents are told at the start, if this is the first prompt of such an agent's session.
pub(super) fn told_at_start(hook: &Hook<'_>) -> Result<Option<String>> {
    if hook.told_at_start() != Start::AtPrompt || has_answered(hook) {
        return Ok(None);
    }
    match session_started::answer(hook)? {
        HookAnswer::Context(text) => Ok(Some(text)),
        _ => Ok(None),
    }
}

/// Whether the agent has said anything in this session.
fn has_answered(hook: &Hook<'_>) -> bool {
    let mut head = Vec::new();
    let file = hook.event.transcript.as_deref().and_then(|path| File::open(path).ok());
    if file.and_then(|file| file.take(HEAD).read_to_end(&mut head).ok()).is_none() {
        return false;
    }
    let head = String::from_utf8_lossy(&head);
    ANSWERS.iter().any(|answer| head.contains(answer))
}
