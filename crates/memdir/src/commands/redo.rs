//! `memdir redo`: an undo is undone.

use anyhow::Result;
use clap::Parser;
use memdir_core::plan::Plan;
use memdir_lib::memory::Wish;

use super::Run;
use super::memory::{How, author, carry_out, carry_out_as};
use crate::exit::Exit;
use crate::world::World;

/// Undo the last undo
#[derive(Debug, Parser)]
#[command(
    name = "redo",
    after_help = "Examples:
  memdir redo
  memdir redo --dry-run"
)]
pub(crate) struct Redo {
    #[command(flatten)]
    how: How,
}

impl Run for Redo {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.how.which.open(world)?;
        memory.look(world.now)?;
        let asker = author(world);
        let mut log = memory.log(usize::MAX)?;
        // A move that was undone from here took the history along.
        let since = log.to_redo(&asker)?.map(|operation| operation.time);
        if let Some(gone) = memory.projects().taken_back_from(memory.directory(), &asker, since)? {
            memory = gone;
            log = memory.log(usize::MAX)?;
        }
        let Some(operation) = log.to_redo(&asker)? else {
            let mut plan = Plan::new("redo");
            plan.warnings.push("there is no undo of yours to redo".into());
            return carry_out(&plan, &mut memory, &self.how, world);
        };
        if !self.how.is_dry_run()
            && let Some(moved) = memory.projects().carry_again(operation, &log, &asker, world.now)?
        {
            return self.how.report_move(&moved, "Redone: the files are in the new place.", world);
        }
        let reason = operation.reason.strip_prefix("undo: ").unwrap_or(&operation.reason);
        let plan = memory.plan_undo(operation, format!("redo: {reason}"), &log)?;
        let wish = Wish::undoing(&operation.id, &asker);
        carry_out_as(&plan, &mut memory, &wish, &self.how, world)
    }
}
