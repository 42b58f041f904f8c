//! What this machine remembers between two syncs.

use std::collections::BTreeMap;
use std::fmt::Write;

use memdir_core::content_hash::ContentHash;
use memdir_wire::entry::Entry;
use memdir_wire::member::{Member, Revocation};
use memdir_wire::memory_id::MemoryId;
use memdir_wire::roster::Roster;
use memdir_wire::team_id::TeamId;
use serde::{Deserialize, Serialize};

use crate::local::Scan;
use crate::remote::Version;

/// What was last agreed with the remote. It is written after everything else, so it never promises too much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncState {
    /// The newest version that was taken over whole.
    pub head: Option<Version>,
    /// The highest round that was seen.
    pub round: u64,
    /// Something in that version could not be taken over: it is looked at again.
    pub unfinished: bool,
    /// The members, as they were first seen.
    pub roster: Roster,
    /// What was agreed, for each key.
    pub agreed: BTreeMap<String, Agreed>,
    /// What the remote knows the entries by that wait for the user, for each key: seen, and not agreed.
    pub waiting: BTreeMap<String, Vec<String>>,
    /// What the user did not want here of what is agreed there, for each key: what is here instead, if anything. It
    /// counts for as long as that is there.
    pub declined: BTreeMap<String, Option<ContentHash>>,
    /// Which memory lies at a path here, wherever that is not the one that was agreed there.
    pub moved: Moved,
    /// Up to where the history of each folder was read for new names, by what the keys of the folder begin with.
    pub read_up_to: BTreeMap<String, String>,
}

/// Memories that lie at another path here than they were agreed at: the key under which each was agreed, by its path here;
/// `None`: a memory that is new, though another one was agreed under the name.
pub type Moved = BTreeMap<String, Option<String>>;

/// One entry as both sides had it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreed {
    /// Its version.
    pub version: u64,
    /// The round in which it was sent.
    pub round: u64,
    /// What the remote knows it by.
    pub id: String,
    /// What its text is known by; `None`: it is deleted.
    pub content: Option<ContentHash>,
    /// Which memory it is. Before format 2 it followed from the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryId>,
}

impl Agreed {
    /// Which memory it is.
    pub(crate) fn memory(&self, team: &TeamId, key: &str) -> MemoryId {
        self.memory.unwrap_or_else(|| MemoryId::of_path(team, key))
    }

    /// An entry that is agreed now, by what the remote knows it by.
    pub(crate) fn of(entry: &Entry, id: &str) -> Self {
        Self {
            version: entry.version,
            round: entry.round,
            id: id.to_owned(),
            content: entry.content(),
            memory: entry.memory,
        }
    }
}

/// What is about to be published and written here. It is kept before the first and removed after the second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// The version that it follows: while that is the newest, it may still arrive.
    pub onto: Option<Version>,
    /// The version that is published.
    pub version: Version,
    /// Its round.
    pub round: u64,
    /// The highest round that was seen before.
    pub seen: u64,
    /// What is agreed whether it arrives or not: a sync that was killed earlier had published it.
    pub settled: Vec<PendingChange>,
    /// What then is agreed.
    pub changes: Vec<PendingChange>,
    /// What the state then says about paths here.
    pub moved: Moved,
    /// What it then says about the history.
    pub read_up_to: BTreeMap<String, String>,
}

/// One entry of that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingChange {
    /// Which.
    pub key: String,
    /// What is agreed then; `None`: nothing any more.
    pub after: Option<Agreed>,
    /// What stood here before.
    pub before: Option<ContentHash>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    v: u32,
    head: Option<String>,
    round: u64,
    unfinished: bool,
    team: TeamId,
    members: Vec<Member>,
    revocations: Vec<Revocation>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    waiting: BTreeMap<String, Vec<String>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    declined: BTreeMap<String, Option<ContentHash>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    moved: Moved,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    read_up_to: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct PendingHeader {
    v: u32,
    onto: Option<String>,
    version: String,
    round: u64,
    seen: u64,
    /// How many of the lines say what is agreed in any case.
    settled: usize,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    moved: Moved,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    read_up_to: BTreeMap<String, String>,
}

impl SyncState {
    /// Nothing is agreed yet.
    #[must_use]
    pub fn new(team: TeamId) -> Self {
        Self {
            head: None,
            round: 0,
            unfinished: false,
            roster: Roster::new(team),
            agreed: BTreeMap::new(),
            waiting: BTreeMap::new(),
            declined: BTreeMap::new(),
            moved: BTreeMap::new(),
            read_up_to: BTreeMap::new(),
        }
    }

