//! What a member's machine and a team server say to each other, as values.
//!
//! The rule for old clients: everything carries `"v":1` and lives below `/v1/`. A server goes on answering every version
//! that it ever answered; what a newer one adds is added to answers, where clients ignore what they do not know, and
//! never to requests, where a server refuses it. A client that sends an unknown version is told which ones the server knows.

use memdir_core::content_hash::ContentHash;
use serde::{Deserialize, Serialize};

use crate::team_id::TeamId;

/// The version of these messages.
pub const PROTOCOL: u32 = 1;

/// The largest body of a request, before and after it is unpacked.
pub const MAX_BODY_BYTES: usize = 1 << 20;

/// The contents that one answer carries, at most, beyond the first.
pub const MAX_ANSWER_BYTES: usize = 4 << 20;

/// The most files that one page of a listing names.
pub const MAX_PAGE_FILES: usize = 5_000;

/// The most parts that one version is sent in.
pub const MAX_PARTS: u32 = 1_000;

/// The beginning of every token, by which an address with one in it is known to lead to a server.
pub const TOKEN_PREFIX: &str = "memdir_";

/// How the state before the first version is called where a version is named.
pub const NOTHING: &str = "0";

/// A file that is put, or taken away where there is no content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PutFile {
    /// Its name, for example `entries/deploy.md`.
    pub path: String,
    /// What it holds; `null`: it goes.
    pub content: Option<String>,
}

/// A part of a version that is too large for one body. No member sees it before the version is published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartRequest {
    /// [`PROTOCOL`].
    pub v: u32,
    /// The team that the entries are signed for.
    pub team: TeamId,
    /// What it puts.
    pub puts: Vec<PutFile>,
}

/// A version that is to follow the one that `If-Match` names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishRequest {
    /// [`PROTOCOL`].
    pub v: u32,
    /// The team that the entries are signed for.
    pub team: TeamId,
    /// Its id, as [`version_id()`] makes it.
    pub version: ContentHash,
    /// One line that says what it is about.
    pub subject: String,
    /// How many parts were sent before.
    pub parts: u32,
    /// What it puts, beyond those parts.
    pub puts: Vec<PutFile>,
}

/// Where a team is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadAnswer {
    /// [`PROTOCOL`].
    pub v: u32,
    /// The newest version; `null` while there is none.
    pub version: Option<ContentHash>,
    /// Its number: they count up from 1.
    pub sequence: u64,
    /// The team that its entries are signed for; `null` while there is none.
    pub team: Option<TeamId>,
}

/// A file as a listing names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLine {
    /// Its name.
    pub path: String,
    /// The hash of its content; `null`: it is gone.
    pub id: Option<ContentHash>,
    /// The number of the version that put it there.
    pub sequence: u64,
    /// What it holds, if contents were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// Where a listing goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// The number of the version whose files are being listed.
    pub sequence: u64,
    /// The last file of it that was listed.
    pub path: String,
}

/// The files that were put or removed after a cursor, in the order in which that happened. A client that reads to the end
/// knows everything as it is at the version of the last page: what changes in between is listed again behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilesAnswer {
    /// Where the team is.
    #[serde(flatten)]
    pub head: HeadAnswer,
    /// The files.
    pub files: Vec<FileLine>,
    /// Where to go on; `null`: this was all.
    pub next: Option<Cursor>,
}

/// Contents that are asked for by their hashes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContentsRequest {
    /// [`PROTOCOL`].
    pub v: u32,
    /// Which.
    pub ids: Vec<ContentHash>,
}

/// Contents, in the order in which they were asked for; where there are too many for one answer, the first of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentsAnswer {
    /// [`PROTOCOL`].
    pub v: u32,
    /// Each content; `null` where it is not there (any more).
    pub contents: Vec<Option<String>>,
}

/// Versions that a client saw once; the server says which is the newest that it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownRequest {
    /// [`PROTOCOL`].
    pub v: u32,
    /// The versions.
    pub versions: Vec<ContentHash>,
}

/// The newest of the versions that were named, as far as the server has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownAnswer {
    /// [`PROTOCOL`].
    pub v: u32,
    /// It; `null`: none of them.
    pub version: Option<ContentHash>,
    /// Its number.
    pub sequence: u64,
}

