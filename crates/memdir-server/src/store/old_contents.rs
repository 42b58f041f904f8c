//! Contents that no file has any more: kept for the process that merges from them, and not for ever.

use super::Store;
use crate::storage::{Row, Step, StorageError};

/// The step that counts the bytes of a team's old contents anew.
pub(super) fn counted(team: &str) -> Step {
    Step::once(
        "UPDATE teams SET old_bytes = (SELECT CAST(coalesce(sum(length(content)), 0) AS BIGINT) FROM contents \
         WHERE team = $1 AND replaced IS NOT NULL) WHERE name = $1",
        vec![team.into()],
    )
}

impl Store {
    /// Forgets contents that were replaced before a time: a member that did not sync since merges without them.
    ///
    /// # Errors
    /// The database fails.
    pub async fn prune(&self, team: &str, before: i64) -> Result<(), StorageError> {
        let old = Step::once(
            "DELETE FROM contents WHERE team = $1 AND replaced < $2",
            vec![team.into(), before.into()],
        );
        self.write(vec![old, counted(team)]).await.map(drop)
    }

    /// The teams whose old contents have more bytes than this.
    ///
    /// # Errors
    /// The database fails.
    pub async fn teams_with_old_bytes(&self, most: u64) -> Result<Vec<String>, StorageError> {
        let rows = self.rows("SELECT name FROM teams WHERE old_bytes > $1", vec![most.into()]).await?;
        rows.iter().map(|row| row.text(0)).collect()
    }

    /// Forgets what was replaced longest ago, until what is left has at most so many bytes.
    ///
    /// # Errors
    /// The database fails.
    pub async fn forget_oldest(&self, team: &str, most: u64) -> Result<(), StorageError> {
        const SQL: &str = "SELECT replaced, CAST(sum(length(content)) AS BIGINT) FROM contents \
                           WHERE team = $1 AND replaced IS NOT NULL GROUP BY replaced ORDER BY replaced DESC";
        let rows = self.rows(SQL, vec![team.into()]).await?;
        match first_beyond(&rows, most)? {
            Some(second) => self.prune(team, second.saturating_add(1)).await,
            None => self.write(vec![counted(team)]).await.map(drop),
        }
    }
}

/// The newest second from which on backwards there is no room.
fn first_beyond(rows: &[Row], most: u64) -> Result<Option<i64>, StorageError> {
    let mut bytes = 0u64;
    for row in rows {
        bytes = bytes.saturating_add(row.count(1)?);
        if bytes > most {
            return row.number(0).map(Some);
        }
    }
    Ok(None)
}
