//! The commands: one file each, and the table that finds them.

use std::ffi::OsString;

use anyhow::Result;
use clap::Parser;

use crate::arguments::Global;
use crate::exit::Exit;
use crate::world::World;

mod add;
mod agent;
mod ask;
mod audit;
mod check;
mod completions;
mod context;
mod cues;
mod demo;
mod diff;
mod doctor;
mod dream;
pub(crate) mod edit;
mod editor;
mod extract;
mod help;
mod import;
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
pub(crate) mod plan_diff;
mod project;
mod prompt;
mod purge;
mod recall;
mod redo;
mod reindex;
mod rename;
mod restore;
mod review;
mod rm;
pub(crate) mod search;
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
mod undo;
mod uninstall;
mod user;
mod verify;
mod work;
mod workspace;

/// What a command is: parsed arguments that can be run.
pub(crate) trait Run: Parser {
    /// The options that every command takes.
    fn global(&self) -> &Global;

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
    run: fn(Vec<OsString>, Group, &mut World) -> Result<Exit>,
}

impl Entry {
    const fn of<C: Run>(group: Group, name: &'static str, about: &'static str) -> Self {
        Self { name, about, group, parser: C::command, run: parse::parse_and_run::<C> }
    }
}

/// The headings under which `memdir help` lists the commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Memory,
    History,
    Agent,
    Projects,
    Machines,
    Program,
}

impl Group {
    pub(crate) const ALL: [Self; 6] =
        [Self::Memory, Self::History, Self::Agent, Self::Projects, Self::Machines, Self::Program];

    /// Whether its commands show or change the memory of a project.
    fn is_about_memory(self) -> bool {
        matches!(self, Self::Memory | Self::History | Self::Agent)
    }

    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Memory => "Memory",
            Self::Agent => "What the agent sees",
            Self::History => "History",
            Self::Projects => "Projects",
            Self::Machines => "For agents and scripts",
            Self::Program => "The program itself",
        }
    }
}

