//! What the remote's past says about files that nobody here remembers agreeing on.

use std::collections::BTreeSet;

use memdir_core::content_hash::ContentHash;
use memdir_wire::entry::{MAX_ENTRY_BYTES, SignedEntry};
use memdir_wire::roster::Standing;

use super::Planner;
use crate::engine::SyncError;
use crate::layout::ENTRIES;

/// More files than this are not looked for in the past: what is here is merged with what is there.
const MAX_LOOKED_UP: usize = 1_000;

impl Planner<'_> {
    /// Files that stand here as members sent them once, where nothing is remembered of it: whoever comes back to a team, or
    /// lost what was agreed, did not change them. What became of them since counts, deletions too.
    pub(super) fn untouched_old_versions(&mut self) -> Result<BTreeSet<String>, SyncError> {
        let is_forgotten = |(key, here): &(&String, &ContentHash)| {
            !self.state.agreed.contains_key(*key)
                && !self.state.declined.contains_key(*key)
                && self
                    .inbox
                    .entry(key)
                    .is_some_and(|(entry, _)| entry.content() != Some(**here) && entry.parent != Some(**here))
        };
        let keys: Vec<&String> =
            self.scan.files.iter().filter(is_forgotten).map(|(key, _)| key).take(MAX_LOOKED_UP).collect();
        let Some(version) = self.inbox.read_at.clone().filter(|_| !keys.is_empty()) else {
            return Ok(BTreeSet::new());
        };
        let paths: Vec<String> = keys.iter().map(|key| format!("{ENTRIES}{key}")).collect();
        let pasts = self.remote.pasts_of(&version, &paths)?;
        let mut untouched = BTreeSet::new();
        for (key, ids) in keys.into_iter().zip(pasts) {
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            let contents = self.remote.read(&ids, MAX_ENTRY_BYTES)?;
            let is_here = |content: Vec<u8>| {
                let entry =
                    SignedEntry::parse(&content).and_then(|entry| entry.verify(self.roster.team(), key));
                entry.is_ok_and(|entry| {
                    entry.content() == self.scan.files.get(key).copied()
                        && !matches!(self.roster.standing(&entry.author), Standing::Unknown)
                })
            };
            if contents.into_iter().flatten().any(is_here) {
                untouched.insert(key.clone());
            }
        }
        Ok(untouched)
    }
}
