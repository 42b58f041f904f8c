//! Memory in an agent of your own, one call for each thing. All of it is built from the other modules.

use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use memdir_core::agents::{AgentName, Tools};
use memdir_core::env::Env;
use memdir_core::locate::LocateError;
use memdir_core::permissions::{Tool, Verdict, may_touch};
use memdir_core::prompt::Profile;
use memdir_core::settings::ClientFlags;
use memdir_disk::real_look::RealLook;
use memdir_search::RecalledMemory;

use crate::agents::{Agents, AgentsError, Snapshots};
use crate::freshness::{FreshnessError, refresh_recalled};
use crate::journal::{Journal, JournalError};
use crate::memory::{Memory, MemoryError};
use crate::permissions::permitted_places;
use crate::place::{Place, switched_off};
use crate::recall::{Occasion, Wanted, recall as recall_indexed};
use crate::turn::TurnSource;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The memory directory cannot be found.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The memory cannot be read or written.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// An agent's memory cannot be read.
    #[error(transparent)]
    Agents(#[from] AgentsError),
    /// The search index cannot be built.
    #[error(transparent)]
    Index(#[from] FreshnessError),
}

/// How long bringing the index up to date may take before a recall answers without it.
const PATIENCE: Duration = Duration::from_secs(5);

/// The section of a system prompt about memory, with the index in it; `None` while memory is off.
///
/// # Errors
/// What the client itself would refuse to start with.
pub fn prompt_section(env: &Env, now: Timestamp) -> Result<Option<String>, EmbedError> {
    let source = TurnSource::open(env.clone(), ClientFlags::default(), None, Profile::Seed)?.at(now);
    Ok(source.auto_memory())
}

/// The system prompt of a custom agent: its own words, then the section about its memory. `None` if no agent has that
/// name; without a section if it has no memory, or while memory is off.
///
/// # Errors
/// Its index cannot be read.
pub fn agent_prompt(env: &Env, name: &str, now: Timestamp) -> Result<Option<String>, EmbedError> {
    let agents = Agents::open(env, &ClientFlags::default())?;
    let Some((_, agent)) = agents.get(name) else { return Ok(None) };
    let mut prompt = agent.body.trim_end().to_owned();
    if let Some(scope) = agent.memory_while(agents.location().enabled)
        && let Some(section) = agents.section(&agent.name, scope, &[], now)?
    {
        prompt.push_str("\n\n");
        prompt.push_str(&section.text);
    }
    Ok(Some(prompt))
}

/// The tools that a custom agent gets, those for its memory among them; `None` if no agent has that name.
///
/// # Errors
/// What the client itself would refuse to start with.
pub fn injected_tools(env: &Env, name: &str) -> Result<Option<Tools>, EmbedError> {
    let agents = Agents::open(env, &ClientFlags::default())?;
    let is_enabled = agents.location().enabled;
    Ok(agents.get(name).map(|(_, agent)| agent.resolve_tools(is_enabled)))
}

/// Whether a tool may touch a path without asking the user; `agent` is `None` for the main loop.
///
/// # Errors
/// What the client itself would refuse to start with.
pub fn may_write(env: &Env, tool: Tool, path: &str, agent: Option<&str>) -> Result<Verdict, EmbedError> {
    let place = Place::find(env, &ClientFlags::default())?;
    Ok(may_touch(tool, path, agent, &permitted_places(&place, env), &RealLook))
}

/// The memories that matter for a prompt, quoted, within a budget of tokens; none while memory is off. Builds the
/// search index if there is none, and looks for what changed since.
///
/// # Errors
/// The index cannot be built.
pub fn recall(
    env: &Env,
    prompt: &str,
    budget: usize,
    now: Timestamp,
) -> Result<Vec<RecalledMemory>, EmbedError> {
    let flags = ClientFlags::default();
    if switched_off(env, &flags)?.is_some() {
        return Ok(Vec::new());
    }
    refresh_recalled(env, &flags, now, Instant::now() + PATIENCE)?;
    let wanted = Wanted { prompt, session: None, budget, tools: &[], occasion: Occasion::Asked };
    Ok(recall_indexed(env, &flags, &wanted, now)?.memories)
}

/// The file of today's log, by the local date. It need not exist.
///
/// # Errors
/// What the client itself would refuse to start with.
pub fn daily_log_path(env: &Env, now: Timestamp) -> Result<Utf8PathBuf, EmbedError> {
    let memory = Memory::open(env, &ClientFlags::default())?;
    let path = Memory::daily_log(now, &TimeZone::system())?;
    Ok(memory.directory().join(path.as_path()))
}

/// The snapshots of an agent's memory that the project hands on.
///
/// # Errors
/// They cannot be read.
pub fn snapshots<'a>(agents: &'a Agents, name: &'a AgentName) -> Result<Snapshots<'a>, EmbedError> {
    Ok(Snapshots::open(agents, name)?)
}

/// The journal of the project; it need not exist.
///
/// # Errors
/// What the client itself would refuse to start with.
pub fn journal(env: &Env) -> Result<Journal, JournalError> {
    Journal::open(env, &ClientFlags::default())
}
