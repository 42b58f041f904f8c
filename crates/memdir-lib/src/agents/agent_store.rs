//! The memory directory of an agent as a store: read whole, changed by plans.

use camino::Utf8Path;
use jiff::Timestamp;
use memdir_core::agents::snapshot::{BadSnapshot, Files, MAX_FILE_BYTES, MAX_FILES};
use memdir_core::agents::{AgentName, Scope};
use memdir_core::gate::{Admission, Admitted, WriteGate, secrets_policy};
use memdir_core::operation::{Author, StoreId};
use memdir_core::plan::{Content, Plan};
use memdir_core::project::registry::Sighting;
use memdir_disk::allow_list;
use memdir_disk::apply::{Applied, LOCK_PATIENCE, OnConflict, Request, Store, apply};
use memdir_disk::memory_root::MemoryRoot;
use memdir_disk::random::random_bits;
use memdir_disk::registry::Registry;
use memdir_disk::staged::StagedPlans;

use super::{Agents, AgentsError};
use crate::memory::merge::merge;
use crate::memory::{MemoryError, Submitted, propose, read_config};

impl Agents {
    pub(super) fn registry(&self) -> Result<Registry, AgentsError> {
        let state_dir = self.env.state_dir().ok_or(AgentsError::NoState)?;
        Ok(Registry::new(&state_dir))
    }

    /// What becomes of a change of an agent's memory: as the user's settings say for the scope.
    pub(super) fn submit(
        &self,
        (name, scope): (&AgentName, Scope),
        directory: &Utf8Path,
        plan: &Plan,
        author: &Author,
        now: Timestamp,
    ) -> Result<Submitted, AgentsError> {
        let config = read_config(self.env.config_file().as_deref())?;
        let store = self.store(name, directory, now)?;
        let state_dir = self.env.state_dir().ok_or(AgentsError::NoState)?;
        let allowed = allow_list::load(&state_dir)?;
        let gate = WriteGate {
            author: author.kind,
            is_on: self.location.enabled && config.features.auto_memory,
            mode: config.mode(author.kind, Some(&store), scope.into()),
            secrets: secrets_policy(config.secrets.on_write, author.kind),
            allowed: allowed.as_ref(),
        };
        match gate.admit(plan.clone()).map_err(MemoryError::from)? {
            Admission::Apply(plan) => {
                let applied = self.apply(&store, directory, &plan, author, now)?;
                Ok(Submitted::Applied(Box::new(applied)))
            }
            Admission::Review(plan) => {
                let staged = StagedPlans::of(&state_dir, &store);
                Ok(propose(&staged, plan, author, directory, now)?)
            }
        }
    }

    fn store(&self, name: &AgentName, directory: &Utf8Path, now: Timestamp) -> Result<StoreId, AgentsError> {
        let sighting = Sighting {
            memory_dir: directory.to_owned(),
            slug: name.directory().to_owned(),
            path: self.location.root.clone(),
            keys: Vec::new(),
            time: now,
        };
        let record = self.registry()?.record(&sighting, random_bits().map_err(AgentsError::NoRandom)?)?;
        Ok(record.store)
    }

    fn apply(
        &self,
        store: &StoreId,
        directory: &Utf8Path,
        plan: &Admitted<Plan>,
        author: &Author,
        now: Timestamp,
    ) -> Result<Applied, AgentsError> {
        let state_dir = self.env.state_dir().ok_or(AgentsError::NoState)?;
        let store =
            Store { memory_dir: directory, id: store, state_dir: &state_dir, follow_entrypoint_link: false };
        let request = Request {
            author,
            time: now,
            undo_of: None,
            staged: None,
            on_conflict: OnConflict::KeepBoth,
            patience: LOCK_PATIENCE,
            merge: &merge,
        };
        Ok(apply(&store, plan, &request)?)
    }
}

/// All memories in a directory; nothing if there is none. What is too large to be handed on is named.
pub(super) fn read_files(directory: &Utf8Path, warnings: &mut Vec<String>) -> Result<Files, AgentsError> {
    let root = match MemoryRoot::open(directory) {
        Err(error) if error.is_not_found() => return Ok(Files::new()),
        answer => answer?,
    };
    let listing = root.list_files(0)?;
    if listing.files.len() > MAX_FILES {
        return Err(AgentsError::Snapshot { directory: directory.to_owned(), problem: BadSnapshot::TooMuch });
    }
    warnings
        .extend(listing.left_out.iter().map(|left| format!("`{}` is left out: {}", left.path, left.rule)));
    let mut files = Files::new();
    for file in listing.files {
        if file.stat.size > MAX_FILE_BYTES {
            warnings.push(format!("`{}` is left out: larger than {MAX_FILE_BYTES} bytes", file.path));
        } else if let Some(content) = root.read(&file.path, MAX_FILE_BYTES)? {
            files.insert(file.path, Content(content));
        }
    }
    Ok(files)
}
