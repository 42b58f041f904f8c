use camino::Utf8PathBuf;
use memdir_core::dream::CheckRefused;
use memdir_core::gate::GateRefused;
use memdir_core::history::NoSuchOperation;
use memdir_core::history::undo::UndoRefused;
use memdir_core::locate::LocateError;
use memdir_core::memory::change::ChangeRefused;
use memdir_core::memory::topic::validity::InvalidEnd;
use memdir_core::rel_path::{PathRefused, RelPath};
use memdir_core::secrets::SecretBlocked;
use memdir_core::trust::RootRefused;
use memdir_disk::disk_error::DiskError;

use crate::projects::ProjectsError;

/// Why a memory could not be read or changed. Whatever it is, nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// There is no answer to where memory is.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The disk refused or failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A rule of the format forbids the change.
    #[error(transparent)]
    Change(#[from] ChangeRefused),
    /// A name that cannot be a file of a memory directory.
    #[error("`{name}` cannot be the name of a memory: {refused}")]
    Name {
        /// The name as given.
        name: String,
        /// The rule that it breaks.
        refused: PathRefused,
    },
    /// A path that cannot be one of a memory directory.
    #[error(transparent)]
    Path(#[from] PathRefused),
    /// The history in an archive is damaged or forged.
    #[error("the history in the archive cannot be understood")]
    ArchivedHistory,
    /// The end of a memory is unclear.
    #[error(transparent)]
    End(#[from] InvalidEnd),
    /// The project has no repository, or git does not answer.
    #[error("git cannot read the history of this project: is it a repository with a commit?")]
    NoRepository,
    /// Nothing has that name.
    #[error("there is no memory `{name}` in `{directory}`")]
    NotFound {
        /// The name as given.
        name: String,
        /// Where it was looked for.
        directory: Utf8PathBuf,
        /// The memory that was probably meant.
        nearest: Option<String>,
    },
    /// A memory of the same directory has that name in other letters.
    #[error("`{name}` differs from the memory `{existing}` only in case")]
    Namesake {
        /// The name as given.
        name: String,
        /// The path of the memory that has it.
        existing: String,
    },
    /// Something has that name and cannot be used as a memory.
    #[error("cannot use `{path}` as a memory: {rule}")]
    LeftOut {
        /// Where it is.
        path: Utf8PathBuf,
        /// Why not.
        rule: &'static str,
    },
    /// More than one memory has that name.
    #[error("`{name}` is ambiguous: {}", candidates.join(", "))]
    Ambiguous {
        /// The name as given.
        name: String,
        /// The paths of those that have it.
        candidates: Vec<String>,
    },
    /// A repository chose the directory, and the user has not agreed.
    #[error("the repository's settings put memory in `{directory}`, and you have not agreed to that")]
    NeedsConsent {
        /// The directory.
        directory: Utf8PathBuf,
    },
    /// No consent makes this a place for memory.
    #[error("memdir never writes in `{directory}`: {refused}")]
    NeverWritten {
        /// The directory.
        directory: Utf8PathBuf,
        /// Why.
        refused: RootRefused,
    },
    /// There is no home directory, so there is no place for history.
    #[error("no place for memdir's own state: neither `HOME` nor `MEMDIR_HOME` names a directory")]
    NoStateDir,
    /// The user's settings of memdir cannot be used, so nothing is written against them.
    #[error("cannot use the settings in `{path}`: {message}")]
    Config {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong with it, with the line.
        message: String,
    },
    /// The change would write a secret, and the user's settings forbid that.
    #[error(transparent)]
    Secret(#[from] SecretBlocked),
    /// History has no such operation.
    #[error(transparent)]
    NoSuchOperation(#[from] NoSuchOperation),
    /// An operation cannot be undone.
    #[error("cannot undo")]
    Undo(#[from] UndoRefused),
    /// The file did not exist at the moment that was asked for.
    #[error("there was no `{path}` then")]
    NotThere {
        /// The file.
        path: RelPath,
    },
    /// History has only the version that is there.
    #[error("history has no other version of `{path}`")]
    NoOther {
        /// The file.
        path: RelPath,
    },
    /// History does not hold a version any more.
    #[error("history does not hold that version of `{path}` any more")]
    Lost {
        /// The file.
        path: RelPath,
    },
    /// Part of the history cannot be read, so it is unknown what was done last.
    #[error("`{path}`, a part of the history, is damaged or cannot be read: what was done last is unknown")]
    HistoryUnread {
        /// The segment.
        path: Utf8PathBuf,
    },
    /// The user's settings let only the user change memory.
    #[error("the user's settings say `writes = \"off\"`: agents may not change memory")]
    WritesOff,
    /// Memory is switched off, so agents may not change it.
    #[error("memory is off for this project: agents may not change it")]
    MemoryOff,
    /// The change must wait for the user, and the caller has no way to wait.
    #[error("the user's settings say `writes = \"review\"`: agents may only propose this change")]
    NeedsReview,
    /// A file that an agent may not write.
    #[error("{0}")]
    Kind(GateRefused),
    /// A change that waits was made from a file that is gone, or has another name.
    #[error("`{path}` {} since it was proposed", match .now { Some(now) => format!("is called `{now}`"), None => "is gone".to_owned() })]
    PlanOverdue {
        /// The file.
        path: RelPath,
        /// What it is called now.
        now: Option<RelPath>,
    },
    /// No change waits under that id.
    #[error("no change waits for review under `{id}`")]
    NoSuchPlan {
        /// The id as given.
        id: String,
    },
    /// A dream's plan would lose something.
    #[error("the dream is refused: {0}")]
    WouldLose(#[from] CheckRefused),
    /// Our own state cannot be read or written.
    #[error("cannot use memdir's own state")]
    State(#[source] std::io::Error),
    /// The registry failed.
    #[error(transparent)]
    Projects(#[from] ProjectsError),
}

impl From<GateRefused> for MemoryError {
    fn from(refused: GateRefused) -> Self {
        match refused {
            GateRefused::MemoryOff => Self::MemoryOff,
            GateRefused::WritesOff => Self::WritesOff,
            GateRefused::Secret(blocked) => Self::Secret(blocked),
            refused @ (GateRefused::NotMarkdown { .. } | GateRefused::TooLarge { .. }) => Self::Kind(refused),
        }
    }
}

impl MemoryError {
    /// What to do next, where there is something.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NeedsConsent { .. } => "`memdir project trust` agrees to it".to_owned(),
            Self::NeverWritten { .. } => {
                "choose another directory with `autoMemoryDirectory` in your own settings".to_owned()
            }
            Self::NotFound { nearest: Some(nearest), .. } => {
                format!("did you mean `{nearest}`? `memdir ls` lists all memories")
            }
            Self::NotFound { .. } => "`memdir ls` lists all memories".to_owned(),
            Self::Namesake { existing, .. } => {
                format!("choose another name, or change that memory: `memdir edit {existing}`")
            }
            Self::Ambiguous { .. } => "give its path in the directory, or more of the id".to_owned(),
            Self::Change(ChangeRefused::Exists { .. }) => {
                "choose another name, or change it with `memdir edit` or `memdir set`".to_owned()
            }
            Self::Change(ChangeRefused::IsIndex { .. }) => {
                "`memdir reindex` and `memdir edit` change it".to_owned()
            }
            Self::Secret(_) => {
                "remove it from the text, or allow it with the fingerprint that `memdir audit` shows"
                    .to_owned()
            }
            Self::NoSuchOperation(_) | Self::NotThere { .. } => "`memdir log` shows what was done".to_owned(),
            Self::WouldLose(_) => "`memdir dream` plans anew from what is there now".to_owned(),
            Self::NoSuchPlan { .. } => "`memdir review` lists what waits".to_owned(),
            Self::End(_) => {
                "write a day such as 2026-12-01, a time such as 90d or `3 months`, or an event such as `release 2.0`"
                    .to_owned()
            }
            Self::NoStateDir => "set HOME".to_owned(),
            _ => return None,
        })
    }
}
