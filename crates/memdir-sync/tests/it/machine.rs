//! A machine whose files are a map, and a remote in this process that anybody may write to.

use std::collections::BTreeMap;

use memdir_core::content_hash::ContentHash;
use memdir_core::memory::text_merge::merge_text;
use memdir_sync::engine::{SyncError, sync};
use memdir_sync::local::{
    Held, LeftAlone, Local, LocalChange, LocalError, NameChange, Proposal, Rules, Scan,
};
use memdir_sync::options::Options;
use memdir_sync::remote::in_process::InProcess;
use memdir_sync::remote::{Put, Remote, Version};
use memdir_sync::report::SyncReport;
use memdir_sync::state::{Pending, SyncState};
use memdir_wire::entry::{Entry, SignedEntry};
use memdir_wire::invitation::Invitation;
use memdir_wire::member::{Member, Revocation};
use memdir_wire::signing::{PublicKey, SecretKey};
use memdir_wire::team_id::TeamId;

use crate::people::now;

#[derive(Clone)]
pub(crate) struct Machine {
    pub(crate) files: BTreeMap<String, String>,
    /// What the history says about names.
    pub(crate) history: Vec<NameChange>,
    pub(crate) held: Vec<Held>,
    pub(crate) remote: InProcess,
    /// Whether what others send waits.
    pub(crate) reviews: bool,
    /// Whether the process is killed before it writes anything here.
    pub(crate) dies: bool,
    /// Whether it is killed as soon as it remembered what it will do.
    pub(crate) dies_before_publishing: bool,
    /// For how many rounds a deletion is named.
    pub(crate) tombstone_rounds: u64,
    seed: u8,
    team: TeamId,
    record: Member,
    state: Option<String>,
    pending: Option<String>,
    /// How often random bits were asked for.
    asked: u128,
}

impl Machine {
    pub(crate) fn founder() -> Self {
        Self::founding(1, "Ada")
    }

    pub(crate) fn founder_of_another_team() -> Self {
        Self::founding(99, "Mallory")
    }

    fn founding(seed: u8, name: &str) -> Self {
        let (record, team) = Member::founder(&SecretKey::from_seed([seed; 32]), name, "n");
        let mut founder = Self::with(seed, InProcess::new(), team, record);
        founder.sync();
        founder
    }

    /// A member who joins has synced once.
    pub(crate) fn joining(other: &Self, seed: u8, name: &str) -> Self {
        let mut joined = Self::invited(other, seed, name);
        joined.sync();
        joined
    }

    pub(crate) fn invited(other: &Self, seed: u8, name: &str) -> Self {
        let invitation =
            Invitation::new(&other.team, "file:///r", "memdir", &other.secret(), [seed + 100; 32]);
        let own = SecretKey::from_seed([seed; 32]);
        let record = Member::invited(&own, name, &other.team, invitation.grant, &invitation.key);
        Self::with(seed, other.remote.clone(), other.team.clone(), record)
    }

    fn with(seed: u8, remote: InProcess, team: TeamId, record: Member) -> Self {
        let (files, held) = (BTreeMap::new(), Vec::new());
        Self {
            files,
            history: Vec::new(),
            held,
            remote,
            reviews: false,
            dies: false,
            dies_before_publishing: false,
            tombstone_rounds: 10_000,
            seed,
            team,
            record,
            state: None,
            pending: None,
            asked: 0,
        }
    }

    fn secret(&self) -> SecretKey {
        SecretKey::from_seed([self.seed; 32])
    }

    pub(crate) fn key(&self) -> PublicKey {
        self.secret().public()
    }

    pub(crate) fn write(&mut self, key: &str, text: &str) -> SyncReport {
        self.files.insert(key.to_owned(), text.to_owned());
        self.sync()
    }

    pub(crate) fn read(&self, key: &str) -> Option<&str> {
        self.files.get(key).map(String::as_str)
    }

    pub(crate) fn sync(&mut self) -> SyncReport {
        self.try_sync(Vec::new()).unwrap()
    }

    pub(crate) fn revoke(&mut self, key: &PublicKey) -> SyncReport {
        let revocation = Revocation::of(key, &self.team, &self.secret());
        self.try_sync(vec![revocation]).unwrap()
    }

    pub(crate) fn try_sync(&mut self, revoke: Vec<Revocation>) -> Result<SyncReport, SyncError> {
        let tombstone_rounds = self.tombstone_rounds;
        let introduce = vec![self.record.clone()];
        let options = Options { introduce, revoke, tombstone_rounds, ..Options::default() };
        let (mut remote, key) = (self.remote.clone(), self.secret());
        self.held.clear();
        sync(self, &mut remote, &key, &options, now())
    }

    /// Signs an entry as this machine's client would, whatever the client of others may say.
    pub(crate) fn forge(&self, path: &str, version: u64, text: &str) -> Vec<u8> {
        let entry = Entry {
            team: self.team.clone(),
            path: path.to_owned(),
            version,
            round: 1_000,
            parent: None,
            memory: None,
            renamed_from: None,
            time: now(),
            author: self.key(),
            text: Some(text.to_owned()),
        };
        entry.sign(&self.secret()).render()
    }

    pub(crate) fn revocation(&self, key: &PublicKey) -> Vec<u8> {
        Revocation::of(key, &self.team, &self.secret()).render()
    }

    pub(crate) fn record(&self) -> Vec<u8> {
        self.record.render()
    }

