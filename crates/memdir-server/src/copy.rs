//! Everything of one database, put into another: a backup, its return, a move between engines.

use tokio::sync::mpsc::channel;

use crate::storage::{Row, Step, Storage, StorageError};

/// What is copied, in this order. Teams come last: without them nobody gets in to half a copy.
const TABLES: [(&str, &str, &str); 6] = [
    (
        "SELECT team, id, author, content, replaced FROM contents",
        "INSERT INTO contents (team, id, author, content, replaced) VALUES ($1, $2, $3, $4, $5)",
        "SELECT count(*) FROM contents",
    ),
    (
        "SELECT team, path, folded, content, size, sequence, entry_version, entry_round, is_deletion FROM files",
        "INSERT INTO files (team, path, folded, content, size, sequence, entry_version, entry_round, is_deletion) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
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
        "SELECT name, wire_team, head, sequence, files, bytes, created, old_bytes FROM teams",
        "INSERT INTO teams (name, wire_team, head, sequence, files, bytes, created, old_bytes) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
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

/// Copies everything, as it is at one moment, into a database that holds nothing, and still does if it fails. Gives back
/// how many rows that were.
///
/// # Errors
/// The other one holds something, or one of them fails.
pub async fn copy(from: &dyn Storage, to: &dyn Storage) -> Result<u64, StorageError> {
    for (_, _, count) in TABLES {
        if rows_in(to, count).await? > 0 {
            return Err(StorageError::Failed("it holds something already; give an empty one".to_owned()));
        }
    }
    let copied = fill(from, to).await;
    if copied.is_err() {
        // Half a copy would be in the way of the next try. Why it failed says more than why it cannot be taken back.
        let emptied = EMPTY.map(|sql| Step::once(sql, vec![])).to_vec();
        drop(to.write(emptied).await);
    }
    copied
}

async fn fill(from: &dyn Storage, to: &dyn Storage) -> Result<u64, StorageError> {
    let (out, mut coming) = channel(4);
    let reading = from.dump(TABLES.iter().map(|(select, _, _)| *select).collect(), out);
    let writing = async {
        let mut copied = 0;
        while let Some((number, rows)) = coming.recv().await {
            let Some((_, insert, _)) = TABLES.get(number) else { continue };
            copied += rows.len() as u64;
            let runs = rows.into_iter().map(|Row(values)| values).collect();
            to.write(vec![Step::many(insert, runs)]).await?;
        }
        Ok(copied)
    };
    let (read, written) = tokio::join!(reading, writing);
    let copied: u64 = written?;
    read?;
    let mut there = 0;
    for (_, _, count) in TABLES {
        there += rows_in(to, count).await?;
    }
    if there == copied {
        Ok(copied)
    } else {
        Err(StorageError::Failed(format!("{copied} rows were sent, and {there} arrived")))
    }
}

async fn rows_in(storage: &dyn Storage, count: &'static str) -> Result<u64, StorageError> {
    let answers = storage.read(count, vec![vec![]]).await?;
    answers.first().and_then(|rows| rows.first()).map_or(Ok(0), |row| row.count(0))
}
