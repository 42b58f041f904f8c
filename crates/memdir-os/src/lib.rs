//! The Windows calls that memdir needs and the standard library lacks, behind safe functions.
//!
//! `unsafe` is forbidden everywhere else in memdir. Here every block holds one call and says why it is sound: which buffer
//! the call fills, and how long what it points at lives. Nothing here decides anything: the rules are in `memdir-disk`.
//!
//! On other systems the crate is empty.

#[cfg(windows)]
mod access;
#[cfg(windows)]
mod console;
#[cfg(windows)]
mod entry;
#[cfg(windows)]
mod errno;
#[cfg(windows)]
mod file;
#[cfg(windows)]
mod lock;
#[cfg(windows)]
mod process;

#[cfg(windows)]
pub use access::{OwnAccess, access_of, make_private};
#[cfg(windows)]
pub use console::console_size;
#[cfg(windows)]
pub use entry::{Entry, entries};
#[cfg(windows)]
pub use errno::Errno;
#[cfg(windows)]
pub use file::{Access, Opening, Stat, Wanted, fill_random, link, open, remove, rename, stat};
#[cfg(windows)]
pub use lock::{NamedLock, lock_file, unlock_file};
#[cfg(windows)]
pub use process::{Job, keep_standard_handles, lower_priority, process_start};
