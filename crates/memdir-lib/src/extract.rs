//! Extraction from a project's sessions: which are read, from where on, and what becomes of what is found.

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use memdir_core::env::Env;
use memdir_core::extract::{Extracted, Extraction, KnownName, Material, Skipped};
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::plan::Plan;
use memdir_core::rel_path::RelPath;
use memdir_core::settings::ClientFlags;
use memdir_disk::extraction_state::{ExtractionLease, ExtractionMarks, SessionMark, Unasked};
use memdir_disk::pauses::{PausedSpan, Pauses};
use memdir_search::transcript::Position;
use memdir_search::{
    Cursor, ExtractOptions, SearchError, SessionSummary, extract_session, summarize_sessions,
};

use crate::features::read_features;
use crate::memory::{ExtractionOccasion, ExtractionPlan, Memory, MemoryError, Submitted, Wish};
use crate::model::{Model, ModelError};
use crate::phase::Phase;
use crate::place::Place;
use crate::sessions::project_sessions;

mod ask;
mod backlog;

pub use ask::{EndedTurn, request};
pub use backlog::{Backlog, backlog};

/// Which sessions are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Range {
    /// Those that were used lately, each behind where the last extraction stopped.
    Waiting,
    /// This one session, behind where the last extraction stopped: a turn of it has just ended. Nothing that a program
    /// said through the agent is read.
    Turn(String),
    /// One session from its beginning, by its id or the beginning of it.
    Session(String),
    /// Sessions that were used on or after a day, from their beginning.
    Since(Date),
    /// All sessions of the project, from their beginning.
    All,
    /// This file, of any session.
    Transcript(Utf8PathBuf),
}

/// What became of one session.
#[derive(Debug)]
pub struct SessionOutcome {
    /// The session's id; for a file its name.
    pub session: String,
    /// The memories that were found and not known.
    pub memories: Vec<Extracted>,
    /// For each of these, the file of the memory that it is added to; `None` for a new one.
    pub updated: Vec<Option<RelPath>>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
    /// What changes, or would.
    pub plan: Plan,
    /// What was done; `None` if nothing was to do, or nothing should be done.
    pub submitted: Option<Submitted>,
    /// Who found them.
    pub engine: Engine,
    /// Why the model was asked in vain, if it was: then the rules found them.
    pub model_failed: Option<String>,
}

/// Who finds what is worth remembering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Engine {
    /// The rules.
    Rules,
    /// The model of this name.
    Model(String),
}

impl Engine {
    /// The word for it.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Model(_) => "model",
        }
    }
}

/// What is to be extracted, and how.
pub struct Wanted<'w> {
    /// Which sessions are read.
    pub range: &'w Range,
    /// Whether nothing is written.
    pub dry_run: bool,
    /// The model that is asked, once for each session; without one, or where its answer is of no use, rules decide.
    pub model: Option<&'w Model<'w>>,
    /// Told what it is at, and how far: bytes read of bytes in all, or so many memories or files.
    pub step: &'w dyn Fn(Phase, u64, u64),
}

/// Why sessions could not be read or memories not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// Memory refused or failed.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A transcript cannot be read.
    #[error(transparent)]
    Transcript(#[from] SearchError),
    /// No session has that id.
    #[error("there is no session `{0}` in this project")]
    NoSuchSession(String),
    /// More than one session has an id that begins so.
    #[error("`{0}` is the beginning of more than one session's id")]
    AmbiguousSession(String),
}

/// A session that was not used for so many days is no longer waiting; [`Range::All`] reads it.
const WAITING_DAYS: i64 = 3;

