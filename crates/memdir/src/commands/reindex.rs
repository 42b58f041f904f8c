//! `memdir reindex`: MEMORY.md from the files.

use anyhow::Result;
use clap::Parser;

use super::Run;
use super::memory::{How, carry_out};
use crate::exit::Exit;
use crate::world::World;

/// Rebuild MEMORY.md from the files
#[derive(Debug, Parser)]
#[command(
    name = "reindex",
    after_help = "Examples:
  memdir reindex --dry-run
  memdir reindex"
)]
pub(crate) struct Reindex {
    #[command(flatten)]
    how: How,
}

impl Run for Reindex {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.how.which.open(world)?;
        let plan = memory.plan_reindex(&memory.catalogue()?)?;
        carry_out(&plan, &mut memory, &self.how, world)
    }
}
