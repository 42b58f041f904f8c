//! What is not written here before the user saw it, although a member sent it.

use crate::local::Held;
use crate::plan::Planner;

impl Planner<'_> {
    /// Has an entry wait in which a secret stands, and says so: the others have it too, and it has to be changed.
    pub(crate) fn withhold(&mut self, key: &str) {
        let (Some(why), Some((entry, _))) = (self.inbox.withheld(key), self.inbox.entry(key)) else { return };
        let name = self.name_of(&entry.author);
        self.plan.withheld.push(Held {
            key: key.to_owned(),
            author: entry.author,
            name: Some(name.clone()),
            text: entry.text.clone(),
            time: entry.time,
        });
        self.report.notices.push(format!(
            "`{key}` by {name} was not written, {why}: tell them, everybody in the team can read it. `memdir review` shows it"
        ));
    }
}