/// Finds what is worth remembering in a range of sessions, and writes it down unless `dry_run`: as a plan of extraction,
/// applied or held for the user as the settings say. `None` if another process is at it; that one looks once more.
///
/// Where a session was read to is remembered only after its memories were taken care of.
///
/// # Errors
/// A session or the memory cannot be read, or the memory cannot be written; sessions before that one are done.
pub fn extract(
    env: &Env,
    memory: &mut Memory,
    wanted: &Wanted<'_>,
    now: Timestamp,
) -> Result<Option<Vec<SessionOutcome>>, ExtractError> {
    let zone = TimeZone::system();
    let range = wanted.range;
    if wanted.dry_run {
        let store = env.state_dir().zip(memory.known_id());
        let marks =
            store.map(|(state_dir, store)| ExtractionMarks::read(&state_dir, store)).unwrap_or_default();
        let reading = Reading { wanted, range, marks: &marks, zone: &zone };
        let mut outcomes = Vec::new();
        let sessions = sessions(env, range, &zone, now)?;
        for (session, before) in with_bytes_before(&sessions) {
            outcomes.push(plan_session(session, before, &reading, memory, env, now)?.0);
        }
        return Ok(Some(outcomes));
    }
    // Without sessions there is nothing to lock or to remember.
    if matches!(range, Range::Waiting | Range::All) && sessions(env, range, &zone, now)?.is_empty() {
        return Ok(Some(Vec::new()));
    }
    memory.must_be_on()?;
    let state_dir = env.state_dir().ok_or(MemoryError::NoStateDir)?;
    let store = memory.id(now)?;
    let session = match range {
        Range::Turn(session) => Some(session.as_str()),
        _ => None,
    };
    let lease = ExtractionLease::take_or_ask(&state_dir, &store, session).map_err(MemoryError::State)?;
    let Some(lease) = lease else { return Ok(None) };
    let mut outcomes = extract_once(env, memory, (wanted, range), &lease, now)?;
    if matches!(range, Range::Waiting | Range::Turn(_)) {
        for asked in lease.asked_again() {
            let range = asked.map_or(Range::Waiting, Range::Turn);
            outcomes.extend(extract_once(env, memory, (wanted, &range), &lease, now)?);
        }
    }
    Ok(Some(outcomes))
}

fn extract_once(
    env: &Env,
    memory: &mut Memory,
    (wanted, range): (&Wanted<'_>, &Range),
    lease: &ExtractionLease,
    now: Timestamp,
) -> Result<Vec<SessionOutcome>, ExtractError> {
    let zone = TimeZone::system();
    let mut marks = lease.marks();
    let mut outcomes = Vec::new();
    let sessions = sessions(env, range, &zone, now)?;
    for (session, before) in with_bytes_before(&sessions) {
        let reading = Reading { wanted, range, marks: &marks, zone: &zone };
        let (mut outcome, mark) = plan_session(session, before, &reading, memory, env, now)?;
        if !outcome.plan.changes.is_empty() {
            let author = Author {
                kind: AuthorKind::Extract,
                id: Some(match &outcome.engine {
                    Engine::Rules => "rules".to_owned(),
                    Engine::Model(name) => name.clone(),
                }),
                session: Some(session.id.clone()),
            };
            // While daily logs are kept, a turn adds to the day; a dream makes topics of it.
            if matches!(range, Range::Turn(_)) && read_features(env).0.daily_logs {
                for found in &outcome.memories {
                    memory.add_to_daily_log(&found.statement, &author, &zone, now)?;
                }
                marks.written.extend(outcome.memories.iter().map(written_key));
            } else {
                (wanted.step)(Phase::Writing, 0, outcome.plan.changes.len() as u64);
                let submitted = memory.submit(&outcome.plan, &Wish::of(&author), now)?;
                if let (Submitted::Applied(_), Range::Turn(_)) = (&submitted, range) {
                    marks.unsaid.extend(outcome.memories.iter().map(|memory| memory.name.clone()));
                }
                if !matches!(submitted, Submitted::Rejected) {
                    marks.written.extend(outcome.memories.iter().map(written_key));
                }
                outcome.submitted = Some(submitted);
            }
        }
        if let Some(mark) = mark {
            marks.sessions.insert(session.id.clone(), mark);
            marks.last = Some(now);
            lease.remember(&marks).map_err(MemoryError::State)?;
        }
        outcomes.push(outcome);
    }
    if marks.last != Some(now) {
        marks.last = Some(now);
        lease.remember(&marks).map_err(MemoryError::State)?;
    }
    Ok(outcomes)
}

impl Memory {
    /// The names of the memories that were written down in the background, once: a session is told.
    #[must_use]
    pub fn take_extracted(&self) -> Vec<String> {
        let Some((state_dir, store)) = self.state_and_store() else { return Vec::new() };
        if ExtractionMarks::read(state_dir, store).unsaid.is_empty() {
            return Vec::new();
        }
        let Ok(Some(lease)) = ExtractionLease::take_if_free(state_dir, store) else { return Vec::new() };
        let mut marks = lease.marks();
        let unsaid = std::mem::take(&mut marks.unsaid);
        if lease.remember(&marks).is_ok() { unsaid } else { Vec::new() }
    }
}

/// By what it is known that a memory was written down before: who said it where, and what it is about.
fn written_key(memory: &Extracted) -> String {
    format!("{} {}", memory.source.turn, memory.memory_type.as_str())
}

/// How the sessions of a range are read.
struct Reading<'r> {
    wanted: &'r Wanted<'r>,
    range: &'r Range,
    marks: &'r ExtractionMarks,
    zone: &'r TimeZone,
}

