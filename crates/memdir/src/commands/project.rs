//! `memdir project`: every project that has memory, and how to keep memory and project together.

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::{Parser, Subcommand};

use super::Run;
use crate::exit::Exit;
use crate::world::World;

mod fix_collision;
mod ls;
mod relocation;
mod trust;

/// List projects, and move memory with a project
#[derive(Debug, Parser)]
#[command(name = "project")]
pub(crate) struct Project {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List every project directory, and what became of its project
    #[command(after_help = "Examples:
  memdir project ls
  memdir project ls --json | jq '.items[] | select(.flags != [])'")]
    Ls {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Bring memory that this project left behind to where it is now
    #[command(
        after_help = "Looks for the same project under its old path, and for names that older clients gave it.

Examples:
  memdir project adopt --dry-run
  memdir project adopt --from ~/old/place --dry-run"
    )]
    Adopt {
        /// The old path of the project, or its directory below `projects/`
        #[arg(long, value_name = "DIR")]
        from: Option<Utf8PathBuf>,
        #[command(flatten)]
        how: relocation::How,
    },
    /// Bring the memory of one path to another
    #[command(after_help = "Examples:
  memdir project mv ~/old/place ~/new/place --dry-run")]
    Mv {
        /// The old path of the project, or its directory below `projects/`
        old: Utf8PathBuf,
        /// The new path
        new: Utf8PathBuf,
        #[command(flatten)]
        how: relocation::How,
    },
    /// Allow memdir to write where this repository's settings put memory
    #[command(
        after_help = "A repository can name a memory directory in its `.claude/settings.json`. memdir reads there, and writes
only after you agreed. System, credential and home directories never qualify.

Examples:
  memdir project trust
  memdir project trust ~/work/app
  memdir project trust --revoke"
    )]
    Trust {
        /// The project; without one, that of the working directory
        dir: Option<Utf8PathBuf>,
        /// Undo it
        #[arg(long)]
        revoke: bool,
    },
    /// Give this project a memory directory of its own, when another one has the same encoded name
    #[command(
        after_help = "Two living paths such as `my_app` and `my-app` get the same directory from the client, and so share their memory.
This writes `autoMemoryDirectory` into the project's `.claude/settings.local.json`, which the client honours. Memory that is
there already stays where it is. `memdir uninstall` takes the setting out again.

Examples:
  memdir project fix-collision --dry-run
  memdir project fix-collision"
    )]
    FixCollision {
        /// Show what would change, and change nothing
        #[arg(long)]
        dry_run: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Forget what the registry knows about a project; its files stay as they are
    #[command(
        after_help = "Without the registry's record, memdir no longer finds the memory after the project moves. This cannot be undone, so
memdir asks first.

Examples:
  memdir project forget ~/work/app --yes
  memdir project forget --yes -- -home-me-work-app"
    )]
    Forget {
        /// Do not ask
        #[arg(long)]
        yes: bool,
        /// The project's path, or the name of its directory below `projects/`
        dir: Utf8PathBuf,
    },
}

impl Run for Project {
    fn run(self, world: &mut World) -> Result<Exit> {
        match self.action {
            Action::Ls { json } => ls::ls(json, world),
            Action::Adopt { from, how } => relocation::adopt(from, &how, world),
            Action::Mv { old, new, how } => relocation::mv(&old, &new, &how, world),
            Action::Trust { dir, revoke } => trust::trust(dir, revoke, world),
            Action::FixCollision { dry_run, json } => fix_collision::fix_collision(dry_run, json, world),
            Action::Forget { yes, dir } => trust::forget(&dir, yes, world),
        }
    }
}
