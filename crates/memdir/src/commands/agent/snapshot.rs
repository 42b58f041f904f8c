//! `memdir agent snapshot`: hand an agent's memory on, or take it over.

use std::io::Write;

use anyhow::Result;
use camino::Utf8Path;
use clap::{Args, Subcommand};
use jiff::Timestamp;
use memdir_core::agents::AgentName;
use memdir_core::agents::snapshot::{Outcome, Standing};
use memdir_core::operation::OperationId;
use memdir_core::rel_path::RelPath;
use memdir_lib::agents::{Agents, Snapshots};
use serde::Serialize;

use crate::commands::memory::author;
use crate::exit::Exit;
use crate::world::World;

/// Hand an agent's memory to everybody who has the project, or take it over
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "A snapshot is what the agent knows in scope `user`, put into the repository below
`.claude/agent-snapshots/`. Taking one over merges it with what your agent has learned;
nothing of yours is written over, and `memdir undo` brings everything back.

Examples:
  memdir agent snapshot create reviewer
  memdir agent snapshot status reviewer
  memdir agent snapshot apply reviewer
  memdir agent snapshot keep reviewer"
)]
pub(super) struct Snapshot {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Put your memory of the agent into the repository
    #[command(after_help = "Example:\n  memdir agent snapshot create reviewer")]
    Create(One),
    /// Say whether there is a snapshot that you have not decided on, and what it would change
    #[command(after_help = "Example:\n  memdir agent snapshot status reviewer")]
    Status(One),
    /// Take the snapshot over, merged with your own memory of the agent
    #[command(after_help = "Example:\n  memdir agent snapshot apply reviewer")]
    Apply(One),
    /// Keep your own memory, and do not be offered this snapshot again
    #[command(after_help = "Example:\n  memdir agent snapshot keep reviewer")]
    Keep(One),
}

#[derive(Debug, Args)]
struct One {
    /// The agent
    name: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What happened, or would, as `--json` prints it.
#[derive(Serialize)]
struct SnapshotAnswer<'a> {
    agent: &'a str,
    standing: Standing,
    snapshot_dir: &'a Utf8Path,
    memory_dir: &'a Utf8Path,
    created: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided: Option<Timestamp>,
    op: Option<OperationId>,
    /// The id under which the change waits for review instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    staged: Option<String>,
    files: Vec<FileOutcome>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct FileOutcome {
    path: RelPath,
    outcome: Outcome,
}

impl Snapshot {
    pub(super) fn run(self, agents: &Agents, world: &mut World) -> Result<Exit> {
        let (Action::Create(one) | Action::Status(one) | Action::Apply(one) | Action::Keep(one)) =
            &self.action;
        let name = AgentName::parse(&one.name)?;
        let snapshots = Snapshots::open(agents, &name)?;
        let mut answer = SnapshotAnswer {
            agent: name.as_str(),
            standing: Standing::Current,
            snapshot_dir: snapshots.directory(),
            memory_dir: snapshots.memory_dir(),
            created: None,
            decided: None,
            op: None,
            staged: None,
            files: Vec::new(),
            warnings: name.warning().into_iter().collect(),
        };
        let said = match &self.action {
            Action::Create(_) => match snapshots.create(&author(world), world.now)? {
                Some(made) => {
                    answer.created = Some(made.created);
                    answer.op = made.operation;
                    answer.staged = made.staged;
                    answer.warnings.extend(made.warnings);
                    waits(answer.staged.as_deref()).unwrap_or_else(|| {
                        format!("made the snapshot `{}`; commit it to hand it on", answer.snapshot_dir)
                    })
                }
                None => format!("the snapshot `{}` is up to date", answer.snapshot_dir),
            },
            Action::Apply(_) => {
                let taken = snapshots.apply(&author(world), world.now)?;
                answer.created = Some(taken.created);
                answer.op = taken.operation;
                answer.staged = taken.staged;
                answer.files = outcomes(taken.outcomes);
                answer.warnings.extend(taken.warnings);
                match &answer.op {
                    None if answer.staged.is_some() => waits(answer.staged.as_deref()).unwrap_or_default(),
                    Some(operation) => {
                        let (memory_dir, operation) = (answer.memory_dir, snapshots.short_id(operation));
                        format!(
                            "took the snapshot over into `{memory_dir}`; `memdir undo {operation} --dir {memory_dir}` undoes it"
                        )
                    }
                    None if answer.files.iter().any(|file| file.outcome == Outcome::Kept) => {
                        format!("`{}` stays as you have changed it", answer.memory_dir)
                    }
                    None => format!("`{}` holds all of the snapshot already", answer.memory_dir),
                }
            }
            Action::Keep(_) => {
                answer.created = Some(snapshots.keep()?);
                answer.standing = Standing::Kept;
                format!("kept `{}` as it is; a newer snapshot will be offered again", answer.memory_dir)
            }
            Action::Status(_) => {
                let status = snapshots.status()?;
                answer.standing = status.standing;
                answer.created = status.created;
                answer.decided = status.decided;
                answer.files = outcomes(status.outcomes);
                answer.warnings.extend(status.warnings);
                explain(status.standing, answer.agent)
            }
        };
        if one.json {
            return world.answer_json(&answer);
        }
        writeln!(world.stdout, "{said}")?;
        for file in &answer.files {
            writeln!(world.stdout, "  {:10} {}", word(file.outcome), file.path)?;
        }
        world.stdout.flush()?;
        world.warn_all(&answer.warnings)?;
        Ok(Exit::Yes)
    }
}

fn outcomes(files: Vec<(RelPath, Outcome)>) -> Vec<FileOutcome> {
    files.into_iter().map(|(path, outcome)| FileOutcome { path, outcome }).collect()
}

fn waits(staged: Option<&str>) -> Option<String> {
    staged.map(|id| format!("nothing is changed yet: it waits for review as {id}"))
}

fn explain(standing: Standing, agent: &str) -> String {
    let decide = format!("`memdir agent snapshot apply {agent}` takes it over, `keep` leaves it");
    match standing {
        Standing::Absent => "this project has no snapshot for the agent".to_owned(),
        Standing::Initialise => {
            format!("there is a snapshot, and you have no memory of the agent yet: {decide}")
        }
        Standing::Newer => format!("there is a snapshot that you have not decided on: {decide}"),
        Standing::Current => "you have taken this snapshot over".to_owned(),
        Standing::Kept => "you have kept your own memory instead of this snapshot".to_owned(),
        Standing::Older => "this snapshot is older than the one that you decided on".to_owned(),
    }
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Added => "added",
        Outcome::Updated => "updated",
        Outcome::Removed => "removed",
        Outcome::Merged => "merged",
        Outcome::KeptBoth => "kept both",
        Outcome::Kept => "kept",
        Outcome::Same => "same",
    }
}
