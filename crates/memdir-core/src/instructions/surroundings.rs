use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;

use super::{Excludes, Kind, LeftOut, Reason};
use crate::env::{self, Env};
use crate::locate::locate_with;
use crate::look::Look;
use crate::memory::entrypoint::{self, ENTRYPOINT, MAX_BYTES, Profile};
use crate::project::git_root::{GitRoot, find_git_root};
use crate::settings::{ClientFlags, Settings, SettingsError};

/// Everything that decides which instruction files the client loads, as values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// The working directory, absolute, links resolved.
    pub cwd: Utf8PathBuf,
    /// The user's home directory, for `~/`.
    pub home: Option<Utf8PathBuf>,
    /// Where the administrator's files are.
    pub managed_dir: Utf8PathBuf,
    /// The client's configuration directory, where the user's files are.
    pub config_dir: Utf8PathBuf,
    /// The client's `.claude.json`, which remembers whether external imports were approved.
    pub approval_file: Option<Utf8PathBuf>,
    /// The repository around the working directory.
    pub git: Option<GitRoot>,
    /// What is switched on.
    pub switches: Switches,
    /// The directories of `--add-dir`, as given.
    pub add_dirs: Vec<Utf8PathBuf>,
    /// `claudeMdExcludes` of all settings.
    pub excludes: Excludes,
    /// The index of the memory directory as the agent gets it, if memory is on and there is one.
    pub auto_memory: Option<MemoryFile>,
    /// What else of memory a session gets, in its order; the client knows nothing of it.
    pub more_memory: Vec<(Kind, MemoryFile)>,
    /// Why an index that is there is not given to the agent.
    pub memory_left_out: Option<LeftOut>,
}

/// Which sources of instructions count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    /// `false` for `--bare`, `--safe-mode` and their variables: nothing is loaded at all.
    pub any: bool,
    /// The source `user`.
    pub user: bool,
    /// The source `project`.
    pub project: bool,
    /// The source `local`.
    pub local: bool,
    /// Whether additional directories are searched too.
    pub additional: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Self { any: true, user: true, project: true, local: true, additional: false }
    }
}

/// A memory index, loaded by its own rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryFile {
    /// The file.
    pub path: Utf8PathBuf,
    /// Its text as the agent gets it, the warning included.
    pub text: String,
}

impl MemoryFile {
    /// The same if memory is on; where there is none there is nothing to say.
    fn find(
        directory: &Utf8Path,
        any: bool,
        enabled: bool,
        look: &dyn Look,
    ) -> Result<Option<Self>, LeftOut> {
        if any && enabled {
            return match Self::load(directory, look) {
                Ok(memory) => Ok(Some(memory)),
                Err(left_out) if left_out.reason == Reason::Missing => Ok(None),
                Err(left_out) => Err(left_out),
            };
        }
        let path = directory.join(ENTRYPOINT);
        match look.kind(&path) {
            Some(_) if any => Err(LeftOut { path, reason: Reason::MemoryOff, parent: None }),
            _ => Ok(None),
        }
    }

    /// Loads the index of a memory directory as the client does.
    ///
    /// # Errors
    /// Why there is none, or why nothing of it is shown.
    pub fn load(directory: &Utf8Path, look: &dyn Look) -> Result<Self, LeftOut> {
        let path = directory.join(ENTRYPOINT);
        let left_out = |reason| LeftOut { path: path.clone(), reason, parent: None };
        let bytes = look.read(&path, MAX_BYTES).map_err(|error| left_out(Reason::of_index(&error)))?;
        let loaded = entrypoint::load(&bytes, Profile::Current);
        if loaded.shown { Ok(Self { path, text: loaded.text }) } else { Err(left_out(Reason::Empty)) }
    }
}

/// No `.claude.json` that the client wrote is longer.
const APPROVALS_LIMIT: u64 = 64 * 1024 * 1024;

