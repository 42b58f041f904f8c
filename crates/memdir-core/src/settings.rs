//! The client's settings: which files count, what they say together, and which of their variables are heard.

use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};

use crate::env::{self, Env};
use crate::look::{Look, LookError};

mod client_flags;
mod document;
mod js_text;
mod known_keys;
mod reader;
#[cfg(test)]
mod tests;

pub use client_flags::ClientFlags;
use document::Document;
pub(crate) use js_text::{nfc, trim};
use reader::Reader;

/// All settings of the client that count in one directory, merged when asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Lowest first.
    layers: Vec<Layer>,
    config_dir: Utf8PathBuf,
    sources: Sources,
    bare: bool,
    safe_mode: bool,
    warnings: Vec<SettingsWarning>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Layer {
    level: Level,
    document: Document,
}

impl Settings {
    /// Reads every settings file that the client would, each once and without looking first whether it is there.
    ///
    /// `git_root` is the canonical root of the repository, if the directory is in one.
    ///
    /// # Errors
    /// What the client refuses to start with: an unknown name of a source, a `--settings` that cannot be read.
    /// A missing home directory too, unless `$CLAUDE_CONFIG_DIR` replaces it.
    pub fn read(
        env: &Env,
        flags: &ClientFlags,
        git_root: Option<&Utf8Path>,
        look: &dyn Look,
    ) -> Result<Self, SettingsError> {
        let sources = Sources::parse(flags.setting_sources.as_deref())?;
        let config_dir = config_dir(env)?;
        let mut reader = Reader::new(look);
        let user_file = env.cwd.join(&config_dir).join("settings.json");
        let project_file = env.cwd.join(".claude/settings.json");
        if sources.user {
            reader.file(Level::User, &user_file);
        }
        // In the home directory both are one file, and it is the user's.
        if sources.project && !(sources.user && project_file == user_file) {
            reader.file(Level::Project, &project_file);
        }
        if sources.local {
            reader.file(Level::Local, &env.cwd.join(".claude/settings.local.json"));
            if let Some(root) = git_root.filter(|root| *root != env.cwd) {
                reader.file(Level::Local, &root.join(".claude/settings.local.json"));
            }
        }
        reader.flag(flags.settings.as_deref(), &env.cwd)?;
        reader.managed(&flags.managed_dir);
        let mut settings = Self {
            layers: reader.layers,
            config_dir,
            sources,
            bare: flags.bare,
            safe_mode: flags.safe_mode,
            warnings: reader.warnings,
        };
        settings.follow_config_dir(env, look);
        Ok(settings)
    }

    /// The client's configuration directory as the client would write it: relative if the variable is.
    #[must_use]
    pub fn config_dir(&self) -> &Utf8Path {
        &self.config_dir
    }

    /// Which sources `--setting-sources` leaves.
    #[must_use]
    pub fn sources(&self) -> Sources {
        self.sources
    }

    /// Files that do not count, or count only in part, and why.
    #[must_use]
    pub fn warnings(&self) -> &[SettingsWarning] {
        &self.warnings
    }

    /// `autoMemoryEnabled` of the highest level that has it.
    #[must_use]
    pub fn auto_memory_enabled(&self) -> Option<(Level, bool)> {
        self.highest(|document| document.auto_memory_enabled)
    }

    /// `autoMemoryDirectory` of the highest level that has it, valid or not: lower levels are not asked then.
    #[must_use]
    pub fn auto_memory_directory(&self) -> Option<(Level, &str)> {
        self.highest(|document| document.auto_memory_directory.as_deref())
    }

    /// The globs of `claudeMdExcludes`: the lists of all levels add up.
    pub fn claude_md_excludes(&self) -> impl Iterator<Item = &str> {
        self.layers.iter().flat_map(|layer| &layer.document.claude_md_excludes).map(String::as_str)
    }

    /// The rules of `permissions.deny` and `permissions.ask`, with the level that has each: all of them count.
    pub fn rules_against(&self) -> impl Iterator<Item = (Level, &str)> {
        self.layers
            .iter()
            .flat_map(|layer| layer.document.denied.iter().map(|rule| (layer.level, rule.as_str())))
    }

    /// The value of a variable as the client sees it after it has taken over the `env` of its settings.
    ///
    /// A higher level beats a lower one and every level beats the process, but a repository is heard only where
    /// it can do little harm, and some variables are never taken from a file.
    #[must_use]
    pub fn variable<'a>(&'a self, env: &'a Env, name: &str) -> Option<Variable<'a>> {
        let heard = |level: Level| match name {
            env::REMOTE | env::PROJECT_DIR_NAME => false,
            env::DISABLE_AUTO_MEMORY | env::DISABLE_CLAUDE_MDS | env::ADDITIONAL_DIRECTORIES => true,
            _ => !matches!(level, Level::Project | Level::Local),
        };
        // The client's own flags reach it as variables of its process; safe mode alone does not give way to a file.
        if self.safe_mode && name == env::SAFE_MODE {
            return Some(Variable { value: "1", origin: Origin::Flag("--safe-mode") });
        }
        for layer in self.layers.iter().rev().filter(|layer| heard(layer.level)) {
            if let Some(value) = layer.document.env.get(name) {
                return Some(Variable { value, origin: Origin::Settings(layer.level) });
            }
        }
        if self.bare && name == env::SIMPLE {
            return Some(Variable { value: "1", origin: Origin::Flag("--bare") });
        }
        env.var(name).map(|value| Variable { value, origin: Origin::Process })
    }

