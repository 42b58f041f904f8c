//! Deletions that nobody meant.

use std::collections::{BTreeMap, BTreeSet};

use memdir_wire::entry::MAX_ENTRY_BYTES;

use super::{Planner, text_agreed};
use crate::engine::SyncError;

/// Fewer deletions than this are a mistake of the whole folder only if nothing is left.
const MANY: usize = 10;

/// So few may be all that there was.
const ALL: usize = 3;

impl Planner<'_> {
    /// A folder that somebody emptied by mistake must not empty everybody's: what is missing comes back.
    pub(super) fn spare_mass_deletions(&mut self) -> Result<(), SyncError> {
        if self.options.delete_many {
            return Ok(());
        }
        let mut folders: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
        let renamed: BTreeSet<&String> =
            self.plan.outgoing.values().filter_map(|outgoing| outgoing.renamed_from.as_ref()).collect();
        for (key, _) in self.state.agreed.iter().filter(|(_, agreed)| agreed.content.is_some()) {
            let (alive, deleted) = folders.entry(self.local.folder_of(key).to_owned()).or_default();
            *alive += 1;
            let is_sent = self.plan.outgoing.get(key).is_some_and(|outgoing| outgoing.text.is_none());
            if is_sent && !renamed.contains(key) {
                deleted.push(key.clone());
            }
        }
        for (alive, deleted) in folders.into_values() {
            let gone = deleted.len();
            if gone >= MANY && gone * 2 > alive || gone >= ALL && gone == alive {
                self.bring_back(&deleted)?;
                self.report.notices.push(format!(
                    "{gone} of {alive} memories were gone here: that looks like a mistake, so they are back, and \
                     nobody was told. Delete them again and say `--delete-many` if it was none"
                ));
            }
        }
        Ok(())
    }

    /// Writes again what was agreed, instead of telling the others that it is gone.
    fn bring_back(&mut self, keys: &[String]) -> Result<(), SyncError> {
        let agreed = keys.iter().filter_map(|key| Some((key, self.state.agreed.get(key)?)));
        let agreed: Vec<_> = agreed.map(|(key, agreed)| (key, agreed.clone())).collect();
        let ids: Vec<&str> = agreed.iter().map(|(_, agreed)| agreed.id.as_str()).collect();
        let contents = self.remote.read(&ids, MAX_ENTRY_BYTES)?;
        for ((key, agreed), content) in agreed.into_iter().zip(contents) {
            self.plan.outgoing.remove(key);
            if let Some(text) = text_agreed(&agreed, content) {
                self.write(key, Some(text), "the team", self.now);
                // Whoever kills us now does not make a smaller loss of it.
                self.plan.agreed.insert(key.clone(), Some(agreed));
            }
        }
        Ok(())
    }
}
