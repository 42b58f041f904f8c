//! What is kept about one member, and how it goes.

use memdir_wire::signing::PublicKey;

use super::{Event, Store, recorded};
use crate::storage::{Step, StorageError, Value};

impl Store {
    /// Ends every token of a member, and forgets what they wrote that others have replaced since. Their name goes from
    /// the list of versions. What they wrote last stays: it is the team's.
    ///
    /// # Errors
    /// The database fails.
    pub async fn remove_member(
        &self,
        team: &str,
        member: &PublicKey,
        name: Option<&str>,
        event: &Event<'_>,
    ) -> Result<(), StorageError> {
        let key = || Value::from(member.to_string());
        let mut steps = vec![
            Step::once(
                "UPDATE tokens SET revoked = coalesce(revoked, $1), label = '' WHERE team = $2 AND member = $3",
                vec![event.time.into(), team.into(), key()],
            ),
            Step::once(
                "DELETE FROM contents WHERE team = $1 AND author = $2 AND replaced IS NOT NULL",
                vec![team.into(), key()],
            ),
            recorded(event),
        ];
        if let Some(name) = name {
            steps.push(Step::once(
                "UPDATE versions SET author = '', subject = '' WHERE team = $1 AND author = $2",
                vec![team.into(), name.into()],
            ));
        }
        self.write(steps).await.map(drop)
    }

    /// Forgets contents that were replaced before a time: whoever did not sync since merges without them.
    ///
    /// # Errors
    /// The database fails.
    pub async fn prune(&self, team: &str, before: i64) -> Result<(), StorageError> {
        let old = Step::once(
            "DELETE FROM contents WHERE team = $1 AND replaced < $2",
            vec![team.into(), before.into()],
        );
        self.write(vec![old]).await.map(drop)
    }
}
