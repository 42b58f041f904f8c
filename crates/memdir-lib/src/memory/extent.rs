//! Directories that are kept like a memory and belong to no project: the map of the workspace, the profile, and memory for
//! all projects or for this machine.

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::config::WriteScope;
use memdir_core::env::Env;
use memdir_core::locate::Trust;
use memdir_core::settings::ClientFlags;
use memdir_core::state_place::MACHINE_MEMORY;
use memdir_disk::real_path::real_path;

use super::{Memory, MemoryError, open_if_there};
use crate::place::Place;

/// A directory that is kept like a memory and belongs to no project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The client's configuration directory, of which the map of the workspace is ours and nothing else: it is
    /// never listed and never looked through.
    Workspace,
    /// The user's profile: a directory of its own.
    Profile,
    /// What the user keeps for all projects.
    User,
    /// What counts on this machine alone: never synced.
    Machine,
}

/// The user's profile below the configuration directory.
const PROFILE: &str = "user";
/// The memory for all projects below the configuration directory.
const USER_MEMORY: &str = "memory";

impl Extent {
    /// Where it is. What stays on this machine is beside our own state, because people copy and publish the client's
    /// configuration directory; without a home directory there is no place for it.
    #[must_use]
    pub fn directory(self, config_dir: &Utf8Path, env: &Env) -> Option<Utf8PathBuf> {
        match self {
            Self::Workspace => Some(config_dir.to_owned()),
            Self::Profile => Some(config_dir.join(PROFILE)),
            Self::User => Some(config_dir.join(USER_MEMORY)),
            Self::Machine => Some(env.state_dir()?.join(MACHINE_MEMORY)),
        }
    }

    /// The directories of the memories that count in every project.
    #[must_use]
    pub fn wider_directories(config_dir: &Utf8Path, env: &Env) -> Vec<Utf8PathBuf> {
        [Self::User, Self::Machine].iter().filter_map(|extent| extent.directory(config_dir, env)).collect()
    }
}

impl Memory {
    /// Opens what is beside the memories of all projects.
    ///
    /// # Errors
    /// There is no home directory, the client's settings cannot be read, or the directory cannot be opened.
    pub fn beside(extent: Extent, env: &Env) -> Result<Self, MemoryError> {
        let place = Place::find(env, &ClientFlags::default())?;
        let config_dir = real_config_dir(place.settings.config_dir(), env);
        let mut here = place.here;
        here.memory_dir = in_real_parent(&extent.directory(&config_dir, env).ok_or(MemoryError::NoStateDir)?);
        let store = place.projects.look_up(&here).store;
        Ok(Self {
            root: open_if_there(&here.memory_dir)?,
            here,
            projects: place.projects,
            state_dir: env.state_dir(),
            store,
            trust: Trust::Yes,
            scope: WriteScope::User,
            config_file: env.config_file(),
            beside: Some(extent),
            is_on: place.location.enabled,
        })
    }

    /// The root of the project in which the asker works.
    pub(crate) fn project_root(&self) -> &Utf8Path {
        &self.here.root
    }

    /// Where the project's repository keeps its data, if it has one.
    pub(crate) fn common_dir(&self) -> Option<&Utf8Path> {
        self.here.common_dir.as_deref()
    }

    /// Whether others' changes are looked for: not where nearly nothing is ours.
    pub(super) fn is_looked_at(&self) -> bool {
        self.beside != Some(Extent::Workspace)
    }

    /// Under which of the user's rules for agents' writes this directory falls.
    pub(super) fn scope(&self) -> WriteScope {
        self.scope
    }
}

/// Which of ours a directory is, if it is one.
pub(super) fn extent_of(directory: &Utf8Path, config_dir: &Utf8Path, env: &Env) -> Option<Extent> {
    let config_dir = real_config_dir(config_dir, env);
    if resolve(directory) == config_dir {
        return Some(Extent::Workspace);
    }
    let place = in_real_parent(directory);
    let is_it =
        |extent: &Extent| extent.directory(&config_dir, env).is_some_and(|own| in_real_parent(&own) == place);
    [Extent::Profile, Extent::User, Extent::Machine].into_iter().find(is_it)
}

/// The configuration directory may be a link of the user's, as into a repository of dotfiles.
fn real_config_dir(config_dir: &Utf8Path, env: &Env) -> Utf8PathBuf {
    resolve(&env.cwd.join(config_dir))
}

/// A path whose last part stays as it is: the memory itself may be a link of the user's, too.
fn in_real_parent(path: &Utf8Path) -> Utf8PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => resolve(parent).join(name),
        _ => path.to_owned(),
    }
}

/// A path with the links of its existing part resolved, so that a directory has one name before and after it is made.
fn resolve(path: &Utf8Path) -> Utf8PathBuf {
    for ancestor in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (real_path(ancestor), path.strip_prefix(ancestor)) {
            return if rest.as_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path.to_owned()
}
