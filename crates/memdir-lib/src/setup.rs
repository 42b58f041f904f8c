//! Set-up: agents' settings are made to name memdir, and made as before again.
//!
//! One set-up at a time, under a lock. A settings file is replaced only while it is what it was read as; what stood
//! there is kept first, and what is done is written down before it is done.

mod collision;
mod install;
mod nightly;
mod uninstall;
mod whole;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::env::Env;
use memdir_core::jsonc;
use memdir_core::wiring::{Agent, Manifest, ManifestError, WiringError};
use memdir_disk::disk_error::DiskError;
use memdir_disk::real_look::RealLook;
use memdir_disk::settings_file::read_settings;
use memdir_disk::setup_dir::{SetupDir, SetupLock};

pub use collision::CollisionFix;
pub use memdir_disk::setup_dir::{PluginContent, PluginFile};
pub use nightly::NightlyReport;

/// A set-up under way: no other can start until this is dropped.
#[derive(Debug)]
pub struct Setup {
    env: Env,
    dir: SetupDir,
    manifest: Manifest,
    /// Whether rules are added by which an agent asks no question about journal, profile and workspace.
    grants: bool,
    /// What the user should know before all else.
    warnings: Vec<String>,
    _lock: Option<SetupLock>,
}

/// Whether a set-up does what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It only says what it would do.
    DryRun,
    /// It does it.
    Do,
}

/// What became of one agent's settings.
#[derive(Debug)]
pub struct SetupReport {
    /// The name by which the agent is chosen.
    pub agent: String,
    /// What became of it.
    pub outcome: Outcome,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// Why the agent ignores what is in its settings, if it does, so that the user does not think that it is done.
    pub without_effect: Option<String>,
}

impl SetupReport {
    fn new(agent: &str, outcome: Outcome) -> Self {
        Self { agent: agent.to_owned(), outcome, warnings: Vec::new(), without_effect: None }
    }

    /// Adds what became of one more file: what went wrong counts more than what was done.
    fn add(&mut self, outcome: Outcome) {
        match (&mut self.outcome, outcome) {
            (Outcome::Changed(changes), Outcome::Changed(more)) => changes.extend(more),
            (Outcome::Changed(_) | Outcome::Kept(_) | Outcome::Failed(_), Outcome::Unchanged) => {}
            (Outcome::Changed(_), Outcome::Kept(why)) => self.warnings.push(format!("left alone: {why}")),
            (Outcome::Failed(_), Outcome::Failed(second)) => self.warnings.push(second.to_string()),
            (Outcome::Failed(_), _) => {}
            (_, outcome) => self.outcome = outcome,
        }
    }
}

/// What became of one agent's settings.
#[derive(Debug)]
pub enum Outcome {
    /// They are as they should be.
    Unchanged,
    /// They were changed, or would be.
    Changed(Vec<FileChange>),
    /// Something that is not ours is in our place, and stays.
    Kept(String),
    /// Nothing was changed, and why.
    Failed(SetupError),
}

/// A settings file, or our plugin's folder, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The file, or the folder.
    pub path: Utf8PathBuf,
    /// What it held; `None` if it was not there. Of a folder nothing is said.
    pub before: Option<String>,
    /// What it holds; `None` if it is gone.
    pub after: Option<String>,
    /// Whether it is the plugin's folder.
    pub is_folder: bool,
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// There is no place for our state.
    #[error("no place for memdir's own state: set HOME or MEMDIR_HOME")]
    NoStateDir,
    /// There is no place for an agent's settings.
    #[error("cannot tell where its settings are: set HOME")]
    NoSettings,
    /// A settings file cannot be edited.
    #[error("`{path}` is left as it is: {source}")]
    Wiring {
        /// The file.
        path: Utf8PathBuf,
        /// Why.
        source: WiringError,
    },
    /// A settings file is not a text.
    #[error("`{path}` is left as it is: it is not UTF-8")]
    NotText {
        /// The file.
        path: Utf8PathBuf,
    },
    /// What earlier set-ups did cannot be read.
    #[error("`{path}`: {source}")]
    Manifest {
        /// The file that says it.
        path: Utf8PathBuf,
        /// Why.
        source: ManifestError,
    },
    /// The disk refused or failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// How often a change is tried again while another program writes the same file.
const TRIES: usize = 8;

impl Setup {
    /// Begins a set-up; waits for another one to end. A dry run locks and makes nothing.
    ///
    /// # Errors
    /// There is no place for our state, another set-up hangs, or what earlier ones did cannot be read.
    pub fn begin(env: &Env, mode: Mode) -> Result<Self, SetupError> {
        let state_dir = env.state_dir().ok_or(SetupError::NoStateDir)?;
        let dir = SetupDir::new(&state_dir);
        let lock = match mode {
            Mode::DryRun => None,
            Mode::Do => Some(dir.lock()?),
        };
        let path = state_dir.join("setup/manifest.json");
        let mut warnings = Vec::new();
        let manifest = match dir.manifest()? {
            None => Manifest::default(),
            Some(bytes) => match Manifest::parse(&bytes) {
                Ok(manifest) => manifest,
                Err(error @ ManifestError::Damaged(_)) => {
                    // What is ours is known by what it starts, too; our own state must lock no user out.
                    warnings.push(format!("`{path}`: {error}; it is kept among the backups, and begun anew"));
                    if mode == Mode::Do {
                        dir.keep_backup(&path, &bytes)?;
                    }
                    Manifest::default()
                }
                Err(source) => return Err(SetupError::Manifest { path, source }),
            },
        };
        Ok(Self { env: env.clone(), dir, manifest, grants: true, warnings, _lock: lock })
    }

    /// Leaves out the rules by which an agent asks no question about journal, profile and workspace.
    pub fn grant_nothing(&mut self) {
        self.grants = false;
    }

    /// The agents that there is a sign of.
    #[must_use]
    pub fn installed(&self) -> Vec<Agent> {
        Agent::all().filter(|agent| agent.is_installed(&self.env, &RealLook)).collect()
    }

    fn save_manifest(&self) -> Result<(), SetupError> {
        if self.manifest.files.is_empty() && self.manifest.whole.is_empty() {
            return Ok(self.dir.remove_manifest()?);
        }
        let bytes = self.manifest.render().map_err(|source| SetupError::Manifest {
            path: self.dir.plugin_dir().with_file_name("setup/manifest.json"),
            source,
        })?;
        Ok(self.dir.write_manifest(&bytes)?)
    }

    fn backup(&self, name: Option<&str>) -> Option<String> {
        String::from_utf8(self.dir.backup(name?)?).ok()
    }
}

fn read_text(path: &Utf8Path) -> Result<Option<String>, SetupError> {
    match read_settings(path, jsonc::MAX_BYTES as u64)? {
        None => Ok(None),
        Some(bytes) => {
            let text = String::from_utf8(bytes).map_err(|_| SetupError::NotText { path: path.to_owned() })?;
            Ok(Some(text))
        }
    }
}

fn at(path: &Utf8Path) -> impl Fn(WiringError) -> SetupError + '_ {
    |source| SetupError::Wiring { path: path.to_owned(), source }
}
