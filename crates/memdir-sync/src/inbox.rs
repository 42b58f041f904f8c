//! What a remote holds now, checked.

use std::collections::{BTreeMap, HashMap};
use std::thread;

use memdir_wire::entry::{Entry, EntryRefused, MAX_ENTRY_BYTES, SignedEntry};
use memdir_wire::member::{MAX_RECORD_BYTES, Member, Revocation};
use memdir_wire::roster::{Learnt, Roster, Standing};
use memdir_wire::round::Round;
use memdir_wire::team_id::TeamId;

use crate::classify::Theirs;
use crate::layout::{ENTRIES, MEMBERS, REVOCATIONS, ROUND};
use crate::local::{Held, Local};
use crate::remote::{Listed, Remote, RemoteError, Version};
use crate::report::Refused;
use crate::state::SyncState;

/// More files than this are no memory of a team.
const MAX_FILES: usize = 300_000;

/// What a remote holds, as far as it can be believed.
pub(crate) struct Inbox {
    /// What is there at each key that has something.
    found: BTreeMap<String, Found>,
    /// Entries that nobody vouches for.
    pub(crate) held: Vec<Held>,
    /// Files that are no entries of this team.
    pub(crate) refused: Vec<Refused>,
    /// What the records of members taught.
    pub(crate) learnt: Learnt,
    /// The highest round that anything here was sent in, by the word of members and of those who left.
    pub(crate) round: u64,
    /// Deletions up to this round are no longer named.
    pub(crate) floor: u64,
    /// The names of all files, with their ids.
    names: HashMap<String, String>,
}

enum Found {
    Unchanged,
    Foreign { version: u64 },
    Entry { entry: Box<Entry>, id: String },
}

impl Inbox {
    pub(crate) fn empty() -> Self {
        Self {
            found: BTreeMap::new(),
            held: Vec::new(),
            refused: Vec::new(),
            learnt: Learnt::default(),
            round: 0,
            floor: 0,
            names: HashMap::new(),
        }
    }

    /// Reads a version, and learns from it who the members are.
    pub(crate) fn read(
        remote: &mut dyn Remote,
        version: &Version,
        state: &SyncState,
        roster: &mut Roster,
        introduced: &[Member],
        local: &dyn Local,
    ) -> Result<Self, RemoteError> {
        let listed = remote.view(version)?;
        if listed.len() > MAX_FILES {
            let message = format!("it holds {} files, and {MAX_FILES} are the most", listed.len());
            return Err(RemoteError::Malformed { message });
        }
        let mut inbox = Self::empty();
        inbox.records(remote, &listed, roster, introduced)?;
        let mut unread = Vec::new();
        let collisions = collisions(&listed, state);
        for file in &listed {
            let Some(key) = file.path.strip_prefix(ENTRIES) else { continue };
            if !local.wants(key) {
                continue;
            }
            let why = if !file.is_file {
                Some("it is a link or a module, not a file".to_owned())
            } else if collisions.contains_key(key) {
                Some("another entry has the same name but for capitals".to_owned())
            } else {
                local.refuses_key(key)
            };
            if let Some(why) = why {
                inbox.refuse(key, why);
            } else if state.agreed.get(key).is_some_and(|agreed| agreed.id == file.id) {
                inbox.found.insert(key.to_owned(), Found::Unchanged);
            } else {
                unread.push((key, file.id.as_str()));
            }
        }
        let ids: Vec<&str> = unread.iter().map(|(_, id)| *id).collect();
        let contents = remote.read(&ids, MAX_ENTRY_BYTES)?;
        let checked = check_all(&unread, &contents, roster.team());
        for ((key, id), checked) in unread.into_iter().zip(checked) {
            match checked {
                Ok(entry) => inbox.take(key, id, entry, roster),
                Err(refused) => inbox.refuse(key, refused.to_string()),
            }
        }
        for file in listed {
            inbox.names.insert(file.path, file.id);
        }
        Ok(inbox)
    }

    fn records(
        &mut self,
        remote: &mut dyn Remote,
        listed: &[Listed],
        roster: &mut Roster,
        introduced: &[Member],
    ) -> Result<(), RemoteError> {
        let is_record = |file: &&Listed| {
            file.is_file
                && (file.path.starts_with(MEMBERS)
                    || file.path.starts_with(REVOCATIONS)
                    || file.path == ROUND)
        };
        let files: Vec<&Listed> = listed.iter().filter(is_record).take(MAX_RECORDS).collect();
        let ids: Vec<&str> = files.iter().map(|file| file.id.as_str()).collect();
        let contents = remote.read(&ids, MAX_RECORD_BYTES)?;
        let (mut members, mut revocations, mut round) = (Vec::new(), Vec::new(), None);
        let team = roster.team().clone();
        for (file, content) in files.iter().zip(contents) {
            let content = content.unwrap_or_default();
            let read = if let Some(name) = file.path.strip_prefix(MEMBERS) {
                let member = Member::parse(&content, &team).filter(|member| member.file_name() == name);
                member.map(|member| members.push(member))
            } else if let Some(name) = file.path.strip_prefix(REVOCATIONS) {
                let revocation =
                    Revocation::parse(&content, &team).filter(|record| record.file_name() == name);
                revocation.map(|revocation| revocations.push(revocation))
            } else {
                Round::parse(&content, &team).map(|found| round = Some(found))
            };
            if read.is_none() {
                let why = "it is no record of this team, or its signature does not fit".to_owned();
                self.refused.push(Refused { path: file.path.clone(), why });
            }
        }
        self.learnt = roster.learn(members, revocations);
        // Whoever is there already was first.
        let new = roster.learn(introduced.to_vec(), Vec::new());
        self.learnt.joined.extend(new.joined);
        self.learnt.problems.extend(new.problems);
        // Whoever leaves signs the count once more, as the last thing.
        if let Some(round) = round.filter(|round| {
            matches!(roster.standing(&round.author), Standing::Member(_)) || roster.has_left(&round.author)
        }) {
            (self.round, self.floor) = (round.round, round.floor);
        }
        Ok(())
    }

