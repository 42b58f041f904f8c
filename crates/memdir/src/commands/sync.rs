//! `memdir sync`: one person's memory on several machines.

use std::io::Write;

use anyhow::{Result, anyhow};
use clap::{Parser, Subcommand};
use memdir_sync::membership::invited_to;
use memdir_sync::personal::{LeftOut, PERSONAL_BRANCH, Personal};
use memdir_sync::remote::git::is_local;
use memdir_wire::roster::Standing;
use serde::Serialize;
use serde_json::json;

use super::Run;
use super::team::SyncManner;
use super::team::conflicts::print_conflicts;
use super::team::membership::warn_of_unsent;
use super::team::sync_report;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Keep your own memory the same on your machines
#[derive(Debug, Parser)]
#[command(
    name = "sync",
    args_conflicts_with_subcommands = true,
    after_help = "The same merge and the same signatures as for a team, among your own machines. A project is known by its repository, not
by its path, so `/Users/a/x` and `/home/a/x` are one; projects without a repository stay where they are. Use a
repository that only you can read.

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
    /// Say which machines there are, and which projects are left out
    #[command(after_help = "Examples:
  memdir sync status --json")]
    Status {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// List your machines, or take one out that was lost
    #[command(
        after_help = "The machine that brought another in, and the one that began, can take it out. What it sent before stays; what it
sends afterwards is held for review. If the one that began is lost, leave on all others and begin anew with
another branch; also take away its right to push to the repository.

Examples:
  memdir sync machines
  memdir sync machines --revoke old-laptop"
    )]
    Machines {
        /// Take this machine out: its name, or the first digits of its key
        #[arg(long, value_name = "NAME")]
        revoke: Option<String>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// List memories that two machines changed in ways that could not be merged; exits with 1 if there are none
    #[command(
        after_help = "Make one of the two right, and remove the other: the next sync settles it on all machines.

Examples:
  memdir sync conflicts
  memdir sync conflicts --json"
    )]
    Conflicts {
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
    fn run(self, world: &mut World) -> Result<Exit> {
        let env = world.env()?;
        match self.action {
            None => {
                let (report, requests) = Personal::open(&env)?.sync(&self.manner.options(), world.now)?;
                sync_report::print(&report, requests, self.manner.dry_run, self.manner.json, world)
            }
            Some(Action::Init { url, branch, name }) => {
                let name = machine(name, world)?;
                let (personal, report) = Personal::init(&env, (&url, &branch), &name, world.now)?;
                let settings = personal.membership().settings();
                let (address, name) = (settings.address(), settings.name());
                writeln!(
                    world.stdout,
                    "Your own memory is kept in {} now; this machine is {name}.",
                    printable(&address)
                )?;
                if !report.is_quiet() {
                    sync_report::print(&report, 0, false, false, world)?;
                }
                print_left_out(&personal.left_out(world.now)?, world)?;
                let invite = world.paint.code("memdir sync invite");
                writeln!(world.stdout, "{invite} adds another machine.")?;
                Ok(Exit::Yes)
            }
            Some(Action::Invite) => invite(&Personal::open(&env)?, world),
            Some(Action::Join { invitation, name, local }) => {
                let address = invited_to(&invitation, local)?;
                let name = machine(name, world)?;
                let (personal, report) = Personal::join(&env, &invitation, &name, world.now)?;
                writeln!(
                    world.stdout,
                    "Your own memory is kept in {} too; this machine is {name}.",
                    printable(&address)
                )?;
                sync_report::print(&report, 0, false, false, world)?;
                print_left_out(&personal.left_out(world.now)?, world)?;
                Ok(Exit::Yes)
            }
            Some(Action::Status { json }) => status(&Personal::open(&env)?, json, world),
            Some(Action::Machines { revoke: None, json }) => machines(&Personal::open(&env)?, json, world),
            Some(Action::Machines { revoke: Some(name), json }) => {
                let report = Personal::open(&env)?.revoke(&name, world.now)?;
                sync_report::print(&report, 0, false, json, world)
            }
            Some(Action::Conflicts { json }) => {
                print_conflicts(&Personal::open(&env)?.conflicts(world.now)?, json, world)
            }
            Some(Action::Leave) => leave(Personal::open(&env)?, world),
        }
    }
}

fn invite(personal: &Personal, world: &mut World) -> Result<Exit> {
    let token = personal.membership().invite()?;
    let local = if is_local(&personal.membership().settings().address()) { " --local" } else { "" };
    let join = world.paint.code(&format!("memdir sync join 'LINE' --name NAME{local}"));
    writeln!(world.stdout, "{token}")?;
    writeln!(
        world.stderr,
        "This line gives access to all your memory, so keep it to yourself. It works once."
    )?;
    writeln!(world.stderr, "On the other machine say {join}.")?;
    Ok(Exit::Yes)
}

