//! Whether memory is on, in which directory it is, and which rule says so: the client's answer, and ours to
//! the question whether we would write there.

use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};

use crate::env::{self, Env};
use crate::host_path::{HostPath, PathStyle};
use crate::look::{Kind, Look};
use crate::project::encode_path::encode;
use crate::project::git_root::find_git_root;
pub use crate::settings::ClientFlags;
use crate::settings::{Level, Origin, Settings, SettingsError, Variable, nfc, switch, trim};
use crate::trust::{self, RootRefused};

mod named_dir;
pub(crate) mod normalise;
mod pinned_name;
#[cfg(test)]
mod tests;

use normalise::normalise;

/// Answers as the client would if it were started in `env.cwd` with these flags.
///
/// # Errors
/// What the client itself would refuse to start with, and a missing home directory.
pub fn locate(env: &Env, flags: &ClientFlags, look: &dyn Look) -> Result<Location, LocateError> {
    let git_root = find_git_root(&env.cwd, look).map(|found| found.root);
    let settings = Settings::read(env, flags, git_root.as_deref(), look)?;
    Ok(locate_with(env, &settings, git_root, look))
}

/// The same for a caller that has read the settings and looked for the repository already.
#[must_use]
pub fn locate_with(
    env: &Env,
    settings: &Settings,
    git_root: Option<Utf8PathBuf>,
    look: &dyn Look,
) -> Location {
    let mut warnings: Vec<String> = settings.warnings().iter().map(ToString::to_string).collect();
    let root = git_root.unwrap_or_else(|| env.cwd.clone());
    let (enabled, decided_by) = is_enabled(env, settings);
    let pin = pinned_name(env, settings, &mut warnings);
    let names = Names { root: encode(root.as_str()), cwd: encode(env.cwd.as_str()), pin };
    let (source, memory_dir) = memory_dir(env, settings, &names, &mut warnings);
    let project_dir = below_projects(settings.config_dir(), names.of_project());
    let absolute = env.cwd.join(&memory_dir);
    if absolute != memory_dir {
        warnings.push(format!(
            "the memory directory `{memory_dir}` is relative, so the client has another one in every directory; \
             make the variable that names it absolute"
        ));
    }
    let trust = judge(env, settings, source, &absolute, &root, look);
    Location {
        enabled,
        decided_by,
        slug: if source == Source::Remote { names.root.clone() } else { names.of_memory().to_owned() },
        memory_dir,
        source,
        project_dir,
        root,
        trust,
        warnings,
    }
}

/// Where the memory of a directory lives, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// Whether the client uses memory at all.
    pub enabled: bool,
    /// The rule that switched it on or off: a short name that does not change.
    pub decided_by: String,
    /// The memory directory, also while memory is off. Relative only where the client's is.
    pub memory_dir: Utf8PathBuf,
    /// The rule that chose the directory.
    pub source: Source,
    /// Where the client keeps the transcripts of this working directory.
    pub project_dir: Utf8PathBuf,
    /// The directory that names the project: the root of the main repository, else the working directory.
    pub root: Utf8PathBuf,
    /// The name that `root` has below `projects/`.
    pub slug: String,
    /// Whether we would write there.
    pub trust: Trust,
    /// What the user should know, each with what to do about it.
    pub warnings: Vec<String>,
}

impl Location {
    /// Whether we would write there.
    #[must_use]
    pub fn trusted(&self) -> bool {
        self.trust == Trust::Yes
    }

    /// Takes over the user's consent to the directory that the repository names. Consent opens no directory that
    /// never qualifies.
    pub fn grant_consent(&mut self) {
        if self.trust == Trust::NeedsConsent {
            self.trust = Trust::Yes;
        }
    }

    /// Every warning, that about trust included.
    #[must_use]
    pub fn all_warnings(&self) -> Vec<String> {
        let mut warnings = self.warnings.clone();
        match &self.trust {
            Trust::Yes => {}
            Trust::NeedsConsent => warnings.push(format!(
                "the repository's `.claude/settings.json` puts memory in `{}`: memdir reads there and writes nothing \
                 until you run `memdir project trust`",
                self.memory_dir
            )),
            Trust::Never(refused) => warnings.push(format!(
                "memdir reads `{}` and never writes there: {refused}; choose another directory with \
                 `autoMemoryDirectory` in your own settings",
                self.memory_dir
            )),
        }
        warnings
    }
}

