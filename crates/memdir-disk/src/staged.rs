//! Plans that wait for the user, one file each, and what was rejected.

use std::fs;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::content_hash::ContentHash;
use memdir_core::gate::Admitted;
use memdir_core::operation::StoreId;
use memdir_core::review::{StagedPlan, VERSION, is_id};
use serde::{Deserialize, Serialize};

use crate::disk_error::{DiskError, IoContext};
use crate::state_file;

mod kinds;

/// The largest file that is read; a plan holds whole files.
const MAX_BYTES: usize = 64 << 20;
/// How many plans may wait: further proposals are refused.
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
    /// The file cannot be read, or is not a staged plan of a known version.
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
    pub fn put(&self, plan: &Admitted<StagedPlan>) -> Result<(), DiskError> {
        let plan = plan.get();
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

    /// Whether the user has rejected this before. Of a broken file counts what can be read.
    #[must_use]
    pub fn was_rejected(&self, fingerprint: &ContentHash) -> bool {
        self.rejected().0.contains(fingerprint)
    }

    /// Everything that the user rejected, as far as it can be read.
    #[must_use]
    pub fn rejections(&self) -> Vec<ContentHash> {
        self.rejected().0
    }

    /// What is wrong with the list of rejections, a line each: it is broken, or a broken one was set aside.
    #[must_use]
    pub fn rejection_problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.rejected().1.into_iter().collect();
        let names = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut aside: Vec<String> = names
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| {
                name.strip_prefix(REJECTED).is_some_and(|rest| rest.starts_with(state_file::BROKEN))
            })
            .collect();
        aside.sort();
        problems.extend(aside.into_iter().map(|name| {
            format!("`{}` is a list of rejections that was broken, and was set aside", self.dir.join(name))
        }));
        problems
    }

    /// Remembers that the user does not want this, by everything that it is known by.
    ///
    /// # Errors
    /// The system fails.
    pub fn remember_rejected(&self, known_by: &[ContentHash]) -> Result<(), DiskError> {
        state_file::make_directory(&self.dir).during("create", &self.dir)?;
        let _lock = self.lock()?;
        let path = self.dir.join(REJECTED);
        let (mut fingerprints, problem) = self.rejected();
        if problem.is_some() && !state_file::keep_broken(&path).during("set aside", &path)? {
            return DiskError::refused(&path, "it is broken, and too many broken ones are beside it already");
        }
        for fingerprint in known_by {
            if !fingerprints.contains(fingerprint) {
                fingerprints.push(*fingerprint);
            }
        }
        let behind = fingerprints.len().saturating_sub(MAX_REJECTED);
        fingerprints.drain(..behind);
        let bytes = serde_json::to_vec(&Rejected { v: VERSION, fingerprints });
        state_file::replace(&path, &bytes.map_err(io::Error::from).during("write", &path)?)
            .during("write", &path)
    }

    /// What was rejected, and what is wrong with the file that says so.
    fn rejected(&self) -> (Vec<ContentHash>, Option<String>) {
        let path = self.dir.join(REJECTED);
        let bytes = match state_file::read(&path, MAX_BYTES) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return (Vec::new(), None),
            Err(error) => return (Vec::new(), Some(format!("cannot read `{path}`: {error}"))),
        };
        match serde_json::from_slice::<Rejected>(&bytes) {
            Ok(rejected) => (rejected.fingerprints, None),
            Err(error) => {
                // A file that was cut off holds whole fingerprints still.
                let pieces = bytes.split(|byte| *byte == b'"');
                let whole =
                    pieces.filter_map(|piece| ContentHash::from_hex(std::str::from_utf8(piece).ok()?));
                (whole.collect(), Some(format!("cannot understand `{path}`: {error}")))
            }
        }
    }

    fn lock(&self) -> Result<fs::File, DiskError> {
        let held = state_file::lock(&self.lock).during("lock", &self.lock)?;
        held.ok_or_else(|| io::Error::from(io::ErrorKind::WouldBlock)).during("lock", &self.lock)
    }

    fn path(&self, id: &str) -> Result<Utf8PathBuf, DiskError> {
        if !is_id(id) {
            return DiskError::refused(Utf8Path::new(id), "this is not the id of a staged plan");
        }
        Ok(self.dir.join(format!("{id}.json")))
    }
}

/// The memory directories for which plans wait, with how many, except those of one store: a user who reviews one
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_list_of_rejections_is_kept_and_what_can_be_read_of_it_counts() {
        let hashes = [1, 2, 3].map(|number: u8| ContentHash::of(&[number]));
        let [first, second, third] = hashes;
        let check = |damage: &dyn Fn(&[u8]) -> Vec<u8>, still: &[ContentHash]| {
            let temp = tempfile::tempdir().unwrap();
            let plans = StagedPlans::of(Utf8Path::from_path(temp.path()).unwrap(), &StoreId("s".into()));
            assert!(!plans.was_rejected(&first));
            plans.remember_rejected(&[first]).unwrap();
            plans.remember_rejected(&[second]).unwrap();
            assert_eq!(plans.rejection_problems(), [""; 0]);
            let path = plans.dir.join(REJECTED);
            let broken = damage(&fs::read(&path).unwrap());
            fs::write(&path, &broken).unwrap();
            assert_eq!(plans.rejection_problems().len(), 1);
            plans.remember_rejected(&[third]).unwrap();
            let count = |hash: &&ContentHash| plans.was_rejected(hash);
            assert_eq!(hashes.iter().filter(count).copied().collect::<Vec<_>>(), [still, &[third]].concat());
            assert_eq!(fs::read(format!("{path}.broken")).unwrap(), broken);
            let told = plans.rejection_problems();
            assert!(told.len() == 1 && told[0].contains("rejected.json.broken"), "{told:?}");
            fs::write(&path, "{").unwrap();
            plans.remember_rejected(&[third]).unwrap();
            assert!(plans.dir.join("rejected.json.broken-2").exists());
        };
        check(&|bytes| bytes[..bytes.len() - 1].to_vec(), &[first, second]);
        check(&|bytes| bytes[..bytes.len() - 10].to_vec(), &[first]);
        check(&|_| Vec::new(), &[]);
        check(&|_| b"\0\0\xff".to_vec(), &[]);
    }
}
