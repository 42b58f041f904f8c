//! Who may speak in a team, worked out from records that anybody may have written.

use std::collections::{BTreeMap, BTreeSet};

use crate::member::{Member, Revocation};
use crate::signing::PublicKey;
use crate::team_id::TeamId;
use crate::voucher::Voucher;

#[cfg(test)]
mod tests;

/// The members of a team as this machine knows them: once in, a record stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roster {
    team: TeamId,
    members: BTreeMap<PublicKey, Member>,
    revocations: BTreeMap<PublicKey, Revocation>,
}

/// What a person is to the team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing<'r> {
    /// A member, with the name.
    Member(&'r str),
    /// A former member.
    Revoked(&'r str),
    /// A person whom no member introduced.
    Unknown,
}

/// What new records changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Learnt {
    /// The keys that came in.
    pub joined: Vec<PublicKey>,
    /// The keys that no longer count.
    pub revoked: Vec<PublicKey>,
    /// What is wrong with other records, a line each.
    pub problems: Vec<String>,
}

impl Roster {
    /// A team without known members.
    #[must_use]
    pub fn new(team: TeamId) -> Self {
        Self { team, members: BTreeMap::new(), revocations: BTreeMap::new() }
    }

    /// The team.
    #[must_use]
    pub fn team(&self) -> &TeamId {
        &self.team
    }

    /// What a machine remembers: every record counts as it was taken over, whatever became of the member that brought it.
    #[must_use]
    pub fn pinned(team: TeamId, members: Vec<Member>, revocations: Vec<Revocation>) -> Self {
        let members = members.into_iter().map(|member| (member.key, member)).collect();
        let revocations = revocations.into_iter().map(|record| (record.key, record)).collect();
        Self { team, members, revocations }
    }

    /// Takes over what records prove. What is known already is never changed by them, and their order decides nothing:
    /// every step asks only what follows from all records together.
    pub fn learn(&mut self, members: Vec<Member>, revocations: Vec<Revocation>) -> Learnt {
        self.learn_vouched(members, revocations, &[])
    }

    /// The same, where members vouch for some whose inviter was put out.
    pub fn learn_vouched(
        &mut self,
        members: Vec<Member>,
        revocations: Vec<Revocation>,
        vouchers: &[Voucher],
    ) -> Learnt {
        let mut learnt = Learnt::default();
        let (known, mut waiting): (Vec<Member>, Vec<Member>) =
            members.into_iter().partition(|member| self.members.contains_key(&member.key));
        for member in known {
            if self.members.get(&member.key) != Some(&member) {
                learnt
                    .problems
                    .push(format!("the record of {} was changed; the first one counts", member.key.short()));
            }
        }
        waiting.sort_by_cached_key(Member::render);
        waiting.dedup();
        let mut revocations = revocations;
        revocations.sort_by_key(|record| (record.key, record.by == record.key, record.by));
        for revocation in &revocations {
            self.revoke(revocation, &mut learnt);
        }
        let mut words: BTreeMap<PublicKey, Vec<PublicKey>> = BTreeMap::new();
        for voucher in vouchers {
            words.entry(voucher.key).or_default().push(voucher.by);
        }
        let mut used: BTreeSet<String> = self.members.values().map(Member::file_name).collect();
        loop {
            // Whom a revocation names is out before they could bring anybody in: everybody who may put a member out came
            // in before that member.
            let (ready, rest): (Vec<Member>, Vec<Member>) =
                waiting.into_iter().partition(|member| self.is_introduced(member, &words));
            waiting = rest;
            let mut admitted = BTreeSet::new();
            for member in ready {
                if self.admit(&member, &mut used, &mut learnt) {
                    admitted.insert(member.key);
                } else if !self.members.contains_key(&member.key) {
                    learnt.problems.push(uninvited(&member));
                }
            }
            if admitted.is_empty() {
                break;
            }
            let concerns_new =
                |record: &&Revocation| admitted.contains(&record.key) || admitted.contains(&record.by);
            for revocation in revocations.iter().filter(concerns_new) {
                self.revoke(revocation, &mut learnt);
            }
        }
        learnt.problems.extend(waiting.iter().map(uninvited));
        for revocation in revocations.iter().filter(|record| !self.may_revoke(record)) {
            if self.members.contains_key(&revocation.key) {
                learnt.problems.push(format!(
                    "{} may not take {} out of the team",
                    revocation.by.short(),
                    revocation.key.short()
                ));
            }
        }
        learnt
    }

