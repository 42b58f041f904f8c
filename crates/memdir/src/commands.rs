//! The commands: one file each, and the table that finds them.

use std::ffi::OsString;

use anyhow::Result;
use clap::{Args, Parser};

use crate::arguments::Global;
use crate::exit::Exit;
use crate::world::World;

mod add;
mod agent;
mod argument_error;
mod ask;
mod audit;
mod check;
mod command_reference;
mod complete;
mod completions;
mod config;
mod context;
mod cues;
mod demo;
mod diff;
mod doctor;
mod dream;
mod due;
mod edit;
mod editor;
mod export;
mod extract;
mod help;
mod import;
mod import_archive;
mod journal;
mod link;
mod load;
mod log;
mod ls;
mod made;
mod man;
mod mcp;
mod memory;
mod overview;
mod parse;
mod path;
mod pause;
mod plan_diff;
mod project;
mod promote;
mod prompt;
mod purge;
mod recall;
mod redo;
mod reindex;
mod rename;
mod restore;
mod review;
mod rm;
mod search;
mod semantic;
mod serve;
mod sessions;
mod set;
mod settings_diff;
mod setup;
mod show;
mod status;
mod sync;
mod team;
mod today;
mod tool;
mod tui;
mod ui;
mod undo;
mod uninstall;
mod update;
mod usage;
mod user;
mod verify;
mod when;
mod why;
mod work;
mod workspace;

/// What a command is: parsed arguments that can be run.
pub(crate) trait Run: Parser {
    /// Its parser, with the options that every command takes.
    fn parser() -> clap::Command {
        Global::augment_args(Self::command())
    }

    /// Whether a hook or a timer runs it, so that it does nothing where agents' memory is off.
    fn is_background(&self) -> bool {
        false
    }

    /// Does it.
    fn run(self, world: &mut World) -> Result<Exit>;
}

/// A line of the table of commands. Its parser is built only when the command is chosen or described.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) group: Group,
    pub(crate) parser: fn() -> clap::Command,
    run: fn(Vec<OsString>, bool, &mut World) -> Result<Exit>,
}

impl Entry {
    /// Whether it shows or changes the memory of a project.
    fn is_about_memory(&self) -> bool {
        matches!(self.group, Group::Write | Group::Find | Group::History | Group::Care)
            || ABOUT_MEMORY.contains(&self.name)
    }

    const fn of<C: Run>(group: Group, name: &'static str, about: &'static str) -> Self {
        Self { name, about, group, parser: C::parser, run: parse::parse_and_run::<C> }
    }
}

/// The headings under which `memdir help` lists the commands. The last two are on pages of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Write,
    Find,
    History,
    Care,
    Projects,
    Program,
    More,
    Agents,
}

impl Group {
    /// The headings of the first page.
    pub(crate) const FIRST_PAGE: [Self; 6] =
        [Self::Write, Self::Find, Self::History, Self::Care, Self::Projects, Self::Program];

    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Write => "Write",
            Self::Find => "Find",
            Self::History => "Go back",
            Self::Care => "Keep it good",
            Self::Projects => "Projects, machines and teams",
            Self::Program => "Set up",
            Self::More => "More",
            Self::Agents => "For agents and scripts",
        }
    }
}

/// The commands of the page "More" that show or change the memory of a project.
const ABOUT_MEMORY: [&str; 16] = [
    "usage", "why", "cues", "promote", "demote", "redo", "link", "today", "reindex", "verify", "audit",
    "context", "load", "import", "export", "recall",
];

/// Words that people type for a command, and the command that they mean.
pub(crate) const ALIASES: [(&str, &str); 19] = [
    ("list", "ls"),
    ("remove", "rm"),
    ("delete", "rm"),
    ("del", "rm"),
    ("mv", "rename"),
    ("move", "rename"),
    ("cat", "show"),
    ("get", "show"),
    ("view", "show"),
    ("browse", "tui"),
    ("new", "add"),
    ("remember", "add"),
    ("find", "search"),
    ("grep", "search"),
    ("history", "log"),
    ("init", "setup"),
    ("install", "setup"),
    ("settings", "config"),
    ("revert", "undo"),
];

