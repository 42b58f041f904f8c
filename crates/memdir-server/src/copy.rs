//! Everything of one database, put into another: a backup, its return, a move between engines.

use memdir_core::content_hash::ContentHash;
use tokio::sync::mpsc::channel;

use crate::storage::{Row, Step, Storage, StorageError};

/// What is copied, in this order. Teams come last, and all at once: without them no member can use half a copy, and the
/// next one takes its place.
const TABLES: [(&str, &str, &str); 6] = [
    (
        "SELECT team, id, author, content, replaced FROM contents",
        "INSERT INTO contents (team, id, author, content, replaced) VALUES ($1, $2, $3, $4, $5)",
        "SELECT count(*) FROM contents",
    ),
    (
        "SELECT team, path, folded, content, size, sequence, entry_version, entry_round, is_deletion, put_by \
         FROM files",
        "INSERT INTO files (team, path, folded, content, size, sequence, entry_version, entry_round, is_deletion, put_by) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        "SELECT count(*) FROM files",
    ),
    (
        "SELECT team, sequence, version, author, subject, time, member FROM versions",
        "INSERT INTO versions (team, sequence, version, author, subject, time, member) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        "SELECT count(*) FROM versions",
    ),
    (
        "SELECT id, time, team, actor, event, subject FROM audit",
        "INSERT INTO audit (id, time, team, actor, event, subject) VALUES ($1, $2, $3, $4, $5, $6)",
        "SELECT count(*) FROM audit",
    ),
    (
        "SELECT id, team, scope, hash, label, member, created, expires, revoked, used_for, made_by FROM tokens",
        "INSERT INTO tokens (id, team, scope, hash, label, member, created, expires, revoked, used_for, made_by) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        "SELECT count(*) FROM tokens",
    ),
    (
        "SELECT name, wire_team, head, sequence, files, bytes, created, old_bytes, forgotten FROM teams",
        "INSERT INTO teams (name, wire_team, head, sequence, files, bytes, created, old_bytes, forgotten) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        "SELECT count(*) FROM teams",
    ),
];

/// What takes all of it back.
const EMPTY: [&str; 6] = [
    "DELETE FROM teams",
    "DELETE FROM tokens",
    "DELETE FROM audit",
    "DELETE FROM versions",
    "DELETE FROM files",
    "DELETE FROM contents",
];

const CONTENTS: usize = 0;
const TEAMS: usize = TABLES.len() - 1;

/// Why nothing was copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// Two databases do not become one.
    #[error("it holds teams already; give an empty one")]
    NotEmpty,
    /// Restoring it would spread the damage.
    #[error("a text of the team `{team}` is damaged there: it is not the one that is known as {id}")]
    Damaged {
        /// Whose.
        team: String,
        /// The hash that it should have.
        id: String,
    },
    /// One of the two fails.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Copies everything, as it is at one moment, into a database without teams, which it still is if this fails. Gives back
/// how many rows that were.
///
/// # Errors
/// See [`CopyError`].
pub async fn copy(from: &dyn Storage, to: &dyn Storage) -> Result<u64, CopyError> {
    if rows_in(to, TABLES[TEAMS].2).await? > 0 {
        return Err(CopyError::NotEmpty);
    }
    // A copy that was cut off may have left something.
    empty(to).await?;
    let copied = fill(from, to).await;
    if copied.is_err() {
        // Why it failed says more than why it cannot be undone.
        drop(empty(to).await);
    }
    copied
}

async fn empty(storage: &dyn Storage) -> Result<(), StorageError> {
    storage.write(EMPTY.map(|sql| Step::once(sql, vec![])).to_vec()).await.map(drop)
}

async fn fill(from: &dyn Storage, to: &dyn Storage) -> Result<u64, CopyError> {
    let (out, mut coming) = channel(4);
    let reading = from.dump(TABLES.iter().map(|(select, _, _)| *select).collect(), out);
    // The reader ends when the writer is gone.
    let writing = async move {
        let (mut copied, mut teams) = (0, Vec::new());
        while let Some((number, rows)) = coming.recv().await {
            let Some((_, insert, _)) = TABLES.get(number) else { continue };
            copied += rows.len() as u64;
            if number == CONTENTS {
                rows.iter().try_for_each(check_content)?;
            }
            let runs = rows.into_iter().map(|Row(values)| values);
            if number == TEAMS {
                teams.extend(runs);
            } else {
                to.write(vec![Step::many(insert, runs.collect())]).await?;
            }
        }
        Ok::<_, CopyError>((copied, teams))
    };
    let (read, written) = tokio::join!(reading, writing);
    let (copied, teams): (u64, _) = written?;
    read?;
    to.write(vec![Step::many(TABLES[TEAMS].1, teams)]).await?;
    let mut there = 0;
    for (_, _, count) in TABLES {
        there += rows_in(to, count).await?;
    }
    if there == copied {
        Ok(copied)
    } else {
        Err(StorageError::Failed(format!("{copied} rows were sent, and {there} arrived")).into())
    }
}

/// Whether a text is the one that its hash says.
fn check_content(row: &Row) -> Result<(), CopyError> {
    let (team, id, content) = (row.text(0)?, row.text(1)?, row.bytes(3)?);
    if ContentHash::of(&content).to_string() == id { Ok(()) } else { Err(CopyError::Damaged { team, id }) }
}

async fn rows_in(storage: &dyn Storage, count: &'static str) -> Result<u64, StorageError> {
    let answers = storage.read(count, vec![vec![]]).await?;
    answers.first().and_then(|rows| rows.first()).map_or(Ok(0), |row| row.count(0))
}
