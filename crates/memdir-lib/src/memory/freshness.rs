use std::collections::{BTreeMap, HashMap};
use std::io;

use jiff::Timestamp;
use memdir_core::memory::links::LinkTargets;
use memdir_core::memory::topic::decode;
use memdir_core::rel_path::RelPath;
use memdir_core::verify::{Effort, Freshness, citations};
use memdir_disk::cache_dir::CacheDir;
use serde::{Deserialize, Serialize};

use super::{Catalogue, Entry, Memory, VerifiedMemory};

/// How fresh a memory is, as far as that is known without long looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownFreshness {
    /// The worst that became of what it cites.
    pub freshness: Freshness,
    /// When `verify` found that out; `None`: just now.
    pub verified: Option<Timestamp>,
}

/// So many memories are looked into by a list; where there are more, only what `verify` found is shown.
const MAX_LOOKED_INTO: usize = 200;

/// What `verify` found, by path. Derived: without it less is known.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Verdicts {
    v: u32,
    items: BTreeMap<String, Verdict>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Verdict {
    freshness: Freshness,
    verified: Timestamp,
    /// The memory as it was then: another content may cite other things.
    modified: Timestamp,
    bytes: u64,
}

impl Verdict {
    fn known(&self) -> KnownFreshness {
        KnownFreshness { freshness: self.freshness, verified: Some(self.verified) }
    }

    fn is_of(&self, entry: &Entry) -> bool {
        (self.modified, self.bytes) == (entry.modified, entry.bytes)
    }
}

impl Memory {
    /// How fresh memories are, for a list that should not wait: what can be looked up within a few
    /// milliseconds is, and for the rest the last answer of [`Memory::verify`] counts. Memories that cite nothing, and
    /// those of which nothing is known, are left out.
    #[must_use]
    pub fn known_freshness(
        &self,
        entries: &[Entry],
        catalogue: &Catalogue,
    ) -> HashMap<RelPath, KnownFreshness> {
        let verdicts = self.read_verdicts();
        let mut known = HashMap::new();
        for entry in entries {
            let verdict = verdicts.items.get(entry.path.as_str()).filter(|verdict| verdict.is_of(entry));
            known.extend(verdict.map(|verdict| (entry.path.clone(), verdict.known())));
        }
        if entries.len() > MAX_LOOKED_INTO {
            return known;
        }
        let names = catalogue.entries.iter().map(|entry| (entry.name.as_deref(), entry.path.as_str()));
        let targets = LinkTargets::new(names);
        let verifier = self.verifier(&targets).with_effort(Effort::QUICK);
        for entry in entries {
            let Ok(Some(content)) = self.read(&entry.path) else { continue };
            let cited = citations(&decode(&content).0);
            let found = verifier.verify(&cited);
            let decided = found.len() == cited.len();
            let worst = found.into_iter().map(|found| found.freshness).max();
            let earlier = known.get(&entry.path).filter(|_| !decided).map(|earlier| earlier.freshness);
            match worst {
                // What was left undecided now may have been the worst.
                Some(worst) if earlier.is_none_or(|earlier| worst >= earlier) => {
                    known.insert(entry.path.clone(), KnownFreshness { freshness: worst, verified: None });
                }
                None if decided => drop(known.remove(&entry.path)),
                _ => {}
            }
        }
        known
    }

    /// Remembers what [`Memory::verify`] found, for lists. That this fails only makes them know less.
    pub fn remember_freshness(&self, verified: &[VerifiedMemory], catalogue: &Catalogue, now: Timestamp) {
        let Some((folder, name)) = self.verdicts_file() else { return };
        let mut verdicts = self.read_verdicts();
        let entries: HashMap<&RelPath, &Entry> =
            catalogue.entries.iter().map(|entry| (&entry.path, entry)).collect();
        verdicts.v = 1;
        verdicts.items.retain(|path, _| entries.keys().any(|known| known.as_str() == path));
        for found in verified {
            let entry = entries.get(&found.path).filter(|_| !found.citations.is_empty());
            match entry {
                Some(entry) => {
                    let (modified, bytes) = (entry.modified, entry.bytes);
                    let verdict = Verdict { freshness: found.freshness(), verified: now, modified, bytes };
                    verdicts.items.insert(found.path.to_string(), verdict);
                }
                None => drop(verdicts.items.remove(found.path.as_str())),
            }
        }
        if let Ok(Some(writer)) = folder.try_write() {
            let _ = writer
                .write(&name, |output| serde_json::to_writer(output, &verdicts).map_err(io::Error::from));
        }
    }

    fn read_verdicts(&self) -> Verdicts {
        let read = || -> Option<Verdicts> {
            let (folder, name) = self.verdicts_file()?;
            let bytes = std::fs::read(folder.path().join(name)).ok()?;
            serde_json::from_slice::<Verdicts>(&bytes).ok().filter(|verdicts| verdicts.v == 1)
        };
        read().unwrap_or_default()
    }

    fn verdicts_file(&self) -> Option<(CacheDir, String)> {
        let folder = self.state_dir.as_ref()?.join("cache/verified");
        Some((CacheDir::new(folder), self.store.as_ref()?.to_string()))
    }
}
