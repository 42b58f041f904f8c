//! A member goes, and what they wrote goes with them.

use jiff::Timestamp;
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::RelPath;
use memdir_lib::memory::{MemoryError, Wish};
use memdir_lib::team::TEAM_DIR;
use memdir_wire::signing::PublicKey;

use super::{Team, TeamError};
use crate::options::Options;
use crate::report::SyncReport;

impl Team {
    /// Removes a member, and removes every memory whose newest text is theirs: here, and by signed deletions on every
    /// machine of the team. A server forgets its copies, too, if it is ours to say.
    ///
    /// Both go in one sync. Once the others knew that a member left, they would sign what is there as their own.
    ///
    /// # Errors
    /// No member is called that, or several are, it is not yours to say, or a sync fails.
    pub fn revoke_with_data(&mut self, name: &str, now: Timestamp) -> Result<SyncReport, TeamError> {
        self.sync(&Options::default(), now)?;
        let (revocation, name) = self.membership.revocation(name)?;
        let (key, gone) = (revocation.key, revocation.key.short());
        let plan = self.plan_to_forget(&key, &name)?;
        let count = plan.changes.len();
        let person = Author { kind: AuthorKind::Person, id: None, session: None };
        self.memory.apply_as(&plan, &Wish { verbatim: true, ..Wish::of(&person) }, now)?;
        // All of it may be theirs.
        let options = Options { revoke: vec![revocation], delete_many: true, ..Options::default() };
        let mut report = self.sync(&options, now)?;
        report.notices.push(format!(
            "{name} ({gone}) was removed from the team, and {count} memories whose newest text was theirs are removed; `memdir undo` \
             brings them back here"
        ));
        report.notices.extend(match self.membership.forget_on_server(&key) {
            Ok(None) => Some("the history of the repository still has them: only its host can rewrite that".to_owned()),
            Ok(Some(true)) => None,
            Ok(Some(false)) => Some(format!(
                "the server still has their old texts: its operator erases them with `memdir-server remove-member TEAM {key} --with-data`"
            )),
            Err(error) => Some(format!("the server could not be told to erase their old texts: {error}")),
        });
        Ok(report)
    }

    fn plan_to_forget(&self, author: &PublicKey, name: &str) -> Result<Plan, TeamError> {
        let state = self.membership.state()?;
        let alive: Vec<_> = state.agreed.iter().filter(|(_, agreed)| agreed.content.is_some()).collect();
        let ids: Vec<&str> = alive.iter().map(|(_, agreed)| agreed.id.as_str()).collect();
        let authors = self.membership.authors(&ids)?;
        let mut plan = Plan::new(format!("forget what {name} wrote"));
        for ((key, _), signed_by) in alive.into_iter().zip(authors) {
            let path = RelPath::parse(&format!("{TEAM_DIR}/{key}")).map_err(MemoryError::from)?;
            if signed_by == Some(*author)
                && let Some(base) = self.memory.read(&path)?
            {
                plan.changes.push(Change::Delete { path, base: Content(base) });
            }
        }
        Ok(plan)
    }
}
