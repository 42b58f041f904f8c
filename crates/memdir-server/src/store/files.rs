//! Files and contents.

use std::collections::HashMap;

use memdir_core::content_hash::ContentHash;
use memdir_wire::server_api::Cursor;

use super::{Store, Team, hash_in};
use crate::storage::{Row, StorageError, Value};

/// A file as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    /// Its name.
    pub path: String,
    /// Its content; `None`: it is gone.
    pub content: Option<ContentHash>,
    /// How many bytes that has.
    pub size: u64,
    /// The number of the version that put it there.
    pub sequence: u64,
    /// The version of the entry; 0 for a record.
    pub entry_version: u64,
    /// What a deletion is, and when it was sent.
    pub removable: Removable,
    /// Who put it there, by key; `None` if that was never known.
    pub put_by: Option<String>,
}

/// A page of so many rows is read before a thread has woken up.
const SHORT_PAGE: usize = 64;

/// From so many names on it may be less to read all that there is.
const MANY: usize = 64;

/// What is, or was, under some names.
#[derive(Debug, Default)]
pub struct NamedFiles {
    /// Files by their names, also those that are gone.
    pub files: HashMap<String, FileRow>,
    /// Names by what is left of them without capitals.
    pub folded: HashMap<String, String>,
}

/// Whether a file may be taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removable {
    /// It says something.
    No,
    /// It says that something is gone, since this round.
    DeletionOf(u64),
}

impl Store {
    /// The files that were put or taken away after a cursor, in that order.
    ///
    /// # Errors
    /// The database fails.
    pub async fn files_after(
        &self,
        team: &str,
        cursor: &Cursor,
        count: usize,
    ) -> Result<Vec<FileRow>, StorageError> {
        const SQL: &str = "SELECT path, content, size, sequence, entry_version, entry_round, is_deletion, put_by FROM files \
                           WHERE team = $1 AND (sequence, path) > ($2, $3) ORDER BY sequence, path LIMIT $4";
        let values: Vec<Value> =
            vec![team.into(), cursor.sequence.into(), cursor.path.as_str().into(), count.into()];
        self.page(SQL, values, count).await?.iter().map(file_in).collect()
    }

    /// The contents of the files after a cursor, by their hashes, up to so many: all in one question, where asking for
    /// each would be thousands.
    ///
    /// # Errors
    /// The database fails.
    pub async fn contents_after(
        &self,
        team: &str,
        cursor: &Cursor,
        count: usize,
    ) -> Result<HashMap<ContentHash, String>, StorageError> {
        // Each content by its key: a join is at times planned by what a team held before it grew, and is quadratic then.
        const SQL: &str = "SELECT file.content, \
                           (SELECT kept.content FROM contents kept WHERE kept.team = file.team AND kept.id = file.content) \
                           FROM files file WHERE file.team = $1 AND (file.sequence, file.path) > ($2, $3) \
                           AND file.content IS NOT NULL ORDER BY file.sequence, file.path LIMIT $4";
        let values: Vec<Value> =
            vec![team.into(), cursor.sequence.into(), cursor.path.as_str().into(), count.into()];
        let rows = self.page(SQL, values, count).await?;
        let mut contents = HashMap::with_capacity(rows.len());
        for row in &rows {
            if let Some(id) = hash_in(row, 0)?.filter(|_| row.0.get(1) != Some(&Value::Null)) {
                contents.insert(id, String::from_utf8(row.bytes(1)?).map_err(|_| no_text())?);
            }
        }
        Ok(contents)
    }

    /// At most so many rows of a list; a short one is found like a single row.
    async fn page(
        &self,
        sql: &'static str,
        values: Vec<Value>,
        count: usize,
    ) -> Result<Vec<Row>, StorageError> {
        if count > SHORT_PAGE {
            return self.rows(sql, values).await;
        }
        Ok(self.storage.look_up(sql, vec![values]).await?.pop().unwrap_or_default())
    }

