//! `memdir setup`: one command in.

use std::env::consts::EXE_SUFFIX;
use std::io::Write;

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};
use clap::Parser;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use memdir_core::env::MEMDIR_HOME;
use memdir_core::wiring::Agent;
use memdir_lib::setup::{Mode, NightlyReport, PluginFile, Setup as Installer};
use serde_json::json;

use super::Run;
use super::ask::confirm;
use super::settings_diff::{Words, changes_something, effective, exit, items, print, takes_effect};
use crate::exit::Exit;
use crate::output::printable;
use crate::plugin;
use crate::world::World;
use memdir_disk::real_path::real_path;

/// Connect memdir to the agents on this machine
#[derive(Debug, Parser)]
#[command(
    name = "setup",
    after_help = "Claude Code gets a plugin: hooks, tools, the commands /memdir:* and a skill. Other agents get the tools through the server `memdir
mcp`, and the best way that they have for memories: hooks, a plugin, or else a few lines of instructions. Every change of a settings file is shown as a diff, and on a
terminal memdir asks first; comments, order and everything else in it stay. A second setup changes nothing, and `memdir
uninstall` restores the files. The agents' own memory is never switched off.

Claude Code also gets rules for `memdir journal`, `user`, `workspace`, `search` and `show` and for the files of journal,
profile and workspace, so that it does not ask you about each; `--no-permissions` leaves them out.

Examples:
  memdir setup --dry-run
  memdir setup
  memdir setup claude codex
  memdir setup claude --no-permissions --dry-run
  memdir setup --nightly --dry-run"
)]
pub(crate) struct Setup {
    /// Which agents; without one, all that there is a sign of
    #[arg(value_name = "AGENT", value_parser = agents())]
    agents: Vec<Agent>,
    /// Make a timer that runs `memdir dream --everywhere` every night, and nothing else
    #[arg(long, conflicts_with = "agents")]
    nightly: bool,
    /// Add no rules that spare you questions about journal, profile and workspace
    #[arg(long, conflicts_with = "nightly")]
    no_permissions: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The agents by the names of the table.
fn agents() -> impl TypedValueParser<Value = Agent> {
    let values = Agent::all().map(|agent| PossibleValue::new(agent.name()).help(agent.title()));
    let unknown = |name: String| format!("no agent is called `{name}`");
    PossibleValuesParser::new(values).try_map(move |name| Agent::named(&name).ok_or_else(|| unknown(name)))
}

impl Run for Setup {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mode = if self.dry_run { Mode::DryRun } else { Mode::Do };
        let program = program(world)?;
        let mut installer = Installer::begin(&world.env()?, mode)?;
        if self.nightly {
            return self.make_timer(&mut installer, &program, mode, world);
        }
        if self.no_permissions {
            installer.grant_nothing();
        }
        let plugin = plugin::installed(&program)?;
        let asks = !self.dry_run && !self.yes && !self.json && world.terminal.stdin && world.terminal.stdout;
        if asks && !self.agree(&program, &plugin, world)? {
            return Ok(Exit::Failed);
        }
        let agents = self.chosen(&installer);
        let mut reports: Vec<_> =
            agents.into_iter().map(|agent| installer.install(agent, &program, &plugin, mode)).collect();
        let home = world.vars.get(MEMDIR_HOME).filter(|home| !home.is_empty());
        if let (Some(home), Some(report)) = (home, reports.first_mut()) {
            report.warnings.push(format!(
                "`{MEMDIR_HOME}` is `{home}` here: agents keep history and settings there only if they are started with it, so \
                 set it where your session begins, as in ~/.profile"
            ));
        }
        if self.json {
            let changed = changes_something(&reports);
            world.print_json(&json!({"dry_run": self.dry_run, "changed": changed, "program": program, "agents": items(&reports)}))?;
            return Ok(exit(&reports));
        }
        let words = Words {
            changed: if self.dry_run { "would be connected" } else { "connected" },
            written: if self.dry_run { "would be written" } else { "written" },
            unchanged: "nothing to do",
            folder: if self.dry_run { "Would write the plugin to" } else { "The plugin is in" },
        };
        print(&reports, &words, world)?;
        if reports.is_empty() {
            let names: Vec<&str> = Agent::all().map(Agent::name).collect();
            writeln!(
                world.stdout,
                "No agent was found here. To set one up all the same, name it: {}.",
                names.join(", ")
            )?;
        } else if takes_effect(&reports) && !self.dry_run {
            let names = effective(&reports).join(", ");
            writeln!(
                world.stdout,
                "From the next session on it is used by: {names}. `memdir uninstall` removes it again."
            )?;
        }
        Ok(exit(&reports))
    }
}

impl Setup {
    /// The agents that were named, each once, or those that are installed.
    fn chosen(&self, installer: &Installer) -> Vec<Agent> {
        let mut agents: Vec<Agent> = Vec::new();
        for agent in self.agents.iter().copied() {
            if !agents.contains(&agent) {
                agents.push(agent);
            }
        }
        if self.agents.is_empty() { installer.installed() } else { agents }
    }

    /// Shows what would change in files of other programs, and asks.
    fn agree(&self, program: &Utf8Path, plugin: &[PluginFile], world: &mut World) -> Result<bool> {
        let mut installer = Installer::begin(&world.env()?, Mode::DryRun)?;
        let agents = self.chosen(&installer);
        let install = |agent| installer.install(agent, program, plugin, Mode::DryRun);
        let reports: Vec<_> = agents.into_iter().map(install).collect();
        if !changes_something(&reports) {
            return Ok(true);
        }
        let words = Words {
            changed: "would be connected",
            written: "would be written",
            unchanged: "nothing to do",
            folder: "Would write the plugin to",
        };
        print(&reports, &words, world)?;
        confirm("Make these changes?", false, world)
    }

    /// Makes the timer, or says what would make one.
    fn make_timer(
        &self,
        installer: &mut Installer,
        program: &Utf8Path,
        mode: Mode,
        world: &mut World,
    ) -> Result<Exit> {
        let (reports, next) = match installer.install_nightly(program, mode)? {
            NightlyReport::Timer(report, start) => (vec![report], start.to_owned()),
            NightlyReport::Crontab(line) | NightlyReport::Command(line) => (Vec::new(), line),
        };
        let changed = changes_something(&reports);
        if self.json {
            let agents = items(&reports);
            world.print_json(&json!({"dry_run": self.dry_run, "changed": changed, "program": program, "agents": agents, "next": next}))?;
            return Ok(exit(&reports));
        }
        let words = Words {
            changed: if self.dry_run { "would be made" } else { "made" },
            written: if self.dry_run { "would be written" } else { "written" },
            unchanged: "nothing to do",
            folder: "",
        };
        print(&reports, &words, world)?;
        let command = world.paint.code(&printable(&next));
        if reports.is_empty() && cfg!(windows) {
            writeln!(world.stdout, "Type this to make the timer:\n  {command}")?;
            writeln!(world.stdout, "`schtasks /Delete /TN memdir-dream` removes it again.")?;
        } else if reports.is_empty() {
            writeln!(
                world.stdout,
                "There is no systemd for users here. Add this line with `crontab -e`:\n  {command}"
            )?;
        } else if changed && !self.dry_run {
            writeln!(world.stdout, "It runs from the next login on; from now on with:\n  {command}")?;
            writeln!(world.stdout, "`memdir uninstall` removes it again.")?;
        }
        Ok(exit(&reports))
    }
}

/// This program by the name that stays: the entry on the PATH that leads to it, which an update replaces, else itself.
pub(super) fn program(world: &World) -> Result<Utf8PathBuf> {
    let own = world.program.clone().context("cannot find this program's own file")?;
    let real = real_path(&own).unwrap_or_else(|_| own.clone());
    let env = world.env()?;
    let named = env
        .program_folders()
        .map(|folder| Utf8Path::new(folder).join(format!("memdir{EXE_SUFFIX}")))
        .find(|path| real_path(path).is_ok_and(|found| found == real));
    Ok(named.unwrap_or(own))
}
