//! The registry on disk: one small file a memory directory, one an identity, each found by its name alone.

use std::fs;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::operation::StoreId;
use memdir_core::project::identity::{IdentityKey, file_name};
use memdir_core::project::registry::{IdentityRecord, Place, ProjectRecord, Sighting, VERSION};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::state_file;

mod taken_over;

/// The registry below our state directory. Opening it touches nothing; only a change makes its folders.
#[derive(Debug, Clone)]
pub struct Registry {
    state_dir: Utf8PathBuf,
}

/// Why the registry could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The system said no.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that is not what it should be. It is treated as absent, and set aside before it would be replaced.
    #[error("`{path}` is not a registry file: {reason}")]
    Broken {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file of a newer memdir. It is never changed.
    #[error("`{path}` was written by a newer memdir (form {found}, this one knows {VERSION})")]
    Newer {
        /// The file.
        path: Utf8PathBuf,
        /// The version that it claims.
        found: u32,
    },
    /// Another process holds the lock and does not let go.
    #[error("another process keeps `{path}` locked")]
    Locked {
        /// The lock file.
        path: Utf8PathBuf,
    },
}

/// What the whole registry says, with the files that could not be read.
#[derive(Debug, Default)]
pub struct RegistryContent {
    /// Every readable record.
    pub projects: Vec<ProjectRecord>,
    /// What was skipped.
    pub problems: Vec<RegistryError>,
}

impl Registry {
    /// The registry below a state directory.
    #[must_use]
    pub fn new(state_dir: &Utf8Path) -> Self {
        Self { state_dir: state_dir.to_owned() }
    }

    /// What is known about a memory directory.
    ///
    /// # Errors
    /// The file is there and cannot be read or understood.
    pub fn project(&self, memory_dir: &Utf8Path) -> Result<Option<ProjectRecord>, RegistryError> {
        let path = self.project_file(memory_dir);
        let record = read::<ProjectRecord>(&path)?;
        checked(record, &path, |record| record.memory_dir == memory_dir && StoreId::is_valid(&record.store.0))
    }

    /// Where an identity was seen.
    ///
    /// # Errors
    /// The file is there and cannot be read or understood.
    pub fn identity(&self, key: &IdentityKey) -> Result<Option<IdentityRecord>, RegistryError> {
        let path = self.identity_file(key);
        let record = read::<IdentityRecord>(&path)?;
        checked(record, &path, |record| record.key == *key)
    }

    /// Everything, in no particular order.
    #[must_use]
    pub fn content(&self) -> RegistryContent {
        let mut content = RegistryContent::default();
        let Ok(entries) = fs::read_dir(self.folder("projects")) else { return content };
        for entry in entries.flatten() {
            let Ok(path) = Utf8PathBuf::from_path_buf(entry.path()) else { continue };
            if path.extension() != Some("json") {
                continue;
            }
            match read::<ProjectRecord>(&path) {
                Ok(record) => {
                    content.projects.extend(record.filter(|record| StoreId::is_valid(&record.store.0)));
                }
                Err(problem) => content.problems.push(problem),
            }
        }
        content
    }

    /// Remembers a sighting; writes only if that says something new. `random` becomes the store id of a memory
    /// directory that has none yet.
    ///
    /// # Errors
    /// The registry cannot be locked or written, or a newer memdir wrote it.
    pub fn record(&self, sighting: &Sighting, random: u128) -> Result<ProjectRecord, RegistryError> {
        if let Ok(Some(known)) = self.project(&sighting.memory_dir)
            && known.already_knows(sighting)
        {
            return Ok(known);
        }
        let _lock = self.lock()?;
        self.record_locked(sighting, random)
    }

    /// Remembers that the user trusts, or no longer trusts, the memory directory of a sighting.
    ///
    /// # Errors
    /// As [`Registry::record`].
    pub fn set_trusted(
        &self,
        sighting: &Sighting,
        trusted: bool,
        random: u128,
    ) -> Result<ProjectRecord, RegistryError> {
        let _lock = self.lock()?;
        let mut project = self.record_locked(sighting, random)?;
        if project.trusted != trusted {
            project.trusted = trusted;
            write(&self.project_file(&sighting.memory_dir), &project)?;
        }
        Ok(project)
    }

    /// Forgets a memory directory, its store id and its places; no memory is touched. Says what was forgotten.
    ///
    /// # Errors
    /// The registry cannot be locked or written.
    pub fn forget(&self, memory_dir: &Utf8Path) -> Result<Option<ProjectRecord>, RegistryError> {
        let _lock = self.lock()?;
        let Some(project) = self.project(memory_dir)? else { return Ok(None) };
        self.forget_locked(&project)?;
        Ok(Some(project))
    }

    /// Carries the record of a memory directory over to another place after its files went there. The store id
    /// goes with them; what the new place knew already stays.
    ///
    /// # Errors
    /// As [`Registry::record`].
    pub fn carry_over(
        &self,
        from: &Utf8Path,
        sighting: &Sighting,
        random: u128,
    ) -> Result<ProjectRecord, RegistryError> {
        let _lock = self.lock()?;
        let mut project = self.record_locked(sighting, random)?;
        let Some(old) = self.project(from)?.filter(|_| from != sighting.memory_dir) else {
            return Ok(project);
        };
        project.store = old.store.clone();
        project.merge(&old);
        self.record_places(&project)?;
        write(&self.project_file(&sighting.memory_dir), &project)?;
        self.forget_locked(&old)?;
        Ok(project)
    }

