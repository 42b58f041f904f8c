//! Who is a member of which team, worked out once for each set of records.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use memdir_core::content_hash::ContentHash;
use memdir_wire::member::{Member, Revocation};
use memdir_wire::roster::Roster;
use memdir_wire::team_id::TeamId;

use crate::storage::StorageError;
use crate::store::Store;

/// Rosters, by team. Records never change, so the hash of all of them says which roster they make.
#[derive(Default)]
pub struct Rosters {
    known: Mutex<HashMap<String, (ContentHash, Arc<Roster>)>>,
}

/// So many teams are remembered.
const MOST: usize = 1_000;

impl Rosters {
    /// The members of a team as its records say.
    ///
    /// # Errors
    /// The database fails.
    pub async fn of(&self, store: &Store, team: &str, id: &TeamId) -> Result<Arc<Roster>, StorageError> {
        let mut records = store.records(team).await?;
        records.retain(|(path, _)| path != crate::check_put::ROUND);
        let print: String = records.iter().map(|(path, content)| format!("{path}:{content}\n")).collect();
        let print = ContentHash::of(format!("{id}\n{print}").as_bytes());
        if let Some((known, roster)) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(team)
            && *known == print
        {
            return Ok(Arc::clone(roster));
        }
        let ids: Vec<ContentHash> = records.iter().map(|(_, content)| *content).collect();
        let contents = store.contents(team, &ids).await?;
        let (mut members, mut revocations) = (Vec::new(), Vec::new());
        for content in contents.into_iter().flatten() {
            members.extend(Member::parse(content.as_bytes(), id));
            revocations.extend(Revocation::parse(content.as_bytes(), id));
        }
        // Each of them was checked when it came, against those that were there then.
        let roster = Arc::new(Roster::pinned(id.clone(), members, revocations));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(team.to_owned(), (print, Arc::clone(&roster)));
        Ok(roster)
    }
}
