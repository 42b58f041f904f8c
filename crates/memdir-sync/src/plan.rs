//! From the three sides of every entry to what is written here and what is sent: a pure function, without I/O.

#![deny(clippy::disallowed_types, clippy::disallowed_methods)]

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_wire::memory_id::MemoryId;
use memdir_wire::roster::{Roster, Standing};
use memdir_wire::signing::PublicKey;

use crate::capitals::Capitals;
use crate::classify::{Case, History, Theirs, classify};
use crate::common_base::common_base;
use crate::engine::Conflict;
use crate::inbox::Inbox;
use crate::local::{LocalChange, Proposal, Rules, Scan};
use crate::options::Options;
use crate::report::{ChangeKind, Received, Refused, SyncReport};
use crate::state::{Agreed, Moved, SyncState};

pub(crate) mod facts;
mod mass_deletions;
mod merging;
mod name_changes;
mod review;
mod settlements;
mod sign_anew;
mod withhold;

use facts::{Missing, Need, PlanFacts, Planned, known};
use merging::Both;
use name_changes::Identities;

/// What a sync will do.
#[derive(Default)]
pub(crate) struct SyncPlan {
    /// What is written here.
    pub(crate) local: BTreeMap<String, LocalChange>,
    /// What is sent.
    pub(crate) outgoing: BTreeMap<String, Outgoing>,
    /// What is agreed without being sent; `None`: nothing any more.
    pub(crate) agreed: BTreeMap<String, Option<Agreed>>,
    /// What waits for the user although everything else is written: a member shared a secret.
    pub(crate) withheld: Vec<Proposal>,
    /// What waits for the user.
    pub(crate) waiting: Vec<Proposal>,
    /// What the user does not want here, and what is here instead: it is known, and nothing comes of it.
    pub(crate) declined: BTreeMap<String, (Agreed, Option<ContentHash>)>,
}

/// One entry that is sent.
pub(crate) struct Outgoing {
    pub(crate) text: Option<String>,
    pub(crate) version: u64,
    pub(crate) parent: Option<ContentHash>,
    pub(crate) memory: MemoryId,
    /// It says what was said before, in our name.
    pub(crate) is_renewal: bool,
    /// Whether it holds something that the user has not accepted yet: then it is not agreed, though it is sent.
    pub(crate) is_ahead: bool,
}

/// The three sides of a sync, and what the user wants of it.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'s> {
    /// What was agreed.
    pub(crate) state: &'s SyncState,
    /// What is here.
    pub(crate) scan: &'s Scan,
    /// What is there.
    pub(crate) inbox: &'s Inbox,
    /// Who may speak.
    pub(crate) roster: &'s Roster,
    /// Who we are.
    pub(crate) me: PublicKey,
    pub(crate) options: &'s Options,
    /// Keys whose file still has to become what was agreed: a sync was killed in between.
    pub(crate) unwritten: &'s BTreeSet<String>,
    /// Which memory lies at a path here, wherever that is not the one that was agreed there.
    pub(crate) moved: &'s Moved,
    /// What the ids of new memories are made from.
    pub(crate) random: u128,
    /// Whether the newest version did not come out of the one that was agreed.
    pub(crate) rewritten: bool,
    pub(crate) now: Timestamp,
}

/// What planning comes to.
pub(crate) enum Decision {
    Plan(Box<(SyncPlan, SyncReport)>),
    /// Both sides changed the same thing, and the caller wants to hear of it.
    Conflicts(Vec<Conflict>),
    /// Planning has to begin again with these facts.
    Needs(BTreeSet<Need>),
}

/// Everything that planning looks at: values alone, so that the same input always makes the same plan.
pub(crate) struct Planner<'p> {
    sides: Sides<'p>,
    rules: &'p dyn Rules,
    facts: &'p PlanFacts,
    report: SyncReport,
    plan: SyncPlan,
    unresolved: Vec<Conflict>,
    /// Keys that what is here leaves, because others have moved it: what they have there now is taken.
    vacated: BTreeSet<String>,
    identities: Identities,
    /// The keys under which memories are sent.
    sent_as: BTreeMap<MemoryId, String>,
    /// The names that memories have, to find those that differ in capitals only; made at the first question.
    names: Option<Capitals>,
    own_names: Option<Capitals>,
}