impl Surroundings {
    /// What decides in a directory, from the client's settings, flags and variables.
    ///
    /// The memory index comes along if memory is on; that of a team is for the caller to add.
    ///
    /// # Errors
    /// What the client itself would refuse to start with.
    pub fn find(
        env: &Env,
        flags: &ClientFlags,
        add_dirs: &[Utf8PathBuf],
        look: &dyn Look,
    ) -> Result<Self, SettingsError> {
        let git = find_git_root(&env.cwd, look);
        let git_root = git.as_ref().map(|git| git.root.clone());
        let settings = Settings::read(env, flags, git_root.as_deref(), look)?;
        let is_on = |name| settings.is_on(env, name);
        let any = ![env::SIMPLE, env::SAFE_MODE, env::DISABLE_CLAUDE_MDS].into_iter().any(is_on);
        let sources = settings.sources();
        let location = locate_with(env, &settings, git_root, look);
        let memory_dir = env.cwd.join(&location.memory_dir);
        let config_dir = env.cwd.join(settings.config_dir());
        let approvals = if settings.variable(env, env::CLAUDE_CONFIG_DIR).is_some() {
            Some(config_dir.join(".claude.json"))
        } else {
            env.home.as_ref().map(|home| home.join(".claude.json"))
        };
        let (auto_memory, memory_left_out) = match MemoryFile::find(&memory_dir, any, location.enabled, look)
        {
            Ok(memory) => (memory, None),
            Err(left_out) => (None, Some(left_out)),
        };
        Ok(Self {
            cwd: env.cwd.clone(),
            home: env.home.clone(),
            managed_dir: flags.managed_dir.clone(),
            config_dir,
            approval_file: approvals,
            git,
            switches: Switches {
                any,
                user: sources.user,
                project: sources.project,
                local: sources.local,
                additional: is_on(env::ADDITIONAL_DIRECTORIES),
            },
            add_dirs: add_dirs.to_vec(),
            excludes: Excludes::new(settings.claude_md_excludes()),
            auto_memory,
            more_memory: Vec::new(),
            memory_left_out,
        })
    }

    /// The surroundings of a directory where everything is as the client has it by default.
    #[must_use]
    pub fn new(cwd: &Utf8Path, home: &Utf8Path) -> Self {
        Self {
            cwd: cwd.to_owned(),
            home: Some(home.to_owned()),
            managed_dir: "/etc/claude-code".into(),
            config_dir: home.join(".claude"),
            approval_file: Some(home.join(".claude.json")),
            git: None,
            switches: Switches::default(),
            add_dirs: Vec::new(),
            excludes: Excludes::default(),
            auto_memory: None,
            more_memory: Vec::new(),
            memory_left_out: None,
        }
    }

    /// Whether the user once allowed this project to import files from outside.
    pub(super) fn external_imports_approved(&self, look: &dyn Look) -> bool {
        let project = self.git.as_ref().map_or(&self.cwd, |git| &git.root);
        let Some(file) = &self.approval_file else { return false };
        let Ok(bytes) = look.read(file, APPROVALS_LIMIT) else { return false };
        let Ok(text) = std::str::from_utf8(&bytes) else { return false };
        let Ok(approvals) = serde_json::from_str::<Approvals>(text) else { return false };
        approvals.projects.get(project.as_str()).is_some_and(|project| is_truthy(&project.approved))
    }

    pub(super) fn is_inside(&self, path: &Utf8Path) -> bool {
        path.starts_with(&self.cwd)
    }

    /// Whether a directory belongs to the main checkout around the worktree that we are in.
    pub(super) fn is_main_checkout(&self, directory: &Utf8Path) -> bool {
        self.git.as_ref().is_some_and(|git| {
            git.checkout != git.root
                && git.checkout.starts_with(&git.root)
                && directory.starts_with(&git.root)
                && !directory.starts_with(&git.checkout)
        })
    }
}

#[derive(Deserialize)]
struct Approvals {
    #[serde(default)]
    projects: std::collections::HashMap<String, Approval>,
}

#[derive(Deserialize)]
struct Approval {
    #[serde(default, rename = "hasClaudeMdExternalIncludesApproved")]
    approved: serde_json::Value,
}

/// What the client's language takes for true.
fn is_truthy(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Null => false,
        serde_json::Value::Bool(value) => *value,
        serde_json::Value::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
        serde_json::Value::String(text) => !text.is_empty(),
        serde_json::Value::Array(_) | serde_json::Value::Object(_) => true,
    }
}
