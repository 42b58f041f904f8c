//! One version becomes the newest, if everything about it is right.
//!
//! All questions are asked of the state that the version was made from. The last step, in the database, happens only if
//! that still is the newest: so no answer can have grown old in between.

use std::collections::HashSet;

use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::secrets::scan;
use memdir_wire::roster::{Roster, Standing};
use memdir_wire::server_api::{PartRequest, PublishRequest, PutFile, version_id};
use memdir_wire::signing::PublicKey;
use memdir_wire::team_id::TeamId;

use crate::api_error::ApiError;
use crate::check_put::{Care, CheckedPut, ENTRIES, FAR, PutKind, ROUND, check_all};
use crate::limits::Limits;
use crate::random::random_id;
use crate::rosters::Rosters;
use crate::storage::StorageError;
use crate::store::{
    Caller, Event, FileRow, NamedFiles, NewVersion, Publication, Removable, Store, Team, ended_with,
};
use crate::token::Scope;

/// What became of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Published {
    /// It is the newest now, with this number.
    Now(u64),
    /// It was, before: this is the same request again.
    Before(u64),
}

/// What publishing needs besides the request.
pub struct Desk<'d> {
    /// The memory of all teams.
    pub store: &'d Store,
    /// Who is a member of what.
    pub rosters: &'d Rosters,
    /// What is too much.
    pub limits: &'d Limits,
    /// The time.
    pub now: Timestamp,
}

