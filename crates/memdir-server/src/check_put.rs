//! Whether a file may be put at all, whatever else is there: its name, its signature, its secrets.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

use jiff::Timestamp;
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::rel_path::PathRefused;
use memdir_core::secrets::scan;
use memdir_core::team_key::TeamKey;
use memdir_wire::entry::{Entry, EntryRefused, MAX_TEXT_BYTES, SignedEntry};
use memdir_wire::member::{Member, Revocation};
use memdir_wire::round::Round;
use memdir_wire::server_api::PutFile;
use memdir_wire::signing::PublicKey;
use memdir_wire::team_id::TeamId;
use memdir_wire::voucher::Voucher;

use crate::api_error::ApiError;

/// A file that was checked as far as it can be alone.
#[derive(Debug, Clone)]
pub struct CheckedPut {
    /// Its name.
    pub path: String,
    /// What it holds; `None`: it goes.
    pub content: Option<String>,
    /// What that is.
    pub kind: PutKind,
}

/// What a file is.
#[derive(Debug, Clone)]
pub enum PutKind {
    /// A memory, or the news that it is gone.
    Entry(Box<Entry>),
    /// A member's record.
    Member(Box<Member>),
    /// The record that a member has left.
    Revocation(Box<Revocation>),
    /// The word of one member for another.
    Voucher(Box<Voucher>),
    /// The count.
    Round(Box<Round>),
    /// A file goes.
    Removal,
}

/// The memories are below this folder.
pub const ENTRIES: &str = "entries/";
const MEMBERS: &str = "members/";
const REVOCATIONS: &str = "revocations/";
const VOUCHERS: &str = "vouchers/";
/// The count.
pub const ROUND: &str = "round.json";

/// A clock may be wrong, but not by more than this: what is signed for a year from now would look new for a year.
const MOST_AHEAD_SECONDS: i64 = 2 * 24 * 60 * 60;

/// An index of PostgreSQL takes names of up to some 2,700 bytes, and without capitals they may become longer.
const MAX_PATH_BYTES: usize = 1_000;

/// How carefully a file is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// Everything is checked.
    Full,
    /// It was checked when it came, and lay in our own database since.
    Again,
}

impl CheckedPut {
    /// Checks a file that a member wants to put.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(put: PutFile, team: &TeamId, now: Timestamp, care: Care) -> Result<Self, ApiError> {
        let PutFile { path, content } = put;
        let kind = kind(&path, content.as_deref(), team, now, care).map_err(|error| error.at(&path))?;
        Ok(Self { path, content, kind })
    }

    /// Who signed it.
    #[must_use]
    pub fn author(&self) -> Option<PublicKey> {
        match &self.kind {
            PutKind::Entry(entry) => Some(entry.author),
            PutKind::Round(round) => Some(round.author),
            PutKind::Member(_) | PutKind::Revocation(_) | PutKind::Voucher(_) | PutKind::Removal => None,
        }
    }

    /// What a file system that ignores capitals would call it. A deleted file is in no one's way.
    #[must_use]
    pub fn folded(&self) -> Option<String> {
        (self.content.is_some() && !self.is_deletion()).then(|| self.path.to_lowercase())
    }

    /// Its size.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.content.as_ref().map_or(0, |content| content.len() as u64)
    }

    /// The version of the entry; 0 if it is none.
    #[must_use]
    pub fn entry_version(&self) -> u64 {
        match &self.kind {
            PutKind::Entry(entry) => entry.version,
            PutKind::Round(round) => round.round,
            _ => 0,
        }
    }

    /// The round of the entry; 0 if it is none.
    #[must_use]
    pub fn entry_round(&self) -> u64 {
        match &self.kind {
            PutKind::Entry(entry) => entry.round,
            _ => 0,
        }
    }

    /// Whether it says that a memory is gone.
    #[must_use]
    pub fn is_deletion(&self) -> bool {
        matches!(&self.kind, PutKind::Entry(entry) if entry.text.is_none())
    }
}

/// Checks files, all of them: the sender hears at once which ones are refused.
///
/// # Errors
/// What is wrong, for each file.
pub fn check_all(
    files: Vec<(PutFile, Care)>,
    team: &TeamId,
    now: Timestamp,
) -> Result<Vec<CheckedPut>, ApiError> {
    let check = |files: Vec<(PutFile, Care)>| -> Vec<Result<CheckedPut, ApiError>> {
        files.into_iter().map(|(put, care)| CheckedPut::check(put, team, now, care)).collect()
    };
    let (mut checked, mut refused) = (Vec::with_capacity(files.len()), Vec::new());
    for file in on_all_cores(files, &check) {
        match file {
            Ok(put) => checked.push(put),
            Err(error) => refused.push(error),
        }
    }
    ApiError::of_files(refused).map_or(Ok(checked), Err)
}

/// Fewer are checked before a second thread has begun.
const WORTH_A_THREAD: usize = 100;

