//! `memdir uninstall`: one command out.

use std::io::Write;

use anyhow::Result;
use clap::Parser;
use memdir_lib::setup::{Mode, Setup};
use serde::Serialize;

use super::Run;
use super::settings_diff::{Item, Words, changes_something, exit, items, print};
use crate::arguments::Global;
use crate::exit::Exit;
use crate::world::World;

/// Remove memdir from the agents' settings
#[derive(Debug, Parser)]
#[command(
    name = "uninstall",
    after_help = "A settings file that no one else changed is restored to the byte. From one that was changed since, only what memdir
added is removed. Your memories, their history and the program itself stay.

Examples:
  memdir uninstall --dry-run
  memdir uninstall
  memdir uninstall --check"
)]
pub(crate) struct Uninstall {
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Only say whether something is left; exits with 1 if so
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    global: Global,
}

impl Run for Uninstall {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        let only_looks = self.dry_run || self.check;
        let mode = if only_looks { Mode::DryRun } else { Mode::Do };
        let reports = Setup::begin(&world.env()?, mode)?.uninstall(mode);
        let is_left = changes_something(&reports);
        let end = match exit(&reports) {
            Exit::Yes if self.check && is_left => Exit::No,
            other => other,
        };
        if self.json {
            #[derive(Serialize)]
            struct Output {
                dry_run: bool,
                changed: bool,
                agents: Vec<Item>,
            }
            world.print_json(&Output { dry_run: only_looks, changed: is_left, agents: items(&reports) })?;
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
        } else if is_left && !only_looks {
            writeln!(world.stdout, "Your memories and their history stay where they are.")?;
        }
        Ok(end)
    }
}