    fn forget_locked(&self, project: &ProjectRecord) -> Result<(), RegistryError> {
        for key in project.paths.iter().flat_map(|seen| &seen.keys) {
            let Ok(Some(mut identity)) = self.identity(key) else { continue };
            identity.places.retain(|place| place.memory_dir != project.memory_dir);
            let file = self.identity_file(key);
            if identity.places.is_empty() {
                remove(&file)?;
            } else {
                write(&file, &identity)?;
            }
        }
        remove(&self.project_file(&project.memory_dir))
    }

    fn record_locked(&self, sighting: &Sighting, random: u128) -> Result<ProjectRecord, RegistryError> {
        let path = self.project_file(&sighting.memory_dir);
        let known = absent_if_broken(self.project(&sighting.memory_dir))?;
        let mut project = match known {
            Some(known) => known,
            None => {
                let store = self.remembered_store(sighting).unwrap_or_else(|| StoreId::new(random));
                ProjectRecord::new(store, &sighting.memory_dir, &sighting.slug)
            }
        };
        project.sight(sighting);
        // Identities first: a process that finds the project's record finds those too.
        self.record_places(&project)?;
        write(&path, &project)?;
        Ok(project)
    }

    fn record_places(&self, project: &ProjectRecord) -> Result<(), RegistryError> {
        for seen in &project.paths {
            for key in &seen.keys {
                let place = Place {
                    store: project.store.clone(),
                    memory_dir: project.memory_dir.clone(),
                    path: seen.path.clone(),
                    seen: seen.last_seen,
                };
                let known = absent_if_broken(self.identity(key))?;
                let mut identity = known.unwrap_or_else(|| IdentityRecord::new(key.clone()));
                if identity.places.contains(&place) {
                    continue;
                }
                identity.sight(place);
                write(&self.identity_file(key), &identity)?;
            }
        }
        Ok(())
    }

    /// The store id of a memory directory whose own record was lost, from where its projects were seen.
    fn remembered_store(&self, sighting: &Sighting) -> Option<StoreId> {
        sighting.keys.iter().find_map(|key| {
            let identity = self.identity(key).ok()??;
            let place = identity.places.into_iter().find(|place| place.memory_dir == sighting.memory_dir)?;
            StoreId::is_valid(&place.store.0).then_some(place.store)
        })
    }

    fn lock(&self) -> Result<fs::File, RegistryError> {
        let path = self.state_dir.join("locks/registry.lock");
        match state_file::lock(&path) {
            Ok(Some(lock)) => Ok(lock),
            Ok(None) => Err(RegistryError::Locked { path }),
            Err(source) => Err(RegistryError::Io { action: "lock", path, source }),
        }
    }

    fn folder(&self, name: &str) -> Utf8PathBuf {
        self.state_dir.join("registry").join(name)
    }

    fn project_file(&self, memory_dir: &Utf8Path) -> Utf8PathBuf {
        self.folder("projects").join(file_name(memory_dir.as_str()))
    }

    fn identity_file(&self, key: &IdentityKey) -> Utf8PathBuf {
        self.folder("identities").join(key.file_name())
    }
}

/// No record of ours grows larger: it keeps a bounded number of paths.
const LIMIT: usize = 4 * 1024 * 1024;

#[derive(serde::Deserialize)]
struct Versioned {
    v: u32,
}

fn read<Record: DeserializeOwned>(path: &Utf8Path) -> Result<Option<Record>, RegistryError> {
    let content = state_file::read(path, LIMIT);
    let Some(content) =
        content.map_err(|source| RegistryError::Io { action: "read", path: path.to_owned(), source })?
    else {
        return Ok(None);
    };
    let broken =
        |error: serde_json::Error| RegistryError::Broken { path: path.to_owned(), reason: error.to_string() };
    let Versioned { v } = serde_json::from_slice(&content).map_err(broken)?;
    if v > VERSION {
        return Err(RegistryError::Newer { path: path.to_owned(), found: v });
    }
    serde_json::from_slice(&content).map(Some).map_err(broken)
}

/// A file that speaks of something else than its name says is as good as broken.
fn checked<Record>(
    record: Option<Record>,
    path: &Utf8Path,
    is_about: impl Fn(&Record) -> bool,
) -> Result<Option<Record>, RegistryError> {
    match record {
        Some(record) if !is_about(&record) => Err(RegistryError::Broken {
            path: path.to_owned(),
            reason: "it is about something else than its name says".to_owned(),
        }),
        record => Ok(record),
    }
}

/// Before a broken file would be replaced it gets another name, so that its owner can look at it.
fn absent_if_broken<Record>(
    result: Result<Option<Record>, RegistryError>,
) -> Result<Option<Record>, RegistryError> {
    let Err(RegistryError::Broken { path, .. }) = result else { return result };
    match state_file::keep_broken(&path) {
        Ok(true) => remove(&path).map(|()| None),
        Ok(false) => {
            let reason = "and too many broken ones are beside it already".to_owned();
            Err(RegistryError::Broken { path, reason })
        }
        Err(source) => Err(RegistryError::Io { action: "set aside", path, source }),
    }
}

fn write<Record: Serialize>(path: &Utf8Path, record: &Record) -> Result<(), RegistryError> {
    let failed = |source| RegistryError::Io { action: "write", path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        state_file::make_directory(folder).map_err(failed)?;
    }
    let mut content = serde_json::to_vec_pretty(record).map_err(|error| failed(error.into()))?;
    content.push(b'\n');
    state_file::replace(path, &content).map_err(failed)
}

fn remove(path: &Utf8Path) -> Result<(), RegistryError> {
    let failed = |source| RegistryError::Io { action: "remove", path: path.to_owned(), source };
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    path.parent().map_or(Ok(()), state_file::sync_directory).map_err(failed)
}

#[cfg(test)]
mod tests;
