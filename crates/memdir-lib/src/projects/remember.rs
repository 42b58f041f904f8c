use jiff::Timestamp;
use memdir_core::project::findings::Flag;

use super::{Here, Probe, Projects, ProjectsError, Survey, lives};
use crate::place::Place;

impl Projects {
    /// Remembers a project that has memory or sessions and that the registry does not know yet, so that it is known
    /// again after a move. May start git, once. Costs nothing where there is nothing to remember.
    ///
    /// # Errors
    /// There is no registry, or it cannot be written.
    pub fn remember_unknown(&self, place: &Place, now: Timestamp) -> Result<(), ProjectsError> {
        let Here { memory_dir, project_dir, .. } = &place.here;
        if place.look_up.store.is_none() && (lives(memory_dir) || lives(project_dir)) {
            self.record_sighting(&place.here, Probe::Full, now)?;
        }
        Ok(())
    }

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