    /// Which memory was agreed at a key, alive or deleted.
    pub(crate) fn memory_at(&self, key: &str) -> Option<MemoryId> {
        self.agreed.get(key).map(|agreed| agreed.memory(self.roster.team(), key))
    }

    /// Takes over that the user accepted an entry, whatever they made of it since: it is agreed.
    pub(crate) fn accept(&mut self, key: &str, entry: &Agreed) {
        let is_newer = |known: &Agreed| entry.round > known.round || entry.version > known.version;
        if self.agreed.get(key).is_none_or(is_newer) {
            self.agreed.insert(key.to_owned(), entry.clone());
            self.declined.remove(key);
        }
    }

    /// Whether what is here stays because the user did not want what is agreed.
    pub(crate) fn is_declined(&self, key: &str, scan: &Scan) -> bool {
        self.declined.get(key).is_some_and(|here| scan.files.get(key) == here.as_ref())
    }

    /// Remembers that an entry waits for the user.
    pub(crate) fn await_user(&mut self, key: &str, id: &str) {
        let ids = self.waiting.entry(key.to_owned()).or_default();
        if !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
        if ids.len() > MAX_WAITING {
            ids.remove(0);
        }
    }

    /// The state as a file: a header in JSON, then a line for each key.
    #[must_use]
    pub fn render(&self) -> String {
        let header = Header {
            v: 2,
            head: self.head.as_ref().map(|head| head.0.clone()),
            round: self.round,
            unfinished: self.unfinished,
            team: self.roster.team().clone(),
            members: self.roster.members().cloned().collect(),
            revocations: self.roster.revocations().cloned().collect(),
            waiting: self.waiting.clone(),
            declined: self.declined.clone(),
            moved: self.moved.clone(),
            read_up_to: self.read_up_to.clone(),
        };
        let mut text = serde_json::to_string(&header).unwrap_or_default();
        text.push('\n');
        for (key, agreed) in &self.agreed {
            write_agreed(&mut text, agreed);
            let _ = writeln!(text, "\t{key}");
        }
        text
    }

    /// Reads the file; `None` if it is not whole.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (header, lines) = text.split_once('\n')?;
        let header: Header =
            serde_json::from_str(header).ok().filter(|header: &Header| is_format(header.v))?;
        let has_ids = header.v == 2;
        let roster = Roster::pinned(header.team, header.members, header.revocations);
        let mut agreed = BTreeMap::new();
        for line in lines.lines() {
            let mut fields = line.splitn(if has_ids { 6 } else { 5 }, '\t');
            let entry = read_agreed(&mut fields, has_ids)?;
            agreed.insert(fields.next()?.to_owned(), entry);
        }
        Some(Self {
            head: header.head.map(Version),
            round: header.round,
            unfinished: header.unfinished,
            roster,
            agreed,
            waiting: header.waiting,
            declined: header.declined,
            moved: header.moved,
            read_up_to: header.read_up_to,
        })
    }
}

impl Pending {
    /// The intention as a file.
    #[must_use]
    pub fn render(&self) -> String {
        let header = PendingHeader {
            v: 2,
            onto: self.onto.as_ref().map(|onto| onto.0.clone()),
            version: self.version.0.clone(),
            round: self.round,
            seen: self.seen,
            settled: self.settled.len(),
            moved: self.moved.clone(),
            read_up_to: self.read_up_to.clone(),
        };
        let mut text = serde_json::to_string(&header).unwrap_or_default();
        text.push('\n');
        let nothing = Agreed { version: 0, round: 0, id: NONE.to_owned(), content: None, memory: None };
        for change in self.settled.iter().chain(&self.changes) {
            write_agreed(&mut text, change.after.as_ref().unwrap_or(&nothing));
            let _ = writeln!(text, "\t{}\t{}", hash_or_none(change.before), change.key);
        }
        text.push_str(END);
        text
    }

    /// Reads the file; `None` if it is not whole: then nothing was published yet.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (header, lines) = text.strip_suffix(END)?.split_once('\n')?;
        let header: PendingHeader =
            serde_json::from_str(header).ok().filter(|header: &PendingHeader| is_format(header.v))?;
        let has_ids = header.v == 2;
        let (mut settled, mut changes) = (Vec::new(), Vec::new());
        for line in lines.lines() {
            let mut fields = line.splitn(if has_ids { 7 } else { 6 }, '\t');
            let after = read_agreed(&mut fields, has_ids)?;
            let before = read_hash(fields.next()?)?;
            let key = fields.next()?.to_owned();
            let list = if settled.len() < header.settled { &mut settled } else { &mut changes };
            list.push(PendingChange { key, after: (after.id != NONE).then_some(after), before });
        }
        Some(Self {
            onto: header.onto.map(Version),
            version: Version(header.version),
            round: header.round,
            seen: header.seen,
            settled,
            changes,
            moved: header.moved,
            read_up_to: header.read_up_to,
        })
    }
}

