//! `memdir load`: MEMORY.md exactly as the agent gets it.

use std::io::Write;

use anyhow::{Context, Result};
use camino::Utf8PathBuf;
use clap::{Parser, ValueEnum};
use memdir_core::locate::locate;
use memdir_core::look::{Look, LookError};
use memdir_core::memory::entrypoint::{self, ENTRYPOINT, MAX_BYTES};
use memdir_disk::real_look::RealLook;

use super::Run;
use crate::arguments::ClientOptions;
use crate::exit::Exit;
use crate::world::World;

/// Print MEMORY.md exactly as the agent gets it
#[derive(Debug, Parser)]
#[command(
    name = "load",
    after_help = "Examples:
  memdir load
  memdir load --json
  memdir load --file notes/MEMORY.md --profile seed"
)]
pub(crate) struct Load {
    /// Load this file instead of the project's own
    #[arg(long, value_name = "FILE")]
    file: Option<Utf8PathBuf>,
    /// Whose rule: today's client, or the older description by bytes
    #[arg(long, value_name = "NAME", default_value = "current")]
    profile: Profile,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    client: ClientOptions,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Profile {
    Current,
    Seed,
}

impl Run for Load {
    fn run(self, world: &mut World) -> Result<Exit> {
        let bytes = match &self.file {
            Some(file) => {
                let path = if file.is_absolute() { file.clone() } else { world.env()?.cwd.join(file) };
                RealLook.read(&path, MAX_BYTES).with_context(|| format!("cannot read `{file}`"))?
            }
            None => {
                let location = locate(&world.env()?, &self.client.flags(), &RealLook)?;
                let path = location.memory_dir.join(ENTRYPOINT);
                match RealLook.read(&path, MAX_BYTES) {
                    Ok(bytes) => bytes,
                    Err(LookError::NotFound) => Vec::new(),
                    Err(error) => return Err(error).with_context(|| format!("cannot read `{path}`")),
                }
            }
        };
        let profile = match self.profile {
            Profile::Current => entrypoint::Profile::Current,
            Profile::Seed => entrypoint::Profile::Seed,
        };
        let loaded = entrypoint::load(&bytes, profile);
        if self.json {
            world.print_json(&loaded)?;
        } else if loaded.shown {
            writeln!(world.stdout, "{}", loaded.text)?;
        }
        Ok(Exit::Yes)
    }
}
