//! `memdir undo`: one operation is taken back.

use anyhow::{Result, anyhow};
use clap::Parser;
use memdir_core::operation::{AuthorKind, Operation};
use memdir_core::plan::Plan;
use memdir_disk::apply::OnConflict;
use memdir_lib::dream::{held, lock_holder};
use memdir_lib::memory::{Log, Memory, Wish};
use memdir_sync::team::INDEX_AUTHOR;

use super::Run;
use super::log::short;
use super::memory::{How, author, carry_out, carry_out_as};
use crate::arguments::Global;
use crate::exit::Exit;
use crate::output::printable;
use crate::report::WithHint;
use crate::world::World;

/// Take an operation back, under whatever came after it
#[derive(Debug, Parser)]
#[command(
    name = "undo",
    after_help = "Without OP it takes back the last operation of yours that stands, or the last extraction or dream if that came later; an
agent takes back what its own session did.
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
        let log = match &self.operation {
            Some(_) => memory.log(usize::MAX)?,
            None => memory.log_to_undo(&asker)?,
        };
        let Some(operation) = log.to_undo(self.operation.as_deref(), &asker)? else {
            let mut plan = Plan::new("undo");
            plan.warnings.push(nothing_of_yours(&log));
            return carry_out(&plan, &mut memory, &self.how, world);
        };
        let exit = self.take_back(operation, &log, &mut memory, world)?;
        let is_whole = self.operation.is_some() || self.how.is_dry_run() || self.how.json;
        if is_whole || operation.author.kind != AuthorKind::Extract {
            return Ok(exit);
        }
        // One extraction is an operation for every session that it read.
        let run = log.operations.iter().filter(|other| {
            other.author.kind == AuthorKind::Extract
                && other.time == operation.time
                && other.undo_of.is_none()
        });
        for other in run.filter(|other| other.id != operation.id) {
            let log = memory.log(usize::MAX)?;
            if !log.undone().contains_key(&other.id) {
                self.take_back(other, &log, &mut memory, world)?;
            }
        }
        Ok(exit)
    }
}

impl Undo {
    fn take_back(
        &self,
        operation: &Operation,
        log: &Log,
        memory: &mut Memory,
        world: &mut World,
    ) -> Result<Exit> {
        let asker = author(world);
        let is_dream = operation.author.kind == AuthorKind::Dream;
        if is_dream && let Some(holder) = lock_holder(memory, world.now)?.filter(|_| !self.how.is_dry_run()) {
            return Err(anyhow!("{}", held(&holder)))
                .hint("try again when it is done; after an hour nobody waits for it");
        }
        if !self.how.is_dry_run()
            && let Some(moved) = memory.projects().carry_back(operation, &asker, world.now)?
        {
            return self.how.report_move(&moved, "Taken back: the files are where they were.", world);
        }
        let mut plan = memory.plan_undo(operation, format!("undo: {}", operation.reason), log)?;
        if self.operation.is_none() && operation.author.kind != asker.kind {
            let reason = printable(&operation.reason);
            plan.warnings.push(format!("this takes back what memdir did by itself: {reason}"));
        }
        let wish = Wish {
            undo_of: Some(&operation.id),
            on_conflict: OnConflict::Refuse,
            verbatim: true,
            ..Wish::of(&asker)
        };
        let exit = carry_out_as(&plan, memory, &wish, &self.how, world)?;
        if is_dream && !self.how.is_dry_run() {
            memory.settle_undone(operation)?;
        }
        Ok(exit)
    }
}

/// What to say to somebody who did nothing: what a team mate did last is probably meant.
fn nothing_of_yours(log: &Log) -> String {
    let undone = log.undone();
    let is_by_another = |operation: &&Operation| {
        let author = &operation.author;
        author.kind == AuthorKind::Team
            && author.id.as_deref() != Some(INDEX_AUTHOR)
            && operation.undo_of.is_none()
            && !undone.contains_key(&operation.id)
    };
    let begin = "nothing of yours stands that could be undone";
    match log.operations.iter().find(is_by_another) {
        Some(last) => {
            let (id, reason) = (short(&last.id), printable(&last.reason));
            format!("{begin}; `memdir undo {id}` takes back what the team did last: {reason}")
        }
        None => format!("{begin}; `memdir log` shows what others did"),
    }
}
