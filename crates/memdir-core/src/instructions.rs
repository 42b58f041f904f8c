//! The instruction files that the client gives its model: which, in what order, under which label, and why not others.
//!
//! Everything here answers for one directory as the client would: managed policy, the user's own file and rules, the
//! chain of directories from the root of the disk, additional directories, and memory at the end. Each file is
//! followed by what it imports.

use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use crate::look::{Look, LookError};

mod braces;
mod chain;
mod collector;
mod excludes;
mod glob;
mod imports;
mod path_scope;
mod rules;
mod surroundings;
#[cfg(test)]
mod tests;

pub use excludes::Excludes;
pub use imports::{imports, is_importable};
pub use path_scope::PathScope;
pub use surroundings::{MemoryFile, Surroundings, Switches};

use collector::Collector;

/// Collects what the client loads when it starts in a directory.
#[must_use]
pub fn collect(surroundings: &Surroundings, look: &dyn Look) -> Collected {
    let mut collector = Collector::new(surroundings, look);
    collector.at_start();
    collector.finish()
}

/// Collects what reading one file would add to that: instructions of the directories on the way to it, and the
/// rules whose `paths` it matches. A file outside the working directory adds nothing.
#[must_use]
pub fn reading(surroundings: &Surroundings, file: &Utf8Path, look: &dyn Look) -> Collected {
    let mut collector = Collector::new(surroundings, look);
    collector.at_start();
    collector.forget_what_is_shown();
    collector.at_reading(file);
    collector.finish()
}

/// What the client gives its model, and what it keeps back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Collected {
    /// The files in the order in which they are loaded.
    pub files: Vec<InstructionFile>,
    /// Files that were named or found and are not loaded.
    pub left_out: Vec<LeftOut>,
    /// What a person should know: unreadable, oversized or doubtful files.
    pub warnings: Vec<Warning>,
}

/// One file as the model gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstructionFile {
    /// The file, spelt as the client shows it.
    pub path: Utf8PathBuf,
    /// Where it comes from.
    pub kind: Kind,
    /// What the client says about it, beside its path.
    pub label: &'static str,
    /// The text without frontmatter, block comments and white space at its ends.
    pub text: String,
    /// The file that imports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Utf8PathBuf>,
}

/// Where an instruction file comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The organisation's policy.
    Managed,
    /// The user, for all projects.
    User,
    /// The repository.
    Project,
    /// The user, for this project.
    Local,
    /// The index of the memory directory.
    AutoMemory,
    /// The index of what the user keeps for all projects.
    UserMemory,
    /// The index of what counts on this machine alone.
    MachineMemory,
    /// The index of the team's memory.
    Team,
    /// What counts on this branch or in this worktree alone.
    BranchMemory,
}

impl Kind {
    /// What is beside the path in the client's context. The client has none for what comes after the auto-memory: those are ours.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Managed => "organization-managed policy instructions",
            Self::User => "user's private global instructions for all projects",
            Self::Project => "project instructions, checked into the codebase",
            Self::Local => "user's private project instructions, not checked in",
            Self::AutoMemory => "user's auto-memory, persists across conversations",
            Self::UserMemory => "user's memory for all projects",
            Self::MachineMemory => "user's memory of this machine, never synced",
            Self::Team => "memory of the team, shared by its members",
            Self::BranchMemory => "memory of this branch or worktree alone",
        }
    }
}

/// A file that is not loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// The file, as it was named or found.
    pub path: Utf8PathBuf,
    /// Why.
    pub reason: Reason,
    /// The file that imports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Utf8PathBuf>,
}

/// Why a file is not loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// `--bare`, `--safe-mode` or a variable turns all instructions off.
    AllOff,
    /// `--setting-sources` leaves its source out.
    SourceOff,
    /// A glob of `claudeMdExcludes` matches.
    Excluded,
    /// It was loaded before, under this path or another.
    Duplicate,
    /// Nothing is left of it without frontmatter and comments.
    Empty,
    /// An import of something that is not there.
    Missing,
    /// A directory, pipe or device.
    NotFile,
    /// The system does not let us read it.
    Unreadable,
    /// Over 4 MiB.
    TooLarge,
    /// More than four imports away from the file that began.
    TooDeep,
    /// An import with an extension that does not promise text.
    NotText,
    /// An import from outside the working directory that was not approved.
    External,
    /// A link that leads out of the working directory.
    LinkOutside,
    /// A rule with `paths`, or what it imports: loaded when a matching file is read.
    Conditional,
    /// The main repository's files, in a worktree that is inside it.
    MainCheckout,
    /// `AGENTS.md` where there is a `CLAUDE.md` or a `CLAUDE.local.md`.
    ClaudeFileExists,
    /// `--add-dir` without the variable that makes the client look there.
    AdditionalOff,
    /// There are more files than we are willing to read.
    TooMany,
    /// An index over the limit for indexes.
    IndexTooLarge,
    /// Memory is switched off.
    MemoryOff,
}

impl Reason {
    /// Why an index could not be read.
    #[must_use]
    pub fn of_index(error: &LookError) -> Self {
        match error {
            LookError::NotFound => Self::Missing,
            LookError::NotFile => Self::NotFile,
            LookError::TooLarge { .. } => Self::IndexTooLarge,
            LookError::Denied | LookError::Other(_) => Self::Unreadable,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::AllOff => "all instructions are switched off",
            Self::SourceOff => "its source is not among `--setting-sources`",
            Self::Excluded => "excluded by `claudeMdExcludes`",
            Self::Duplicate => "loaded already",
            Self::Empty => "empty",
            Self::Missing => "no such file",
            Self::NotFile => "not a regular file",
            Self::Unreadable => "cannot be read",
            Self::TooLarge => "larger than 4 MiB",
            Self::TooDeep => "more than four imports deep",
            Self::NotText => "not a kind of file that is imported",
            Self::External => "outside the working directory, and external imports are not approved",
            Self::LinkOutside => "a link that leads out of the working directory",
            Self::Conditional => "withheld until a file is read that its `paths` match",
            Self::MainCheckout => "belongs to the main checkout around this worktree",
            Self::ClaudeFileExists => "a `CLAUDE.md` or `CLAUDE.local.md` takes its place",
            Self::AdditionalOff => "additional directories are not searched for instructions",
            Self::TooMany => "too many instruction files",
            Self::IndexTooLarge => "larger than 16 MiB",
            Self::MemoryOff => "memory is switched off (`memdir path` says by what)",
        })
    }
}

/// Something about a file that a person should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// The file.
    pub path: Utf8PathBuf,
    /// What is wrong with it, and what follows from that.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`: {}", self.path, self.message)
    }
}
