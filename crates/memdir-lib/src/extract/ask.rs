//! `extract = "ask"`: the agent is asked to save what the user said and it did not.
//!
//! The rules only notice; the agent phrases. It is asked at the end of a turn, once for each thing, at most once in
//! [`TURNS_BETWEEN`] turns, and never because of what it does in answer to that.

use std::io::{Read, Seek, SeekFrom};

use camino::Utf8Path;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use memdir_core::env::Env;
use memdir_core::extract::{Extracted, Standing};
use memdir_disk::extraction_state::{ExtractionLease, SessionMark};
use memdir_disk::pauses::Pauses;
use memdir_search::transcript::Position;
use memdir_search::{Cursor, ExtractOptions, extract_session};

use super::ExtractError;
use crate::memory::{Memory, MemoryError};

/// So many turns end before the agent is asked again.
const TURNS_BETWEEN: u32 = 5;
/// So much is asked about at once; the rest of it waits.
const MOST_AT_ONCE: usize = 3;
/// So much waits at most.
const MOST_OPEN: usize = 12;
/// Of a transcript that was never read, so many bytes at the end are.
const FIRST_LOOK: u64 = 256 << 10;

/// A turn that has ended.
#[derive(Debug, Clone, Copy)]
pub struct EndedTurn<'t> {
    /// Its session.
    pub session: &'t str,
    /// The session's transcript.
    pub transcript: &'t Utf8Path,
    /// Whether the agent only went on because a hook had asked it to.
    pub is_answer: bool,
    /// Whether a program runs the session and still counts as the user.
    pub headless: bool,
}

/// What the agent is asked to save, in one line; `None` if it saved everything or was asked lately.
///
/// # Errors
/// The transcript, the memory or our state cannot be read, or our state cannot be written.
pub fn request(
    env: &Env,
    memory: &Memory,
    turn: &EndedTurn<'_>,
    now: Timestamp,
) -> Result<Option<String>, ExtractError> {
    let Some((state_dir, store)) = env.state_dir().zip(memory.known_id()) else { return Ok(None) };
    // The process that has the lease reads this session too.
    let Some(lease) = ExtractionLease::take_if_free(&state_dir, store).map_err(MemoryError::State)? else {
        return Ok(None);
    };
    let mut marks = lease.marks();
    let bytes = turn.transcript.metadata().map_or(0, |found| found.len());
    let cursor = match marks.sessions.get(turn.session) {
        Some(mark) => Some(Cursor {
            uuid: mark.uuid.clone(),
            position: Position { offset: mark.offset, line: mark.line },
        }),
        None => last_part(turn.transcript, bytes),
    };
    let pauses = Pauses::of(&state_dir);
    let mut spans = pauses.spans(turn.session);
    spans.extend(pauses.spans(&store.0));
    let zone = TimeZone::system();
    let options = ExtractOptions {
        memory_dir: Some(memory.directory()),
        zone: &zone,
        for_model: false,
        headless: turn.headless,
        is_paused: &|time| spans.iter().any(|span| span.holds(time)),
        known_until: 0,
    };
    let read = extract_session(turn.transcript, cursor.as_ref(), options, &mut |_| {})?;
    let mut request = marks.requests.remove(turn.session).unwrap_or_default();
    request.turns_since = request.turns_since.map(|turns| turns.saturating_add(1));
    // What the agent does in answer to a request is its answer.
    if !turn.is_answer && !read.found.memories.is_empty() {
        request.open.extend(unsaved(memory, read.found.memories, env)?);
        request.open.truncate(MOST_OPEN);
    }
    let may_ask = !turn.is_answer && request.turns_since.is_none_or(|turns| turns >= TURNS_BETWEEN);
    let mut asked = Vec::new();
    if may_ask && !request.open.is_empty() {
        let count = request.open.len().min(MOST_AT_ONCE);
        asked = request.open.drain(..count).collect();
        request.turns_since = Some(0);
    }
    if let Some(cursor) = read.cursor.filter(|cursor| !cursor.uuid.is_empty()) {
        let (offset, line) = (cursor.position.offset, cursor.position.line);
        let mark = SessionMark { uuid: cursor.uuid, offset, line, bytes, unasked: None };
        marks.sessions.insert(turn.session.to_owned(), mark);
    }
    marks.requests.insert(turn.session.to_owned(), request);
    marks.requests.retain(|session, _| marks.sessions.contains_key(session));
    marks.last = Some(now);
    lease.remember(&marks).map_err(MemoryError::State)?;
    Ok((!asked.is_empty()).then(|| line(&asked)))
}

/// What is asked.
fn line(open: &[String]) -> String {
    format!(
        "memdir: the user said this, and it is not in memory yet: {}. If it will matter in later sessions, save it now, one \
         memory each, with its cues; otherwise say in one line why not.",
        open.join("; ")
    )
}

/// What of this neither the index nor an instruction file says.
fn unsaved(memory: &Memory, found: Vec<Extracted>, env: &Env) -> Result<Vec<String>, ExtractError> {
    let known = memory.known_at_a_glance(env)?;
    let off = memory.kinds_off();
    let is_new = |memory: &Extracted| {
        !off.contains(&memory.memory_type) && !matches!(known.standing(memory), Standing::Said { .. })
    };
    let found = found.into_iter().filter(is_new);
    Ok(found
        .map(|memory| {
            let fact = memory.description.trim_end_matches(['.', '。']);
            format!("\"{fact}\" ({})", memory.memory_type.as_str())
        })
        .collect())
}

/// A place near the end of a long transcript from which it is read the first time.
fn last_part(transcript: &Utf8Path, bytes: u64) -> Option<Cursor> {
    let start = bytes.checked_sub(FIRST_LOOK)?;
    let mut file = std::fs::File::open(transcript).ok()?;
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut end = Vec::new();
    file.take(FIRST_LOOK).read_to_end(&mut end).ok()?;
    let mut at = start;
    for line in end.split_inclusive(|byte| *byte == b'\n') {
        // The first line is only the end of one.
        if at > start
            && let Ok(entry) = serde_json::from_slice::<serde_json::Value>(line)
            && let Some(uuid) = entry.get("uuid").and_then(serde_json::Value::as_str)
        {
            return Some(Cursor { uuid: uuid.to_owned(), position: Position { offset: at, line: 0 } });
        }
        at += line.len() as u64;
    }
    None
}
