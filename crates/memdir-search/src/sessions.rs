//! Past sessions: which there are, and what was said in one.

use std::fs;
use std::io::Read;
use std::ops::ControlFlow;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::look::Look;

use crate::collection::open_file;
use crate::document::{shorten, without_secrets};
use crate::error::SearchError;
use crate::transcript::{Entry, Problems, Reader, Role, SessionFile, session_files, without_reminders};

/// A session, as far as a look at its beginning tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    /// Its id.
    pub id: String,
    /// The agent that wrote it, by the name under which what it did is recorded.
    pub client: String,
    /// Its transcript.
    pub path: Utf8PathBuf,
    /// The directory that it was started in, if it says so.
    pub cwd: String,
    /// The branch at its beginning.
    pub branch: String,
    /// When it began.
    pub started: Option<Timestamp>,
    /// When something was last written to it.
    pub modified: Option<Timestamp>,
    /// The first thing that a person typed.
    pub first_prompt: String,
    /// The size of its transcript.
    pub bytes: u64,
    /// How many sub-agents it had.
    pub agents: usize,
}

/// A turn as a person reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionTurn {
    /// The turn's identity.
    pub uuid: String,
    /// Its line in the transcript, from 1.
    pub line: u64,
    /// Who speaks; `None` marks a compaction.
    pub role: Option<Role>,
    /// When.
    pub time: Option<Timestamp>,
    /// What was said.
    pub text: String,
    /// What was done, a line each: tools with their files and commands, commits, errors.
    pub actions: Vec<String>,
}

/// How much of a transcript is read for its summary.
const HEAD_BYTES: u64 = 1 << 20;
const HEAD_ENTRIES: usize = 60;

/// The sessions of one project directory, newest first.
#[must_use]
pub fn list_sessions(look: &impl Look, project_dir: &Utf8Path) -> Vec<SessionSummary> {
    summarize_sessions(&session_files(look, project_dir))
}

/// The sessions of these files, newest first.
#[must_use]
pub fn summarize_sessions(files: &[SessionFile]) -> Vec<SessionSummary> {
    let agents = |id: &str| files.iter().filter(|file| file.agent.is_some() && file.session == id).count();
    let mains = files.iter().filter(|file| file.agent.is_none());
    let mut sessions: Vec<SessionSummary> =
        mains.filter_map(|file| summary(file, agents(&file.session))).collect();
    sessions.sort_by(|one, other| other.modified.cmp(&one.modified).then_with(|| one.id.cmp(&other.id)));
    sessions
}

fn summary(session: &SessionFile, agents: usize) -> Option<SessionSummary> {
    let path = &session.path;
    let metadata = fs::metadata(path).ok()?;
    let file = open_file(path).ok()?;
    let mut summary = SessionSummary {
        id: session.session.clone(),
        client: session.client.clone(),
        path: path.clone(),
        cwd: String::new(),
        branch: String::new(),
        started: None,
        modified: metadata.modified().ok().and_then(|time| Timestamp::try_from(time).ok()),
        first_prompt: String::new(),
        bytes: metadata.len(),
        agents,
    };
    let mut seen = 0;
    // What cannot be read of it stays unknown.
    let _ = Reader::new(file.take(HEAD_BYTES)).read(|entry| {
        seen += 1;
        if let Entry::Turn(turn) = entry {
            summary.started = summary.started.or(turn.time);
            if summary.cwd.is_empty() {
                summary.cwd = turn.cwd.to_string();
                summary.branch = turn.branch.to_string();
            }
            if turn.is_prompt() {
                let text = without_reminders(&turn.text);
                summary.first_prompt = without_secrets(shorten(&text, 200).into()).into_owned();
            }
        }
        let known = !summary.first_prompt.is_empty() || seen >= HEAD_ENTRIES;
        if known { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    Some(summary)
}

/// The turns of a transcript; with `around`, only that turn and `distance` on either side of it. And what could not be
/// read on the way.
pub(crate) fn read_session(
    path: &Utf8Path,
    around: Option<(&str, usize)>,
) -> Result<(Vec<SessionTurn>, Problems), SearchError> {
    let read = |source| SearchError::Read { path: path.to_owned(), source };
    let mut turns: Vec<SessionTurn> = Vec::new();
    let mut found = None;
    let mut reader = Reader::new(open_file(path).map_err(read)?);
    reader
        .read(|entry| {
            let Some(turn) = readable(entry) else { return ControlFlow::Continue(()) };
            turns.push(turn);
            let Some((wanted, distance)) = around else { return ControlFlow::Continue(()) };
            if found.is_none() {
                if turns.last().is_some_and(|turn| turn.uuid == wanted) {
                    found = Some(0);
                }
                // Nothing farther before it is wanted.
                if turns.len() > distance + 1 {
                    turns.remove(0);
                }
            } else {
                found = found.map(|behind| behind + 1);
            }
            if found == Some(distance) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .map_err(read)?;
    if around.is_some() && found.is_none() {
        turns.clear();
    }
    Ok((turns, reader.problems()))
}

fn readable(entry: Entry<'_>) -> Option<SessionTurn> {
    match entry {
        Entry::Compaction(boundary) => Some(SessionTurn {
            uuid: boundary.uuid.into_owned(),
            line: boundary.position.line + 1,
            role: None,
            time: boundary.time,
            text: String::new(),
            actions: Vec::new(),
        }),
        Entry::Turn(turn) => {
            if turn.meta {
                return None;
            }
            let mut actions = Vec::new();
            for call in &turn.calls {
                let what = call.command.as_deref().or(call.file.as_deref()).or(call.purpose.as_deref());
                actions.push(
                    format!("{} {}", call.name, shorten(what.unwrap_or_default(), 200)).trim_end().to_owned(),
                );
            }
            actions.extend(turn.commits().map(|commit| format!("commit {} {}", commit.hash, commit.subject)));
            actions.extend(turn.errors().map(|error| format!("error {}", shorten(error, 200))));
            let text = without_secrets(without_reminders(&turn.text)).trim().to_owned();
            if text.is_empty() && actions.is_empty() {
                return None;
            }
            let actions =
                actions.into_iter().map(|action| without_secrets(action.into()).into_owned()).collect();
            Some(SessionTurn {
                uuid: turn.uuid.into_owned(),
                line: turn.position.line + 1,
                role: Some(turn.role),
                time: turn.time,
                text,
                actions,
            })
        }
    }
}
