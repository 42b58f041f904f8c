//! Custom agents: their definitions, where their memory is, which tools it brings, and snapshots of it.

use std::fmt;
use std::str::FromStr;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Serialize, Serializer};

use crate::env::{self, Env};
use crate::project::encode_path::encode;
use crate::settings::Settings;

mod definition;
mod find;
mod given;
mod name;
mod rename;
pub mod snapshot;
mod tools;

pub use definition::AgentDefinition;
pub use find::{FoundAgents, Home, find};
pub use name::{AgentName, NameRefused};
pub use rename::{OLD_ENTRYPOINT, rename_plan};
pub use tools::{MEMORY_TOOLS, ToolList, Tools};

/// Who shares the memory of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// All projects of one user.
    User,
    /// Everybody who has the repository: it is checked in.
    Project,
    /// One user in one project on one machine.
    Local,
}

impl Scope {
    /// The scopes in the order in which they are listed.
    pub const ALL: [Self; 3] = [Self::User, Self::Project, Self::Local];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(word: &str) -> Result<Self, UnknownScope> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word).ok_or(UnknownScope)
    }
}

/// A word that is not a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a scope is `user`, `project` or `local`")]
pub struct UnknownScope;

impl Serialize for Scope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

fn is_below(directory: &Utf8Path, root: &Utf8Path) -> bool {
    directory != root && directory.starts_with(root)
}

fn is_in_claude_dir(directory: &Utf8Path) -> bool {
    directory.parent().and_then(Utf8Path::file_name) == Some(".claude")
}

/// The directories below which agents have their memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDirs {
    user: Utf8PathBuf,
    project: Utf8PathBuf,
    local: Utf8PathBuf,
}

impl AgentDirs {
    /// The directories for a session that starts in `env.cwd`. `root` names the project, as in
    /// [`crate::locate::Location`]; only a session in the cloud needs it.
    #[must_use]
    pub fn new(env: &Env, settings: &Settings, root: &Utf8Path) -> Self {
        let project = env.cwd.join(".claude/agent-memory");
        match settings.variable(env, env::REMOTE_MEMORY_DIR).filter(|found| !found.value.is_empty()) {
            Some(found) => {
                let remote = env.cwd.join(found.value);
                let local = remote.join("projects").join(encode(root.as_str())).join("agent-memory-local");
                Self { user: remote.join("agent-memory"), project, local }
            }
            None => Self {
                user: env.cwd.join(settings.config_dir()).join("agent-memory"),
                project,
                local: env.cwd.join(".claude/agent-memory-local"),
            },
        }
    }

    /// The directory that holds those of all agents.
    #[must_use]
    pub fn root(&self, scope: Scope) -> &Utf8Path {
        match scope {
            Scope::User => &self.user,
            Scope::Project => &self.project,
            Scope::Local => &self.local,
        }
    }

    /// The scope of a directory that is, or is in, the memory of an agent; `None` if it is something else.
    #[must_use]
    pub fn scope_of(&self, directory: &Utf8Path) -> Option<Scope> {
        if let Some(scope) = Scope::ALL.into_iter().find(|scope| is_below(directory, self.root(*scope))) {
            return Some(scope);
        }
        // The same directories of another project: sessions start in many places.
        let named = |name: &str| {
            let mut above = directory.ancestors().skip(1);
            above.any(|above| above.file_name() == Some(name) && is_in_claude_dir(above))
        };
        match (named("agent-memory-local"), named("agent-memory")) {
            (true, _) => Some(Scope::Local),
            (_, true) => Some(Scope::Project),
            _ => None,
        }
    }

    /// The memory directory of one agent.
    #[must_use]
    pub fn of(&self, name: &AgentName, scope: Scope) -> Utf8PathBuf {
        self.root(scope).join(name.directory())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_says_whose_memory_it_is() {
        let dirs = AgentDirs {
            user: "/h/.claude/agent-memory".into(),
            project: "/p/.claude/agent-memory".into(),
            local: "/p/.claude/agent-memory-local".into(),
        };
        let check = |directory: &str, scope: Option<Scope>| {
            assert_eq!(dirs.scope_of(Utf8Path::new(directory)), scope, "{directory}");
        };
        check("/h/.claude/agent-memory/reviewer", Some(Scope::User));
        check("/h/.claude/agent-memory/reviewer/notes", Some(Scope::User));
        check("/p/.claude/agent-memory/reviewer", Some(Scope::Project));
        check("/p/.claude/agent-memory-local/reviewer", Some(Scope::Local));
        check("/other/.claude/agent-memory/reviewer", Some(Scope::Project));
        check("/other/.claude/agent-memory-local/reviewer", Some(Scope::Local));
        check("/h/.claude/agent-memory", None);
        check("/h/.claude/projects/-p/memory", None);
        check("/h/notes/agent-memory/x", None);
    }
}
