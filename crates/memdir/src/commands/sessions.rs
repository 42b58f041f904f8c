//! `memdir sessions`: which there were, and what was said.

use std::io::Write;

use anyhow::{Result, bail};
use camino::Utf8PathBuf;
use clap::{Parser, Subcommand};
use jiff::Timestamp;
use memdir_disk::real_look::RealLook;
use memdir_lib::place::Place;
use memdir_lib::sessions::project_sessions;
use memdir_search::transcript::{Problems, SessionFile, session_files, sessions_of_others};
use memdir_search::{
    SessionChoice, SessionReading, SessionSummary, SessionTurn, choose_session, summarize_sessions,
};
use serde::Serialize;
use serde_json::json;

use super::{Run, when};
use crate::arguments::ClientOptions;
use crate::exit::Exit;
use crate::output::{human_age, human_bytes, printable};
use crate::world::World;

/// List past sessions, or show one
#[derive(Debug, Parser)]
#[command(
    name = "sessions",
    after_help = "Examples:
  memdir sessions
  memdir sessions --branch main --since 2w
  memdir sessions show 5c0523b1
  memdir sessions show 5c0523b1 --around 8d1f03a2-6b7c-4c55-9f0e-2a9d3a1b7c10"
)]
pub(crate) struct Sessions {
    #[command(subcommand)]
    action: Option<Action>,
    /// How many
    #[arg(short = 'n', long = "limit", value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Only those that began on this branch
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Only those that were used since a time: 3d, yesterday, 2026-10, 2026-10-05
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Those of every project
    #[arg(long)]
    all: bool,
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
    #[command(flatten)]
    client: ClientOptions,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print what was said and done in a session
    #[command(after_help = "Examples:
  memdir sessions show 5c0523b1
  memdir sessions show agent-a1b2c3
  memdir sessions show 5c0523b1 --around 8d1f03a2-6b7c-4c55-9f0e-2a9d3a1b7c10 --json")]
    Show {
        /// The id of the session or of a sub-agent (agent-…), or the beginning of it
        id: String,
        /// Only this turn and those around it, in the session or in one of its sub-agents
        #[arg(long, value_name = "UUID")]
        around: Option<String>,
        /// How many turns on either side
        #[arg(long, value_name = "N", default_value_t = 5)]
        distance: usize,
    },
}

impl Run for Sessions {
    fn run(self, world: &mut World) -> Result<Exit> {
        let files = self.files(world)?;
        if let Some(Action::Show { id, around, distance }) = &self.action {
            let around = around.as_deref().map(|uuid| (uuid, *distance));
            return self.show(&files, id, around, world);
        }
        let mut sessions: Vec<SessionSummary> = summarize_sessions(&files);
        sessions.sort_by(|one, other| other.modified.cmp(&one.modified).then_with(|| one.id.cmp(&other.id)));
        if let Some(branch) = &self.branch {
            sessions.retain(|session| session.branch == *branch);
        }
        if let Some(since) = &self.since {
            let since = when::since(since, world)?;
            sessions.retain(|session| session.modified.is_some_and(|time| time >= since));
        }
        sessions.truncate(self.limit);
        if self.json {
            let items: Vec<Item> = sessions.iter().map(Item::of).collect();
            world.print_json(&json!({"items": items}))?;
        } else {
            list(&sessions, world)?;
        }
        Ok(Exit::Yes)
    }
}

impl Sessions {
    /// The transcripts of the project, or also those of Claude Code in all other projects.
    fn files(&self, world: &World) -> Result<Vec<SessionFile>> {
        let env = world.env()?;
        let place = Place::find(&env, &self.client.flags())?;
        if !self.all {
            return Ok(project_sessions(&env, &place));
        }
        let entries = place.projects.projects_dir().read_dir_utf8().into_iter().flatten().flatten();
        let mut files: Vec<SessionFile> =
            entries.flat_map(|entry| session_files(&RealLook, entry.path())).collect();
        files.extend(sessions_of_others(&env, &place.location.root, &RealLook));
        Ok(files)
    }

