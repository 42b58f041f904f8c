//! The projects that have memory: knowing them again after a move, listing them all, finding what was lost.

mod carry;
mod relocation;
mod remember;
mod survey;

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::look::Look;
use memdir_core::operation::StoreId;
use memdir_core::project::encode_path::encode;
use memdir_core::project::findings::hint;
use memdir_core::project::git_root::find_git_root;
use memdir_core::project::identity::IdentityKey;
use memdir_core::project::registry::{Place, ProjectRecord, Sighting};
use memdir_core::project::relocate::lost_names;
use memdir_disk::identity_probe::{inode_of, probe, remote_of};
use memdir_disk::random::random_bits;
use memdir_disk::real_look::RealLook;
use memdir_disk::registry::{Registry, RegistryError};

pub use carry::Moved;
pub use memdir_disk::identity_probe::Probe;
pub use relocation::RelocationError;
pub(crate) use survey::directory_below;
pub use survey::{ProjectEntry, Survey};

/// Every project below one configuration directory of the client, and what our registry knows about them.
#[derive(Debug, Clone)]
pub struct Projects {
    config_dir: Utf8PathBuf,
    state_dir: Option<Utf8PathBuf>,
    registry: Option<Registry>,
}

/// The project in which a command runs, as locating its memory found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Here {
    /// The directory in which the client was started, links resolved.
    pub cwd: Utf8PathBuf,
    /// The directory that names the project: the root of its repository, else `cwd`.
    pub root: Utf8PathBuf,
    /// Where its repository keeps its data, if it has one.
    pub common_dir: Option<Utf8PathBuf>,
    /// The encoded name of `root`.
    pub slug: String,
    /// The directory below `projects/` that holds its memory unless a setting says otherwise.
    pub project_dir: Utf8PathBuf,
    /// Its memory directory.
    pub memory_dir: Utf8PathBuf,
}

/// What `memdir path` can say at little cost.
#[derive(Debug, Default)]
pub struct LookUp {
    /// The id of the memory directory, if it was seen before.
    pub store: Option<StoreId>,
    /// Whether the user trusts the memory directory that a repository's settings name.
    pub trusted: bool,
    /// Other living projects with the same encoded name.
    pub collides_with: Vec<Utf8PathBuf>,
    /// Where this project was before, with memory left behind.
    pub moved_from: Option<Place>,
    /// Memory of this project under a name that an older client gave it, while there is none under today's.
    pub lost: Vec<Utf8PathBuf>,
    /// Registry files that could not be read.
    pub problems: Vec<RegistryError>,
}

impl LookUp {
    /// What the user should be told, a line each.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let collisions = self.collides_with.iter().map(|other| {
            format!(
                "collision: `{other}` has the same encoded name, so both projects share this memory directory; `memdir project fix-collision` puts them apart"
            )
        });
        let moved = self.moved_from.iter().map(|place| {
            format!(
                "moved: this project was at `{}` and its memory is still in `{}`; `memdir project adopt` brings it here",
                place.path, place.memory_dir
            )
        });
        let lost = self.lost.iter().map(|memory_dir| {
            format!(
                "older name: memory of this project is in `{memory_dir}`, where an older client kept it; `memdir project adopt` brings it here"
            )
        });
        let problems = self.problems.iter().map(ToString::to_string);
        collisions.chain(moved).chain(lost).chain(problems).collect()
    }
}

/// Why the registry could not remember something.
#[derive(Debug, thiserror::Error)]
pub enum ProjectsError {
    /// There is no home directory, so there is no place for our state.
    #[error("no place for memdir's own state: neither `HOME` nor `MEMDIR_HOME` names a directory")]
    NoStateDir,
    /// The registry refused or failed.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The system gave no random bits for a new store id.
    #[error("cannot make a store id: {0}")]
    NoRandom(#[source] std::io::Error),
}

impl Projects {
    /// The projects below a configuration directory, with the registry below a state directory if there is one.
    #[must_use]
    pub fn new(config_dir: &Utf8Path, state_dir: Option<&Utf8Path>) -> Self {
        Self {
            config_dir: config_dir.to_owned(),
            state_dir: state_dir.map(ToOwned::to_owned),
            registry: state_dir.map(Registry::new),
        }
    }

    /// The project of a directory whose links are resolved, with its memory where the client keeps it by default.
    #[must_use]
    pub fn here(&self, cwd: &Utf8Path) -> Here {
        let git_root = find_git_root(cwd, &RealLook);
        let root = git_root.as_ref().map_or_else(|| cwd.to_owned(), |found| found.root.clone());
        let slug = encode(root.as_str());
        let project_dir = self.projects_dir().join(&slug);
        Here {
            cwd: cwd.to_owned(),
            root,
            common_dir: git_root.and_then(|found| found.common_dir),
            slug,
            memory_dir: project_dir.join("memory"),
            project_dir,
        }
    }

