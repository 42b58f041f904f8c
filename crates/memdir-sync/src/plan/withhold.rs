//! What is not written here before the user saw it, although a member sent it.

use memdir_core::content_hash::ContentHash;

use super::Planner;
use super::facts::Planned;

impl Planner<'_> {
    /// Has an entry with a secret wait, and says so: the others have it too, and it has to be changed.
    pub(crate) fn withhold(&mut self, key: &str, mine: Option<ContentHash>) -> Planned<()> {
        let (Some(why), Some((entry, id))) = (self.sides.inbox.withheld(key), self.sides.inbox.entry(key))
        else {
            return Ok(());
        };
        if self.rules.rejects(key, id) {
            return self.decline(key, mine);
        }
        let name = self.name_of(&entry.author);
        let mut proposal = self.proposal(key, (entry, id), entry.author, entry.text.clone());
        proposal.held.why = Some(why.to_owned());
        self.plan.withheld.push(proposal);
        self.report.notices.push(format!(
            "`{key}` by {name} was not written, {why}: tell them, everybody in the team can read it. `memdir review` shows it"
        ));
        Ok(())
    }
}
