//! `memdir completions`: a short script that asks `memdir complete` for every word.

use std::io::Write;

use anyhow::Result;
use clap::{Parser, ValueEnum};

use super::{COMMANDS, Run, parse};
use crate::exit::Exit;
use crate::world::World;

/// Print the completions for a shell
#[derive(Debug, Parser)]
#[command(
    name = "completions",
    after_help = "They complete commands, options, types, memory names and operations.

Examples:
  memdir completions bash > ~/.local/share/bash-completion/completions/memdir
  memdir completions zsh > ~/.zfunc/_memdir
  memdir completions fish > ~/.config/fish/completions/memdir.fish"
)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shell {
    /// GNU Bash
    Bash,
    /// The Z shell
    Zsh,
    /// fish
    Fish,
}

impl Run for Completions {
    fn run(self, world: &mut World) -> Result<Exit> {
        let script = match self.shell {
            Shell::Bash => BASH,
            Shell::Zsh => ZSH,
            Shell::Fish => FISH,
        };
        world.stdout.write_all(script.as_bytes())?;
        Ok(Exit::Yes)
    }
}

const BASH: &str = r#"# Completions of memdir for bash.
_memdir() {
    local line candidate current=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    while IFS= read -r line; do
        candidate=${line%%$'\t'*}
        COMPREPLY+=("$(printf '%q' "$candidate")")
    done < <(memdir complete -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" "$current" 2>/dev/null)
}
complete -o default -F _memdir memdir
"#;

const ZSH: &str = r#"#compdef memdir
# Completions of memdir for zsh.
_memdir() {
    local -a lines candidates
    lines=("${(@f)$(memdir complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    local line
    for line in $lines; do
        [[ -n $line ]] && candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    if (( ${#candidates} )); then
        _describe 'memdir' candidates
    else
        _files
    fi
}
if [[ $funcstack[1] == _memdir ]]; then _memdir "$@"; else compdef _memdir memdir; fi
"#;

const FISH: &str = r#"# Completions of memdir for fish.
function __memdir_complete
    set -l words (commandline -opc)
    memdir complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c memdir -f -a '(__memdir_complete)'
complete -c memdir -n 'test (count (__memdir_complete)) -eq 0' -F
"#;

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
