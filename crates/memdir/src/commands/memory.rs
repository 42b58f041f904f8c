//! What the commands on one memory directory share: which directory, who writes, and how it is reported.

use std::io::Write;

use anyhow::{Result, anyhow};
use camino::Utf8PathBuf;
use clap::{Args, ValueEnum};
use memdir_core::journal::key::SESSION_FILE;
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::plan::{Change, Plan};
use memdir_core::rel_path::RelPath;
use memdir_core::settings::ClientFlags;
use memdir_disk::apply::{Applied, Whose};
use memdir_lib::journal::{Journal, Writer};
use memdir_lib::memory::{Extent, Memory, Submitted, Wish};
use memdir_lib::projects::Moved;
use serde::Serialize;
use serde_json::json;

use crate::arguments::ClientOptions;
use crate::exit::Exit;
use crate::output::printable;
use crate::report::WithHint;
use crate::world::World;

/// Which memory directory.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Which {
    /// Use this memory directory instead of the project's
    #[arg(long, value_name = "DIR")]
    dir: Option<Utf8PathBuf>,
    /// Use the memory of this scope: project, user (all projects) or machine (never synced)
    #[arg(long, value_name = "SCOPE", conflicts_with = "dir", hide_possible_values = true)]
    scope: Option<MemoryScope>,
}

/// Whose memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MemoryScope {
    Project,
    User,
    Machine,
}

impl Which {
    /// This one, or the other if this says nothing.
    pub(super) fn or(self, other: &Self) -> Self {
        if self.dir.is_some() || self.scope.is_some() { self } else { other.clone() }
    }

    /// Whether it is the memory of the project, not a directory that the caller names.
    pub(super) fn is_project(&self) -> bool {
        self.dir.is_none() && matches!(self.scope, None | Some(MemoryScope::Project))
    }

    /// Opens it for a command that only reads: a directory that was named must exist.
    pub(super) fn open_existing(&self, world: &mut World) -> Result<Memory> {
        if let Some(directory) = &self.dir
            && !world.env()?.cwd.join(directory).is_dir()
        {
            return Err(anyhow!("the directory `{directory}` does not exist"));
        }
        self.open(world)
    }

    pub(super) fn open(&self, world: &mut World) -> Result<Memory> {
        let env = world.env()?;
        let open = || match (&self.dir, self.scope) {
            (Some(directory), _) => Memory::at_directory(directory, &env),
            (None, Some(MemoryScope::User)) => Memory::beside(Extent::User, &env),
            (None, Some(MemoryScope::Machine)) => Memory::beside(Extent::Machine, &env),
            (None, None | Some(MemoryScope::Project)) => {
                Memory::open(&env, &ClientOptions::default().flags())
            }
        };
        let mut memory = open()?;
        // A move that was killed half-way comes first: it may have brought memory here.
        match memory.projects().finish_moves(world.now) {
            Ok(finished) if finished.is_empty() => {}
            Ok(_) => memory = open()?,
            Err(error) => world.warn(&format!("a move of a project is not finished: {error}"))?,
        }
        settle(&memory, world)?;
        Ok(memory)
    }
}

/// Finishes what a killed process left half done. A failure is printed and stops no reader.
pub(super) fn settle(memory: &Memory, world: &mut World) -> Result<()> {
    match memory.settle() {
        Ok(recovery) => recovery.warnings.iter().try_for_each(|warning| world.warn(warning))?,
        Err(error) => world.warn(&error.to_string())?,
    }
    Ok(())
}

/// Records what others did, for a command that only tells of it: that this fails is told, and hides nothing else.
pub(super) fn look(memory: &mut Memory, world: &mut World) -> Result<()> {
    if let Err(error) = memory.look(world.now) {
        world.warn(&format!("what others changed since the last look cannot be recorded: {error}"))?;
    }
    Ok(())
}

/// How a change is made and reported.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct How {
    #[command(flatten)]
    pub(super) which: Which,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
    /// The fields of a memory that is added, for `--json`.
    #[arg(skip)]
    pub(super) added: Option<Added>,
}

/// The fields of a memory that is added, as given or guessed.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Added {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) memory_type: String,
    pub(super) description: String,
}

