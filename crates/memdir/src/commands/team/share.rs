//! From private to the team and back, by command and never by accident.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use memdir_core::plan::{Change, Plan};
use memdir_sync::team::Team as Shared;

use super::open;
use crate::commands::memory::{How, carry_out};
use crate::commands::plan_diff::print_diff;
use crate::exit::Exit;
use crate::world::World;

/// Which memory, and how.
#[derive(Debug, Args)]
pub(super) struct Share {
    /// The memory's name, its file's stem, or its path
    name: String,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The plan as it is shown: a memory that moves is shown with all that it says, because others will read it.
fn whole(plan: &Plan) -> Plan {
    let changes = plan.changes.iter().map(|change| match change {
        Change::Rename { to, base, .. } => {
            Change::Write { path: to.clone(), content: base.clone(), base: None }
        }
        other => other.clone(),
    });
    Plan { changes: changes.collect(), ..plan.clone() }
}

impl Share {
    pub(super) fn share(self, world: &mut World) -> Result<Exit> {
        let team = open(world)?;
        let plan = team.plan_share(&self.name)?;
        self.carry_out(team, &plan, "sends it", world)
    }

    pub(super) fn unshare(self, world: &mut World) -> Result<Exit> {
        let team = open(world)?;
        let plan = team.plan_unshare(&self.name)?;
        self.carry_out(team, &plan, "tells the others", world)
    }

    fn carry_out(&self, mut team: Shared, plan: &Plan, next: &str, world: &mut World) -> Result<Exit> {
        if !self.json {
            print_diff(&whole(plan), world)?;
        }
        let how = How { dry_run: self.dry_run, json: self.json, ..How::default() };
        let exit = carry_out(plan, team.memory_mut(), &how, world)?;
        if !self.json && !self.dry_run {
            let command = world.paint.code("memdir team sync");
            writeln!(world.stdout, "{command} {next}.")?;
        }
        Ok(exit)
    }
}
