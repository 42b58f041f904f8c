//! `memdir hook EVENT`: what an agent calls, at every turn. It must never hurt the agent.
//!
//! Whatever goes wrong, the process exits 0 and says nothing; what went wrong is in a log that `memdir doctor`
//! reads. Nothing here starts a process that it waits for, and nothing grows with the number of memories.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::env::{Env, MEMDIR_MODEL_CALL};
use memdir_core::hook::{Event, HookAnswer, MAX_EVENT_BYTES, render_for};
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::settings::ClientFlags;
use memdir_core::wiring::{Agent, Start};
use memdir_disk::failure_log::{self, Failure};
use memdir_disk::pauses::Pauses;
use memdir_disk::platform::detach;
use memdir_lib::memory::Memory;
use memdir_lib::place::switched_off;
use memdir_lib::recall::forget_session;

mod after_tool;
mod before_tool;
mod client_switch;
mod conversation;
mod first_prompt;
mod index;
mod journal;
mod original_directory;
pub(crate) mod prompt_submitted;
mod scratchpad;
mod sections;
mod session_ended;
mod session_started;
mod snapshots;
mod subagent_started;
mod turn_ended;

use crate::exit::Exit;
use crate::job::Job;
use crate::world::World;
use memdir_disk::real_path::real_path;

/// Answers one event. `arguments` are those behind `hook`: the event's name, if the caller gives one.
pub(crate) fn run(arguments: &[OsString], world: &mut World) -> Exit {
    let mut input = Vec::new();
    let _ = world.stdin.by_ref().take(MAX_EVENT_BYTES).read_to_end(&mut input);
    // The rest is read too, so that the agent's write does not fail on a closed pipe.
    let _ = io::copy(&mut world.stdin, &mut io::sink());
    let mut event = Event::parse(&input);
    if let Some(name) = arguments.first().and_then(|name| name.to_str()) {
        name.clone_into(&mut event.name);
    }
    let named = arguments.iter().find_map(|argument| argument.to_str()?.strip_prefix("--agent="));
    let agent = named.unwrap_or(CLAUDE_CODE).to_owned();
    let answered = answer(&event, &agent, world).and_then(|answer| say(&answer, &event, &agent, world));
    if let Err(error) = answered {
        note(&event, &error, world);
    }
    Exit::Yes
}

/// What answers an event.
type Answering = fn(&Hook<'_>) -> Result<HookAnswer>;

/// Every event that memdir answers. Gemini CLI, Copilot and Cursor have names of their own.
const EVENTS: &[(&str, Answering)] = &[
    ("SessionStart", session_started::answer),
    ("sessionStart", session_started::answer),
    ("SessionEnd", session_ended::answer),
    ("UserPromptSubmit", prompt_submitted::answer),
    ("BeforeAgent", prompt_submitted::answer),
    ("userPromptTransformed", prompt_submitted::answer),
    ("PreToolUse", before_tool::answer),
    ("PermissionRequest", before_tool::requested),
    ("PostToolUse", after_tool::answer),
    ("SubagentStart", subagent_started::answer),
    ("SubagentStop", journal::subagent_stopped),
    ("Stop", turn_ended::answer),
    ("AfterAgent", turn_ended::answer),
    ("PreCompact", journal::compacting),
    ("PreCompress", journal::compacting),
    ("PostCompact", journal::compacted),
];

/// The names of the events that memdir answers.
pub fn hook_events() -> impl Iterator<Item = &'static str> {
    EVENTS.iter().map(|(name, _)| *name)
}

fn answer(event: &Event, agent: &str, world: &World) -> Result<HookAnswer> {
    // A session that answers for us as a model does no work of its own, and must not cause another.
    if world.vars.contains_key(MEMDIR_MODEL_CALL) {
        return Ok(HookAnswer::Nothing);
    }
    // Today's events that need no answer, and tomorrow's.
    let Some((_, answering)) = EVENTS.iter().find(|(name, _)| *name == event.name) else {
        return Ok(HookAnswer::Nothing);
    };
    let hook = Hook { event, env: environment(event, world)?, world, agent };
    // Off is decided here for every event, before anything is opened.
    if switched_off(&hook.env, &ClientFlags::default())?.is_some() || hook.is_paused() {
        return Ok(HookAnswer::Nothing);
    }
    answering(&hook)
}

