use jiff::Timestamp;
use jiff::tz::TimeZone;
use memdir_core::env::Env;
use memdir_disk::extraction_state::{ExtractionMarks, ExtractionUnderWay};

use super::{ExtractError, Range, sessions};
use crate::memory::Memory;

/// How far extraction is, and what waits for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// When sessions were last looked at.
    pub last_run: Option<Timestamp>,
    /// What goes on right now.
    pub under_way: ExtractionUnderWay,
    /// How many sessions of the last days have grown since they were read.
    pub sessions_behind: usize,
    /// By how much.
    pub bytes_behind: u64,
    /// How many sessions wait for the user's model, which could not be asked.
    pub unasked: usize,
}

/// How far extraction is in the sessions that it would read by itself.
///
/// # Errors
/// The project's sessions cannot be found.
pub fn backlog(env: &Env, memory: &Memory, now: Timestamp) -> Result<Backlog, ExtractError> {
    let store = env.state_dir().zip(memory.known_id());
    let (marks, under_way) = match store {
        Some((state_dir, store)) => {
            (ExtractionMarks::read(&state_dir, store), ExtractionUnderWay::look(&state_dir, store))
        }
        None => Default::default(),
    };
    let mut backlog = Backlog { last_run: marks.last, under_way, ..Backlog::default() };
    for session in sessions(env, &Range::Waiting, &TimeZone::system(), now)? {
        let mark = marks.sessions.get(&session.id);
        let read = mark.map_or(0, |mark| mark.bytes.max(mark.offset));
        if session.bytes > read {
            backlog.sessions_behind += 1;
            backlog.bytes_behind += session.bytes - read;
        }
        backlog.unasked += usize::from(mark.is_some_and(|mark| mark.unasked.is_some()));
    }
    Ok(backlog)
}
