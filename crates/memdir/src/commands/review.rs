//! `memdir review`: what agents, extraction and team mates want to change, and the user's answer.

use memdir_core::history::short_ids::ShortIds;
use std::io::Write;

use anyhow::{Result, bail};
use clap::{Args, Parser, Subcommand};
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::plan::Change;
use memdir_core::rel_path::ENTRYPOINT;
use memdir_core::review::StagedPlan;
use memdir_lib::memory::Memory;
use serde::Serialize;
use serde_json::json;

use super::memory::{How, Which, only_a_person, report};
use super::plan_diff::{diff, print_diff};
use super::{Run, due, editor};
use crate::exit::Exit;
use crate::output::{human_age, printable};
use crate::world::World;

/// Accept, edit or reject what agents want to change
#[derive(Debug, Parser)]
#[command(
    name = "review",
    after_help = "With `writes = \"review\"` in config.toml, what an agent, extraction or a team mate wants to change waits
here; modes can differ by scope, also for what agents remember themselves (`--dir` of their memory). Without a
subcommand everything that waits is listed. An id may be cut as long as it is unique. What extraction finds is of a
kind (user, feedback, project, reference); if you reject one kind three times in a row, it is not proposed here again.

Examples:
  memdir review
  memdir review show 01hf
  memdir review accept 01hf 01hg
  memdir review accept --all
  memdir review --due
  memdir review reject 01hf
  memdir review --again feedback"
)]
pub(crate) struct Review {
    #[command(subcommand)]
    action: Option<Action>,
    /// Go through the memories whose end has come; exits with 1 if nothing is due
    #[arg(long)]
    due: bool,
    /// Have extraction propose a kind again that you rejected three times
    #[arg(long, value_name = "KIND", conflicts_with = "due", value_parser = ["user", "feedback", "project", "reference"])]
    again: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List what waits, oldest first; exits with 1 if nothing does
    #[command(after_help = "Examples:
  memdir review ls
  memdir review ls --json | jq -r '.items[].diff'")]
    Ls {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        which: Which,
    },
    /// Show a change as a diff, with who wants it and why
    #[command(after_help = "Examples:
  memdir review show 01hf")]
    Show {
        /// The id of the change
        id: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        which: Which,
    },
    /// Make changes; what was changed meanwhile is merged, or the change is refused and still waits
    #[command(after_help = "Examples:
  memdir review accept 01hf 01hg
  memdir review accept --all --dry-run")]
    Accept {
        #[command(flatten)]
        chosen: Chosen,
        #[command(flatten)]
        how: How,
    },
    /// Put changes aside for good: the same is not proposed again
    #[command(after_help = "Examples:
  memdir review reject 01hf
  memdir review reject --all")]
    Reject {
        #[command(flatten)]
        chosen: Chosen,
        #[command(flatten)]
        which: Which,
    },
    /// Change in $EDITOR what would be written; it still waits afterwards
    #[command(after_help = "Examples:
  memdir review edit 01hf && memdir review accept 01hf")]
    Edit {
        /// The id of the change
        id: String,
        #[command(flatten)]
        which: Which,
    },
}

#[derive(Debug, Args)]
struct Chosen {
    /// The ids of the changes
    #[arg(value_name = "ID", required_unless_present = "all")]
    ids: Vec<String>,
    /// Everything that waits
    #[arg(long, conflicts_with = "ids")]
    all: bool,
}

impl Chosen {
    fn plans(&self, memory: &Memory) -> Result<Vec<StagedPlan>> {
        if self.all {
            let waiting = memory.waiting()?;
            if let (true, Some(problem)) = (waiting.plans.is_empty(), waiting.problems.first()) {
                bail!("what waits cannot be read: {problem}");
            }
            return Ok(waiting.plans);
        }
        Ok(self.ids.iter().map(|id| memory.waiting_plan(id)).collect::<Result<_, _>>()?)
    }
}

/// A change that waits, as `--json` prints it.
#[derive(Serialize)]
struct Item {
    #[serde(flatten)]
    staged: StagedPlan,
    diff: String,
}

impl From<StagedPlan> for Item {
    fn from(staged: StagedPlan) -> Self {
        Self { diff: diff(&staged.plan), staged }
    }
}

impl Run for Review {
    fn run(self, world: &mut World) -> Result<Exit> {
        // What is before the subcommand counts for it too.
        let Self { action, json: outer_json, which: outer, due, again } = self;
        if let Some(kind) = again {
            return propose_again(&kind, &outer.open(world)?, world);
        }
        match action {
            None if due => due::review(&mut outer.open(world)?, outer_json, world),
            None => list(&outer.open(world)?, outer_json, world),
            Some(Action::Ls { json, which }) => {
                list(&which.or(&outer).open(world)?, json || outer_json, world)
            }
            Some(Action::Show { id, json, which }) => {
                show(&which.or(&outer).open(world)?, &id, json || outer_json, world)
            }
            Some(Action::Accept { chosen, mut how }) => {
                how.which = how.which.or(&outer);
                how.json |= outer_json;
                accept(&chosen, &how, world)
            }
            Some(Action::Reject { chosen, which }) => reject(&chosen, &which.or(&outer).open(world)?, world),
            Some(Action::Edit { id, which }) => edit(&which.or(&outer).open(world)?, &id, world),
        }
    }
}

