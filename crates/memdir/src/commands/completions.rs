//! `memdir completions`: from the same definition as the parser.

use std::io::Write;

use anyhow::Result;
use clap::Parser;
use clap_complete::Shell;

use super::{COMMANDS, Run, parse};
use crate::arguments::Global;
use crate::exit::Exit;
use crate::world::World;

/// Print the completions for a shell
#[derive(Debug, Parser)]
#[command(
    name = "completions",
    after_help = "Examples:
  memdir completions bash > ~/.local/share/bash-completion/completions/memdir
  memdir completions zsh > ~/.zfunc/_memdir
  memdir completions fish > ~/.config/fish/completions/memdir.fish"
)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
    #[command(flatten)]
    global: Global,
}

impl Run for Completions {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        // Through a buffer: the generator panics when it cannot write.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut whole_tree(), "memdir", &mut script);
        world.stdout.write_all(&script)?;
        Ok(Exit::Yes)
    }
}

/// One parser for all commands. Too slow to build for every call; completions and manual pages need it.
pub(super) fn whole_tree() -> clap::Command {
    clap::Command::new("memdir")
        .about("Durable memory for coding agents, in plain Markdown that you own")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .subcommands(COMMANDS.iter().map(|entry| parse::in_our_name((entry.parser)())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parser_is_sound_and_named_as_in_the_table() {
        whole_tree().debug_assert();
        for entry in COMMANDS {
            let parser = (entry.parser)();
            assert_eq!(parser.get_name(), entry.name);
            let about = parser.get_about().map(ToString::to_string).unwrap_or_default();
            assert_eq!(
                about, entry.about,
                "the table and the parser of `{}` describe it differently",
                entry.name
            );
        }
    }

    #[test]
    fn every_command_shows_an_example() {
        fn check(command: &clap::Command) {
            let help = command.get_after_help().or(command.get_after_long_help()).map(ToString::to_string);
            if command.get_subcommands().next().is_none() {
                let help = help.unwrap_or_default();
                assert!(help.contains("Example"), "`{}` has no example in its help", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&whole_tree());
    }
}
