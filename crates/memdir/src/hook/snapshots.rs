//! Snapshots of agents' memory at the start of a session: one is taken over where the user has no memory of that agent
//! yet, a newer one is offered.

use anyhow::Result;
use camino::Utf8Path;
use memdir_core::agents::Scope;
use memdir_core::agents::snapshot::Standing;
use memdir_core::hygiene::model_remark;
use memdir_core::settings::ClientFlags;
use memdir_core::wiring::shell_word;
use memdir_lib::agents::{Agents, Snapshots};
use memdir_lib::features::read_features;

use super::Hook;

/// Where a project hands the memory of its agents on.
const SNAPSHOTS: &str = ".claude/agent-snapshots";

/// What was taken over, and what the user can take over.
pub(super) fn offered(hook: &Hook<'_>) -> Result<Vec<String>> {
    // Most projects have none, and need not be asked further.
    if !hook.env.cwd.join(SNAPSHOTS).is_dir() || !read_features(&hook.env).0.snapshots {
        return Ok(Vec::new());
    }
    let agents = Agents::open(&hook.env, &ClientFlags::default())?;
    let found = agents.find().agents;
    let of_user = found.iter().filter(|(_, agent)| agent.memory == Some(Scope::User));
    let mut facts = Vec::new();
    for (_, agent) in of_user {
        let snapshots = Snapshots::open(&agents, &agent.name)?;
        let status = snapshots.status()?;
        let name = shell_word(Utf8Path::new(agent.name.as_str()));
        // What looks like an attack is never taken over unasked.
        match status.standing {
            Standing::Initialise if status.warnings.is_empty() => {
                let kept = snapshots.apply(&hook.author(), hook.world.now)?;
                if let Some(operation) = kept.operation {
                    facts.push(model_remark(&format!(
                        "The agent `{}` begins with the memory that this project hands on; `memdir undo {} --dir {}` undoes it.",
                        agent.name,
                        snapshots.short_id(&operation),
                        shell_word(snapshots.memory_dir())
                    )));
                }
            }
            Standing::Initialise | Standing::Newer => facts.push(model_remark(&format!(
                "This project has a newer snapshot of the memory of the agent `{}`: `memdir agent snapshot apply {name}` merges it, \
                 `memdir agent snapshot keep {name}` leaves it.",
                agent.name
            ))),
            _ => {}
        }
    }
    Ok(facts)
}
