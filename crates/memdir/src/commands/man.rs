//! `memdir man`: manual pages from the same definition as the parser.

use anyhow::{Context, Result};
use clap::Parser;

use super::{Run, completions::whole_tree};
use crate::exit::Exit;
use crate::world::World;

/// Print a manual page
#[derive(Debug, Parser)]
#[command(
    name = "man",
    after_help = "Examples:
  memdir man | man -l -
  memdir man path > memdir-path.1"
)]
pub(crate) struct Man {
    /// The command; without one, the page of memdir itself
    command: Vec<String>,
}

impl Run for Man {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut command = whole_tree();
        command.build();
        let mut title = "memdir".to_owned();
        for word in &self.command {
            command = command
                .find_subcommand(word)
                .cloned()
                .with_context(|| format!("there is no manual page for `{title} {word}`"))?;
            title = format!("{title}-{word}");
        }
        clap_mangen::Man::new(command.display_name(title.clone())).title(title).render(&mut world.stdout)?;
        Ok(Exit::Yes)
    }
}
