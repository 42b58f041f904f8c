//! `memdir rm`: a memory goes, its record stays.

use anyhow::Result;
use clap::Parser;

use super::Run;
use super::memory::{How, carry_out};
use crate::arguments::Global;
use crate::exit::Exit;
use crate::world::World;

/// Remove a memory and its line in the index
#[derive(Debug, Parser)]
#[command(
    name = "rm",
    after_help = "Examples:
  memdir rm tabs
  memdir rm topics/quotes.md --dry-run"
)]
pub(crate) struct Rm {
    /// The memory's name, its file's stem, or its path in the directory
    name: String,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    global: Global,
}

impl Run for Rm {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.how.which.open(world)?;
        let plan = memory.plan_remove(&memory.find(&self.name)?)?;
        carry_out(&plan, &mut memory, &self.how, world)
    }
}
