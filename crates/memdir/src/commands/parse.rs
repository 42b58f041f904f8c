//! From words to a command that runs.

use std::any::TypeId;
use std::ffi::OsString;
use std::io::Write;

use anyhow::Result;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, FromArgMatches};
use memdir_core::config::{Config, MAX_BYTES};
use memdir_core::look::Look;
use memdir_core::settings::ClientFlags;
use memdir_disk::real_look::RealLook;
use memdir_lib::place::{Place, switched_off};

use super::{Run, argument_error};
use crate::arguments::Global;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// The commands about projects, which make the one in which they run known.
const PROJECT_COMMANDS: [&str; 7] = ["overview", "path", "project", "workspace", "team", "sync", "serve"];

/// Builds this one command's parser, parses and runs. Usage errors exit with 2, help with 0.
pub(super) fn parse_and_run<C: Run>(
    arguments: Vec<OsString>,
    is_about_memory: bool,
    world: &mut World,
) -> Result<Exit> {
    let mut command = in_our_name(C::parser());
    let name = OsString::from(command.get_name());
    let is_about_projects = PROJECT_COMMANDS.contains(&command.get_name());
    let parse = |command: &mut clap::Command, words: &[OsString]| {
        let matches = command.try_get_matches_from_mut(std::iter::once(&name).chain(words))?;
        let is_marked = words.iter().any(|word| word == "--");
        if let (false, Some(word)) = (is_marked, mistyped_option(command, &matches)) {
            let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(command);
            error.insert(ContextKind::InvalidArg, ContextValue::String(word));
            return Err(error);
        }
        Ok((C::from_arg_matches(&matches)?, Global::from_arg_matches(&matches)?))
    };
    let mut parsed = parse(&mut command, &arguments);
    if parsed.as_ref().is_err_and(|error| error.kind() == ErrorKind::UnknownArgument)
        && let Some(marked) = with_text_last(&arguments)
        && let Ok(found) = parse(&mut command, &marked)
    {
        parsed = Ok(found);
    }
    match parsed {
        Ok((parsed, global)) => {
            global.apply(world)?;
            warn_of_unknown_keys(world)?;
            let is_asked = parsed.is_background() || is_about_memory;
            if is_asked && let Some(rule) = rule_that_switches_off(world) {
                writeln!(world.stderr, "note: agents' memory is off here ({})", printable(&rule))?;
                if parsed.is_background() {
                    return Ok(Exit::Yes);
                }
            }
            let exit = parsed.run(world)?;
            if is_about_memory || is_about_projects {
                remember_project(world);
            }
            Ok(exit)
        }
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                let rendered = error.render();
                let text =
                    if world.paint.is_on() { rendered.ansi().to_string() } else { rendered.to_string() };
                world.stdout.write_all(text.as_bytes())?;
                let is_asked = error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
                Ok(if is_asked { Exit::Yes } else { Exit::Failed })
            }
            _ => {
                argument_error::print(&error, world)?;
                Ok(Exit::Failed)
            }
        },
    }
}

/// Says which keys of `config.toml` mean nothing: a misspelt rule must not pass as one that holds.
fn warn_of_unknown_keys(world: &mut World) -> Result<()> {
    let Some(path) = world.env().ok().and_then(|env| env.config_file()) else { return Ok(()) };
    let Ok(bytes) = RealLook.read(&path, MAX_BYTES) else { return Ok(()) };
    let Ok(read) = Config::parse(&String::from_utf8_lossy(&bytes)) else { return Ok(()) };
    for warning in read.warnings {
        world.warn(&format!("`{path}`, {warning}"))?;
    }
    Ok(())
}

/// The rule by which agents have no memory here. What keeps it from being found, the command itself reports.
fn rule_that_switches_off(world: &World) -> Option<String> {
    switched_off(&world.env().ok()?, &ClientFlags::default()).ok().flatten()
}