/// One of the four types, or an error that lists them.
pub(super) fn known_type(word: &str) -> Result<MemoryType> {
    MemoryType::known(word)
        .ok_or_else(|| anyhow!("unknown type `{word}`"))
        .hint("the types are user, feedback, project and reference")
}

impl How {
    pub(super) fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    /// Says what a move did, as a change of memory would.
    pub(super) fn report_move(&self, moved: &Moved, done: &str, world: &mut World) -> Result<Exit> {
        if self.json {
            let op = moved.operation.as_ref().map(|operation| operation.0.as_str());
            return world.answer_json(&json!({"op": op, "paths": [], "warnings": moved.warnings}));
        }
        writeln!(world.stdout, "{done}")?;
        world.warn_all(&moved.warnings)?;
        Ok(Exit::Yes)
    }
}

/// The person at the terminal, or the agent whose session runs this command.
pub(super) fn author(world: &World) -> Author {
    let var = |name: &str| world.vars.get(name).filter(|value| !value.is_empty()).cloned();
    if var("CLAUDECODE").is_none() {
        return Author::person();
    }
    Author {
        kind: AuthorKind::Agent,
        id: Some("claude-code".to_owned()),
        session: var("CLAUDE_CODE_SESSION_ID"),
    }
}

/// Refuses an agent: it proposes changes, and its user decides on them.
pub(super) fn only_a_person(world: &World) -> Result<()> {
    if author(world).kind == AuthorKind::Person {
        return Ok(());
    }
    Err(anyhow!("an agent cannot decide on changes that wait for its user"))
        .hint("the user runs this in a terminal of their own")
}

/// Applies a plan and says what happened; with `--dry-run` only says what would.
pub(super) fn carry_out(plan: &Plan, memory: &mut Memory, how: &How, world: &mut World) -> Result<Exit> {
    carry_out_as(plan, memory, &Wish::of(&author(world)), how, world)
}

/// The same for a change that must be planned anew where another process was faster.
pub(super) fn carry_out_planned(
    memory: &mut Memory,
    how: &How,
    world: &mut World,
    mut plan: impl FnMut(&Memory) -> Result<Plan>,
) -> Result<Exit> {
    if how.dry_run {
        let plan = plan(memory)?;
        return carry_out(&plan, memory, how, world);
    }
    let (plan, submitted) = memory.change(&author(world), world.now, plan)?;
    conclude(&plan, submitted, memory, how, world)
}

/// The same for a plan that undoes an operation or accepts a staged one.
pub(super) fn carry_out_as(
    plan: &Plan,
    memory: &mut Memory,
    wish: &Wish<'_>,
    how: &How,
    world: &mut World,
) -> Result<Exit> {
    if how.dry_run {
        let applied = Applied { operation: None, conflicts: Vec::new(), warnings: plan.warnings.clone() };
        return report(plan, &applied, memory, how, world);
    }
    let submitted = memory.submit(plan, wish, world.now)?;
    conclude(plan, submitted, memory, how, world)
}

/// Stages a plan for the user's review, for any author.
pub(super) fn hold(plan: &Plan, memory: &mut Memory, how: &How, world: &mut World) -> Result<Exit> {
    let submitted = memory.ask(plan, &Wish::of(&author(world)), world.now)?;
    conclude(plan, submitted, memory, how, world)
}

/// Says what became of a plan.
pub(super) fn conclude(
    plan: &Plan,
    submitted: Submitted,
    memory: &Memory,
    how: &How,
    world: &mut World,
) -> Result<Exit> {
    let applied = match submitted {
        Submitted::Applied(applied) => *applied,
        Submitted::Staged { id, warnings } => return waits(&id, &warnings, plan, memory, how, world),
        Submitted::Rejected => {
            return Err(anyhow!("the user rejected this change before, so it is not proposed again"));
        }
    };
    if applied.operation.is_some() {
        follow_journal(memory, world)?;
    }
    report(plan, &applied, memory, how, world)
}

