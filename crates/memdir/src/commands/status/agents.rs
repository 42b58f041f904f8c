use anyhow::Result;
use jiff::Timestamp;
use memdir_disk::hook_seen::last_hook;
use memdir_lib::setup::{Mode, Outcome, Setup as Installer};
use serde::Serialize;

use crate::commands::setup;
use crate::hook::CLAUDE_CODE;
use crate::plugin;
use crate::world::World;

/// An agent that is installed here.
#[derive(Debug, Serialize)]
pub(super) struct AgentStatus {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// Whether its settings name this program, in every place that `memdir setup` writes.
    pub(super) connected: bool,
    /// When a session with its hooks last started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) last_hook: Option<Timestamp>,
}

/// The agents that are installed here. `memdir setup` would change nothing for one that is connected.
pub(super) fn installed(world: &World) -> Result<Vec<AgentStatus>> {
    let Ok(program) = setup::program(world) else { return Ok(Vec::new()) };
    let plugin = plugin::installed(&program)?;
    let env = world.env()?;
    let state_dir = env.state_dir();
    let Ok(mut installer) = Installer::begin(&env, Mode::DryRun) else { return Ok(Vec::new()) };
    let agents = installer.installed().into_iter().map(|agent| {
        let report = installer.install(agent, &program, &plugin, Mode::DryRun);
        let connected = matches!(report.outcome, Outcome::Unchanged) && report.without_effect.is_none();
        let last_hook = state_dir.as_deref().and_then(|dir| last_hook(dir, hook_name(agent.name())));
        AgentStatus { name: agent.name(), title: agent.title(), connected, last_hook }
    });
    Ok(agents.collect())
}

/// The name under which an agent's hooks call memdir.
fn hook_name(agent: &'static str) -> &'static str {
    if agent == "claude" { CLAUDE_CODE } else { agent }
}