    /// What there ever was under some names, and what some file system would take for them.
    ///
    /// # Errors
    /// The database fails.
    pub async fn named(
        &self,
        team: &Team,
        paths: &[&str],
        folded: &[String],
    ) -> Result<NamedFiles, StorageError> {
        const ALL: &str = "SELECT path, content, size, sequence, entry_version, entry_round, is_deletion, put_by, folded \
                           FROM files WHERE team = $1";
        const BY_PATH: &str = "SELECT path, content, size, sequence, entry_version, entry_round, is_deletion, put_by \
                               FROM files WHERE team = $1 AND path = $2";
        const BY_FOLDED: &str = "SELECT folded, path FROM files WHERE team = $1 AND folded = $2";
        let mut named = NamedFiles::default();
        // A first sync brings more than is there.
        if paths.len() > MANY && team.files < paths.len() as u64 {
            for row in self.rows(ALL, vec![team.name.as_str().into()]).await? {
                let file = file_in(&row)?;
                if let Some(folded) = row.optional_text(8)? {
                    named.folded.insert(folded, file.path.clone());
                }
                named.files.insert(file.path.clone(), file);
            }
            return Ok(named);
        }
        let runs = |names: &mut dyn Iterator<Item = &str>| -> Vec<Vec<Value>> {
            names.map(|name| vec![team.name.as_str().into(), name.into()]).collect()
        };
        let (files, alike) = tokio::try_join!(
            self.storage.look_up(BY_PATH, runs(&mut paths.iter().copied())),
            self.storage.look_up(BY_FOLDED, runs(&mut folded.iter().map(String::as_str))),
        )?;
        for row in files.iter().flatten() {
            let file = file_in(row)?;
            named.files.insert(file.path.clone(), file);
        }
        for row in alike.iter().flatten() {
            named.folded.insert(row.text(0)?, row.text(1)?);
        }
        Ok(named)
    }

    /// How many files a member put into a team, and how many bytes those have.
    ///
    /// # Errors
    /// The database fails.
    pub async fn put_by(&self, team: &str, member: &str) -> Result<(u64, u64), StorageError> {
        const SQL: &str = "SELECT count(*), CAST(coalesce(sum(size), 0) AS BIGINT) FROM files \
                           WHERE team = $1 AND put_by = $2";
        let rows = self.rows(SQL, vec![team.into(), member.into()]).await?;
        rows.first().map_or(Ok((0, 0)), |row| Ok((row.count(0)?, row.count(1)?)))
    }

    /// The records of a team that are not entries: name and content, in the order of names.
    ///
    /// # Errors
    /// The database fails.
    pub async fn records(&self, team: &str) -> Result<Vec<(String, ContentHash)>, StorageError> {
        // From `members/` to before the character that follows the slash.
        const SQL: &str = "SELECT path, content FROM files WHERE team = $1 AND content IS NOT NULL \
                           AND path >= $2 AND path < $3 ORDER BY path";
        let run = |from: &str, to: &str| vec![team.into(), from.into(), to.into()];
        let runs = vec![
            run("members/", "members0"),
            run("revocations/", "revocations0"),
            run("round.json", "round.json0"),
        ];
        let rows = self.storage.look_up(SQL, runs).await?;
        let mut records = Vec::new();
        for row in rows.iter().flatten() {
            if let Some(content) = hash_in(row, 1)? {
                records.push((row.text(0)?, content));
            }
        }
        Ok(records)
    }

    /// How many bytes contents have, by their hashes, in the same order; 0 where one is not there.
    ///
    /// # Errors
    /// The database fails.
    pub async fn sizes(&self, team: &str, ids: &[ContentHash]) -> Result<Vec<usize>, StorageError> {
        const SQL: &str = "SELECT CAST(length(content) AS BIGINT) FROM contents WHERE team = $1 AND id = $2";
        let runs = ids.iter().map(|id| vec![team.into(), id.to_string().into()]).collect();
        let size = |rows: Vec<Row>| {
            let bytes = rows.first().map_or(Ok(0), |row| row.count(0))?;
            Ok(usize::try_from(bytes).unwrap_or(usize::MAX))
        };
        self.storage.look_up(SQL, runs).await?.into_iter().map(size).collect()
    }

    /// Contents by their hashes, in the same order; `None` where one is not there.
    ///
    /// # Errors
    /// The database fails.
    pub async fn contents(
        &self,
        team: &str,
        ids: &[ContentHash],
    ) -> Result<Vec<Option<String>>, StorageError> {
        const SQL: &str = "SELECT content FROM contents WHERE team = $1 AND id = $2";
        let runs = ids.iter().map(|id| vec![team.into(), id.to_string().into()]).collect();
        let text = |rows: Vec<Row>| {
            let bytes = rows.first().map(|row| row.bytes(0)).transpose()?;
            bytes.map(|bytes| String::from_utf8(bytes).map_err(|_| no_text())).transpose()
        };
        self.storage.look_up(SQL, runs).await?.into_iter().map(text).collect()
    }
}

fn no_text() -> StorageError {
    StorageError::Failed("a content that is not UTF-8 text".to_owned())
}

fn file_in(row: &Row) -> Result<FileRow, StorageError> {
    let removable = if row.number(6)? == 0 { Removable::No } else { Removable::DeletionOf(row.count(5)?) };
    Ok(FileRow {
        path: row.text(0)?,
        content: hash_in(row, 1)?,
        size: row.count(2)?,
        sequence: row.count(3)?,
        entry_version: row.count(4)?,
        removable,
        put_by: row.optional_text(7)?,
    })
}