/// The rule that chose the memory directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The override variable.
    Override,
    /// `autoMemoryDirectory` at this level.
    Settings(Level),
    /// The persistent directory of a session in the cloud.
    Remote,
    /// The usual place, below the configuration directory.
    Config,
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Override => formatter.write_str("override"),
            Self::Settings(level) => write!(formatter, "settings:{level}"),
            Self::Remote => formatter.write_str("remote"),
            Self::Config => formatter.write_str("config"),
        }
    }
}

/// Whether we would write in a memory directory. Stricter than the client, which writes wherever it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// Yes.
    Yes,
    /// A repository chose the directory, and the user has not agreed.
    NeedsConsent,
    /// No consent makes this a place for memory.
    Never(RootRefused),
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocateError {
    /// The client's settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

struct Names {
    root: String,
    cwd: String,
    pin: Option<String>,
}

impl Names {
    fn of_memory(&self) -> &str {
        self.pin.as_deref().unwrap_or(&self.root)
    }

    fn of_project(&self) -> &str {
        self.pin.as_deref().unwrap_or(&self.cwd)
    }
}

fn is_enabled(env: &Env, settings: &Settings) -> (bool, String) {
    let variable = |name| settings.variable(env, name);
    let is_on = |name: &'static str| {
        variable(name).filter(|found| switch(found.value) == Some(true)).map(|found| rule(name, found))
    };
    let is_given = |name, trimmed: fn(&str) -> &str| {
        variable(name).is_some_and(|found| !trimmed(found.value).is_empty())
    };

    if let Some(rule) = is_on(env::SIMPLE).or_else(|| is_on(env::SAFE_MODE)) {
        return (false, rule);
    }
    if let Some(found) = variable(env::DISABLE_AUTO_MEMORY)
        && let Some(disabled) = switch(found.value)
    {
        return (!disabled, rule(env::DISABLE_AUTO_MEMORY, found));
    }
    if let Some(rule) = is_on(env::REMOTE)
        && !is_given(env::REMOTE_MEMORY_DIR, |value| value)
        && !is_given(env::MEMORY_PATH_OVERRIDE, trim)
    {
        return (false, rule);
    }
    match settings.auto_memory_enabled() {
        Some((level, enabled)) => (enabled, format!("settings:{level} autoMemoryEnabled")),
        None => (true, "default".to_owned()),
    }
}

fn rule(name: &str, variable: Variable<'_>) -> String {
    match variable.origin {
        Origin::Process => format!("env:{name}"),
        Origin::Flag(flag) => format!("flag:{flag}"),
        Origin::Settings(level) => format!("settings:{level} env:{name}"),
    }
}

fn memory_dir(
    env: &Env,
    settings: &Settings,
    names: &Names,
    warnings: &mut Vec<String>,
) -> (Source, Utf8PathBuf) {
    if let Some(found) =
        settings.variable(env, env::MEMORY_PATH_OVERRIDE).filter(|found| !trim(found.value).is_empty())
    {
        if let Some(directory) = named_dir::from_override(found.value) {
            return (Source::Override, directory);
        }
        let name = env::MEMORY_PATH_OVERRIDE;
        warnings.push(format!(
            "`{name}` is ignored: `{}` is not an absolute path to a directory",
            shown(found.value)
        ));
    }
    if let Some((level, value)) = settings.auto_memory_directory() {
        if let Some(directory) = named_dir::from_setting(value, env.home.as_deref()) {
            return (Source::Settings(level), directory);
        }
        warnings.push(format!(
            "`autoMemoryDirectory` in the {level} settings is ignored, and with it those of lower levels: `{}` is \
             neither absolute nor below `~/`",
            shown(value)
        ));
    }
    match settings.variable(env, env::REMOTE_MEMORY_DIR).filter(|found| !found.value.is_empty()) {
        Some(found) => {
            (Source::Remote, below_projects(Utf8Path::new(found.value), &names.root).join("memory"))
        }
        None => (Source::Config, below_projects(settings.config_dir(), names.of_memory()).join("memory")),
    }
}

