//! Which memory each file is, before a sync and after it.

use std::collections::{BTreeMap, BTreeSet};

use memdir_core::content_hash::ContentHash;

use super::Once;
use crate::identify::identify;
use crate::local::LocalChange;
use crate::state::{Agreed, Moved};

impl Once<'_> {
    /// Finds out which memory each file is. If no text differs from what was agreed, no name does.
    pub(super) fn identify(&mut self) {
        let (agreed, files) = (&self.state.agreed, &self.scan.files);
        let is_changed = |(key, here): (&String, &ContentHash)| {
            agreed.get(key).and_then(|agreed| agreed.content) != Some(*here)
        };
        if !files.iter().any(is_changed) && self.state.moved.is_empty() {
            return;
        }
        let changes = self.local.name_changes(&self.state.read_up_to);
        let is_declined = |key: &&String| self.state.is_declined(key, &self.scan);
        let declined = self.state.declined.keys().filter(is_declined);
        let as_agreed: BTreeSet<String> = self.unwritten.iter().chain(declined).cloned().collect();
        self.moved = identify(&self.state, &self.scan, &as_agreed, &changes, self.local);
    }

    /// What is left of that after a sync: what it neither sent nor wrote. And up to where the history is known then.
    pub(super) fn places_after(
        &self,
        after: &BTreeMap<String, Option<Agreed>>,
        written: &BTreeMap<String, LocalChange>,
    ) -> (Moved, BTreeMap<String, String>) {
        let is_left = |(path, key): &(&String, &Option<String>)| {
            let is_known =
                after.contains_key(*path) || key.as_ref().is_some_and(|key| after.contains_key(key));
            !is_known && !written.contains_key(*path)
        };
        let left = self.moved.iter().filter(is_left).map(|(path, key)| (path.clone(), key.clone()));
        (left.collect(), self.scan.read_up_to.clone())
    }
}
