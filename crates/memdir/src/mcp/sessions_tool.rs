use anyhow::{Result, bail};
use memdir_core::settings::ClientFlags;
use memdir_lib::place::Place;
use memdir_lib::sessions::project_sessions;
use memdir_search::transcript::{Role, SessionFile};
use memdir_search::{ChosenSession, SessionChoice, SessionTurn, choose_session, summarize_sessions};

use super::read_tool::quote;
use super::tool_answer::{ToolAnswer, line_of};
use super::workplace::Asked;

/// Lists the past sessions of the project, newest first.
pub(super) fn list(asked: &Asked<'_>, limit: usize) -> Result<ToolAnswer> {
    let mut sessions = summarize_sessions(&files(asked)?);
    sessions.truncate(limit);
    let mut text = if sessions.is_empty() { "No sessions yet.".to_owned() } else { String::new() };
    for session in &sessions {
        let (id, branch) = (line_of(&session.id), line_of(&session.branch));
        let prompt = line_of(&session.first_prompt);
        let modified = session.modified.map_or_else(|| "?".to_owned(), |time| time.to_string());
        let agent = line_of(&session.client);
        text.push_str(&format!("{id} ({modified}) {agent} {branch}\n   | {prompt}\n"));
    }
    Ok(ToolAnswer::text(text.trim_end()))
}

/// Shows the last turns of a session, or those around one.
pub(super) fn show(asked: &Asked<'_>, id: &str, around: Option<&str>, limit: usize) -> Result<ToolAnswer> {
    let chosen = choose(&files(asked)?, id)?;
    let reading = chosen.read(around.map(|uuid| (uuid, limit / 2)))?;
    if reading.turns.is_empty() {
        bail!("{}", reading.why_nothing(around.is_some()));
    }
    let unread = reading.unread();
    let mut turns = reading.turns;
    let left_out = turns.len().saturating_sub(limit);
    turns.drain(..left_out);
    let mut text = String::new();
    if left_out > 0 {
        text.push_str(&format!("[{left_out} earlier turns are left out]\n\n"));
    }
    turns.iter().for_each(|turn| push(turn, &mut text));
    if let Some(unread) = unread {
        text.push_str(&format!("[{unread}]\n"));
    }
    Ok(ToolAnswer::text(quote(asked, &format!("session {}", chosen.id), reading.modified, &text)))
}

fn push(turn: &SessionTurn, text: &mut String) {
    let speaker = match turn.role {
        Some(Role::User) => "user",
        Some(_) => "assistant",
        None => "compaction",
    };
    let time = turn.time.map(|time| format!(", {time}")).unwrap_or_default();
    text.push_str(&format!("[{speaker}{time}, {}]\n{}\n", turn.uuid, turn.text.trim_end()));
    for action in &turn.actions {
        text.push_str(&format!("  {action}\n"));
    }
    text.push('\n');
}

fn files(asked: &Asked<'_>) -> Result<Vec<SessionFile>> {
    let place = Place::find(asked.env, &ClientFlags::default())?;
    Ok(project_sessions(asked.env, &place))
}

fn choose(files: &[SessionFile], id: &str) -> Result<ChosenSession> {
    match choose_session(files, id) {
        SessionChoice::One(chosen) => Ok(chosen),
        SessionChoice::Nothing => bail!("there is no session `{}` here", line_of(id)),
        SessionChoice::Several(_) => bail!("more than one session begins with `{}`", line_of(id)),
    }
}
