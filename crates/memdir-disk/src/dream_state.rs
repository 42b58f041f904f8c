//! What dreams leave behind in our own state: their accounts, what is not to be done again, and who is at it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::operation::StoreId;
use memdir_core::review::is_id;
use serde::{Deserialize, Serialize};

use crate::platform::OpenOwn;
use crate::state_file::{self, make_directory};

/// The accounts of the dreams of one store, by the id of the operation or of the plan that waits. Part of docs/FORMAT.md.
#[derive(Debug, Clone)]
pub struct DreamState {
    folder: Utf8PathBuf,
}

/// Held by the one process that dreams for a store; the system releases it when that process ends.
#[derive(Debug)]
pub struct DreamLease {
    _lock: File,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Settled {
    v: u32,
    /// Oldest first.
    keys: Vec<String>,
}

const VERSION: u32 = 1;
const MAX_RECORD: usize = 16 << 20;
/// So many accounts are kept.
const MOST_RECORDS: usize = 100;
/// So much is remembered as settled; what was settled longest ago is forgotten first.
const MOST_SETTLED: usize = 50_000;

impl DreamState {
    /// What is kept of a store's dreams.
    #[must_use]
    pub fn of(state_dir: &Utf8Path, store: &StoreId) -> Self {
        Self { folder: state_dir.join("dream").join(&store.0) }
    }

    /// Takes the right to dream; `None` if another process has it.
    ///
    /// # Errors
    /// Our state cannot be written.
    pub fn lease(&self) -> io::Result<Option<DreamLease>> {
        make_directory(&self.folder)?;
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(false).private();
        let lock = options.open(self.folder.join("lock"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(DreamLease { _lock: lock })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// Keeps the account of a dream; old ones go.
    ///
    /// # Errors
    /// What the system says.
    pub fn keep(&self, id: &str, record: &[u8]) -> io::Result<()> {
        make_directory(&self.folder)?;
        state_file::replace(&self.record(id)?, record)?;
        let ids = self.ids();
        for old in ids.iter().rev().skip(MOST_RECORDS) {
            let _ = fs::remove_file(self.record(old)?);
        }
        Ok(())
    }

    /// The account of a dream; `None` if there is none.
    ///
    /// # Errors
    /// What the system says.
    pub fn get(&self, id: &str) -> io::Result<Option<Vec<u8>>> {
        match self.record(id) {
            Ok(path) => state_file::read(&path, MAX_RECORD),
            Err(_) => Ok(None),
        }
    }

    /// The account of a plan that waited is that of the operation that it became; `None`: it is forgotten.
    ///
    /// # Errors
    /// What the system says.
    pub fn rename(&self, id: &str, operation: Option<&str>) -> io::Result<()> {
        let old = self.record(id)?;
        match operation {
            Some(operation) => fs::rename(old, self.record(operation)?),
            None => fs::remove_file(old),
        }
    }

    /// The ids of all dreams, oldest first.
    #[must_use]
    pub fn ids(&self) -> Vec<String> {
        let entries = self
            .folder
            .read_dir_utf8()
            .map(|entries| entries.flatten().collect())
            .unwrap_or_else(|_| Vec::new());
        let names = entries.iter().filter_map(|entry| entry.file_name().strip_suffix(".json"));
        let mut ids: Vec<String> = names.filter(|name| is_id(name)).map(str::to_owned).collect();
        ids.sort_unstable();
        ids
    }

    /// What is not to be done again. A file that cannot be understood counts as none.
    #[must_use]
    pub fn settled(&self) -> BTreeSet<String> {
        self.read_settled().keys.into_iter().collect()
    }

    /// Remembers that something is not to be done again.
    ///
    /// # Errors
    /// What the system says.
    pub fn settle(&self, keys: &[String]) -> io::Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        make_directory(&self.folder)?;
        let _lock = state_file::lock(&self.folder.join("settled.lock"))?;
        let mut settled = self.read_settled();
        let known: BTreeSet<String> = settled.keys.iter().cloned().collect();
        settled.keys.extend(keys.iter().filter(|key| !known.contains(*key)).cloned());
        let surplus = settled.keys.len().saturating_sub(MOST_SETTLED);
        settled.keys.drain(..surplus);
        settled.v = VERSION;
        state_file::replace(&self.settled_path(), &serde_json::to_vec(&settled)?)
    }

    fn read_settled(&self) -> Settled {
        let content = state_file::read(&self.settled_path(), MAX_RECORD).ok().flatten().unwrap_or_default();
        serde_json::from_slice::<Settled>(&content)
            .ok()
            .filter(|found| found.v <= VERSION)
            .unwrap_or_default()
    }

    fn settled_path(&self) -> Utf8PathBuf {
        self.folder.join("settled.json")
    }

    fn record(&self, id: &str) -> io::Result<Utf8PathBuf> {
        if is_id(id) {
            Ok(self.folder.join(format!("{id}.json")))
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not an id"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_kept_and_what_is_settled_stays_so() {
        let temp = tempfile::tempdir().unwrap();
        let state = DreamState::of(Utf8Path::from_path(temp.path()).unwrap(), &StoreId::new(7));
        assert_eq!((state.ids(), state.settled()), (Vec::new(), BTreeSet::new()));
        let lease = state.lease().unwrap().unwrap();
        assert!(state.lease().unwrap().is_none());
        drop(lease);
        assert!(state.lease().unwrap().is_some());
        let id = |number: usize| format!("01hf7yat00zzzzz{number:03}");
        for number in 0..MOST_RECORDS + 3 {
            state.keep(&id(number), b"{}").unwrap();
        }
        assert_eq!((state.ids().len(), state.ids()[0].clone()), (MOST_RECORDS, id(3)));
        assert_eq!(state.get(&id(3)).unwrap().as_deref(), Some(&b"{}"[..]));
        state.rename(&id(3), Some(&id(999))).unwrap();
        state.rename(&id(4), None).unwrap();
        assert_eq!((state.get(&id(3)).unwrap(), state.ids().last().cloned()), (None, Some(id(999))));
        assert_eq!(state.get("../../etc/passwd").unwrap(), None);
        assert!(state.keep("settled", b"").is_err());
        state.settle(&["a".to_owned()]).unwrap();
        state.settle(&["a".to_owned(), "b".to_owned()]).unwrap();
        assert_eq!(state.settled(), ["a".to_owned(), "b".to_owned()].into());
        fs::write(state.settled_path(), "nonsense").unwrap();
        assert_eq!(state.settled(), BTreeSet::new());
    }
}
