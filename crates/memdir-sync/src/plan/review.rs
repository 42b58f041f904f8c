use memdir_core::content_hash::ContentHash;

use super::Planner;
use crate::engine::SyncError;
use crate::local::{Held, Proposal};
use crate::report::Refused;

impl Planner<'_> {
    /// Has the remote's entry wait for the user.
    pub(super) fn wait(&mut self, key: &str) {
        let text = self.inbox.entry(key).and_then(|(entry, _)| entry.text.clone());
        self.propose(key, text, None, None);
    }

    /// Has what both sides say together wait for the user. The others get that at once: they know their part already, and
    /// what was changed here need not wait for anybody.
    pub(super) fn wait_merged(
        &mut self,
        key: &str,
        mine: Option<ContentHash>,
        related: bool,
    ) -> Result<(), SyncError> {
        let Some((entry, _)) = self.inbox.entry(key) else { return Ok(()) };
        let theirs = entry.text.clone();
        let (Some(ours), Some(theirs)) = (self.text_of(key, mine)?, theirs) else {
            if mine.is_some() {
                // What somebody changed is worth more than that somebody else deleted it.
                return self.merge_both(key, mine, key, related);
            }
            self.wait(key);
            return Ok(());
        };
        let merged = if related {
            let base = match self.local.sent_from(key) {
                Some(text) => text,
                None => self.agreed_text(key)?.unwrap_or_default(),
            };
            self.local.merge(key, &base, &ours, &theirs)
        } else {
            None
        };
        let Some(merged) = merged else {
            let copy = self.free_copy(key, &ours);
            self.propose(key, Some(theirs), Some(copy), None);
            return Ok(());
        };
        if merged == ours {
            return self.send(key, Some(ours), None);
        }
        let mut sent_from = None;
        if merged != theirs {
            match self.local.refuses_to_share(key, &merged) {
                Some(why) => self.report.blocked.push(Refused { path: key.to_owned(), why }),
                None => self.send(key, Some(merged.clone()), None)?,
            }
            if let Some(outgoing) = self.plan.outgoing.get_mut(key) {
                outgoing.is_ahead = true;
                sent_from = Some(ours);
            }
        }
        self.propose(key, Some(merged), None, sent_from);
        Ok(())
    }

    fn propose(
        &mut self,
        key: &str,
        text: Option<String>,
        beside: Option<(String, String)>,
        sent_from: Option<String>,
    ) {
        let Some((entry, _)) = self.inbox.entry(key) else { return };
        let held = Held {
            key: key.to_owned(),
            author: entry.author,
            name: Some(self.name_of(&entry.author)),
            text,
            time: entry.time,
        };
        self.plan.waiting.push(Proposal { held, beside, sent_from });
    }
}
