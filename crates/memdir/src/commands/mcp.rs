//! `memdir mcp`: memory for any agent that speaks the Model Context Protocol.

use anyhow::Result;
use clap::Parser;

use super::Run;
use crate::exit::Exit;
use crate::mcp::{Server, http, stdio};
use crate::world::World;

/// Serve memory over the Model Context Protocol
#[derive(Debug, Parser)]
#[command(
    name = "mcp",
    after_help = "Speaks on standard input and output until its client ends it. The project is the one that the client names
as its first root, or else the working directory. With --http it listens on this machine alone, prints its
address, and wants the bearer token in memdir's state directory.

Examples:
  memdir mcp
  memdir mcp --cwd ~/app
  memdir mcp --http 127.0.0.1:8123
  claude mcp add memdir -- memdir mcp"
)]
pub(crate) struct Mcp {
    /// Offer the commands of the API's memory tool too, as one more tool
    #[arg(long)]
    memory_tool: bool,
    /// Listen for HTTP instead; without an address on port 4633
    #[arg(long, value_name = "ADDR:PORT", num_args = 0..=1, default_missing_value = "4633")]
    http: Option<String>,
}

impl Run for Mcp {
    fn run(self, world: &mut World) -> Result<Exit> {
        let server = Server {
            env: world.env()?,
            fixed_now: world.fixed_now,
            with_memory_tool: self.memory_tool,
            program: world.program.clone(),
        };
        match &self.http {
            Some(address) => http::serve(server, http::address(address)?, world),
            None => stdio::serve(&server, world),
        }
    }
}
