//! What a remote holds now, checked.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use memdir_wire::entry::{Entry, EntryRefused, MAX_ENTRY_BYTES, SignedEntry};
use memdir_wire::roster::{Roster, Standing};
use memdir_wire::signing::PublicKey;
use memdir_wire::team_id::TeamId;

use crate::capitals::Capitals;
use crate::classify::Theirs;
use crate::layout::{ENTRIES, README};
use crate::local::{Held, Local};
use crate::options::Options;
use crate::records::Records;
use crate::remote::{Listed, Remote, RemoteError, Version};
use crate::report::Refused;
use crate::state::SyncState;

/// More files than this are not a team's memory.
const MAX_FILES: usize = 300_000;

/// How many entries are read at once: with the largest entries 100 MB.
const BATCH: usize = 400;

/// More than this many entries are not looked for in the past; what was agreed here is sent again.
const MAX_RECOVERED: usize = 100;

/// What a remote holds, as far as it can be believed.
#[derive(Default)]
pub(crate) struct Inbox {
    /// What is there at each key that has something.
    found: BTreeMap<String, Arrived>,
    /// Entries that no member vouches for.
    pub(crate) held: Vec<Held>,
    /// Files that are not entries of this team.
    pub(crate) refused: Vec<Refused>,
    /// What the records of members say.
    pub(crate) records: Records,
    /// The highest round that anything here was sent in, by the word of members and of those who left.
    pub(crate) round: u64,
    /// Keys whose entry was found in the past of the remote, because something else was put in its place.
    recovered: BTreeSet<String>,
    /// Entries of members that wait for the user all the same, and why.
    withheld: BTreeMap<String, String>,
    /// How many entries are left to the next sync, and how many bytes each author's took from this one.
    pub(crate) left_over: usize,
    pub(crate) bytes_by: BTreeMap<PublicKey, usize>,
    /// The version that was read.
    pub(crate) read_at: Option<Version>,
    /// Whether the file is there that explains the branch to people.
    pub(crate) has_readme: bool,
}

enum Arrived {
    Unchanged,
    Foreign { version: u64 },
    Doubtful { version: u64 },
    Entry { entry: Box<Entry>, id: String },
}

impl Inbox {
    /// Reads a version, of which these are the files, and learns from it who the members are.
    pub(crate) fn read(
        remote: &mut dyn Remote,
        (version, listed): (&Version, &[Listed]),
        state: &SyncState,
        roster: &mut Roster,
        options: &Options,
        local: &dyn Local,
    ) -> Result<Self, RemoteError> {
        if listed.len() > MAX_FILES {
            let message = format!("it holds {} files, and {MAX_FILES} are the most", listed.len());
            return Err(RemoteError::Malformed { message });
        }
        let mut inbox =
            Self { records: Records::read(remote, listed, roster, &options.introduce)?, ..Self::default() };
        inbox.refused.append(&mut inbox.records.refused);
        inbox.round = inbox.records.round;
        inbox.read_at = Some(version.clone());
        inbox.has_readme = listed.iter().any(|file| file.path == README);
        let mut unread = Vec::new();
        for file in listed {
            let Some(key) = file.path.strip_prefix(ENTRIES) else { continue };
            if !local.wants(key) {
                continue;
            }
            let why = if file.is_file {
                local.refuses_key(key)
            } else {
                Some("it is a link or a module, not a file".to_owned())
            };
            if let Some(why) = why {
                inbox.refuse(key, why);
            } else if state.agreed.get(key).is_some_and(|agreed| agreed.id == file.id) {
                inbox.found.insert(key.to_owned(), Arrived::Unchanged);
            } else {
                unread.push((key, file.id.as_str()));
            }
        }
        inbox.take_batches(remote, &unread, options.most_bytes, state, roster)?;
        inbox.recover(remote, version, state, roster)?;
        inbox.part_names(state);
        let refused = |(key, entry): (&String, &Entry)| {
            Some((key.clone(), local.refuses_to_take(key, entry.text.as_ref()?)?))
        };
        inbox.withheld = inbox.entries().filter_map(refused).collect();
        Ok(inbox)
    }

