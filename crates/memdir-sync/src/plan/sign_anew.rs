//! What no member would accept any more unless we sign it: memories of a former member, and what was
//! damaged in the remote before everybody saw it.

use std::collections::BTreeMap;

use memdir_wire::entry::Entry;
use memdir_wire::roster::Standing;
use memdir_wire::signing::PublicKey;

use super::{Outgoing, Planner};

impl Planner<'_> {
    /// Signs it, if we are a member ourselves. What is changed here anyway is signed by us as it is.
    pub(super) fn sign_anew(&mut self) {
        if !matches!(self.sides.roster.standing(&self.sides.me), Standing::Member(_)) {
            return;
        }
        let mut counts: BTreeMap<PublicKey, usize> = BTreeMap::new();
        for (key, entry) in self.taken_over().into_iter().chain(self.left_behind()) {
            let author = entry.author;
            let parent = if entry.text.is_some() { entry.content() } else { entry.parent };
            let outgoing = Outgoing {
                version: self.next_version(&key),
                parent,
                memory: entry.identity(),
                is_renewal: true,
                is_ahead: false,
                text: entry.text,
            };
            if self.may_send(&key, outgoing.text.as_deref()) {
                self.plan.outgoing.insert(key, outgoing);
                *counts.entry(author).or_default() += usize::from(self.is_gone(&author));
            }
        }
        for (author, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            let (name, short) = (self.name_of(&author), author.short());
            let (memories, are) = if count == 1 { ("memory", "is") } else { ("memories", "are") };
            self.report.notices.push(format!(
                "{count} {memories} by {name} ({short}), who is gone, {are} signed by you now"
            ));
        }
    }

    fn is_gone(&self, author: &PublicKey) -> bool {
        self.sides.roster.revocation_of(author).is_some()
    }

    /// What this sync takes over and no other member could.
    fn taken_over(&self) -> Vec<(String, Entry)> {
        let agreed = self.plan.agreed.iter().filter(|(_, agreed)| agreed.is_some());
        let unsent = agreed.filter(|(key, _)| !self.plan.outgoing.contains_key(*key));
        let taken = unsent.filter_map(|(key, _)| {
            let (entry, _) = self.sides.inbox.entry(key)?;
            let is_lost = self.is_gone(&entry.author) || self.sides.inbox.is_recovered(key);
            is_lost.then(|| (key.clone(), entry.clone()))
        });
        taken.collect()
    }
}

impl Outgoing {
    /// Whether the others have to be told of it as of a change.
    pub(crate) fn is_change(&self) -> bool {
        !self.is_renewal
    }
}
