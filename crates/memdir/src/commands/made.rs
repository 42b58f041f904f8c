//! How a change of the map or of the profile is asked for and reported.

use std::io::Write;

use anyhow::{Result, anyhow};
use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use memdir_core::plan::Plan;
use memdir_lib::memory::Submitted;
use memdir_lib::workspace::Made;
use serde::Serialize;

use super::plan_diff::{diff, print_diff};
use crate::exit::Exit;
use crate::world::World;

/// How a change is made and reported.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Manner {
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Serialize)]
struct MadeReport<'r, More> {
    op: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    staged: Option<&'r str>,
    paths: Vec<Utf8PathBuf>,
    warnings: &'r [String],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    #[serde(flatten)]
    more: More,
}

/// Shows what a plan would do.
pub(super) fn preview(
    plan: &Plan,
    directory: &Utf8Path,
    manner: &Manner,
    more: impl Serialize,
    world: &mut World,
) -> Result<Exit> {
    if manner.json {
        let diff = Some(diff(plan));
        let paths = paths(plan, directory);
        world.print_json(&MadeReport {
            op: None,
            staged: None,
            paths,
            warnings: &plan.warnings,
            dry_run: true,
            diff,
            more,
        })?;
    } else if plan.changes.is_empty() {
        writeln!(world.stdout, "Nothing to change.")?;
    } else {
        print_diff(plan, world)?;
    }
    Ok(Exit::Yes)
}

/// Says what became of a change: as JSON, or in the caller's own words where it was made.
pub(super) fn report(
    made: &Made,
    directory: &Utf8Path,
    manner: &Manner,
    more: impl Serialize,
    done: impl FnOnce(&mut World) -> Result<()>,
    world: &mut World,
) -> Result<Exit> {
    let nothing = Vec::new();
    let (op, staged, warnings) = match &made.submitted {
        Submitted::Applied(applied) => {
            (applied.operation.as_ref().map(|operation| operation.id.0.as_str()), None, &applied.warnings)
        }
        Submitted::Staged { id, warnings } => (None, Some(id.as_str()), warnings),
        Submitted::Rejected => {
            return Err(anyhow!("the user rejected this change before, so it is not proposed again"));
        }
    };
    if manner.json {
        let paths = if op.is_some() || staged.is_some() { paths(&made.plan, directory) } else { Vec::new() };
        return world.answer_json(&MadeReport {
            op,
            staged,
            paths,
            warnings,
            dry_run: false,
            diff: None,
            more,
        });
    }
    match staged {
        Some(id) => {
            let review = world.paint.code(&format!("memdir review --dir {directory}"));
            writeln!(world.stdout, "Nothing is changed yet: it waits for review as {id} ({review}).")?;
        }
        None if made.plan.changes.is_empty() => writeln!(world.stdout, "Nothing to change: that is known.")?,
        None => done(world)?,
    }
    for warning in if staged.is_some() || op.is_some() { warnings } else { &nothing } {
        world.warn(warning)?;
    }
    Ok(Exit::Yes)
}

fn paths(plan: &Plan, directory: &Utf8Path) -> Vec<Utf8PathBuf> {
    plan.changes.iter().map(|change| directory.join(change.path().as_path())).collect()
}
