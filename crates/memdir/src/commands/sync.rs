//! `memdir sync`: one person's memory on several machines.

use std::io::Write;

use anyhow::{Result, anyhow};
use clap::{Parser, Subcommand};
use memdir_sync::membership::invited_to;
use memdir_sync::personal::{PERSONAL_BRANCH, Personal};
use memdir_wire::roster::Standing;
use serde::Serialize;

use super::Run;
use super::team::SyncManner;
use super::team::sync_report;
use crate::arguments::Global;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Keep private memory, profile and agents' memory the same on your machines
#[derive(Debug, Parser)]
#[command(
    name = "sync",
    args_conflicts_with_subcommands = true,
    after_help = "The same merge and the same signatures as for a team, among your own machines. A project is known by its repository, not
by its path, so `/Users/a/x` and `/home/a/x` are one; projects without a repository stay where they are. Use a
repository that nobody else can read.

Examples:
  memdir sync init git@example.com:me/memory.git --name laptop
  memdir sync invite
  memdir sync join memdir-invitation-1:eyJ0ZWFtIjo… --name desktop
  memdir sync"
)]
pub(crate) struct Sync {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    manner: SyncManner,
    #[command(flatten)]
    global: Global,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Begin with this machine
    #[command(after_help = "Examples:
  memdir sync init git@example.com:me/memory.git --name laptop")]
    Init {
        /// The address of the repository
        url: String,
        /// The branch that is used
        #[arg(long, default_value = PERSONAL_BRANCH)]
        branch: String,
        /// What this machine is called
        #[arg(long)]
        name: Option<String>,
    },
    /// Print a line that adds one more machine
    #[command(after_help = "Examples:
  memdir sync invite")]
    Invite,
    /// Add this machine to your others
    #[command(after_help = "Examples:
  memdir sync join memdir-invitation-1:eyJ0ZWFtIjo… --name desktop")]
    Join {
        /// The line that `memdir sync invite` printed
        invitation: String,
        /// What this machine is called
        #[arg(long)]
        name: Option<String>,
        /// Join although the memory is kept in a folder of this machine
        #[arg(long)]
        local: bool,
    },
    /// Say which machines there are
    #[command(after_help = "Examples:
  memdir sync status --json")]
    Status {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Take this machine out; its files stay
    #[command(after_help = "Examples:
  memdir sync leave")]
    Leave,
}

impl Run for Sync {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        let env = world.env()?;
        match self.action {
            None => {
                let (report, requests) = Personal::open(&env)?.sync(&self.manner.options(), world.now)?;
                sync_report::print(&report, requests, self.manner.dry_run, self.manner.json, world)
            }
            Some(Action::Init { url, branch, name }) => {
                let name = machine(name, world)?;
                let (_, report) = Personal::init(&env, (&url, &branch), &name, world.now)?;
                sync_report::print(&report, 0, false, false, world)
            }
            Some(Action::Invite) => {
                let token = Personal::open(&env)?.membership().invite()?;
                writeln!(world.stdout, "{token}")?;
                writeln!(
                    world.stderr,
                    "Whoever has this line reads all your memory: it is for yourself. It works once."
                )?;
                Ok(Exit::Yes)
            }
            Some(Action::Join { invitation, name, local }) => {
                invited_to(&invitation, local)?;
                let name = machine(name, world)?;
                let (_, report) = Personal::join(&env, &invitation, &name, world.now)?;
                sync_report::print(&report, 0, false, false, world)
            }
            Some(Action::Status { json }) => status(&Personal::open(&env)?, json, world),
            Some(Action::Leave) => {
                let untold = Personal::open(&env)?.leave(world.now)?;
                writeln!(world.stdout, "This machine is not synced any more; its files stay.")?;
                if let Some(error) = untold {
                    world.warn(&format!("the others could not be told: {error}"))?;
                }
                Ok(Exit::Yes)
            }
        }
    }
}

fn status(personal: &Personal, json: bool, world: &mut World) -> Result<Exit> {
    #[derive(Serialize)]
    struct Machine<'m> {
        remote: String,
        branch: &'m str,
        name: &'m str,
        machines: Vec<String>,
        memories: usize,
        interrupted: bool,
    }
    let membership = personal.membership();
    let status = membership.status()?;
    let is_in = |key| matches!(status.roster.standing(key), Standing::Member(_));
    let machines = status.roster.members().filter(|member| is_in(&member.key));
    let machines: Vec<String> = machines.map(|member| member.name.clone()).collect();
    let settings = membership.settings();
    if json {
        world.print_json(&Machine {
            remote: settings.address(),
            branch: &settings.branch,
            name: settings.name(),
            machines,
            memories: status.memories,
            interrupted: status.interrupted,
        })?;
        return Ok(Exit::Yes);
    }
    writeln!(world.stdout, "remote    {} (branch {})", printable(&settings.address()), settings.branch)?;
    writeln!(world.stdout, "machines  {}", printable(&machines.join(", ")))?;
    writeln!(world.stdout, "memories  {}", status.memories)?;
    Ok(Exit::Yes)
}

fn machine(given: Option<String>, world: &World) -> Result<String> {
    let of_system = || ["HOSTNAME", "HOST"].iter().find_map(|name| world.vars.get(*name)).cloned();
    given.or_else(of_system).ok_or_else(|| anyhow!("say with `--name` what this machine is called"))
}
