//! The records about members that a remote holds: read, believed where they count, and made whole where they do not.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use memdir_wire::member::{MAX_RECORD_BYTES, Member, Revocation};
use memdir_wire::roster::{Learnt, Roster, Standing};
use memdir_wire::round::Round;
use memdir_wire::signing::{PublicKey, SecretKey};
use memdir_wire::voucher::Voucher;

use crate::layout::{MEMBERS, REVOCATIONS, ROUND, VOUCHERS};
use crate::remote::{Listed, Put, Remote, RemoteError};
use crate::report::Refused;

/// Records are a few for each member. Who read only some of more than this might miss that a member was removed.
const MAX_RECORDS: usize = 10_000;

/// What the records say.
#[derive(Default)]
pub(crate) struct Records {
    /// What they taught.
    pub(crate) learnt: Learnt,
    /// Files that are not records of this team.
    pub(crate) refused: Vec<Refused>,
    /// The count, signed by a member who may sign it.
    pub(crate) round: u64,
    /// Deletions up to this round are no longer named.
    pub(crate) floor: u64,
    /// Members of whom it cannot be read whether they were put out.
    pub(crate) doubtful: BTreeSet<PublicKey>,
    /// The files that are records of members.
    members: BTreeSet<String>,
    /// The content of the files that should say who was removed.
    revocations: BTreeMap<String, Vec<u8>>,
    /// Members for whom a valid member vouches.
    vouched: BTreeSet<PublicKey>,
}

impl Records {
    /// Reads the records of a version, and learns from them who the members are.
    pub(crate) fn read(
        remote: &mut dyn Remote,
        listed: &[Listed],
        roster: &mut Roster,
        introduced: &[Member],
    ) -> Result<Self, RemoteError> {
        let contents = contents(remote, listed)?;
        let known: HashMap<String, Vec<u8>> = known(roster).collect();
        let team = roster.team().clone();
        let mut records = Self::default();
        let (mut members, mut vouchers, mut round) = (Vec::new(), Vec::new(), None);
        let mut revocations = Vec::new();
        for (path, content) in &contents {
            let content = content.as_deref().unwrap_or_default();
            // What is known was checked when it was learnt.
            let is_known = known.get(*path).is_some_and(|known| known == content);
            let is_read = if let Some(name) = path.strip_prefix(MEMBERS) {
                let member = if is_known { None } else { Member::parse(content, &team) };
                let is_one = is_known || member.as_ref().is_some_and(|member| member.file_name() == name);
                if is_one {
                    records.members.insert((*path).to_owned());
                    members.extend(member);
                }
                is_one
            } else if let Some(name) = path.strip_prefix(REVOCATIONS) {
                records.revocations.insert((*path).to_owned(), content.to_vec());
                let record = if is_known { None } else { Revocation::parse(content, &team) };
                let record = record.filter(|record| record.file_name() == name);
                let is_one = is_known || record.is_some();
                revocations.extend(record);
                is_one
            } else if let Some(name) = path.strip_prefix(VOUCHERS) {
                let voucher = Voucher::parse(content, &team).filter(|voucher| voucher.file_name() == name);
                voucher.map(|voucher| vouchers.push(voucher)).is_some()
            } else {
                round = Round::parse(content, &team);
                round.is_some()
            };
            if !is_read {
                let why = "it is not a record of this team, or its signature is invalid".to_owned();
                records.refused.push(Refused { path: (*path).to_owned(), why });
            }
        }
        records.learnt = roster.learn_vouched(members, revocations, &vouchers);
        // The one that is there already was first.
        let new = roster.learn(introduced.to_vec(), Vec::new());
        records.learnt.joined.extend(new.joined);
        records.learnt.problems.extend(new.problems);
        records.doubt(roster);
        let counting = vouchers.iter().filter(|voucher| roster.has_a_say(&voucher.by));
        records.vouched = counting.map(|voucher| voucher.key).collect();
        // A member who leaves signs the count once more, as the last thing.
        if let Some(round) = round.filter(|round| {
            matches!(roster.standing(&round.author), Standing::Member(_)) || roster.has_left(&round.author)
        }) {
            (records.round, records.floor) = (round.round, round.floor);
        }
        Ok(records)
    }

    /// An invalid file in the place of a record that a member was removed may be in the
    /// place of one that did.
    fn doubt(&mut self, roster: &Roster) {
        for path in self.revocations.keys() {
            let name = path.strip_prefix(REVOCATIONS).and_then(|name| name.strip_suffix(".json"));
            let Some(key) = name.and_then(PublicKey::from_hex) else { continue };
            if let Standing::Member(name) = roster.standing(&key) {
                self.learnt.problems.push(format!(
                    "`{path}` cannot be read, so memdir cannot tell whether {name} ({}) was removed: what they \
                     send is held until a member who knows syncs. If they were not removed, delete that file",
                    key.short()
                ));
                self.doubtful.insert(key);
            }
        }
    }

    /// What the remote lacks of what is known here, and what is damaged there.
    pub(crate) fn missing(&self, roster: &Roster, key: &SecretKey) -> Vec<Put> {
        // Of two records of members by one invitation neither replaces the other.
        let is_there = |path: &String, content: &Vec<u8>| {
            self.members.contains(path) || self.revocations.get(path) == Some(content)
        };
        let lacking = known(roster).filter(|(path, content)| !is_there(path, content));
        let mut missing: Vec<Put> =
            lacking.map(|(path, content)| Put { path, content: Some(content) }).collect();
        if matches!(roster.standing(&key.public()), Standing::Member(_)) {
            let others = roster.without_inviter().filter(|member| member.key != key.public());
            for member in others.filter(|member| !self.vouched.contains(&member.key)) {
                let voucher = Voucher::of(&member.key, roster.team(), key);
                let path = format!("{VOUCHERS}{}", voucher.file_name());
                missing.push(Put { path, content: Some(voucher.render()) });
            }
        }
        missing
    }
}

/// The files that a roster makes, and their content.
fn known(roster: &Roster) -> impl Iterator<Item = (String, Vec<u8>)> + '_ {
    let members =
        roster.members().map(|member| (format!("{MEMBERS}{}", member.file_name()), member.render()));
    let revocations =
        roster.revocations().map(|record| (format!("{REVOCATIONS}{}", record.file_name()), record.render()));
    members.chain(revocations)
}

/// A file that should be a record, and its content; `None`: it is a link, or larger than any record.
type Content<'l> = (&'l str, Option<Vec<u8>>);

/// The content of every file that should be a record.
fn contents<'l>(remote: &mut dyn Remote, listed: &'l [Listed]) -> Result<Vec<Content<'l>>, RemoteError> {
    let is_record = |file: &&Listed| {
        file.path == ROUND
            || [MEMBERS, REVOCATIONS, VOUCHERS].iter().any(|folder| file.path.starts_with(folder))
    };
    let (files, others): (Vec<&Listed>, Vec<&Listed>) =
        listed.iter().filter(is_record).partition(|file| file.is_file);
    let count = files.len() + others.len();
    if count > MAX_RECORDS {
        let message = format!("it holds {count} records of members, and {MAX_RECORDS} are the most");
        return Err(RemoteError::Malformed { message });
    }
    let ids: Vec<&str> = files.iter().map(|file| file.id.as_str()).collect();
    let read = files.iter().map(|file| file.path.as_str()).zip(remote.read(&ids, MAX_RECORD_BYTES)?);
    Ok(read.chain(others.iter().map(|file| (file.path.as_str(), None))).collect())
}