/// Format 1 has no ids of memories: they follow from the keys.
fn is_format(v: u32) -> bool {
    matches!(v, 1 | 2)
}

/// How many entries of one key are remembered while they wait: a member changes it again and again.
const MAX_WAITING: usize = 20;

const NONE: &str = "-";
const END: &str = "end\n";

fn write_agreed(text: &mut String, agreed: &Agreed) {
    // Writing to a text cannot fail.
    let _ = write!(
        text,
        "{}\t{}\t{}\t{}\t",
        agreed.version,
        agreed.round,
        agreed.id,
        hash_or_none(agreed.content)
    );
    match &agreed.memory {
        Some(memory) => {
            let _ = write!(text, "{memory}");
        }
        None => text.push_str(NONE),
    }
}

fn read_agreed<'t>(fields: &mut impl Iterator<Item = &'t str>, has_ids: bool) -> Option<Agreed> {
    Some(Agreed {
        version: fields.next()?.parse().ok()?,
        round: fields.next()?.parse().ok()?,
        id: fields.next()?.to_owned(),
        content: read_hash(fields.next()?)?,
        memory: match if has_ids { fields.next()? } else { NONE } {
            NONE => None,
            id => Some(MemoryId::parse(id)?),
        },
    })
}

fn hash_or_none(hash: Option<ContentHash>) -> String {
    hash.map_or_else(|| NONE.to_owned(), |hash| hash.to_string())
}

fn read_hash(text: &str) -> Option<Option<ContentHash>> {
    if text == NONE { Some(None) } else { ContentHash::from_hex(text).map(Some) }
}

#[cfg(test)]
mod tests {
    use memdir_wire::invitation::Invitation;
    use memdir_wire::signing::SecretKey;

    use super::*;

    #[test]
    fn what_is_remembered_reads_back_and_half_of_it_does_not() {
        let key = SecretKey::from_seed([1; 32]);
        let (founder, team) = Member::founder(&key, "Ada", "n");
        let mut state = SyncState::new(team.clone());
        // A removed member stays known, and so do the members they invited.
        let join = |by: &SecretKey, seed: u8| {
            let invitation = Invitation::new(&team, "file:///r", "memdir", by, [seed + 100; 32]);
            Member::invited(
                &SecretKey::from_seed([seed; 32]),
                "Bob",
                &team,
                invitation.grant,
                &invitation.key,
            )
        };
        let (bob, eve) = (join(&key, 2), join(&SecretKey::from_seed([2; 32]), 3));
        state.roster.learn(vec![founder, bob.clone(), eve], Vec::new());
        state.roster.learn(Vec::new(), vec![Revocation::of(&bob.key, &team, &key)]);
        assert_eq!(state.roster.members().count(), 3);
        state.head = Some(Version("abc".into()));
        let agreed = Agreed {
            version: 3,
            round: 9,
            id: "ff".into(),
            content: Some(ContentHash::of(b"x")),
            memory: Some(MemoryId::new(1, "a b/c.md")),
        };
        state.agreed.insert("a b/c.md".into(), agreed.clone());
        state.agreed.insert("gone.md".into(), Agreed { content: None, memory: None, ..agreed.clone() });
        for number in 0..30 {
            state.await_user("a b/c.md", &format!("id {}", number / 2));
        }
        assert_eq!(state.waiting["a b/c.md"].len(), 15);
        state.declined.insert("gone.md".into(), Some(ContentHash::of(b"y")));
        state.declined.insert("a b/c.md".into(), None);
        state.moved.insert("new.md".into(), Some("a b/c.md".into()));
        state.moved.insert("a b/c.md".into(), None);
        state.read_up_to.insert(String::new(), "0p".into());
        assert_eq!(SyncState::parse(&state.render()), Some(state.clone()));

        let changes = vec![
            PendingChange { key: "a b/c.md".into(), after: Some(agreed), before: None },
            PendingChange { key: "d.md".into(), after: None, before: Some(ContentHash::of(b"y")) },
        ];
        let pending = Pending {
            onto: Some(Version("abc".into())),
            version: Version("def".into()),
            round: 4,
            seen: 3,
            settled: changes.clone(),
            changes,
            moved: state.moved.clone(),
            read_up_to: state.read_up_to.clone(),
        };
        let text = pending.render();
        assert_eq!(Pending::parse(&text), Some(pending));
        for end in 0..text.len() {
            assert_eq!(Pending::parse(&text[..end]), None);
        }
    }
}
