//! From the three sides of every entry to what is written here and what is sent.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_wire::entry::{MAX_ENTRY_BYTES, SignedEntry};
use memdir_wire::roster::{Roster, Standing};
use memdir_wire::signing::PublicKey;

use crate::capitals::Capitals;
use crate::classify::{Case, History, Theirs, classify};
use crate::engine::{Conflict, SyncError};
use crate::inbox::Inbox;
use crate::layout::ENTRIES;
use crate::local::{Local, LocalChange, Proposal, Scan};
use crate::options::Options;
use crate::remote::Remote;
use crate::report::{ChangeKind, Received, Refused, Report};
use crate::state::{Agreed, SyncState};

mod deleted_and_renamed;
mod known_past;
mod likeness;
mod mass_deletions;
mod merging;
mod renames;
mod reused_names;
mod review;

use merging::Both;

/// What a sync will do.
#[derive(Default)]
pub(crate) struct SyncPlan {
    /// What is written here.
    pub(crate) local: BTreeMap<String, LocalChange>,
    /// What is sent.
    pub(crate) outgoing: BTreeMap<String, Outgoing>,
    /// What is agreed without being sent; `None`: nothing any more.
    pub(crate) agreed: BTreeMap<String, Option<Agreed>>,
    /// What waits for the user although everything else is written: somebody shared a secret.
    pub(crate) withheld: Vec<Proposal>,
    /// What waits for the user.
    pub(crate) waiting: Vec<Proposal>,
    /// What the user does not want here, and what stands here instead: it is known, and nothing comes of it.
    pub(crate) declined: BTreeMap<String, (Agreed, Option<ContentHash>)>,
}

/// One entry that is sent.
pub(crate) struct Outgoing {
    pub(crate) text: Option<String>,
    pub(crate) version: u64,
    pub(crate) parent: Option<ContentHash>,
    pub(crate) renamed_from: Option<String>,
    /// It says what was said before, in our name.
    pub(crate) is_renewal: bool,
    /// Whether it holds something that the user has not accepted yet: then it is not agreed, though it is sent.
    pub(crate) is_ahead: bool,
}

/// Everything that planning looks at.
pub(crate) struct Planner<'p> {
    pub(crate) state: &'p SyncState,
    pub(crate) scan: &'p Scan,
    pub(crate) inbox: &'p Inbox,
    pub(crate) roster: &'p Roster,
    /// Who we are.
    pub(crate) me: PublicKey,
    pub(crate) local: &'p mut dyn Local,
    pub(crate) remote: &'p mut dyn Remote,
    pub(crate) options: &'p Options,
    /// Keys whose file still has to become what was agreed: a sync was killed in between.
    pub(crate) unwritten: &'p BTreeSet<String>,
    /// Whether the newest version did not come out of the one that was agreed.
    rewritten: bool,
    pub(crate) now: Timestamp,
    pub(crate) report: Report,
    pub(crate) plan: SyncPlan,
    unresolved: Vec<Conflict>,
    /// Keys that what stands here leaves, for where others have moved it: what they have there now is taken.
    vacated: BTreeSet<String>,
    /// The names that memories have, to find those that differ in capitals only; made at the first question.
    names: Option<Capitals>,
    own_names: Option<Capitals>,
}

impl<'p> Planner<'p> {
    #[expect(clippy::too_many_arguments, reason = "each is one side of the sync")]
    pub(crate) fn new(
        state: &'p SyncState,
        scan: &'p Scan,
        inbox: &'p Inbox,
        roster: &'p Roster,
        me: PublicKey,
        local: &'p mut dyn Local,
        remote: &'p mut dyn Remote,
        options: &'p Options,
        unwritten: &'p BTreeSet<String>,
        rewritten: bool,
        now: Timestamp,
    ) -> Self {
        let (report, plan) = (Report::default(), SyncPlan::default());
        let unresolved = Vec::new();
        Self {
            state,
            scan,
            inbox,
            roster,
            me,
            local,
            remote,
            options,
            unwritten,
            rewritten,
            now,
            report,
            plan,
            unresolved,
            vacated: BTreeSet::new(),
            names: None,
            own_names: None,
        }
    }

