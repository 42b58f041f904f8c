//! The journal in a session: the state of the work at its start, all that is needed after a compaction, and what
//! sub-agents and compactions leave behind. Nothing is written in a project without an active journal.

use anyhow::Result;
use camino::Utf8Path;
use memdir_core::hook::HookAnswer;
use memdir_core::journal::recovery::DEFAULT_BUDGET;
use memdir_core::journal::subagent::task_name;
use memdir_core::secrets::redact;
use memdir_core::settings::ClientFlags;
use memdir_lib::journal::{EndedAgent, Journal, JournalError, RecoveryOptions, Writer};
use memdir_lib::memory::MemoryError;
use serde_json::json;

use super::Hook;

/// How many tokens the state may take if nothing was forgotten: preferences and project get a third of it for sure.
const STATE_BUDGET: usize = 1_000;

/// The state of the work; after a compaction everything that an agent needs to go on. Without a journal, what is known
/// about the user.
pub(super) fn state(hook: &Hook<'_>, journal: &Journal) -> Result<Option<String>> {
    if !journal.is_active() {
        return Ok(journal.profile_text(hook.world.now));
    }
    let source = hook.event.source.as_deref().unwrap_or("startup");
    let payload = json!({"hook_event_name": "SessionStart", "source": source});
    let budget = if source == "compact" { DEFAULT_BUDGET } else { STATE_BUDGET };
    let options = RecoveryOptions { transcript: None, payload: Some(&payload), budget };
    Ok(Some(journal.recover(&options, hook.world.now)?.recovered.text))
}

/// SubagentStart: how a sub-agent leaves its findings.
pub(super) fn for_subagent(hook: &Hook<'_>) -> Result<Option<String>> {
    let task = hook.event.agent_type.as_deref().unwrap_or("task");
    Ok(active(hook)?.map(|journal| journal.subagent_prompt(task, false)))
}

/// SubagentStop: what a sub-agent said last is kept, unless it left its findings in the journal itself. The client does
/// not pass an answer on to the parent, so the next event of the parent brings it.
pub(super) fn subagent_stopped(hook: &Hook<'_>) -> Result<HookAnswer> {
    let Some(journal) = active(hook)? else { return Ok(HookAnswer::Nothing) };
    let last_message = hook.event.last_message.as_deref().map(without_secrets);
    let agent = EndedAgent {
        agent_type: hook.event.agent_type.as_deref(),
        transcript: hook.event.agent_transcript.as_deref().map(Utf8Path::new),
        last_message: last_message.as_deref(),
    };
    unless_refused(journal.keep_output(&agent, &Writer { author: &hook.author(), now: hook.world.now }))?;
    Ok(HookAnswer::Nothing)
}

/// What waits since a sub-agent ended: said once, to the agent that started it.
pub(super) fn notice(hook: &Hook<'_>, journal: &Journal) -> Result<Option<String>> {
    if hook.event.agent.is_some() || !journal.exists() {
        return Ok(None);
    }
    Ok(journal.take_notice()?.filter(|_| journal.is_active()))
}

/// PreCompact: which session is compacted, when and on which branch, and what the user asked to be kept. The state of
/// the work is durable already: every record is when it is written.
pub(super) fn compacting(hook: &Hook<'_>) -> Result<HookAnswer> {
    // Gemini CLI says nothing afterwards.
    if hook.event.name == "PreCompress" {
        hook.forget_shown();
    }
    if let Some(journal) = active(hook)? {
        let author = hook.author();
        let writer = Writer { author: &author, now: hook.world.now };
        unless_refused(journal.join(&writer))?;
        if let Some(asked) = hook.event.instructions.as_deref().filter(|asked| !asked.trim().is_empty()) {
            let asked = without_secrets(asked);
            unless_refused(journal.note(&titled("Asked of a compaction", &asked), &asked, &writer))?;
        }
    }
    Ok(HookAnswer::Nothing)
}

/// PostCompact: the summary that took the place of the conversation.
pub(super) fn compacted(hook: &Hook<'_>) -> Result<HookAnswer> {
    hook.forget_shown();
    if let (Some(journal), Some(summary)) = (active(hook)?, hook.event.summary.as_deref()) {
        let writer = Writer { author: &hook.author(), now: hook.world.now };
        let summary = without_secrets(summary);
        unless_refused(journal.note(&titled("Compaction", &summary), &summary, &writer))?;
    }
    Ok(HookAnswer::Nothing)
}

/// A title that tells one compaction from another.
fn titled(what: &str, text: &str) -> String {
    task_name(text).map_or_else(|| what.to_owned(), |name| format!("{what}: {name}"))
}

/// A write that the user's settings refuse or stage is not a failure of a hook.
fn unless_refused<T>(written: Result<T, JournalError>) -> Result<()> {
    match written {
        Ok(_) | Err(JournalError::Staged { .. } | JournalError::Rejected) => Ok(()),
        Err(JournalError::Memory(MemoryError::WritesOff | MemoryError::MemoryOff)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// What a hook keeps by itself is kept without secrets: no author is there who could leave them out.
fn without_secrets(text: &str) -> String {
    redact(text).0
}

fn active(hook: &Hook<'_>) -> Result<Option<Journal>> {
    let journal = Journal::open(&hook.env, &ClientFlags::default())?;
    Ok(journal.is_active().then_some(journal))
}
