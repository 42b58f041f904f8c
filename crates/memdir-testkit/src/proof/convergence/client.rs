use std::collections::BTreeMap;

use memdir_core::content_hash::ContentHash;
use memdir_core::memory::text_merge::merge_text;
use memdir_sync::engine::{SyncError, sync};
use memdir_sync::local::{Held, LeftAlone, Local, LocalChange, LocalError, NameChange, Rules, Scan};
use memdir_sync::options::Options;
use memdir_sync::report::SyncReport;
use memdir_sync::state::{Pending, SyncState};
use memdir_wire::invitation::Invitation;
use memdir_wire::member::Member;
use memdir_wire::signing::SecretKey;
use memdir_wire::team_id::TeamId;

use super::FaultyRemote;

/// One member with a machine of their own.
pub(super) struct Client {
    pub(super) files: BTreeMap<String, String>,
    /// What the history says about names.
    pub(super) history: Vec<NameChange>,
    pub(super) remote: FaultyRemote,
    /// After how many steps of this machine's side the process dies.
    pub(super) crash_after: Option<u64>,
    member: Membership,
    state: Option<String>,
    pending: Option<String>,
    /// How often random bits were asked for.
    asked: u128,
}

/// Who a member is.
pub(super) struct Membership {
    key: SecretKey,
    team: TeamId,
    record: Member,
}

/// A founder, and everybody whom they invited.
pub(super) fn team(seed: u64, count: u64) -> Vec<Membership> {
    let key = |number: u64| {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&number.to_le_bytes());
        bytes
    };
    let founder_key = || SecretKey::from_seed(key(0));
    let (founder, team) = Member::founder(&founder_key(), "m0", "nonce");
    let mut members = vec![Membership { key: founder_key(), team: team.clone(), record: founder }];
    for number in 1..count {
        let invitation =
            Invitation::new(&team, "file:///x", "memdir", &founder_key(), key(number + 1_000_000));
        let own = SecretKey::from_seed(key(number));
        let record = Member::invited(&own, &format!("m{number}"), &team, invitation.grant, &invitation.key);
        members.push(Membership { key: own, team: team.clone(), record });
    }
    members
}

/// The id of that team.
pub(super) fn team_id(seed: u64) -> TeamId {
    let mut founders = team(seed, 1).into_iter().map(|founder| founder.team);
    founders.next().unwrap()
}

impl Client {
    pub(super) fn new(member: Membership, remote: FaultyRemote) -> Self {
        Self {
            files: BTreeMap::new(),
            history: Vec::new(),
            remote,
            crash_after: None,
            member,
            state: None,
            pending: None,
            asked: 0,
        }
    }

    /// Whether a sync was killed that would change this file, and may have done so.
    pub(super) fn is_half_written(&self, key: &str) -> bool {
        let pending = self.pending.as_deref().and_then(Pending::parse);
        let mut changes = pending.iter().flat_map(|pending| pending.settled.iter().chain(&pending.changes));
        changes.any(|change| {
            let after = change.after.as_ref().and_then(|agreed| agreed.content);
            change.key == key && change.before != after
        })
    }

    pub(super) fn sync(&mut self) -> Result<SyncReport, SyncError> {
        let options = Options {
            introduce: vec![self.member.record.clone()],
            delete_many: true,
            tombstone_rounds: 15,
            ..Options::default()
        };
        let key = SecretKey::from_hex(&self.member.key.to_hex()).unwrap();
        let mut remote = std::mem::take(&mut self.remote);
        let result = sync(self, &mut remote, &key, &options, crate::NOW.parse().unwrap());
        self.remote = remote;
        result
    }

    /// One step; the process may die before it.
    fn step(&mut self) -> Result<(), LocalError> {
        match &mut self.crash_after {
            Some(0) => Err("killed".into()),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

impl Rules for Client {
    fn refuses_key(&self, _: &str) -> Option<String> {
        None
    }

    fn refuses_to_share(&self, _: &str, _: &str, _: bool) -> Option<String> {
        None
    }

    fn merge(&self, _: &str, base: &str, mine: &str, theirs: &str) -> Option<String> {
        merge_text(base, mine, theirs).ok()
    }

    fn reviews(&self) -> bool {
        false
    }
}

impl Local for Client {
    fn load(&mut self) -> Result<(SyncState, Option<Pending>), LocalError> {
        let state = match &self.state {
            Some(state) => SyncState::parse(state).ok_or("the state cannot be read")?,
            None => SyncState::new(self.member.team.clone()),
        };
        Ok((state, self.pending.as_deref().and_then(Pending::parse)))
    }

    fn scan(&mut self) -> Result<Scan, LocalError> {
        let files = self.files.iter().map(|(key, text)| (key.clone(), ContentHash::of(text.as_bytes())));
        let read_up_to = BTreeMap::from([(String::new(), self.history.len().to_string())]);
        Ok(Scan { files: files.collect(), read_up_to, ..Scan::default() })
    }

    fn name_changes(&self, since: &BTreeMap<String, String>) -> Vec<NameChange> {
        let since = since.get("").and_then(|since| since.parse().ok()).unwrap_or(self.history.len());
        self.history[since..].to_vec()
    }

    fn random(&mut self) -> Result<u128, LocalError> {
        self.asked += 1;
        let own = ContentHash::of(self.member.key.public().as_bytes());
        Ok(u128::from_le_bytes(own.as_bytes()[..16].try_into()?) ^ self.asked)
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, LocalError> {
        Ok(self.files.get(key).cloned())
    }

    fn begin(&mut self, pending: &Pending) -> Result<(), LocalError> {
        self.step()?;
        self.pending = Some(pending.render());
        self.step()
    }

    fn give_up(&mut self) -> Result<(), LocalError> {
        self.step()?;
        self.pending = None;
        Ok(())
    }

    fn apply(&mut self, changes: &[LocalChange]) -> Result<Vec<LeftAlone>, LocalError> {
        for change in changes {
            self.step()?;
            match &change.text {
                Some(text) => self.files.insert(change.key.clone(), text.clone()),
                None => self.files.remove(&change.key),
            };
        }
        Ok(Vec::new())
    }

    fn hold(&mut self, held: &[Held]) -> Result<Vec<String>, LocalError> {
        Err(format!("{} entries are held, and everybody is a member", held.len()).into())
    }

    fn finish(&mut self, state: &SyncState) -> Result<(), LocalError> {
        self.step()?;
        self.state = Some(state.render());
        self.step()?;
        self.pending = None;
        Ok(())
    }
}
