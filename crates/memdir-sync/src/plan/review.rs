//! What others changed and the user wants to see first. What was changed here does not wait.

use memdir_core::content_hash::ContentHash;
use memdir_wire::entry::Entry;
use memdir_wire::memory_id::MemoryId;
use memdir_wire::signing::PublicKey;

use super::Planner;
use super::facts::Planned;
use super::merging::Both;
use crate::common_base::common_base;
use crate::conflict_copy::{copy_of, with_name_of};
use crate::engine::Conflict;
use crate::local::{Held, Proposal, SentFrom};
use crate::options::ConflictPolicy;
use crate::report::{KeptTwice, Refused};
use crate::state::Agreed;

impl Planner<'_> {
    /// Has the remote's entry wait for the user.
    pub(super) fn wait(&mut self, key: &str, mine: Option<ContentHash>) -> Planned<()> {
        let Some((entry, id)) = self.sides.inbox.entry(key) else { return Ok(()) };
        if self.rules.rejects(key, id) {
            return self.decline(key, mine);
        }
        let author = self.author_of(key, entry);
        self.plan.waiting.push(self.proposal(key, (entry, id), author, entry.text.clone()));
        Ok(())
    }

    /// Has what both sides say together wait for the user, under the name that it has there. The others get that at once:
    /// they know their part already, and what was changed here need not wait for anybody.
    pub(super) fn wait_merged(&mut self, both: Both<'_>, mine: Option<ContentHash>) -> Planned<()> {
        let Both { key, agreed_as, target, related } = both;
        let Some((entry, id)) = self.sides.inbox.entry(target) else { return Ok(()) };
        let (ours, theirs) = match (self.text_of(key, mine)?, entry.text.clone()) {
            (Some(ours), Some(theirs)) => (ours, theirs),
            // A change is worth more than a deletion by another member.
            (Some(_), None) => return self.merge_both(both, mine),
            (None, _) => return self.wait(target, mine),
        };
        let is_agreed =
            key == target && mine == self.sides.state.agreed.get(key).and_then(|agreed| agreed.content);
        if is_agreed && !self.is_changed_since_sent(key)? {
            // Nothing of the user's own is in it.
            return self.wait(target, mine);
        }
        if self.rules.rejects(target, id) {
            return self.decline(target, self.mine(target));
        }
        let ours = if key == agreed_as { ours } else { with_name_of(&ours, &theirs) };
        let sent = self.rules.sent_from(target);
        let merged = if related {
            let base = self.base_of(agreed_as, target)?.unwrap_or_else(|| common_base(&ours, &theirs));
            self.rules.merge(target, &base, &ours, &theirs)
        } else {
            None
        };
        if merged.as_ref() == Some(&ours) && key == target {
            return self.send(target, Some(ours));
        }
        let author = self.author_of(target, entry);
        let wanted = merged.as_ref().unwrap_or(&theirs).clone();
        let mut proposal = self.proposal(target, (entry, id), author, Some(wanted));
        proposal.renamed_from = (key != target).then(|| key.to_owned());
        match (merged, self.sides.options.conflict) {
            (Some(merged), _) if merged == theirs => {}
            (Some(merged), _) => {
                let memory = related.then(|| entry.identity());
                proposal.sent_from = self.send_ahead(target, merged, (ours, author), memory)?;
            }
            (None, ConflictPolicy::Fail) => {
                let by = self.name_of(&author);
                self.unresolved.push(Conflict { path: target.to_owned(), by });
                return Ok(());
            }
            (None, ConflictPolicy::Ours) if key == target => return self.send(target, Some(ours)),
            (None, ConflictPolicy::Theirs) => {}
            (None, ConflictPolicy::Ours | ConflictPolicy::Merge) => {
                if let Some(why) = self.refusal(target, &ours) {
                    self.report.blocked.push(Refused { path: key.to_owned(), why });
                    return Ok(());
                }
                proposal.sent_from = self.send_beside(target, (ours, author), sent)?;
            }
        }
        self.plan.waiting.push(proposal);
        Ok(())
    }

    /// The change that a member made under the old name of a file waits under its new one; the others have both at once.
    /// Says whether anything came of it.
    pub(super) fn wait_renamed(&mut self, from: &str, to: &str, text: String) -> Planned<bool> {
        let Some((entry, id)) = self.sides.inbox.entry(from) else { return Ok(false) };
        let author = entry.author;
        let proposal = self.proposal(to, (entry, id), author, Some(text.clone()));
        let ours = self.text_of(to, self.mine(to))?.unwrap_or_default();
        let memory = self.sides.state.memory_at(from);
        if text == ours {
            self.send_as(to, Some(ours), memory)?;
        } else if let Some(sent_from) = self.send_ahead(to, text, (ours, author), memory)? {
            self.plan.waiting.push(Proposal { sent_from: Some(sent_from), ..proposal });
        }
        if !self.plan.outgoing.contains_key(to) {
            return Ok(false);
        }
        self.leave(from)?;
        Ok(true)
    }

    /// Sends what the user has not accepted yet, because something of the user's own is in it.
    fn send_ahead(
        &mut self,
        key: &str,
        text: String,
        (ours, author): (String, PublicKey),
        memory: Option<MemoryId>,
    ) -> Planned<Option<SentFrom>> {
        self.send_as(key, Some(text), memory)?;
        Ok(self.plan.outgoing.get_mut(key).map(|outgoing| {
            outgoing.is_ahead = true;
            SentFrom { text: ours, author, beside: None, together: None }
        }))
    }

    /// Sends what is here as a copy, because it cannot be merged with what waits. While that waits, what is changed here
    /// goes into the same copy.
    fn send_beside(
        &mut self,
        key: &str,
        (ours, author): (String, PublicKey),
        sent: Option<SentFrom>,
    ) -> Planned<Option<SentFrom>> {
        let (copy, text) = match self.untouched_copy(sent.as_ref()) {
            Some(copy) => (copy.clone(), copy_of(&ours, &copy)),
            // The user changed or removed the copy, so they know what it says.
            None if sent.as_ref().is_some_and(|sent| sent.beside.is_some() && sent.text == ours) => {
                return Ok(None);
            }
            None => self.free_copy(key, &ours),
        };
        if !self.is_here(&copy, &text) {
            if !self.put_copy(&copy, text, None)? {
                return Ok(None);
            }
            self.report.conflicts.push(KeptTwice { path: key.to_owned(), kept_as: copy.clone() });
        }
        let together = sent.and_then(|sent| sent.base().map(str::to_owned));
        Ok(Some(SentFrom { text: ours, author, beside: Some(copy), together }))
    }

    /// The copy that was sent before, if it still says what was sent, here and there.
    fn untouched_copy(&self, sent: Option<&SentFrom>) -> Option<String> {
        let sent = sent?;
        let copy = sent.beside.clone()?;
        let is_there = self.sides.inbox.entry(&copy).is_none();
        (is_there && self.is_here(&copy, &copy_of(&sent.text, &copy))).then_some(copy)
    }

    /// The user does not want what a member sent. What was changed here goes out then, as made from theirs; where nothing
    /// was, theirs is known and what is here stays, until either side changes it.
    pub(crate) fn decline(&mut self, key: &str, mine: Option<ContentHash>) -> Planned<()> {
        let Some((entry, id)) = self.sides.inbox.entry(key) else { return Ok(()) };
        let is_agreed = mine == self.sides.state.agreed.get(key).and_then(|agreed| agreed.content);
        if is_agreed && (mine.is_none() || self.sent_together(key).is_none()) {
            let here = self.sides.scan.files.get(key).copied();
            self.plan.declined.insert(key.to_owned(), (Agreed::of(entry, id), here));
            return Ok(());
        }
        let by = self.name_of(&self.author_of(key, entry));
        let sent = self.rules.sent_from(key);
        let text = self.text_of(key, mine)?;
        let is_copied = sent.as_ref().is_some_and(|sent| Some(&sent.text) == text.as_ref());
        match text {
            None => self.put_out(key, None, None),
            text => self.send(key, text)?,
        }
        if self.plan.outgoing.contains_key(key) {
            self.report.notices.push(format!("you rejected what {by} made of `{key}`: yours was sent"));
            if let Some(copy) = self.untouched_copy(sent.as_ref()).filter(|_| is_copied) {
                self.send(&copy, None)?;
                self.write(&copy, None, "you", self.sides.now);
            }
        }
        Ok(())
    }

    /// What stood here when it last went out together with a change that still waits.
    pub(super) fn sent_together(&self, key: &str) -> Option<String> {
        self.rules.sent_from(key)?.base().map(str::to_owned)
    }

    /// Whether something else is here than was sent together with a change that waits. Then the two sides both went on
    /// from there, also if what is here is what was agreed before.
    pub(super) fn is_changed_since_sent(&self, key: &str) -> Planned<bool> {
        let Some(sent) = self.sent_together(key) else { return Ok(false) };
        Ok(self.text_of(key, self.mine(key))?.is_some_and(|text| text != sent))
    }

    /// Who made a change: what was sent from here together with a member's change is still that member's.
    pub(super) fn author_of(&self, key: &str, entry: &Entry) -> PublicKey {
        let sent = self.rules.sent_from(key).filter(|_| entry.author == self.sides.me);
        sent.map_or(entry.author, |sent| sent.author)
    }

    pub(crate) fn proposal(
        &self,
        key: &str,
        (entry, id): (&Entry, &str),
        author: PublicKey,
        text: Option<String>,
    ) -> Proposal {
        let name = Some(self.name_of(&author));
        let held = Held { key: key.to_owned(), author, name, text, time: entry.time, why: None };
        Proposal { held, renamed_from: None, entry: Agreed::of(entry, id), sent_from: None }
    }
}