/// Every command that has a parser, in the order of `memdir help`.
pub(crate) static COMMANDS: &[Entry] = &[
    Entry::of::<cues::Cues>(
        Group::Memory,
        "cues",
        "List the memories with their cues: phrases that say when each will be needed",
    ),
    Entry::of::<ls::Ls>(Group::Memory, "ls", "List the memories, newest first"),
    Entry::of::<show::Show>(Group::Memory, "show", "Print one memory"),
    Entry::of::<search::Search>(Group::Memory, "search", "Find memories, journal entries and past sessions"),
    Entry::of::<sessions::Sessions>(
        Group::Memory,
        "sessions",
        "List past sessions of this project, or show one",
    ),
    Entry::of::<add::Add>(Group::Memory, "add", "Add a memory and its line in the index"),
    Entry::of::<edit::Edit>(Group::Memory, "edit", "Edit a memory in $EDITOR"),
    Entry::of::<set::Set>(Group::Memory, "set", "Change one field of a memory, and nothing else"),
    Entry::of::<rename::Rename>(Group::Memory, "rename", "Rename a memory; links and index follow"),
    Entry::of::<link::Link>(Group::Memory, "link", "Link a memory to another"),
    Entry::of::<rm::Rm>(Group::Memory, "rm", "Remove a memory and its line in the index"),
    Entry::of::<reindex::Reindex>(
        Group::Memory,
        "reindex",
        "Rebuild MEMORY.md from the files, keeping your headings and order",
    ),
    Entry::of::<extract::Extract>(
        Group::Memory,
        "extract",
        "Write down what you said in past sessions: by rules, or with your model",
    ),
    Entry::of::<today::Today>(Group::Memory, "today", "Show today's log, or add to it"),
    Entry::of::<dream::Dream>(
        Group::Memory,
        "dream",
        "Tidy memory up: merge, date, distil and index; nothing is lost, all of it can be undone",
    ),
    Entry::of::<review::Review>(Group::Memory, "review", "Accept, edit or reject what agents want to change"),
    Entry::of::<doctor::Doctor>(Group::Memory, "doctor", "Find what is wrong with memory, and mend it"),
    Entry::of::<verify::Verify>(
        Group::Memory,
        "verify",
        "Check what memories cite against the project: fresh, changed or gone",
    ),
    Entry::of::<journal::Journal>(
        Group::Memory,
        "journal",
        "Keep a journal of decisions, findings and progress that survives compaction",
    ),
    Entry::of::<load::Load>(Group::Memory, "load", "Print MEMORY.md exactly as the agent gets it"),
    Entry::of::<audit::Audit>(
        Group::Agent,
        "audit",
        "Find secrets that are stored in memory, agents' memory, journal, logs and history",
    ),
    Entry::of::<context::Context>(
        Group::Agent,
        "context",
        "Show every instruction that the agent is given, in its order",
    ),
    Entry::of::<log::Log>(Group::History, "log", "Say what was done to the memories, by whom and why"),
    Entry::of::<diff::Diff>(Group::History, "diff", "Show what an operation changed"),
    Entry::of::<undo::Undo>(Group::History, "undo", "Take an operation back, under whatever came after it"),
    Entry::of::<redo::Redo>(Group::History, "redo", "Take the last undo back"),
    Entry::of::<restore::Restore>(Group::History, "restore", "Bring a memory back as it was"),
    Entry::of::<purge::Purge>(Group::History, "purge", "Forget a memory or a text in every version"),
    Entry::of::<path::Path>(
        Group::Projects,
        "path",
        "Say where this project's memory is, and which rule decided",
    ),
    Entry::of::<project::Project>(
        Group::Projects,
        "project",
        "List projects, and bring memory to where a project is now",
    ),
    Entry::of::<workspace::Workspace>(
        Group::Projects,
        "workspace",
        "Show the map of your projects: what there is, how it relates, what spans it",
    ),
    Entry::of::<team::Team>(
        Group::Projects,
        "team",
        "Share memory with the people who work on this project, signed and merged",
    ),
    Entry::of::<sync::Sync>(
        Group::Projects,
        "sync",
        "Keep private memory, profile and agents' memory the same on your machines",
    ),
    Entry::of::<serve::Serve>(
        Group::Projects,
        "serve",
        "Keep a team's memory on a server of your own, in SQLite or PostgreSQL",
    ),
    Entry::of::<import::Import>(
        Group::Memory,
        "import",
        "Take over what another agent remembers, as topic files",
    ),
    Entry::of::<user::User>(
        Group::Memory,
        "user",
        "Show and change what agents know about you in every project",
    ),
    Entry::of::<recall::Recall>(
        Group::Machines,
        "recall",
        "Print the memories that matter for a prompt, quoted for a model",
    ),
    Entry::of::<mcp::Mcp>(
        Group::Machines,
        "mcp",
        "Serve memory to any agent over the Model Context Protocol",
    ),
    Entry::of::<tool::Tool>(Group::Machines, "tool", "Run one command of the API's memory tool"),
    Entry::of::<prompt::Prompt>(
        Group::Machines,
        "prompt",
        "Print what an agent is told about its memory, or all that it is told at a turn",
    ),
    Entry::of::<agent::Agent>(
        Group::Machines,
        "agent",
        "Show custom agents, their memory, their tools and snapshots",
    ),
    Entry::of::<check::Check>(
        Group::Machines,
        "check",
        "Answer a question of an agent or a script with yes or no",
    ),
    Entry::of::<status::Status>(
        Group::Machines,
        "status",
        "Say what runs in the background, what waits, and what went wrong in hooks",
    ),
    Entry::of::<pause::Pause>(
        Group::Machines,
        "pause",
        "Have hooks read, write and say nothing for this session or project",
    ),
    Entry::of::<pause::Resume>(Group::Machines, "resume", "End a pause"),
    Entry::of::<work::Work>(
        Group::Machines,
        "work",
        "Do what waits in the background: notice changes, freshen the index, sweep up, sync",
    ),
    Entry::of::<setup::Setup>(Group::Program, "setup", "Wire memdir into the agents that are installed here"),
    Entry::of::<uninstall::Uninstall>(
        Group::Program,
        "uninstall",
        "Take memdir out of agents' settings, and leave them as they were",
    ),
    Entry::of::<demo::Demo>(Group::Program, "demo", "Show what memdir does, in a throw-away home"),
    Entry::of::<completions::Completions>(Group::Program, "completions", "Print the completions for a shell"),
    Entry::of::<man::Man>(Group::Program, "man", "Print a manual page"),
];

/// Finds the command and runs it.
pub(crate) fn dispatch(arguments: Vec<OsString>, world: &mut World) -> Result<Exit> {
    let (name, rest) = split(arguments);
    let Some(name) = name else {
        return parse::parse_and_run::<overview::Overview>(rest, Group::Projects, world);
    };
    match name.to_str() {
        Some("help" | "--help" | "-h") => help::help(&rest, world),
        Some("--version" | "-V" | "version") => help::version(world),
        Some(text) => match COMMANDS.iter().find(|entry| entry.name == text) {
            Some(entry) => (entry.run)(rest, entry.group, world),
            None => help::unknown(text),
        },
        None => help::unknown(&name.to_string_lossy()),
    }
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