impl Desk<'_> {
    /// Publishes a version onto the one that its sender saw.
    ///
    /// # Errors
    /// What is wrong with it; nothing has happened then.
    pub async fn publish(
        &self,
        caller: &Caller,
        onto: Option<ContentHash>,
        request: PublishRequest,
    ) -> Result<Published, ApiError> {
        let team = &caller.team;
        if team.head != onto {
            return self.missed(caller, &request.version).await;
        }
        let version = request.version;
        match self.publish_onto(caller, onto, request).await {
            Err(refused) if refused.status.is_client_error() => {
                // What was looked at may have been newer than what it was made from.
                let now = self.store.team(&team.name).await?.and_then(|team| team.head);
                if now == onto { Err(refused) } else { self.missed(caller, &version).await }
            }
            published => published,
        }
    }

    /// Why a version did not become the newest.
    async fn missed(&self, caller: &Caller, version: &ContentHash) -> Result<Published, ApiError> {
        let now = self.store.caller(&caller.token.id).await?;
        if !now.is_some_and(|now| now.token.lasts(self.now.as_second())) {
            return Err(ApiError::ended());
        }
        // The answer to the first time may have been lost, or it is sent several times at once.
        match self.store.sequence_of(&caller.team.name, version).await? {
            Some(sequence) => Ok(Published::Before(sequence)),
            None => Err(ApiError::moved()),
        }
    }

    async fn publish_onto(
        &self,
        caller: &Caller,
        onto: Option<ContentHash>,
        request: PublishRequest,
    ) -> Result<Published, ApiError> {
        let team = &caller.team;
        check_team(caller, &request.team)?;
        let puts = self.collect(caller, onto, &request).await?;
        check_scope(caller, &puts)?;
        let (old, roster) = tokio::try_join!(
            Old::read(self.store, team, &puts),
            self.rosters.of(self.store, &team.name, &request.team),
        )?;
        let roster = admit(&roster, &puts)?;
        let member = check_authors(caller, &roster, &puts)?;
        old.check(&puts)?;
        let (more_files, bytes) = old.count(team.bytes, &puts);
        self.limits.check_team(team.files + more_files, bytes, team.files, team.bytes)?;
        self.check_share(team, &member, &old, (more_files, bytes), &puts).await?;
        self.limits.check_old(team.old_bytes)?;
        let gone: Vec<PublicKey> = puts.iter().filter_map(|put| put_out(put, &roster)).collect();
        let author = match roster.standing(&member) {
            Standing::Member(name) | Standing::Revoked(name) => name,
            Standing::Unknown => "",
        };
        let subject = subject_of(&request);
        let who: Vec<String> = gone.iter().map(PublicKey::short).collect();
        let who = who.join(" ");
        let event = if gone.is_empty() {
            None
        } else {
            Some(Event {
                id: random_id().map_err(|_| ApiError::new("failed", "the system has no randomness"))?,
                time: self.now.as_second(),
                team: &team.name,
                actor: &caller.token.id,
                event: "put out",
                subject: &who,
            })
        };
        let (replaced, replaced_bytes) = old.replaced(&puts);
        let mut new = NewVersion {
            team,
            wire_team: &request.team,
            version: request.version,
            token: &caller.token.id,
            member,
            author,
            subject: &subject,
            replaced,
            replaced_bytes,
            ended: None,
            event,
            puts: &puts,
            more_files,
            bytes,
            now: self.now.as_second(),
        };
        for _ in 0..TRIES {
            new.ended = self.ended(caller, &roster, &gone).await?;
            match self.store.publish(&new).await? {
                Publication::Done => return Ok(Published::Now(team.sequence + 1)),
                Publication::Moved => return self.missed(caller, &request.version).await,
                Publication::Joined => {}
            }
        }
        Err(StorageError::Unavailable("others come in all the time".to_owned()).into())
    }

    /// Whether one member leaves room for the others. A team that holds less than one member may is not counted.
    async fn check_share(
        &self,
        team: &Team,
        member: &PublicKey,
        old: &Old,
        (more_files, bytes): (u64, u64),
        puts: &[CheckedPut],
    ) -> Result<(), ApiError> {
        let grows = more_files > 0 || bytes > team.bytes;
        if !grows || !self.limits.may_crowd(team.files + more_files, bytes) {
            return Ok(());
        }
        let member = member.to_string();
        let held = self.store.put_by(&team.name, &member).await?;
        self.limits.check_member(old.share(&member, held, puts), held)
    }

    /// The tokens that end with members who are put out, and how many there are in all.
    async fn ended(
        &self,
        caller: &Caller,
        roster: &Roster,
        gone: &[PublicKey],
    ) -> Result<Option<(Vec<String>, usize)>, StorageError> {
        if gone.is_empty() {
            return Ok(None);
        }
        let stays =
            |key: &PublicKey| !gone.contains(key) && matches!(roster.standing(key), Standing::Member(_));
        let all = self.store.tokens(&caller.team.name).await?;
        Ok(Some((ended_with(&all, gone, stays), all.len())))
    }

    /// Everything that the version changes, the parts that were sent before included.
    async fn collect(
        &self,
        caller: &Caller,
        onto: Option<ContentHash>,
        request: &PublishRequest,
    ) -> Result<Vec<CheckedPut>, ApiError> {
        let mut files: Vec<(PutFile, Care)> = Vec::new();
        if request.parts > 0 {
            let parts = self.store.parts(&caller.team.name, &request.version).await?;
            if parts.len() != request.parts as usize {
                let message = format!("{} parts were announced, and {} are here", request.parts, parts.len());
                return Err(ApiError::new("incomplete", message));
            }
            // A few at a time, or everything would be in memory once more.
            for some in parts.chunks(8) {
                for part in self.store.bodies_of(&caller.team.name, &request.version, some).await? {
                    let part: PartRequest = serde_json::from_slice(&part)
                        .map_err(|_| ApiError::new("incomplete", "a part of it cannot be read any more"))?;
                    if part.team != request.team {
                        return Err(ApiError::new("other_team", "a part of it is another team's"));
                    }
                    files.extend(part.puts.into_iter().map(|put| (put, Care::Again)));
                }
            }
        }
        files.extend(request.puts.iter().cloned().map(|put| (put, Care::Full)));
        if files.is_empty() {
            return Err(ApiError::new("bad_request", "a version changes something"));
        }
        let mut names = HashSet::new();
        if let Some((twice, _)) = files.iter().find(|(put, _)| !names.insert(put.path.as_str())) {
            let error = ApiError::new("duplicate_path", "a version puts a file once");
            return Err(error.at(&twice.path));
        }
        if version_id(&request.team, onto.as_ref(), files.iter().map(|(put, _)| put)) != request.version {
            return Err(ApiError::new("bad_request", "the id of the version is not the hash of what it is"));
        }
        let (team, now) = (request.team.clone(), self.now);
        let bytes: usize = files.iter().filter_map(|(put, _)| put.content.as_ref()).map(String::len).sum();
        if files.len() <= FEW_FILES && bytes <= FEW_BYTES {
            return check_all(files, &team, now);
        }
        // Signatures take a while where there are many.
        let checking = tokio::task::spawn_blocking(move || check_all(files, &team, now));
        checking.await.map_err(|_| ApiError::new("failed", "the server is stopping"))?
    }
}

/// What a version is said to be about, in one line. Everybody reads it, and it names even what goes because of its name: where
/// that looks like a secret, the version counts without.
fn subject_of(request: &PublishRequest) -> String {
    let line: String = request.subject.chars().filter(|letter| !letter.is_control()).collect();
    if scan(&line).is_empty() { line.chars().take(200).collect() } else { NO_SUBJECT.to_owned() }
}

/// In the place of a subject that looks like a secret.
const NO_SUBJECT: &str = "(not kept: it looked like a secret)";

/// How often the departures are computed again because a member came in meanwhile.
const TRIES: u32 = 50;

/// Who is removed by a file. What is known already removes no one.
fn put_out(put: &CheckedPut, roster: &Roster) -> Option<PublicKey> {
    match &put.kind {
        PutKind::Revocation(record) if roster.revocation_of(&record.key) != Some(record) => Some(record.key),
        _ => None,
    }
}

