//! Changes of others that wait for the user.

use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::plan::{Change, Content, Plan};
use memdir_lib::memory::{Memory, MemoryError, Submitted, Wish};
use memdir_wire::canonical::{at_home, shared_hash};

use super::{BY_MEMBER, Folder, who};
use crate::local::{Held, LocalError, Proposal};

impl Folder<'_> {
    /// What a member wants to change; `None` if it is so already. What the reason begins with is for a text, and for that
    /// it goes.
    pub(super) fn held_plan(
        &self,
        held: &Held,
        [wrote, deleted]: [&str; 2],
    ) -> Result<Option<Plan>, LocalError> {
        let Some(root) = self.root_of(&held.key) else { return Ok(None) };
        let path = root.path_of(&held.key)?;
        let current = root.memory.read(&path)?;
        let known = current.as_deref().and_then(|content| std::str::from_utf8(content).ok());
        if known.map(shared_hash) == held.text.as_deref().map(|text| ContentHash::of(text.as_bytes())) {
            return Ok(None);
        }
        let did = if held.text.is_some() { wrote } else { deleted };
        let (by, key) = (who(held), held.author.short());
        let why = held.why.as_ref().map(|why| format!(", {why}")).unwrap_or_default();
        let mut plan = Plan::new(format!("{did} {by} ({key}){why}: {}", held.key));
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

    /// Has a plan of a member wait, and says under which id.
    pub(super) fn stage(&mut self, held: &Held, plan: &Plan) -> Result<Option<String>, LocalError> {
        self.have_wait(held, |memory, wish, now| memory.ask(plan, wish, now))
    }

    /// Has a plan of anybody else wait, and says under which id; `None` if the user does not want it.
    pub(super) fn hold_plan(&mut self, held: &Held, plan: &Plan) -> Result<Option<String>, LocalError> {
        self.have_wait(held, |memory, wish, now| memory.hold(plan, wish, now))
    }

    fn have_wait(
        &mut self,
        held: &Held,
        submit: impl FnOnce(&mut Memory, &Wish<'_>, Timestamp) -> Result<Submitted, MemoryError>,
    ) -> Result<Option<String>, LocalError> {
        let author = Author { kind: AuthorKind::Team, id: Some(who(held)), session: None };
        let wish = Wish { verbatim: true, ..Wish::of(&author) };
        let root = self.roots.iter_mut().find(|root| held.key.starts_with(&root.prefix));
        let Some(root) = root else { return Ok(None) };
        Ok(match submit(root.memory, &wish, self.now)? {
            Submitted::Staged { id, .. } => Some(id),
            Submitted::Applied(_) | Submitted::Rejected => None,
        })
    }
}
