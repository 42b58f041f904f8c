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

    /// Takes over what records prove. What is known already is never changed by them.
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
        // Whom a revocation names is out before they could bring anybody in.
        let mut withdrawn = revocations;
        loop {
            let before = (waiting.len(), withdrawn.len());
            withdrawn.retain(|revocation| !self.revoke(revocation, &mut learnt));
            waiting.retain(|member| !self.admit(member, &mut learnt));
            if (waiting.len(), withdrawn.len()) == before {
                break;
            }
        }
        for member in waiting {
            learnt.problems.push(format!(
                "`{}` ({}) wants to be a member, and no member introduced them with an invitation of their own",
                member.name,
                member.key.short()
            ));
        }
        learnt
    }

    fn admit(&mut self, member: &Member, learnt: &mut Learnt) -> bool {
        let introduced = match member.introduced_by() {
            None => true,
            Some(by) => matches!(self.standing(&by), Standing::Member(_)),
        };
        // An invitation brings in one member, the first.
        let is_used = || self.members.values().any(|known| known.file_name() == member.file_name());
        if self.members.contains_key(&member.key) {
            return true;
        }
        if !introduced || is_used() {
            return false;
        }
        self.members.insert(member.key, member.clone());
        learnt.joined.push(member.key);
        true
    }

    /// A member may leave; whoever brought them in, and the founder, may put them out.
    fn revoke(&mut self, revocation: &Revocation, learnt: &mut Learnt) -> bool {
        let Some(member) = self.members.get(&revocation.key) else { return false };
        if self.revocations.contains_key(&revocation.key) {
            return true;
        }
        let may = revocation.by == revocation.key
            || (member.introduced_by() == Some(revocation.by) || self.is_founder(&revocation.by))
                && matches!(self.standing(&revocation.by), Standing::Member(_));
        if may {
            self.revocations.insert(revocation.key, revocation.clone());
            learnt.revoked.push(revocation.key);
        } else {
            learnt.problems.push(format!(
                "{} may not take {} out of the team",
                revocation.by.short(),
                revocation.key.short()
            ));
        }
        true
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
