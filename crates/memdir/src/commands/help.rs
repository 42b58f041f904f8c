//! `memdir help`: what there is, from the table alone, and one command's own help.

use std::ffi::OsString;
use std::io::Write;

use anyhow::{Result, anyhow};

use super::{COMMANDS, Entry, Group, parse};
use crate::exit::Exit;
use crate::report::WithHint;
use crate::world::World;

/// The list of commands, or the help of the command named.
pub(super) fn help(arguments: &[OsString], world: &mut World) -> Result<Exit> {
    let mut words = arguments.iter().filter_map(|word| word.to_str()).filter(|word| !word.starts_with('-'));
    if let Some(name) = words.next() {
        let Some(entry) = find(name) else { return unknown(name) };
        let mut command = parse::in_our_name((entry.parser)());
        command.build();
        let mut chosen = &mut command;
        for word in words {
            let within = chosen.get_name().to_owned();
            match chosen.find_subcommand_mut(word) {
                Some(found) => chosen = found,
                None => return Err(anyhow!("`{within}` has no command `{word}`")),
            }
        }
        let rendered = chosen.render_long_help();
        let text = if world.paint.is_on() { rendered.ansi().to_string() } else { rendered.to_string() };
        world.stdout.write_all(text.as_bytes())?;
        return Ok(Exit::Yes);
    }
    let paint = world.paint;
    writeln!(world.stdout, "Durable memory for coding agents, in plain Markdown that you own.\n")?;
    writeln!(world.stdout, "{} memdir [OPTIONS] COMMAND\n", paint.strong("Usage:"))?;
    let width = COMMANDS.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    for group in Group::ALL {
        let mut members = COMMANDS.iter().filter(|entry| entry.group == group).peekable();
        if members.peek().is_none() {
            continue;
        }
        writeln!(world.stdout, "{}", paint.strong(&format!("{}:", group.heading())))?;
        for Entry { name, about, .. } in members {
            writeln!(world.stdout, "  {}  {about}", paint.code(&format!("{name:width$}")))?;
        }
        writeln!(world.stdout)?;
    }
    writeln!(world.stdout, "{}", paint.strong("Options:"))?;
    writeln!(world.stdout, "  --cwd DIR     Act as if started in this directory")?;
    writeln!(world.stdout, "  --color WHEN  auto, always or never")?;
    writeln!(world.stdout, "  --version     Print the version\n")?;
    writeln!(world.stdout, "{} explains a command with examples.", paint.code("memdir help COMMAND"))?;
    Ok(Exit::Yes)
}

/// The program's name and version.
pub(super) fn version(world: &mut World) -> Result<Exit> {
    writeln!(world.stdout, "memdir {}", env!("CARGO_PKG_VERSION"))?;
    Ok(Exit::Yes)
}

/// A command that does not exist, with the one that was probably meant.
pub(super) fn unknown(name: &str) -> Result<Exit> {
    let nearest = COMMANDS.iter().map(|entry| (distance(name, entry.name), entry.name)).min();
    let error = Err(anyhow!("there is no command `{name}`"));
    match nearest {
        Some((distance, nearest)) if distance <= 1 + name.len() / 3 => {
            error.hint(format!("did you mean `memdir {nearest}`?"))
        }
        _ => error.hint("`memdir help` lists the commands"),
    }
}

pub(super) fn find(name: &str) -> Option<&'static Entry> {
    COMMANDS.iter().find(|entry| entry.name == name)
}

/// How many letters must change to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("pat", "path"), 1);
        assert_eq!(distance("", "path"), 4);
        assert_eq!(distance("projcet", "project"), 2);
    }
}
