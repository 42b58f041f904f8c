//! One place of this machine that takes part in a sync.

use memdir_core::operation::{AuthorKind, ChangeRecord};
use memdir_core::rel_path::{PathRefused, RelPath};
use memdir_lib::memory::Memory;

use crate::local::NameChange;

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

    /// The newest operation of the history, if it can be read.
    pub(super) fn newest_operation(&self) -> Option<String> {
        let newest = self.memory.log(1).ok()?.operations.into_iter().next();
        Some(newest.map(|operation| operation.id.to_string()).unwrap_or_default())
    }

    /// What the history says about names since an operation, oldest first, but for what a sync wrote itself. A history that
    /// cannot be read keeps nothing from being synced.
    pub(super) fn name_changes(&self, since: &str) -> Vec<NameChange> {
        let log = self.memory.log(MAX_OPERATIONS).unwrap_or_default();
        let new = log.operations.into_iter().take_while(|operation| operation.id.to_string() != since);
        let mut own: Vec<_> = new.filter(|operation| operation.author.kind != AuthorKind::Team).collect();
        own.reverse();
        own.into_iter().flat_map(|operation| self.names_in(&operation.changes)).collect()
    }

    fn names_in(&self, changes: &[ChangeRecord]) -> Vec<NameChange> {
        let mut names = Vec::new();
        for change in changes {
            let Some(to) = self.key_of(change.path.as_str()) else { continue };
            match change.renamed_from.as_ref().and_then(|from| self.key_of(from.as_str())) {
                Some(from) => names.push(NameChange::Renamed { from, to }),
                None if change.after.is_none() => names.push(NameChange::Deleted(to)),
                None => {}
            }
        }
        // A file that got another name may be recorded as deleted under the old one, too.
        let renamed: Vec<String> = names
            .iter()
            .filter_map(|name| match name {
                NameChange::Renamed { from, .. } => Some(from.clone()),
                NameChange::Deleted(_) => None,
            })
            .collect();
        names.retain(|name| !matches!(name, NameChange::Deleted(path) if renamed.contains(path)));
        names
    }
}
