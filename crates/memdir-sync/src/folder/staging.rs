//! Changes of others that wait for the user.

use memdir_core::content_hash::ContentHash;
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::review::{StagedPlan, fingerprint};
use memdir_lib::memory::{Submitted, Wish};
use memdir_wire::canonical::{at_home, shared_hash};

use super::{BY_MEMBER, Folder, who};
use crate::local::{Held, LocalError, Proposal};

impl Folder<'_> {
    /// What somebody wants to change; `None` if it is so already.
    pub(super) fn held_plan(&self, held: &Held, reason: &str) -> Result<Option<Plan>, LocalError> {
        let Some(root) = self.root_of(&held.key) else { return Ok(None) };
        let path = root.path_of(&held.key)?;
        let current = root.memory.read(&path)?;
        let known = current.as_deref().and_then(|content| std::str::from_utf8(content).ok());
        if known.map(shared_hash) == held.text.as_deref().map(|text| ContentHash::of(text.as_bytes())) {
            return Ok(None);
        }
        let mut plan = Plan::new(format!("{reason} {} ({}): {}", who(held), held.author.short(), held.key));
        let text = held.text.as_ref().map(|text| at_home(text, known, held.time.min(self.now)));
        match (text, current) {
            (Some(text), base) => {
                plan.changes.push(Change::Write { path, content: text.into(), base: base.map(Content) });
            }
            (None, Some(base)) => plan.changes.push(Change::Delete { path, base: Content(base) }),
            (None, None) => return Ok(None),
        }
        Ok(Some(plan))
    }

    /// What a member changed, as the user is asked about it; `None` if it is so already.
    pub(super) fn proposed_plan(&self, proposal: &Proposal) -> Result<Option<Plan>, LocalError> {
        let Some(mut plan) = self.held_plan(&proposal.held, BY_MEMBER)? else { return Ok(None) };
        if let (Some(key), Some(root)) = (&proposal.renamed_from, self.root_of(&proposal.held.key)) {
            let path = root.path_of(key)?;
            let base = root.memory.read(&path)?.map(Content);
            plan.changes.extend(base.map(|base| Change::Delete { path, base }));
        }
        Ok(Some(plan))
    }

    /// The plan that waits under an id, if it is what the user made of another one.
    pub(super) fn edited(&self, key: &str, id: &str, plan: &Plan) -> Option<StagedPlan> {
        let waiting = self.root_of(key)?.memory.waiting_plan(id).ok()?;
        (fingerprint(&waiting.plan) != fingerprint(plan)).then_some(waiting)
    }

    /// Has a plan wait, and says under which id; `None` if the user does not want it.
    pub(super) fn stage(&mut self, held: &Held, plan: &Plan) -> Result<Option<String>, LocalError> {
        let author = Author { kind: AuthorKind::Team, id: Some(who(held)), session: None };
        let wish = Wish { verbatim: true, ..Wish::of(&author) };
        let root = self.roots.iter_mut().find(|root| held.key.starts_with(&root.prefix));
        let Some(root) = root else { return Ok(None) };
        Ok(match root.memory.hold(plan, &wish, self.now)? {
            Submitted::Staged { id, .. } => Some(id),
            Submitted::Applied(_) | Submitted::Rejected => None,
        })
    }
}
