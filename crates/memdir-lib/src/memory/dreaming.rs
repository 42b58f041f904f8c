use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use memdir_core::dream::{LeftAlone, Scene, SceneFile, check};
use memdir_core::env::Env;
use memdir_core::memory::index::OVERFLOW;
use memdir_core::memory::links::LinkTargets;
use memdir_core::memory::topic::decode;
use memdir_core::operation::AuthorKind;
use memdir_core::rel_path::RelPath;
use memdir_core::review::StagedPlan;
use memdir_core::verify::{Cited, Freshness, citations};
use memdir_disk::dream_state::DreamState;

use super::catalogue::timestamp;
use super::extraction::document_texts;
use super::{Memory, MemoryError, entrypoint};
use crate::dream::DreamRecord;
use crate::sources;

/// How much of a memory directory one dream reads; what is beyond is left alone, and said.
const MOST_BYTES: u64 = 64 << 20;
/// The largest file that is read for a dream.
const LARGEST: u64 = 4 << 20;

/// What the directory looked like when a dream read it: enough to see that it changed since.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stamp(Vec<(RelPath, u64, i128)>);

impl Memory {
    /// Reads the directory as a dream sees it. `step` is told how far it is.
    ///
    /// # Errors
    /// The directory cannot be listed.
    pub fn scene(
        &self,
        env: &Env,
        settled: BTreeSet<String>,
        now: Timestamp,
        step: &mut dyn FnMut(usize, usize),
    ) -> Result<Scene, MemoryError> {
        let mut scene = Scene { settled, ..Scene::empty(TimeZone::system(), now) };
        scene.documents = document_texts(env);
        let Some(root) = self.root() else { return Ok(scene) };
        let catalogue = self.catalogue()?;
        let names = catalogue.entries.iter().map(|entry| (entry.name.as_deref(), entry.path.as_str()));
        let targets = LinkTargets::new(names);
        let verifier = self.verifier(&targets);
        let usage = sources::usage(env);
        let mut unread = |path: &str, why: &str| {
            scene.unread.push(LeftAlone { path: path.to_owned(), why: why.to_owned() });
        };
        for left_out in &catalogue.left_out {
            unread(&left_out.path, left_out.rule);
        }
        let mut bytes = 0;
        let total = catalogue.entries.len();
        for (done, entry) in catalogue.entries.iter().enumerate() {
            step(done, total);
            bytes += entry.bytes;
            if entry.bytes > LARGEST || bytes > MOST_BYTES {
                unread(entry.path.as_str(), "it is too large for a dream");
                continue;
            }
            let content = match root.read(&entry.path, LARGEST) {
                Ok(Some(content)) => content,
                Ok(None) => continue,
                Err(error) => {
                    unread(entry.path.as_str(), &error.to_string());
                    continue;
                }
            };
            let found = verifier.verify(&citations(&decode(&content).0)).into_iter();
            let gone = found.filter(|found| found.freshness == Freshness::Gone);
            let gone = gone.filter_map(|found| match found.citation.cited {
                Cited::Path { path, certain: true, .. } => Some(path),
                _ => None,
            });
            scene.files.push(SceneFile {
                gone: gone.collect(),
                used: usage.count(&self.directory().join(entry.path.as_str())),
                path: entry.path.clone(),
                modified: entry.modified,
                content,
            });
        }
        scene.index = self.read(&entrypoint()?)?;
        scene.overflow = self.read(&RelPath::parse(OVERFLOW)?)?;
        Ok(scene)
    }

    /// What the directory looks like now, at the cost of a listing.
    pub(crate) fn stamp(&self) -> Result<Stamp, MemoryError> {
        let Some(root) = self.root() else { return Ok(Stamp(Vec::new())) };
        let files = root.list_files(0)?.files.into_iter();
        Ok(Stamp(files.map(|file| (file.path, file.stat.size, file.stat.modified)).collect()))
    }

    /// What is kept of the dreams of this directory; `None` while it has no id.
    #[must_use]
    pub fn dream_state(&self) -> Option<DreamState> {
        let (state_dir, store) = self.state_and_store()?;
        Some(DreamState::of(state_dir, store))
    }

    /// Asks once more whether a dream's plan that waited loses nothing, now that it is accepted.
    pub(super) fn check_dream(&self, staged: &StagedPlan) -> Result<(), MemoryError> {
        if staged.author.kind != AuthorKind::Dream {
            return Ok(());
        }
        let record = self.dream_state().and_then(|state| DreamRecord::read(&state, &staged.id));
        let superseded = record.map(|record| record.account.superseded).unwrap_or_default();
        let nowhere =
            Env { home: None, cwd: Utf8PathBuf::from("/"), vars: std::collections::BTreeMap::new() };
        let scene = self.scene(&nowhere, BTreeSet::new(), staged.time, &mut |_, _| {})?;
        Ok(check(&scene.sources(), &staged.plan, &superseded)?)
    }

    /// Remembers what became of a dream's plan that waited: which operation, or none because the user said no.
    pub(super) fn settle_dream(&self, staged: &StagedPlan, operation: Option<&str>) {
        if staged.author.kind != AuthorKind::Dream {
            return;
        }
        let Some(state) = self.dream_state() else { return };
        let Some(record) = DreamRecord::read(&state, &staged.id) else { return };
        // The user's answer holds even if this is not remembered.
        let _ = match operation {
            Some(operation) => {
                let record = DreamRecord { id: operation.to_owned(), is_staged: false, ..record };
                state
                    .settle(&record.distilled_keys())
                    .and_then(|()| record.keep(&state))
                    .and_then(|()| state.rename(&staged.id, None))
            }
            None => state.settle(&record.account.keys).and_then(|()| state.rename(&staged.id, None)),
        };
    }

    pub(crate) fn modified_of(&self, path: &RelPath) -> Option<Timestamp> {
        let stat = self.root()?.stat(path).ok().flatten()?;
        Some(timestamp(stat.modified))
    }
}