    /// Decides about every key.
    pub(crate) fn make(mut self) -> Result<(SyncPlan, Report), SyncError> {
        let decided = self.follow_renames()?;
        let keys: BTreeSet<&String> =
            self.state.agreed.keys().chain(self.scan.files.keys()).chain(self.inbox.keys()).collect();
        let forgotten = self.state.head.is_some() && self.state.round < self.inbox.records.floor;
        let untouched = self.untouched_old_versions()?;
        for key in keys {
            if decided.contains(key) || self.scan.leaves_alone(key) || !self.local.wants(key) {
                continue;
            }
            let mine = self.mine(key);
            let replayed = self.is_replayed(key)?;
            let agreed = self.state.agreed.get(key);
            let expired = agreed.is_some_and(|agreed| agreed.round <= self.inbox.records.floor);
            let history = History { forgotten, expired, rewritten: self.rewritten, replayed };
            let case = match classify(agreed, mine, self.inbox.theirs(key), history) {
                Case::Merge if untouched.contains(key) => Case::Take,
                Case::Merge if self.is_unrelated(key, mine)? => Case::Diverged,
                Case::Diverged if self.is_all_said(key, mine)? => Case::Take,
                Case::Take if self.is_changed_since_sent(key)? => Case::Merge,
                case => case,
            };
            self.decide(key, mine, case)?;
            self.write_late(key)?;
        }
        self.spare_mass_deletions()?;
        self.sign_anew()?;
        self.carry_names();
        if !self.unresolved.is_empty() {
            return Err(SyncError::Conflicts(self.unresolved));
        }
        Ok((self.plan, self.report))
    }

    /// Whether the entry at a key is one that the remote held before its history was rewritten.
    fn is_replayed(&mut self, key: &str) -> Result<bool, SyncError> {
        let (Some((_, id)), Some(head), true) = (self.inbox.entry(key), &self.state.head, self.rewritten)
        else {
            return Ok(false);
        };
        // What waited when the remote held it was never agreed.
        if self.state.waiting.get(key).is_some_and(|waiting| waiting.iter().any(|known| known == id)) {
            return Ok(false);
        }
        Ok(self.remote.ever_held(head, &format!("{ENTRIES}{key}"), id)?)
    }

    /// What stands here, as far as the sync is concerned: a file that a killed sync was about to write counts as written,
    /// and so does one that the user would not have changed.
    fn mine(&self, key: &str) -> Option<ContentHash> {
        if self.counts_as_agreed(key) {
            return self.state.agreed.get(key).and_then(|agreed| agreed.content);
        }
        self.scan.files.get(key).copied()
    }

    fn counts_as_agreed(&self, key: &str) -> bool {
        self.unwritten.contains(key) || self.vacated.contains(key) || self.state.is_declined(key, self.scan)
    }

    fn decide(&mut self, key: &str, mine: Option<ContentHash>, case: Case) -> Result<(), SyncError> {
        match case {
            Case::Take | Case::Merge | Case::Diverged if self.inbox.withheld(key).is_some() => {
                self.withhold(key, mine)?;
            }
            Case::Take | Case::Expired if self.local.reviews() => self.wait(key, mine)?,
            Case::Merge if self.local.reviews() => self.wait_merged(Both::at(key, true), mine)?,
            Case::Diverged if self.local.reviews() => self.wait_merged(Both::at(key, false), mine)?,
            Case::Same => {}
            Case::Agree => {
                if let Some((entry, id)) = self.inbox.entry(key) {
                    let known = self.state.agreed.get(key).map_or(0, |agreed| agreed.version);
                    let agreed = Agreed {
                        version: entry.version.max(known),
                        round: entry.round,
                        id: id.to_owned(),
                        content: entry.content(),
                    };
                    if self.state.is_declined(key, self.scan) {
                        let here = self.scan.files.get(key).copied();
                        self.plan.declined.insert(key.to_owned(), (agreed, here));
                        return Ok(());
                    }
                    self.plan.agreed.insert(key.to_owned(), Some(agreed));
                    if self.unwritten.contains(key) {
                        self.take(key, mine);
                    }
                }
            }
            Case::Send => {
                let text = self.text_of(key, mine)?;
                self.send(key, text, None)?;
            }
            Case::Take => match self.own_namesake(key).filter(|_| mine.is_none()) {
                Some(other) => {
                    let why = format!("`{other}` here has the same name but for capitals: give it another");
                    self.report.refused.push(Refused { path: key.to_owned(), why });
                }
                None => self.take(key, mine),
            },
            Case::Merge => self.merge_both(Both::at(key, true), mine)?,
            Case::Diverged => self.merge_both(Both::at(key, false), mine)?,
            Case::Outdated => {
                self.report
                    .notices
                    .push(format!("the remote holds an older `{key}` than it did; yours was sent again"));
                let text = self.text_of(key, mine)?;
                self.send(key, text, None)?;
            }
            Case::Repair => {
                self.report.notices.push(format!(
                    "somebody who may not put something in the place of `{key}`; what was agreed was sent again"
                ));
                let text = self.text_of(key, mine)?;
                self.send(key, text, None)?;
            }
            Case::Vanished => {
                self.report
                    .notices
                    .push(format!("`{key}` disappeared from the remote without a word; it was sent again"));
                match self.text_of(key, mine)? {
                    None => self.put_out(key, None, None),
                    text => self.send(key, text, None)?,
                }
            }
            Case::Expired => {
                self.plan.agreed.insert(key.to_owned(), None);
                if mine.is_some() {
                    self.write(key, None, "the team", self.now);
                    self.receive(key, "the team", ChangeKind::Removed);
                }
            }
        }
        Ok(())
    }

