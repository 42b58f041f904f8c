//! What an entry of the table of agents can say, and the members of settings files that follow from it.

use camino::Utf8Path;
use serde_json::{Value, json};

use super::{Member, shell_word};

/// An agent whose settings can name memdir.
#[derive(Debug)]
pub(super) struct Entry {
    /// The name by which it is chosen.
    pub(super) name: &'static str,
    /// The name by which people know it.
    pub(super) title: &'static str,
    /// Its programs.
    pub(super) programs: &'static [&'static str],
    /// The directory of its settings.
    pub(super) place: Place,
    /// The name under which what it did is recorded.
    pub(super) recorded: &'static str,
    /// What it calls itself to a server of the Model Context Protocol.
    pub(super) clients: &'static [&'static str],
    /// What becomes of what a hook says at the start of a session.
    pub(super) start: Start,
    /// What makes it start memdir. At most one of them brings the index and recalled memories into the conversation.
    pub(super) wires: &'static [Wire],
}

/// What becomes of what a hook says at the start of a session, observed in the agents themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// It stays in the conversation, also when that is resumed.
    Kept,
    /// It is gone when a session is resumed, and must be said again.
    Forgotten,
    /// It is gone when a session is resumed, and may take the first prompt with it: the first prompt's hook says it.
    AtPrompt,
}

/// Where a directory of settings lies.
#[derive(Debug)]
pub(super) enum Place {
    /// Below the home directory.
    Home(&'static str),
    /// Where a variable says, or else below the home directory.
    Named(&'static str, &'static str),
    /// Below the directory for settings of the user's programs, `~/.config` on every system.
    Config(&'static str),
    /// Below the directory that the system has for it: `~/.config`, the home directory on macOS, `%APPDATA%` on Windows.
    System { linux: &'static str, macos: &'static str, windows: &'static str },
}

/// One thing that makes an agent start memdir, in a file below the directory of its settings.
#[derive(Debug)]
pub(super) enum Wire {
    /// The plugin of Claude Code, with hooks, tools, commands and a skill.
    ClaudePlugin,
    /// The server, in the first of these files that exists, or else in the last.
    Server { files: &'static [&'static str], keys: &'static [&'static str], form: ServerForm },
    /// A hook for each of these events.
    Hooks { file: &'static str, form: HookForm, events: &'static [&'static str] },
    /// A file that is ours as a whole. `@PROGRAM@` and `@AGENT@` are replaced by quoted texts.
    File { file: &'static str, text: &'static str },
    /// A marked section of a file that others write too, as the first thing below a key, or at the end.
    Section { file: &'static str, under: &'static str, text: &'static str },
}

/// How a server is written down.
#[derive(Debug, Clone, Copy)]
pub(super) enum ServerForm {
    /// The command and its arguments.
    Plain,
    /// With `type: stdio`.
    Stdio,
    /// Both in one list, with `type: local`.
    CommandList,
    /// With `type: local`, and leave for all tools.
    LocalAllTools,
}

/// How a hook is written down.
#[derive(Debug, Clone, Copy)]
pub(super) enum HookForm {
    /// As Claude Code does: groups of hooks.
    Grouped { timeout: u32 },
    /// A command for each event, in a file with a version.
    Flat { version: u32, timeout: Option<(&'static str, u32)> },
}

impl ServerForm {
    pub(super) fn value(self, program: &Utf8Path) -> Value {
        match self {
            Self::Plain => json!({"command": program, "args": ["mcp"]}),
            Self::Stdio => json!({"type": "stdio", "command": program, "args": ["mcp"]}),
            Self::CommandList => json!({"type": "local", "command": [program, "mcp"], "enabled": true}),
            Self::LocalAllTools => {
                json!({"type": "local", "command": program, "args": ["mcp"], "tools": ["*"]})
            }
        }
    }
}

impl HookForm {
    /// Hooks name the agent: unlike Claude Code it reads neither MEMORY.md nor its topic files by itself, so the first
    /// hook brings the index.
    pub(super) fn members(self, program: &Utf8Path, agent: &str, events: &[&str]) -> Vec<Member> {
        let command = |event: &str| format!("{} hook {event} --agent={agent}", shell_word(program));
        let hook = |event: &&str| {
            let mut hook = json!({"type": "command", "command": command(event)});
            let value = match self {
                Self::Grouped { timeout } => {
                    hook["timeout"] = timeout.into();
                    json!({"hooks": [hook]})
                }
                Self::Flat { timeout, .. } => {
                    if let Some((key, limit)) = timeout {
                        hook[key] = limit.into();
                    }
                    hook
                }
            };
            Member::item(&["hooks", event], value)
        };
        let version = match self {
            Self::Grouped { .. } => None,
            Self::Flat { version, .. } => Some(Member::new(&["version"], version.into())),
        };
        version.into_iter().chain(events.iter().map(hook)).collect()
    }
}
