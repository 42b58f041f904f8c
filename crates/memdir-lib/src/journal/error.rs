use camino::Utf8PathBuf;
use memdir_core::journal::Problem;
use memdir_core::journal::record::UnknownWord;
use memdir_core::locate::LocateError;
use memdir_core::rel_path::PathRefused;
use memdir_core::secrets::SecretBlocked;
use memdir_disk::disk_error::DiskError;
use memdir_disk::registry::RegistryError;

use crate::memory::MemoryError;
use crate::projects::ProjectsError;

/// Why the journal could not be read or written. Whatever it is, no record was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// There is no answer to where the project is.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The disk refused or failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// No journal has been started here.
    #[error("there is no journal for `{project}`")]
    NoJournal {
        /// The project.
        project: Utf8PathBuf,
    },
    /// The journal was stopped.
    #[error("the journal in `{directory}` is stopped")]
    Stopped {
        /// The journal.
        directory: Utf8PathBuf,
    },
    /// There is nothing to write down.
    #[error("{0}")]
    Nothing(&'static str),
    /// A field does not take this word.
    #[error(transparent)]
    Word(#[from] UnknownWord),
    /// A sub-agent's output that cannot be taken.
    #[error("the output is not in the form of a sub-agent's: {}", said(problems))]
    Output {
        /// What is wrong with it.
        problems: Vec<Problem>,
    },
    /// No record has that name.
    #[error("there is no record `{name}` in `{directory}`")]
    NotFound {
        /// The name as given.
        name: String,
        /// The journal.
        directory: Utf8PathBuf,
    },
    /// More than one record has that name.
    #[error("`{name}` is ambiguous: {}", candidates.join(", "))]
    Ambiguous {
        /// The name as given.
        name: String,
        /// The paths of those that have it.
        candidates: Vec<String>,
    },
    /// A path that cannot be one of the journal.
    #[error(transparent)]
    Path(#[from] PathRefused),
    /// A record would hold a secret, and the user's settings forbid that.
    #[error(transparent)]
    Secret(#[from] SecretBlocked),
    /// Agents' changes wait for the user.
    #[error("nothing is changed yet: the change waits for the user's review (`{id}`)")]
    Staged {
        /// Its id.
        id: String,
    },
    /// The user rejected the same before.
    #[error("the user has rejected this change before")]
    Rejected,
    /// The user's settings cannot be used, or the profile could not be read.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// There is no home directory, so there is no place for history.
    #[error("no place for memdir's own state: neither `HOME` nor `MEMDIR_HOME` names a directory")]
    NoStateDir,
    /// The registry failed.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The registry failed.
    #[error(transparent)]
    Projects(#[from] ProjectsError),
    /// The system gave no random bits.
    #[error("cannot make a store id: {0}")]
    NoRandom(#[source] std::io::Error),
    /// A transcript could not be read.
    #[error("cannot read the transcript `{path}`: {source}")]
    Transcript {
        /// The file.
        path: Utf8PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Others keep taking every name that is tried.
    #[error("no free name for `{wanted}` could be claimed; try again")]
    Crowded {
        /// The name that was wanted.
        wanted: String,
    },
}

impl JournalError {
    /// What to do next, where there is something.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoJournal { .. } | Self::Stopped { .. } => "`memdir journal start` starts it".to_owned(),
            Self::NotFound { .. } => "`memdir journal list` shows what there is".to_owned(),
            Self::Ambiguous { .. } => "name it by its path".to_owned(),
            Self::Output { .. } => "`memdir journal subagent prompt` prints the form".to_owned(),
            Self::Secret(_) => {
                "take it out, or declare it harmless with the fingerprint that `memdir audit` shows"
                    .to_owned()
            }
            Self::Memory(error) => return error.hint(),
            Self::Staged { .. } => "the user runs `memdir review` in a terminal of their own".to_owned(),
            Self::NoStateDir => "set HOME".to_owned(),
            _ => return None,
        })
    }
}

fn said(problems: &[Problem]) -> String {
    let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
    said.join("; ")
}