/// `<base>/projects/<name>` as the client writes it: base not resolved, but normalised by name.
fn below_projects(base: &Utf8Path, name: &str) -> Utf8PathBuf {
    nfc(&normalise(base.join("projects").join(name).as_str())).into_owned().into()
}

fn pinned_name(env: &Env, settings: &Settings, warnings: &mut Vec<String>) -> Option<String> {
    let name = env.var(env::PROJECT_DIR_NAME)?;
    let config = settings.variable(env, env::CLAUDE_CONFIG_DIR);
    if config.is_none_or(|config| config.value.is_empty()) {
        return None;
    }
    if pinned_name::is_valid(name) {
        return Some(name.to_owned());
    }
    warnings.push(format!(
        "`{}` is ignored: `{}` is not 1 to 64 letters, digits, `-` or `_`",
        env::PROJECT_DIR_NAME,
        shown(name)
    ));
    None
}

/// The start of a value, fit for one line of a message.
fn shown(value: &str) -> String {
    value.chars().take(80).flat_map(char::escape_debug).collect()
}

fn judge(
    env: &Env,
    settings: &Settings,
    source: Source,
    memory_dir: &Utf8Path,
    root: &Utf8Path,
    look: &dyn Look,
) -> Trust {
    let config_dir = env.cwd.join(settings.config_dir());
    let own_state = env.state_dir();
    let judged = |path: &Utf8Path| {
        trust::judge_directory(path, env.home.as_deref(), &config_dir)?;
        match &own_state {
            Some(state) if trust::holds_own_state(path, state) => Err(RootRefused::OwnState),
            _ => Ok(()),
        }
    };
    if let Err(refused) = judged(memory_dir) {
        return Trust::Never(refused);
    }
    // The usual place is as safe as the user's own configuration. Elsewhere a link may lead on.
    if source != Source::Config {
        let refused = match real_target(memory_dir, look) {
            Some(target) => judged(&target).err(),
            None => Some(RootRefused::BrokenLink),
        };
        if let Some(refused) = refused {
            return Trust::Never(refused);
        }
    }
    // Local settings are the user's own, unless the repository carries them.
    let is_repositorys = match source {
        Source::Settings(Level::Project) => true,
        Source::Settings(Level::Local) => trust::is_tracked(root, look),
        _ => false,
    };
    let projects = config_dir.join("projects");
    let is_other = |target: &Utf8Path| is_below(target, projects.as_str());
    if is_repositorys
        && (is_other(memory_dir) || real_target(memory_dir, look).is_some_and(|real| is_other(&real)))
    {
        return Trust::Never(RootRefused::OtherProject);
    }
    if env.program_folders().any(|run| run.len() > 1 && is_below(memory_dir, run)) {
        return Trust::Never(RootRefused::RunsByItself);
    }
    if is_repositorys { Trust::NeedsConsent } else { Trust::Yes }
}

/// Whether a path lies at or below another one, as the system compares names.
fn is_below(path: &Utf8Path, other: &str) -> bool {
    let (path, other) =
        (HostPath::parse(path.as_str(), PathStyle::HERE), HostPath::parse(other, PathStyle::HERE));
    path.zip(other).is_some_and(|(path, other)| path.below(&other).is_some())
}

/// Where a path leads that may not exist yet: the part that does, with its links resolved, and the rest. `None`
/// if a link on the way leads nowhere, since it may lead anywhere tomorrow.
fn real_target(path: &Utf8Path, look: &dyn Look) -> Option<Utf8PathBuf> {
    for existing in path.ancestors() {
        if let Some(real) = look.real_path(existing) {
            return path.strip_prefix(existing).ok().map(|rest| real.join(rest));
        }
        if look.kind(existing) == Some(Kind::Link) {
            return None;
        }
    }
    Some(path.to_owned())
}