/// Whether a file names the team that its token is for.
///
/// # Errors
/// It does not.
pub fn check_team(caller: &Caller, named: &TeamId) -> Result<(), ApiError> {
    match &caller.team.wire_team {
        Some(known) if known != named => {
            Err(ApiError::new("other_team", "another team's memory is kept here"))
        }
        _ => Ok(()),
    }
}

/// Whether everything is signed by whom the token belongs to, where that is known already.
///
/// # Errors
/// It is not.
pub fn check_sender(caller: &Caller, puts: &[CheckedPut]) -> Result<(), ApiError> {
    let Some(sender) = caller.token.member else { return Ok(()) };
    match puts.iter().find(|put| put.author().is_some_and(|author| author != sender)) {
        Some(put) => Err(not_yours(put)),
        None => Ok(()),
    }
}

/// Whether a token may change what the files are. A session's changes memories, and nothing about members.
fn check_scope(caller: &Caller, puts: &[CheckedPut]) -> Result<(), ApiError> {
    let is_memory = |put: &CheckedPut| match &put.kind {
        PutKind::Entry(_) | PutKind::Round(_) => true,
        PutKind::Removal => put.path.starts_with(ENTRIES),
        PutKind::Member(_) | PutKind::Revocation(_) | PutKind::Voucher(_) => false,
    };
    match puts.iter().find(|put| caller.token.scope == Scope::Session && !is_memory(put)) {
        Some(put) => {
            Err(ApiError::new("forbidden", "a session's token changes nothing about members").at(&put.path))
        }
        None => Ok(()),
    }
}

fn not_yours(put: &CheckedPut) -> ApiError {
    let message = "it is not signed by the member whom the token belongs to";
    ApiError::new("not_yours", message).at(&put.path)
}

/// The roster with those who come in with this version; those who go with it may still speak in it.
fn admit(known: &Roster, puts: &[CheckedPut]) -> Result<Roster, ApiError> {
    let (mut members, mut revocations, mut vouchers) = (Vec::new(), Vec::new(), Vec::new());
    for put in puts {
        match &put.kind {
            PutKind::Member(member) => members.push(member.as_ref().clone()),
            PutKind::Revocation(record) => revocations.push(record.as_ref().clone()),
            PutKind::Voucher(voucher) => vouchers.push(voucher.as_ref().clone()),
            PutKind::Entry(_) | PutKind::Round(_) | PutKind::Removal => {}
        }
    }
    let refused = |problem: String| Err(ApiError::new("bad_record", problem));
    let mut roster = known.clone();
    if let Some(problem) = roster.learn_vouched(members, Vec::new(), &vouchers).problems.into_iter().next() {
        return refused(problem);
    }
    if let Some(voucher) = vouchers.iter().find(|voucher| !roster.has_a_say(&voucher.by)) {
        return refused(format!("the word of {} does not count here", voucher.by.short()));
    }
    let mut afterwards = roster.clone();
    let problems = afterwards.learn(Vec::new(), revocations.clone()).problems;
    if let Some(problem) = problems.into_iter().next() {
        return refused(problem);
    }
    // Of several records about one member everybody keeps the same one, and so do we.
    if let Some(record) =
        revocations.iter().find(|record| afterwards.revocation_of(&record.key) != Some(*record))
    {
        return refused(format!("nothing changes about {} by that", record.key.short()));
    }
    Ok(roster)
}

/// Whether every signature is a member's, and all of them the sender's own. Gives back whose.
fn check_authors(caller: &Caller, roster: &Roster, puts: &[CheckedPut]) -> Result<PublicKey, ApiError> {
    let mut sender = caller.token.member;
    for put in puts {
        let Some(author) = put.author() else { continue };
        if !matches!(roster.standing(&author), Standing::Member(_)) {
            let message = format!("{} is not a member of the team", author.short());
            return Err(ApiError::new("not_a_member", message).at(&put.path));
        }
        if *sender.get_or_insert(author) != author {
            return Err(not_yours(put));
        }
    }
    let counted = puts.iter().any(|put| matches!(put.kind, PutKind::Round(_)));
    match sender {
        Some(sender) if counted => Ok(sender),
        _ => Err(ApiError::new("bad_request", "a version counts its round, in `round.json`")),
    }
}

/// What was there before.
struct Old(NamedFiles);

impl Old {
    async fn read(store: &Store, team: &Team, puts: &[CheckedPut]) -> Result<Self, StorageError> {
        let paths: Vec<&str> = puts.iter().map(|put| put.path.as_str()).collect();
        let folded: Vec<String> = puts.iter().filter_map(CheckedPut::folded).collect();
        store.named(team, &paths, &folded).await.map(Self)
    }