    /// What is known about a project at the cost of a few system calls; starts no process, writes nothing.
    #[must_use]
    pub fn look_up(&self, here: &Here) -> LookUp {
        let mut found = LookUp::default();
        let key = inode_of(&here.root).map(IdentityKey::of_inode);
        if let Some(registry) = &self.registry {
            let project = registry.project(&here.memory_dir).unwrap_or_else(|problem| {
                found.problems.push(problem);
                None
            });
            let known = project
                .iter()
                .flat_map(|project| &project.paths)
                .any(|seen| seen.path == here.root && key.as_ref().is_none_or(|key| seen.keys.contains(key)));
            let places = if known { Vec::new() } else { self.places_of(key.as_ref(), &mut found.problems) };
            let holds = |place: &Place| inode_of(&place.path).map(IdentityKey::of_inode) == key;
            let hints = hint(&here.root, &here.memory_dir, project.as_ref(), &places, &holds, &lives);
            found.collides_with = hints.collides_with;
            found.moved_from = hints.moved_from;
            found.trusted = project.as_ref().is_some_and(|project| project.trusted);
            found.store = project.map(|project| project.store);
        }
        for other in siblings_with_the_same_name(&here.root) {
            if !found.collides_with.contains(&other) {
                found.collides_with.push(other);
            }
        }
        // A user who keeps memory at a place of its own shares none.
        if here.memory_dir != here.project_dir.join("memory") {
            found.collides_with.clear();
        }
        found.collides_with.retain(|other| !names_own_memory(other));
        if found.moved_from.is_none() && !holds_files(&here.memory_dir) {
            found.lost = self.lost_memory(here);
        }
        found
    }

    /// Memory under the names that older clients gave to this directory and to its repository.
    fn lost_memory(&self, here: &Here) -> Vec<Utf8PathBuf> {
        let own = [here.root.clone(), here.cwd.clone()];
        let mut lost = Vec::new();
        for (name, ..) in lost_names(&own, &here.slug) {
            let memory = self.projects_dir().join(&name).join("memory");
            if memory != here.memory_dir && holds_files(&memory) && !self.is_used_by_another(&name, &own) {
                lost.push(memory);
            }
        }
        lost
    }