    pub(crate) fn head(&self) -> Version {
        self.remote.clone().head().unwrap().unwrap()
    }

    /// The content of a file of the remote.
    pub(crate) fn there(&self, path: &str) -> Option<Vec<u8>> {
        let mut remote = self.remote.clone();
        let listed = remote.view(&self.head()).unwrap();
        let id = listed.into_iter().find(|file| file.path == path)?.id;
        remote.read(&[&id], usize::MAX).unwrap().pop().unwrap()
    }

    /// Writes into the remote, as anyone with its password can.
    pub(crate) fn put(&self, files: &[(&str, &[u8])]) {
        let mut remote = self.remote.clone();
        let head = self.head();
        let puts: Vec<Put> = files
            .iter()
            .map(|(path, content)| Put { path: (*path).to_owned(), content: Some(content.to_vec()) })
            .collect();
        let prepared = remote.prepare(Some(&head), &puts, "x").unwrap();
        remote.publish(Some(&head), &prepared.version).unwrap();
    }
}

impl Machine {
    /// Puts all entries as a memdir wrote them that knew no ids of memories, and gives back what the remote knows them by.
    pub(crate) fn put_as_format_1(&self) -> BTreeMap<String, String> {
        let mut remote = self.remote.clone();
        let mut puts = Vec::new();
        for file in remote.view(&self.head()).unwrap() {
            let Some(key) = file.path.strip_prefix("entries/") else { continue };
            let content = remote.read(&[&file.id], usize::MAX).unwrap().pop().unwrap().unwrap();
            let entry = SignedEntry::parse(&content).unwrap().verify(&self.team, key).unwrap();
            assert_eq!(entry.author, self.key());
            puts.push((file.path.clone(), Entry { memory: None, ..entry }.sign(&self.secret()).render()));
        }
        let files: Vec<(&str, &[u8])> =
            puts.iter().map(|(path, content)| (path.as_str(), &content[..])).collect();
        self.put(&files);
        let listed = remote.view(&self.head()).unwrap();
        listed
            .into_iter()
            .filter_map(|file| Some((file.path.strip_prefix("entries/")?.to_owned(), file.id)))
            .collect()
    }

    /// Has the state as such a memdir kept it, with the entries known by these ids.
    pub(crate) fn forget_ids(&mut self, ids: &BTreeMap<String, String>) {
        let mut state = SyncState::parse(self.state.as_deref().unwrap()).unwrap();
        state.head = Some(self.head());
        for (key, agreed) in &mut state.agreed {
            agreed.id.clone_from(&ids[key]);
        }
        state.moved.clear();
        state.read_up_to.clear();
        let text = state.render();
        let (header, lines) = text.split_once('\n').unwrap();
        let mut old = header.replacen("{\"v\":2,", "{\"v\":1,", 1) + "\n";
        for line in lines.lines() {
            let mut fields: Vec<&str> = line.split('\t').collect();
            fields.remove(4);
            old.push_str(&(fields.join("\t") + "\n"));
        }
        self.state = Some(old);
    }
}

impl Rules for Machine {
    fn refuses_key(&self, _: &str) -> Option<String> {
        None
    }

    fn refuses_to_share(&self, _: &str, _: &str, _: bool) -> Option<String> {
        None
    }

    fn refuses_to_take(&self, _: &str, text: &str) -> Option<String> {
        text.contains("SECRET").then(|| "line 1 looks like a secret".to_owned())
    }

    fn merge(&self, _: &str, base: &str, mine: &str, theirs: &str) -> Option<String> {
        merge_text(base, mine, theirs).ok()
    }

    fn reviews(&self) -> bool {
        self.reviews
    }
}

impl Local for Machine {
    fn load(&mut self) -> Result<(SyncState, Option<Pending>), LocalError> {
        let state = self.state.as_deref().map(|state| SyncState::parse(state).unwrap());
        let pending = self.pending.as_deref().and_then(Pending::parse);
        Ok((state.unwrap_or_else(|| SyncState::new(self.team.clone())), pending))
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
        Ok(u128::from(self.seed) << 64 | self.asked)
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, LocalError> {
        Ok(self.files.get(key).cloned())
    }

    fn begin(&mut self, pending: &Pending) -> Result<(), LocalError> {
        self.pending = Some(pending.render());
        if self.dies_before_publishing { Err("killed".into()) } else { Ok(()) }
    }

    fn give_up(&mut self) -> Result<(), LocalError> {
        self.pending = None;
        Ok(())
    }

    fn apply(&mut self, changes: &[LocalChange]) -> Result<Vec<LeftAlone>, LocalError> {
        if self.dies {
            return Err("killed".into());
        }
        for change in changes {
            match &change.text {
                Some(text) => self.files.insert(change.key.clone(), text.clone()),
                None => self.files.remove(&change.key),
            };
        }
        Ok(Vec::new())
    }

    fn hold(&mut self, held: &[Held]) -> Result<Vec<String>, LocalError> {
        self.held.extend_from_slice(held);
        Ok(Vec::new())
    }

    fn propose(&mut self, proposals: &[Proposal]) -> Result<(), LocalError> {
        let held = proposals.iter().map(|proposal| &proposal.held);
        self.held.extend(held.filter(|held| held.why.is_some()).cloned());
        Ok(())
    }

    fn finish(&mut self, state: &SyncState) -> Result<(), LocalError> {
        self.state = Some(state.render());
        self.give_up()
    }
}