impl<'p> Planner<'p> {
    pub(crate) fn new(sides: Sides<'p>, rules: &'p dyn Rules, facts: &'p PlanFacts) -> Self {
        Self {
            identities: Self::identities(&sides),
            sent_as: BTreeMap::new(),
            sides,
            rules,
            facts,
            report: SyncReport::default(),
            plan: SyncPlan::default(),
            unresolved: Vec::new(),
            vacated: BTreeSet::new(),
            names: None,
            own_names: None,
        }
    }

    /// Decides about every key.
    pub(crate) fn make(mut self) -> Decision {
        match self.decide_all() {
            Err(Missing(needs)) => Decision::Needs(needs),
            Ok(()) if self.unresolved.is_empty() => Decision::Plan(Box::new((self.plan, self.report))),
            Ok(()) => Decision::Conflicts(self.unresolved),
        }
    }

    fn decide_all(&mut self) -> Planned<()> {
        let decided = self.follow_name_changes()?;
        let keys = self.keys_that_changed();
        // One key without its facts keeps no other from saying what it needs.
        let mut missing = Missing::default();
        for key in keys {
            if decided.contains(key) || self.sides.scan.leaves_alone(key) || !self.rules.wants(key) {
                continue;
            }
            if let Err(Missing(needs)) = self.decide_about(key) {
                missing.0.extend(needs);
            }
        }
        if !missing.0.is_empty() {
            return Err(missing);
        }
        self.spare_mass_deletions()?;
        self.keep_what_others_kept()?;
        self.sign_anew();
        Ok(())
    }

