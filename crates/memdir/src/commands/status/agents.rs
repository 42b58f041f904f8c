use anyhow::Result;
use memdir_lib::setup::{Mode, Outcome, Setup as Installer};
use serde::Serialize;

use crate::commands::setup;
use crate::plugin;
use crate::world::World;

/// An agent that is installed here.
#[derive(Debug, Serialize)]
pub(super) struct AgentStatus {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// Whether its settings name this program, in every place that `memdir setup` writes.
    pub(super) connected: bool,
}

/// The agents that are installed here. `memdir setup` would change nothing for one that is connected.
pub(super) fn installed(world: &World) -> Result<Vec<AgentStatus>> {
    let Ok(program) = setup::program(world) else { return Ok(Vec::new()) };
    let plugin = plugin::installed(&program)?;
    let Ok(mut installer) = Installer::begin(&world.env()?, Mode::DryRun) else { return Ok(Vec::new()) };
    let agents = installer.installed().into_iter().map(|agent| {
        let report = installer.install(agent, &program, &plugin, Mode::DryRun);
        let connected = matches!(report.outcome, Outcome::Unchanged) && report.without_effect.is_none();
        AgentStatus { name: agent.name(), title: agent.title(), connected }
    });
    Ok(agents.collect())
}
