//! Custom agents of a directory: their definitions, their memory, and what they are told about it.

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::agents::{
    AgentDefinition, AgentDirs, AgentName, FoundAgents, Home, OLD_ENTRYPOINT, Scope, find, rename_plan,
};
use memdir_core::env::Env;
use memdir_core::locate::{LocateError, Location, locate_with};
use memdir_core::look::Look;
use memdir_core::memory::entrypoint::MAX_BYTES;
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::project::git_root::find_git_root;
use memdir_core::prompt::{AgentMemory, IndexFile};
use memdir_core::rel_path::{ENTRYPOINT, PathRefused, RelPath};
use memdir_core::settings::{ClientFlags, Settings};
use memdir_disk::disk_error::DiskError;
use memdir_disk::memory_root::{FileStat, MemoryRoot};
use memdir_disk::real_look::RealLook;
use memdir_disk::registry::RegistryError;

use crate::features::read_features;
use crate::memory::{Memory, MemoryError};
use crate::place::switch_off;

mod agent_store;
mod snapshots;

pub use snapshots::{Kept, SnapshotStatus, Snapshots};

/// The agents of the directory in which a session starts.
#[derive(Debug)]
pub struct Agents {
    env: Env,
    location: Location,
    config_dir: Utf8PathBuf,
    dirs: AgentDirs,
    /// The JSON of the client's `--agents`.
    option: Option<String>,
}

/// Why an agent's memory could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum AgentsError {
    /// The files.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// Our registry.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A path.
    #[error(transparent)]
    Path(#[from] PathRefused),
    /// A snapshot.
    #[error("cannot use the snapshot in `{directory}`: {problem}")]
    Snapshot {
        /// Where it is.
        directory: Utf8PathBuf,
        /// What is wrong with it.
        problem: memdir_core::agents::snapshot::BadSnapshot,
    },
    /// There is no snapshot.
    #[error("there is no snapshot in `{0}`")]
    NoSnapshot(Utf8PathBuf),
    /// There is no memory to make a snapshot of.
    #[error("there is no memory in `{0}`")]
    NoMemory(Utf8PathBuf),
    /// A memory that would go into the repository holds secrets.
    #[error("nothing was handed on, because secrets would be: {}", .0.join(", "))]
    Secrets(Vec<String>),
    /// A link in the repository leads out of it.
    #[error("`{0}` leads out of the project by a link")]
    LeadsOut(Utf8PathBuf),
    /// There is no place for our own state.
    #[error("neither a home directory nor `$MEMDIR_HOME` says where to keep history")]
    NoState,
    /// The system has no random bits.
    #[error("the system gives no random bits: {0}")]
    NoRandom(std::io::Error),
    /// The user's settings, or what waits for the user.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The user does not want it.
    #[error("the user rejected this change before, so it is not proposed again")]
    Rejected,
}

impl Agents {
    /// Finds out where agents keep their memory; reads the client's settings and nothing else.
    ///
    /// # Errors
    /// What the client itself would refuse to start with, and a missing home directory.
    pub fn open(env: &Env, flags: &ClientFlags) -> Result<Self, LocateError> {
        let git_root = find_git_root(&env.cwd, &RealLook).map(|found| found.root);
        let settings = Settings::read(env, flags, git_root.as_deref(), &RealLook)?;
        let mut location = locate_with(env, &settings, git_root, &RealLook);
        switch_off(&mut location, read_features(env).0);
        let dirs = AgentDirs::new(env, &settings, &location.root);
        let config_dir = env.cwd.join(settings.config_dir());
        Ok(Self { env: env.clone(), location, config_dir, dirs, option: flags.agents.clone() })
    }

    /// Whether memory is on, and which rule says so. While it is off, agents have none.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Reads the definitions of the project and of the user, those given as JSON, and those of plugins.
    #[must_use]
    pub fn find(&self) -> FoundAgents {
        find(&self.env, &self.config_dir, self.option.as_deref(), &RealLook)
    }