    fn show(
        &self,
        files: &[SessionFile],
        id: &str,
        around: Option<(&str, usize)>,
        world: &mut World,
    ) -> Result<Exit> {
        let chosen = match choose_session(files, id) {
            SessionChoice::One(chosen) => chosen,
            SessionChoice::Nothing => {
                writeln!(world.stderr, "there is no session `{}` here", printable(id))?;
                return Ok(Exit::No);
            }
            SessionChoice::Several(ids) => {
                bail!("`{}` is ambiguous: {}", printable(id), printable(&ids.join(", ")))
            }
        };
        let reading = chosen.read(around)?;
        if self.json {
            world.print_json(&Turns::of(&chosen.id, &reading))?;
        } else {
            print(&reading.turns, world)?;
        }
        if let Some(unread) = reading.unread() {
            world.warn(&unread)?;
        }
        if reading.turns.is_empty() {
            writeln!(world.stderr, "{}", reading.why_nothing(around.is_some()))?;
            return Ok(Exit::No);
        }
        Ok(Exit::Yes)
    }
}

#[derive(Serialize)]
struct Item<'a> {
    id: &'a str,
    agent: &'a str,
    path: &'a Utf8PathBuf,
    cwd: &'a str,
    branch: &'a str,
    started: Option<Timestamp>,
    modified: Option<Timestamp>,
    first_prompt: &'a str,
    bytes: u64,
    agents: usize,
}

impl<'a> Item<'a> {
    fn of(session: &'a SessionSummary) -> Self {
        Self {
            id: &session.id,
            agent: &session.client,
            path: &session.path,
            cwd: &session.cwd,
            branch: &session.branch,
            started: session.started,
            modified: session.modified,
            first_prompt: &session.first_prompt,
            bytes: session.bytes,
            agents: session.agents,
        }
    }
}

/// The agent whose sessions need no name.
const CLAUDE_CODE: &str = "claude-code";

fn list(sessions: &[SessionSummary], world: &mut World) -> Result<()> {
    let paint = world.paint;
    if sessions.is_empty() {
        writeln!(world.stderr, "No sessions yet.")?;
    }
    for session in sessions {
        let age = session.modified.map(|time| human_age(world.now.as_second() - time.as_second()));
        // The first eight characters of most agents' ids are a time, the same for sessions of one minute.
        let shown = if session.client == CLAUDE_CODE { 8 } else { 13 };
        let id: String = session.id.chars().take(shown).collect();
        let client =
            if session.client == CLAUDE_CODE { String::new() } else { format!("{}  ", session.client) };
        let agents = if session.agents > 0 { format!("  {} agents", session.agents) } else { String::new() };
        writeln!(
            world.stdout,
            "{}  {}  {}  {client}{}{agents}  {}",
            paint.code(&printable(&id)),
            paint.quiet(&format!("{:>12}", age.unwrap_or_default())),
            paint.quiet(&format!("{:>6}", human_bytes(session.bytes))),
            paint.strong(&printable(&session.branch)),
            printable(&session.first_prompt)
        )?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Turns<'a> {
    id: &'a str,
    path: &'a Utf8PathBuf,
    items: Vec<TurnItem<'a>>,
    /// Lines over the limit, and lines that are not JSON.
    too_long: u64,
    broken: u64,
}

#[derive(Serialize)]
struct TurnItem<'a> {
    uuid: &'a str,
    line: u64,
    role: &'static str,
    time: Option<Timestamp>,
    text: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    actions: &'a [String],
}

impl<'a> Turns<'a> {
    fn of(id: &'a str, reading: &'a SessionReading) -> Self {
        let item = |turn: &'a SessionTurn| TurnItem {
            uuid: &turn.uuid,
            line: turn.line,
            role: role(turn),
            time: turn.time,
            text: &turn.text,
            actions: &turn.actions,
        };
        let Problems { too_long, broken } = reading.problems;
        Self { id, path: &reading.path, items: reading.turns.iter().map(item).collect(), too_long, broken }
    }
}

fn role(turn: &SessionTurn) -> &'static str {
    turn.role.map_or("compaction", |role| role.as_str())
}

fn print(turns: &[SessionTurn], world: &mut World) -> Result<()> {
    let paint = world.paint;
    for turn in turns {
        let time = turn.time.map(|time| time.to_string()).unwrap_or_default();
        writeln!(
            world.stdout,
            "{}  {}",
            paint.strong(role(turn)),
            paint.quiet(&format!("{time}  {}", printable(&turn.uuid)))
        )?;
        if !turn.text.is_empty() {
            writeln!(world.stdout, "{}", printable(&turn.text))?;
        }
        for action in &turn.actions {
            writeln!(world.stdout, "  {}", paint.code(&printable(action)))?;
        }
        writeln!(world.stdout)?;
    }
    Ok(())
}
