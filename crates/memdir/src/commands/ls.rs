//! `memdir ls`: every memory, newest first.

use std::collections::HashMap;
use std::io::Write;

use anyhow::Result;
use clap::Parser;
use memdir_core::rel_path::RelPath;
use memdir_lib::memory::{Catalogue, Entry, KnownFreshness, Memory};
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
    after_help = "Memories that cite files, symbols or other memories are marked fresh, changed or gone, as far as that can be
looked up at once or `memdir verify` found it out before.

Examples:
  memdir ls
  memdir ls --type feedback
  memdir ls --verify
  memdir ls --json | jq -r '.items[].path'"
)]
pub(crate) struct Ls {
    /// Only memories of this type
    #[arg(long = "type", value_name = "TYPE")]
    memory_type: Option<String>,
    /// Check all that each memory cites against the project, however long that takes
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
        let catalogue = memory.catalogue()?;
        let filtered: Vec<Entry>;
        let entries = match &self.memory_type {
            Some(wanted) => {
                let is_wanted =
                    |entry: &&Entry| entry.memory_type.as_ref().is_some_and(|found| found.as_str() == wanted);
                filtered = catalogue.entries.iter().filter(is_wanted).cloned().collect();
                &filtered
            }
            None => &catalogue.entries,
        };
        let freshness = self.freshness(&memory, entries, &catalogue, world)?;
        if self.json {
            #[derive(Serialize)]
            struct Items {
                items: Vec<Shown>,
            }
            let items = entries.iter().map(|entry| {
                let mut shown = Shown::of(entry, &memory, world.now)?;
                let known = freshness.get(&entry.path);
                shown.freshness = known.map(|known| known.freshness);
                shown.verified = known.and_then(|known| known.verified);
                Ok(shown)
            });
            let items = items.collect::<Result<_>>()?;
            world.print_json(&Items { items })?;
            return Ok(Exit::Yes);
        }
        if entries.is_empty() {
            writeln!(world.stderr, "No memories yet in {}.", memory.directory())?;
        }
        table(entries, &freshness, world)?;
        for left_out in &catalogue.left_out {
            world.warn(&format!("`{}` is not listed: {}", left_out.path, left_out.rule))?;
        }
        Ok(Exit::Yes)
    }
}

impl Ls {
    /// How fresh each memory is: looked up in full if that is asked, else as far as it is cheap or known.
    fn freshness(
        &self,
        memory: &Memory,
        entries: &[Entry],
        catalogue: &Catalogue,
        world: &World,
    ) -> Result<HashMap<RelPath, KnownFreshness>> {
        if !self.verify {
            return Ok(memory.known_freshness(entries, catalogue));
        }
        let verified = memory.verify(entries, catalogue)?;
        memory.remember_freshness(&verified, catalogue, world.now);
        let known = verified.into_iter().map(|found| {
            (found.path.clone(), KnownFreshness { freshness: found.freshness(), verified: None })
        });
        Ok(known.collect())
    }
}

fn table(entries: &[Entry], freshness: &HashMap<RelPath, KnownFreshness>, world: &mut World) -> Result<()> {
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
        let mark = match freshness.get(&entry.path) {
            Some(known) => format!("{}  ", mark(known.freshness, paint)),
            None if freshness.is_empty() => String::new(),
            None => " ".repeat(9),
        };
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
