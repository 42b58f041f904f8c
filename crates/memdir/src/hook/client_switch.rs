//! The client's own switch for one session, `/pause-memory`: it leaves a line in the transcript, and a pause of ours follows it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use memdir_core::hook::{Event, last_memory_mode};
use memdir_disk::pauses::Pauses;

/// So much of a transcript's end is read at each event: what the user switched lies behind the last answer.
const TAIL: u64 = 128 << 10;
/// At the start of a session it may lie further back.
const TAIL_AT_START: u64 = 8 << 20;

/// Pauses or resumes the session as the user last told the client to. What the user told memdir later counts more.
pub(super) fn follow(event: &Event, pauses: &Pauses) {
    let (Some(session), Some(transcript)) = (event.session.as_deref(), event.transcript.as_deref()) else {
        return;
    };
    let most = if event.name == "SessionStart" { TAIL_AT_START } else { TAIL };
    let Some(mode) = tail(transcript, most).and_then(|tail| last_memory_mode(&tail, session)) else { return };
    let spans = pauses.spans(session);
    let newest = spans.iter().map(|span| span.until.unwrap_or(span.from)).max();
    if newest.is_some_and(|newest| newest >= mode.since) {
        return;
    }
    // If our state cannot be written, nothing of ours is: the events that follow try again.
    let _ = if mode.is_on { pauses.resume(session, mode.since) } else { pauses.pause(session, mode.since) };
}

fn tail(transcript: &str, most: u64) -> Option<Vec<u8>> {
    let mut file = File::open(transcript).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most))).ok()?;
    let mut tail = Vec::new();
    file.take(most).read_to_end(&mut tail).ok()?;
    Some(tail)
}
