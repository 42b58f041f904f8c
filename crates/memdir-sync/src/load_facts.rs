//! Loads what planning looks at: texts of files, agreed texts, and the remote's past.

use std::collections::BTreeSet;

use memdir_core::content_hash::ContentHash;
use memdir_wire::entry::{Entry, MAX_ENTRY_BYTES, SignedEntry};
use memdir_wire::roster::Standing;

use crate::classify::Theirs;
use crate::engine::SyncError;
use crate::layout::ENTRIES;
use crate::local::Local;
use crate::plan::Sides;
use crate::plan::facts::{Need, PlanFacts};
use crate::remote::{Remote, RemoteError};
use crate::state::Agreed;

/// More files than this are not looked for in the past: what is here is merged with what is there.
const MAX_LOOKED_UP: usize = 1_000;

/// How many entries are read at once.
const BATCH: usize = 1_000;

impl PlanFacts {
    /// The facts about the remote's past, which follow from the sides alone.
    pub(crate) fn of_past(sides: &Sides<'_>, remote: &mut dyn Remote) -> Result<Self, RemoteError> {
        Ok(Self {
            old_versions: sides.old_versions(remote)?,
            replayed: if sides.rewritten { sides.replayed(remote)? } else { BTreeSet::new() },
            left_behind: sides.left_behind(remote)?,
            ..Self::default()
        })
    }

    /// Adds what planning found missing.
    pub(crate) fn load(
        &mut self,
        needs: BTreeSet<Need>,
        sides: &Sides<'_>,
        local: &mut dyn Local,
        remote: &mut dyn Remote,
    ) -> Result<(), SyncError> {
        let mut agreed_at = Vec::new();
        for need in needs {
            match need {
                Need::TextHere(key) => {
                    let text = sides.text_here(&key, local)?;
                    self.texts.insert(key, text);
                }
                Need::AgreedText(key) => agreed_at.push(key),
                Need::UnsharedNamesake(key) => {
                    let is_there = local.took_back(&key);
                    self.unshared_namesakes.insert(key, is_there);
                }
            }
        }
        for keys in agreed_at.chunks(BATCH) {
            let agreed = keys.iter().filter_map(|key| Some((key, sides.state.agreed.get(key)?)));
            let agreed: Vec<(&String, &Agreed)> = agreed.collect();
            let ids: Vec<&str> = agreed.iter().map(|(_, agreed)| agreed.id.as_str()).collect();
            let contents = remote.read(&ids, MAX_ENTRY_BYTES)?;
            for ((key, agreed), content) in agreed.into_iter().zip(contents) {
                self.agreed_texts.insert(key.clone(), text_agreed(agreed, content));
            }
        }
        Ok(())
    }
}

impl Sides<'_> {
    /// The text of a file. One that changed since the scan waits for the next try.
    fn text_here(&self, key: &str, local: &mut dyn Local) -> Result<String, SyncError> {
        let text = local.text(key).map_err(SyncError::Local)?;
        let is_scanned = |text: &String| self.scan.files.get(key) == Some(&ContentHash::of(text.as_bytes()));
        text.filter(is_scanned).ok_or_else(|| SyncError::ChangedMeanwhile(key.to_owned()))
    }

    /// Files that are here as members sent them once, though nothing is remembered of it: after leaving and joining again,
    /// or after the state was lost. What became of them since counts, deletions too.
    fn old_versions(&self, remote: &mut dyn Remote) -> Result<BTreeSet<String>, RemoteError> {
        let is_forgotten = |(key, here): &(&String, &ContentHash)| {
            let is_other = |entry: &Entry| entry.content() != Some(**here) && entry.parent != Some(**here);
            !self.state.agreed.contains_key(*key)
                && !self.state.declined.contains_key(*key)
                && self.inbox.entry(key).is_some_and(|(entry, _)| is_other(entry))
        };
        let keys: Vec<&String> =
            self.scan.files.iter().filter(is_forgotten).map(|(key, _)| key).take(MAX_LOOKED_UP).collect();
        let Some(version) = self.inbox.read_at.as_ref().filter(|_| !keys.is_empty()) else {
            return Ok(BTreeSet::new());
        };
        let paths: Vec<String> = keys.iter().map(|key| format!("{ENTRIES}{key}")).collect();
        let pasts = remote.pasts_of(version, &paths)?;
        let mut old = BTreeSet::new();
        for (key, ids) in keys.into_iter().zip(pasts) {
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            let is_here = |entry: &Entry| {
                entry.content() == self.scan.files.get(key).copied()
                    && !matches!(self.roster.standing(&entry.author), Standing::Unknown)
            };
            if self.verified(key, &ids, remote)?.iter().any(is_here) {
                old.insert(key.clone());
            }
        }
        Ok(old)
    }

    /// Keys whose entry the remote held before its history was rewritten. What waited then was never agreed.
    fn replayed(&self, remote: &mut dyn Remote) -> Result<BTreeSet<String>, RemoteError> {
        let mut replayed = BTreeSet::new();
        let Some(head) = &self.state.head else { return Ok(replayed) };
        for (key, _) in self.inbox.entries() {
            let Some((_, id)) = self.inbox.entry(key) else { continue };
            let waits =
                self.state.waiting.get(key).is_some_and(|waiting| waiting.iter().any(|known| known == id));
            if !waits && remote.ever_held(head, &format!("{ENTRIES}{key}"), id)? {
                replayed.insert(key.clone());
            }
        }
        Ok(replayed)
    }

    /// What was agreed before, by authors whose membership ended since.
    fn left_behind(&self, remote: &mut dyn Remote) -> Result<Vec<(String, Entry)>, RemoteError> {
        let mut ended = self.roster.revocations().map(|record| record.key);
        if ended.all(|key| self.state.roster.revocation_of(&key).is_some()) {
            return Ok(Vec::new());
        }
        let unchanged =
            self.state.agreed.iter().filter(|(key, _)| self.inbox.theirs(key) == Theirs::Unchanged);
        let kept: Vec<(&String, &str)> = unchanged.map(|(key, agreed)| (key, agreed.id.as_str())).collect();
        let mut found = Vec::new();
        for batch in kept.chunks(BATCH) {
            let ids: Vec<&str> = batch.iter().map(|(_, id)| *id).collect();
            for ((key, _), content) in batch.iter().zip(remote.read(&ids, MAX_ENTRY_BYTES)?) {
                // It was checked when it was agreed.
                let entry = content.and_then(|content| SignedEntry::parse(&content).ok());
                let is_gone =
                    |entry: &SignedEntry| self.roster.revocation_of(&entry.unverified().author).is_some();
                found.extend(entry.filter(is_gone).map(|entry| ((*key).clone(), entry.unverified().clone())));
            }
        }
        Ok(found)
    }

    /// The entries with these ids that are signed for this team and key.
    fn verified(&self, key: &str, ids: &[&str], remote: &mut dyn Remote) -> Result<Vec<Entry>, RemoteError> {
        let contents = remote.read(ids, MAX_ENTRY_BYTES)?.into_iter().flatten();
        let verify = |content: Vec<u8>| SignedEntry::parse(&content)?.verify(self.roster.team(), key);
        Ok(contents.filter_map(|content| verify(content).ok()).collect())
    }
}

/// The text of an entry, if it is the one that was agreed.
fn text_agreed(agreed: &Agreed, content: Option<Vec<u8>>) -> Option<String> {
    let entry = SignedEntry::parse(&content?).ok()?;
    let text = entry.unverified().text.clone()?;
    (Some(ContentHash::of(text.as_bytes())) == agreed.content).then_some(text)
}
