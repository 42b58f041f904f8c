//! Deletions that were not meant.

use std::collections::{BTreeMap, BTreeSet};

use memdir_wire::memory_id::MemoryId;

use super::Planner;
use super::facts::{Planned, all};

/// Fewer deletions than this are a mistake of the whole folder only if nothing is left.
const MANY: usize = 10;

/// So few may be all that there was.
const ALL: usize = 3;

impl Planner<'_> {
    /// A folder that was emptied by mistake must not empty every member's: what is missing comes back.
    pub(super) fn spare_mass_deletions(&mut self) -> Planned<()> {
        let deletes = self.plan.outgoing.values().any(|outgoing| outgoing.text.is_none());
        if self.sides.options.delete_many || !deletes {
            return Ok(());
        }
        let mut folders: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
        let sent = self.plan.outgoing.values().filter(|outgoing| outgoing.text.is_some());
        let sent: BTreeSet<MemoryId> = sent.map(|outgoing| outgoing.memory).collect();
        for (key, agreed) in self.sides.state.agreed.iter().filter(|(_, agreed)| agreed.content.is_some()) {
            let (alive, deleted) = folders.entry(self.rules.folder_of(key).to_owned()).or_default();
            *alive += 1;
            let is_sent = self.plan.outgoing.get(key).is_some_and(|outgoing| outgoing.text.is_none());
            if is_sent && !sent.contains(&agreed.memory(self.sides.roster.team(), key)) {
                deleted.push(key.clone());
            }
        }
        for (alive, deleted) in folders.into_values() {
            let gone = deleted.len();
            if gone >= MANY && gone * 2 > alive || gone >= ALL && gone == alive {
                self.bring_back(&deleted)?;
                self.report.notices.push(format!(
                    "{gone} of {alive} memories were gone here: that looks like a mistake, so they are back, and \
                     the deletions were not sent. If they are intended, delete them again and pass `--delete-many`"
                ));
            }
        }
        Ok(())
    }

    /// Writes again what was agreed, instead of telling the others that it is gone.
    pub(super) fn bring_back(&mut self, keys: &[String]) -> Planned<()> {
        let texts = all(keys.iter().map(|key| self.agreed_text(key)))?;
        for (key, text) in keys.iter().zip(texts) {
            self.plan.outgoing.remove(key);
            if let (Some(text), Some(agreed)) = (text, self.sides.state.agreed.get(key)) {
                self.write(key, Some(text), "the team", self.sides.now);
                // A kill after this must not turn it into a smaller loss.
                self.plan.agreed.insert(key.clone(), Some(agreed.clone()));
            }
        }
        Ok(())
    }
}
