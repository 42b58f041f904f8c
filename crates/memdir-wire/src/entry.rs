//! One memory of a team, or its deletion, signed by its last author.

use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use serde::{Deserialize, Serialize};

use crate::canonical::canonical;
use crate::memory_id::MemoryId;
use crate::signing::{PublicKey, SecretKey, Signature, Statement};
use crate::team_id::TeamId;

#[cfg(test)]
mod tests;

/// The longest entry, signature included, that is written or read.
pub const MAX_ENTRY_BYTES: usize = 256 * 1024;

/// The longest text of one.
pub const MAX_TEXT_BYTES: usize = 250_000;

/// One version of one memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The team that it is for: another one's entry never fits.
    pub team: TeamId,
    /// Which memory it is, whatever its name; `None`: an entry of format 1, which does not say.
    pub memory: Option<MemoryId>,
    /// Where it is. A receiver checks that this is a path.
    pub path: String,
    /// One more than the version that it replaces, so that an old one that comes back is known.
    pub version: u64,
    /// The round of the remote in which it was sent.
    pub round: u64,
    /// The content that it was made from; of a deletion the content that is gone. `None`: there was none.
    pub parent: Option<ContentHash>,
    /// Of a deletion the path that its author has the memory at now, if that is not part of the sync. In format 1 also the
    /// path that a memory had before.
    pub renamed_from: Option<String>,
    /// When, by its author's clock. Nothing is decided by it.
    pub time: Timestamp,
    /// Who signed it.
    pub author: PublicKey,
    /// What it says; `None`: it was deleted.
    pub text: Option<String>,
}

/// An entry with its signature. Nothing in it counts before [`SignedEntry::verify`] agreed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedEntry {
    entry: Entry,
    signature: Signature,
}

/// Why bytes are not an entry of this team at this place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EntryRefused {
    /// More bytes than an entry may have.
    #[error("it is larger than an entry may be")]
    TooLarge,
    /// Not what we write.
    #[error("it is not an entry of memdir")]
    Malformed,
    /// It was copied from another team.
    #[error("it belongs to another team")]
    OtherTeam,
    /// It was moved.
    #[error("it was signed for another path")]
    OtherPath,
    /// Not a bit of it may differ from what was signed.
    #[error("its signature does not fit")]
    BadSignature,
}

impl Entry {
    /// What this version of the memory is known by; `None`: deleted.
    #[must_use]
    pub fn content(&self) -> Option<ContentHash> {
        self.text.as_ref().map(|text| ContentHash::of(text.as_bytes()))
    }

    /// Which memory it is. Every member derives the same id for an entry of format 1.
    #[must_use]
    pub fn identity(&self) -> MemoryId {
        self.memory.unwrap_or_else(|| MemoryId::of_path(&self.team, &self.path))
    }

    /// Signs it. The author becomes the one whose key it is.
    #[must_use]
    pub fn sign(mut self, key: &SecretKey) -> SignedEntry {
        self.author = key.public();
        let signature = key.sign(&self.statement());
        SignedEntry { entry: self, signature }
    }

    fn statement(&self) -> Statement {
        // Each format has a purpose of its own, so that no signature of one fits the other.
        let statement = match &self.memory {
            Some(memory) => Statement::about("entry 2").bytes(memory.as_bytes()),
            None => Statement::about("entry"),
        };
        statement
            .text(self.team.as_str())
            .text(&self.path)
            .number(self.version)
            .number(self.round)
            .optional(self.parent.as_ref().map(|hash| hash.as_bytes().as_slice()))
            .optional(self.renamed_from.as_deref().map(str::as_bytes))
            .text(&self.time.to_string())
            .bytes(self.author.as_bytes())
            .optional(self.text.as_deref().map(str::as_bytes))
    }
}

/// The last line of an entry, where Markdown hides it from a reader.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seal {
    v: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryId>,
    team: TeamId,
    path: String,
    version: u64,
    round: u64,
    parent: Option<ContentHash>,
    renamed_from: Option<String>,
    time: Timestamp,
    author: PublicKey,
    deleted: bool,
    signature: Signature,
}

const OPEN: &str = "<!-- memdir ";
const CLOSE: &str = " -->\n";

impl SignedEntry {
    /// The entry, without a look at who signed it.
    #[must_use]
    pub fn unverified(&self) -> &Entry {
        &self.entry
    }

    /// The entry as the remote keeps it: the text, and a last line that holds the rest.
    #[must_use]
    pub fn render(&self) -> Vec<u8> {
        let entry = &self.entry;
        let seal = Seal {
            v: if entry.memory.is_some() { 2 } else { 1 },
            memory: entry.memory,
            team: entry.team.clone(),
            path: entry.path.clone(),
            version: entry.version,
            round: entry.round,
            parent: entry.parent,
            renamed_from: entry.renamed_from.clone(),
            time: entry.time,
            author: entry.author,
            deleted: entry.text.is_none(),
            signature: self.signature,
        };
        // A seal holds nothing that JSON cannot say.
        let seal = serde_json::to_string(&seal).unwrap_or_default();
        let body = entry.text.as_ref().map(|text| format!("{text}\n")).unwrap_or_default();
        format!("{body}{OPEN}{seal}{CLOSE}").into_bytes()
    }

    /// Reads what a remote keeps. Bytes that we would write in any other way are refused.
    ///
    /// # Errors
    /// They are not an entry.
    pub fn parse(bytes: &[u8]) -> Result<Self, EntryRefused> {
        if bytes.len() > MAX_ENTRY_BYTES {
            return Err(EntryRefused::TooLarge);
        }
        let malformed = EntryRefused::Malformed;
        let text = std::str::from_utf8(bytes).map_err(|_| malformed)?;
        let lines = text.strip_suffix('\n').ok_or(malformed)?;
        let (body, last) = match lines.rsplit_once('\n') {
            Some((body, last)) => (Some(body), last),
            None => (None, lines),
        };
        let seal =
            last.strip_prefix(OPEN).and_then(|rest| rest.strip_suffix(CLOSE.trim_end())).ok_or(malformed)?;
        let seal: Seal = serde_json::from_str(seal).map_err(|_| malformed)?;
        if !matches!(seal.v, 1 | 2)
            || seal.deleted != body.is_none()
            || body.is_some_and(|body| canonical(body) != body)
        {
            return Err(malformed);
        }
        let entry = Entry {
            memory: seal.memory,
            team: seal.team,
            path: seal.path,
            version: seal.version,
            round: seal.round,
            parent: seal.parent,
            renamed_from: seal.renamed_from,
            time: seal.time,
            author: seal.author,
            text: body.map(str::to_owned),
        };
        let signed = Self { entry, signature: seal.signature };
        if signed.render() == bytes { Ok(signed) } else { Err(malformed) }
    }

    /// The entry, if it is one of this team at this path and its author signed exactly this. Whether the author is a
    /// member is another question.
    ///
    /// # Errors
    /// What does not fit.
    pub fn verify(self, team: &TeamId, path: &str) -> Result<Entry, EntryRefused> {
        if self.entry.team != *team {
            return Err(EntryRefused::OtherTeam);
        }
        if self.entry.path != path {
            return Err(EntryRefused::OtherPath);
        }
        if !self.entry.author.verifies(&self.entry.statement(), &self.signature) {
            return Err(EntryRefused::BadSignature);
        }
        Ok(self.entry)
    }
}
