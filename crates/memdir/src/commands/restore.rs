//! `memdir restore`: one memory as it was, also one that was removed.

use anyhow::Result;
use clap::Parser;

use super::memory::{How, carry_out};
use super::{Run, when};
use crate::exit::Exit;
use crate::world::World;

/// Bring a memory back as it was
#[derive(Debug, Parser)]
#[command(
    name = "restore",
    after_help = "Without --at: the last version before the one that is there now. A memory that was removed comes back with its
line in the index. Times are local; a day means its end.

Examples:
  memdir restore tabs
  memdir restore tabs --at yesterday
  memdir restore tabs --at 2026-11-01
  memdir restore tabs --at 01kaxy7q --dry-run"
)]
pub(crate) struct Restore {
    /// The memory's name, file stem, or path in the directory, also if it was removed
    name: String,
    /// As it was at a time (3d, yesterday, 2026-11-01, \"2026-11-01 14:00\") or after an operation
    #[arg(long, value_name = "TIME|OP")]
    at: Option<String>,
    #[command(flatten)]
    how: How,
}

impl Run for Restore {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.how.which.open(world)?;
        memory.look(world.now)?;
        let (path, log, moment) = match &self.at {
            Some(at) => {
                let log = memory.log(usize::MAX)?;
                let moment = when::at(at, &log, world)?;
                (memory.past_path(&self.name, &log)?, log, moment)
            }
            None => {
                let (path, log) = memory.log_about(&self.name)?;
                let moment = memory.previous(&path, &log)?;
                (path, log, moment)
            }
        };
        let plan = memory.plan_restore(&path, &moment, &log)?;
        carry_out(&plan, &mut memory, &self.how, world)
    }
}
