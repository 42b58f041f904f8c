//! What a sync has to tell: to the user, and in the remote's own history.

use memdir_wire::entry::{MAX_ENTRY_BYTES, SignedEntry};
use memdir_wire::member::Member;
use memdir_wire::roster::{Roster, Standing};

use super::{Once, SyncError};
use crate::inbox::Inbox;
use crate::layout::{MEMBERS, REVOCATIONS};
use crate::plan::SyncPlan;
use crate::remote::Put;
use crate::report::{ChangeKind, HeldEntry, Refused, Sent, SyncReport};

/// Of more changes than this a dry run tells the names alone.
const MAX_SHOWN: usize = 500;

impl Once<'_> {
    /// Says what came of the plan, besides what planning said.
    pub(super) fn say(&self, inbox: &Inbox, roster: &Roster, plan: &SyncPlan, report: &mut SyncReport) {
        report.refused.extend(inbox.refused.iter().cloned());
        report.notices.extend(inbox.records.learnt.problems.iter().cloned());
        for (key, why) in &self.scan.left_alone {
            let waits = inbox.waits_behind(key, roster).map(|waits| format!("; {waits}"));
            let why = format!("{why}{}", waits.unwrap_or_default());
            report.blocked.push(Refused { path: key.clone(), why });
        }
        if inbox.left_over > 0 {
            let most = inbox.bytes_by.iter().max_by_key(|(_, bytes)| **bytes);
            let by = most.map(|(author, bytes)| {
                let name = match roster.standing(author) {
                    Standing::Member(name) | Standing::Revoked(name) => name.to_owned(),
                    Standing::Unknown => author.short(),
                };
                format!(", most of it by {name} ({} MB)", bytes >> 20)
            });
            report.notices.push(format!(
                "{} entries wait for the next sync: this one took as much as one may{}",
                inbox.left_over,
                by.unwrap_or_default()
            ));
        }
        let me = self.key.public();
        for joined in
            inbox.records.learnt.joined.iter().filter(|joined| **joined != me && self.state.head.is_some())
        {
            if let Standing::Member(name) = roster.standing(joined) {
                let is_namesake = |other: &&Member| {
                    other.name == name
                        && other.key != *joined
                        && matches!(roster.standing(&other.key), Standing::Member(_))
                };
                let namesake = roster.members().find(is_namesake);
                let another =
                    namesake.map(|other| format!(": another {name}, {} is one too", other.key.short()));
                let (short, another) = (joined.short(), another.unwrap_or_default());
                report.notices.push(format!("{name} ({short}) is now a member{another}"));
            }
        }
        for gone in &inbox.records.learnt.revoked {
            if let Standing::Revoked(name) = roster.standing(gone) {
                report.notices.push(format!("{name} ({}) is no longer a member", gone.short()));
            }
        }
        let waiting = plan.withheld.iter().chain(&plan.waiting).map(|proposal| &proposal.held);
        for held in inbox.held.iter().chain(waiting) {
            report.held.push(HeldEntry {
                path: held.key.clone(),
                author: held.author.to_string(),
                name: held.name.clone(),
                why: held.why.clone(),
            });
        }
        for (key, outgoing) in plan.outgoing.iter().filter(|(_, outgoing)| outgoing.is_change()) {
            let known = self.state.agreed.get(key).is_some_and(|agreed| agreed.content.is_some());
            let change = match (&outgoing.text, known) {
                (None, _) => ChangeKind::Removed,
                (Some(_), true) => ChangeKind::Changed,
                (Some(_), false) => ChangeKind::Added,
            };
            report.sent.push(Sent { path: key.clone(), change, before: None, after: None });
        }
    }

    /// Adds the texts of what would go, and of what the others have there.
    pub(super) fn show(
        &mut self,
        inbox: &Inbox,
        plan: &SyncPlan,
        report: &mut SyncReport,
    ) -> Result<(), SyncError> {
        for sent in report.sent.iter_mut().take(MAX_SHOWN) {
            sent.after = plan.outgoing.get(&sent.path).and_then(|outgoing| outgoing.text.clone());
            sent.before = match (inbox.entry(&sent.path), self.state.agreed.get(&sent.path)) {
                (Some((entry, _)), _) => entry.text.clone(),
                (None, Some(agreed)) => {
                    let content = self.remote.read(&[agreed.id.as_str()], MAX_ENTRY_BYTES)?.pop().flatten();
                    let entry = content.and_then(|content| SignedEntry::parse(&content).ok());
                    entry.and_then(|entry| entry.unverified().text.clone())
                }
                (None, None) => None,
            };
        }
        Ok(())
    }

    /// Whose records go out because they come or go with this sync.
    pub(super) fn who_comes_and_goes(&self, puts: &[Put], roster: &Roster) -> Vec<String> {
        let is_put = |folder: &str, name: &str| puts.iter().any(|put| put.path == format!("{folder}{name}"));
        let came = self.options.introduce.iter().filter(|member| is_put(MEMBERS, &member.file_name()));
        let came = came.map(|member| match member.introduced_by() {
            Some(_) => format!("{} joins", member.name),
            None => format!("{} begins", member.name),
        });
        let gone = self.options.revoke.iter().filter(|record| is_put(REVOCATIONS, &record.file_name()));
        let gone = gone.filter_map(|record| {
            let name = &roster.members().find(|member| member.key == record.key)?.name;
            let went = if record.key == self.key.public() { "leaves" } else { "is no longer a member" };
            Some(format!("{name} {went}"))
        });
        came.chain(gone).collect()
    }
}

/// Says of what would be sent that it stays here.
pub(super) fn keep_here(plan: &mut SyncPlan, report: &mut SyncReport) {
    report.merged.clear();
    for (path, outgoing) in std::mem::take(&mut plan.outgoing) {
        if outgoing.text.is_some() && outgoing.is_change() {
            report.blocked.push(Refused { path, why: "this session may only receive".to_owned() });
        }
    }
}
