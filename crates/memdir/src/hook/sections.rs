//! What the client does not tell an agent about its memory: the team's, the daily log, past sessions, the session's own
//! directory for temporary files. Each only where its feature is on.

use anyhow::Result;
use memdir_core::prompt::{ComponentId, Profile};
use memdir_core::settings::ClientFlags;
use memdir_lib::turn::TurnSource;

use super::Hook;

/// The sections for a session that begins; one that was resumed has been told.
pub(super) fn told(hook: &Hook<'_>) -> Result<Vec<String>> {
    if hook.event.source.as_deref() == Some("resume") {
        return Ok(Vec::new());
    }
    let source = TurnSource::open(hook.env.clone(), ClientFlags::default(), None, Profile::Current)?
        .at(hook.world.now)
        .in_session(hook.event.session.as_deref());
    let sections = [
        source.team_section(),
        source.more_memory_text(),
        source.daily_log_section(),
        source.text(ComponentId::PastSessions),
        source.text(ComponentId::Scratchpad),
    ];
    Ok(sections.into_iter().flatten().collect())
}
