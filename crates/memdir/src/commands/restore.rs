//! `memdir restore`: one memory as it was, also one that is gone.

use anyhow::Result;
use clap::Parser;

use super::Run;
use super::memory::{How, carry_out};
use crate::arguments::Global;
use crate::exit::Exit;
use crate::world::World;

/// Bring a memory back as it was
#[derive(Debug, Parser)]
#[command(
    name = "restore",
    after_help = "A memory that was removed comes back with its line in the index.

Examples:
  memdir restore tabs --at 2026-11-01
  memdir restore tabs --at 7k2m9xqa --dry-run"
)]
pub(crate) struct Restore {
    /// The memory's name, its file's stem, or its path in the directory, also if it is gone
    name: String,
    /// After which operation, or when: RFC 3339, or a day for its end in UTC
    #[arg(long, value_name = "OP|TIME")]
    at: String,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    global: Global,
}

impl Run for Restore {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.how.which.open(world)?;
        memory.look(world.now)?;
        let log = memory.log(usize::MAX)?;
        let path = memory.past_path(&self.name, &log)?;
        let plan = memory.plan_restore(&path, &log.moment(&self.at)?, &log)?;
        carry_out(&plan, &mut memory, &self.how, world)
    }
}
