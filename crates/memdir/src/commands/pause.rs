//! `memdir pause` and `memdir resume`: hooks do nothing for a while.

use std::io::Write;

use anyhow::{Context, Result};
use clap::{Args, Parser};
use memdir_core::env::SESSION_ID;
use memdir_core::settings::ClientFlags;
use memdir_disk::pauses::Pauses;
use memdir_lib::memory::Memory;

use super::Run;
use crate::exit::Exit;
use crate::world::World;

/// Stop hooks for this session or project
#[derive(Debug, Parser)]
#[command(
    name = "pause",
    after_help = "Inside an agent's session this pauses that session, elsewhere the project, until `memdir resume`.

Examples:
  memdir pause
  memdir pause --session 3f0c2a52-7f5e-4f0e-9a53-0d3a3f4a6d11"
)]
pub(crate) struct Pause {
    #[command(flatten)]
    whose: Whose,
}

/// End a pause
#[derive(Debug, Parser)]
#[command(
    name = "resume",
    after_help = "Examples:
  memdir resume
  memdir resume --session 3f0c2a52-7f5e-4f0e-9a53-0d3a3f4a6d11"
)]
pub(crate) struct Resume {
    #[command(flatten)]
    whose: Whose,
}

#[derive(Debug, Args)]
struct Whose {
    /// The session; without one, that of the agent who calls, or else the project
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

impl Whose {
    /// The id that is paused, and what it is.
    fn id(&self, world: &World) -> Result<(String, &'static str)> {
        let calling = world.vars.get(SESSION_ID).filter(|id| !id.is_empty());
        if let Some(session) = self.session.as_ref().or(calling) {
            return Ok((session.clone(), "this session"));
        }
        let mut memory = Memory::open(&world.env()?, &ClientFlags::default())?;
        Ok((memory.id(world.now)?.0, "this project"))
    }
}

fn pauses(world: &World) -> Result<Pauses> {
    let state =
        world.env()?.state_dir().context("no place for memdir's own state: set HOME or MEMDIR_HOME")?;
    Ok(Pauses::of(&state))
}

impl Run for Pause {
    fn run(self, world: &mut World) -> Result<Exit> {
        let (id, what) = self.whose.id(world)?;
        let new = pauses(world)?.pause(&id, world.now).with_context(|| format!("cannot pause `{id}`"))?;
        let already = if new { "" } else { " already" };
        writeln!(world.stdout, "Paused for {what}{already}; `memdir resume` ends it.")?;
        Ok(Exit::Yes)
    }
}

impl Run for Resume {
    fn run(self, world: &mut World) -> Result<Exit> {
        let (id, what) = self.whose.id(world)?;
        let ended = pauses(world)?.resume(&id, world.now).with_context(|| format!("cannot resume `{id}`"))?;
        writeln!(
            world.stdout,
            "{}",
            if ended { format!("On again for {what}.") } else { format!("Nothing was paused for {what}.") }
        )?;
        Ok(Exit::Yes)
    }
}
