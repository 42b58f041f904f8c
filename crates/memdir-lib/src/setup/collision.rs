//! A memory directory of its own for a project that would share one.

use camino::Utf8PathBuf;
use memdir_core::content_hash::ContentHash;
use memdir_core::wiring::{Format, Member, Wanted};

use super::install::why_ignored;
use super::{Mode, Outcome, Setup, SetupReport};
use crate::place::Place;
use crate::projects::{LOCAL_SETTINGS, MEMORY_DIRECTORY};

/// Under whose name the settings of a project are written down.
pub(super) const PROJECT: &str = "project";

/// What putting a project's memory apart means.
#[derive(Debug)]
pub struct CollisionFix {
    /// The directory that was shared, and stays the others'.
    pub shared: Utf8PathBuf,
    /// The directory that the project has for itself from now on.
    pub own: Utf8PathBuf,
    /// What became of the project's settings.
    pub report: SetupReport,
}

impl Setup {
    /// Puts the memory of a project apart, by a setting that the client honours. Moves and copies nothing. `None` if it
    /// shares its memory with no other.
    #[must_use]
    pub fn fix_collision(&mut self, place: &Place, mode: Mode) -> Option<CollisionFix> {
        if place.look_up.collides_with.is_empty() {
            return None;
        }
        let here = &place.here;
        let hash = ContentHash::of(here.root.as_str().as_bytes()).to_string();
        let name = format!("{}-{}", here.slug, hash.get(..6).unwrap_or_default());
        let own = here.project_dir.with_file_name(name).join("memory");
        let wanted = Wanted {
            path: here.root.join(LOCAL_SETTINGS),
            format: Format::Json,
            is_strict: true,
            members: vec![Member::new(&[MEMORY_DIRECTORY], own.as_str().into())],
        };
        let outcome = self.install_file(PROJECT, &wanted, &[], mode).unwrap_or_else(Outcome::Failed);
        let mut report = SetupReport::new(PROJECT, outcome);
        report.without_effect = why_ignored(&wanted);
        Some(CollisionFix { shared: here.memory_dir.clone(), own, report })
    }
}
