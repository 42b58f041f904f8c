//! One sync: look, decide, publish, write, remember. Killed anywhere, the next one goes on.
//!
//! The order is what makes that true. What will be published and written is remembered first; then it is published, if
//! no other was faster; then it is written here; what was agreed is remembered last. Who finds the first memory without the
//! last asks the remote whether the publishing got through, and goes on from there.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use memdir_wire::entry::Entry;
use memdir_wire::member::Member;
use memdir_wire::roster::Roster;
use memdir_wire::round::Round;
use memdir_wire::signing::SecretKey;
use memdir_wire::team_id::TeamId;

use crate::classify::Theirs;
use crate::inbox::Inbox;
use crate::layout::{ENTRIES, README, README_TEXT, ROUND};
use crate::local::{LeftAlone, Local, LocalChange, LocalError, Proposal, Scan};
use crate::message::message;
use crate::options::{Access, Options};
use crate::plan::facts::PlanFacts;
use crate::plan::{Decision, Planner, Sides, SyncPlan};
use crate::records::Records;
use crate::remote::{Published, Put, Remote, RemoteError, Version};
use crate::report::{Refused, SyncReport};
use crate::state::{Agreed, Moved, Pending, PendingChange, SyncState};

mod outcome;
mod places;
mod reporting;

/// Why a sync did not come to its end. Nothing is lost, and the next one goes on.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The remote.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// This machine's files or our own state.
    #[error("{0}")]
    Local(#[source] LocalError),
    /// Both sides changed the same thing, and the caller wants to hear of it.
    #[error("both sides changed {}", .0.iter().map(|conflict| format!("`{}`", conflict.path)).collect::<Vec<_>>().join(", "))]
    Conflicts(Vec<Conflict>),
    /// A program keeps writing a file while we look at it.
    #[error("`{0}` is being written by another process")]
    ChangedMeanwhile(String),
    /// Others were faster, again and again.
    #[error("others sent something {0} times while we tried to; try again")]
    Busy(u32),
    /// An invitation brings in one member.
    #[error("this invitation was already used")]
    InvitationUsed,
    /// Our own membership ended.
    #[error("this machine is no longer a member: {}", .by.as_ref().map_or_else(|| "it left".to_owned(), |by| format!("{by} removed it")))]
    NoLongerMember {
        /// Who ended it, name and key; `None`: this machine itself.
        by: Option<String>,
    },
    /// No member whom the team knows introduced us.
    #[error("no member of the team gave this invitation: its sender was removed, or never was a member")]
    NotIntroduced,
}

/// A memory that both sides changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Which.
    pub path: String,
    /// Who changed it over there.
    pub by: String,
}

/// Brings this machine's files and the remote together.
///
/// # Errors
/// See [`SyncError`]. Whatever it is, nothing is lost, and the next sync goes on from there.
pub fn sync(
    local: &mut dyn Local,
    remote: &mut dyn Remote,
    key: &SecretKey,
    options: &Options,
    now: Timestamp,
) -> Result<SyncReport, SyncError> {
    let mut head = None;
    // One member is oneself, who is known since the first sync. A second one is to come in.
    if options.revoke.is_empty()
        && options.introduce.len() < 2
        && let Some(agreed_at) = local.up_to_date_at()
    {
        let newest = remote.head()?;
        if newest.as_ref() == Some(&agreed_at) {
            return Ok(SyncReport::default());
        }
        head = Some(newest);
    }
    let mut unwanted = BTreeMap::new();
    let mut changed_meanwhile = None;
    for _ in 0..options.tries.max(1) {
        let (state, pending) = local.load().map_err(SyncError::Local)?;
        let mut scan = local.scan().map_err(SyncError::Local)?;
        scan.leave_alone(&unwanted);
        let (unwritten, resumed) = (BTreeSet::new(), BTreeSet::new());
        let moved = BTreeMap::new();
        let mut once = Once { local, remote, key, options, now, state, scan, unwritten, resumed, moved };
        match once.run(pending, head.take()) {
            Ok(Some(report)) => return Ok(report),
            Ok(None) => changed_meanwhile = None,
            Err(SyncError::ChangedMeanwhile(path)) => changed_meanwhile = Some(path),
            // One memory that the host does not want keeps no other from going.
            Err(SyncError::Remote(RemoteError::RefusedFiles { files }))
                if files.iter().any(|(path, _)| is_news(path, &unwanted)) =>
            {
                changed_meanwhile = None;
                unwanted.extend(files.into_iter().filter_map(|(path, why)| {
                    Some((path.strip_prefix(ENTRIES)?.to_owned(), format!("the server refused it: {why}")))
                }));
            }
            Err(error) => return Err(error),
        }
    }
    Err(changed_meanwhile.map_or(SyncError::Busy(options.tries), SyncError::ChangedMeanwhile))
}

