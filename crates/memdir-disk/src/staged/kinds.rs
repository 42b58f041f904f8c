//! How often in a row the user rejected what extraction found, by kind.

use std::collections::BTreeMap;
use std::io;

use memdir_core::memory::memory_type::MemoryType;
use memdir_core::review::VERSION;
use serde::{Deserialize, Serialize};

use super::{MAX_BYTES, StagedPlans};
use crate::disk_error::{DiskError, IoContext};
use crate::state_file;

const KINDS: &str = "kinds.json";
/// So many rejections of one kind in a row, and extraction proposes it no more.
const ENOUGH: u32 = 3;

/// What `kinds.json` holds: of each kind, how many rejections there were since one was accepted.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kinds {
    v: u32,
    rejected: BTreeMap<String, u32>,
}

impl StagedPlans {
    /// The kinds that extraction proposes no more, because the user rejected them again and again. A broken file holds
    /// none.
    #[must_use]
    pub fn kinds_off(&self) -> Vec<MemoryType> {
        let kinds = self.kinds().unwrap_or_default();
        let is_off =
            |kind: &MemoryType| kinds.rejected.get(kind.as_str()).is_some_and(|&count| count >= ENOUGH);
        MemoryType::KNOWN.into_iter().filter(is_off).collect()
    }

    /// Counts a rejection of each of these kinds; tells which are off from now on.
    ///
    /// # Errors
    /// The system fails.
    pub fn count_rejected(&self, rejected: &[MemoryType]) -> Result<Vec<MemoryType>, DiskError> {
        let mut off = Vec::new();
        self.change_kinds(|kinds| {
            for kind in rejected {
                let count = kinds.rejected.entry(kind.as_str().to_owned()).or_default();
                *count = count.saturating_add(1);
                if *count == ENOUGH {
                    off.push(kind.clone());
                }
            }
        })?;
        Ok(off)
    }

    /// Forgets the rejections of these kinds: the user accepted one, or wants them again.
    ///
    /// # Errors
    /// The system fails.
    pub fn forget_rejected(&self, wanted: &[MemoryType]) -> Result<(), DiskError> {
        let kinds = self.kinds()?;
        if !wanted.iter().any(|kind| kinds.rejected.contains_key(kind.as_str())) {
            return Ok(());
        }
        self.change_kinds(|kinds| {
            kinds.rejected.retain(|known, _| wanted.iter().all(|kind| kind.as_str() != known));
        })
    }

    fn change_kinds(&self, change: impl FnOnce(&mut Kinds)) -> Result<(), DiskError> {
        let path = self.dir.join(KINDS);
        state_file::make_directory(&self.dir).during("create", &self.dir)?;
        let _lock = self.lock()?;
        let mut kinds = Kinds { v: VERSION, ..self.kinds()? };
        change(&mut kinds);
        let bytes = serde_json::to_vec(&kinds).map_err(io::Error::from).during("write", &path)?;
        state_file::replace(&path, &bytes).during("write", &path)
    }

    /// What cannot be understood counts as nothing: the user only has to reject again.
    fn kinds(&self) -> Result<Kinds, DiskError> {
        let path = self.dir.join(KINDS);
        let bytes = state_file::read(&path, MAX_BYTES).during("read", &path)?;
        let mut kinds: Kinds =
            bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        kinds.rejected.retain(|kind, _| MemoryType::known(kind).is_some());
        Ok(kinds)
    }
}
