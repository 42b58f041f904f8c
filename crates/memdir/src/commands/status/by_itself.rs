//! What memdir does by itself besides hooks: extraction after a turn, dreams at the end of a session or at night.

use anyhow::Result;
use jiff::Timestamp;
use memdir_core::config::ExtractBy;
use memdir_core::env::Env;
use memdir_core::memory::memory_type::MemoryType;
use memdir_lib::dream::dream_gate;
use memdir_lib::extract::backlog;
use memdir_lib::features::{read_extract_by, read_features};
use memdir_lib::memory::Memory;
use memdir_lib::setup::{Mode, Setup};
use serde::Serialize;

use crate::output::human_bytes;

/// How far extraction is.
#[derive(Serialize)]
pub(super) struct ExtractionStands {
    /// Whether it runs after every turn.
    by_itself: bool,
    /// Who does it.
    by: ExtractBy,
    last_run: Option<Timestamp>,
    running: bool,
    /// How many requests wait for the process that is at it.
    queued: usize,
    sessions_behind: usize,
    bytes_behind: u64,
    /// How many sessions wait for the model, which could not be asked.
    sessions_unasked: usize,
    /// Of what it proposes nothing, because the user rejected it three times in a row.
    kinds_off: Vec<MemoryType>,
}

/// When the last dream was, and when the next one comes.
#[derive(Serialize)]
pub(super) struct DreamStands {
    /// Whether one begins at the end of a session.
    by_itself: bool,
    /// Whether the nightly timer is there.
    nightly: bool,
    /// The last consolidation, the client's or ours.
    last_run: Option<Timestamp>,
    /// The last dream of ours that changed something.
    last_change: Option<Timestamp>,
    due: bool,
    /// Why none is due.
    not_due: Option<String>,
}

impl ExtractionStands {
    pub(super) fn of(env: &Env, memory: &Memory, now: Timestamp) -> Result<Self> {
        let backlog = backlog(env, memory, now)?;
        let by = read_extract_by(env);
        Ok(Self {
            by_itself: by != ExtractBy::Off,
            by,
            last_run: backlog.last_run,
            running: backlog.under_way.is_running,
            queued: backlog.under_way.queued,
            sessions_behind: backlog.sessions_behind,
            bytes_behind: backlog.bytes_behind,
            sessions_unasked: backlog.unasked,
            kinds_off: memory.kinds_off(),
        })
    }

    pub(super) fn show(&self, ago: &dyn Fn(Timestamp) -> String) -> String {
        let when = match self.by {
            ExtractBy::Off => "by hand",
            ExtractBy::Rules => "by rules after every turn",
            ExtractBy::Ask => "by the agent, which is asked",
            ExtractBy::Model => "after every turn",
        };
        let last = match (self.running, self.last_run) {
            (true, _) => format!("at work now, {} queued", self.queued),
            (false, Some(time)) => format!("last {}", ago(time)),
            (false, None) => "never run".to_owned(),
        };
        let behind = match self.sessions_behind {
            0 => "nothing to read".to_owned(),
            count => {
                let sessions = if count == 1 { "session" } else { "sessions" };
                format!("{} of {count} {sessions} to read", human_bytes(self.bytes_behind))
            }
        };
        let unasked = match self.sessions_unasked {
            0 => String::new(),
            1 => "; 1 session waits for the model".to_owned(),
            count => format!("; {count} sessions wait for the model"),
        };
        let off: String = self
            .kinds_off
            .iter()
            .map(|kind| {
                format!(
                    "; you rejected `{kind}` three times, so none is proposed: memdir review --again {kind}"
                )
            })
            .collect();
        format!("{when}; {last}; {behind}{unasked}{off}")
    }
}

impl DreamStands {
    pub(super) fn of(env: &Env, memory: &Memory, now: Timestamp) -> Result<Self> {
        let gate = dream_gate(env, memory, now)?;
        let nightly = Setup::begin(env, Mode::DryRun).is_ok_and(|setup| setup.has_nightly());
        Ok(Self {
            by_itself: read_features(env).0.dream,
            nightly,
            last_run: gate.last_run,
            last_change: memory.dreams().first().map(|dream| dream.time),
            due: gate.not_due.is_none(),
            not_due: gate.not_due.map(|why| why.to_string()),
        })
    }

    pub(super) fn show(&self, ago: &dyn Fn(Timestamp) -> String) -> String {
        let when = match (self.by_itself, self.nightly) {
            (true, true) => "at the end of sessions and every night",
            (true, false) => "at the end of sessions",
            (false, true) => "every night",
            (false, false) => "by hand",
        };
        let last = self.last_run.map_or_else(|| "never".to_owned(), |time| format!("last {}", ago(time)));
        let next = match &self.not_due {
            _ if !self.by_itself => String::new(),
            None => "; due at the end of this session".to_owned(),
            Some(why) => format!("; not due: {why}"),
        };
        format!("{when}; {last}{next}")
    }
}