fn list(memory: &Memory, json: bool, world: &mut World) -> Result<Exit> {
    let waiting = memory.waiting()?;
    world.warn_all(&waiting.problems)?;
    let exit = if waiting.plans.is_empty() { Exit::No } else { Exit::Yes };
    if json {
        world.print_json(&json!({"items": Vec::from_iter(waiting.plans.into_iter().map(Item::from))}))?;
        return Ok(exit);
    }
    if waiting.plans.is_empty() {
        writeln!(world.stderr, "Nothing waits for review.")?;
    }
    let ids = ShortIds::among(waiting.plans.iter().map(|staged| staged.id.clone()));
    for staged in &waiting.plans {
        heading(staged, ids.shorten(&staged.id), world)?;
    }
    for (directory, count) in memory.waiting_elsewhere() {
        let changes = if count == 1 { "1 change waits".to_owned() } else { format!("{count} changes wait") };
        writeln!(world.stderr, "{changes} in `{directory}`: memdir review --dir {directory}")?;
    }
    Ok(exit)
}

fn show(memory: &Memory, id: &str, json: bool, world: &mut World) -> Result<Exit> {
    let staged = memory.waiting_plan(id)?;
    if json {
        serde_json::to_writer(&mut world.stdout, &Item::from(staged)).map_err(std::io::Error::from)?;
        writeln!(world.stdout)?;
        return Ok(Exit::Yes);
    }
    heading(&staged, waiting_ids(memory).shorten(&staged.id), world)?;
    print_diff(&staged.plan, world)?;
    world.warn_all(&staged.plan.warnings)?;
    Ok(Exit::Yes)
}

/// The ids of the changes that wait, to print the beginnings that are unique among them.
fn waiting_ids(memory: &Memory) -> ShortIds {
    let waiting = memory.waiting().map(|waiting| waiting.plans).unwrap_or_default();
    ShortIds::among(waiting.into_iter().map(|staged| staged.id))
}

/// The line that says who wants what, when and why.
fn heading(staged: &StagedPlan, id: &str, world: &mut World) -> Result<()> {
    let paint = world.paint;
    let age = human_age(world.now.as_second() - staged.time.as_second());
    writeln!(
        world.stdout,
        "{}  {}  {}  {}",
        paint.code(id),
        paint.quiet(&age),
        paint.strong(&printable(&who(&staged.author))),
        printable(&staged.plan.reason),
    )?;
    Ok(())
}

fn who(author: &Author) -> String {
    let kind = match author.kind {
        AuthorKind::Person => "a person",
        AuthorKind::Agent => "an agent",
        AuthorKind::Extract => "extraction",
        AuthorKind::Dream => "consolidation",
        AuthorKind::Team => "a team mate",
        AuthorKind::Foreign => "another program",
    };
    let id = author.id.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
    let session = author.session.as_deref().map(|session| format!(", session {session}")).unwrap_or_default();
    format!("{kind}{id}{session}")
}

fn accept(chosen: &Chosen, how: &How, world: &mut World) -> Result<Exit> {
    only_a_person(world)?;
    let mut memory = how.which.open(world)?;
    let plans = chosen.plans(&memory)?;
    let mut refused = 0;
    let ids = waiting_ids(&memory);
    for staged in &plans {
        if how.dry_run {
            heading(staged, ids.shorten(&staged.id), world)?;
            print_diff(&staged.plan, world)?;
            continue;
        }
        match memory.accept(staged, world.now) {
            Ok(applied) => drop(report(&staged.plan, &applied, &memory, how, world)?),
            Err(error) => {
                refused += 1;
                let id = ids.shorten(&staged.id);
                world.warn(&format!("{id} was not accepted and still waits: {error}"))?;
            }
        }
    }
    Ok(if refused > 0 { Exit::Failed } else { Exit::Yes })
}

fn reject(chosen: &Chosen, memory: &Memory, world: &mut World) -> Result<Exit> {
    only_a_person(world)?;
    let ids = waiting_ids(memory);
    for staged in chosen.plans(memory)? {
        let said = memory.reject(&staged)?;
        let id = ids.shorten(&staged.id);
        writeln!(world.stdout, "rejected {id}  {}", printable(&staged.plan.reason))?;
        for line in said {
            writeln!(world.stdout, "{line}")?;
        }
    }
    Ok(Exit::Yes)
}

fn propose_again(kind: &str, memory: &Memory, world: &mut World) -> Result<Exit> {
    only_a_person(world)?;
    memory.propose_again(&MemoryType::parse(kind))?;
    writeln!(world.stdout, "Extraction proposes `{kind}` here.")?;
    Ok(Exit::Yes)
}

fn edit(memory: &Memory, id: &str, world: &mut World) -> Result<Exit> {
    only_a_person(world)?;
    let mut staged = memory.waiting_plan(id)?;
    edit_texts(&mut staged, world)?;
    memory.replace_waiting(&staged)?;
    heading(&staged, waiting_ids(memory).shorten(&staged.id), world)?;
    print_diff(&staged.plan, world)?;
    Ok(Exit::Yes)
}

/// Lets the user edit what a change would write.
pub(super) fn edit_texts(staged: &mut StagedPlan, world: &mut World) -> Result<()> {
    let mut edited = 0;
    let only_index = staged.plan.changes.iter().all(|change| change.path().as_str() == ENTRYPOINT);
    for change in &mut staged.plan.changes {
        let Change::Write { path, content, .. } = change else { continue };
        if path.as_str() == ENTRYPOINT && !only_index {
            continue;
        }
        let Ok(text) = std::str::from_utf8(&content.0) else { continue };
        *content = editor::edit(path.file_name(), text, world)?.into();
        edited += 1;
    }
    if edited == 0 {
        bail!("the change writes no text that could be edited");
    }
    Ok(())
}
