//! `memdir help`: what there is, from the table alone, and one command's own help.

use std::ffi::OsString;
use std::io::Write;

use anyhow::{Result, anyhow};

use super::command_reference::command_reference;
use super::{ALIASES, COMMANDS, Entry, Group, find, parse};
use crate::exit::Exit;
use crate::report::WithHint;
use crate::world::World;

/// The list of commands, one of the further pages, or the help of the command named.
pub(super) fn help(arguments: &[OsString], world: &mut World) -> Result<Exit> {
    let mut words = arguments.iter().filter_map(|word| word.to_str()).filter(|word| !word.starts_with('-'));
    match words.next() {
        None => first_page(world),
        Some("all") => {
            first_page(world)?;
            group(Group::More, world)?;
            group(Group::Agents, world)?;
            Ok(Exit::Yes)
        }
        Some("agents") => agents_page(world),
        Some("markdown") => {
            world.stdout.write_all(command_reference().as_bytes())?;
            Ok(Exit::Yes)
        }
        Some(name) => {
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
            Ok(Exit::Yes)
        }
    }
}

fn first_page(world: &mut World) -> Result<Exit> {
    let paint = world.paint;
    writeln!(world.stdout, "Durable memory for coding agents, in plain Markdown that you own.\n")?;
    writeln!(world.stdout, "{} memdir [OPTIONS] COMMAND\n", paint.strong("Usage:"))?;
    for each in Group::FIRST_PAGE {
        group(each, world)?;
    }
    writeln!(world.stdout, "{}", paint.strong("Options:"))?;
    writeln!(world.stdout, "  --cwd DIR     Act as if started in this directory")?;
    writeln!(world.stdout, "  --color WHEN  auto, always or never")?;
    writeln!(world.stdout, "  --no-pager    Do not page long output")?;
    writeln!(world.stdout, "  --version     Print the version\n")?;
    let lines = [
        ("memdir help COMMAND", "explains a command, with examples"),
        ("memdir help all", "lists every command"),
        ("memdir help agents", "lists the commands for agents and scripts"),
    ];
    for (command, what) in lines {
        writeln!(world.stdout, "{}  {what}", paint.code(&format!("{command:<19}")))?;
    }
    Ok(Exit::Yes)
}

fn group(group: Group, world: &mut World) -> Result<()> {
    let paint = world.paint;
    let width = COMMANDS.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    writeln!(world.stdout, "{}", paint.strong(&format!("{}:", group.heading())))?;
    for Entry { name, about, .. } in COMMANDS.iter().filter(|entry| entry.group == group) {
        writeln!(world.stdout, "  {}  {about}", paint.code(&format!("{name:width$}")))?;
    }
    Ok(writeln!(world.stdout)?)
}

/// What agents and scripts call, and what they can rely on.
fn agents_page(world: &mut World) -> Result<Exit> {
    let paint = world.paint;
    writeln!(
        world.stdout,
        "Agents and scripts call these. `memdir setup` connects the agents on this machine.\n"
    )?;
    group(Group::Agents, world)?;
    writeln!(world.stdout, "{}", paint.strong("Also for agents:"))?;
    writeln!(
        world.stdout,
        "  {}  Answer a hook of the client; always exits with 0",
        paint.code("hook EVENT ")
    )?;
    writeln!(world.stdout, "  {}  Show MEMORY.md as the agent gets it", paint.code("load       "))?;
    writeln!(
        world.stdout,
        "  {}  Show every instruction that the agent is given\n",
        paint.code("context    ")
    )?;
    writeln!(world.stdout, "{}", paint.strong("Rules:"))?;
    for rule in [
        "--json prints one object with \"v\": 1 on standard output; messages go to standard error.",
        "--jsonl reads one object a line and answers one a line, in order, with the same id.",
        "Exit code 0: done, or yes. 1: a question answered with no. 2: an error, or a refused change.",
    ] {
        writeln!(world.stdout, "  {rule}")?;
    }
    Ok(Exit::Yes)
}

/// The program's name and version.
pub(super) fn version(world: &mut World) -> Result<Exit> {
    writeln!(world.stdout, "memdir {}", env!("CARGO_PKG_VERSION"))?;
    Ok(Exit::Yes)
}

/// What people mean by words that are not commands.
const MEANINGS: [(&str, &str); 22] = [
    ("forget", "memdir rm"),
    ("erase", "memdir purge"),
    ("recover", "memdir restore"),
    ("rollback", "memdir undo"),
    ("back", "memdir undo"),
    ("changes", "memdir log"),
    ("blame", "memdir log NAME"),
    ("share", "memdir team share NAME"),
    ("invite", "memdir team invite"),
    ("join", "memdir team join LINE"),
    ("push", "memdir sync"),
    ("pull", "memdir sync"),
    ("login", "memdir team init URL"),
    ("server", "memdir serve"),
    ("fix", "memdir doctor --fix"),
    ("fsck", "memdir doctor"),
    ("lint", "memdir doctor"),
    ("note", "memdir add TEXT"),
    ("write", "memdir add TEXT"),
    ("save", "memdir add TEXT"),
    ("profile", "memdir user"),
    ("projects", "memdir project ls"),
];

/// A command that does not exist, with the one that was meant: by meaning, else by letters if they are very near.
pub(super) fn unknown(name: &str) -> Result<Exit> {
    let error = Err(anyhow!("unknown command `{name}`"));
    if let Some((_, meant)) = MEANINGS.iter().find(|(word, _)| *word == name) {
        return error.hint(format!("did you mean `{meant}`?"));
    }
    let names = COMMANDS.iter().map(|entry| entry.name).chain(ALIASES.iter().map(|(alias, _)| *alias));
    let nearest = names.map(|known| (strsim::damerau_levenshtein(name, known), known)).min();
    match nearest {
        Some((distance, nearest)) if distance <= (name.len() / 4).clamp(1, 2) && name.len() > 2 => {
            error.hint(format!("did you mean `memdir {nearest}`?"))
        }
        _ => error.hint("`memdir help` lists the commands"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(word: &str) -> String {
        let error = unknown(word).unwrap_err();
        crate::report::message(&error).1.join(" ")
    }

    #[test]
    fn a_suggestion_goes_by_meaning_and_then_by_letters() {
        assert_eq!(hint("forget"), "did you mean `memdir rm`?");
        assert_eq!(hint("serach"), "did you mean `memdir search`?");
        assert_eq!(hint("projct"), "did you mean `memdir project`?");
        assert_eq!(hint("banana"), "`memdir help` lists the commands");
        assert_eq!(hint("x"), "`memdir help` lists the commands");
    }

    #[test]
    fn the_first_page_has_at_most_thirty_commands() {
        let shown = COMMANDS.iter().filter(|entry| Group::FIRST_PAGE.contains(&entry.group));
        assert!(shown.count() <= 30);
    }

    #[test]
    fn every_other_name_means_a_command_and_hides_none() {
        for (alias, name) in ALIASES {
            assert!(COMMANDS.iter().any(|entry| entry.name == name), "{name}");
            assert!(COMMANDS.iter().all(|entry| entry.name != alias), "{alias}");
        }
        for (word, _) in MEANINGS {
            assert!(find(word).is_none(), "{word}");
        }
    }
}