fn leave(personal: Personal, world: &mut World) -> Result<Exit> {
    let left = personal.leave(world.now)?;
    writeln!(world.stdout, "This machine is not synced any more; its files stay.")?;
    warn_of_unsent(&left, world)?;
    if let Some(error) = &left.untold {
        world.warn(&format!("the others could not be told: {error}"))?;
        let (hint, key) = (world.paint.code("hint:"), left.key.short());
        writeln!(
            world.stderr,
            "{hint} `memdir sync machines --revoke {key}` on the machine that began, or brought this one in, tells them"
        )?;
    }
    Ok(Exit::Yes)
}

fn status(personal: &Personal, json: bool, world: &mut World) -> Result<Exit> {
    #[derive(Serialize)]
    struct Machine<'m> {
        remote: String,
        branch: &'m str,
        name: &'m str,
        machines: Vec<String>,
        memories: usize,
        conflicts: usize,
        left_out: Vec<LeftOut>,
        shared_with_teams: Vec<LeftOut>,
        interrupted: bool,
    }
    let membership = personal.membership();
    let status = membership.status()?;
    let is_in = |key| matches!(status.roster.standing(key), Standing::Member(_));
    let machines = status.roster.members().filter(|member| is_in(&member.key));
    let machines: Vec<String> = machines.map(|member| member.name.clone()).collect();
    let settings = membership.settings();
    let conflicts = personal.conflicts(world.now)?.len();
    let left_out = personal.left_out(world.now)?;
    let shared_with_teams = personal.shared_with_teams(world.now)?;
    if json {
        return world.answer_json(&Machine {
            remote: settings.address(),
            branch: &settings.branch,
            name: settings.name(),
            machines,
            memories: status.memories,
            conflicts,
            left_out,
            shared_with_teams,
            interrupted: status.interrupted,
        });
    }
    let paint = world.paint;
    let remote = format!("{} (branch {})", printable(&settings.address()), settings.branch);
    for (label, text) in [
        ("remote", remote),
        ("this is", printable(settings.name())),
        ("machines", printable(&machines.join(", "))),
        ("memories", status.memories.to_string()),
    ] {
        writeln!(world.stdout, "{} {text}", paint.quiet(&format!("{label:<9}")))?;
    }
    print_left_out(&left_out, world)?;
    for shared in shared_with_teams.iter().take(NAMED) {
        writeln!(world.stdout, "`{}` {}", printable(shared.path.as_str()), shared.why)?;
    }
    if conflicts > 0 {
        world.warn(&format!("{conflicts} kept twice: `memdir sync conflicts`"))?;
    }
    if status.interrupted {
        world.warn("a sync was interrupted; the next one goes on")?;
    }
    Ok(Exit::Yes)
}

fn machines(personal: &Personal, json: bool, world: &mut World) -> Result<Exit> {
    #[derive(Serialize)]
    struct Item {
        name: String,
        key: String,
        standing: &'static str,
        this: bool,
    }
    let membership = personal.membership();
    let roster = membership.status()?.roster;
    let standing = |key| match roster.standing(key) {
        Standing::Member(_) => "member",
        _ => "revoked",
    };
    let items = roster.members().map(|member| Item {
        name: member.name.clone(),
        key: member.key.to_string(),
        standing: standing(&member.key),
        this: member.key == membership.key(),
    });
    let items: Vec<Item> = items.collect();
    if json {
        return world.answer_json(&json!({"items": items}));
    }
    for item in items {
        let key: String = item.key.chars().take(8).collect();
        let this = if item.this { " (this one)" } else { "" };
        let gone = if item.standing == "revoked" { ", removed" } else { "" };
        writeln!(world.stdout, "{key} {}{this}{gone}", printable(&item.name))?;
    }
    Ok(Exit::Yes)
}

/// How many projects are named.
const NAMED: usize = 20;

fn print_left_out(left_out: &[LeftOut], world: &mut World) -> Result<()> {
    for project in left_out.iter().take(NAMED) {
        let path = printable(project.path.as_str());
        writeln!(world.stdout, "left out `{path}`: {}", printable(&project.why))?;
    }
    if left_out.len() > NAMED {
        writeln!(world.stdout, "left out {} more; `--json` names all", left_out.len() - NAMED)?;
    }
    Ok(())
}

fn machine(given: Option<String>, world: &World) -> Result<String> {
    let of_system = || ["HOSTNAME", "HOST"].iter().find_map(|name| world.vars.get(*name)).cloned();
    given.or_else(of_system).ok_or_else(|| anyhow!("say with `--name` what this machine is called"))
}
