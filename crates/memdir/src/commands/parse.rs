//! From words to a command that runs.

use std::ffi::OsString;
use std::io::Write;

use anyhow::Result;
use clap::error::ErrorKind;
use memdir_core::settings::ClientFlags;
use memdir_lib::place::switched_off;

use super::{Group, Run};
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Builds this one command's parser, parses and runs. Usage errors exit with 2, help with 0.
pub(super) fn parse_and_run<C: Run>(
    arguments: Vec<OsString>,
    group: Group,
    world: &mut World,
) -> Result<Exit> {
    let command = in_our_name(C::command());
    let name = OsString::from(command.get_name());
    let matches = command.try_get_matches_from(std::iter::once(name).chain(arguments));
    match matches.and_then(|matches| C::from_arg_matches(&matches)) {
        Ok(parsed) => {
            parsed.global().apply(world)?;
            let is_asked = parsed.is_background() || group.is_about_memory();
            if is_asked && let Some(rule) = rule_that_switches_off(world) {
                writeln!(world.stderr, "note: agents' memory is off here ({})", printable(&rule))?;
                if parsed.is_background() {
                    return Ok(Exit::Yes);
                }
            }
            parsed.run(world)
        }
        Err(error) => {
            let rendered = error.render();
            let text = if world.paint.is_on() { rendered.ansi().to_string() } else { rendered.to_string() };
            match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                    world.stdout.write_all(text.as_bytes())?;
                    Ok(Exit::Yes)
                }
                _ => {
                    world.stderr.write_all(text.as_bytes())?;
                    Ok(Exit::Failed)
                }
            }
        }
    }
}

/// The rule by which agents have no memory here. What keeps it from being found, the command itself reports.
fn rule_that_switches_off(world: &World) -> Option<String> {
    switched_off(&world.env().ok()?, &ClientFlags::default()).ok().flatten()
}

/// The parser under the name that the user typed: `memdir path`, not `path`.
pub(super) fn in_our_name(command: clap::Command) -> clap::Command {
    let full = format!("memdir {}", command.get_name());
    command.bin_name(full).disable_help_subcommand(true)
}