    /// The text that stands here. One that changed since the scan waits for the next sync.
    fn text_of(&mut self, key: &str, mine: Option<ContentHash>) -> Result<Option<String>, SyncError> {
        if mine.is_none() {
            return Ok(None);
        }
        if self.counts_as_agreed(key) {
            return self.agreed_text(key);
        }
        let text = self.local.text(key).map_err(SyncError::Local)?;
        let unchanged = text.as_ref().map(|text| ContentHash::of(text.as_bytes())) == mine;
        if unchanged { Ok(text) } else { Err(SyncError::ChangedMeanwhile(key.to_owned())) }
    }

    /// The text that was agreed, from the remote's own store; `None` if it is gone there.
    fn agreed_text(&mut self, key: &str) -> Result<Option<String>, SyncError> {
        let Some(agreed) = self.state.agreed.get(key).filter(|agreed| agreed.content.is_some()) else {
            return Ok(None);
        };
        let content = self.remote.read(&[agreed.id.as_str()], MAX_ENTRY_BYTES)?.pop().flatten();
        Ok(text_agreed(agreed, content))
    }

    /// What both sides were made from: what went out from here last, together with a change that still waits, or what was
    /// agreed.
    fn base_of(&mut self, agreed_as: &str, target: &str) -> Result<Option<String>, SyncError> {
        match self.sent_together(target) {
            Some(sent) => Ok(Some(sent)),
            None => self.agreed_text(agreed_as),
        }
    }

    /// Writes what a killed sync was about to write, unless this one writes something else there.
    fn write_late(&mut self, key: &str) -> Result<(), SyncError> {
        if !self.unwritten.contains(key) || self.plan.local.contains_key(key) {
            return Ok(());
        }
        let text = match (self.plan.outgoing.get(key), self.plan.agreed.get(key)) {
            (Some(outgoing), _) if !outgoing.is_ahead => outgoing.text.clone(),
            (None, Some(None)) => None,
            (None, Some(Some(_))) => return Ok(()),
            _ => {
                let text = self.agreed_text(key)?;
                if text.is_none() && self.state.agreed.get(key).is_some_and(|agreed| agreed.content.is_some())
                {
                    return Ok(());
                }
                text
            }
        };
        let kind = match (&text, self.scan.files.contains_key(key)) {
            (None, _) => ChangeKind::Removed,
            (Some(_), true) => ChangeKind::Changed,
            (Some(_), false) => ChangeKind::Added,
        };
        self.write(key, text, "the team", self.now);
        if self.plan.local.contains_key(key) {
            self.receive(key, "the team", kind);
        }
        Ok(())
    }

    /// Takes the remote's entry over.
    fn take(&mut self, key: &str, mine: Option<ContentHash>) {
        let Some((entry, id)) = self.inbox.entry(key) else { return };
        let by = self.name_of(&self.author_of(key, entry));
        let kind = match (&entry.text, mine) {
            (None, _) => ChangeKind::Removed,
            (Some(_), None) => ChangeKind::Added,
            (Some(_), Some(_)) => ChangeKind::Changed,
        };
        let (text, time) = (entry.text.clone(), entry.time);
        self.plan.agreed.insert(key.to_owned(), Some(Agreed::of(entry, id)));
        if kind == ChangeKind::Added && self.state.agreed.contains_key(key) && self.local.took_back(key) {
            self.report.notices.push(format!(
                "you took `{key}` back, and {by} changed it: it is the team's again, and yours is beside it, \
                 not in `team/`"
            ));
        }
        self.write(key, text, &by, time);
        self.receive(key, &by, kind);
    }

    /// Sends what is here, unless it may not be shared.
    pub(crate) fn send(
        &mut self,
        key: &str,
        text: Option<String>,
        renamed_from: Option<String>,
    ) -> Result<(), SyncError> {
        if !self.may_send(key, text.as_deref()) {
            return Ok(());
        }
        let agreed = self.state.agreed.get(key);
        if text.is_none()
            && agreed.is_none_or(|agreed| agreed.content.is_none())
            && self.inbox.entry(key).is_none()
            && self.inbox.theirs(key) != Theirs::Foreign
        {
            return Ok(());
        }
        self.put_out(key, text, renamed_from);
        Ok(())
    }

