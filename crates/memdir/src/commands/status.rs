//! `memdir status`: what memdir does by itself here, and how that went.

use std::io::Write;

use anyhow::Result;
use clap::Parser;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use memdir_core::settings::ClientFlags;
use memdir_disk::failure_log::{self, Failure};
use memdir_disk::pauses::Pauses;
use memdir_lib::memory::Memory;
use memdir_lib::model::model_status;
use memdir_lib::place::Place;
use memdir_sync::team::not_shared;
use serde::Serialize;

mod agents;
mod by_itself;
mod model;

use super::Run;
use crate::exit::Exit;
use crate::output::{human_age, printable};
use crate::world::World;
use agents::AgentStatus;
use by_itself::{DreamStands, ExtractionStands};
use model::ModelStands;

/// Show agents, background work and problems
#[derive(Debug, Parser)]
#[command(
    name = "status",
    after_help = "Extraction: when it last ran, what is queued, how far behind it is. Dreams: the last one, and what keeps the next from coming.
The model: what is left of its budget, if your settings name one.

Examples:
  memdir status
  memdir status --json | jq .failures"
)]
pub(crate) struct Status {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct CurrentState {
    /// Whether agents have memory here.
    enabled: bool,
    /// The rule that says so.
    decided_by: String,
    paused: bool,
    /// Every agent that is installed here.
    agents: Vec<AgentStatus>,
    working: bool,
    last_work: Option<Timestamp>,
    changed_by_others: Vec<String>,
    waiting: usize,
    not_shared: usize,
    problems: Vec<String>,
    failures: Vec<Failure>,
    extraction: ExtractionStands,
    dream: DreamStands,
    model: Option<ModelStands>,
}

impl Run for Status {
    fn run(self, world: &mut World) -> Result<Exit> {
        let env = world.env()?;
        let place = Place::find(&env, &ClientFlags::default())?;
        let (enabled, decided_by) = (place.location.enabled, place.location.decided_by.clone());
        let memory = Memory::at_place(place, &env)?;
        let state = env.state_dir();
        let work = memory.work_status();
        let team = state.as_deref().zip(memory.known_id());
        let not_shared = team.map_or(0, |(state, id)| not_shared(state, id));
        let last = work.last;
        let failures = state.as_deref().map(failure_log::read).unwrap_or_default();
        let current = CurrentState {
            enabled,
            decided_by,
            paused: state
                .zip(memory.known_id())
                .is_some_and(|(state, id)| Pauses::of(&state).is_paused(&id.0)),
            agents: agents::installed(world)?,
            working: work.running,
            last_work: last.as_ref().and_then(|last| last.finished),
            changed_by_others: last.as_ref().map(|last| last.changed.clone()).unwrap_or_default(),
            waiting: memory.waiting_count(),
            not_shared,
            problems: last.map(|last| last.problems).unwrap_or_default(),
            failures: lately(failures),
            extraction: ExtractionStands::of(&env, &memory, world.now)?,
            dream: DreamStands::of(&env, &memory, world.now)?,
            model: ModelStands::of(model_status(&env)?, world.now.to_zoned(TimeZone::system()).date()),
        };
        if self.json {
            return world.answer_json(&current);
        }
        print(&current, world)?;
        Ok(Exit::Yes)
    }
}

const SHOWN_FAILURES: usize = 5;

/// The last failures, newest first, each cause once.
fn lately(failures: Vec<Failure>) -> Vec<Failure> {
    let mut shown: Vec<Failure> = Vec::new();
    for failure in failures.into_iter().rev() {
        let is_known =
            |known: &Failure| (&known.during, &known.message) == (&failure.during, &failure.message);
        if shown.len() < SHOWN_FAILURES && !shown.iter().any(is_known) {
            shown.push(failure);
        }
    }
    shown
}

fn print(current: &CurrentState, world: &mut World) -> Result<()> {
    let paint = world.paint;
    let ago = |time: Timestamp| human_age(world.now.as_second() - time.as_second());
    let work = match (current.working, current.last_work) {
        (true, _) => "running now".to_owned(),
        (false, Some(time)) => format!("last run {}", ago(time)),
        (false, None) => "never run; a hook starts it".to_owned(),
    };
    let hooks = match (current.enabled, current.paused) {
        (false, _) => "off, like memory",
        (true, true) => "paused for this project",
        (true, false) if current.agents.iter().all(|agent| !agent.connected) => {
            "not connected to an agent; `memdir setup` connects them"
        }
        (true, false) => "on",
    };
    let memory = format!("{} ({})", if current.enabled { "on" } else { "off" }, current.decided_by);
    let mut lines = vec![("memory", memory), ("hooks", hooks.to_owned()), ("work", work)];
    for agent in &current.agents {
        let state = if agent.connected { "connected" } else { "installed, not connected: `memdir setup`" };
        let seen = match agent.last_hook {
            Some(time) => format!(", last session {}", ago(time)),
            None if agent.connected => ", no session seen yet".to_owned(),
            None => String::new(),
        };
        lines.push(("agent", format!("{}  {state}{seen}", agent.title)));
    }
    if !current.changed_by_others.is_empty() {
        lines.push(("changed", current.changed_by_others.join(", ")));
    }
    if current.waiting > 0 {
        lines.push(("waiting", format!("{} for `memdir review`", current.waiting)));
    }
    if current.not_shared > 0 {
        let memories =
            if current.not_shared == 1 { "1 memory" } else { &format!("{} memories", current.not_shared) };
        lines.push(("team", format!("{memories} not shared: `memdir team status` says why")));
    }
    lines.push(("extract", current.extraction.show(&ago)));
    lines.push(("dream", current.dream.show(&ago)));
    if let Some(model) = &current.model {
        lines.push(("model", model.show()));
    }
    for failure in &current.failures {
        lines.push(("failed", format!("{}  {}: {}", ago(failure.time), failure.during, failure.message)));
    }
    for (what, text) in lines {
        writeln!(world.stdout, "{}  {}", paint.quiet(&format!("{what:<8}")), printable(&text))?;
    }
    world.warn_all(&current.problems)?;
    Ok(())
}
