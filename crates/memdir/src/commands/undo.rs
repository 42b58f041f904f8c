//! `memdir undo`: one operation is undone, later ones stay.

use std::io::Write;

use anyhow::{Result, anyhow};
use clap::Parser;
use jiff::Timestamp;
use memdir_core::history::has_effect;
use memdir_core::history::short_ids::ShortIds;
use memdir_core::operation::{Author, AuthorKind, Operation};
use memdir_core::plan::Plan;
use memdir_lib::dream::{held, lock_holder};
use memdir_lib::memory::{Log, Memory, Submitted, Wish};
use memdir_lib::projects::Moved;
use memdir_sync::team::INDEX_AUTHOR;

use super::Run;
use super::memory::{How, author, carry_out, conclude};
use crate::exit::Exit;
use crate::output::{human_age, printable};
use crate::report::WithHint;
use crate::world::World;

/// Undo an operation and keep later changes
#[derive(Debug, Parser)]
#[command(
    name = "undo",
    after_help = "Without OP: your last operation that is not undone, or the last extraction or dream if that came later. An agent
undoes the last operation of its own session. Later changes stay; if they overlap, nothing is changed and the exit
code is 2. `memdir redo` undoes the undo.

Examples:
  memdir undo
  memdir undo --dry-run
  memdir undo 01kaxy7q --dry-run"
)]
pub(crate) struct Undo {
    /// The operation: its id in `memdir log`, or a unique beginning of it
    #[arg(value_name = "OP")]
    operation: Option<String>,
    #[command(flatten)]
    how: How,
}

impl Run for Undo {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.how.which.open(world)?;
        memory.look(world.now)?;
        let asker = author(world);
        let log = match &self.operation {
            Some(id) => memory.log_up_to(id)?,
            None => memory.log_to_undo(&asker)?,
        };
        let Some(operation) = log.to_undo(self.operation.as_deref(), &asker)? else {
            let mut plan = Plan::new("undo");
            plan.warnings.push(nothing_of_yours(&log));
            return carry_out(&plan, &mut memory, &self.how, world);
        };
        if !self.how.json {
            self.announce(operation, &log, world)?;
        }
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

/// So many newer operations are named.
const NAMED: usize = 3;

impl Undo {
    /// Says which operation is undone, whose and how old it is, and which newer ones stay.
    fn announce(&self, operation: &Operation, log: &Log, world: &mut World) -> Result<()> {
        let paint = world.paint;
        let ids = ShortIds::of(&log.operations);
        let age = human_age(world.now.as_second() - operation.time.as_second());
        let verb = if self.how.is_dry_run() { "would undo" } else { "undoing" };
        let whose = whose(&operation.author, world);
        writeln!(
            world.stdout,
            "{verb} {} ({whose}, {age}): {}",
            paint.code(ids.short(&operation.id)),
            printable(&operation.reason)
        )?;
        let undone = log.undone();
        let newer: Vec<&Operation> = log
            .operations
            .iter()
            .take_while(|newer| newer.id != operation.id)
            .filter(|newer| newer.undo_of.is_none() && has_effect(newer) && !undone.contains_key(&newer.id))
            .collect();
        for newer in newer.iter().take(NAMED) {
            let (id, by) = (paint.code(ids.short(&newer.id)), by(&newer.author));
            writeln!(world.stdout, "newer {id} {by} stays: {}", printable(&newer.reason))?;
        }
        if newer.len() > NAMED {
            writeln!(world.stdout, "and {} more newer operations stay", newer.len() - NAMED)?;
        }
        Ok(())
    }

    fn take_back(
        &self,
        operation: &Operation,
        log: &Log,
        memory: &mut Memory,
        world: &mut World,
    ) -> Result<Exit> {
        let asker = author(world);
        if self.how.is_dry_run() {
            let plan = memory.plan_undo(operation, format!("undo: {}", operation.reason), log)?;
            return carry_out(&plan, memory, &self.how, world);
        }
        match take_back(operation, log, memory, &asker, world.now)? {
            TakenBack::Moved(moved) => {
                self.how.report_move(&moved, "Undone: the files are in their old place again.", world)
            }
            TakenBack::Submitted(plan, submitted) => conclude(&plan, submitted, memory, &self.how, world),
        }
    }
}

/// What became of an undo.
pub(super) enum TakenBack {
    /// A move of a project was undone.
    Moved(Moved),
    /// A plan was submitted.
    Submitted(Plan, Submitted),
}

/// Takes one operation back and keeps later ones.
pub(super) fn take_back(
    operation: &Operation,
    log: &Log,
    memory: &mut Memory,
    asker: &Author,
    now: Timestamp,
) -> Result<TakenBack> {
    let is_dream = operation.author.kind == AuthorKind::Dream;
    if is_dream && let Some(holder) = lock_holder(memory, now)? {
        return Err(anyhow!("{}", held(&holder)))
            .hint("try again when it is done; after an hour its lock expires");
    }
    if let Some(moved) = memory.projects().carry_back(operation, asker, now)? {
        return Ok(TakenBack::Moved(moved));
    }
    let plan = memory.plan_undo(operation, format!("undo: {}", operation.reason), log)?;
    let wish = Wish::undoing(&operation.id, asker);
    let submitted = memory.submit(&plan, &wish, now)?;
    if is_dream {
        memory.settle_undone(operation)?;
    }
    Ok(TakenBack::Submitted(plan, submitted))
}

/// Whose operation it is, from the asker's side.
fn whose(author: &Author, world: &World) -> String {
    let asker = super::memory::author(world);
    let is_own = author.kind == asker.kind
        && (asker.kind == AuthorKind::Person || (&author.id, &author.session) == (&asker.id, &asker.session));
    if is_own { "yours".to_owned() } else { by(author) }
}

/// The author of an operation, in words.
fn by(author: &Author) -> String {
    match author.kind {
        AuthorKind::Person => "by you".to_owned(),
        AuthorKind::Agent => "by an agent".to_owned(),
        AuthorKind::Extract => "by extraction".to_owned(),
        AuthorKind::Dream => "by a dream".to_owned(),
        AuthorKind::Team => author
            .id
            .as_deref()
            .map_or_else(|| "by a team mate".to_owned(), |id| format!("by {}", printable(id))),
        AuthorKind::Foreign => "by another program".to_owned(),
    }
}

/// What to say if the asker has nothing to undo: the team's last operation is probably meant.
fn nothing_of_yours(log: &Log) -> String {
    let undone = log.undone();
    let is_by_another = |operation: &&Operation| {
        let author = &operation.author;
        author.kind == AuthorKind::Team
            && author.id.as_deref() != Some(INDEX_AUTHOR)
            && operation.undo_of.is_none()
            && !undone.contains_key(&operation.id)
    };
    let begin = "there is no operation of yours to undo";
    match log.operations.iter().find(is_by_another) {
        Some(last) => {
            let ids = ShortIds::of(&log.operations);
            let (id, reason) = (ids.short(&last.id), printable(&last.reason));
            format!("{begin}; `memdir undo {id}` undoes the team's last operation: {reason}")
        }
        None => format!("{begin}; `memdir log` lists the operations of others"),
    }
}
