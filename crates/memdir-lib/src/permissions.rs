//! Where an agent's tools may read and write without a question: the places around a project.

use memdir_core::env::Env;
use memdir_core::guarded_root::GuardedRoot;
use memdir_core::permissions::Places;

use crate::journal::find_journal;
use crate::place::Place;

/// The places that decide about a path, the journal among them if there is one: from the client's `projects/` on no
/// link is followed.
#[must_use]
pub fn permitted_places(place: &Place, env: &Env) -> Places {
    let journal = find_journal(place, env);
    let config_dir = journal.directory.parent().and_then(|projects| projects.parent());
    let guarded = config_dir.map(|config| GuardedRoot::new(config, format!("projects/{}", journal.key)));
    Places {
        journal: guarded.filter(|_| journal.exists),
        ..Places::new(env, &place.settings, &place.location)
    }
}