/// One version, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionLine {
    /// Its id.
    pub version: ContentHash,
    /// Its number.
    pub sequence: u64,
    /// Seconds since 1970, by the server's clock.
    pub time: i64,
    /// The name of the member who sent it.
    pub author: String,
    /// One line that says what it is about.
    pub subject: String,
}

/// The newest versions, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionsAnswer {
    /// [`PROTOCOL`].
    pub v: u32,
    /// They.
    pub versions: Vec<VersionLine>,
}

/// What opens the server to one more machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenAnswer {
    /// [`PROTOCOL`].
    pub v: u32,
    /// The token, which is told only once.
    pub token: String,
    /// When it ends, in seconds since 1970.
    pub expires: i64,
}

/// A newcomer uses an invitation: from now on the token that they made is theirs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoinRequest {
    /// [`PROTOCOL`].
    pub v: u32,
    /// The token, made by the newcomer, so that an answer that is lost can be asked for again.
    pub token: String,
    /// The key with which they sign.
    pub member: crate::signing::PublicKey,
}

/// A token for sessions that are thrown away: it ends soon, changes memories at most, and invites no one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionRequest {
    /// [`PROTOCOL`].
    pub v: u32,
    /// The key with which the sessions sign; the token ends with its membership.
    pub member: crate::signing::PublicKey,
    /// Whether they may only read.
    pub read_only: bool,
    /// What people call it.
    pub label: String,
    /// How many days it lasts.
    pub days: i64,
}

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorAnswer {
    /// [`PROTOCOL`].
    pub v: u32,
    /// What.
    pub error: ErrorBody,
}

/// An error: a code for programs that never changes, and a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// The code.
    pub code: String,
    /// The sentence.
    pub message: String,
    /// The file that is the reason, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Every file that is, where several may be: without them the rest would be taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedFile>,
}

/// A file that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedFile {
    /// Its name.
    pub path: String,
    /// The code.
    pub code: String,
    /// The sentence.
    pub message: String,
}

/// The id of a version: a hash of what came before and of everything that it changes. So two machines that name the same
/// version have the same files, and a client that sends one twice has sent it once.
pub fn version_id<'p>(
    team: &TeamId,
    onto: Option<&ContentHash>,
    puts: impl IntoIterator<Item = &'p PutFile>,
) -> ContentHash {
    let mut sorted: Vec<&PutFile> = puts.into_iter().collect();
    sorted.sort_by(|one, other| one.path.cmp(&other.path));
    let mut hasher = blake3::Hasher::new_derive_key("memdir v1 server version");
    hasher.update(team.as_str().as_bytes());
    hasher.update(onto.map_or([0; 32], |onto| *onto.as_bytes()).as_slice());
    for put in sorted {
        hasher.update(&(put.path.len() as u64).to_le_bytes());
        hasher.update(put.path.as_bytes());
        match &put.content {
            Some(content) => hasher.update(&[1]).update(ContentHash::of(content.as_bytes()).as_bytes()),
            None => hasher.update(&[0]),
        };
    }
    ContentHash::from_bytes(*hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signing::SecretKey;

    fn put(path: &str, content: Option<&str>) -> PutFile {
        PutFile { path: path.to_owned(), content: content.map(str::to_owned) }
    }

    #[test]
    fn a_version_is_known_by_all_that_it_is() {
        let team = TeamId::founded_by(&SecretKey::from_seed([1; 32]).public(), "n");
        let (a, b) = (put("entries/a.md", Some("a")), put("entries/b.md", None));
        let id = version_id(&team, None, [&a, &b]);
        assert_eq!(id, version_id(&team, None, [&b, &a]), "the order of what is sent decides nothing");
        let others = [
            version_id(&team, Some(&id), [&a, &b]),
            version_id(&team, None, [&a]),
            version_id(&team, None, [&put("entries/a.md", Some("")), &b]),
            version_id(&team, None, [&put("entries/a.md", None), &b]),
            version_id(&TeamId::founded_by(&SecretKey::from_seed([2; 32]).public(), "n"), None, [&a, &b]),
        ];
        assert!(others.iter().all(|other| *other != id));
    }

    #[test]
    fn requests_are_read_strictly_and_answers_are_not() {
        assert!(serde_json::from_str::<ContentsRequest>(r#"{"v":1,"ids":[],"more":1}"#).is_err());
        let head = r#"{"v":1,"version":null,"sequence":0,"team":null,"more":1}"#;
        assert!(serde_json::from_str::<HeadAnswer>(head).is_ok());
    }
}
