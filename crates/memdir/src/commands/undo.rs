//! `memdir undo`: one operation is taken back.

use anyhow::Result;
use clap::Parser;
use memdir_core::operation::{AuthorKind, Operation};
use memdir_core::plan::Plan;
use memdir_disk::apply::OnConflict;
use memdir_lib::memory::{Log, Wish};
use memdir_sync::team::INDEX_AUTHOR;

use super::Run;
use super::log::short;
use super::memory::{How, author, carry_out, carry_out_as};
use crate::arguments::Global;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Take an operation back, under whatever came after it
#[derive(Debug, Parser)]
#[command(
    name = "undo",
    after_help = "Without OP it takes back the last operation of yours that stands; an agent takes back what its own session did.
What came later stays. Where both cannot stand, nothing is changed and the exit code is 2.

Examples:
  memdir undo
  memdir undo 7k2m9xqa --dry-run"
)]
pub(crate) struct Undo {
    /// The operation: its id, or a unique beginning or end of it
    #[arg(value_name = "OP")]
    operation: Option<String>,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    global: Global,
}

impl Run for Undo {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.how.which.open(world)?;
        memory.look(world.now)?;
        let asker = author(world);
        let log = memory.log(usize::MAX)?;
        let Some(operation) = log.to_undo(self.operation.as_deref(), &asker)? else {
            let mut plan = Plan::new("undo");
            plan.warnings.push(nothing_of_yours(&log));
            return carry_out(&plan, &mut memory, &self.how, world);
        };
        if !self.how.is_dry_run()
            && let Some(moved) = memory.projects().carry_back(operation, &asker, world.now)?
        {
            return self.how.report_move(&moved, "Taken back: the files are where they were.", world);
        }
        let plan = memory.plan_undo(operation, format!("undo: {}", operation.reason), &log)?;
        let wish = Wish {
            undo_of: Some(&operation.id),
            on_conflict: OnConflict::Refuse,
            verbatim: true,
            ..Wish::of(&asker)
        };
        carry_out_as(&plan, &mut memory, &wish, &self.how, world)
    }
}

/// What to say to somebody who did nothing: what a team mate, extraction or a dream did last is probably meant.
fn nothing_of_yours(log: &Log) -> String {
    let undone = log.undone();
    let is_by_another = |operation: &&Operation| {
        let author = &operation.author;
        matches!(author.kind, AuthorKind::Team | AuthorKind::Extract | AuthorKind::Dream)
            && author.id.as_deref() != Some(INDEX_AUTHOR)
            && operation.undo_of.is_none()
            && !undone.contains_key(&operation.id)
    };
    let begin = "nothing of yours stands that could be undone";
    match log.operations.iter().find(is_by_another) {
        Some(last) => {
            let (id, reason) = (short(&last.id), printable(&last.reason));
            let who = if last.author.kind == AuthorKind::Team { "the team" } else { "memdir itself" };
            format!("{begin}; `memdir undo {id}` takes back what {who} did last: {reason}")
        }
        None => format!("{begin}; `memdir log` shows what others did"),
    }
}