/// One call of a hook: what the client says, and where.
struct Hook<'h> {
    event: &'h Event,
    env: Env,
    world: &'h World,
    /// Who calls.
    agent: &'h str,
}

/// The client whose hooks say nothing about who calls.
pub(crate) const CLAUDE_CODE: &str = "claude-code";

impl Hook<'_> {
    /// Whether the agent that calls does not read MEMORY.md by itself.
    fn wants_index(&self) -> bool {
        self.agent != CLAUDE_CODE
    }

    /// What becomes of what the agent is told at the start of a session.
    fn told_at_start(&self) -> Start {
        Agent::recorded_as(self.agent).map_or(Start::Kept, Agent::start)
    }

    fn author(&self) -> Author {
        Author {
            kind: AuthorKind::Agent,
            id: Some(self.agent.to_owned()),
            session: self.event.session.clone(),
        }
    }

    /// What the session was shown is gone from its context: its next prompt counts as the first.
    fn forget_shown(&self) {
        if let Some(session) = self.event.session.as_deref() {
            forget_session(&self.env, session);
        }
    }

    fn memory(&self) -> Result<Memory> {
        Ok(Memory::open(&self.env, &ClientFlags::default())?)
    }

    /// Whether the user has paused this session or this project.
    fn is_paused(&self) -> bool {
        let Some(state_dir) = self.env.state_dir() else { return false };
        let pauses = Pauses::of(&state_dir);
        if self.agent == CLAUDE_CODE {
            client_switch::follow(self.event, &pauses);
        }
        let session = self.event.session.as_deref().is_some_and(|session| pauses.is_paused(session));
        session
            || pauses.any()
                && self
                    .memory()
                    .is_ok_and(|memory| memory.known_id().is_some_and(|id| pauses.is_paused(&id.0)))
    }

    /// Starts a job and waits for nothing. That it does not start costs freshness, nothing else.
    fn start(&self, job: Job) {
        let Some(program) = &self.world.program else { return };
        let mut command = Command::new(program);
        command
            .args(job.arguments(self.event.session.as_deref()))
            .args(["--cwd", self.env.cwd.as_str()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let _ = detach(&mut command).spawn();
    }
}

/// The environment in the project's own directory: the event's follows `cd`, the project does not.
fn environment(event: &Event, world: &World) -> Result<Env> {
    let named = |path: &str| real_path(Utf8Path::new(path)).ok();
    let project = world.vars.get("CLAUDE_PROJECT_DIR").and_then(|path| named(path));
    let cwd: Option<Utf8PathBuf> = project
        .or_else(|| original_directory::of_session(event))
        .or_else(|| event.cwd.as_deref().and_then(named));
    let cwd = match cwd {
        Some(cwd) => cwd,
        None => world.env().context("there is no project directory")?.cwd,
    };
    Ok(Env { home: world.home.clone(), cwd, vars: world.vars.clone() })
}

fn say(answer: &HookAnswer, event: &Event, agent: &str, world: &mut World) -> Result<()> {
    if let Some(json) = render_for(agent, answer, event) {
        writeln!(world.stdout, "{json}")?;
    }
    Ok(world.stdout.flush()?)
}

/// Leaves a line for `memdir doctor`. If that fails too, there is no one left to tell.
fn note(event: &Event, error: &anyhow::Error, world: &World) {
    let Ok(env) = world.env() else { return };
    let Some(state_dir) = env.state_dir() else { return };
    let message = format!("{error:#}");
    let _ = failure_log::note(&state_dir, &Failure { time: world.now, during: event.name.clone(), message });
}