    fn take(&mut self, key: &str, id: &str, entry: Entry, roster: &Roster) {
        let (name, is_member) = match roster.standing(&entry.author) {
            Standing::Member(name) => (Some(name.to_owned()), true),
            Standing::Revoked(name) => (Some(name.to_owned()), false),
            Standing::Unknown => (None, false),
        };
        if is_member {
            // The count may be missing, or be an older one.
            self.round = self.round.max(entry.round);
            self.found.insert(key.to_owned(), Found::Entry { entry: Box::new(entry), id: id.to_owned() });
        } else {
            self.found.insert(key.to_owned(), Found::Foreign { version: entry.version });
            self.held.push(Held {
                key: key.to_owned(),
                author: entry.author,
                name,
                text: entry.text,
                time: entry.time,
            });
        }
    }

    fn refuse(&mut self, key: &str, why: String) {
        self.found.insert(key.to_owned(), Found::Foreign { version: 0 });
        self.refused.push(Refused { path: key.to_owned(), why });
    }

    /// What decides about a key.
    pub(crate) fn theirs(&self, key: &str) -> Theirs {
        match self.found.get(key) {
            None => Theirs::Absent,
            Some(Found::Unchanged) => Theirs::Unchanged,
            Some(Found::Foreign { .. }) => Theirs::Foreign,
            Some(Found::Entry { entry, .. }) => {
                let &Entry { version, round, parent, .. } = entry.as_ref();
                Theirs::New { version, round, content: entry.content(), parent }
            }
        }
    }

    /// The new entry of a member at a key, with its id.
    pub(crate) fn entry(&self, key: &str) -> Option<(&Entry, &str)> {
        match self.found.get(key) {
            Some(Found::Entry { entry, id }) => Some((entry, id)),
            _ => None,
        }
    }

    /// The highest version that anybody claims at a key.
    pub(crate) fn version(&self, key: &str) -> u64 {
        match self.found.get(key) {
            Some(Found::Entry { entry, .. }) => entry.version,
            // Somebody who is no member could claim the last number there is.
            Some(Found::Foreign { version }) => (*version).min(u64::MAX / 2),
            _ => 0,
        }
    }

    /// The new entries of members.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&String, &Entry)> {
        self.found.iter().filter_map(|(key, found)| match found {
            Found::Entry { entry, .. } => Some((key, entry.as_ref())),
            _ => None,
        })
    }

    /// Every key at which something is.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &String> {
        self.found.keys()
    }

    /// The id of a file by its name.
    pub(crate) fn id_of(&self, path: &str) -> Option<&str> {
        self.names.get(path).map(String::as_str)
    }
}

/// Records are a few for each member.
const MAX_RECORDS: usize = 10_000;

/// The keys that some file system would take for another one: all but one of each kind, and that one is the one that was
/// agreed.
fn collisions<'l>(listed: &'l [Listed], state: &SyncState) -> HashMap<&'l str, ()> {
    let mut by_fold: HashMap<String, &str> = HashMap::new();
    let mut colliding = HashMap::new();
    for file in listed {
        let Some(key) = file.path.strip_prefix(ENTRIES) else { continue };
        match by_fold.entry(key.to_lowercase()) {
            std::collections::hash_map::Entry::Vacant(vacant) => {
                vacant.insert(key);
            }
            std::collections::hash_map::Entry::Occupied(mut first) => {
                let known = |key: &str| state.agreed.contains_key(key);
                let loser = if known(key) && !known(first.get()) { first.insert(key) } else { key };
                colliding.insert(loser, ());
            }
        }
    }
    colliding
}

/// Checks many signatures, on as many processors as there are.
fn check_all(
    unread: &[(&str, &str)],
    contents: &[Option<Vec<u8>>],
    team: &TeamId,
) -> Vec<Result<Entry, EntryRefused>> {
    let check = |((key, _), content): (&(&str, &str), &Option<Vec<u8>>)| match content {
        Some(content) => SignedEntry::parse(content)?.verify(team, key),
        None => Err(EntryRefused::TooLarge),
    };
    let pairs: Vec<_> = unread.iter().zip(contents).collect();
    if pairs.len() < 64 {
        return pairs.into_iter().map(check).collect();
    }
    let workers = thread::available_parallelism().map_or(1, std::num::NonZero::get).min(8);
    let chunks: Vec<_> = pairs.chunks(pairs.len().div_ceil(workers)).collect();
    thread::scope(|scope| {
        let handles: Vec<_> = chunks
            .into_iter()
            .map(|chunk| scope.spawn(move || chunk.iter().copied().map(check).collect::<Vec<_>>()))
            .collect();
        handles.into_iter().flat_map(|handle| handle.join().unwrap_or_default()).collect()
    })
}