/// Every command that has a parser, in the order of `memdir help`.
pub(crate) static COMMANDS: &[Entry] = &[
    Entry::of::<add::Add>(Group::Write, "add", "Remember something"),
    Entry::of::<edit::Edit>(Group::Write, "edit", "Edit a memory in $EDITOR"),
    Entry::of::<set::Set>(Group::Write, "set", "Change one field of a memory"),
    Entry::of::<rename::Rename>(Group::Write, "rename", "Rename a memory; links and index follow"),
    Entry::of::<rm::Rm>(Group::Write, "rm", "Remove memories and their lines in the index"),
    Entry::of::<ls::Ls>(Group::Find, "ls", "List the memories, newest first"),
    Entry::of::<show::Show>(Group::Find, "show", "Print one memory"),
    Entry::of::<search::Search>(Group::Find, "search", "Search memories, journal and past sessions"),
    Entry::of::<ui::Ui>(Group::Find, "ui", "Show and edit memory in the browser"),
    Entry::of::<tui::Tui>(Group::Find, "tui", "Show and edit memory in the terminal"),
    Entry::of::<sessions::Sessions>(Group::Find, "sessions", "List past sessions, or show one"),
    Entry::of::<log::Log>(Group::History, "log", "List what was changed, by whom and why"),
    Entry::of::<diff::Diff>(Group::History, "diff", "Show what an operation changed"),
    Entry::of::<undo::Undo>(Group::History, "undo", "Undo an operation and keep later changes"),
    Entry::of::<restore::Restore>(Group::History, "restore", "Bring a memory back as it was"),
    Entry::of::<purge::Purge>(Group::History, "purge", "Remove a memory or a text from every version"),
    Entry::of::<review::Review>(Group::Care, "review", "Accept, edit or reject what agents want to change"),
    Entry::of::<extract::Extract>(Group::Care, "extract", "Write down what you said in past sessions"),
    Entry::of::<dream::Dream>(Group::Care, "dream", "Tidy memory: merge, date, shorten and index it"),
    Entry::of::<doctor::Doctor>(
        Group::Care,
        "doctor",
        "Find and fix problems: files, secrets, broken references",
    ),
    Entry::of::<journal::Journal>(Group::Care, "journal", "Keep decisions and progress across compactions"),
    Entry::of::<user::User>(Group::Care, "user", "Show and change what agents know about you"),
    Entry::of::<project::Project>(
        Group::Projects,
        "project",
        "List projects, and move memory with a project",
    ),
    Entry::of::<team::Team>(Group::Projects, "team", "Share memory with the people of this project"),
    Entry::of::<sync::Sync>(Group::Projects, "sync", "Keep your own memory the same on your machines"),
    Entry::of::<setup::Setup>(Group::Program, "setup", "Connect memdir to the agents on this machine"),
    Entry::of::<status::Status>(Group::Program, "status", "Show agents, background work and problems"),
    Entry::of::<config::Config>(Group::Program, "config", "List, get, set and explain settings"),
    Entry::of::<uninstall::Uninstall>(Group::Program, "uninstall", "Remove memdir from the agents' settings"),
    Entry::of::<demo::Demo>(Group::Program, "demo", "Show what memdir does, in a temporary home"),
    Entry::of::<cues::Cues>(
        Group::More,
        "cues",
        "List the memories with their cues: phrases that say when each will be needed",
    ),
    Entry::of::<usage::Usage>(Group::More, "usage", "Show which memories agents are given and read"),
    Entry::of::<why::Why>(Group::More, "why", "Explain why a memory was given to an agent"),
    Entry::of::<semantic::Semantic>(
        Group::More,
        "semantic",
        "Install a small model that finds memories by meaning",
    ),
    Entry::of::<promote::Promote>(Group::More, "promote", "Have a memory count in more places"),
    Entry::of::<promote::Demote>(Group::More, "demote", "Have a memory count in fewer places"),
    Entry::of::<redo::Redo>(Group::More, "redo", "Undo the last undo"),
    Entry::of::<link::Link>(Group::More, "link", "Link a memory to another"),
    Entry::of::<today::Today>(Group::More, "today", "Show today's log, or add to it"),
    Entry::of::<workspace::Workspace>(Group::More, "workspace", "Show the map of your projects"),
    Entry::of::<serve::Serve>(Group::More, "serve", "Run a server that keeps a team's memory"),
    Entry::of::<update::Update>(Group::More, "update", "Replace memdir with a newer version"),
    Entry::of::<reindex::Reindex>(Group::More, "reindex", "Rebuild MEMORY.md from the files"),
    Entry::of::<verify::Verify>(Group::More, "verify", "Check what memories cite against the project"),
    Entry::of::<audit::Audit>(
        Group::More,
        "audit",
        "Find secrets that are stored in memory, journal and history",
    ),
    Entry::of::<path::Path>(Group::More, "path", "Show where this project's memory is, and why"),
    Entry::of::<context::Context>(Group::More, "context", "Show every instruction that the agent is given"),
    Entry::of::<load::Load>(Group::More, "load", "Print MEMORY.md exactly as the agent gets it"),
    Entry::of::<pause::Pause>(Group::More, "pause", "Stop hooks for this session or project"),
    Entry::of::<pause::Resume>(Group::More, "resume", "End a pause"),
    Entry::of::<completions::Completions>(Group::More, "completions", "Print the completions for a shell"),
    Entry::of::<man::Man>(Group::More, "man", "Print a manual page"),
    Entry::of::<export::Export>(
        Group::More,
        "export",
        "Write memories to an archive, or to a folder for Obsidian",
    ),
    Entry::of::<import::Import>(Group::More, "import", "Import from another agent, git or an archive"),
    Entry::of::<complete::Complete>(Group::Agents, "complete", "Print what could complete the last word"),
    Entry::of::<recall::Recall>(Group::Agents, "recall", "Print the memories that matter for a prompt"),
    Entry::of::<mcp::Mcp>(Group::Agents, "mcp", "Serve memory over the Model Context Protocol"),
    Entry::of::<tool::Tool>(Group::Agents, "tool", "Run one command of the API's memory tool"),
    Entry::of::<prompt::Prompt>(Group::Agents, "prompt", "Print what an agent is told about its memory"),
    Entry::of::<agent::Agent>(Group::Agents, "agent", "Show custom agents, their memory and snapshots"),
    Entry::of::<check::Check>(
        Group::Agents,
        "check",
        "Answer a question of an agent or a script with yes or no",
    ),
    Entry::of::<work::Work>(Group::Agents, "work", "Do what waits in the background"),
];

