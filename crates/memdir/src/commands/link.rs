//! `memdir link`: one memory points to another.

use anyhow::Result;
use clap::Parser;

use super::Run;
use super::memory::{How, carry_out};
use crate::exit::Exit;
use crate::world::World;

/// Link a memory to another
#[derive(Debug, Parser)]
#[command(
    name = "link",
    after_help = "Examples:
  memdir link tabs editor-settings"
)]
pub(crate) struct Link {
    /// The memory that gets the link
    from: String,
    /// The memory that it points to
    to: String,
    #[command(flatten)]
    how: How,
}

impl Run for Link {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.how.which.open(world)?;
        let plan = memory.plan_link(&memory.find(&self.from)?, &memory.find(&self.to)?)?;
        carry_out(&plan, &mut memory, &self.how, world)
    }
}
