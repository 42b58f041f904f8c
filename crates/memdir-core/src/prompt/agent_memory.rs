//! The memory section of a custom agent.

use camino::Utf8Path;

use super::auto_memory::{NOT_SAVED, TRUST, TYPES, how_to_save, thousands};
use super::index_block::IndexFile;
use super::shown_dir::shown_dir;
use crate::agents::Scope;
use crate::hygiene::Owner;
use crate::memory::entrypoint::{self, ENTRYPOINT, MAX_LINES, MAX_UNITS};

/// What the memory section of a custom agent depends on.
#[derive(Debug, Clone, Copy)]
pub struct AgentMemory<'a> {
    /// The agent's name.
    pub name: &'a str,
    /// The agent's memory directory.
    pub memory_dir: &'a Utf8Path,
    /// Who shares it.
    pub scope: Scope,
    /// What the caller wants to add, an item each.
    pub guidelines: &'a [&'a str],
    /// Its MEMORY.md.
    pub index: IndexFile<'a>,
}

impl AgentMemory<'_> {
    /// The section, the index at its end.
    #[must_use]
    pub fn render(&self) -> String {
        let dir = shown_dir(self.memory_dir);
        let mut rules = vec![scope_line(self.scope)];
        rules.extend(self.guidelines.iter().map(|text| text.trim()));
        let rules: Vec<String> = rules.iter().map(|rule| format!("- {rule}")).collect();
        let blocks = [
            opening(&dir, &rules.join("\n")),
            TYPES.to_owned(),
            NOT_SAVED.to_owned(),
            how_to_save(),
            TRUST.to_owned(),
            self.index.block(entrypoint::Profile::Agent, Owner::Agent(self.name)),
        ];
        blocks.join("\n\n")
    }
}

fn opening(dir: &str, rules: &str) -> String {
    let units = thousands(MAX_UNITS);
    format!(
        "\
# Persistent Agent Memory

`{dir}` is your own memory, apart from that of the agent who calls you: `.md` files that outlive this run. Read, Write and Edit work there without asking. Before you begin, open what the index below has on the task; before you report, save what would have spared you time.

{rules}
- `{ENTRYPOINT}` is the index, one line for each memory. The first {MAX_LINES} lines of it are shown to you when you start, at most {units} characters."
    )
}

fn scope_line(scope: Scope) -> &'static str {
    match scope {
        Scope::User => {
            "Scope `user`: all projects of this user share it, so save what holds in every one of them."
        }
        Scope::Project => {
            "Scope `project`: it is checked in and read by everybody who has this repository, so save what \
             concerns the project, and nothing private."
        }
        Scope::Local => {
            "Scope `local`: it stays on this machine and out of version control, so save what concerns this \
             project here."
        }
    }
}
