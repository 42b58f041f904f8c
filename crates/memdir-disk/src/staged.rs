//! Plans that wait for the user, one file each, and what was rejected.

use std::fs;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::StoreId;
use memdir_core::review::{StagedPlan, VERSION, is_id};
use serde::{Deserialize, Serialize};

use crate::disk_error::{DiskError, IoContext};
use crate::state_file;

/// The largest file that is read; a plan holds whole files.
const MAX_BYTES: usize = 64 << 20;
/// How many plans may wait: whoever proposes more is not heard.
pub const MAX_STAGED: usize = 1_000;
/// How many rejections are remembered, the newest.
const MAX_REJECTED: usize = 10_000;

/// The plans that wait for one store.
#[derive(Debug, Clone)]
pub struct StagedPlans {
    dir: Utf8PathBuf,
    lock: Utf8PathBuf,
}

/// What `rejected.json` holds.
#[derive(Debug, Serialize, Deserialize)]
struct Rejected {
    v: u32,
    fingerprints: Vec<ContentHash>,
}

/// Plans that wait, oldest first, and files that could not be understood.
#[derive(Debug, Default)]
pub struct Waiting {
    /// The plans.
    pub plans: Vec<StagedPlan>,
    /// What is wrong with other files, a line each.
    pub problems: Vec<String>,
}

impl StagedPlans {
    /// The plans of a store below our state directory. Nothing is opened or created yet.
    #[must_use]
    pub fn of(state_dir: &Utf8Path, store: &StoreId) -> Self {
        Self {
            dir: state_dir.join("staged").join(store.to_string()),
            lock: state_dir.join("locks/staged.lock"),
        }
    }

    /// Every plan that waits, oldest first.
    #[must_use]
    pub fn waiting(&self) -> Waiting {
        let mut waiting = Waiting::default();
        let ids = self.ids().unwrap_or_else(|error| {
            waiting.problems.push(error.to_string());
            Vec::new()
        });
        for id in ids {
            match self.get(&id) {
                Ok(Some(plan)) => waiting.plans.push(plan),
                Ok(None) => {}
                Err(error) => waiting.problems.push(error.to_string()),
            }
        }
        waiting
    }

    /// The ids of the plans that wait, oldest first, without reading them.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn ids(&self) -> Result<Vec<String>, DiskError> {
        let entries = match fs::read_dir(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.and_then(Iterator::collect::<io::Result<Vec<_>>>).during("list", &self.dir)?,
        };
        let names = entries.iter().filter_map(|entry| entry.file_name().into_string().ok());
        let mut ids: Vec<String> = names
            .filter_map(|name| name.strip_suffix(".json").filter(|stem| is_id(stem)).map(str::to_owned))
            .take(MAX_STAGED * 2)
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Reads one plan; `None` if there is none with that id.
    ///
    /// # Errors
    /// The file cannot be read, or is no staged plan of a version that we know.
    pub fn get(&self, id: &str) -> Result<Option<StagedPlan>, DiskError> {
        let path = self.path(id)?;
        let Some(bytes) = state_file::read(&path, MAX_BYTES).during("read", &path)? else { return Ok(None) };
        let invalid = |error: &dyn std::fmt::Display| DiskError::Io {
            action: "understand",
            path: path.clone(),
            source: io::Error::new(io::ErrorKind::InvalidData, error.to_string()),
        };
        let plan: StagedPlan = serde_json::from_slice(&bytes).map_err(|error| invalid(&error))?;
        if plan.v > VERSION || plan.id != id {
            return Err(invalid(&"it is not the staged plan that its name says, or of a newer version"));
        }
        Ok(Some(plan))
    }

    /// Stores a plan: durable when it returns.
    ///
    /// # Errors
    /// Too many wait already, or the system fails.
    pub fn put(&self, plan: &StagedPlan) -> Result<(), DiskError> {
        let path = self.path(&plan.id)?;
        state_file::make_directory(&self.dir).during("create", &self.dir)?;
        let _lock = self.lock()?;
        if self.ids()?.len() >= MAX_STAGED && !path.exists() {
            return DiskError::refused(&self.dir, "a thousand changes wait for review already");
        }
        let bytes = serde_json::to_vec(plan).map_err(io::Error::from).during("write", &path)?;
        state_file::replace(&path, &bytes).during("write", &path)
    }

    /// Removes a plan that was accepted or rejected; it may be gone already.
    ///
    /// # Errors
    /// The system fails.
    pub fn remove(&self, id: &str) -> Result<(), DiskError> {
        let path = self.path(id)?;
        match fs::remove_file(&path) {
            Ok(()) => state_file::sync_directory(&self.dir).during("sync", &self.dir),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error).during("remove", &path),
        }
    }

    /// Whether the user has rejected this before. A file that cannot be read rejects nothing.
    #[must_use]
    pub fn was_rejected(&self, fingerprint: &ContentHash) -> bool {
        self.rejected().contains(fingerprint)
    }

    /// Remembers that the user does not want this.
    ///
    /// # Errors
    /// The system fails.
    pub fn remember_rejected(&self, fingerprint: ContentHash) -> Result<(), DiskError> {
        state_file::make_directory(&self.dir).during("create", &self.dir)?;
        let _lock = self.lock()?;
        let mut fingerprints = self.rejected();
        if !fingerprints.contains(&fingerprint) {
            fingerprints.push(fingerprint);
        }
        let behind = fingerprints.len().saturating_sub(MAX_REJECTED);
        fingerprints.drain(..behind);
        let path = self.dir.join(REJECTED);
        let bytes = serde_json::to_vec(&Rejected { v: VERSION, fingerprints });
        state_file::replace(&path, &bytes.map_err(io::Error::from).during("write", &path)?)
            .during("write", &path)
    }

    fn rejected(&self) -> Vec<ContentHash> {
        let bytes = state_file::read(&self.dir.join(REJECTED), MAX_BYTES).ok().flatten().unwrap_or_default();
        serde_json::from_slice::<Rejected>(&bytes).map(|rejected| rejected.fingerprints).unwrap_or_default()
    }

    fn lock(&self) -> Result<fs::File, DiskError> {
        let held = state_file::lock(&self.lock).during("lock", &self.lock)?;
        held.ok_or_else(|| io::Error::from(io::ErrorKind::WouldBlock)).during("lock", &self.lock)
    }

    fn path(&self, id: &str) -> Result<Utf8PathBuf, DiskError> {
        if !is_id(id) {
            return DiskError::refused(Utf8Path::new(id), "this is no id of a staged plan");
        }
        Ok(self.dir.join(format!("{id}.json")))
    }
}

/// The memory directories for which plans wait, with how many, except those of one store: whoever reviews one
/// project should hear of the others.
#[must_use]
pub fn waiting_elsewhere(state_dir: &Utf8Path, own: Option<&StoreId>) -> Vec<(Utf8PathBuf, usize)> {
    let Ok(entries) = fs::read_dir(state_dir.join("staged")) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let stores = names.filter(|name| StoreId::is_valid(name)).map(StoreId).filter(|store| Some(store) != own);
    let mut found: Vec<(Utf8PathBuf, usize)> = stores
        .filter_map(|store| {
            let plans = StagedPlans::of(state_dir, &store);
            let ids = plans.ids().ok()?;
            let first = plans.get(ids.first()?).ok().flatten()?;
            Some((first.memory_dir, ids.len()))
        })
        .collect();
    found.sort();
    found
}

const REJECTED: &str = "rejected.json";
