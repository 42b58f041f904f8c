//! `memdir diff`: what an operation changed, line by line.

use std::io::Write;

use anyhow::Result;
use clap::Parser;
use memdir_core::history::lineage::{Moment, version_at};
use memdir_core::memory::topic::decode;
use memdir_core::operation::{ChangeRecord, Operation, OperationId};
use memdir_core::rel_path::RelPath;
use memdir_core::text_diff::unified;
use memdir_lib::memory::{Log, Memory, MemoryError};
use serde::Serialize;

use super::memory::{Which, look};
use super::{Run, when};
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Show what an operation changed
#[derive(Debug, Parser)]
#[command(
    name = "diff",
    after_help = "Without arguments: what the last operation changed. With a memory: what last changed it. With an operation: what
that one changed. With --since, or a time instead of an operation: what is different now. A day counts from its
beginning, in local time.

Examples:
  memdir diff
  memdir diff tabs
  memdir diff tabs 01kaxy7q
  memdir diff --since yesterday tabs"
)]
pub(crate) struct Diff {
    /// A memory, an operation, or a memory and an operation
    #[arg(value_names = ["NAME", "OP"], num_args = 0..=2)]
    what: Vec<String>,
    /// Compare with how it was at a time (3d, yesterday, 2026-10-05) or after an operation
    #[arg(long, value_name = "TIME|OP")]
    since: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Serialize)]
struct DiffReport {
    op: Option<OperationId>,
    changes: Vec<FileDiff>,
}

/// What became of one file.
#[derive(Debug, Serialize)]
pub(super) struct FileDiff {
    path: RelPath,
    pub(super) diff: String,
}

impl Run for Diff {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.which.open(world)?;
        look(&mut memory, world)?;
        let log = match (&self.since, self.what.as_slice()) {
            (None, []) => memory.log(1)?,
            (None, [name]) if !when::is_time(name, world) => match memory.log_about(name) {
                Ok((_, log)) => log,
                Err(_) => memory.log_up_to(name)?,
            },
            _ => memory.log(usize::MAX)?,
        };
        let report = match (&self.since, self.what.as_slice()) {
            (Some(since), names) => since_then(&memory, &log, &when::from(since, &log, world)?, names)?,
            // A time instead of an operation; a memory may be called like a day.
            (None, [names @ .., time])
                if when::is_time(time, world)
                    && (!names.is_empty() || memory.past_path(time, &log).is_err()) =>
            {
                since_then(&memory, &log, &when::from(time, &log, world)?, names)?
            }
            (None, what) => of_operation(&memory, &log, what)?,
        };
        if self.json {
            return world.answer_json(&report);
        }
        for line in report.changes.iter().flat_map(|change| change.diff.lines()) {
            let shown = printable(line);
            let painted = match line.as_bytes().first() {
                Some(b'+') => world.paint.good(&shown),
                Some(b'-') => world.paint.bad(&shown),
                Some(b'@') => world.paint.code(&shown),
                _ => shown,
            };
            writeln!(world.stdout, "{painted}")?;
        }
        Ok(Exit::Yes)
    }
}

/// What one operation changed, or what it changed in one memory.
fn of_operation(memory: &Memory, log: &Log, what: &[String]) -> Result<DiffReport> {
    let (operation, path): (Option<&Operation>, Option<RelPath>) = match what {
        [] => (log.operations.first(), None),
        [name, operation] => (Some(log.find(operation)?), Some(memory.past_path(name, log)?)),
        [either, ..] => match memory.past_path(either, log) {
            Ok(path) => (memory.log_of(&path, log).into_iter().next(), Some(path)),
            Err(error @ MemoryError::NotFound { .. }) => match log.find(either) {
                Ok(operation) => (Some(operation), None),
                Err(_) => return Err(error.into()),
            },
            Err(error) => return Err(error.into()),
        },
    };
    let Some(operation) = operation else { return Ok(DiffReport { op: None, changes: Vec::new() }) };
    // The memory may have had another name at that time.
    let name = path.map(|path| {
        let past = version_at(&log.operations, &path, &Moment::After(operation.id.clone()));
        past.map_or(path, |past| past.path)
    });
    let is_it = |change: &ChangeRecord| {
        name.as_ref().is_none_or(|name| change.path == *name || change.renamed_from.as_ref() == Some(name))
    };
    Ok(DiffReport { op: Some(operation.id.clone()), changes: changes_of(memory, operation, is_it)? })
}

/// What an operation did to the files that are wanted.
pub(super) fn changes_of(
    memory: &Memory,
    operation: &Operation,
    is_wanted: impl Fn(&ChangeRecord) -> bool,
) -> Result<Vec<FileDiff>> {
    let wanted: Vec<&ChangeRecord> = operation.changes.iter().filter(|change| is_wanted(change)).collect();
    let hashes = wanted.iter().flat_map(|change| [change.before, change.after]).flatten();
    let versions = memory.recorded_versions(&hashes.collect())?;
    let mut changes = Vec::new();
    for change in wanted {
        let content = |version| -> Result<Option<String>> {
            let Some(hash) = version else { return Ok(None) };
            let content =
                versions.get(&hash).ok_or_else(|| MemoryError::Lost { path: change.path.clone() })?;
            Ok(Some(decode(content).0.into_owned()))
        };
        let (before, after) = (content(change.before)?, content(change.after)?);
        let old_name = change.renamed_from.as_ref().unwrap_or(&change.path);
        let diff = diff_of((old_name, before), (&change.path, after));
        changes.push(FileDiff { path: change.path.clone(), diff });
    }
    Ok(changes)
}

/// What is different now from how it was.
fn since_then(memory: &Memory, log: &Log, moment: &Moment, names: &[String]) -> Result<DiffReport> {
    let mut paths: Vec<RelPath> = Vec::new();
    for name in names {
        paths.push(memory.past_path(name, log)?);
    }
    if names.is_empty() {
        let known = log.operations.iter().flat_map(|operation| &operation.changes);
        paths.extend(known.map(|change| change.path.clone()));
        paths.sort();
        paths.dedup();
    }
    let mut changes = Vec::new();
    for path in paths {
        let (name, before) = memory.content_at(&path, moment, log)?;
        let after = memory.read(&path)?;
        let text = |content: Option<Vec<u8>>| content.map(|content| decode(&content).0.into_owned());
        let diff = diff_of((&name, text(before)), (&path, text(after)));
        if !diff.is_empty() {
            changes.push(FileDiff { path, diff });
        }
    }
    Ok(DiffReport { op: None, changes })
}

fn diff_of(before: (&RelPath, Option<String>), after: (&RelPath, Option<String>)) -> String {
    let side = |(path, content): &(&RelPath, Option<String>)| {
        (content.as_ref().map(|_| path.to_string()), content.clone().unwrap_or_default())
    };
    let (old, new) = (side(&before), side(&after));
    unified((old.0.as_deref(), &old.1), (new.0.as_deref(), &new.1))
}
