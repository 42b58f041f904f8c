//! `memdir promote` and `memdir demote`: where a memory counts.

use anyhow::{Result, anyhow, bail};
use camino::Utf8PathBuf;
use clap::{Parser, ValueEnum};
use memdir_core::memory::topic::validity::{BRANCH, WORKTREE};
use memdir_core::operation::OperationId;
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::{Entry, Extent, Memory, MemoryError, Submitted};
use memdir_lib::place::Checkout;
use memdir_sync::team::Team;
use serde::Serialize;
use std::io::Write;

use super::Run;
use super::memory::{How, Which, author, carry_out, settle};
use crate::exit::Exit;
use crate::output::printable;
use crate::report::WithHint;
use crate::world::World;

/// Have a memory count in more places
#[derive(Debug, Parser)]
#[command(
    name = "promote",
    after_help = "The file moves as it is. A move between two directories is one operation in each: `memdir undo --scope user` undoes
the other half. With --to project, a memory of one branch or worktree counts in the whole project.

Examples:
  memdir promote tabs --to user
  memdir promote tabs --to project --dry-run"
)]
pub(crate) struct Promote {
    /// The memory's name, its file's stem, or its path in the directory
    name: String,
    /// Where it shall count
    #[arg(long, value_name = "SCOPE")]
    to: Wider,
    #[command(flatten)]
    options: Options,
}

/// Have a memory count in fewer places
#[derive(Debug, Parser)]
#[command(
    name = "demote",
    after_help = "The file moves as it is. A memory of a branch is offered to the project when the branch is merged, and moves to the
archive when the branch is deleted.

Examples:
  memdir demote tabs --to machine
  memdir demote tabs --to machine --dry-run --json"
)]
pub(crate) struct Demote {
    /// The memory's name, its file's stem, or its path in the directory
    name: String,
    /// Where it shall count
    #[arg(long, value_name = "SCOPE")]
    to: Narrower,
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, clap::Args)]
struct Options {
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Wider {
    /// All your projects
    User,
    /// This project, on every branch
    Project,
    /// The members of this project's team
    Team,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Narrower {
    /// This project, not all of yours
    Project,
    /// This machine, never synced
    Machine,
    /// The branch that is checked out
    Branch,
    /// This worktree
    Worktree,
}

impl Run for Promote {
    fn run(self, world: &mut World) -> Result<Exit> {
        match self.to {
            Wider::User => carry(&self.name, Some(Extent::User), &self.options, world),
            Wider::Project => to_project(&self.name, &self.options, world),
            Wider::Team => {
                let mut team = Team::open(&world.env()?, &ClientFlags::default())?;
                let plan = team.plan_share(&self.name)?;
                carry_out(&plan, team.memory_mut(), &self.options.how(), world)
            }
        }
    }
}

impl Run for Demote {
    fn run(self, world: &mut World) -> Result<Exit> {
        match self.to {
            Narrower::Project => to_project(&self.name, &self.options, world),
            Narrower::Machine => carry(&self.name, Some(Extent::Machine), &self.options, world),
            Narrower::Branch => {
                let branch = Checkout::of(&world.env()?).branch.filter(|branch| branch != "HEAD");
                limit(&self.name, BRANCH, branch, &self.options, world)
            }
            Narrower::Worktree => {
                let worktree = Checkout::of(&world.env()?).worktree;
                limit(&self.name, WORKTREE, worktree, &self.options, world)
            }
        }
    }
}

impl Options {
    fn how(&self) -> How {
        How { dry_run: self.dry_run, json: self.json, ..How::default() }
    }
}

/// Has a memory of the project count in one place of it alone.
fn limit(name: &str, key: &str, here: Option<String>, options: &Options, world: &mut World) -> Result<Exit> {
    let Some(here) = here else { bail!("no {key} is checked out here") };
    let mut memory = Which::default().open(world)?;
    let entry = memory.find(name)?;
    let plan = memory.plan_set(&entry, key, Some(&here), world.now)?;
    carry_out(&plan, &mut memory, &options.how(), world)
}

/// Brings a memory to the project: from one branch of it, from the user's or from this machine's.
fn to_project(name: &str, options: &Options, world: &mut World) -> Result<Exit> {
    let mut memory = Which::default().open(world)?;
    let Ok(entry) = memory.find(name) else { return carry(name, None, options, world) };
    let plan = memory.plan_everywhere(&entry, format!("keep {} everywhere", entry.path))?;
    carry_out(&plan, &mut memory, &options.how(), world)
}

/// Opens the directory of a scope; `None` is the project's.
fn open(extent: Option<Extent>, world: &mut World) -> Result<Memory> {
    let env = world.env()?;
    let memory = match extent {
        Some(extent) => Memory::beside(extent, &env)?,
        None => Memory::open(&env, &ClientFlags::default())?,
    };
    settle(&memory, world)?;
    Ok(memory)
}

/// Where a memory is, of the places other than the one that it shall move to.
fn find(name: &str, to: Option<Extent>, world: &mut World) -> Result<(Memory, Entry)> {
    let mut missing = None;
    for extent in [None, Some(Extent::Machine), Some(Extent::User)] {
        if extent == to {
            continue;
        }
        let memory = open(extent, world)?;
        match memory.find(name) {
            Ok(entry) => return Ok((memory, entry)),
            Err(error @ MemoryError::NotFound { .. }) => missing = missing.or(Some(error)),
            Err(error) => return Err(error.into()),
        }
    }
    Err(missing.map_or_else(|| anyhow!("there is no memory `{name}`"), Into::into))
}

/// Moves a file from one directory to another.
fn carry(name: &str, to: Option<Extent>, options: &Options, world: &mut World) -> Result<Exit> {
    let (mut source, entry) = find(name, to, world)?;
    let mut target = open(to, world)?;
    if entry.path.as_str().starts_with("team/") {
        return Err(anyhow!("`{}` belongs to the team", entry.path)).hint("memdir team unshare NAME first");
    }
    let paths = [&target, &source].map(|memory| memory.directory().join(entry.path.as_path()));
    let mut moved = Moved { op: None, staged: None, paths, warnings: Vec::new() };
    if options.dry_run {
        source.plan_carry(&entry, &target)?;
        return report(&moved, true, options, world);
    }
    match source.carry(&entry, &mut target, &author(world), world.now)? {
        Submitted::Applied(applied) => {
            moved.op = applied.operation.map(|operation| operation.id);
            moved.warnings = applied.warnings;
        }
        Submitted::Staged { id, warnings } => (moved.staged, moved.warnings) = (Some(id), warnings),
        Submitted::Rejected => bail!("the user rejected this change before, so it is not proposed again"),
    }
    report(&moved, false, options, world)
}

#[derive(Serialize)]
struct Moved {
    op: Option<OperationId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    staged: Option<String>,
    paths: [Utf8PathBuf; 2],
    warnings: Vec<String>,
}

fn report(moved: &Moved, dry_run: bool, options: &Options, world: &mut World) -> Result<Exit> {
    if options.json {
        return world.answer_json(moved);
    }
    let [to, from] = &moved.paths;
    let (from, to) = (printable(from.as_str()), printable(to.as_str()));
    match &moved.staged {
        Some(id) => {
            writeln!(world.stdout, "Nothing is changed yet: the change waits for `memdir review` as {id}.")?;
        }
        None if dry_run => writeln!(world.stdout, "would move {from} to {to}")?,
        None => writeln!(world.stdout, "moved {from} to {to}")?,
    }
    world.warn_all(&moved.warnings)?;
    Ok(Exit::Yes)
}