/// Sessions, each with how many bytes are in those before it and in all of them.
fn with_bytes_before(sessions: &[SessionSummary]) -> impl Iterator<Item = (&SessionSummary, (u64, u64))> {
    let total: u64 = sessions.iter().map(|session| session.bytes).sum();
    let before = sessions.iter().scan(0, |sum, session| {
        *sum += session.bytes;
        Some(*sum - session.bytes)
    });
    sessions.iter().zip(before.map(move |before| (before, total)))
}

fn plan_session(
    session: &SessionSummary,
    (before, total): (u64, u64),
    reading: &Reading<'_>,
    memory: &Memory,
    env: &Env,
    now: Timestamp,
) -> Result<(SessionOutcome, Option<SessionMark>), ExtractError> {
    let range = reading.range;
    let goes_on = matches!(range, Range::Waiting | Range::Turn(_));
    let mark = reading.marks.sessions.get(&session.id).filter(|_| goes_on);
    let cursor = mark.map(|mark| Cursor {
        uuid: mark.uuid.clone(),
        position: Position { offset: mark.offset, line: mark.line },
    });
    // What the model was to read and could not be asked about is read again, with what came since.
    let unasked = mark.and_then(|mark| mark.unasked.clone());
    let wanted = unasked.as_ref().filter(|_| reading.wanted.model.is_some());
    let known_until = wanted.and(cursor.as_ref()).map_or(0, |cursor| cursor.position.offset);
    let start = match wanted {
        Some(unasked) => Some(unasked).filter(|unasked| !unasked.uuid.is_empty()).map(|unasked| Cursor {
            uuid: unasked.uuid.clone(),
            position: Position { offset: unasked.offset, line: unasked.line },
        }),
        None => cursor,
    };
    let pauses = pauses_of(session, memory, env);
    let options = ExtractOptions {
        memory_dir: Some(memory.directory()),
        zone: reading.zone,
        for_model: reading.wanted.model.is_some(),
        headless: !matches!(range, Range::Turn(_)) || read_features(env).0.extract_headless,
        is_paused: &|time| pauses.iter().any(|span| span.holds(time)),
        known_until,
    };
    let mut step = |at| (reading.wanted.step)(Phase::Reading, before + at, total);
    let read = extract_session(&session.path, start.as_ref(), options, &mut step)?;
    let reads_on = (start.is_some() || known_until > 0) && !read.started_over;
    let mut found = read.found;
    let (mut engine, mut model_failed) = (Engine::Rules, None);
    let mut left = unasked.clone();
    if let Some((model, material)) = reading.wanted.model.zip(found.material.take()) {
        (reading.wanted.step)(Phase::Asking, before, total);
        match propose(model, &material, memory, reading.zone)? {
            Proposed::Nothing => left = None,
            Proposed::Unanswered { why, is_paid } => {
                let tries = unasked.as_ref().map_or(0, |unasked| unasked.tries) + u32::from(is_paid);
                let place = start.clone().unwrap_or_default();
                left = (tries < MOST_TRIES).then_some(Unasked {
                    uuid: place.uuid,
                    offset: place.position.offset,
                    line: place.position.line,
                    tries,
                });
                model_failed = Some(why);
            }
            Proposed::Refused(why) => {
                left = None;
                model_failed = Some(why);
            }
            Proposed::Found(proposed) => {
                left = None;
                engine = Engine::Model(model.label().to_owned());
                // What commands taught is nothing that the model was shown.
                found.memories.retain(|memory| memory.is_lesson);
                found.memories.splice(0..0, proposed.memories);
                found.skipped = proposed.skipped;
            }
        }
    }
    let is_file = matches!(range, Range::Transcript(_));
    let id = (!is_file).then_some(session.id.as_str());
    let was_written = |memory: &Extracted| {
        !memory.source.turn.is_empty() && reading.marks.written.contains(&written_key(memory))
    };
    let occasion = ExtractionOccasion {
        session: id,
        was_written: &was_written,
        // Where all of a session was read, nothing was said before it.
        withdrawn: if reads_on { &found.withdrawn } else { &[] },
        zone: reading.zone,
        now,
    };
    let off = if found.memories.is_empty() { Vec::new() } else { memory.kinds_off() };
    let (unwanted, wanted): (Vec<_>, Vec<_>) =
        found.memories.into_iter().partition(|memory| off.contains(&memory.memory_type));
    found.memories = wanted;
    found.skipped.extend(unwanted.into_iter().map(|memory| Skipped {
        why: format!("you rejected `{}` three times in a row", memory.memory_type),
        turn: memory.source.turn,
    }));
    (reading.wanted.step)(Phase::Planning, 0, found.memories.len() as u64);
    let ExtractionPlan { memories, updated, skipped, plan } =
        memory.plan_extraction(found.memories, &occasion, env)?;
    let mut all = found.skipped;
    all.extend(skipped);
    let outcome = SessionOutcome {
        session: session.id.clone(),
        memories,
        updated,
        skipped: all,
        plan,
        submitted: None,
        engine,
        model_failed,
    };
    let mark = read.cursor.filter(|cursor| !is_file && !cursor.uuid.is_empty()).map(|cursor| SessionMark {
        uuid: cursor.uuid,
        offset: cursor.position.offset,
        line: cursor.position.line,
        bytes: session.bytes,
        unasked: left,
    });
    Ok((outcome, mark))
}

