//! The user's own settings of memdir: `config.toml`.
//!
//! It is where [`crate::env::Env::config_file`] says and nowhere else: nothing that a repository contains is ever
//! configuration of ours. A key that we do not know is warned about, because it is often a slip of the pen. A file
//! that is broken, or a value that a key does not take, is an error: a user who asked for review and mistyped it
//! must not get the opposite.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::agents::Scope;
use crate::model::ModelChoice;
use crate::operation::{AuthorKind, StoreId};

pub mod keys;
mod read;
mod read_model;
#[cfg(test)]
mod tests;

/// The largest file that is read.
pub const MAX_BYTES: u64 = 1 << 20;

/// What the user has settled. Without a file it is all defaults.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// What becomes of changes that a person did not ask for: by scope.
    pub writes: Writes,
    /// What happens to secrets: `[secrets]`.
    pub secrets: Secrets,
    /// How much of the past is kept: `[history]`.
    pub history: HistoryBounds,
    /// What is on: `[features]`.
    pub features: Features,
    /// Who writes down what was said in a turn that ended: `extract`. Without it, `features.extract` decides.
    pub extract: Option<ExtractBy>,
    /// When memories are recalled unasked: `[recall]`.
    pub recall: RecallSettings,
    /// The model that may be asked: `[model]`. What is wrong there costs the model alone.
    pub model: ModelChoice,
    /// The agents whose own memory is imported at the start of a session: `[import] watch`.
    pub watched_imports: Vec<String>,
    /// What differs for one memory directory: `[projects.<store id>]`.
    pub projects: BTreeMap<String, ProjectConfig>,
}

/// A configuration together with what was odd about it, a line each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadConfig {
    /// The settings.
    pub config: Config,
    /// Keys that mean nothing to us.
    pub warnings: Vec<String>,
}

/// Why a configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ConfigError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl Config {
    /// Who writes down what was said. The older `features.extract = true` means the model, or the rules where there is none.
    #[must_use]
    pub fn extract_by(&self) -> ExtractBy {
        self.extract.unwrap_or(if self.features.extract { ExtractBy::Model } else { ExtractBy::Off })
    }

    /// Reads the text of a configuration file.
    ///
    /// # Errors
    /// It is not TOML, or a key of ours has an invalid value.
    pub fn parse(text: &str) -> Result<ReadConfig, ConfigError> {
        read::read(text)
    }

    /// What becomes of a change of a memory directory that this kind of author wants.
    ///
    /// A person's own commands and what was noticed afterwards are never held up.
    #[must_use]
    pub fn mode(&self, author: AuthorKind, store: Option<&StoreId>, scope: WriteScope) -> WriteMode {
        let scope = match author {
            AuthorKind::Person | AuthorKind::Foreign => return WriteMode::Auto,
            AuthorKind::Team => WriteScope::Team,
            AuthorKind::Agent | AuthorKind::Extract | AuthorKind::Dream => scope,
        };
        let own = store.and_then(|store| self.projects.get(&store.0)).and_then(|project| project.writes);
        own.or_else(|| self.writes.by_scope.get(&scope).copied()).unwrap_or(self.writes.default)
    }
}

/// `writes = "…"` or a table `[writes]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Writes {
    /// For every scope that is not named: the text itself, or `default` in the table. `auto` if absent.
    pub default: WriteMode,
    /// The scopes that are named.
    pub by_scope: BTreeMap<WriteScope, WriteMode>,
}

/// What becomes of a change that an agent, extraction, a dream or a team mate wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WriteMode {
    /// It is applied, recorded, and can be undone.
    #[default]
    Auto,
    /// It waits until the user accepts it.
    Review,
    /// It is refused.
    Off,
}

/// Whose memory a change is about: the keys of `[writes]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WriteScope {
    /// `memory`: the memory directory of a project.
    Memory,
    /// `user`: what an agent remembers in all projects.
    User,
    /// `project`: what an agent remembers in a repository.
    Project,
    /// `local`: what an agent remembers in a project on this machine.
    Local,
    /// `team`: whatever a team mate sends.
    Team,
}