    /// Whether the chain of those who brought each other in is whole. A member who left keeps their word about others;
    /// a removed member brings in no one who was not known before, unless another member vouches for them.
    fn is_introduced(&self, member: &Member, words: &BTreeMap<PublicKey, Vec<PublicKey>>) -> bool {
        let Some(by) = member.introduced_by() else { return true };
        let mut vouching = words.get(&member.key).into_iter().flatten();
        self.has_a_say(&by) || vouching.any(|other| *other != member.key && self.has_a_say(other))
    }

    /// Whether a person's word about who belongs to the team counts.
    #[must_use]
    pub fn has_a_say(&self, key: &PublicKey) -> bool {
        self.members.contains_key(key)
            && self.revocations.get(key).is_none_or(|record| record.by == record.key)
    }

    /// The members who came in by a since removed member: a newcomer knows them only if another member
    /// vouches for them.
    pub fn without_inviter(&self) -> impl Iterator<Item = &Member> {
        self.members.values().filter(|member| {
            let inviter = member.introduced_by().filter(|by| !self.has_a_say(by));
            inviter.is_some() && !self.revocations.contains_key(&member.key)
        })
    }

    fn admit(&mut self, member: &Member, used: &mut BTreeSet<String>, learnt: &mut Learnt) -> bool {
        // An invitation brings in one member, the first.
        if self.members.contains_key(&member.key) || !used.insert(member.file_name()) {
            return false;
        }
        self.members.insert(member.key, member.clone());
        learnt.joined.push(member.key);
        true
    }

    fn revoke(&mut self, revocation: &Revocation, learnt: &mut Learnt) {
        if !self.may_revoke(revocation) {
            return;
        }
        match self.revocations.get(&revocation.key) {
            None => learnt.revoked.push(revocation.key),
            // Of several that count, everybody keeps the same one.
            Some(known) if counts_before(revocation, known) => {}
            Some(_) => return,
        }
        self.revocations.insert(revocation.key, revocation.clone());
    }

    /// A member may leave; the member that brought them in, and the founder, may remove them. What became of those later
    /// changes nothing about it, or a revocation could be undone.
    fn may_revoke(&self, revocation: &Revocation) -> bool {
        self.members.get(&revocation.key).is_some_and(|member| {
            revocation.by == revocation.key
                || self.members.contains_key(&revocation.by)
                    && (member.introduced_by() == Some(revocation.by) || self.is_founder(&revocation.by))
        })
    }

    /// The record that ended a membership.
    #[must_use]
    pub fn revocation_of(&self, key: &PublicKey) -> Option<&Revocation> {
        self.revocations.get(key)
    }

    /// Whether a person was a member and ended that themselves.
    #[must_use]
    pub fn has_left(&self, key: &PublicKey) -> bool {
        self.revocations.get(key).is_some_and(|record| record.by == record.key)
    }

    fn is_founder(&self, key: &PublicKey) -> bool {
        self.members.get(key).is_some_and(|member| member.introduced_by().is_none())
    }

    /// What a key is to the team.
    #[must_use]
    pub fn standing(&self, key: &PublicKey) -> Standing<'_> {
        match self.members.get(key) {
            None => Standing::Unknown,
            Some(member) if self.revocations.contains_key(key) => Standing::Revoked(&member.name),
            Some(member) => Standing::Member(&member.name),
        }
    }

    /// Everybody who ever was a member, by key.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.values()
    }

    /// Every key that no longer counts.
    pub fn revocations(&self) -> impl Iterator<Item = &Revocation> {
        self.revocations.values()
    }

    /// Whether a key belongs or belonged to a member.
    #[must_use]
    pub fn knows(&self, key: &PublicKey) -> bool {
        self.members.contains_key(key)
    }
}

/// Which of two records about the same member is kept: a removal says more than a departure.
fn counts_before(one: &Revocation, other: &Revocation) -> bool {
    let rank = |record: &Revocation| (record.by == record.key, record.by);
    match rank(one).cmp(&rank(other)) {
        std::cmp::Ordering::Equal => one != other && one.render() < other.render(),
        order => order.is_lt(),
    }
}

fn uninvited(member: &Member) -> String {
    format!(
        "`{}` ({}) wants to be a member, and no member introduced them with an invitation of their own",
        member.name,
        member.key.short()
    )
}
