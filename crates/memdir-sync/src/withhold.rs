//! What is not written here before the user saw it, although a member sent it.

use memdir_core::content_hash::ContentHash;

use crate::engine::SyncError;
use crate::local::{Held, Proposal};
use crate::plan::Planner;

impl Planner<'_> {
    /// Has an entry wait in which a secret stands, and says so: the others have it too, and it has to be changed.
    pub(crate) fn withhold(&mut self, key: &str, mine: Option<ContentHash>) -> Result<(), SyncError> {
        let (Some(why), Some((entry, _))) = (self.inbox.withheld(key), self.inbox.entry(key)) else {
            return Ok(());
        };
        let name = self.name_of(&entry.author);
        let held = Held {
            key: key.to_owned(),
            author: entry.author,
            name: Some(name.clone()),
            text: entry.text.clone(),
            time: entry.time,
        };
        let proposal = Proposal { held, renamed_from: None, sent_from: None };
        if self.local.rejects(&proposal) {
            return self.decline(key, mine);
        }
        self.plan.withheld.push(proposal.held);
        self.report.notices.push(format!(
            "`{key}` by {name} was not written, {why}: tell them, everybody in the team can read it. `memdir review` shows it"
        ));
        Ok(())
    }
}
