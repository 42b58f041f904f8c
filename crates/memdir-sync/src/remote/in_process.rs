//! A remote that lies in this process: what the algorithm is proven on, and what it looks like at its simplest.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use memdir_core::content_hash::ContentHash;

use super::{Listed, MAX_PAST, Prepared, Published, Put, Remote, RemoteError, Version};

/// What all handles on one remote share.
#[derive(Debug, Clone, Default)]
pub struct InProcess {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Clone, Default)]
struct Shared {
    head: Option<Version>,
    versions: HashMap<Version, Snapshot>,
    contents: HashMap<String, Vec<u8>>,
    count: u64,
}

#[derive(Debug, Clone, Default)]
struct Snapshot {
    parent: Option<Version>,
    files: BTreeMap<String, String>,
}

impl InProcess {
    /// An empty remote. Clones of it are other ways to the same one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts an older version in the place of the newest, as a host does that restores a backup.
    pub fn roll_back_to(&self, version: &Version) {
        if let Ok(mut shared) = self.shared.lock() {
            shared.head = Some(version.clone());
        }
    }

    /// Another remote that holds the same: what is sent to one does not reach the other.
    #[must_use]
    pub fn copy(&self) -> Self {
        let shared = self.shared.lock().map(|shared| shared.clone()).unwrap_or_default();
        Self { shared: Arc::new(Mutex::new(shared)) }
    }

    fn lock(&self) -> Result<MutexGuard<'_, Shared>, RemoteError> {
        self.shared.lock().map_err(|_| RemoteError::Here { message: "another thread failed".to_owned() })
    }
}

impl Remote for InProcess {
    fn head(&mut self) -> Result<Option<Version>, RemoteError> {
        Ok(self.lock()?.head.clone())
    }

    fn view(&mut self, version: &Version) -> Result<Vec<Listed>, RemoteError> {
        let shared = self.lock()?;
        let snapshot = shared.versions.get(version).ok_or_else(|| unknown(version))?;
        let listed = snapshot.files.iter().map(|(path, id)| Listed {
            path: path.clone(),
            id: id.clone(),
            is_file: true,
        });
        Ok(listed.collect())
    }

    fn read(&mut self, ids: &[&str], limit: usize) -> Result<Vec<Option<Vec<u8>>>, RemoteError> {
        let shared = self.lock()?;
        let content = |id: &&str| shared.contents.get(*id).filter(|content| content.len() <= limit).cloned();
        Ok(ids.iter().map(content).collect())
    }

    fn prepare(&mut self, onto: Option<&Version>, puts: &[Put], _: &str) -> Result<Prepared, RemoteError> {
        let mut shared = self.lock()?;
        let mut files = match onto {
            Some(onto) => shared.versions.get(onto).ok_or_else(|| unknown(onto))?.files.clone(),
            None => BTreeMap::new(),
        };
        let mut ids = BTreeMap::new();
        for put in puts {
            match &put.content {
                Some(content) => {
                    let id = ContentHash::of(content).to_string();
                    shared.contents.insert(id.clone(), content.clone());
                    files.insert(put.path.clone(), id.clone());
                    ids.insert(put.path.clone(), id);
                }
                None => {
                    files.remove(&put.path);
                }
            }
        }
        shared.count += 1;
        let version = Version(format!("v{}", shared.count));
        shared.versions.insert(version.clone(), Snapshot { parent: onto.cloned(), files });
        Ok(Prepared { version, ids })
    }

    fn publish(&mut self, onto: Option<&Version>, next: &Version) -> Result<Published, RemoteError> {
        let mut shared = self.lock()?;
        if !shared.versions.contains_key(next) {
            return Err(unknown(next));
        }
        if shared.head.as_ref() != onto {
            return Ok(Published::Moved);
        }
        shared.head = Some(next.clone());
        Ok(Published::Done)
    }

    fn descends(&mut self, newer: &Version, older: &Version) -> Result<bool, RemoteError> {
        let shared = self.lock()?;
        let mut version = Some(newer);
        while let Some(current) = version {
            if current == older {
                return Ok(true);
            }
            version = shared.versions.get(current).and_then(|snapshot| snapshot.parent.as_ref());
        }
        Ok(false)
    }

    fn ever_held(&mut self, version: &Version, path: &str, id: &str) -> Result<bool, RemoteError> {
        let shared = self.lock()?;
        let mut snapshot = shared.versions.get(version);
        while let Some(current) = snapshot {
            if current.files.get(path).is_some_and(|held| held == id) {
                return Ok(true);
            }
            snapshot = current.parent.as_ref().and_then(|parent| shared.versions.get(parent));
        }
        Ok(false)
    }

    fn past_of(&mut self, version: &Version, path: &str) -> Result<Vec<String>, RemoteError> {
        let shared = self.lock()?;
        let mut found: Vec<String> = Vec::new();
        let mut snapshot = shared.versions.get(version);
        while let Some(current) = snapshot.filter(|_| found.len() < MAX_PAST) {
            if let Some(id) = current.files.get(path).filter(|id| found.last() != Some(id)) {
                found.push(id.clone());
            }
            snapshot = current.parent.as_ref().and_then(|parent| shared.versions.get(parent));
        }
        Ok(found)
    }
}

fn unknown(version: &Version) -> RemoteError {
    RemoteError::Malformed { message: format!("there is no version `{}`", version.0) }
}