/// Signatures of a first sync are most of its work here, and other requests go on while its sender waits.
fn on_all_cores<F: Send, C: Send>(mut files: Vec<F>, check: &(impl Fn(Vec<F>) -> Vec<C> + Sync)) -> Vec<C> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let each = files.len().div_ceil(cores).max(WORTH_A_THREAD);
    thread::scope(|scope| {
        let mut others = Vec::new();
        while files.len() > each {
            let some = files.split_off(files.len() - each);
            others.push(scope.spawn(|| check(some)));
        }
        let mut checked = check(files);
        for other in others.into_iter().rev() {
            checked.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        checked
    })
}

/// Whether a memory may be called that. The index of one person's memory travels between their own machines like any
/// other file; members of a team make theirs themselves, and take none.
fn check_key(key: &str) -> Result<(), PathRefused> {
    match key.rsplit_once('/') {
        Some((folder, ENTRYPOINT)) => TeamKey::parse(&format!("{folder}/index.md")).map(drop),
        _ => TeamKey::parse(key).map(drop),
    }
}

fn kind(
    path: &str,
    content: Option<&str>,
    team: &TeamId,
    now: Timestamp,
    care: Care,
) -> Result<PutKind, ApiError> {
    if path.len() > MAX_PATH_BYTES {
        let message = format!("a name has at most {MAX_PATH_BYTES} bytes here");
        return Err(ApiError::new("bad_path", message));
    }
    let key = path.strip_prefix(ENTRIES);
    if let Some(key) = key
        && let Err(refused) = check_key(key)
    {
        return Err(ApiError::new("bad_path", refused.to_string()));
    }
    let Some(content) = content else {
        return if key.is_some() {
            Ok(PutKind::Removal)
        } else {
            Err(ApiError::new("kept", "records about members and the count are never taken away"))
        };
    };
    if let Some(key) = key {
        return entry(key, content, team, now, care).map(|entry| PutKind::Entry(Box::new(entry)));
    }
    let bytes = content.as_bytes();
    let bad =
        || ApiError::new("bad_record", "it is not a record of this team, or a signature in it is invalid");
    if let Some(name) = path.strip_prefix(MEMBERS) {
        let member = Member::parse(bytes, team).filter(|member| member.file_name() == name);
        return member.map(|member| PutKind::Member(Box::new(member))).ok_or_else(bad);
    }
    if let Some(name) = path.strip_prefix(REVOCATIONS) {
        let record = Revocation::parse(bytes, team).filter(|record| record.file_name() == name);
        return record.map(|record| PutKind::Revocation(Box::new(record))).ok_or_else(bad);
    }
    if let Some(name) = path.strip_prefix(VOUCHERS) {
        let voucher = Voucher::parse(bytes, team).filter(|voucher| voucher.file_name() == name);
        return voucher.map(|voucher| PutKind::Voucher(Box::new(voucher))).ok_or_else(bad);
    }
    if path == ROUND {
        return Round::parse(bytes, team).map(|round| PutKind::Round(Box::new(round))).ok_or_else(bad);
    }
    Err(ApiError::new("bad_path", "only entries, records about members and the count are kept here"))
}

fn entry(key: &str, content: &str, team: &TeamId, now: Timestamp, care: Care) -> Result<Entry, ApiError> {
    let refused = |refused: EntryRefused| match refused {
        EntryRefused::TooLarge => ApiError::new("too_large", refused.to_string()),
        EntryRefused::OtherTeam => ApiError::new("other_team", refused.to_string()),
        _ => ApiError::new("bad_entry", refused.to_string()),
    };
    let signed = SignedEntry::parse(content.as_bytes()).map_err(refused)?;
    if care == Care::Again {
        return Ok(signed.unverified().clone());
    }
    let entry = signed.verify(team, key).map_err(refused)?;
    if entry.version >= FAR || entry.round >= FAR {
        return Err(ApiError::new("from_the_future", "its version or round is further than anybody counts"));
    }
    if entry.time.as_second() > now.as_second() + MOST_AHEAD_SECONDS {
        return Err(ApiError::new(
            "from_the_future",
            "its time is days ahead; set the clock of its author's machine",
        ));
    }
    let Some(text) = &entry.text else { return Ok(entry) };
    if text.len() > MAX_TEXT_BYTES {
        return Err(ApiError::new("too_large", format!("it is larger than {MAX_TEXT_BYTES} bytes")));
    }
    if text.contains('\0') {
        return Err(ApiError::new("bad_entry", "it is not UTF-8 text"));
    }
    // What has such a name already can still go.
    if let Some(found) = scan(key).first() {
        return Err(ApiError::new("secret", format!("its name looks like a secret ({})", found.rule)));
    }
    if let Some(found) = scan(text).first() {
        return Err(ApiError::new(
            "secret",
            format!("line {} looks like a secret ({})", found.line, found.rule),
        ));
    }
    Ok(entry)
}

/// A client that counts to here has not counted.
pub const FAR: u64 = 1 << 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_checked_side_by_side_and_stay_in_order() {
        for count in [0, 1, 99, 100, 101, 1_000, 12_345] {
            let files: Vec<usize> = (0..count).collect();
            assert_eq!(on_all_cores(files.clone(), &|some| some), files);
        }
    }
}
