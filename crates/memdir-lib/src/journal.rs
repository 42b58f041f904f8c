//! The journal of a project: found, started, written and recovered from.
//!
//! A record is durable when its function returns. Index, archive and `_session.json` follow from the records: they are
//! replaced whole, not waited for, and [`Journal::rebuild`] makes them anew.

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::env::Env;
use memdir_core::journal::branch::current_branch;
use memdir_core::journal::key::JournalPlace;
use memdir_core::operation::{Author, StoreId};
use memdir_core::settings::ClientFlags;
use memdir_disk::disk_error::DiskError;
use memdir_disk::memory_root::MemoryRoot;
use memdir_disk::real_look::RealLook;

use crate::place::Place;
use crate::projects::{Here, Projects};

mod agent_run;
mod branch_state;
mod error;
mod follow;
mod gate;
mod health;
mod life;
mod migrate;
mod place;
mod read;
mod rebuild;
mod records;
mod recover;
mod subagents;
mod surroundings;
mod tool_write;
mod watch;
mod work;
mod write;

pub use agent_run::EndedAgent;
pub use error::JournalError;
pub use follow::Followed;
pub use life::{IndexHealth, Started, Status, Stopped};
pub use migrate::{Migration, MigrationAction, MigrationStep};
pub use place::find_journal;
pub use read::{Filter, Listed};
pub use rebuild::RebuildReport;
pub use records::{NewAnalysis, NewDecision, NewProject};
pub use recover::{Recovery, RecoveryOptions};
pub use subagents::{Consolidated, NewOutput};
pub use watch::{Watched, watch_transcript};
pub use write::Written;

/// The largest file of a journal that is read.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// The journal of one project, which need not exist yet: looking never creates it, [`Journal::start`] does.
#[derive(Debug)]
pub struct Journal {
    env: Env,
    here: Here,
    projects: Projects,
    place: JournalPlace,
    branch: String,
    store: Option<StoreId>,
    /// The project's memory, whose mode for agents' writes counts here too.
    memory_store: Option<StoreId>,
    /// Whether the client's rule says that memory is on here.
    is_on: bool,
}

/// Who writes, and when.
#[derive(Debug, Clone, Copy)]
pub struct Writer<'w> {
    /// The person or the agent, with its session.
    pub author: &'w Author,
    /// The moment.
    pub now: Timestamp,
}

impl Journal {
    /// Finds the journal of the project in which `env.cwd` is.
    ///
    /// # Errors
    /// What the client itself would refuse to start with.
    pub fn open(env: &Env, flags: &ClientFlags) -> Result<Self, JournalError> {
        Ok(Self::at_place(&Place::find(env, flags)?, env))
    }

    /// The journal of a place that was found already.
    #[must_use]
    pub fn at_place(place: &Place, env: &Env) -> Self {
        Self {
            env: env.clone(),
            here: place.here.clone(),
            projects: place.projects.clone(),
            place: find_journal(place, env),
            branch: current_branch(&env.cwd, &RealLook).unwrap_or_default(),
            store: None,
            memory_store: place.look_up.store.clone(),
            is_on: place.location.enabled,
        }
    }

    /// The name of the journal below `projects/`.
    #[must_use]
    pub fn key(&self) -> &str {
        self.place.key.as_str()
    }

    /// Its directory.
    #[must_use]
    pub fn directory(&self) -> &Utf8Path {
        &self.place.directory
    }

    /// Whether there is one.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.place.exists
    }

    /// The project's root directory.
    #[must_use]
    pub fn project_path(&self) -> &Utf8Path {
        &self.here.root
    }

    /// The branch that is checked out; empty outside a repository.
    #[must_use]
    pub fn branch(&self) -> &str {
        &self.branch
    }

    fn root(&self) -> Result<MemoryRoot, JournalError> {
        match MemoryRoot::open(self.directory()) {
            Err(error) if error.is_not_found() => {
                Err(JournalError::NoJournal { project: self.here.root.clone() })
            }
            root => Ok(root?),
        }
    }

    fn state_dir(&self) -> Result<Utf8PathBuf, JournalError> {
        self.env.state_dir().ok_or(JournalError::NoStateDir)
    }

    /// Reads a file of the journal as text, whatever its encoding; `None` if there is none.
    fn text(&self, root: &MemoryRoot, path: &str) -> Result<Option<String>, JournalError> {
        let path = memdir_core::rel_path::RelPath::parse(path)?;
        let read = root.read(&path, MAX_FILE_BYTES);
        Ok(absent_if_missing(read)?.map(|bytes| memdir_core::journal::decode(&bytes).0))
    }
}

fn absent_if_missing<T>(result: Result<Option<T>, DiskError>) -> Result<Option<T>, DiskError> {
    match result {
        Err(error) if error.is_not_found() => Ok(None),
        result => result,
    }
}
