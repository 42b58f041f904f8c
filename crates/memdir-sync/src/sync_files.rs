//! What a sync keeps on disk beside the memory itself.

use std::collections::BTreeMap;

use memdir_core::content_hash::ContentHash;
use memdir_disk::sync_dir::SyncDir;
use memdir_wire::team_id::TeamId;
use serde::{Deserialize, Serialize};

use crate::file_times::SEEN;
use crate::local::SentFrom;
use crate::membership::Membership;
use crate::state::{Agreed, Pending, SyncState};
use crate::team_error::TeamError;
use crate::up_to_date::REST;

pub(crate) const STATE: &str = "state";
pub(crate) const PENDING: &str = "pending";
const PLACES: &str = "places";
const SENT_FROM: &str = "sent-from.json";
const ASKED: &str = "asked.json";

/// What a sync keeps on disk: what was agreed, and what is under way.
#[derive(Debug, Clone)]
pub(crate) struct SyncFiles {
    directory: SyncDir,
    team: TeamId,
}

impl SyncFiles {
    pub(crate) fn of(membership: &Membership) -> Self {
        Self { directory: membership.directory().clone(), team: membership.settings().team.clone() }
    }

    pub(crate) fn directory(&self) -> &SyncDir {
        &self.directory
    }

    pub(crate) fn load(&self) -> Result<(SyncState, Option<Pending>), TeamError> {
        let state = read_state(&self.directory, &self.team)?;
        let pending = self.directory.read(PENDING)?.and_then(|content| String::from_utf8(content).ok());
        Ok((state, pending.and_then(|text| Pending::parse(&text))))
    }

    pub(crate) fn begin(&self, pending: &Pending) -> Result<(), TeamError> {
        Ok(self.directory.replace(PENDING, pending.render().as_bytes())?)
    }

    /// The folders that took part when a sync last came to its end.
    pub(crate) fn places(&self) -> Result<Vec<KnownPlace>, TeamError> {
        let content = self.directory.read(PLACES)?.unwrap_or_default();
        let place = |line: &str| match line.split_once('\t') {
            Some((prefix, directory)) => {
                KnownPlace { prefix: prefix.into(), directory: Some(directory.into()) }
            }
            None => KnownPlace { prefix: line.into(), directory: None },
        };
        Ok(String::from_utf8_lossy(&content).lines().map(place).collect())
    }

    pub(crate) fn set_places(&self, places: &[KnownPlace]) -> Result<(), TeamError> {
        let line = |place: &KnownPlace| match &place.directory {
            Some(directory) => format!("{}\t{directory}\n", place.prefix),
            None => format!("{}\n", place.prefix),
        };
        Ok(self.directory.replace(PLACES, places.iter().map(line).collect::<String>().as_bytes())?)
    }

    /// What was sent from here while changes of others wait since then, by key. Without it nothing is lost: what waits is
    /// then harder to merge.
    pub(crate) fn sent_from(&self) -> BTreeMap<String, SentFrom> {
        let content = self.directory.read(SENT_FROM).ok().flatten();
        content.and_then(|content| serde_json::from_slice(&content).ok()).unwrap_or_default()
    }

    pub(crate) fn set_sent_from(&self, texts: &BTreeMap<String, SentFrom>) -> Result<(), TeamError> {
        if *texts == self.sent_from() {
            return Ok(());
        }
        Ok(self.directory.replace(SENT_FROM, &serde_json::to_vec(texts).unwrap_or_default())?)
    }

    /// What the user was last asked about, by key. Without it nothing is lost: they are asked again.
    pub(crate) fn asked(&self) -> BTreeMap<String, Asked> {
        let content = self.directory.read(ASKED).ok().flatten();
        content.and_then(|content| serde_json::from_slice(&content).ok()).unwrap_or_default()
    }

    pub(crate) fn set_asked(&self, asked: &BTreeMap<String, Asked>) -> Result<(), TeamError> {
        if *asked == self.asked() {
            return Ok(());
        }
        Ok(self.directory.replace(ASKED, &serde_json::to_vec(asked).unwrap_or_default())?)
    }

    pub(crate) fn forget(&self) -> Result<(), TeamError> {
        for name in [STATE, PENDING, PLACES, SENT_FROM, ASKED, SEEN, REST] {
            self.directory.remove(name)?;
        }
        Ok(())
    }

    pub(crate) fn give_up(&self) -> Result<(), TeamError> {
        Ok(self.directory.remove(PENDING)?)
    }

    pub(crate) fn finish(&self, state: &SyncState) -> Result<(), TeamError> {
        // Whether all is at rest was told from the state before, however alike the two look from outside.
        self.directory.remove(REST)?;
        self.directory.replace(STATE, state.render().as_bytes())?;
        self.give_up()
    }
}

/// One question to the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// The plan that waits for the answer.
    pub(crate) id: String,
    /// What that plan wanted before the user edited it.
    pub(crate) fingerprint: ContentHash,
    /// What the remote had there.
    pub(crate) entry: Agreed,
}

/// A folder of this machine that takes part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownPlace {
    /// What its keys begin with.
    pub(crate) prefix: String,
    /// What tells its directory from another that takes its place; `None` if there was none.
    pub(crate) directory: Option<String>,
}

/// What was agreed; nothing if nothing was.
pub(crate) fn read_state(directory: &SyncDir, team: &TeamId) -> Result<SyncState, TeamError> {
    let Some(content) = directory.read(STATE)? else { return Ok(SyncState::new(team.clone())) };
    let state = String::from_utf8(content).ok().and_then(|text| SyncState::parse(&text));
    let state = state.filter(|state| state.roster.team() == team);
    state.ok_or_else(|| TeamError::Damaged(directory.path().join(STATE)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use camino::Utf8Path;

    use super::*;

    #[test]
    fn nothing_is_at_rest_under_a_state_that_it_was_not_told_from() {
        let temp = tempfile::tempdir().unwrap();
        let directory = SyncDir::of(Utf8Path::from_path(temp.path()).unwrap(), "s");
        let _lock = directory.lock(Duration::ZERO).unwrap();
        let kept = SyncFiles { directory, team: TeamId::parse(&"1".repeat(40)).unwrap() };
        kept.directory.replace(REST, b"told from the state before").unwrap();
        kept.finish(&SyncState::new(kept.team.clone())).unwrap();
        assert_eq!(kept.directory.read(REST).unwrap(), None);
    }
}
