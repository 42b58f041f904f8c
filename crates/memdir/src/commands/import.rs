//! `memdir import`: what other agents remember, taken over.

use std::io::Write;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use memdir_core::other_agents::{OtherAgent, Proposal};
use memdir_lib::memory::Import as Planned;
use serde::Serialize;

use super::Run;
use super::memory::{How, carry_out};
use crate::arguments::Global;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Import what another agent remembers
#[derive(Debug, Parser)]
#[command(
    name = "import",
    after_help = "The other agent's files are read where they are and never changed. A file with several sections becomes a memory for each.
What is known already is not added again, so a second import adds nothing. It is one operation: `memdir undo` undoes it.

Examples:
  memdir import cursor --dry-run
  memdir import gemini
  memdir import codex --dry-run --json | jq -r '.memories[].name'"
)]
pub(crate) struct Import {
    /// Whose memory or rules
    agent: Agent,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    global: Global,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Agent {
    /// Codex: MEMORY.md and AGENTS.md in ~/.codex
    Codex,
    /// Gemini CLI: GEMINI.md in ~/.gemini and in the project
    Gemini,
    /// AGENTS.md in the project
    Agents,
    /// Cursor: .cursor/rules and .cursorrules in the project
    Cursor,
    /// Cline and others: memory-bank/ in the project
    #[value(alias = "cline")]
    MemoryBank,
    /// Windsurf: .windsurf/rules in the project
    Windsurf,
    /// Copilot: .github/copilot-instructions.md in the project
    Copilot,
}

impl Agent {
    fn agent(self) -> OtherAgent {
        match self {
            Self::Codex => OtherAgent::Codex,
            Self::Gemini => OtherAgent::Gemini,
            Self::Agents => OtherAgent::AgentsMd,
            Self::Cursor => OtherAgent::Cursor,
            Self::MemoryBank => OtherAgent::MemoryBank,
            Self::Windsurf => OtherAgent::Windsurf,
            Self::Copilot => OtherAgent::Copilot,
        }
    }
}

impl Run for Import {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.how.which.open(world)?;
        let planned = memory.plan_import(self.agent.agent(), &world.env()?, world.now)?;
        if self.how.is_dry_run() {
            return self.preview(&planned, world);
        }
        if planned.memories.is_empty() && !self.how.json {
            return self.preview(&planned, world);
        }
        carry_out(&planned.plan, &mut memory, &self.how, world)
    }
}

impl Import {
    fn preview(&self, planned: &Planned, world: &mut World) -> Result<Exit> {
        if self.how.json {
            #[derive(Serialize)]
            struct Report<'r> {
                memories: &'r [Proposal],
                known: &'r [String],
                sources: &'r [String],
                warnings: &'r [String],
                dry_run: bool,
            }
            world.print_json(&Report {
                memories: &planned.memories,
                known: &planned.known,
                sources: &planned.sources,
                warnings: &planned.plan.warnings,
                dry_run: true,
            })?;
            return Ok(Exit::Yes);
        }
        let paint = world.paint;
        for memory in &planned.memories {
            writeln!(
                world.stdout,
                "{}  {}",
                paint.strong(&memory.name),
                paint.quiet(memory.memory_type.as_str())
            )?;
            writeln!(world.stdout, "  {}", printable(&memory.description))?;
            writeln!(world.stdout, "  {}", paint.quiet(&printable(&memory.source)))?;
        }
        if planned.sources.is_empty() {
            writeln!(world.stdout, "There is nothing of that agent here.")?;
        } else if planned.memories.is_empty() {
            writeln!(world.stdout, "Nothing to add: all of it is known.")?;
        } else {
            let known = match planned.known.len() {
                0 => String::new(),
                count => format!(", {count} known already"),
            };
            writeln!(world.stdout, "{} to add{known}.", planned.memories.len())?;
        }
        for warning in &planned.plan.warnings {
            world.warn(warning)?;
        }
        Ok(Exit::Yes)
    }
}
