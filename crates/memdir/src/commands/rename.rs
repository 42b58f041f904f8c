//! `memdir rename`: links and index follow.

use anyhow::Result;
use clap::Parser;
use memdir_sync::team::plan_rename;

use super::Run;
use super::memory::{How, carry_out};
use crate::exit::Exit;
use crate::world::World;

/// Rename a memory; links and index follow
#[derive(Debug, Parser)]
#[command(
    name = "rename",
    after_help = "A memory of the team stays below `team/`, and no other gets there; `memdir team unshare` and `memdir team share` do that.

Examples:
  memdir rename tabs indentation
  memdir rename tabs style/indentation.md"
)]
pub(crate) struct Rename {
    /// The memory's name, its file's stem, or its path in the directory
    name: String,
    /// Its new name, or its new path in the directory
    new_name: String,
    #[command(flatten)]
    how: How,
}

impl Run for Rename {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.how.which.open(world)?;
        let catalogue = memory.catalogue()?;
        let entry = catalogue.find(&self.name, &memory)?;
        let plan = plan_rename(&memory, entry, &self.new_name, &catalogue)?;
        carry_out(&plan, &mut memory, &self.how, world)
    }
}