    /// Reads entries a batch at a time until there are enough bytes. The rest is left alone until the next sync, so that no
    /// member can fill the memory of another.
    fn take_batches(
        &mut self,
        remote: &mut dyn Remote,
        unread: &[(&str, &str)],
        most_bytes: usize,
        state: &SyncState,
        roster: &Roster,
    ) -> Result<(), RemoteError> {
        let mut bytes = 0;
        for batch in unread.chunks(BATCH) {
            if bytes >= most_bytes {
                self.left_over += batch.len();
                let left = |(key, _): &(&str, &str)| ((*key).to_owned(), Arrived::Doubtful { version: 0 });
                self.found.extend(batch.iter().map(left));
                continue;
            }
            let ids: Vec<&str> = batch.iter().map(|(_, id)| *id).collect();
            let contents = remote.read(&ids, MAX_ENTRY_BYTES)?;
            let checked = check_all(batch, &contents, roster.team());
            for (((key, id), content), checked) in batch.iter().zip(contents).zip(checked) {
                let size = content.map_or(0, |content| content.len());
                bytes += size;
                match checked {
                    Ok(entry) => {
                        *self.bytes_by.entry(entry.author).or_default() += size;
                        self.take(key, id, entry, state, roster);
                    }
                    Err(refused) => self.refuse(key, refused.to_string()),
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, key: &str, id: &str, entry: Entry, state: &SyncState, roster: &Roster) {
        let author = entry.author;
        let is_doubtful = self.records.doubtful.contains(&author);
        let (name, counts) = match roster.standing(&author) {
            Standing::Member(name) => (Some(name), !is_doubtful),
            // What a member sent before they left is news like any other until it is known that they left. A member who comes
            // new cannot tell it from what they sent later.
            Standing::Revoked(name) => {
                let is_news = state.head.is_some() && state.roster.revocation_of(&author).is_none();
                (Some(name), is_news && roster.has_left(&author))
            }
            Standing::Unknown => (None, false),
        };
        if counts {
            // The count may be missing, or be an older one.
            self.round = self.round.max(entry.round);
            self.found.insert(key.to_owned(), Arrived::Entry { entry: Box::new(entry), id: id.to_owned() });
            return;
        }
        let version = entry.version;
        let why = match name {
            _ if is_doubtful => "of whom it cannot be read whether they still are a member",
            Some(_) => "who is no longer a member",
            None => "whom no member introduced",
        };
        let found = if is_doubtful { Arrived::Doubtful { version } } else { Arrived::Foreign { version } };
        self.found.insert(key.to_owned(), found);
        self.held.push(Held {
            key: key.to_owned(),
            author,
            name: name.map(str::to_owned),
            text: entry.text,
            time: entry.time,
            why: Some(why.to_owned()),
        });
    }

    /// Looks in the past of the remote for what was where something invalid is now: an attacker may have
    /// sent it, and no other member seen it. Who finds nothing newer than what was agreed sends that again.
    fn recover(
        &mut self,
        remote: &mut dyn Remote,
        version: &Version,
        state: &SyncState,
        roster: &Roster,
    ) -> Result<(), RemoteError> {
        let is_foreign = |key: &&String| matches!(self.found.get(*key), Some(Arrived::Foreign { .. }));
        let lost: Vec<String> = state.agreed.keys().filter(is_foreign).take(MAX_RECOVERED).cloned().collect();
        for key in lost {
            let agreed = state.agreed.get(&key).map(|agreed| agreed.id.as_str());
            for id in remote.past_of(version, &format!("{ENTRIES}{key}"))? {
                if Some(id.as_str()) == agreed {
                    break;
                }
                let content = remote.read(&[&id], MAX_ENTRY_BYTES)?.pop().flatten();
                let signed = content.and_then(|content| SignedEntry::parse(&content).ok());
                let entry = signed.and_then(|signed| signed.verify(roster.team(), &key).ok());
                let is_member = |entry: &Entry| matches!(roster.standing(&entry.author), Standing::Member(_));
                if let Some(entry) = entry.filter(is_member) {
                    self.round = self.round.max(entry.round);
                    self.found.insert(key.clone(), Arrived::Entry { entry: Box::new(entry), id });
                    self.recovered.insert(key.clone());
                    break;
                }
            }
        }
        Ok(())
    }

    /// Of names that some file system would take for one, all but one are refused: what is known here counts, else what
    /// was sent first. Only what members wrote takes a name.
    fn part_names(&mut self, state: &SyncState) {
        if self.entries().next().is_none() {
            return;
        }
        let alive = state.agreed.iter().filter(|(_, agreed)| agreed.content.is_some());
        let mut names = Capitals::of(alive.map(|(key, _)| key));
        let mut new = Vec::new();
        for (key, entry) in self.entries() {
            match entry.text {
                None => names.release(key),
                Some(_) => new.push((entry.round, key.clone())),
            }
        }
        new.sort();
        for (_, key) in new {
            if let Some(other) = names.claim(&key) {
                let why = format!("`{other}` has the same name but for capitals");
                self.refuse(&key, why);
            }
        }
    }

    fn refuse(&mut self, key: &str, why: String) {
        self.found.insert(key.to_owned(), Arrived::Foreign { version: 0 });
        self.refused.push(Refused { path: key.to_owned(), why });
    }

    /// What decides about a key.
    pub(crate) fn theirs(&self, key: &str) -> Theirs {
        match self.found.get(key) {
            None => Theirs::Absent,
            Some(Arrived::Unchanged) => Theirs::Unchanged,
            Some(Arrived::Foreign { .. }) => Theirs::Foreign,
            Some(Arrived::Doubtful { .. }) => Theirs::Doubtful,
            Some(Arrived::Entry { entry, .. }) => {
                let &Entry { version, round, parent, .. } = entry.as_ref();
                Theirs::New { version, round, content: entry.content(), parent }
            }
        }
    }

    /// The new entry of a member at a key, with its id.
    pub(crate) fn entry(&self, key: &str) -> Option<(&Entry, &str)> {
        match self.found.get(key) {
            Some(Arrived::Entry { entry, id }) => Some((entry, id)),
            _ => None,
        }
    }

    /// What waits while the file at a key is left alone, in words.
    pub(crate) fn waits_behind(&self, key: &str, roster: &Roster) -> Option<String> {
        let (entry, _) = self.entry(key)?;
        let by = match roster.standing(&entry.author) {
            Standing::Member(name) | Standing::Revoked(name) => name.to_owned(),
            Standing::Unknown => entry.author.short(),
        };
        Some(format!("what {by} changed there waits until that is settled"))
    }

    /// The highest version that anybody claims at a key.
    pub(crate) fn version(&self, key: &str) -> u64 {
        match self.found.get(key) {
            Some(Arrived::Entry { entry, .. }) => entry.version,
            // An author who is not a member could claim the last number there is.
            Some(Arrived::Foreign { version } | Arrived::Doubtful { version }) => {
                (*version).min(u64::MAX / 2)
            }
            _ => 0,
        }
    }

    /// The new entries of members.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&String, &Entry)> {
        self.found.iter().filter_map(|(key, found)| match found {
            Arrived::Entry { entry, .. } => Some((key, entry.as_ref())),
            _ => None,
        })
    }

    /// Why the entry at a key waits for the user, wherever it does.
    pub(crate) fn withheld(&self, key: &str) -> Option<&str> {
        self.withheld.get(key).map(String::as_str)
    }

    /// Whether the entry at a key is only in the past of the remote.
    pub(crate) fn is_recovered(&self, key: &str) -> bool {
        self.recovered.contains(key)
    }

    /// Every key at which something else is than what was agreed.
    pub(crate) fn changed_keys(&self) -> impl Iterator<Item = &String> {
        self.found.iter().filter(|(_, found)| !matches!(found, Arrived::Unchanged)).map(|(key, _)| key)
    }
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
