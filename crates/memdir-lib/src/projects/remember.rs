use jiff::Timestamp;
use memdir_core::project::findings::Flag;

use super::{Probe, Projects, ProjectsError, Survey, lives};

impl Projects {
    /// Remembers projects that a survey found alive and the registry does not know, so that they are known again
    /// after a move. The most recently used come first; the rest waits for the next time.
    ///
    /// May start git, once a project. Gives back how many were remembered.
    ///
    /// # Errors
    /// There is no registry, or it cannot be written.
    pub fn remember_living(
        &self,
        survey: &Survey,
        limit: usize,
        now: Timestamp,
    ) -> Result<usize, ProjectsError> {
        let mut unknown: Vec<_> = survey.entries.iter().filter(|entry| entry.store.is_none()).collect();
        unknown.sort_by_key(|entry| std::cmp::Reverse(entry.last_used));
        let mut remembered = 0;
        for entry in unknown {
            let Some(path) = entry.path.as_deref() else { continue };
            if entry.flags.contains(&Flag::LegacyName) || !lives(path) {
                continue;
            }
            if remembered == limit {
                break;
            }
            let here = self.here(path);
            if here.slug == entry.slug {
                self.record_sighting(&here, Probe::Full, now)?;
                remembered += 1;
            }
        }
        Ok(remembered)
    }
}