    /// Every key of which something is not as it was agreed: for all others nothing is to be done.
    fn keys_that_changed(&self) -> BTreeSet<&'p String> {
        let Sides { state, scan, inbox, unwritten, .. } = self.sides;
        let is_at_rest = |key: &str| {
            let agreed = state.agreed.get(key).and_then(|agreed| agreed.content);
            agreed.is_some()
                && scan.files.get(key).copied() == agreed
                && inbox.theirs(key) == Theirs::Unchanged
                && !unwritten.contains(key)
        };
        let known = state.agreed.keys().filter(|key| !is_at_rest(key));
        let new = scan.files.keys().filter(|key| !state.agreed.contains_key(*key));
        known.chain(new).chain(inbox.changed_keys()).collect()
    }

    fn decide_about(&mut self, key: &str) -> Planned<()> {
        let mine = self.mine(key);
        let agreed = self.sides.state.agreed.get(key);
        let history = History {
            forgotten: self.sides.state.head.is_some()
                && self.sides.state.round < self.sides.inbox.records.floor,
            expired: agreed.is_some_and(|agreed| agreed.round <= self.sides.inbox.records.floor),
            rewritten: self.sides.rewritten,
            replayed: self.facts.replayed.contains(key),
        };
        let case = match classify(agreed, mine, self.sides.inbox.theirs(key), history) {
            Case::Merge if self.facts.old_versions.contains(key) => Case::Take,
            // What was deleted or renamed here is not what they have there now.
            Case::Merge if mine.is_none() && self.is_reused_there(key) => Case::Take,
            Case::Merge if self.is_deleted_there(key) && self.sides.moved.contains_key(key) => Case::Send,
            Case::Merge if self.are_two_memories(key, mine)? => Case::Diverged,
            Case::Diverged if self.is_all_said(key, mine)? => Case::Take,
            Case::Take if self.is_changed_since_sent(key)? => Case::Merge,
            case => case,
        };
        self.decide(key, mine, case)?;
        self.write_late(key)
    }

    /// What is here, as far as the sync is concerned: a file that a killed sync was about to write counts as written,
    /// and so does one that the user would not have changed.
    fn mine(&self, key: &str) -> Option<ContentHash> {
        if self.counts_as_agreed(key) {
            return self.sides.state.agreed.get(key).and_then(|agreed| agreed.content);
        }
        self.sides.scan.files.get(key).copied()
    }

    /// Whether others say all that is here as it was agreed: then nothing is lost by taking theirs, wherever it is from.
    fn is_all_said(&self, key: &str, mine: Option<ContentHash>) -> Planned<bool> {
        let agreed = self.sides.state.agreed.get(key).and_then(|agreed| agreed.content);
        let theirs = self.sides.inbox.entry(key).and_then(|(entry, _)| entry.text.clone());
        let Some(theirs) = theirs.filter(|_| mine == agreed) else { return Ok(false) };
        let ours = self.text_of(key, mine)?;
        Ok(ours.is_some_and(|ours| common_base(&ours, &theirs) == ours))
    }

    fn counts_as_agreed(&self, key: &str) -> bool {
        self.sides.unwritten.contains(key)
            || self.vacated.contains(key)
            || self.sides.state.is_declined(key, self.sides.scan)
    }

    fn decide(&mut self, key: &str, mine: Option<ContentHash>, case: Case) -> Planned<()> {
        match case {
            Case::Take | Case::Merge | Case::Diverged if self.sides.inbox.withheld(key).is_some() => {
                self.withhold(key, mine)?;
            }
            Case::Take | Case::Expired if self.rules.reviews() => self.wait(key, mine)?,
            Case::Merge if self.rules.reviews() => self.wait_merged(Both::at(key, true), mine)?,
            Case::Diverged if self.rules.reviews() => self.wait_merged(Both::at(key, false), mine)?,
            Case::Same => {}
            Case::Agree => {
                if let Some((entry, id)) = self.sides.inbox.entry(key) {
                    let known = self.sides.state.agreed.get(key).map_or(0, |agreed| agreed.version);
                    let agreed = Agreed {
                        version: entry.version.max(known),
                        round: entry.round,
                        id: id.to_owned(),
                        content: entry.content(),
                        memory: entry.memory,
                    };
                    if self.sides.state.is_declined(key, self.sides.scan) {
                        let here = self.sides.scan.files.get(key).copied();
                        self.plan.declined.insert(key.to_owned(), (agreed, here));
                        return Ok(());
                    }
                    self.plan.agreed.insert(key.to_owned(), Some(agreed));
                    if self.sides.unwritten.contains(key) {
                        self.take(key, mine)?;
                    }
                }
            }
            Case::Send => {
                let text = self.text_of(key, mine)?;
                self.send(key, text)?;
            }
            Case::Take => match self.own_namesake(key).filter(|_| mine.is_none()) {
                Some(other) => {
                    let why = format!("`{other}` here has the same name but for capitals: give it another");
                    self.report.refused.push(Refused { path: key.to_owned(), why });
                }
                None => self.take(key, mine)?,
            },
            Case::Merge => self.merge_both(Both::at(key, true), mine)?,
            Case::Diverged => self.merge_both(Both::at(key, false), mine)?,
            Case::Outdated => {
                self.report
                    .notices
                    .push(format!("the remote holds an older `{key}` than it did; yours was sent again"));
                let text = self.text_of(key, mine)?;
                self.send(key, text)?;
            }
            Case::Repair => {
                self.report.notices.push(format!(
                    "`{key}` was replaced by an author who may not do that; the last valid version was sent again"
                ));
                let text = self.text_of(key, mine)?;
                self.send(key, text)?;
            }
            Case::Vanished => {
                self.report
                    .notices
                    .push(format!("`{key}` disappeared from the remote without a word; it was sent again"));
                match self.text_of(key, mine)? {
                    None => self.put_out(key, None, None),
                    text => self.send(key, text)?,
                }
            }
            Case::Expired => {
                self.plan.agreed.insert(key.to_owned(), None);
                if mine.is_some() {
                    self.write(key, None, "the team", self.sides.now);
                    self.receive(key, "the team", ChangeKind::Removed);
                }
            }
        }
        Ok(())
    }

    /// The text that is here.
    fn text_of(&self, key: &str, mine: Option<ContentHash>) -> Planned<Option<String>> {
        if mine.is_none() {
            return Ok(None);
        }
        if self.counts_as_agreed(key) {
            return self.agreed_text(key);
        }
        known(self.facts.texts.get(key), || Need::TextHere(key.to_owned())).map(Some)
    }

    /// The text that was agreed, from the remote's own store; `None` if it is gone there.
    fn agreed_text(&self, key: &str) -> Planned<Option<String>> {
        if self.sides.state.agreed.get(key).is_none_or(|agreed| agreed.content.is_none()) {
            return Ok(None);
        }
        known(self.facts.agreed_texts.get(key), || Need::AgreedText(key.to_owned()))
    }

    /// What both sides were made from: what went out from here last, together with a change that still waits, or what was
    /// agreed.
    fn base_of(&self, agreed_as: &str, target: &str) -> Planned<Option<String>> {
        match self.sent_together(target) {
            Some(sent) => Ok(Some(sent)),
            None => self.agreed_text(agreed_as),
        }
    }

    /// Writes what a killed sync was about to write, unless this one writes something else there.
    fn write_late(&mut self, key: &str) -> Planned<()> {
        if !self.sides.unwritten.contains(key) || self.plan.local.contains_key(key) {
            return Ok(());
        }
        let text = match (self.plan.outgoing.get(key), self.plan.agreed.get(key)) {
            (Some(outgoing), _) if !outgoing.is_ahead => outgoing.text.clone(),
            (None, Some(None)) => None,
            (None, Some(Some(_))) => return Ok(()),
            _ => {
                let text = self.agreed_text(key)?;
                if text.is_none()
                    && self.sides.state.agreed.get(key).is_some_and(|agreed| agreed.content.is_some())
                {
                    return Ok(());
                }
                text
            }
        };
        let kind = match (&text, self.sides.scan.files.contains_key(key)) {
            (None, _) => ChangeKind::Removed,
            (Some(_), true) => ChangeKind::Changed,
            (Some(_), false) => ChangeKind::Added,
        };
        self.write(key, text, "the team", self.sides.now);
        if self.plan.local.contains_key(key) {
            self.receive(key, "the team", kind);
        }
        Ok(())
    }

    /// Takes the remote's entry over.
    fn take(&mut self, key: &str, mine: Option<ContentHash>) -> Planned<()> {
        let Some((entry, id)) = self.sides.inbox.entry(key) else { return Ok(()) };
        let by = self.name_of(&self.author_of(key, entry));
        let kind = match (&entry.text, mine) {
            (None, _) => ChangeKind::Removed,
            (Some(_), None) => ChangeKind::Added,
            (Some(_), Some(_)) => ChangeKind::Changed,
        };
        let (text, time) = (entry.text.clone(), entry.time);
        self.plan.agreed.insert(key.to_owned(), Some(Agreed::of(entry, id)));
        if kind == ChangeKind::Added && self.sides.state.agreed.contains_key(key) && self.took_back(key)? {
            self.report.notices.push(format!(
                "you took `{key}` back, and {by} changed it: it is the team's again, and yours is beside it, \
                 not in `team/`"
            ));
        }
        self.write(key, text, &by, time);
        self.receive(key, &by, kind);
        Ok(())
    }

    /// Sends what is here, unless it may not be shared.
    pub(crate) fn send(&mut self, key: &str, text: Option<String>) -> Planned<()> {
        self.send_as(key, text, None)
    }

    /// The same for a memory that may not be the one that lies under that name here.
    fn send_as(&mut self, key: &str, text: Option<String>, memory: Option<MemoryId>) -> Planned<()> {
        if !self.may_send(key, text.as_deref()) {
            return Ok(());
        }
        let agreed = self.sides.state.agreed.get(key);
        if text.is_none()
            && agreed.is_none_or(|agreed| agreed.content.is_none())
            && self.sides.inbox.entry(key).is_none()
            && self.sides.inbox.theirs(key) != Theirs::Foreign
        {
            return Ok(());
        }
        self.put_out(key, text, memory);
        Ok(())
    }

    /// Sends it, whatever it is.
    fn put_out(&mut self, key: &str, text: Option<String>, memory: Option<MemoryId>) {
        let version = self.next_version(key);
        let agreed = self.sides.state.agreed.get(key);
        let parent = match self.sides.inbox.entry(key) {
            Some((entry, _)) if entry.version.saturating_add(1) == version => entry.content(),
            _ => agreed.and_then(|agreed| agreed.content),
        };
        let memory = self.memory_to_send(key, text.as_ref(), memory);
        if text.is_some() {
            self.sent_as.insert(memory, key.to_owned());
        }
        let outgoing = Outgoing { text, version, parent, memory, is_renewal: false, is_ahead: false };
        self.plan.outgoing.insert(key.to_owned(), outgoing);
    }

    /// Whether a text may be shared under a name; who asks for one that may not has the user told.
    pub(crate) fn may_send(&mut self, key: &str, text: Option<&str>) -> bool {
        let why = text.and_then(|text| {
            let unwanted = self.sides.scan.left_alone.get(key).cloned();
            let refused = unwanted.or_else(|| self.rules.refuses_key(key));
            let refused = refused.or_else(|| self.refusal(key, text));
            refused.or_else(|| self.differs_in_capitals_only(key))
        });
        let Some(why) = why else { return true };
        self.block(key, key, why);
        // Nothing of it is changed until the user did something about it.
        self.plan.local.remove(key);
        self.plan.agreed.remove(key);
        false
    }

    /// Says that a memory stays here, and that what a member changed there meanwhile waits for it.
    pub(crate) fn block(&mut self, key: &str, target: &str, why: String) {
        let why = match self.sides.inbox.waits_behind(target, self.sides.roster) {
            Some(waits) => format!("{why}; {waits}"),
            None => why,
        };
        self.report.blocked.push(Refused { path: key.to_owned(), why });
    }

    /// One more than anybody claims.
    pub(crate) fn next_version(&self, key: &str) -> u64 {
        let agreed = self.sides.state.agreed.get(key).map_or(0, |agreed| agreed.version);
        agreed.max(self.sides.inbox.version(key)).saturating_add(1)
    }

    /// A file that only this machine knows and that has the same name but for capitals.
    fn own_namesake(&mut self, key: &str) -> Option<String> {
        let names = self.own_names.get_or_insert_with(|| {
            let is_known = |key: &String| {
                self.sides.state.agreed.get(key).is_some_and(|agreed| agreed.content.is_some())
            };
            Capitals::of(self.sides.scan.files.keys().filter(|key| !is_known(key)))
        });
        names.other(key).map(str::to_owned)
    }

    /// Why a name that is new to the team cannot be one: some machines would take it for another.
    fn differs_in_capitals_only(&mut self, key: &str) -> Option<String> {
        if self.sides.state.agreed.get(key).is_some_and(|agreed| agreed.content.is_some()) {
            return None;
        }
        let other = self.taken_names().other(key)?;
        Some(format!("`{other}` has the same name but for capitals"))
    }

    /// The names that the team's memories have.
    fn taken_names(&mut self) -> &mut Capitals {
        self.names.get_or_insert_with(|| {
            let agreed = self.sides.state.agreed.iter().filter(|(_, agreed)| agreed.content.is_some());
            // What was removed or renamed here gives its name back.
            let agreed = agreed.map(|(key, _)| key).filter(|key| self.sides.scan.files.contains_key(*key));
            let new =
                self.sides.inbox.entries().filter(|(_, entry)| entry.text.is_some()).map(|(key, _)| key);
            Capitals::of(agreed.chain(new))
        })
    }

    fn write(&mut self, key: &str, text: Option<String>, by: &str, time: Timestamp) {
        let before = self.sides.scan.files.get(key).copied();
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
        match self.sides.roster.standing(author) {
            Standing::Member(name) | Standing::Revoked(name) => name.to_owned(),
            Standing::Unknown => author.short(),
        }
    }
}
