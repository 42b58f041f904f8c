//! A read-only look at a file system, so that rules which must look stay pure.

use camino::{Utf8Path, Utf8PathBuf};

mod map;
pub use map::MapLook;

/// What a rule may see of the disk. The disk crate answers from the real one, [`MapLook`] from a map in tests.
pub trait Look {
    /// What is at a path, without following a link at its end; `None` if nothing is there or may be seen.
    fn kind(&self, path: &Utf8Path) -> Option<Kind>;

    /// The bytes of a regular file of at most `limit` bytes, links followed.
    ///
    /// # Errors
    /// Whatever keeps the file from being read; a file over the limit is [`LookError::TooLarge`].
    fn read(&self, path: &Utf8Path, limit: u64) -> Result<Vec<u8>, LookError>;

    /// The path with every link resolved; `None` if it does not exist or loops.
    fn real_path(&self, path: &Utf8Path) -> Option<Utf8PathBuf>;

    /// The entries of a directory in the order of the disk. Names that are not UTF-8 are left out.
    ///
    /// # Errors
    /// Whatever keeps the directory from being listed.
    fn listing(&self, path: &Utf8Path) -> Result<Vec<Entry>, LookError>;

    /// The same; empty if it cannot be listed.
    fn list(&self, path: &Utf8Path) -> Vec<Entry> {
        self.listing(path).unwrap_or_default()
    }
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link, wherever it leads.
    Link,
    /// A pipe, socket or device.
    Other,
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name, one component.
    pub name: String,
    /// What it is, links not followed.
    pub kind: Kind,
}

/// Why a file could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookError {
    /// Nothing is there.
    #[error("no such file")]
    NotFound,
    /// The system does not allow it.
    #[error("permission denied")]
    Denied,
    /// A directory, pipe, device or socket.
    #[error("not a regular file")]
    NotFile,
    /// Longer than the caller wants to read.
    #[error("larger than {limit} bytes")]
    TooLarge {
        /// The caller's limit.
        limit: u64,
    },
    /// Anything else that the system said.
    #[error("{0}")]
    Other(String),
}
