//! `memdir serve`: the team server, which is a program of its own.

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Result, anyhow, bail};
use clap::Parser;

use super::Run;
use crate::exit::Exit;
use crate::world::World;

/// Run a server that keeps a team's memory
#[derive(Debug, Parser)]
#[command(
    name = "serve",
    after_help = "Starts `memdir-server`, which is beside memdir or on the PATH; what follows the options here is passed on to
it (`memdir-server serve --help`). It listens on this machine alone unless told otherwise. docs/SERVER.md has the whole story.

Examples:
  memdir serve --team --init crew
  memdir serve --team
  memdir serve --team --db postgres://memdir@db.internal/memdir --listen 127.0.0.1:9000"
)]
pub(crate) struct Serve {
    /// Serve the memory of teams
    #[arg(long, required = true)]
    team: bool,
    /// Make a team, print what its first member says to set it up, and serve nothing yet
    #[arg(long, value_name = "NAME")]
    init: Option<String>,
    /// The database: `sqlite:FILE` or `postgres://…`
    #[arg(long, value_name = "DB")]
    db: Option<String>,
    /// Whatever else `memdir-server` takes
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTION")]
    rest: Vec<OsString>,
}

const PROGRAM: &str = "memdir-server";

impl Run for Serve {
    fn run(self, world: &mut World) -> Result<Exit> {
        let Some(own) = &world.program else { bail!("no other program may be started from here") };
        let beside = own.with_file_name(PROGRAM);
        let mut command = if beside.is_file() { Command::new(beside) } else { Command::new(PROGRAM) };
        match &self.init {
            Some(team) => command.args(["init", team]),
            None => command.arg("serve"),
        };
        if let Some(database) = &self.db {
            command.args(["--db", database]);
        }
        command.args(&self.rest);
        world.flush()?;
        // The server replaces this process, so that a signal to this process stops the server.
        let error = memdir_disk::platform::become_program(&mut command);
        if error.kind() == std::io::ErrorKind::NotFound {
            return Err(anyhow!(
                "the team server is a program of its own, `{PROGRAM}`, and it is neither beside memdir nor on the PATH: \
                 `cargo install memdir-server`, or `cargo build --release` in the sources, brings it"
            ));
        }
        Err(anyhow!("cannot start `{PROGRAM}`: {error}"))
    }
}