/// Makes a project known that was only ever read, so that it is recognised after it was renamed. That this fails
/// costs only that.
fn remember_project(world: &World) {
    let found = world.env().ok().and_then(|env| Place::find(&env, &ClientFlags::default()).ok());
    if let Some(place) = found {
        let _ = place.projects.remember_unknown(&place, world.now);
    }
}

/// The parser under the name that the user typed: `memdir path`, not `path`. Text may begin with a dash everywhere.
pub(super) fn in_our_name(command: clap::Command) -> clap::Command {
    let full = format!("memdir {}", command.get_name());
    with_dashes(command).bin_name(full).disable_help_subcommand(true)
}

/// The words with those last that can only be text: a dash in front and a space inside. `None` if there are none.
fn with_text_last(words: &[OsString]) -> Option<Vec<OsString>> {
    let is_text = |word: &OsString| {
        word.to_str().is_some_and(|word| word.starts_with('-') && word.contains(char::is_whitespace))
    };
    let (texts, mut words): (Vec<OsString>, Vec<OsString>) = words.iter().cloned().partition(is_text);
    if texts.is_empty() || words.iter().any(|word| word == "--") {
        return None;
    }
    words.push("--".into());
    words.extend(texts);
    Some(words)
}

/// Lets every option and argument that takes text take text such as `- a list item`.
fn with_dashes(command: clap::Command) -> clap::Command {
    let takes_text = |argument: &Arg| {
        let takes_value = argument.get_num_args().is_none_or(|count| count.min_values() > 0);
        // Of several words the parser would take the options behind them, too.
        let is_list = argument.is_positional() && matches!(argument.get_action(), ArgAction::Append);
        takes_value && !is_list && argument.get_value_parser().type_id() == TypeId::of::<String>()
    };
    command
        .mut_args(
            |argument| if takes_text(&argument) { argument.allow_hyphen_values(true) } else { argument },
        )
        .mut_subcommands(with_dashes)
}

/// An argument that was taken as text and is more likely an option with a typing error.
fn mistyped_option(command: &clap::Command, matches: &ArgMatches) -> Option<String> {
    if let Some((name, matches)) = matches.subcommand() {
        return mistyped_option(command.find_subcommand(name)?, matches);
    }
    let texts = command
        .get_positionals()
        .filter(|argument| argument.is_allow_hyphen_values_set() && !argument.is_trailing_var_arg_set());
    let words = texts.filter_map(|argument| matches.get_raw(argument.get_id().as_str())).flatten();
    words.filter_map(|word| word.to_str()).find(|word| is_like_option(word)).map(str::to_owned)
}

/// Whether a word has the form of an option: dashes and a letter in front, no space.
fn is_like_option(word: &str) -> bool {
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).unwrap_or_default();
    name.starts_with(|first: char| first.is_ascii_alphabetic()) && !name.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::COMMANDS;

    #[test]
    fn every_option_that_takes_text_takes_text_with_a_dash() {
        fn check(command: &clap::Command, checked: &mut usize) {
            for argument in command.get_arguments() {
                if argument.get_value_parser().type_id() == TypeId::of::<String>()
                    && argument.get_num_args().is_none_or(|count| count.min_values() > 0)
                    && !(argument.is_positional() && matches!(argument.get_action(), ArgAction::Append))
                {
                    assert!(argument.is_allow_hyphen_values_set(), "{} {argument}", command.get_name());
                    *checked += 1;
                }
            }
            command.get_subcommands().for_each(|command| check(command, checked));
        }
        let mut checked = 0;
        for entry in COMMANDS {
            let mut command = in_our_name((entry.parser)());
            command.build();
            check(&command, &mut checked);
        }
        assert!(checked > 100, "{checked}");
    }

    #[test]
    fn a_word_like_an_option_is_told_from_text() {
        for word in ["--limt", "-x", "--limt=5"] {
            assert!(is_like_option(word), "{word}");
        }
        for word in ["- a list item", "-", "--", "-5 degrees", "--- \nname", "- x"] {
            assert!(!is_like_option(word), "{word}");
        }
    }
}
