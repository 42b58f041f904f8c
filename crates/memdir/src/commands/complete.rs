//! `memdir complete`: what could come next on a command line, for the shells' completions.

use memdir_core::history::short_ids::ShortIds;
use std::io::Write;

use anyhow::Result;
use clap::Parser;
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::Memory;

use super::{COMMANDS, Group, Run, find};
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Print what could complete the last word
#[derive(Debug, Parser)]
#[command(name = "complete", after_help = "Examples:\n  memdir complete -- show pri")]
pub(crate) struct Complete {
    /// The words of the command line without `memdir`; the last one is completed
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

/// So many operations are offered.
const OPERATIONS: usize = 30;

/// A word that fits, and what it means.
type Candidate = (String, String);

impl Run for Complete {
    fn run(self, world: &mut World) -> Result<Exit> {
        let Some((current, before)) = self.words.split_last() else { return Ok(Exit::Yes) };
        let mut candidates = candidates(current, before, world);
        candidates.retain(|(word, _)| word.starts_with(current.as_str()));
        for (word, meaning) in candidates {
            writeln!(world.stdout, "{}\t{}", printable(&word), printable(&meaning))?;
        }
        Ok(Exit::Yes)
    }
}

fn candidates(current: &str, before: &[String], world: &World) -> Vec<Candidate> {
    let Some((name, rest)) = before.split_first() else {
        let visible = COMMANDS.iter().filter(|entry| entry.group != Group::Agents);
        return visible.map(|entry| (entry.name.to_owned(), entry.about.to_owned())).collect();
    };
    let Some(entry) = find(name) else { return Vec::new() };
    let mut command = (entry.parser)();
    command.build();
    let mut chosen = &command;
    let mut given = 0;
    let mut waiting: Option<&clap::Arg> = None;
    for word in rest {
        if waiting.take().is_some() {
            continue;
        }
        if let Some(option) = option_named(chosen, word) {
            waiting = Some(option).filter(|option| option.get_action().takes_values() && !word.contains('='));
        } else if !word.starts_with('-') {
            match chosen.find_subcommand(word) {
                Some(found) => (chosen, given) = (found, 0),
                None => given += 1,
            }
        }
    }
    if let Some(option) = waiting {
        return values(option, world);
    }
    if current.starts_with('-') {
        return options(chosen);
    }
    let mut found: Vec<Candidate> = chosen
        .get_subcommands()
        .filter(|sub| !sub.is_hide_set())
        .map(|sub| (sub.get_name().to_owned(), about(sub.get_about())))
        .collect();
    let positionals: Vec<&clap::Arg> = chosen.get_positionals().collect();
    // The last one may take several words.
    if let Some(position) = positionals.get(given).or(positionals.last()) {
        found.extend(values(position, world));
    }
    found
}

fn option_named<'c>(command: &'c clap::Command, word: &str) -> Option<&'c clap::Arg> {
    let name = word.split('=').next().unwrap_or(word);
    command.get_arguments().find(|argument| {
        let long = argument.get_long().is_some_and(|long| name == format!("--{long}"));
        long || argument.get_short().is_some_and(|short| name == format!("-{short}"))
    })
}

fn options(command: &clap::Command) -> Vec<Candidate> {
    let visible = command.get_arguments().filter(|argument| !argument.is_hide_set());
    visible
        .filter_map(|argument| Some((format!("--{}", argument.get_long()?), about(argument.get_help()))))
        .collect()
}

fn about(text: Option<&clap::builder::StyledStr>) -> String {
    text.map(ToString::to_string).unwrap_or_default()
}

/// The values of an option or position: those that the parser lists, or what its name means.
fn values(argument: &clap::Arg, world: &World) -> Vec<Candidate> {
    let listed = argument.get_possible_values();
    if !listed.is_empty() && argument.get_action().takes_values() {
        let shown = listed.iter().filter(|value| !value.is_hide_set());
        return shown.map(|value| (value.get_name().to_owned(), about(value.get_help()))).collect();
    }
    let value_names = argument.get_value_names().unwrap_or_default();
    let names: Vec<&str> = value_names.iter().map(clap::builder::Str::as_str).collect();
    let is_named = |wanted: &str| names.iter().any(|name| name.split('|').any(|part| part == wanted));
    let mut found = Vec::new();
    if is_named("TYPE") {
        let types = MemoryType::KNOWN.into_iter();
        found.extend(types.map(|known| (known.as_str().to_owned(), String::new())));
    }
    if is_named("NAME") || is_named("FROM") || is_named("TO") {
        found.extend(memories(world).unwrap_or_default());
    }
    if is_named("OP") {
        found.extend(operations(world).unwrap_or_default());
    }
    if is_named("TIME") {
        found.extend(["yesterday", "3d", "1w"].map(|time| (time.to_owned(), String::new())));
    }
    if is_named("KEY") {
        let keys = memdir_core::config::keys::KEYS.iter();
        found.extend(keys.map(|key| (key.name.to_owned(), key.meaning.to_owned())));
    }
    found
}

fn memories(world: &World) -> Result<Vec<Candidate>> {
    let memory = Memory::open(&world.env()?, &ClientFlags::default())?;
    let entries = memory.catalogue()?.entries;
    let named =
        entries.iter().map(|entry| (entry.title().to_owned(), entry.description.clone().unwrap_or_default()));
    Ok(named.collect())
}

fn operations(world: &World) -> Result<Vec<Candidate>> {
    let memory = Memory::open(&world.env()?, &ClientFlags::default())?;
    let log = memory.log(OPERATIONS)?;
    let ids = ShortIds::of(&log.operations);
    let named = log.operations.iter();
    Ok(named.map(|operation| (ids.short(&operation.id).to_owned(), operation.reason.clone())).collect())
}
