//! One place of this machine that takes part in a sync.

use memdir_core::rel_path::{PathRefused, RelPath};
use memdir_lib::memory::Memory;

/// How many operations are looked at to learn what was renamed.
const MAX_OPERATIONS: usize = 500;

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

    /// The names that were given here lately, newest first. A history that cannot be read keeps nothing from being synced.
    pub(super) fn names_given(&self) -> Vec<(Option<String>, String)> {
        let log = self.memory.log(MAX_OPERATIONS).unwrap_or_default();
        let changes = log.operations.into_iter().flat_map(|operation| operation.changes);
        let given = changes.filter_map(|change| {
            let is_made = change.before.is_none() && change.after.is_some();
            let from = change.renamed_from.and_then(|from| self.key_of(from.as_str()));
            let to = self.key_of(change.path.as_str()).filter(|_| is_made || from.is_some())?;
            Some((from, to))
        });
        given.collect()
    }
}