/// Where a journal's own directory was changed, its index and statistics follow from the records that are left.
fn follow_journal(memory: &Memory, world: &mut World) -> Result<()> {
    if !memory.read(&RelPath::parse(SESSION_FILE)?).is_ok_and(|session| session.is_some()) {
        return Ok(());
    }
    let journal = Journal::open(&world.env()?, &ClientFlags::default())?;
    if journal.directory() != memory.directory() {
        return Ok(
            world.warn("`memdir journal rebuild` in that project brings the journal's index up to date")?
        );
    }
    let author = author(world);
    let report = journal.rebuild(&Writer { author: &author, now: world.now })?;
    world.warn_all(&report.problems)?;
    Ok(())
}

/// Says that a change waits for the user.
fn waits(
    id: &str,
    warnings: &[String],
    plan: &Plan,
    memory: &Memory,
    how: &How,
    world: &mut World,
) -> Result<Exit> {
    if how.json {
        let applied = Applied { operation: None, conflicts: Vec::new(), warnings: warnings.to_vec() };
        return print_json(plan, &applied, Some(id), memory, how, world);
    }
    let id = memory.short_waiting_id(id);
    writeln!(world.stdout, "Nothing is changed yet: the change waits for `memdir review` as {id}.")?;
    world.warn_all(warnings)?;
    Ok(Exit::Yes)
}

/// Says what a plan changed, or would change.
pub(super) fn report(
    plan: &Plan,
    applied: &Applied,
    memory: &Memory,
    how: &How,
    world: &mut World,
) -> Result<Exit> {
    if how.json {
        return print_json(plan, applied, None, memory, how, world);
    }
    let paint = world.paint;
    if plan.changes.is_empty() {
        writeln!(world.stdout, "Nothing to change.")?;
    }
    for change in &plan.changes {
        let (done, planned, path) = match change {
            Change::Write { path, base: None, .. } => ("added", "add", path.to_string()),
            Change::Write { path, base: Some(_), .. } => ("changed", "change", path.to_string()),
            Change::Delete { path, .. } => ("removed", "remove", path.to_string()),
            Change::Rename { from, to, .. } => ("renamed", "rename", format!("{from} to {to}")),
        };
        let verb = if how.dry_run { format!("would {planned:<7}") } else { format!("{done:<8}") };
        writeln!(world.stdout, "{} {}", paint.quiet(&verb), printable(&path))?;
    }
    for conflict in &applied.conflicts {
        let whose = match conflict.kept {
            Whose::Ours => "your version",
            Whose::Theirs => "the other version",
        };
        let place = conflict.kept_as.as_ref().map_or_else(
            || format!("`{}` was changed by another program and stays", conflict.path),
            |kept| format!("`{}` was changed by another program, too; {whose} is in `{kept}`", conflict.path),
        );
        world.warn(&place)?;
    }
    world.warn_all(&applied.warnings)?;
    Ok(Exit::Yes)
}

fn print_json(
    plan: &Plan,
    applied: &Applied,
    staged: Option<&str>,
    memory: &Memory,
    how: &How,
    world: &mut World,
) -> Result<Exit> {
    #[derive(Serialize)]
    struct ChangeReport<'a> {
        op: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        staged: Option<&'a str>,
        paths: Vec<Utf8PathBuf>,
        warnings: &'a [String],
        conflicts: Vec<Utf8PathBuf>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        dry_run: bool,
        #[serde(flatten)]
        added: Option<&'a Added>,
    }
    let absolute = |path: &RelPath| memory.directory().join(path.as_path());
    let mut paths: Vec<Utf8PathBuf> = match &applied.operation {
        Some(operation) => operation.changes.iter().map(|change| absolute(&change.path)).collect(),
        None => plan.changes.iter().map(|change| absolute(change.path())).collect(),
    };
    paths.dedup();
    let conflicts = applied.conflicts.iter().filter_map(|conflict| conflict.kept_as.as_ref()).map(absolute);
    world.answer_json(&ChangeReport {
        op: applied.operation.as_ref().map(|operation| operation.id.0.as_str()),
        staged,
        paths,
        warnings: &applied.warnings,
        conflicts: conflicts.collect(),
        dry_run: how.dry_run,
        added: how.added.as_ref(),
    })
}
