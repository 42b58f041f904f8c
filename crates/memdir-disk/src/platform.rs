//! What differs between systems, behind one set of functions with the same promises.
//!
//! - Opening below a directory passes no link and never leaves the directory ([`open_beneath`]).
//! - `exchange` displaces the old file instead of overwriting it. `rename_new` overwrites nothing.
//! - `create` makes a file that did not exist, readable by its user alone.
//! - `sync_directory` returns once the entries of a directory are durable.
//! - [`StatBits::device`] and [`FileStat::inode`] tell two files apart.
//!
//! docs/DURABILITY.md has a table of what each system gives. `contract` tests these promises on the system that runs it.

use crate::place::FileStat;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub use unix::*;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub use linux::*;

#[cfg(all(unix, not(target_os = "linux")))]
mod macos;
#[cfg(all(unix, not(target_os = "linux")))]
pub use macos::*;

#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub use windows::*;

#[cfg(test)]
mod tests;

/// What an entry of a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A link to a path; on Windows also a junction and every other reparse point that leads elsewhere.
    Link,
    /// A pipe, a socket, a device.
    Other,
    /// The listing does not say.
    Unknown,
}

/// What the system knows about an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatBits {
    /// What it is.
    pub kind: FileKind,
    /// The number of its device or volume.
    pub device: u64,
    /// The rest.
    pub file: FileStat,
}

/// What to open below a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Anything, for reading; a pipe is not waited for.
    File,
    /// A directory.
    Directory,
}

/// How to open an entry of a directory for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writing {
    /// A file that does not exist yet.
    New,
    /// A file that may exist, from its start.
    Existing,
    /// A file that may exist, at its end; readable too.
    Append,
}
