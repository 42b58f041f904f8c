//! `memdir project adopt` and `mv`: files brought from where a project was to where it is.

use std::io::Write;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use memdir_core::locate::Trust;
use memdir_core::project::relocate::{Action, Because, Extent, Part, Relocation};
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::MemoryError;
use memdir_lib::place::Place;
use memdir_lib::projects::Here;
use serde_json::json;

use crate::commands::memory::author;
use crate::exit::Exit;
use crate::output::{human_bytes, printable};
use crate::world::World;
use memdir_disk::real_path::real_path;

/// How to go about it.
#[derive(Debug, Args)]
pub(super) struct How {
    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn adopt(from: Option<Utf8PathBuf>, how: &How, world: &mut World) -> Result<Exit> {
    let place = settled_place(world)?;
    let plans = match from {
        Some(from) => {
            let from = absolute(&from, world)?;
            let plan = place.projects.plan_adopt_from(&place.here, &from)?;
            place.projects.with_journal(plan, &place.here, &from)
        }
        None => place.projects.plan_adopt(&place.here),
    };
    carry_out(plans, &place.here, &place, how, world)
}

pub(super) fn mv(old: &Utf8Path, new: &Utf8Path, how: &How, world: &mut World) -> Result<Exit> {
    let place = settled_place(world)?;
    let new = absolute(new, world)?;
    let plans = place.projects.plan_move(&absolute(old, world)?, &new)?;
    carry_out(plans, &place.projects.here(&new), &place, how, world)
}

/// The project in which we are, after whatever was killed half-way is finished.
fn settled_place(world: &World) -> Result<Place> {
    let find = || Ok::<_, anyhow::Error>(Place::find(&world.env()?, &ClientFlags::default())?);
    let place = find()?;
    if place.projects.finish_moves(world.now)?.is_empty() { Ok(place) } else { find() }
}

/// A path as the user means it: from the working directory. A name below `projects/` stays a name.
fn absolute(path: &Utf8Path, world: &World) -> Result<Utf8PathBuf> {
    if path.as_str().starts_with('-') {
        return Ok(path.to_owned());
    }
    let joined = world.env()?.cwd.join(path);
    Ok(real_path(&joined).unwrap_or(joined))
}

/// Shows the plans, and carries them out unless this is a dry run.
fn carry_out(
    plans: Vec<Relocation>,
    here: &Here,
    place: &Place,
    how: &How,
    world: &mut World,
) -> Result<Exit> {
    let shown = plans.clone();
    let moved = if how.dry_run || plans.is_empty() {
        None
    } else {
        match &place.location.trust {
            Trust::Yes => {}
            _ if *here != place.here => {}
            _ => {
                let directory = here.memory_dir.clone();
                return Err(MemoryError::NeedsConsent { directory }.into());
            }
        }
        let asker = author(world);
        Some(place.projects.carry_out(plans, here, &asker, world.now)?)
    };
    if how.json {
        let op = moved.as_ref().and_then(|moved| moved.operation.as_ref()).map(|id| id.0.as_str());
        let warnings = moved.as_ref().map(|moved| moved.warnings.clone()).unwrap_or_default();
        return world
            .answer_json(&json!({"dry_run": how.dry_run, "op": op, "plans": shown, "warnings": warnings}));
    }
    if shown.is_empty() {
        writeln!(world.stdout, "Nothing to bring home: this project has left no memory behind.")?;
    }
    for plan in &shown {
        show(plan, world)?;
    }
    if let Some(moved) = moved {
        writeln!(world.stdout, "Done. memdir undo undoes it.")?;
        world.warn_all(&moved.warnings)?;
    }
    Ok(Exit::Yes)
}

fn show(plan: &Relocation, world: &mut World) -> Result<()> {
    let paint = world.paint;
    let name = |path: &Utf8Path| printable(path.as_str());
    writeln!(world.stdout, "{}  {}", paint.quiet("from"), name(&plan.from.project_dir))?;
    writeln!(world.stdout, "{}  {}", paint.quiet("  to"), name(&plan.to.project_dir))?;
    writeln!(world.stdout, "{}  {}", paint.quiet(" why"), printable(&because(&plan.because)))?;
    for part in [Part::Memory, Part::AgentMemory, Part::Journal, Part::Transcripts] {
        let of_part = || plan.steps.iter().filter(|step| step.part == part);
        if of_part().next().is_none() {
            continue;
        }
        let bytes = of_part().map(|step| step.bytes).sum();
        let count = |action: Action| of_part().filter(|step| step.action == action).count();
        let parts = [
            (Action::Copy, "copied"),
            (Action::Merge, "merged"),
            (Action::KeepBoth, "kept twice"),
            (Action::Same, "already there"),
        ];
        let summary: Vec<String> = parts
            .into_iter()
            .filter(|(action, _)| count(*action) > 0)
            .map(|(action, done)| format!("{} {done}", count(action)))
            .collect();
        writeln!(
            world.stdout,
            "  {}  {:>7}  {}",
            paint.strong(&format!("{:<13}", part_name(part))),
            human_bytes(bytes),
            summary.join(", ")
        )?;
        for step in of_part().filter(|step| matches!(step.action, Action::Merge | Action::KeepBoth)) {
            let verb = if step.action == Action::Merge { "merged into" } else { "kept beside it as" };
            writeln!(world.stdout, "      {} {verb} {}", name(&step.from), name(&step.to))?;
        }
    }
    match plan.extent {
        Extent::Whole => {
            writeln!(
                world.stdout,
                "{}  {}",
                paint.quiet("then the old directory becomes"),
                name(&plan.set_aside)
            )?;
        }
        Extent::Memory => {
            writeln!(world.stdout, "{}", paint.quiet("sessions stay: the old directory is still in use"))?;
        }
    }
    world.warn_all(&plan.warnings)?;
    Ok(())
}

fn part_name(part: Part) -> &'static str {
    match part {
        Part::Memory => "memory",
        Part::AgentMemory => "agent memory",
        Part::Journal => "journal",
        Part::Transcripts => "transcripts",
    }
}

fn because(because: &Because) -> String {
    match because {
        Because::Identity { key } => format!("the same project was seen there ({key})"),
        Because::Name { scheme, path } => format!("an older client named it after {path} (scheme {scheme})"),
        Because::Asked => "you asked for it".to_owned(),
    }
}
