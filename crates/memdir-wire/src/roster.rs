//! Who may speak in a team, worked out from records that anybody may have written.

use std::collections::BTreeMap;

use crate::member::{Member, Revocation};
use crate::signing::PublicKey;
use crate::team_id::TeamId;

#[cfg(test)]
mod tests;

/// The members of a team as this machine knows them: once in, a record stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roster {
    team: TeamId,
    members: BTreeMap<PublicKey, Member>,
    revocations: BTreeMap<PublicKey, Revocation>,
}

/// What somebody is to the team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing<'r> {
    /// A member, with the name.
    Member(&'r str),
    /// Somebody who was a member.
    Revoked(&'r str),
    /// Nobody whom a member introduced.
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
    /// A team of which nobody is known yet.
    #[must_use]
    pub fn new(team: TeamId) -> Self {
        Self { team, members: BTreeMap::new(), revocations: BTreeMap::new() }
    }

    /// The team.
    #[must_use]
    pub fn team(&self) -> &TeamId {
        &self.team
    }

    /// What a machine remembers: every record counts as it was taken over, whatever became of whoever brought it.
    #[must_use]
    pub fn pinned(team: TeamId, members: Vec<Member>, revocations: Vec<Revocation>) -> Self {
        let members = members.into_iter().map(|member| (member.key, member)).collect();
        let revocations = revocations.into_iter().map(|record| (record.key, record)).collect();
        Self { team, members, revocations }
    }

    /// Takes over what records prove. What is known already is never changed by them, and their order decides nothing:
    /// every step asks only what follows from all records together.
    pub fn learn(&mut self, members: Vec<Member>, revocations: Vec<Revocation>) -> Learnt {
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
        // Of two that both count, the one of somebody else says more than that a member left.
        let mut revocations = revocations;
        revocations.sort_by_key(|record| (record.key, record.by == record.key, record.by));
        for revocation in &revocations {
            self.revoke(revocation, &mut learnt);
        }
        loop {
            // Whom a revocation names is out before they could bring anybody in: everybody who may put a member out came
            // in before that member.
            let (ready, rest): (Vec<Member>, Vec<Member>) =
                waiting.into_iter().partition(|member| self.is_introduced(member));
            waiting = rest;
            let mut admitted = Vec::new();
            for member in ready {
                if self.admit(&member, &mut learnt) {
                    admitted.push(member.key);
                } else if !self.members.contains_key(&member.key) {
                    learnt.problems.push(uninvited(&member));
                }
            }
            if admitted.is_empty() {
                break;
            }
            for revocation in revocations.iter().filter(|record| admitted.contains(&record.key)) {
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

    /// Whether the chain of those who brought each other in is whole. Somebody who left keeps their word about others;
    /// somebody who was put out brings in nobody who was not known before.
    fn is_introduced(&self, member: &Member) -> bool {
        member.introduced_by().is_none_or(|by| self.members.contains_key(&by) && !self.was_put_out(&by))
    }

    fn was_put_out(&self, key: &PublicKey) -> bool {
        self.revocations.get(key).is_some_and(|record| record.by != record.key)
    }

    fn admit(&mut self, member: &Member, learnt: &mut Learnt) -> bool {
        // An invitation brings in one member, the first.
        let is_used = self.members.values().any(|known| known.file_name() == member.file_name());
        if is_used || self.members.contains_key(&member.key) {
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
            Some(known) if known.by == known.key && revocation.by != revocation.key => {}
            Some(_) => return,
        }
        self.revocations.insert(revocation.key, revocation.clone());
    }

    /// A member may leave; whoever brought them in, and the founder, may put them out. What became of those later
    /// changes nothing about it, or a revocation could be taken back.
    fn may_revoke(&self, revocation: &Revocation) -> bool {
        self.members.get(&revocation.key).is_some_and(|member| {
            revocation.by == revocation.key
                || self.members.contains_key(&revocation.by)
                    && (member.introduced_by() == Some(revocation.by) || self.is_founder(&revocation.by))
        })
    }

    /// Whether somebody was a member and ended that themselves.
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

fn uninvited(member: &Member) -> String {
    format!(
        "`{}` ({}) wants to be a member, and no member introduced them with an invitation of their own",
        member.name,
        member.key.short()
    )
}
