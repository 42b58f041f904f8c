//! The memory directory of an agent as a store: read whole, changed by plans.

use camino::Utf8Path;
use jiff::Timestamp;
use memdir_core::agents::AgentName;
use memdir_core::agents::snapshot::{BadSnapshot, Files, MAX_FILE_BYTES, MAX_FILES};
use memdir_core::operation::Author;
use memdir_core::plan::{Content, Plan};
use memdir_core::project::registry::Sighting;
use memdir_disk::apply::{Applied, LOCK_PATIENCE, OnConflict, Request, Store, apply};
use memdir_disk::memory_root::MemoryRoot;
use memdir_disk::random::random_bits;
use memdir_disk::registry::Registry;

use super::{Agents, AgentsError};
use crate::memory::merge::merge;

impl Agents {
    pub(super) fn registry(&self) -> Result<Registry, AgentsError> {
        let state_dir = self.env.state_dir().ok_or(AgentsError::NoState)?;
        Ok(Registry::new(&state_dir))
    }

    /// Applies a plan to a directory of an agent, for the person at the command line.
    pub(super) fn apply(
        &self,
        name: &AgentName,
        directory: &Utf8Path,
        plan: &Plan,
        now: Timestamp,
    ) -> Result<Applied, AgentsError> {
        let state_dir = self.env.state_dir().ok_or(AgentsError::NoState)?;
        let sighting = Sighting {
            memory_dir: directory.to_owned(),
            slug: name.directory().to_owned(),
            path: self.location.root.clone(),
            keys: Vec::new(),
            time: now,
        };
        let record = self.registry()?.record(&sighting, random_bits().map_err(AgentsError::NoRandom)?)?;
        let store = Store {
            memory_dir: directory,
            id: &record.store,
            state_dir: &state_dir,
            follow_entrypoint_link: false,
        };
        let author = Author::person();
        let request = Request {
            author: &author,
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
