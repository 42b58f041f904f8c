//! `memdir uninstall`: one command out.

use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::Parser;
use memdir_core::env::Env;
use memdir_disk::remove_state::{remove_settings, remove_state, state_places};
use memdir_lib::setup::{Mode, Setup};
use serde_json::json;

use super::Run;
use super::ask::confirm;
use super::settings_diff::{Words, changes_something, exit, items, print};
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Remove memdir from the agents' settings
#[derive(Debug, Parser)]
#[command(
    name = "uninstall",
    after_help = "A settings file that no one else changed is restored to the byte. From one that was changed since, only what memdir
added is removed. Your memories, their history and the program itself stay.

--purge also deletes what memdir keeps for itself: history, staged changes, keys of teams, caches and settings. Memories, journal and
profile stay. Changes can no longer be undone afterwards.

Examples:
  memdir uninstall --dry-run
  memdir uninstall
  memdir uninstall --purge --dry-run
  memdir uninstall --check"
)]
pub(crate) struct Uninstall {
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Only say whether something is left; exits with 1 if so
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
    /// Also delete memdir's own state and settings; memories stay
    #[arg(long, conflicts_with = "check")]
    purge: bool,
    /// Do not ask before --purge
    #[arg(short, long, requires = "purge")]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Run for Uninstall {
    fn run(self, world: &mut World) -> Result<Exit> {
        let only_looks = self.dry_run || self.check;
        let env = world.env()?;
        let own = if self.purge { own_places(&env) } else { Vec::new() };
        if self.purge && !only_looks {
            let question =
                "Delete memdir's history, staged changes, keys, caches and settings? This cannot be undone.";
            if !own.is_empty() && !confirm(question, self.yes, world)? {
                return Ok(Exit::No);
            }
        }
        let mode = if only_looks { Mode::DryRun } else { Mode::Do };
        let reports = Setup::begin(&env, mode)?.uninstall(mode);
        let mut left = Vec::new();
        if self.purge && !only_looks && exit(&reports) == Exit::Yes {
            left = env.state_dir().map(|state| remove_state(&state)).transpose()?.unwrap_or_default();
            env.config_file().map(|file| remove_settings(&file)).transpose()?;
        }
        let is_left = changes_something(&reports);
        let end = match exit(&reports) {
            Exit::Yes if self.check && is_left => Exit::No,
            other => other,
        };
        if self.json {
            let agents = items(&reports);
            world.print_json(
                &json!({"dry_run": only_looks, "changed": is_left, "agents": agents, "purged": own}),
            )?;
            return Ok(end);
        }
        let words = Words {
            changed: if only_looks { "is wired" } else { "as before" },
            written: "",
            unchanged: "nothing to do",
            folder: if only_looks { "The plugin is in" } else { "Removed the plugin from" },
        };
        print(&reports, &words, world)?;
        if !is_left && end == Exit::Yes {
            writeln!(world.stdout, "Nothing of memdir is in any agent's settings.")?;
        } else if is_left && !only_looks && !self.purge {
            writeln!(world.stdout, "Your memories and their history stay where they are.")?;
        }
        for path in own {
            let verb = if only_looks { "would delete" } else { "deleted" };
            writeln!(world.stdout, "{verb}  {}", printable(path.as_str()))?;
        }
        for path in left {
            world.warn(&format!("`{path}` is not memdir's, and stays"))?;
        }
        Ok(end)
    }
}

/// What memdir keeps for itself and a purge would delete.
fn own_places(env: &Env) -> Vec<Utf8PathBuf> {
    let state = env.state_dir().map(|state| state_places(&state)).unwrap_or_default();
    state.into_iter().chain(env.config_file().filter(|file| file.exists())).collect()
}
