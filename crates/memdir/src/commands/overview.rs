//! `memdir` alone: where memory is, how much there is, how fresh, how close to the limits, and what is wrong.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use clap::Parser;
use memdir_core::memory::auto_index::is_indexed;
use memdir_core::memory::entrypoint::{MAX_LINES, MAX_UNITS};
use memdir_core::memory::index::{IndexReport, OVERFLOW, examine};
use memdir_core::rel_path::{ENTRYPOINT, RelPath};
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::{Catalogue, Memory};
use memdir_lib::place::Place;

use super::Run;
use super::memory::settle;
use crate::exit::Exit;
use crate::output::{Paint, human_age, printable, short_path};
use crate::world::World;

/// Show where memory is, how much there is, and what is wrong
#[derive(Debug, Parser)]
#[command(name = "overview")]
pub(super) struct Overview {}

impl Run for Overview {
    fn run(self, world: &mut World) -> Result<Exit> {
        overview(world)
    }
}

fn overview(world: &mut World) -> Result<Exit> {
    let env = world.env()?;
    let place = Place::find(&env, &ClientFlags::default())?;
    let paint = world.paint;
    let state = if place.location.enabled { paint.good("on") } else { paint.warn("off") };
    let why = paint.quiet(&format!("({})", place.location.decided_by));
    let warnings = place.warnings();
    row(world, "project", &paint.strong(&short_path(&place.location.root, world)))?;
    row(world, "memory", &format!("{}  {state} {why}", short_path(&place.location.memory_dir, world)))?;
    let memory = Memory::at_place(place, &env)?;
    settle(&memory, world)?;
    let catalogue = memory.catalogue()?;
    contents(&catalogue, world)?;
    let report = index(&memory, &catalogue, world)?;
    let mut wrong = wrong_with_index(&report);
    wrong.extend(wrong_with_files(&catalogue));
    for problem in &wrong {
        row(world, "wrong", &paint.warn(problem))?;
    }
    let waiting = memory.waiting_count();
    if waiting > 0 {
        let changes = if waiting == 1 { "1 change waits" } else { &format!("{waiting} changes wait") };
        row(world, "review", &format!("{changes} for you: {}", paint.code("memdir review")))?;
    }
    world.warn_all(warnings)?;
    if memory.root().is_none() {
        writeln!(world.stdout, "\nNo memory yet. {} adds the first one.", paint.code("memdir add TEXT"))?;
    } else if !wrong.is_empty() {
        writeln!(world.stdout, "\n{} says more and fixes what it can.", paint.code("memdir doctor"))?;
    }
    Ok(Exit::Yes)
}

/// Says whether memory of this project was left behind under another path.
pub(super) fn say_left_behind(world: &mut World) -> Result<()> {
    let place = Place::find(&world.env()?, &ClientFlags::default())?;
    world.warn_all(place.warnings())?;
    Ok(())
}

fn row(world: &mut World, name: &str, value: &str) -> Result<()> {
    let name = world.paint.quiet(&format!("{name:<9}"));
    Ok(writeln!(world.stdout, "{name} {value}")?)
}

fn contents(catalogue: &Catalogue, world: &mut World) -> Result<()> {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in &catalogue.entries {
        *kinds.entry(entry.memory_type.as_ref().map_or("without type", |kind| kind.as_str())).or_default() +=
            1;
    }
    let kinds: Vec<String> =
        kinds.iter().map(|(kind, count)| format!("{count} {}", printable(kind))).collect();
    let count = catalogue.entries.len();
    let kinds = if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(", ")) };
    row(world, "memories", &format!("{count}{kinds}"))?;
    if let (Some(newest), Some(oldest)) = (catalogue.entries.first(), catalogue.entries.last()) {
        let age = |modified: jiff::Timestamp| human_age(world.now.as_second() - modified.as_second());
        let line = format!(
            "{} {}; the oldest is from {}",
            printable(newest.title()),
            age(newest.modified),
            age(oldest.modified)
        );
        row(world, "newest", &line)?;
    }
    Ok(())
}

fn index(memory: &Memory, catalogue: &Catalogue, world: &mut World) -> Result<IndexReport> {
    let bytes = match memory.read(&RelPath::parse(ENTRYPOINT)?) {
        Ok(bytes) => bytes,
        Err(error) => {
            let problem = world.paint.warn(&printable(&error.to_string()));
            row(world, "wrong", &problem)?;
            Some(Vec::new())
        }
    };
    let overflow = memory.read(&RelPath::parse(OVERFLOW)?).ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
    let overflow = String::from_utf8_lossy(&overflow);
    let in_overflow =
        |path: &str| overflow.contains(&format!("]({path})")) || overflow.contains(&format!("](<{path}>)"));
    let mut files: Vec<&str> =
        catalogue.entries.iter().map(|entry| entry.path.as_str()).filter(|path| !in_overflow(path)).collect();
    let is_replaced = |path: &str| {
        catalogue.entries.iter().any(|entry| !entry.validity.is_indexed() && entry.path.as_str() == path)
    };
    if !overflow.is_empty() {
        files.push(OVERFLOW);
    }
    let mut report = examine(&text, &files);
    // The team's memories are in an index of their own.
    report.missing.retain(|path| is_indexed(path) && !is_replaced(path));
    let (lines, units) = (report.usage.lines, report.usage.units);
    let share = (lines * 100 / MAX_LINES).max(units * 100 / MAX_UNITS);
    let bar = bar(share, world.paint);
    let value = match bytes {
        Some(_) => format!("{bar} {lines} of {MAX_LINES} lines, {units} of {MAX_UNITS} characters"),
        None => "none yet".to_owned(),
    };
    row(world, "index", &value)?;
    Ok(report)
}

/// How full something is, in ten steps.
fn bar(percent: usize, paint: Paint) -> String {
    let full = percent.min(100).div_ceil(10);
    let text = format!("{}{}", "▰".repeat(full), "▱".repeat(10 - full));
    match percent {
        0..70 => paint.good(&text),
        70..100 => paint.warn(&text),
        _ => paint.bad(&text),
    }
}

fn wrong_with_index(report: &IndexReport) -> Vec<String> {
    let count = |number: usize, one: &str, many: &str| match number {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{number} {many}")),
    };
    [
        count(report.missing.len(), "memory has no line in the index", "memories have no line in the index"),
        count(
            report.dangling.len(),
            "line points to a file that is gone",
            "lines point to files that are gone",
        ),
        count(report.duplicate.len(), "line repeats another", "lines repeat others"),
        count(report.over_long.len(), "line is too long", "lines are too long"),
        count(
            report.cut.len(),
            "line is cut off before an agent sees it",
            "lines are cut off before an agent sees them",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn wrong_with_files(catalogue: &Catalogue) -> Vec<String> {
    let broken = catalogue.entries.iter().filter(|entry| !entry.problems.is_empty());
    let broken = broken.map(|entry| {
        format!("{}: {}", printable(entry.path.as_str()), printable(&entry.problems[0].to_string()))
    });
    let left_out = catalogue.left_out.iter().map(|left| format!("{}: {}", printable(&left.path), left.rule));
    broken.chain(left_out).collect()
}