    /// The definition of one agent.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<(Home, AgentDefinition)> {
        let mut found = self.find();
        let position = found.agents.iter().position(|(_, agent)| agent.name.as_str() == name)?;
        Some(found.agents.swap_remove(position))
    }

    /// Where an agent keeps its memory in a scope.
    #[must_use]
    pub fn memory_dir(&self, name: &AgentName, scope: Scope) -> Utf8PathBuf {
        self.dirs.of(name, scope)
    }

    /// The memory section of an agent; `None` while memory is off.
    ///
    /// An index that has its older name is given the present one, as a recorded operation, as long as that is
    /// possible; it is shown in any case.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn section(
        &self,
        name: &AgentName,
        scope: Scope,
        guidelines: &[&str],
        now: Timestamp,
    ) -> Result<Option<Section>, AgentsError> {
        if !self.location.enabled {
            return Ok(None);
        }
        let memory_dir = self.memory_dir(name, scope);
        let mut warnings: Vec<String> = name.warning().into_iter().collect();
        let (content, modified) = match self.index(name, scope, &memory_dir, now, &mut warnings)? {
            Some((content, stat)) => (content, time_of(stat.modified)),
            None => (Vec::new(), None),
        };
        let author = Memory::at_directory(&memory_dir, &self.env)
            .ok()
            .and_then(|memory| memory.last_author_of(ENTRYPOINT));
        let index = IndexFile { content: &content, modified, changed_by: author.as_ref(), now: Some(now) };
        let text =
            AgentMemory { name: name.as_str(), memory_dir: &memory_dir, scope, guidelines, index }.render();
        Ok(Some(Section { text, memory_dir, warnings }))
    }

    fn index(
        &self,
        name: &AgentName,
        scope: Scope,
        memory_dir: &Utf8Path,
        now: Timestamp,
        warnings: &mut Vec<String>,
    ) -> Result<Option<(Vec<u8>, FileStat)>, AgentsError> {
        let root = match MemoryRoot::open(memory_dir) {
            Err(error) if error.is_not_found() => return Ok(None),
            answer => answer?,
        };
        let mut read = |name: &str| match root.read_with_stat(&RelPath::parse(name)?, MAX_BYTES) {
            Ok(found) => Ok::<_, AgentsError>(found),
            // The agent works on without its index, and its user hears why.
            Err(error) => {
                warnings.push(format!("{error}: it is not loaded"));
                Ok(None)
            }
        };
        if let Some(index) = read(ENTRYPOINT)? {
            return Ok(Some(index));
        }
        let Some((old, stat)) = read(OLD_ENTRYPOINT)? else { return Ok(None) };
        if let Some(plan) = rename_plan(Some(&old), false)? {
            // The user did not ask for this: where the settings want a question, the old name stays.
            let asker = Author { kind: AuthorKind::Agent, id: Some(name.as_str().to_owned()), session: None };
            let renamed = self
                .confined(scope, memory_dir)
                .and_then(|()| self.submit((name, scope), memory_dir, &plan, &asker, now));
            if let Err(error) = renamed {
                warnings.push(format!("`{OLD_ENTRYPOINT}` was not renamed to `{ENTRYPOINT}`: {error}"));
            }
        }
        Ok(Some((old, stat)))
    }

    /// Refuses a directory of the project that a link leads out of it: a repository can hold such a link.
    fn confined(&self, scope: Scope, directory: &Utf8Path) -> Result<(), AgentsError> {
        if scope == Scope::User || !directory.starts_with(&self.env.cwd) {
            return Ok(());
        }
        let existing = directory.ancestors().find_map(|dir| RealLook.real_path(dir));
        match existing {
            Some(real) if real.starts_with(&self.env.cwd) => Ok(()),
            _ => Err(AgentsError::LeadsOut(directory.to_owned())),
        }
    }
}

/// A time in nanoseconds since 1970.
fn time_of(nanoseconds: i128) -> Option<Timestamp> {
    Timestamp::from_nanosecond(nanoseconds).ok()
}

/// What an agent is told about its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The text.
    pub text: String,
    /// The directory that it speaks of.
    pub memory_dir: Utf8PathBuf,
    /// What a person should know.
    pub warnings: Vec<String>,
}