fn is_news(path: &str, unwanted: &BTreeMap<String, String>) -> bool {
    path.strip_prefix(ENTRIES).is_some_and(|key| !unwanted.contains_key(key))
}

/// One try.
struct Once<'s> {
    local: &'s mut dyn Local,
    remote: &'s mut dyn Remote,
    key: &'s SecretKey,
    options: &'s Options,
    now: Timestamp,
    state: SyncState,
    scan: Scan,
    /// Keys that are agreed and not yet written here, because a sync was killed in between.
    unwritten: BTreeSet<String>,
    /// Keys of which only the intention of a killed sync says what is agreed: who replaces that says it again.
    resumed: BTreeSet<String>,
    /// Which memory lies at a path here, wherever that is not the one that was agreed there.
    moved: Moved,
}

/// Where a sync that was killed leaves the next one.
enum Resumed {
    /// This is the newest version now.
    Goes(Option<Version>),
    /// Another member was faster: look again.
    Moved,
}

impl Once<'_> {
    /// `None`: another member was faster. The newest version is asked for unless it was just now.
    fn run(
        &mut self,
        pending: Option<Pending>,
        newest: Option<Option<Version>>,
    ) -> Result<Option<SyncReport>, SyncError> {
        let mut head = match newest {
            Some(newest) => newest,
            None => self.remote.head()?,
        };
        if let (None, Some(agreed_at)) = (&pending, head.as_ref().filter(|head| self.is_up_to_date(head))) {
            self.local.remember_up_to_date(agreed_at);
            return Ok(Some(SyncReport::default()));
        }
        let (mut notices, mut rewritten) = (Vec::new(), false);
        let mut viewed = None;
        if let (Some(head), Some(known)) = (&head, &self.state.head)
            && head != known
        {
            // Looking at a version brings its ancestors here, too.
            viewed = Some((head.clone(), self.remote.view(head)?));
            rewritten = !self.remote.descends(head, known)?;
            if rewritten {
                notices.push("the remote went back behind what it held before, or its history was rewritten; nothing of yours is lost".to_owned());
            }
        } else if head.is_none() && self.state.head.is_some() {
            notices.push("the remote is empty, and was not before; what is here is sent again".to_owned());
        }
        if let Some(pending) = pending {
            match self.resume(pending, head)? {
                Resumed::Goes(newest) => head = newest,
                Resumed::Moved => return Ok(None),
            }
        }
        let mut roster = self.state.roster.clone();
        let inbox = match &head {
            Some(head) => {
                let listed = match viewed.take() {
                    Some((version, listed)) if version == *head => listed,
                    _ => self.remote.view(head)?,
                };
                let files = (head, listed.as_slice());
                Inbox::read(self.remote, files, &self.state, &mut roster, self.options, self.local)?
            }
            None => {
                let mut inbox = Inbox::default();
                inbox.records.learnt = roster.learn(self.options.introduce.clone(), Vec::new());
                inbox
            }
        };
        roster.learn(Vec::new(), self.options.revoke.clone());
        self.check_membership(&roster)?;
        check_introduction(&self.options.introduce, &roster)?;
        if inbox.round < self.state.round && head != self.state.head && head.is_some() {
            notices.push(
                "the remote counts fewer rounds than before: it was reset to an older state".to_owned(),
            );
        }
        self.identify();
        let (mut plan, mut report) = self.plan(&inbox, &roster, rewritten)?;
        if self.options.access == Access::ReadOnly {
            reporting::keep_here(&mut plan, &mut report);
        }
        notices.append(&mut report.notices);
        report.notices = notices;
        self.say(&inbox, &roster, &plan, &mut report);
        if self.options.dry_run {
            self.show(&inbox, &plan, &mut report)?;
            return Ok(Some(report));
        }
        self.carry_out(head, &inbox, roster, plan, report)
    }

    /// Loads what planning needs, plans, and begins again for as long as planning finds that a fact is missing: each time at
    /// least one more is there.
    fn plan(
        &mut self,
        inbox: &Inbox,
        roster: &Roster,
        rewritten: bool,
    ) -> Result<(SyncPlan, SyncReport), SyncError> {
        let random = self.local.random().map_err(SyncError::Local)?;
        let sides = Sides {
            state: &self.state,
            scan: &self.scan,
            inbox,
            roster,
            me: self.key.public(),
            options: self.options,
            unwritten: &self.unwritten,
            moved: &self.moved,
            random,
            rewritten,
            now: self.now,
        };
        let mut facts = PlanFacts::of_past(&sides, self.remote)?;
        let mut needs = Planner::new(sides, self.local, &facts).first_needs();
        loop {
            facts.load(needs, &sides, self.local, self.remote)?;
            match Planner::new(sides, self.local, &facts).make() {
                Decision::Plan(planned) => return Ok(*planned),
                Decision::Conflicts(conflicts) => return Err(SyncError::Conflicts(conflicts)),
                Decision::Needs(missing) => needs = missing,
            }
        }
    }

    /// Whether both sides are as they were agreed, at the cost of one request.
    fn is_up_to_date(&self, head: &Version) -> bool {
        let is_declined = |key: &str| self.state.is_declined(key, &self.scan);
        let alive = self.state.agreed.iter().filter_map(|(key, agreed)| Some((key, agreed.content?)));
        let wanted = alive.filter(|(key, _)| self.local.wants(key) && !is_declined(key));
        let here = self.scan.files.iter().filter(|(key, _)| !is_declined(key));
        Some(head) == self.state.head.as_ref()
            && !self.state.unfinished
            // The user is told what waits, and what they decided about it is read.
            && self.state.waiting.is_empty()
            && self.state.roster.revocation_of(&self.key.public()).is_none()
            && self.options.introduce.iter().all(|member| self.state.roster.knows(&member.key))
            && self.options.revoke.is_empty()
            && self.scan.left_alone.is_empty()
            && wanted.eq(here.map(|(key, content)| (key, *content)))
    }

    /// Goes on where a killed sync stopped: if it had published, what it published is agreed, and what it had not yet
    /// written here counts as written and is. If it may still arrive, it is published again, the very same: only then is it
    /// known what came of it. Gives back the newest version.
    fn resume(&mut self, pending: Pending, head: Option<Version>) -> Result<Resumed, SyncError> {
        let mut head = head;
        let arrived = match &head {
            Some(newest) => {
                self.remote.view(newest)?;
                self.remote.descends(newest, &pending.version)?
            }
            None => false,
        };
        let mut unknown = self.adopt(pending.settled, pending.seen);
        self.state.moved.extend(unknown.iter().map(|key| (key.clone(), None)));
        if !arrived {
            if head != pending.onto || self.options.dry_run {
                return Ok(Resumed::Goes(head));
            }
            match self.remote.publish(head.as_ref(), &pending.version) {
                Ok(Published::Done) => head = Some(pending.version.clone()),
                Ok(Published::Moved) => return Ok(Resumed::Moved),
                Err(error @ RemoteError::Unreachable { .. }) => return Err(error.into()),
                Err(error @ (RemoteError::Refused { .. } | RemoteError::RefusedFiles { .. })) => {
                    self.withdraw(head.as_ref())?;
                    return Err(error.into());
                }
                // It is not here any more, so it will never be published.
                Err(_) => return Ok(Resumed::Goes(head)),
            }
        }
        unknown.extend(self.adopt(pending.changes, pending.round));
        self.state.moved = pending.moved;
        self.state.moved.extend(unknown.into_iter().map(|key| (key, None)));
        self.state.read_up_to = pending.read_up_to;
        Ok(Resumed::Goes(head))
    }

    /// Takes over what is agreed by the word of a killed sync. Gives back the names that mean another memory here than the
    /// one that stays agreed under them.
    fn adopt(&mut self, changes: Vec<PendingChange>, round: u64) -> Vec<String> {
        let mut unknown = Vec::new();
        self.state.round = self.state.round.max(round);
        for change in changes {
            let here = self.scan.files.get(&change.key).copied();
            let after = change.after.as_ref().and_then(|agreed| agreed.content);
            if here != after {
                if here == change.before {
                    self.unwritten.insert(change.key.clone());
                } else if change.before != after && after.is_some() {
                    // The file here was changed before ours could be written: its author never saw what was published,
                    // so the three sides are what they were. Not so where it was to be deleted: that may have happened, and
                    // what is here be new. Taken for a change, it would delete every line of the old one elsewhere.
                    // If the name means another memory since, that is one without a base.
                    let decided =
                        change.after.map(|after| after.memory(self.state.roster.team(), &change.key));
                    if self.state.memory_at(&change.key).is_some_and(|known| Some(known) != decided) {
                        unknown.push(change.key);
                    }
                    continue;
                }
            }
            self.resumed.insert(change.key.clone());
            match change.after {
                Some(agreed) => self.state.agreed.insert(change.key, agreed),
                None => self.state.agreed.remove(&change.key),
            };
        }
        unknown
    }

    /// Whether we are still one of them. Who is not sends nothing that anybody would take.
    fn check_membership(&mut self, roster: &Roster) -> Result<(), SyncError> {
        let me = self.key.public();
        let Some(ended) = roster.revocation_of(&me) else { return Ok(()) };
        if self.options.revoke.iter().any(|own| own.key == me) {
            return Ok(());
        }
        if !self.options.dry_run {
            self.state.roster = roster.clone();
            self.local.finish(&self.state).map_err(SyncError::Local)?;
        }
        let by = roster.members().find(|member| member.key == ended.by && ended.by != me);
        Err(SyncError::NoLongerMember { by: by.map(|by| format!("{} ({})", by.name, by.key.short())) })
    }

    fn carry_out(
        &mut self,
        head: Option<Version>,
        inbox: &Inbox,
        roster: Roster,
        plan: SyncPlan,
        mut report: SyncReport,
    ) -> Result<Option<SyncReport>, SyncError> {
        let outcome = self.outcome(inbox, &plan, &report);
        let mut after = plan.agreed;
        let round = self.state.round.max(inbox.round);
        let mut puts = match self.options.access {
            Access::Member => inbox.records.missing(&roster, self.key),
            Access::Session | Access::ReadOnly => Vec::new(),
        };
        let mut new_head = head.clone();
        let mut new_round = round;
        let mut proposals = [plan.waiting, plan.withheld].concat();
        if !plan.outgoing.is_empty() || !puts.is_empty() {
            new_round = round.saturating_add(1);
            let mut floor = inbox.records.floor;
            for (key, agreed) in &self.state.agreed {
                let is_old = agreed.round.saturating_add(self.options.tombstone_rounds) <= new_round;
                // It may have been made anew: then there is no deletion to forget.
                let is_there = inbox.theirs(key) == Theirs::Unchanged && !after.contains_key(key);
                if agreed.content.is_none() && is_old && is_there && !plan.outgoing.contains_key(key) {
                    puts.push(Put { path: format!("{ENTRIES}{key}"), content: None });
                    after.insert(key.clone(), None);
                    floor = floor.max(agreed.round).min(new_round);
                }
            }
            let (mut sent, mut ahead) = (BTreeMap::new(), BTreeMap::new());
            for (entry_key, outgoing) in plan.outgoing {
                let renamed_from =
                    if outgoing.text.is_none() { self.local.went_to(&entry_key) } else { None };
                let entry = Entry {
                    memory: Some(outgoing.memory),
                    team: roster.team().clone(),
                    path: entry_key.clone(),
                    version: outgoing.version,
                    round: new_round,
                    parent: outgoing.parent,
                    renamed_from,
                    time: self.now,
                    author: self.key.public(),
                    text: outgoing.text,
                };
                let list = if outgoing.is_ahead { &mut ahead } else { &mut sent };
                list.insert(entry_key.clone(), (entry.version, entry.content(), entry.memory));
                let content = Some(entry.sign(self.key).render());
                puts.push(Put { path: format!("{ENTRIES}{entry_key}"), content });
            }
            let count = Round::new(roster.team(), new_round, floor, self.key);
            puts.push(Put { path: ROUND.to_owned(), content: Some(count.render()) });
            if !inbox.has_readme {
                puts.push(Put { path: README.to_owned(), content: Some(README_TEXT.into()) });
            }
            let message = message(&report, &self.who_comes_and_goes(&puts, &roster));
            let prepared = self.remote.prepare(head.as_ref(), &puts, &message)?;
            let agreed = |key: &str, (version, content, memory)| {
                let id = prepared.ids.get(&format!("{ENTRIES}{key}")).cloned().unwrap_or_default();
                Agreed { version, round: new_round, id, content, memory }
            };
            for (key, sent) in sent {
                let agreed = agreed(&key, sent);
                after.insert(key, Some(agreed));
            }
            for proposal in &mut proposals {
                if let Some(sent) = ahead.remove(&proposal.held.key) {
                    proposal.entry = agreed(&proposal.held.key, sent);
                }
            }
            let places = self.places_after(&after, &plan.local);
            self.begin(head.as_ref(), &prepared.version, new_round, &after, places)?;
            match self.remote.publish(head.as_ref(), &prepared.version) {
                Ok(Published::Done) => new_head = Some(prepared.version),
                Ok(Published::Moved) => {
                    self.withdraw(head.as_ref())?;
                    return Ok(None);
                }
                Err(refused @ (RemoteError::Refused { .. } | RemoteError::RefusedFiles { .. })) => {
                    self.withdraw(head.as_ref())?;
                    return Err(refused.into());
                }
                // It may have arrived: the next sync finds out.
                Err(error) => return Err(error.into()),
            }
        }
        let waits: BTreeSet<&String> = proposals.iter().map(|proposal| &proposal.held.key).collect();
        self.state.waiting.retain(|key, _| waits.contains(key));
        for Proposal { held, entry, .. } in &proposals {
            for id in inbox.entry(&held.key).map(|(_, id)| id).into_iter().chain([entry.id.as_str()]) {
                self.state.await_user(&held.key, id);
            }
        }
        let changes: Vec<LocalChange> = plan.local.values().cloned().collect();
        if let Some(head) =
            new_head.as_ref().filter(|newest| Some(*newest) == head.as_ref() && !changes.is_empty())
        {
            // Nothing is published, but what is written here must not be taken for the user's own if we die in between.
            let head = head.clone();
            let places = self.places_after(&after, &plan.local);
            self.begin(Some(&head), &head, new_round, &after, places)?;
        }
        let skipped = self.write(&changes, &mut report)?;
        if !inbox.held.is_empty() {
            let settled = self.local.hold(&inbox.held).map_err(SyncError::Local)?;
            report.held.retain(|held| !settled.contains(&held.path));
        }
        self.local.propose(&proposals).map_err(SyncError::Local)?;
        (self.state.moved, self.state.read_up_to) = self.places_after(&after, &plan.local);
        for (key, agreed) in after {
            if skipped.contains(&key) {
                continue;
            }
            self.state.waiting.remove(&key);
            match agreed {
                Some(agreed) => self.state.agreed.insert(key, agreed),
                None => self.state.agreed.remove(&key),
            };
        }
        let (scan, declined) = (&self.scan, &mut self.state.declined);
        declined.retain(|key, here| scan.files.get(key) == here.as_ref() && !plan.local.contains_key(key));
        for (key, (agreed, here)) in plan.declined {
            self.state.agreed.insert(key.clone(), agreed);
            self.state.declined.insert(key, here);
        }
        self.state.head = new_head;
        self.state.round = new_round;
        // What came to nothing, for whatever reason, is looked at again.
        let agreed = &self.state.agreed;
        let is_open = |(key, entry): (&String, &Entry)| {
            agreed.get(key).is_none_or(|agreed| agreed.version < entry.version)
        };
        self.state.unfinished = !skipped.is_empty() || inbox.left_over > 0 || inbox.entries().any(is_open);
        self.state.roster = roster;
        self.local.follow(&outcome, &self.state).map_err(SyncError::Local)?;
        self.local.finish(&self.state).map_err(SyncError::Local)?;
        Ok(Some(report))
    }

    fn begin(
        &mut self,
        onto: Option<&Version>,
        version: &Version,
        round: u64,
        after: &BTreeMap<String, Option<Agreed>>,
        (moved, read_up_to): (Moved, BTreeMap<String, String>),
    ) -> Result<(), SyncError> {
        let change = |key: &String, after: Option<Agreed>| PendingChange {
            key: key.clone(),
            after,
            before: self.scan.files.get(key).copied(),
        };
        let settled = self.resumed.iter().map(|key| {
            let mut settled = change(key, self.state.agreed.get(key).cloned());
            if !self.unwritten.contains(key) {
                // Nothing is to be written there: whatever else is there is the user's.
                settled.before = settled.after.as_ref().and_then(|agreed| agreed.content);
            }
            settled
        });
        let changes = after.iter().map(|(key, agreed)| change(key, agreed.clone()));
        let pending = Pending {
            onto: onto.cloned(),
            version: version.clone(),
            round,
            seen: self.state.round,
            settled: settled.collect(),
            changes: changes.collect(),
            moved,
            read_up_to,
        };
        self.local.begin(&pending).map_err(SyncError::Local)
    }

    /// Forgets an intention that came to nothing, but not what an earlier one had settled.
    fn withdraw(&mut self, head: Option<&Version>) -> Result<(), SyncError> {
        match head.filter(|_| !self.resumed.is_empty()) {
            Some(head) => {
                let places = (self.state.moved.clone(), self.state.read_up_to.clone());
                self.begin(Some(head), head, self.state.round, &BTreeMap::new(), places)
            }
            None => self.local.give_up().map_err(SyncError::Local),
        }
    }

    /// Writes what others want. What cannot be written is said, and tried again at the next sync.
    fn write(
        &mut self,
        changes: &[LocalChange],
        report: &mut SyncReport,
    ) -> Result<BTreeSet<String>, SyncError> {
        if changes.is_empty() {
            return Ok(BTreeSet::new());
        }
        let left_alone = self.local.apply(changes).map_err(SyncError::Local)?;
        let skipped: BTreeSet<String> = left_alone.iter().map(|left| left.key.clone()).collect();
        report.received.retain(|received| !skipped.contains(&received.path));
        for LeftAlone { key, why } in left_alone {
            let why = why.map(|why| format!("it cannot be written here: {why}"));
            report.refused.extend(why.map(|why| Refused { path: key, why }));
        }
        Ok(skipped)
    }
}

/// Whether an invitation counts, at the cost of a look at the records.
pub(crate) fn check_invitation(
    remote: &mut dyn Remote,
    head: &Version,
    team: &TeamId,
    member: &Member,
) -> Result<(), SyncError> {
    let listed = remote.view(head)?;
    let mut roster = Roster::new(team.clone());
    let introduced = std::slice::from_ref(member);
    Records::read(remote, &listed, &mut roster, introduced)?;
    check_introduction(introduced, &roster)
}

/// Whether those who are to be introduced can be.
fn check_introduction(introduced: &[Member], roster: &Roster) -> Result<(), SyncError> {
    for member in introduced {
        let known = roster.members().any(|known| known == member);
        if !known && roster.members().any(|known| known.file_name() == member.file_name()) {
            return Err(SyncError::InvitationUsed);
        }
        if !known {
            return Err(SyncError::NotIntroduced);
        }
    }
    Ok(())
}