/// Finds the command and runs it.
pub(crate) fn dispatch(arguments: Vec<OsString>, world: &mut World) -> Result<Exit> {
    let (name, rest) = split(arguments);
    let Some(name) = name else {
        return parse::parse_and_run::<overview::Overview>(rest, false, world);
    };
    match name.to_str() {
        Some("help" | "--help" | "-h") => help::help(&rest, world),
        Some("--version" | "-V" | "version") => help::version(world),
        Some(text) => match find(text) {
            Some(entry) => (entry.run)(rest, entry.is_about_memory(), world),
            None => help::unknown(text),
        },
        None => help::unknown(&name.to_string_lossy()),
    }
}

/// The command with that name, or the one that the word is another name for.
pub(crate) fn find(word: &str) -> Option<&'static Entry> {
    let meant = ALIASES.iter().find(|(alias, _)| *alias == word).map_or(word, |(_, name)| name);
    COMMANDS.iter().find(|entry| entry.name == meant)
}

/// Takes the command's name out of the arguments. Global options in front of it move behind it.
fn split(arguments: Vec<OsString>) -> (Option<OsString>, Vec<OsString>) {
    let mut position = 0;
    while let Some(words) = arguments.get(position).and_then(Global::words) {
        position += words;
    }
    let mut rest = arguments;
    if position >= rest.len() {
        return (None, rest);
    }
    let name = rest.remove(position);
    (Some(name), rest)
}
