//! What was changed, by whom and why: the record of one applied plan.

use camino::Utf8PathBuf;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::content_hash::ContentHash;
use crate::rel_path::RelPath;

/// One applied plan, as history keeps it. The serialised form is part of docs/FORMAT.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The version of this form.
    pub v: u32,
    /// Unique, sorts by time: see [`OperationId`].
    pub id: OperationId,
    /// When it was applied.
    pub time: Timestamp,
    /// Who wanted it.
    pub author: Author,
    /// Why, in one line.
    pub reason: String,
    /// The store whose files it changed.
    pub store: StoreId,
    /// Where that store lay at the time.
    pub memory_dir: Utf8PathBuf,
    /// What changed.
    pub changes: Vec<ChangeRecord>,
    /// The operation that this one undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo_of: Option<OperationId>,
    /// The staged plan that this one accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
}

/// What happened to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeRecord {
    /// Its name afterwards; for a deletion the one it had.
    pub path: RelPath,
    /// The version before; `None`: there was no file.
    pub before: Option<ContentHash>,
    /// The version after; `None`: there is no file any more.
    pub after: Option<ContentHash>,
    /// Its name before, if that was another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<RelPath>,
}

/// Who wanted a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    /// What kind of author.
    pub kind: AuthorKind,
    /// A name: of the agent, the team mate, the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The agent's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl Author {
    /// The person at the command line.
    #[must_use]
    pub fn person() -> Self {
        Self { kind: AuthorKind::Person, id: None, session: None }
    }
}

/// The kinds of authors that history tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthorKind {
    /// A person, through a command.
    Person,
    /// An agent, through a tool or a hook.
    Agent,
    /// Extraction from a transcript.
    Extract,
    /// Consolidation.
    Dream,
    /// A team mate, through sync.
    Team,
    /// A program or person that did not go through us; noticed afterwards.
    Foreign,
}

/// The id of an operation: milliseconds since 1970 and random bits, so that ids sort by time.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OperationId(pub String);

impl OperationId {
    /// Makes an id from the time and 40 random bits: 10 and 8 digits of base 32.
    #[must_use]
    pub fn new(time: Timestamp, random: u64) -> Self {
        let millis = u64::try_from(time.as_millisecond()).unwrap_or(0);
        Self(format!("{}{}", base32(millis, 10), base32(random & 0xff_ffff_ffff, 8)))
    }
}

impl std::fmt::Display for OperationId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The id of a memory directory. It is made once, kept in the registry, and survives moves.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StoreId(pub String);

impl StoreId {
    /// Makes an id from 80 random bits.
    #[must_use]
    pub fn new(random: u128) -> Self {
        let low = u64::try_from(random & 0xff_ffff_ffff).unwrap_or(0);
        let high = u64::try_from(random >> 40 & 0xff_ffff_ffff).unwrap_or(0);
        Self(format!("{}{}", base32(high, 8), base32(low, 8)))
    }

    /// Whether a text has the form of an id, so that it may name a file.
    #[must_use]
    pub fn is_valid(text: &str) -> bool {
        text.len() == 16 && text.bytes().all(|byte| DIGITS.contains(&byte))
    }
}

impl std::fmt::Display for StoreId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Base 32 without letters that look alike, in an order that sorts as the numbers do.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

fn base32(value: u64, width: u32) -> String {
    (0..width).rev().map(|place| char::from(DIGITS[(value >> (5 * place)) as usize & 31])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_and_name_files() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let early = OperationId::new(at(1_700_000_000), u64::MAX);
        let late = OperationId::new(at(1_700_000_001), 0);
        assert!(early < late);
        insta::assert_snapshot!(early, @"01hf7yat00zzzzzzzz");
        insta::assert_snapshot!(StoreId::new(1), @"0000000000000001");
        assert!(StoreId::is_valid(&StoreId::new(u128::MAX).0));
        assert!(!StoreId::is_valid("../../etc/passwd"));
    }
}
