//! `memdir ls`: every memory, newest first.

use std::collections::HashMap;
use std::io::Write;

use anyhow::Result;
use clap::Parser;
use memdir_core::rel_path::RelPath;
use memdir_core::verify::Freshness;
use memdir_lib::memory::{Entry, Memory};
use serde::Serialize;

use super::Run;
use super::memory::Which;
use super::show::Shown;
use super::verify::mark;
use crate::arguments::Global;
use crate::exit::Exit;
use crate::output::{human_age, printable};
use crate::world::World;

/// List the memories, newest first
#[derive(Debug, Parser)]
#[command(
    name = "ls",
    after_help = "Examples:
  memdir ls
  memdir ls --type feedback
  memdir ls --verify
  memdir ls --json | jq -r '.items[].path'"
)]
pub(crate) struct Ls {
    /// Only memories of this type
    #[arg(long = "type", value_name = "TYPE")]
    memory_type: Option<String>,
    /// Check what each memory cites against the project, and show what is changed or gone
    #[arg(long)]
    verify: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    global: Global,
}

impl Run for Ls {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        let memory = self.which.open(world)?;
        let mut catalogue = memory.catalogue()?;
        if let Some(wanted) = &self.memory_type {
            catalogue
                .entries
                .retain(|entry| entry.memory_type.as_ref().is_some_and(|found| found.as_str() == wanted));
        }
        let freshness = if self.verify { freshness(&memory, &catalogue.entries)? } else { HashMap::new() };
        if self.json {
            #[derive(Serialize)]
            struct Items {
                items: Vec<Shown>,
            }
            let items = catalogue.entries.iter().map(|entry| {
                let mut shown = Shown::of(entry, &memory, world.now)?;
                shown.freshness = freshness.get(&entry.path).copied();
                Ok(shown)
            });
            let items = items.collect::<Result<_>>()?;
            world.print_json(&Items { items })?;
            return Ok(Exit::Yes);
        }
        if catalogue.entries.is_empty() {
            writeln!(world.stderr, "No memories yet in {}.", memory.directory())?;
        }
        table(&catalogue.entries, &freshness, world)?;
        for left_out in &catalogue.left_out {
            world.warn(&format!("`{}` is not listed: {}", left_out.path, left_out.rule))?;
        }
        Ok(Exit::Yes)
    }
}

/// How fresh each memory is. A filter on the list does not make links to other memories dead.
fn freshness(memory: &Memory, entries: &[Entry]) -> Result<HashMap<RelPath, Freshness>> {
    let verified = memory.verify(entries, &memory.catalogue()?)?;
    Ok(verified.into_iter().map(|found| (found.path.clone(), found.freshness())).collect())
}

fn table(entries: &[Entry], freshness: &HashMap<RelPath, Freshness>, world: &mut World) -> Result<()> {
    let paint = world.paint;
    let width = entries.iter().map(|entry| entry.title().chars().count()).max().unwrap_or(0).min(40);
    for entry in entries {
        let age = human_age(world.now.as_second() - entry.modified.as_second());
        let kind = entry.memory_type.as_ref().map_or("·", |found| found.as_str());
        let title = printable(entry.title());
        let description = printable(entry.description.as_deref().unwrap_or_default());
        let problem = match entry.problems.first() {
            Some(problem) => format!("  {}", paint.warn(&printable(&problem.to_string()))),
            None => String::new(),
        };
        let mark =
            freshness.get(&entry.path).map(|found| format!("{}  ", mark(*found, paint))).unwrap_or_default();
        let line = format!(
            "{}  {mark}{}  {}  {description}{problem}",
            paint.quiet(&format!("{age:>12}")),
            paint.code(&format!("{:<9}", printable(kind))),
            paint.strong(&format!("{title:<width$}")),
        );
        writeln!(world.stdout, "{}", line.trim_end())?;
    }
    Ok(())
}
