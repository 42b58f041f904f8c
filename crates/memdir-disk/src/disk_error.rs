//! What can go wrong at the door to the disk.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};

/// Why a file could not be read or changed. Every variant names the path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiskError {
    /// The system refused or failed.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On which path.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A rule of ours forbids it; nothing was changed.
    #[error("refused `{path}`: {rule}")]
    Refused {
        /// The path that was refused.
        path: Utf8PathBuf,
        /// The rule.
        rule: &'static str,
    },
    /// The file is longer than its reader allows.
    #[error("`{path}` is larger than {limit} bytes")]
    TooLarge {
        /// The file.
        path: Utf8PathBuf,
        /// The limit.
        limit: u64,
    },
    /// The file changed since the plan was made, cannot be merged, and the caller wants no second file.
    #[error("`{path}` was changed by another process in the meantime")]
    Conflict {
        /// The file.
        path: Utf8PathBuf,
    },
    /// Another process writes the file without pause.
    #[error("`{path}` does not come to rest; try again")]
    Restless {
        /// The file.
        path: Utf8PathBuf,
    },
}

impl DiskError {
    pub(crate) fn refused<T>(path: &Utf8Path, rule: &'static str) -> Result<T, Self> {
        Err(Self::Refused { path: path.to_owned(), rule })
    }

    /// Whether the system said that there is no such file or directory.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

/// Names the action and the path for an error of the system.
pub(crate) trait IoContext<T> {
    fn during(self, action: &'static str, path: &Utf8Path) -> Result<T, DiskError>;
}

impl<T, E: Into<io::Error>> IoContext<T> for Result<T, E> {
    fn during(self, action: &'static str, path: &Utf8Path) -> Result<T, DiskError> {
        self.map_err(|source| DiskError::Io { action, path: path.to_owned(), source: source.into() })
    }
}