    /// Sends it, whatever it is.
    fn put_out(&mut self, key: &str, text: Option<String>, renamed_from: Option<String>) {
        let version = self.next_version(key);
        let agreed = self.state.agreed.get(key);
        let parent = match self.inbox.entry(key) {
            Some((entry, _)) if entry.version.saturating_add(1) == version => entry.content(),
            _ => agreed.and_then(|agreed| agreed.content),
        };
        let outgoing = Outgoing { text, version, parent, renamed_from, is_renewal: false, is_ahead: false };
        self.plan.outgoing.insert(key.to_owned(), outgoing);
    }

    /// Whether a text may be shared under a name; who asks for one that may not has the user told.
    pub(crate) fn may_send(&mut self, key: &str, text: Option<&str>) -> bool {
        let why = text.and_then(|text| {
            let unwanted = self.scan.left_alone.get(key).cloned();
            let refused = unwanted.or_else(|| self.local.refuses_key(key));
            let refused = refused.or_else(|| self.local.refuses_to_share(key, text));
            refused.or_else(|| self.differs_in_capitals_only(key))
        });
        let Some(why) = why else { return true };
        self.block(key, key, why);
        // Nothing of it is changed until the user did something about it.
        self.plan.local.remove(key);
        self.plan.agreed.remove(key);
        false
    }

    /// Says that a memory stays here, and that what somebody changed there meanwhile waits for it.
    pub(crate) fn block(&mut self, key: &str, target: &str, why: String) {
        let why = match self.inbox.waits_behind(target, self.roster) {
            Some(waits) => format!("{why}; {waits}"),
            None => why,
        };
        self.report.blocked.push(Refused { path: key.to_owned(), why });
    }

    /// One more than anybody claims.
    pub(crate) fn next_version(&self, key: &str) -> u64 {
        let agreed = self.state.agreed.get(key).map_or(0, |agreed| agreed.version);
        agreed.max(self.inbox.version(key)).saturating_add(1)
    }

    /// A file that nobody but this machine knows and that has the same name but for capitals.
    fn own_namesake(&mut self, key: &str) -> Option<String> {
        let names = self.own_names.get_or_insert_with(|| {
            let is_known =
                |key: &String| self.state.agreed.get(key).is_some_and(|agreed| agreed.content.is_some());
            Capitals::of(self.scan.files.keys().filter(|key| !is_known(key)))
        });
        names.other(key).map(str::to_owned)
    }

    /// Why a name that is new to the team cannot be one: some machines would take it for another.
    fn differs_in_capitals_only(&mut self, key: &str) -> Option<String> {
        if self.state.agreed.get(key).is_some_and(|agreed| agreed.content.is_some()) {
            return None;
        }
        let other = self.taken_names().other(key)?;
        Some(format!("`{other}` has the same name but for capitals"))
    }

    /// The names that the team's memories have.
    fn taken_names(&mut self) -> &mut Capitals {
        self.names.get_or_insert_with(|| {
            let agreed = self.state.agreed.iter().filter(|(_, agreed)| agreed.content.is_some());
            // What was removed or renamed here gives its name back.
            let agreed = agreed.map(|(key, _)| key).filter(|key| self.scan.files.contains_key(*key));
            let new = self.inbox.entries().filter(|(_, entry)| entry.text.is_some()).map(|(key, _)| key);
            Capitals::of(agreed.chain(new))
        })
    }

    fn write(&mut self, key: &str, text: Option<String>, by: &str, time: Timestamp) {
        let before = self.scan.files.get(key).copied();
        let after = text.as_ref().map(|text| ContentHash::of(text.as_bytes()));
        if before != after {
            let change = LocalChange { key: key.to_owned(), text, before, by: by.to_owned(), time };
            self.plan.local.insert(key.to_owned(), change);
        }
    }

    fn receive(&mut self, key: &str, by: &str, change: ChangeKind) {
        self.report.received.push(Received { path: key.to_owned(), by: by.to_owned(), change });
    }

    pub(crate) fn name_of(&self, author: &PublicKey) -> String {
        match self.roster.standing(author) {
            Standing::Member(name) | Standing::Revoked(name) => name.to_owned(),
            Standing::Unknown => author.short(),
        }
    }
}

/// The text of an entry, if it is the one that was agreed.
fn text_agreed(agreed: &Agreed, content: Option<Vec<u8>>) -> Option<String> {
    let entry = SignedEntry::parse(&content?).ok()?;
    let text = entry.unverified().text.clone()?;
    (Some(ContentHash::of(text.as_bytes())) == agreed.content).then_some(text)
}
