use memdir_core::memory::links::LinkTargets;
use memdir_core::memory::topic::decode;
use memdir_core::rel_path::RelPath;
use memdir_core::verify::{Freshness, Verified, Verifier, citations};
use memdir_disk::real_look::RealLook;

use super::{Catalogue, Entry, Memory, MemoryError};

/// A memory whose citations were looked up.
#[derive(Debug, Clone)]
pub struct VerifiedMemory {
    /// Where it is.
    pub path: RelPath,
    /// What people call it.
    pub title: String,
    /// What it cites, in the order of its text.
    pub citations: Vec<Verified>,
}

impl VerifiedMemory {
    /// The worst that became of what it cites; fresh if it cites nothing.
    #[must_use]
    pub fn freshness(&self) -> Freshness {
        self.citations.iter().map(|found| found.freshness).max().unwrap_or(Freshness::Fresh)
    }
}

impl Memory {
    /// Looks up what memories cite: files, lines, symbols and commands in the project, links among the memories.
    ///
    /// The project is read at most once and within bounds, nothing is started, and nothing is written. A directory
    /// that the user named belongs to no project: there only links are looked up. A file that is too large to be read is
    /// left out.
    ///
    /// # Errors
    /// A memory cannot be read.
    pub fn verify(
        &self,
        entries: &[Entry],
        catalogue: &Catalogue,
    ) -> Result<Vec<VerifiedMemory>, MemoryError> {
        let names = catalogue.entries.iter().map(|entry| (entry.name.as_deref(), entry.path.as_str()));
        let targets = LinkTargets::new(names);
        let verifier = self.verifier(&targets);
        let mut verified = Vec::new();
        for entry in entries.iter().filter(|entry| !entry.is_too_large()) {
            let Some(content) = self.read(&entry.path)? else { continue };
            verified.push(VerifiedMemory {
                path: entry.path.clone(),
                title: entry.title().to_owned(),
                citations: verifier.verify(&citations(&decode(&content).0)),
            });
        }
        Ok(verified)
    }

    pub(super) fn verifier<'v>(&'v self, targets: &'v LinkTargets) -> Verifier<'v> {
        let project = (self.here.root != self.here.memory_dir).then_some(self.here.root.as_path());
        Verifier::new(project, &RealLook, targets)
    }
}
