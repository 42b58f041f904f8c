//! Lines about the past: files that are gone, versions, events. They are kept for the process that was away, and not for ever.

use super::Store;
use crate::storage::{Step, StorageError};

/// So many versions of a team are kept, with those younger than what is told of files that went, and so many events: beyond
/// what people do in years, and less than a disk.
const MOST_VERSIONS: u64 = 100_000;
const MOST_EVENTS: u64 = 100_000;

impl Store {
    /// Forgets the lines of files that went before a time, versions of before it but the newest, and events but the newest.
    /// A member that did not sync since asks for everything.
    ///
    /// # Errors
    /// The database fails.
    pub async fn forget_gone(&self, before: i64) -> Result<(), StorageError> {
        const OF: &str = "SELECT DISTINCT team FROM files WHERE content IS NULL";
        const BEYOND: &str = "SELECT name FROM teams WHERE sequence > $1 \
                              UNION SELECT team FROM audit GROUP BY team HAVING count(*) > $2";
        for row in self.rows(BEYOND, vec![MOST_VERSIONS.into(), MOST_EVENTS.into()]).await? {
            self.forget_beyond(&row.text(0)?, MOST_VERSIONS, MOST_EVENTS, before).await?;
        }
        for row in self.rows(OF, vec![]).await? {
            self.forget_gone_of(&row.text(0)?, before).await?;
        }
        Ok(())
    }

    async fn forget_gone_of(&self, team: &str, before: i64) -> Result<(), StorageError> {
        // A member that saw less than the oldest version that is kept asks for everything anyway.
        const LAST: &str = "SELECT sequence FROM versions WHERE team = $1 AND (time < $2 \
                            OR sequence = (SELECT min(sequence) FROM versions WHERE team = $1)) \
                            ORDER BY sequence DESC LIMIT 1";
        const NOTE: &str = "UPDATE teams SET forgotten = coalesce((SELECT max(sequence) FROM files \
                            WHERE team = $1 AND content IS NULL AND sequence <= $2), forgotten) WHERE name = $1";
        const GO: &str = "DELETE FROM files WHERE team = $1 AND content IS NULL AND sequence <= $2";
        const COUNT: &str =
            "UPDATE teams SET files = (SELECT count(*) FROM files WHERE team = $1) WHERE name = $1";
        let rows = self.rows(LAST, vec![team.into(), before.into()]).await?;
        let Some(last) = rows.first() else { return Ok(()) };
        let until = || vec![team.into(), last.0.first().cloned().into()];
        let steps =
            vec![Step::once(NOTE, until()), Step::once(GO, until()), Step::once(COUNT, vec![team.into()])];
        self.write(steps).await.map(drop)
    }

    /// Forgets versions of a team from before a time but so many of the newest, and events but so many of the newest.
    /// Younger versions stay: a machine that saw one would take the server for one that went back.
    ///
    /// # Errors
    /// The database fails.
    pub async fn forget_beyond(
        &self,
        team: &str,
        versions: u64,
        events: u64,
        before: i64,
    ) -> Result<(), StorageError> {
        const VERSIONS: &str = "DELETE FROM versions WHERE team = $1 \
                                AND sequence <= (SELECT sequence FROM teams WHERE name = $1) - $2 AND time < $3";
        const EVENTS: &str = "DELETE FROM audit WHERE team = $1 AND time < (SELECT time FROM audit WHERE team = $1 \
                              ORDER BY time DESC LIMIT 1 OFFSET $2)";
        let newest_but = events.saturating_sub(1);
        let steps = vec![
            Step::once(VERSIONS, vec![team.into(), versions.into(), before.into()]),
            Step::once(EVENTS, vec![team.into(), newest_but.into()]),
        ];
        self.write(steps).await.map(drop)
    }
}
