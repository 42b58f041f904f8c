//! `memdir log`: what was done, by whom and why.

use memdir_core::history::short_ids::ShortIds;
use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use clap::Parser;
use memdir_core::operation::{Author, AuthorKind, ChangeRecord, Operation, OperationId};
use serde::Serialize;

use super::memory::{Which, look};
use super::{Run, when};
use crate::exit::Exit;
use crate::output::{cut, printable, width};
use crate::world::World;

/// List what was changed, by whom and why
#[derive(Debug, Parser)]
#[command(
    name = "log",
    after_help = "Newest first, in local time. A memory is followed through its renames. Without -n the last 50 operations are
listed, with --json the last 1000, and `more` says whether there are others.

Examples:
  memdir log
  memdir log tabs
  memdir log --since yesterday
  memdir log --json -n 100 | jq -r '.items[].reason'"
)]
pub(crate) struct Log {
    /// Only what touched this memory, also if it is gone
    name: Option<String>,
    /// Only operations since a time: 3d, yesterday, 2026-10, \"2026-10-05 14:00\"
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only operations until a time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// At most so many operations
    #[arg(short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
}

/// What fits on a screen or two.
const USUAL_LIMIT: usize = 50;
/// So many older operations are read, too, so that a printed beginning of an id means none of them.
const NEIGHBOURS: usize = 64;
/// What a program can be expected to want without saying so.
const USUAL_JSON_LIMIT: usize = 1_000;

impl Run for Log {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.which.open_existing(world)?;
        look(&mut memory, world)?;
        let since = self.since.as_deref().map(|since| when::since(since, world)).transpose()?;
        let until = self.until.as_deref().map(|until| when::until(until, world)).transpose()?;
        let limit = self.limit.unwrap_or(if self.json { USUAL_JSON_LIMIT } else { USUAL_LIMIT });
        let (path, log) = match &self.name {
            Some(name) => {
                let (path, log) = memory.log_about(name)?;
                (Some(path), log)
            }
            // What was done at a time may be far back.
            None if since.is_some() || until.is_some() => (None, memory.log(usize::MAX)?),
            None => (None, memory.log(limit.saturating_add(NEIGHBOURS))?),
        };
        let mut shown: Vec<&Operation> = match &path {
            Some(path) => memory.log_of(path, &log),
            None => log.operations.iter().collect(),
        };
        shown.retain(|operation| since.is_none_or(|since| operation.time >= since));
        shown.retain(|operation| until.is_none_or(|until| operation.time <= until));
        let more = shown.len() > limit;
        shown.truncate(limit);
        let undone = log.undone();
        if self.json {
            print_json(&shown, &undone, more, &log.problems, world)?;
        } else {
            let ids = ShortIds::of(&log.operations);
            for operation in &shown {
                print(operation, undone.get(&operation.id).copied(), &ids, world)?;
            }
            if shown.is_empty() && log.problems.is_empty() {
                writeln!(world.stderr, "No operation is recorded yet for {}.", memory.directory())?;
            }
            world.warn_all(&log.problems)?;
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

pub(super) fn print(
    operation: &Operation,
    undone_by: Option<&OperationId>,
    ids: &ShortIds,
    world: &mut World,
) -> Result<()> {
    let paint = world.paint;
    let time = when::local(operation.time);
    let undone = undone_by
        .map(|by| format!("  {}", paint.warn(&format!("(undone by {})", ids.short(by)))))
        .unwrap_or_default();
    let author = printable(&author_name(&operation.author));
    let used = ids.short(&operation.id).len() + time.len() + width(&author) + 6;
    let room = world.terminal.columns.map_or(usize::MAX, |columns| columns.saturating_sub(used).max(20));
    let shown_reason = cut(&printable(&operation.reason), room);
    writeln!(
        world.stdout,
        "{}  {}  {}  {}{undone}",
        paint.code(ids.short(&operation.id)),
        paint.quiet(&time),
        paint.strong(&author),
        shown_reason,
    )?;
    for change in &operation.changes {
        writeln!(world.stdout, "            {}", paint.quiet(&printable(&what_happened(change))))?;
    }
    Ok(())
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
