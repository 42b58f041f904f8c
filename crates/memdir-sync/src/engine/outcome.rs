//! What came of the memories that both sides changed.

use memdir_core::content_hash::ContentHash;

use super::Once;
use crate::inbox::Inbox;
use crate::local::Outcome;
use crate::plan::SyncPlan;
use crate::report::SyncReport;

impl Once<'_> {
    /// What a plan makes of memories that no member had as they are afterwards, told before anything of it is carried out.
    pub(super) fn outcome(&self, inbox: &Inbox, plan: &SyncPlan, report: &SyncReport) -> Outcome {
        let mut outcome = Outcome { copies: report.conflicts.clone(), ..Outcome::default() };
        for (key, entry) in inbox.entries() {
            let agreed = self.state.agreed.get(key).and_then(|agreed| agreed.content);
            let here = self.scan.files.get(key).copied();
            if here != agreed && here != entry.content() {
                outcome.both.insert(key.clone());
                if entry.text.is_none() {
                    outcome.stays.insert(key.clone());
                }
            }
        }
        for (key, change) in &plan.local {
            let Some(text) = &change.text else { continue };
            let theirs = inbox.entry(key).and_then(|(entry, _)| entry.content());
            if theirs != Some(ContentHash::of(text.as_bytes())) {
                outcome.both.insert(key.clone());
            }
        }
        outcome
    }
}