    /// Whether a variable says yes: `1 true yes on`, in any case.
    #[must_use]
    pub fn is_on(&self, env: &Env, name: &str) -> bool {
        self.variable(env, name).is_some_and(|found| switch(found.value) == Some(true))
    }

    fn highest<'a, T>(&'a self, value: impl Fn(&'a Document) -> Option<T>) -> Option<(Level, T)> {
        self.layers.iter().rev().find_map(|layer| Some((layer.level, value(&layer.document)?)))
    }

    /// Settings can name another configuration directory. The client then takes the user's settings from there,
    /// while the variables of those that it read before stay set.
    fn follow_config_dir(&mut self, env: &Env, look: &dyn Look) {
        for _ in 0..MAX_CONFIG_DIRS {
            let named =
                self.variable(env, env::CLAUDE_CONFIG_DIR).map(|variable| nfc(variable.value).into_owned());
            let Some(named) = named.map(Utf8PathBuf::from).filter(|named| *named != self.config_dir) else {
                return;
            };
            self.config_dir = named;
            if !self.sources.user {
                continue;
            }
            let after_user = self.layers.iter().take_while(|layer| layer.level == Level::User).count();
            for layer in self.layers.iter_mut().take(after_user) {
                layer.document =
                    Document { env: std::mem::take(&mut layer.document.env), ..Document::default() };
            }
            let mut reader = Reader::new(look);
            reader.file(Level::User, &env.cwd.join(&self.config_dir).join("settings.json"));
            self.layers.splice(after_user..after_user, reader.layers);
            self.warnings.append(&mut reader.warnings);
        }
    }
}

/// Whose settings say something, from the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// `settings.json` in the configuration directory.
    User,
    /// `.claude/settings.json` in the working directory: written by the repository's author.
    Project,
    /// `.claude/settings.local.json` in the working directory or at the root of the repository.
    Local,
    /// `--settings`.
    Flag,
    /// The administrator.
    Managed,
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Flag => "flag",
            Self::Managed => "managed",
        })
    }
}

/// A variable that the client sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable<'a> {
    /// Its value, not trimmed.
    pub value: &'a str,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a variable comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The environment of the process.
    Process,
    /// A flag of the client that is the same as the variable.
    Flag(&'static str),
    /// `env` in a settings file.
    Settings(Level),
}

/// A settings file that does not count as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsWarning {
    /// The file; `None` for an object given with `--settings`.
    pub path: Option<Utf8PathBuf>,
    /// The line, counted from one, if the file could be read.
    pub line: Option<usize>,
    /// What is wrong there.
    pub problem: String,
    /// What the client makes of it.
    pub consequence: &'static str,
}

impl fmt::Display for SettingsWarning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(formatter, "settings file `{path}`")?,
            None => formatter.write_str("`--settings`")?,
        }
        if let Some(line) = self.line {
            write!(formatter, ", line {line}")?;
        }
        write!(formatter, ": {}; {}", self.problem, self.consequence)
    }
}

/// The client's reading of a switch: anything that is neither yes nor no is as if unset.
pub(crate) fn switch(value: &str) -> Option<bool> {
    match trim(value).to_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// Why the settings cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A name in `--setting-sources` that the client does not know.
    #[error(
        "unknown settings source `{name}` in `--setting-sources`: it takes `user`, `project` and `local`"
    )]
    UnknownSource {
        /// The name.
        name: String,
    },
    /// `--settings` looks like an object and is none.
    #[error("`--settings` is not valid JSON: line {line}: {problem}")]
    FlagNotJson {
        /// Counted from one.
        line: usize,
        /// What the parser says.
        problem: String,
    },
    /// `--settings` names a file that cannot be read.
    #[error("cannot read the settings file `{path}` that `--settings` names: {source}")]
    FlagFile {
        /// The file.
        path: Utf8PathBuf,
        /// Why.
        source: LookError,
    },
    /// The configuration directory is unknown.
    #[error("no home directory: set `HOME` or `CLAUDE_CONFIG_DIR`")]
    NoHome,
}

/// How often settings may point to other settings; the client has no such limit, but nor has it a use.
const MAX_CONFIG_DIRS: usize = 4;

fn config_dir(env: &Env) -> Result<Utf8PathBuf, SettingsError> {
    if let Some(named) = env.var(env::CLAUDE_CONFIG_DIR) {
        return Ok(nfc(named).into_owned().into());
    }
    let home = env.home.as_deref().filter(|home| !home.as_str().is_empty()).ok_or(SettingsError::NoHome)?;
    Ok(nfc(home.join(".claude").as_str()).into_owned().into())
}

/// Which of the files that people write count; managed settings and `--settings` always do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sources {
    /// The user's.
    pub user: bool,
    /// The repository's.
    pub project: bool,
    /// The user's for this project.
    pub local: bool,
}

impl Sources {
    fn parse(list: Option<&str>) -> Result<Self, SettingsError> {
        let Some(list) = list else { return Ok(Self { user: true, project: true, local: true }) };
        let mut sources = Self { user: false, project: false, local: false };
        if list.is_empty() {
            return Ok(sources);
        }
        for name in list.split(',').map(trim) {
            match name {
                "user" => sources.user = true,
                "project" => sources.project = true,
                "local" => sources.local = true,
                _ => return Err(SettingsError::UnknownSource { name: name.to_owned() }),
            }
        }
        Ok(sources)
    }
}
