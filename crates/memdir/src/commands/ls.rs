//! `memdir ls`: every memory, newest first.

use std::collections::HashMap;
use std::io::Write;

use anyhow::Result;
use clap::Parser;
use jiff::Timestamp;
use memdir_core::rel_path::RelPath;
use memdir_core::verify::Freshness;
use memdir_lib::memory::{Catalogue, Entry, KnownFreshness, Memory};
use serde_json::json;

use super::Run;
use super::memory::{Which, known_type};
use super::overview;
use super::show::Shown;
use crate::exit::Exit;
use crate::output::{cut, cut_middle, human_age, pad, printable, short_path, width};
use crate::world::World;

/// List the memories, newest first
#[derive(Debug, Parser)]
#[command(
    name = "ls",
    after_help = "Memories of the team are marked `team:`. A memory that cites a file, symbol or memory that changed or is gone is
marked, too, as far as that is known; --verify looks everything up.

Examples:
  memdir ls
  memdir ls --type feedback -n 5
  memdir ls --verify
  memdir ls --json | jq -r '.items[].path'"
)]
pub(crate) struct Ls {
    /// Only memories of this type
    #[arg(long = "type", value_name = "TYPE")]
    memory_type: Option<String>,
    /// At most so many
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// Check all that each memory cites against the project, however long that takes
    #[arg(long)]
    verify: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
}

impl Run for Ls {
    fn run(self, world: &mut World) -> Result<Exit> {
        self.memory_type.as_deref().map(known_type).transpose()?;
        let memory = self.which.open_existing(world)?;
        let catalogue = memory.catalogue()?;
        let filtered: Vec<Entry>;
        let entries: &[Entry] = match &self.memory_type {
            Some(wanted) => {
                let is_wanted =
                    |entry: &&Entry| entry.memory_type.as_ref().is_some_and(|found| found.as_str() == wanted);
                filtered = catalogue.entries.iter().filter(is_wanted).cloned().collect();
                &filtered
            }
            None => &catalogue.entries,
        };
        let limit = self.limit.unwrap_or(usize::MAX);
        let freshness = self.freshness(&memory, entries, &catalogue, world)?;
        if self.json {
            let items = entries.iter().take(limit).map(|entry| {
                let mut shown = Shown::of(entry, &memory, world.now)?;
                let known = freshness.get(&entry.path);
                shown.freshness = known.map(|known| known.freshness);
                shown.verified = known.and_then(|known| known.verified);
                Ok(shown)
            });
            let items = items.collect::<Result<Vec<Shown>>>()?;
            return world.answer_json(&json!({"items": items}));
        }
        // A daily log is not a memory: `memdir today` shows it.
        let listed: Vec<Entry> = entries
            .iter()
            .filter(|entry| !entry.path.as_str().starts_with("logs/"))
            .take(limit)
            .cloned()
            .collect();
        if listed.is_empty() {
            let (place, add) = (short_path(memory.directory(), world), world.paint.code("memdir add TEXT"));
            match &self.memory_type {
                Some(wanted) => writeln!(world.stderr, "No memories of type {wanted} in {place}.")?,
                None => writeln!(world.stderr, "No memories yet in {place}; {add} adds one.")?,
            }
            if catalogue.entries.is_empty() && self.which.is_project() {
                overview::say_left_behind(world)?;
            }
        }
        table(&listed, &freshness, world)?;
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

/// The columns of age and type with the spaces behind them.
const FIXED: usize = 12 + 2 + 9 + 2;
const LONGEST_NAME: usize = 40;

fn table(entries: &[Entry], freshness: &HashMap<RelPath, KnownFreshness>, world: &mut World) -> Result<()> {
    let paint = world.paint;
    let columns = world.terminal.columns.unwrap_or(usize::MAX);
    let titles: Vec<String> = entries.iter().map(title).collect();
    // On a narrow terminal the names take at most half of what is left, so that the descriptions have room.
    let room = columns.saturating_sub(FIXED);
    let widest = titles.iter().map(|title| width(title)).max().unwrap_or(0);
    let name_width = widest.min(LONGEST_NAME).min((room / 2).max(16));
    let rest = room.saturating_sub(name_width + 2);
    for (entry, title) in entries.iter().zip(&titles) {
        let age = human_age(world.now.as_second() - entry.modified.as_second());
        let kind = entry.memory_type.as_ref().map_or("·", |found| found.as_str());
        let doubt = doubt(entry, freshness.get(&entry.path), world.now);
        let description = printable(entry.description.as_deref().unwrap_or_default());
        let description =
            cut(&description, rest.saturating_sub(doubt.as_ref().map_or(0, |text| width(text) + 2)));
        let doubt = doubt.map(|text| format!("  {}", paint.warn(&cut(&text, rest)))).unwrap_or_default();
        let line = format!(
            "{}  {}  {}  {description}{doubt}",
            paint.quiet(&format!("{age:>12}")),
            paint.code(&pad(&cut(&printable(kind), 9), 9)),
            paint.strong(&pad(&cut_middle(title, name_width), name_width)),
        );
        writeln!(world.stdout, "{}", line.trim_end())?;
    }
    Ok(())
}

/// The name, marked if the memory is shared with the team.
fn title(entry: &Entry) -> String {
    let team = if entry.path.as_str().starts_with("team/") { "team: " } else { "" };
    format!("{team}{}", printable(entry.title()))
}

/// What is wrong with a memory, or with something that it cites.
fn doubt(entry: &Entry, known: Option<&KnownFreshness>, now: Timestamp) -> Option<String> {
    if let Some(problem) = entry.problems.first() {
        return Some(printable(&problem.to_string()));
    }
    let validity = &entry.validity;
    if let Some(by) = &validity.superseded_by {
        return Some(printable(&format!("(replaced by {by})")));
    }
    if validity.has_expired(entry.modified, now) {
        return Some("(expired)".to_owned());
    }
    if let Some(place) = validity.branch.as_ref().or(validity.worktree.as_ref()) {
        return Some(printable(&format!("(only in {place})")));
    }
    match known?.freshness {
        Freshness::Fresh => None,
        Freshness::Changed => Some("(cites something that changed)".to_owned()),
        Freshness::Gone => Some("(cites something that is gone)".to_owned()),
    }
}
