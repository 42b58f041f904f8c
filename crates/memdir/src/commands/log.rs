//! `memdir log`: what was done, by whom and why.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use clap::Parser;
use memdir_core::operation::{Author, AuthorKind, ChangeRecord, Operation, OperationId};
use serde::Serialize;

use super::Run;
use super::memory::{Which, look};
use crate::arguments::Global;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Say what was done to the memories, by whom and why
#[derive(Debug, Parser)]
#[command(
    name = "log",
    after_help = "Newest first. A memory is followed through its renames. Without -n the last 50 operations are shown, with
--json the last 1000, and `more` says whether there are others.

Examples:
  memdir log
  memdir log tabs
  memdir log --json -n 100 | jq -r '.items[].reason'"
)]
pub(crate) struct Log {
    /// Only what touched this memory, also if it is gone
    name: Option<String>,
    /// At most so many operations
    #[arg(short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    global: Global,
}

/// What fits on a screen or two.
const USUAL_LIMIT: usize = 50;
/// What a program can be expected to want without saying so.
const USUAL_JSON_LIMIT: usize = 1_000;

impl Run for Log {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.which.open(world)?;
        look(&mut memory, world)?;
        let limit = self.limit.unwrap_or(if self.json { USUAL_JSON_LIMIT } else { USUAL_LIMIT });
        let (path, log) = match &self.name {
            Some(name) => {
                let (path, log) = memory.log_about(name)?;
                (Some(path), log)
            }
            None => (None, memory.log(limit.saturating_add(1))?),
        };
        let mut shown: Vec<&Operation> = match &path {
            Some(path) => memory.log_of(path, &log),
            None => log.operations.iter().collect(),
        };
        let more = shown.len() > limit;
        shown.truncate(limit);
        let undone = log.undone();
        if self.json {
            print_json(&shown, &undone, more, &log.problems, world)?;
        } else {
            for operation in &shown {
                print(operation, undone.get(&operation.id).copied(), world)?;
            }
            if shown.is_empty() && log.problems.is_empty() {
                writeln!(world.stderr, "Nothing is recorded yet for {}.", memory.directory())?;
            }
            for problem in &log.problems {
                world.warn(problem)?;
            }
        }
        Ok(Exit::Yes)
    }
}

pub(super) fn print_json(
    shown: &[&Operation],
    undone: &BTreeMap<&OperationId, &OperationId>,
    more: bool,
    problems: &[String],
    world: &mut World,
) -> Result<()> {
    #[derive(Serialize)]
    struct Items<'i> {
        items: Vec<Item<'i>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        more: bool,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        problems: &'i [String],
    }
    #[derive(Serialize)]
    struct Item<'i> {
        #[serde(flatten)]
        operation: &'i Operation,
        #[serde(skip_serializing_if = "Option::is_none")]
        undone_by: Option<&'i OperationId>,
    }
    let items =
        shown.iter().map(|operation| Item { operation, undone_by: undone.get(&operation.id).copied() });
    world.print_json(&Items { items: items.collect(), more, problems })?;
    Ok(())
}

pub(super) fn print(operation: &Operation, undone_by: Option<&OperationId>, world: &mut World) -> Result<()> {
    let paint = world.paint;
    let time = operation.time.strftime("%Y-%m-%d %H:%M");
    let undone = undone_by
        .map(|by| format!("  {}", paint.warn(&format!("(undone by {})", short(by)))))
        .unwrap_or_default();
    writeln!(
        world.stdout,
        "{}  {}  {}  {}{undone}",
        paint.code(short(&operation.id)),
        paint.quiet(&time.to_string()),
        paint.strong(&printable(&author_name(&operation.author))),
        printable(&operation.reason),
    )?;
    for change in &operation.changes {
        writeln!(world.stdout, "            {}", paint.quiet(&printable(&what_happened(change))))?;
    }
    Ok(())
}

/// The end of an id tells operations of one moment apart, and is accepted wherever an id is.
pub(super) fn short(id: &OperationId) -> &str {
    id.0.get(id.0.len().saturating_sub(8)..).unwrap_or(&id.0)
}

fn author_name(author: &Author) -> String {
    let kind = match author.kind {
        AuthorKind::Person => "person",
        AuthorKind::Agent => "agent",
        AuthorKind::Extract => "extract",
        AuthorKind::Dream => "dream",
        AuthorKind::Team => "team",
        AuthorKind::Foreign => "foreign",
    };
    let mut name = kind.to_owned();
    for more in [&author.id, &author.session].into_iter().flatten() {
        name.push(' ');
        name.push_str(more);
    }
    name
}

fn what_happened(change: &ChangeRecord) -> String {
    let path = &change.path;
    match (&change.renamed_from, change.before, change.after) {
        (Some(from), ..) => format!("{from} > {path}"),
        (None, None, _) => format!("+ {path}"),
        (None, _, None) => format!("- {path}"),
        (None, before, after) if before == after => format!("= {path}"),
        _ => format!("~ {path}"),
    }
}