/// When this session or its project was paused: what was said then stays unread for ever.
fn pauses_of(session: &SessionSummary, memory: &Memory, env: &Env) -> Vec<PausedSpan> {
    let Some(state_dir) = env.state_dir() else { return Vec::new() };
    let pauses = Pauses::of(&state_dir);
    let mut spans = pauses.spans(&session.id);
    spans.extend(memory.known_id().map(|id| pauses.spans(&id.0)).unwrap_or_default());
    spans
}

/// What asking the model came to.
enum Proposed {
    /// There was nothing to ask about.
    Nothing,
    /// Its memories, checked.
    Found(Extraction),
    /// Its answer is of no use, and would be of none a second time.
    Refused(String),
    /// It could not be asked, or did not answer: another time it may.
    Unanswered {
        /// What happened.
        why: String,
        /// Whether it may have cost something.
        is_paid: bool,
    },
}

/// So many calls are paid for in vain before a part of a session is left to the rules.
const MOST_TRIES: u32 = 3;

fn propose(
    model: &Model<'_>,
    material: &Material,
    memory: &Memory,
    zone: &TimeZone,
) -> Result<Proposed, ExtractError> {
    let entries = memory.catalogue()?.entries.into_iter();
    // Logs are not memories that could be updated.
    let entries = entries.filter(|entry| !entry.path.as_str().starts_with("logs/"));
    let known: Vec<KnownName> = entries
        .map(|entry| KnownName {
            name: entry.title().to_owned(),
            description: entry.description.unwrap_or_default(),
        })
        .collect();
    let Some(question) = material.question(&known, zone) else { return Ok(Proposed::Nothing) };
    let answer = match model.ask(&question) {
        Ok(answer) => answer,
        Err(error) => {
            let why = error.to_string();
            return Ok(match error {
                ModelError::Answer(_) => Proposed::Refused(why),
                ModelError::Transport(error) => Proposed::Unanswered { why, is_paid: !error.is_free },
                _ => Proposed::Unanswered { why, is_paid: false },
            });
        }
    };
    Ok(match material.check(&answer, &known, zone) {
        Ok(found) => Proposed::Found(found),
        Err(error) => Proposed::Refused(error.to_string()),
    })
}

fn sessions(
    env: &Env,
    range: &Range,
    zone: &TimeZone,
    now: Timestamp,
) -> Result<Vec<SessionSummary>, ExtractError> {
    if let Range::Transcript(path) = range {
        return Ok(vec![file_session(&env.cwd.join(path))]);
    }
    let place = Place::find(env, &ClientFlags::default()).map_err(MemoryError::from)?;
    let mut sessions = summarize_sessions(&project_sessions(env, &place));
    let day_of = |time: Option<Timestamp>| time.map(|time| time.to_zoned(zone.clone()).date());
    match range {
        Range::Turn(wanted) => sessions.retain(|session| session.id == *wanted),
        Range::Session(wanted) => {
            sessions.retain(|session| session.id.starts_with(wanted.as_str()));
            match sessions.len() {
                0 => return Err(ExtractError::NoSuchSession(wanted.clone())),
                1 => {}
                _ => return Err(ExtractError::AmbiguousSession(wanted.clone())),
            }
        }
        Range::Since(day) => {
            sessions.retain(|session| day_of(session.modified).is_some_and(|used| used >= *day));
        }
        Range::Waiting => {
            let oldest = now.as_second() - WAITING_DAYS * 86_400;
            sessions.retain(|session| session.modified.is_some_and(|time| time.as_second() >= oldest));
        }
        Range::All | Range::Transcript(_) => {}
    }
    // Oldest first: what was said later updates what was said before.
    sessions.reverse();
    Ok(sessions)
}

fn file_session(path: &Utf8Path) -> SessionSummary {
    SessionSummary {
        id: path.file_stem().unwrap_or_default().to_owned(),
        client: String::new(),
        path: path.to_owned(),
        cwd: String::new(),
        branch: String::new(),
        started: None,
        modified: None,
        first_prompt: String::new(),
        bytes: path.metadata().map_or(0, |found| found.len()),
        agents: 0,
    }
}
