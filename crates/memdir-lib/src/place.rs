//! Where memory is for one working directory: the client's answer, and what our registry adds at little cost.

use memdir_core::config::Features;
use memdir_core::env::Env;
use memdir_core::journal::branch::current_branch;
use memdir_core::locate::{LocateError, Location, locate, locate_with};
use memdir_core::memory::topic::validity::Validity;
use memdir_core::project::git_root::find_git_root;
use memdir_core::settings::{ClientFlags, Settings};
use memdir_disk::real_look::RealLook;

use crate::features::read_features;
use crate::projects::{Here, LookUp, Projects};

/// The memory of the project in which an agent or a person works.
#[derive(Debug)]
pub struct Place {
    /// Where it is, whether it is on, and which rules say so.
    pub location: Location,
    /// The client's settings that led there.
    pub settings: Settings,
    /// The project, as the registry knows projects.
    pub here: Here,
    /// What the registry knows: its store id, a collision, a move.
    pub look_up: LookUp,
    /// All projects beside it.
    pub projects: Projects,
}

impl Place {
    /// Finds the memory of a working directory. Reads a handful of small files, starts no process, writes nothing.
    ///
    /// # Errors
    /// What the client itself would refuse to start with, and a missing home directory.
    pub fn find(env: &Env, flags: &ClientFlags) -> Result<Self, LocateError> {
        let git_root = find_git_root(&env.cwd, &RealLook);
        let (root, common_dir) = match git_root {
            Some(found) => (Some(found.root), found.common_dir),
            None => (None, None),
        };
        let settings = Settings::read(env, flags, root.as_deref(), &RealLook)?;
        let mut location = locate_with(env, &settings, root, &RealLook);
        switch_off(&mut location, read_features(env).0);
        let projects = Projects::new(settings.config_dir(), env.state_dir().as_deref());
        let here = Here {
            cwd: env.cwd.clone(),
            root: location.root.clone(),
            common_dir,
            slug: location.slug.clone(),
            project_dir: projects.projects_dir().join(&location.slug),
            memory_dir: env.cwd.join(&location.memory_dir),
        };
        let look_up = projects.look_up(&here);
        if look_up.trusted {
            location.grant_consent();
        }
        Ok(Self { location, settings, here, look_up, projects })
    }

    /// What the user should know, a line each.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.location.all_warnings();
        warnings.extend(self.look_up.warnings());
        warnings
    }
}

/// The branch and the worktree in which an agent or a person works.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checkout {
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// The worktree, by the name of its directory.
    pub worktree: Option<String>,
}

impl Checkout {
    /// What the repository's own files say about the working directory.
    #[must_use]
    pub fn of(env: &Env) -> Self {
        let worktree = find_git_root(&env.cwd, &RealLook)
            .and_then(|found| found.checkout.file_name().map(str::to_owned));
        Self { branch: current_branch(&env.cwd, &RealLook), worktree }
    }

    /// Whether a memory counts here.
    #[must_use]
    pub fn has(&self, validity: &Validity) -> bool {
        validity.is_here(self.branch.as_deref(), self.worktree.as_deref())
    }
}

/// The rule that keeps agents from the memory of a directory; `None` if memory is on.
///
/// Every hook, tool and background job asks this first. It reads the settings of the client and ours, and opens
/// neither memory nor any state of ours.
///
/// # Errors
/// What the client itself would refuse to start with, and a missing home directory.
pub fn switched_off(env: &Env, flags: &ClientFlags) -> Result<Option<String>, LocateError> {
    let mut location = locate(env, flags, &RealLook)?;
    switch_off(&mut location, read_features(env).0);
    Ok((!location.enabled).then_some(location.decided_by))
}

/// Applies the user's own switch over all of memory.
pub(crate) fn switch_off(location: &mut Location, features: Features) {
    if location.enabled && !features.auto_memory {
        location.enabled = false;
        location.decided_by = "config:features.auto_memory".to_owned();
    }
}
