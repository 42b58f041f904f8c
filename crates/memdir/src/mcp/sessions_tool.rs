use anyhow::{Result, anyhow, bail};
use memdir_core::settings::ClientFlags;
use memdir_disk::real_look::RealLook;
use memdir_lib::place::Place;
use memdir_search::transcript::Role;
use memdir_search::{SessionSummary, SessionTurn, list_sessions, read_session};
use serde_json::{Value, json};

use super::read_tool::quote;
use super::tool_answer::{ToolAnswer, line_of};
use super::workplace::Asked;

/// Lists the past sessions of the project, newest first.
pub(super) fn list(asked: &Asked<'_>, limit: usize) -> Result<ToolAnswer> {
    let mut sessions = sessions(asked)?;
    sessions.truncate(limit);
    let mut text = if sessions.is_empty() { "No sessions yet.".to_owned() } else { String::new() };
    let items: Vec<Value> = sessions
        .iter()
        .map(|session| {
            let (id, branch) = (line_of(&session.id), line_of(&session.branch));
            let prompt = line_of(&session.first_prompt);
            let modified = session.modified.map(|time| time.to_string());
            text.push_str(&format!(
                "{id} ({}) {branch}\n   | {prompt}\n",
                modified.as_deref().unwrap_or("?")
            ));
            json!({"id": id, "modified": modified, "branch": branch, "first_prompt": prompt})
        })
        .collect();
    Ok(ToolAnswer::structured(text.trim_end(), json!({"items": items})))
}

/// Shows the last turns of a session, or those around one.
pub(super) fn show(asked: &Asked<'_>, id: &str, around: Option<&str>, limit: usize) -> Result<ToolAnswer> {
    let sessions = sessions(asked)?;
    let chosen = choose(&sessions, id)?;
    let mut turns = read_session(&chosen.path, around.map(|uuid| (uuid, limit / 2)))?;
    if turns.is_empty() {
        bail!("there is no such turn in this session");
    }
    let left_out = turns.len().saturating_sub(limit);
    turns.drain(..left_out);
    let mut text = String::new();
    if left_out > 0 {
        text.push_str(&format!("[{left_out} earlier turns are left out]\n\n"));
    }
    turns.iter().for_each(|turn| push(turn, &mut text));
    Ok(ToolAnswer::text(quote(asked, &format!("session {}", chosen.id), chosen.modified, &text)))
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

fn sessions(asked: &Asked<'_>) -> Result<Vec<SessionSummary>> {
    let place = Place::find(asked.env, &ClientFlags::default())?;
    Ok(list_sessions(&RealLook, &asked.env.cwd.join(&place.location.project_dir)))
}

fn choose<'s>(sessions: &'s [SessionSummary], id: &str) -> Result<&'s SessionSummary> {
    let mut matching = sessions.iter().filter(|session| session.id.starts_with(id));
    match (matching.next(), matching.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(anyhow!("there is no session `{}` here", line_of(id))),
        (Some(_), Some(_)) => sessions
            .iter()
            .find(|session| session.id == id)
            .ok_or_else(|| anyhow!("more than one session begins with `{}`", line_of(id))),
    }
}
