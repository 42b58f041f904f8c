use camino::Utf8PathBuf;
use memdir_core::env::Env;
use memdir_core::journal::key::{JournalPlace, Project};
use memdir_disk::real_look::RealLook;

use crate::place::Place;

/// Where the journal of a project is, or would be. A handful of system calls; creates nothing.
#[must_use]
pub fn find_journal(place: &Place, env: &Env) -> JournalPlace {
    let projects_dir = env.cwd.join(place.projects.projects_dir());
    let former: Vec<Utf8PathBuf> = place.projects.former_paths(&place.here);
    let project = Project {
        projects_dir: &projects_dir,
        root: &place.here.root,
        home: env.home.as_deref(),
        former: &former,
    };
    project.find_journal(&RealLook)
}
