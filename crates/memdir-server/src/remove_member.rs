//! A member goes: their access, and as much of what they wrote as is asked for.

use memdir_wire::roster::Standing;
use memdir_wire::signing::PublicKey;

use crate::rosters::Rosters;
use crate::storage::StorageError;
use crate::store::{Event, Leaving, Store, ended_with};

/// What went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removed {
    /// How many tokens ended.
    pub tokens: usize,
    /// How many memories whose newest text was theirs are gone.
    pub memories: usize,
}

/// How often it is tried again because a member published meanwhile.
const TRIES: u32 = 50;

/// Removes a member of a team; `None` if no member there has that key.
///
/// # Errors
/// The database fails.
pub async fn remove_member(
    store: &Store,
    rosters: &Rosters,
    member: &PublicKey,
    with_data: bool,
    event: &Event<'_>,
) -> Result<Option<Removed>, StorageError> {
    for _ in 0..TRIES {
        let Some(team) = store.team(event.team).await? else { return Ok(None) };
        let Some(id) = &team.wire_team else { return Ok(None) };
        let roster = rosters.of(store, &team.name, id).await?;
        let name = match roster.standing(member) {
            Standing::Member(name) | Standing::Revoked(name) => name,
            Standing::Unknown => "",
        };
        let stays = |key: &PublicKey| key != member && matches!(roster.standing(key), Standing::Member(_));
        let all = store.tokens(&team.name).await?;
        let tokens = ended_with(&all, &[*member], stays);
        // A newcomer who never published has tokens all the same.
        if name.is_empty() && !all.iter().any(|token| token.member.as_ref() == Some(member)) {
            return Ok(None);
        }
        let leaving =
            Leaving { team: &team, member, name, tokens: &tokens, known_tokens: all.len(), with_data };
        if let Some(memories) = store.remove_member(&leaving, event).await? {
            // What is erased is not to be in a log beside the database either.
            store.storage().finish().await?;
            return Ok(Some(Removed { tokens: tokens.len(), memories }));
        }
    }
    Err(StorageError::Unavailable("others publish or come in all the time".to_owned()))
}

/// What the audit log calls it.
#[must_use]
pub fn removal(with_data: bool) -> &'static str {
    if with_data { "member and data removed" } else { "member removed" }
}