impl From<Scope> for WriteScope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::User => Self::User,
            Scope::Project => Self::Project,
            Scope::Local => Self::Local,
        }
    }
}

/// `recall = "…"` or a table `[recall]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecallSettings {
    /// The text itself, or `when` in the table. `first` if absent.
    pub when: RecallWhen,
    /// `threshold`, in thousandths: a memory is quoted if it is needed with at least this probability.
    pub threshold: Option<u16>,
}

/// At which prompts memories are recalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RecallWhen {
    /// At the first of a session and after a compaction; later only what is new and strongly relevant.
    #[default]
    First,
    /// At each of them alike.
    Every,
    /// At none.
    Off,
}

/// `extract = "…"`: who writes down what was said in a turn that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtractBy {
    /// Nothing is written down.
    #[default]
    Off,
    /// The rules, in the background. No model is asked.
    Rules,
    /// The agent itself: where the rules see something that it did not save, it is asked once.
    Ask,
    /// The model of `[model]`, in the background; the rules where it is of no use.
    Model,
}

/// `[secrets]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Secrets {
    /// `on_write`: what happens when a memory that is to be written holds a secret. `warn` if absent.
    pub on_write: SecretsOnWrite,
}

/// What happens when a memory that is to be written holds a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SecretsOnWrite {
    /// It is written, and the user is told.
    #[default]
    Warn,
    /// It is written with the secret taken out.
    Redact,
    /// It is not written.
    Block,
}

/// `[history]`: how much of the past is kept, for each memory directory. What is within both bounds stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct HistoryBounds {
    /// `days`: what is older may go. Default 90.
    pub days: u32,
    /// `megabytes`: what is beyond may go, the oldest first. Default 500.
    pub megabytes: u32,
}

impl Default for HistoryBounds {
    fn default() -> Self {
        Self { days: 90, megabytes: 500 }
    }
}

/// `[features]`: named switches, each `true` or `false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Features {
    /// Whether we serve memory to agents at all. Default `true`; the client's own switches still count.
    pub auto_memory: bool,
    /// Whether agents are told how to search past sessions. Default `false`: it costs tokens in every session.
    pub session_search: bool,
    /// Whether agents get the short form of the guidance. Default `false`.
    pub simple_prompt: bool,
    /// Whether team memory takes part. Default `false`: nothing is shared that was not asked for.
    pub team: bool,
    /// Whether memories are extracted from transcripts. Default `false`.
    pub extract: bool,
    /// Whether sessions that a program runs (`claude -p`, the SDK) are extracted from, too. Default `false`: what a
    /// program says through the agent is seldom a person's word.
    pub extract_headless: bool,
    /// Whether memory is tidied up by itself at the end of a session, when that is due. Default `false`.
    pub dream: bool,
    /// Whether snapshots of agents' memory are offered and taken over. Default `true`.
    pub snapshots: bool,
    /// Whether agents keep a log a day instead of topic files. Default `false`.
    pub daily_logs: bool,
    /// Whether it is recorded on this machine which memories are shown and read. Default `true`.
    pub usage: bool,
    /// Whether memories with `when` are shown before the tool calls that they name. Default `false`.
    pub warnings: bool,
    /// Whether the journal keeps task, steps and blockers of each branch apart. Default `false`.
    pub branch_journal: bool,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            auto_memory: true,
            session_search: false,
            simple_prompt: false,
            team: false,
            extract: false,
            extract_headless: false,
            dream: false,
            snapshots: true,
            daily_logs: false,
            usage: true,
            warnings: false,
            branch_journal: false,
        }
    }
}

/// `[projects.<store id>]`: what differs for one memory directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProjectConfig {
    /// `writes`: beats what `[writes]` says, in every scope.
    pub writes: Option<WriteMode>,
}
