//! Which session or sub-agent the beginning of an id means.

use std::collections::BTreeMap;
use std::fs;

use camino::Utf8PathBuf;
use jiff::Timestamp;

use crate::error::SearchError;
use crate::sessions::{SessionTurn, read_session};
use crate::transcript::{Problems, SessionFile};

/// A session or a sub-agent that was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChosenSession {
    /// The session's id, or the sub-agent's with `agent-` before it.
    pub id: String,
    /// Its own transcript; a session of which only the sub-agents are left has none.
    own: Option<Utf8PathBuf>,
    /// The transcripts of its sub-agents.
    agents: Vec<Utf8PathBuf>,
}

/// What an id means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChoice {
    /// Nothing begins so.
    Nothing,
    /// This one.
    One(ChosenSession),
    /// Several begin so: their ids.
    Several(Vec<String>),
}

/// What was read of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionReading {
    /// The transcript in which the turns are.
    pub path: Utf8PathBuf,
    /// When something was last written to it.
    pub modified: Option<Timestamp>,
    /// What was said.
    pub turns: Vec<SessionTurn>,
    /// What could not be read.
    pub problems: Problems,
}

/// The session or the sub-agent with this id, or else the only one whose id begins so. Sessions come first.
#[must_use]
pub fn choose_session(files: &[SessionFile], id: &str) -> SessionChoice {
    let mut sessions: BTreeMap<_, ChosenSession> = BTreeMap::new();
    let mut agents = Vec::new();
    for file in files {
        let folder = match &file.agent {
            Some(_) => file.path.ancestors().nth(3),
            None => file.path.parent(),
        };
        let session = sessions.entry((folder, &file.session)).or_default();
        session.id.clone_from(&file.session);
        match &file.agent {
            None => session.own = Some(file.path.clone()),
            Some(agent) => {
                session.agents.push(file.path.clone());
                let id = format!("agent-{agent}");
                agents.push(ChosenSession { id, own: Some(file.path.clone()), agents: Vec::new() });
            }
        }
    }
    let sessions: Vec<ChosenSession> = sessions.into_values().collect();
    for known in [&sessions, &agents] {
        if let Some(exact) = known.iter().find(|session| session.id == id) {
            return SessionChoice::One(exact.clone());
        }
    }
    for known in [sessions, agents] {
        let mut matching: Vec<ChosenSession> =
            known.into_iter().filter(|session| session.id.starts_with(id)).collect();
        match matching.len() {
            0 => {}
            1 => return matching.pop().map_or(SessionChoice::Nothing, SessionChoice::One),
            _ => return SessionChoice::Several(matching.into_iter().map(|session| session.id).collect()),
        }
    }
    SessionChoice::Nothing
}

impl ChosenSession {
    /// What was said; with `around`, only that turn and so many on either side of it, whichever of the session's agents
    /// said it.
    ///
    /// # Errors
    /// A transcript cannot be read.
    pub fn read(&self, around: Option<(&str, usize)>) -> Result<SessionReading, SearchError> {
        let own = self.own.iter();
        // Without its own transcript, what the sub-agents said is all there is.
        let wants_agents = around.is_some() || self.own.is_none();
        let agents = self.agents.iter().filter(|_| wants_agents);
        let mut reading: Option<SessionReading> = None;
        for path in own.chain(agents) {
            let (turns, problems) = read_session(path, around)?;
            let modified = fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
            let modified = modified.and_then(|time| Timestamp::try_from(time).ok());
            let is_found = around.is_some() && !turns.is_empty();
            match &mut reading {
                Some(known) => {
                    if is_found {
                        (known.path, known.modified) = (path.clone(), modified);
                    }
                    known.turns.extend(turns);
                    known.problems.broken += problems.broken;
                    known.problems.too_long += problems.too_long;
                }
                None => reading = Some(SessionReading { path: path.clone(), modified, turns, problems }),
            }
            if is_found {
                break;
            }
        }
        // Every session was found by one of its files.
        Ok(reading.unwrap_or_else(|| SessionReading {
            path: Utf8PathBuf::new(),
            modified: None,
            turns: Vec::new(),
            problems: Problems::default(),
        }))
    }
}

impl SessionReading {
    /// Which lines could not be read, if any.
    #[must_use]
    pub fn unread(&self) -> Option<String> {
        let Problems { too_long, broken } = self.problems;
        let all = too_long + broken;
        let lines = if all == 1 { "1 line".to_owned() } else { format!("{all} lines") };
        let why = match (too_long, broken) {
            (0, 0) => return None,
            (_, 0) => "over 16 MB".to_owned(),
            (0, _) => "broken".to_owned(),
            _ => format!("{too_long} over 16 MB, {broken} broken"),
        };
        Some(format!("{lines} of the transcript left out: {why}"))
    }

    /// Why there is no turn, if there is none; `is_around` says whether one turn was asked for.
    #[must_use]
    pub fn why_nothing(&self, is_around: bool) -> &'static str {
        match (is_around, self.problems == Problems::default()) {
            (true, true) => "no such turn in this session",
            (true, false) => "no such turn in this session, as far as it can be read",
            (false, true) => "nothing was said in this session",
            (false, false) => "nothing in this session can be read",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_a_session_or_one_of_its_agents() {
        let file = |path: &str, session: &str, agent: Option<&str>| SessionFile {
            path: path.into(),
            session: session.to_owned(),
            agent: agent.map(str::to_owned),
            client: "claude-code".to_owned(),
        };
        let files = [
            file("/p/11aa.jsonl", "11aa", None),
            file("/p/11aa/subagents/agent-ab.jsonl", "11aa", Some("ab")),
            file("/p/11aa/subagents/agent-ac.jsonl", "11aa", Some("ac")),
            file("/p/11bb.jsonl", "11bb", None),
            file("/p/22/subagents/agent-d.jsonl", "22", Some("d")),
        ];
        let check = |id: &str, expected: &str| {
            let found = match choose_session(&files, id) {
                SessionChoice::Nothing => "nothing".to_owned(),
                SessionChoice::One(one) => {
                    let own = one.own.as_ref().map_or("none", |path| path.as_str());
                    format!("{} {own} {}", one.id, one.agents.len())
                }
                SessionChoice::Several(ids) => ids.join(" or "),
            };
            assert_eq!(found, expected, "{id}");
        };
        check("11aa", "11aa /p/11aa.jsonl 2");
        check("11b", "11bb /p/11bb.jsonl 0");
        check("1", "11aa or 11bb");
        check("22", "22 none 1");
        check("agent-ab", "agent-ab /p/11aa/subagents/agent-ab.jsonl 0");
        check("agent-d", "agent-d /p/22/subagents/agent-d.jsonl 0");
        check("agent-a", "agent-ab or agent-ac");
        check("nope", "nothing");
    }
}