    /// Where the registry knows this project to have been, at the cost of a look or two.
    #[must_use]
    pub fn former_paths(&self, here: &Here) -> Vec<Utf8PathBuf> {
        let Some(registry) = &self.registry else { return Vec::new() };
        let known = registry.project(&here.memory_dir).ok().flatten();
        let known = known.into_iter().flat_map(|record| record.paths).map(|seen| seen.path);
        let key = inode_of(&here.root).map(IdentityKey::of_inode);
        let places = self.places_of(key.as_ref(), &mut Vec::new()).into_iter().map(|place| place.path);
        let mut paths: Vec<Utf8PathBuf> = Vec::new();
        for path in known.chain(places) {
            if path != here.root && !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// Remembers that the project was seen here. With [`Probe::Full`] this may start git: not for hooks. What was
    /// seen today already costs no more than a look.
    ///
    /// # Errors
    /// There is no registry, or it cannot be written.
    pub fn record_sighting(
        &self,
        here: &Here,
        depth: Probe,
        now: Timestamp,
    ) -> Result<ProjectRecord, ProjectsError> {
        let registry = self.registry()?;
        let cheap = sighting(here, Probe::Cheap, now);
        let is_deep_enough = |known: &ProjectRecord| match &here.common_dir {
            Some(common_dir) if depth == Probe::Full => {
                known.knows_repository_at(&here.root, remote_of(common_dir).as_deref())
            }
            _ => true,
        };
        if let Ok(Some(known)) = registry.project(&here.memory_dir)
            && known.already_knows(&cheap)
            && is_deep_enough(&known)
        {
            return Ok(known);
        }
        let random = random_bits().map_err(ProjectsError::NoRandom)?;
        Ok(registry.record(&sighting(here, depth, now), random)?)
    }

    /// Remembers a directory that belongs to no project: it gets a store id, and is not looked for elsewhere.
    ///
    /// # Errors
    /// There is no registry, or it cannot be written.
    pub fn record_directory(
        &self,
        directory: &Utf8Path,
        now: Timestamp,
    ) -> Result<ProjectRecord, ProjectsError> {
        let sighting = Sighting {
            memory_dir: directory.to_owned(),
            slug: directory.file_name().unwrap_or_default().to_owned(),
            path: directory.to_owned(),
            keys: Vec::new(),
            time: now,
        };
        let random = random_bits().map_err(ProjectsError::NoRandom)?;
        Ok(self.registry()?.record(&sighting, random)?)
    }

    /// Remembers whether the user trusts this project's memory directory.
    ///
    /// # Errors
    /// There is no registry, or it cannot be written.
    pub fn set_trusted(
        &self,
        here: &Here,
        trusted: bool,
        now: Timestamp,
    ) -> Result<ProjectRecord, ProjectsError> {
        let random = random_bits().map_err(ProjectsError::NoRandom)?;
        Ok(self.registry()?.set_trusted(&sighting(here, Probe::Full, now), trusted, random)?)
    }

    /// Forgets what the registry knows about a memory directory; no file of the user is touched.
    ///
    /// # Errors
    /// There is no registry, or it cannot be written.
    pub fn forget(&self, memory_dir: &Utf8Path) -> Result<Option<ProjectRecord>, ProjectsError> {
        Ok(self.registry()?.forget(memory_dir)?)
    }

    /// Remembers that a project's memory was brought here from another directory: its store id came along.
    ///
    /// # Errors
    /// There is no registry, or it cannot be written.
    pub fn record_relocation(
        &self,
        from_memory_dir: &Utf8Path,
        here: &Here,
        now: Timestamp,
    ) -> Result<ProjectRecord, ProjectsError> {
        let random = random_bits().map_err(ProjectsError::NoRandom)?;
        Ok(self.registry()?.carry_over(from_memory_dir, &sighting(here, Probe::Full, now), random)?)
    }

    /// The folder that holds a directory for every project.
    #[must_use]
    pub fn projects_dir(&self) -> Utf8PathBuf {
        self.config_dir.join("projects")
    }

    fn state_dir(&self) -> Result<&Utf8Path, ProjectsError> {
        self.state_dir.as_deref().ok_or(ProjectsError::NoStateDir)
    }

    /// The id of a memory directory; `None` if it was never seen.
    pub(crate) fn known_store(&self, memory_dir: &Utf8Path) -> Result<Option<StoreId>, ProjectsError> {
        Ok(self.registry()?.project(memory_dir)?.map(|project| project.store))
    }

    fn registry(&self) -> Result<&Registry, ProjectsError> {
        self.registry.as_ref().ok_or(ProjectsError::NoStateDir)
    }

    fn places_of(&self, key: Option<&IdentityKey>, problems: &mut Vec<RegistryError>) -> Vec<Place> {
        let (Some(registry), Some(key)) = (&self.registry, key) else { return Vec::new() };
        match registry.identity(key) {
            Ok(identity) => identity.map(|identity| identity.places).unwrap_or_default(),
            Err(problem) => {
                problems.push(problem);
                Vec::new()
            }
        }
    }
}

fn sighting(here: &Here, depth: Probe, now: Timestamp) -> Sighting {
    Sighting {
        memory_dir: here.memory_dir.clone(),
        slug: here.slug.clone(),
        path: here.root.clone(),
        keys: probe(&here.root, here.common_dir.as_deref(), depth).keys(),
        time: now,
    }
}

/// Whether there is a directory with something in it.
fn holds_files(directory: &Utf8Path) -> bool {
    fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some())
}

fn lives(path: &Utf8Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Whether a directory is a project of its own: not inside another person's repository.
fn is_own_root(path: &Utf8Path) -> bool {
    find_git_root(path, &RealLook).is_none_or(|found| found.root == path)
}

/// Whether the user's settings for a project put its memory somewhere else than its name does.
fn names_own_memory(root: &Utf8Path) -> bool {
    let settings = RealLook.read(&root.join(LOCAL_SETTINGS), 1 << 20).unwrap_or_default();
    let settings: serde_json::Value = serde_json::from_slice(&settings).unwrap_or_default();
    settings.get(MEMORY_DIRECTORY).is_some_and(serde_json::Value::is_string)
}

/// The user's settings for one project, below its root.
pub(crate) const LOCAL_SETTINGS: &str = ".claude/settings.local.json";

/// The setting that puts memory somewhere else.
pub(crate) const MEMORY_DIRECTORY: &str = "autoMemoryDirectory";

/// Projects beside this one whose names are encoded alike, as `a_b` and `a-b` are. Two such differ only where a
/// dash may be, so a name of letters and digits has none and its parent is not listed.
fn siblings_with_the_same_name(root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let (Some(name), Some(parent)) = (root.file_name(), root.parent()) else { return Vec::new() };
    if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Vec::new();
    }
    let Ok(entries) = fs::read_dir(parent) else { return Vec::new() };
    let names = entries.take(MAX_SIBLINGS).flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let own = encode(root.as_str());
    names
        .filter(|other| other != name)
        .map(|other| parent.join(other))
        .filter(|other| encode(other.as_str()) == own)
        .filter(|other| {
            fs::symlink_metadata(other).is_ok_and(|metadata| metadata.is_dir()) && is_own_root(other)
        })
        .collect()
}

/// A look-up stays quick in a folder with a hundred thousand entries.
const MAX_SIBLINGS: usize = 4_096;