    /// Whether each file may follow what was there.
    fn check(&self, puts: &[CheckedPut]) -> Result<(), ApiError> {
        let round = puts.iter().find_map(|put| match &put.kind {
            PutKind::Round(round) => Some(round.as_ref()),
            _ => None,
        });
        let (round, floor) = round.map_or((0, 0), |round| (round.round, round.floor));
        let counted = self.0.files.get(ROUND).map_or(0, |file| file.entry_version);
        // A client that leaps to the end of all numbers leaves none for the others.
        if round >= FAR || round > counted.saturating_add(MOST_AT_ONCE) {
            return Err(ApiError::new("from_the_future", "its round is further than anybody counts"));
        }
        let leaving: HashSet<&str> =
            puts.iter().filter(|put| put.folded().is_none()).map(|put| put.path.as_str()).collect();
        let mut folded = HashSet::new();
        for put in puts {
            let old = self.0.files.get(&put.path).filter(|file| file.content.is_some());
            let refused = match (&put.kind, old) {
                (PutKind::Entry(entry), _) if entry.round > round => {
                    Some(("from_the_future", "its round is later than the version's own"))
                }
                (PutKind::Entry(entry), _) if entry.version > self.furthest(&put.path) => {
                    Some(("from_the_future", "its version is further than anybody counts"))
                }
                (PutKind::Entry(_) | PutKind::Round(_), Some(old))
                    if put.entry_version() <= old.entry_version =>
                {
                    Some(("replayed", "what is there is as new, or newer"))
                }
                (PutKind::Member(_), Some(old)) if !is_same(put, old) => {
                    Some(("kept", "the record of a member is written once and never changed"))
                }
                (PutKind::Removal, None) => Some(("kept", "there is nothing to take away")),
                (PutKind::Removal, Some(old)) => match old.removable {
                    Removable::DeletionOf(since) if since <= floor => None,
                    _ => Some(("kept", "a memory goes by a signed deletion; a deletion goes when it is old")),
                },
                _ => None,
            };
            if let Some((code, message)) = refused {
                return Err(ApiError::new(code, message).at(&put.path));
            }
            if let Some(name) = put.folded().filter(|_| put.path.starts_with(ENTRIES)) {
                let there = self.0.folded.get(&name).filter(|there| **there != put.path);
                let twice = !folded.insert(name);
                if twice || there.is_some_and(|there| !leaving.contains(there.as_str())) {
                    let message = "another memory has the same name but for capitals";
                    return Err(ApiError::new("collides", message).at(&put.path));
                }
            }
        }
        Ok(())
    }

    /// The highest version that may follow what was ever at a path.
    fn furthest(&self, path: &str) -> u64 {
        self.0.files.get(path).map_or(0, |file| file.entry_version).saturating_add(MOST_AT_ONCE)
    }

    /// How many lines there are more then, and how many bytes in all. What goes keeps its line for a while.
    fn count(&self, mut bytes: u64, puts: &[CheckedPut]) -> (u64, u64) {
        let mut more = 0;
        for put in puts {
            match self.0.files.get(&put.path) {
                Some(old) => bytes = bytes.saturating_sub(old.size),
                None => more += 1,
            }
            bytes += put.size();
        }
        (more, bytes)
    }

    /// How many files and bytes are a member's then, who had so many before.
    fn share(&self, member: &str, (mut files, mut bytes): (u64, u64), puts: &[CheckedPut]) -> (u64, u64) {
        for put in puts {
            match self.0.files.get(&put.path).filter(|old| old.put_by.as_deref() == Some(member)) {
                Some(old) => bytes = bytes.saturating_sub(old.size),
                None => files += 1,
            }
            bytes += put.size();
        }
        (files, bytes)
    }

    /// The contents that are replaced by others, and how many bytes they have.
    fn replaced(&self, puts: &[CheckedPut]) -> (Vec<ContentHash>, u64) {
        // What is put again as it was stays what it is.
        let old = |put: &CheckedPut| self.0.files.get(&put.path).filter(|old| !is_same(put, old));
        let files = puts.iter().filter_map(old);
        let replaced = files.filter_map(|file| Some((file.content?, file.size)));
        replaced.fold((Vec::new(), 0), |(mut contents, bytes), (content, size)| {
            contents.push(content);
            (contents, bytes + size)
        })
    }
}

/// So much is checked before a thread has woken up.
const FEW_FILES: usize = 8;
const FEW_BYTES: usize = 16 << 10;

/// Rounds and versions count up by one, but for who has seen more than a restored server.
const MOST_AT_ONCE: u64 = 1_000_000;

fn is_same(put: &CheckedPut, old: &FileRow) -> bool {
    put.content.as_ref().map(|content| ContentHash::of(content.as_bytes())) == old.content
}
