//! `memdir project ls`.

use std::cmp::Reverse;
use std::io::Write;

use anyhow::Result;
use memdir_core::project::findings::Flag;
use memdir_core::settings::ClientFlags;
use memdir_lib::place::Place;
use memdir_lib::projects::{Probe, ProjectEntry, Survey};
use serde_json::json;

use crate::exit::Exit;
use crate::output::{human_age, human_bytes, printable};
use crate::world::World;

/// How many projects are remembered in one run; each may take git a few milliseconds.
const REMEMBERED_AT_ONCE: usize = 64;

pub(super) fn ls(json: bool, world: &mut World) -> Result<Exit> {
    let place = Place::find(&world.env()?, &ClientFlags::default())?;
    remember(&place, world)?;
    let survey = place.projects.survey();
    if let Err(error) = place.projects.remember_living(&survey, REMEMBERED_AT_ONCE, world.now) {
        world.warn(&format!("not all projects will be known again after a move: {error}"))?;
    }
    let Survey { mut entries, problems } = survey.with_journals_folded();
    for problem in problems {
        world.warn(&problem.to_string())?;
    }
    if json {
        return world.answer_json(&json!({"items": entries}));
    }
    entries.sort_by_key(|entry| Reverse(entry.last_used));
    if entries.is_empty() {
        writeln!(world.stdout, "No projects yet below {}.", place.projects.projects_dir())?;
        return Ok(Exit::Yes);
    }
    table(&entries, world)?;
    advice(&entries, world)
}

/// Remembers the project in which the user is, so that it is known again after a move.
fn remember(place: &Place, world: &mut World) -> Result<()> {
    if !place.here.project_dir.is_dir() && !place.here.memory_dir.is_dir() {
        return Ok(());
    }
    if let Err(error) = place.projects.record_sighting(&place.here, Probe::Full, world.now) {
        world.warn(&format!("this project will not be known again after a move: {error}"))?;
    }
    Ok(())
}

fn table(entries: &[ProjectEntry], world: &mut World) -> Result<()> {
    let paint = world.paint;
    let heading =
        format!("{:>12}  {:>8}  {:>8}  {:>7}  {}", "last used", "memories", "sessions", "size", "project");
    writeln!(world.stdout, "{}", paint.quiet(&heading))?;
    for entry in entries {
        let age = entry.last_used.map(|used| human_age(world.now.as_second() - used.as_second()));
        let path = match &entry.path {
            Some(path) => paint.strong(&printable(path.as_str())),
            None => paint.quiet(&format!("unknown: {}", printable(&entry.slug))),
        };
        let flags: Vec<String> = entry.flags.iter().map(|flag| flag_text(*flag, world)).collect();
        let flags = if flags.is_empty() { String::new() } else { format!("  {}", flags.join(", ")) };
        let number = |count: u64| if count == 0 { "·".to_owned() } else { count.to_string() };
        writeln!(
            world.stdout,
            "{:>12}  {:>8}  {:>8}  {:>7}  {path}{flags}",
            age.unwrap_or_else(|| "never".into()),
            number(entry.memories),
            number(entry.sessions),
            human_bytes(entry.bytes),
        )?;
    }
    Ok(())
}

fn flag_text(flag: Flag, world: &World) -> String {
    let text = flag.to_string();
    match flag {
        Flag::Moved | Flag::Collision => world.paint.bad(&text),
        Flag::Orphan | Flag::LegacyName => world.paint.warn(&text),
        Flag::Copy => world.paint.quiet(&text),
    }
}

/// What to do about what was found, after the table.
fn advice(entries: &[ProjectEntry], world: &mut World) -> Result<Exit> {
    let paint = world.paint;
    let mut lines = Vec::new();
    for entry in entries {
        if let Some(to) = &entry.moved_to {
            let command = format!("memdir --cwd {to} project adopt --dry-run");
            lines.push(format!("moved to {}: {}", printable(to.as_str()), paint.code(&printable(&command))));
        }
        for other in &entry.collides_with {
            let path = entry.path.as_deref().map_or(entry.slug.as_str(), |path| path.as_str());
            lines.push(format!("{} and {} share one memory", printable(path), printable(other.as_str())));
        }
    }
    if !lines.is_empty() {
        writeln!(world.stdout)?;
    }
    for line in lines {
        writeln!(world.stdout, "{line}")?;
    }
    Ok(Exit::Yes)
}
