//! `memdir mcp`: memory for any agent that speaks the Model Context Protocol.

use anyhow::Result;
use clap::Parser;

use super::Run;
use crate::arguments::Global;
use crate::exit::Exit;
use crate::mcp::{Server, stdio};
use crate::world::World;

/// Serve memory to any agent over the Model Context Protocol
#[derive(Debug, Parser)]
#[command(
    name = "mcp",
    after_help = "Speaks on standard input and output until its client ends it. The project is the one that the client names
as its first root, or else the working directory.

Examples:
  memdir mcp
  memdir mcp --cwd ~/app
  claude mcp add memdir -- memdir mcp"
)]
pub(crate) struct Mcp {
    /// Offer the commands of the API's memory tool too, as one more tool
    #[arg(long)]
    memory_tool: bool,
    #[command(flatten)]
    global: Global,
}

impl Run for Mcp {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        let server = Server {
            env: world.env()?,
            fixed_now: self.global.fixed_now(),
            with_memory_tool: self.memory_tool,
        };
        stdio::serve(&server, world)
    }
}
