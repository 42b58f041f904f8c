//! One place of this machine that takes part in a sync.

use memdir_core::rel_path::{PathRefused, RelPath};
use memdir_lib::memory::Memory;

/// A folder inside a memory directory.
pub(crate) struct Root<'r> {
    /// What its keys begin with.
    pub(crate) prefix: String,
    /// What the paths of its files begin with, inside the memory directory.
    pub(crate) below: &'static str,
    /// The memory directory.
    pub(crate) memory: &'r mut Memory,
}

impl Root<'_> {
    /// Where the file of a key lies, inside the memory directory.
    pub(super) fn path_of(&self, key: &str) -> Result<RelPath, PathRefused> {
        RelPath::parse(&format!("{}{}", self.below, key.strip_prefix(&self.prefix).unwrap_or(key)))
    }

    /// What tells its directory from another; `None` if there is none.
    pub(super) fn directory(&self) -> Option<String> {
        self.memory.root()?.identity()
    }

    /// The key of a file; `None` if the file lies elsewhere.
    pub(super) fn key_of(&self, path: &str) -> Option<String> {
        Some(format!("{}{}", self.prefix, path.strip_prefix(self.below)?))
    }
}
