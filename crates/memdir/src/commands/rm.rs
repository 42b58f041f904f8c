//! `memdir rm`: memories go, their history stays.

use anyhow::{Result, bail};
use clap::Parser;

use super::Run;
use super::memory::{How, carry_out};
use crate::exit::Exit;
use crate::world::World;

/// Remove memories and their lines in the index
#[derive(Debug, Parser)]
#[command(
    name = "rm",
    after_help = "`memdir undo` brings them back. For a secret, use `memdir purge`: it removes every version.

Examples:
  memdir rm tabs
  memdir rm tabs prices
  memdir rm topics/quotes.md --dry-run"
)]
pub(crate) struct Rm {
    /// The memories: names, file stems, or paths in the directory
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    #[command(flatten)]
    how: How,
}

impl Run for Rm {
    fn run(self, world: &mut World) -> Result<Exit> {
        if self.names.len() > 1 && self.how.json {
            bail!("--json takes one name");
        }
        let mut memory = self.how.which.open(world)?;
        // Every name is looked up before anything is removed.
        let mut entries = Vec::new();
        for name in &self.names {
            entries.push(memory.find(name)?);
        }
        let mut exit = Exit::Yes;
        for entry in &entries {
            let plan = memory.plan_remove(entry)?;
            exit = carry_out(&plan, &mut memory, &self.how, world)?;
        }
        Ok(exit)
    }
}
