//! What the server remembers, and every question that it asks of its database.

use std::sync::Arc;

use memdir_core::content_hash::ContentHash;
use memdir_wire::signing::PublicKey;
use memdir_wire::team_id::TeamId;

use crate::storage::{Row, Step, Storage, StorageError, Value, Written};
use crate::token::Scope;

mod access;
mod files;
mod members;
mod old_contents;
mod old_lines;
mod versions;

pub use access::{Added, MostTokens, OPERATOR, Redeemed, TokenLine};
pub use files::{FileRow, NamedFiles, Removable};
pub use members::{Leaving, ended_with};
pub use versions::{NewVersion, Publication, Waits};

/// The memory of all teams.
#[derive(Clone)]
pub struct Store {
    storage: Arc<dyn Storage>,
}

/// A team as the server knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// Its name in addresses.
    pub name: String,
    /// The id that its entries are signed for; `None` before the first.
    pub wire_team: Option<TeamId>,
    /// The newest version.
    pub head: Option<ContentHash>,
    /// Its number.
    pub sequence: u64,
    /// How many files have a line, those included that went a short while ago.
    pub files: u64,
    /// How many bytes they have together.
    pub bytes: u64,
    /// How many bytes those contents have that no file has any more.
    pub old_bytes: u64,
    /// The number of the newest version of which it is forgotten that files went with it.
    pub forgotten: u64,
}

/// A token as it is kept: what it opens, never what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptToken {
    /// The half by which it is found.
    pub id: String,
    /// What it may do.
    pub scope: Scope,
    /// The hash of the half that is secret.
    pub hash: Vec<u8>,
    /// The key of the member whose it is, once that is known.
    pub member: Option<PublicKey>,
    /// When it ends.
    pub expires: i64,
    /// When it was ended before.
    pub revoked: Option<i64>,
}

impl KeptToken {
    /// Whether it opens anything.
    #[must_use]
    pub fn lasts(&self, now: i64) -> bool {
        self.revoked.is_none() && self.expires > now
    }
}

/// A token and its team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The token.
    pub token: KeptToken,
    /// The team.
    pub team: Team,
}

/// A token that is to be kept.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// The half by which it is found.
    pub id: String,
    /// What it may do.
    pub scope: Scope,
    /// The hash of the half that is secret.
    pub hash: Vec<u8>,
    /// What people call it.
    pub label: String,
    /// The key of the member whose it is.
    pub member: Option<PublicKey>,
    /// The token that asked for it, or `operator`.
    pub made_by: String,
    /// When it ends.
    pub expires: i64,
}

/// A change of a client's access.
#[derive(Debug, Clone)]
pub struct Event<'e> {
    /// The id of the record, so that nothing is recorded twice.
    pub id: String,
    /// When.
    pub time: i64,
    /// To which team's.
    pub team: &'e str,
    /// By whom: a token's id, or `operator`.
    pub actor: &'e str,
    /// What.
    pub event: &'e str,
    /// To what or whom.
    pub subject: &'e str,
}

impl Store {
    /// The memory that a database holds.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// What keeps it.
    #[must_use]
    pub fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// It does not.
    pub async fn check(&self) -> Result<(), StorageError> {
        self.rows("SELECT count(*) FROM migrations", vec![]).await.map(drop)
    }

    async fn rows(&self, sql: &'static str, values: Vec<Value>) -> Result<Vec<Row>, StorageError> {
        Ok(self.storage.read(sql, vec![values]).await?.pop().unwrap_or_default())
    }

    /// The row with a key.
    async fn row(&self, sql: &'static str, values: Vec<Value>) -> Result<Option<Row>, StorageError> {
        let rows = self.storage.look_up(sql, vec![values]).await?;
        Ok(rows.into_iter().flatten().next())
    }

    async fn write(&self, steps: Vec<Step>) -> Result<Written, StorageError> {
        self.storage.write(steps).await
    }
}

/// The step that records an event.
fn recorded(event: &Event<'_>) -> Step {
    Step::once(
        "INSERT INTO audit (id, time, team, actor, event, subject) VALUES ($1, $2, $3, $4, $5, $6)",
        vec![
            event.id.as_str().into(),
            event.time.into(),
            event.team.into(),
            event.actor.into(),
            event.event.into(),
            event.subject.into(),
        ],
    )
}

fn hash_in(row: &Row, column: usize) -> Result<Option<ContentHash>, StorageError> {
    let read = |text: String| {
        ContentHash::from_hex(&text).ok_or_else(|| StorageError::Failed("a hash that is none".to_owned()))
    };
    row.optional_text(column)?.map(read).transpose()
}

fn key_in(row: &Row, column: usize) -> Result<Option<PublicKey>, StorageError> {
    let read = |text: String| {
        PublicKey::from_hex(&text).ok_or_else(|| StorageError::Failed("a key that is none".to_owned()))
    };
    row.optional_text(column)?.map(read).transpose()
}
