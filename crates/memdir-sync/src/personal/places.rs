//! What of this machine takes part in one person's sync, and what does not, with the reason.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::agents::{AgentDirs, Scope};
use memdir_core::env::Env;
use memdir_core::locate::Trust;
use memdir_core::project::identity::IdentityKey;
use memdir_core::settings::ClientFlags;
use memdir_disk::registry::Registry;
use memdir_lib::memory::{Extent, Memory, MemoryError};
use memdir_lib::place::Place;
use memdir_lib::projects::{Probe, Projects};

use super::LeftOut;
use crate::team_error::TeamError;

/// What the keys of projects begin with.
pub(super) const PROJECTS: &str = "projects/";

/// What of this machine takes part, by what its keys begin with.
pub(super) struct Places {
    pub(super) memories: BTreeMap<String, Memory>,
    /// Where the projects among them lie.
    pub(super) roots: BTreeMap<String, Utf8PathBuf>,
    pub(super) left_out: Vec<LeftOut>,
}

/// A project that was found here.
struct FoundProject {
    last_used: Timestamp,
    root: Utf8PathBuf,
    place: Place,
}

impl Places {
    /// Looks at every project that the registry or the client knows. A repository that was never looked at closely is
    /// asked for its first commit, once.
    pub(super) fn find(env: &Env, now: Timestamp) -> Result<Self, TeamError> {
        let place = Place::find(env, &ClientFlags::default()).map_err(MemoryError::from)?;
        let agents = AgentDirs::new(env, &place.settings, &place.location.root);
        let mut places = Self { memories: BTreeMap::new(), roots: BTreeMap::new(), left_out: Vec::new() };
        for (prefix, extent) in [("profile/", Extent::Profile), ("user/", Extent::User)] {
            places.memories.insert(prefix.to_owned(), Memory::beside(extent, env)?);
        }
        let agents = Memory::at_directory(agents.root(Scope::User), env)?;
        places.memories.insert("agents/".to_owned(), agents);
        let mut newest: BTreeMap<String, FoundProject> = BTreeMap::new();
        for (path, last_used) in candidates(env, &place.projects, now)? {
            let there = Env { cwd: path, ..env.clone() };
            let found = match Place::find(&there, &ClientFlags::default()) {
                Ok(found) => found,
                Err(error) => {
                    places.leave_out(there.cwd, error.to_string());
                    continue;
                }
            };
            let root = found.here.root.clone();
            // Off by settings of its own: no switch of this process, or memory would be off here, too.
            if !found.location.enabled && place.location.enabled {
                places.leave_out(root, format!("memory is off there ({})", found.location.decided_by));
                continue;
            }
            let known = newest.values().any(|other| other.place.here.memory_dir == found.here.memory_dir);
            if known || places.left_out.iter().any(|left_out| left_out.path == root) {
                continue;
            }
            let id = match shared_id(&found, last_used) {
                Ok(id) => id,
                Err(why) => {
                    if holds_memory(&found) {
                        places.leave_out(root, why);
                    }
                    continue;
                }
            };
            let found = FoundProject { last_used, root, place: found };
            match newest.remove(&id) {
                None => newest.insert(id, found),
                Some(other) => {
                    let (used, unused) =
                        if found.last_used > other.last_used { (found, other) } else { (other, found) };
                    let why = format!("`{}` is the same project, and was used last", used.root);
                    places.leave_out(unused.root, why);
                    newest.insert(id, used)
                }
            };
        }
        for (id, found) in newest {
            let there = Env { cwd: found.root, ..env.clone() };
            match Memory::at_place(found.place, &there) {
                Ok(memory) => {
                    places.memories.insert(format!("{PROJECTS}{id}/"), memory);
                    places.roots.insert(format!("{PROJECTS}{id}/"), there.cwd);
                }
                Err(error) => places.leave_out(there.cwd, error.to_string()),
            }
        }
        Ok(places)
    }

    fn leave_out(&mut self, path: Utf8PathBuf, why: String) {
        self.left_out.push(LeftOut { path, why });
    }
}

/// The directories of projects that are here, and when each was used last, the last used first.
fn candidates(
    env: &Env,
    projects: &Projects,
    now: Timestamp,
) -> Result<Vec<(Utf8PathBuf, Timestamp)>, TeamError> {
    let state_dir = env.state_dir().ok_or(MemoryError::NoStateDir)?;
    // The one in which this runs may never have been seen before.
    let mut found = BTreeMap::from([(env.cwd.clone(), now)]);
    let registry = Registry::new(&state_dir).content().projects;
    let seen = registry.into_iter().flat_map(|record| record.paths);
    let seen = seen.map(|seen| (seen.path, seen.last_seen));
    // The client may have worked where none of our commands ever ran.
    let used = projects.survey().entries.into_iter();
    let used = used.filter_map(|entry| Some((entry.path?, entry.last_used.unwrap_or_default())));
    for (path, time) in seen.chain(used).filter(|(path, _)| path.is_dir()) {
        let known = found.entry(path).or_insert(time);
        *known = time.max(*known);
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by(|one, other| (other.1, &one.0).cmp(&(one.1, &other.0)));
    Ok(found)
}

/// By what the user's other machines know a project, or why they cannot.
fn shared_id(place: &Place, last_used: Timestamp) -> Result<String, String> {
    match &place.location.trust {
        Trust::Yes => {}
        Trust::NeedsConsent => {
            return Err("its settings choose the memory directory; `memdir project trust` agrees".to_owned());
        }
        Trust::Never(refused) => return Err(refused.to_string()),
    }
    if place.here.common_dir.is_none() {
        return Err("it has no repository to be known by on another machine".to_owned());
    }
    let record = place.projects.record_sighting(&place.here, Probe::Full, last_used);
    let record = record.map_err(|error| error.to_string())?;
    let seen = record.paths.iter().find(|seen| seen.path == place.here.root);
    let id = seen.and_then(|seen| seen.keys.iter().find_map(IdentityKey::across_machines));
    id.ok_or_else(|| "its repository has neither a commit nor a remote to be known by".to_owned())
}

fn holds_memory(place: &Place) -> bool {
    let mut entries = place.here.memory_dir.read_dir_utf8().into_iter().flatten().flatten();
    entries.any(|entry| entry.file_name().ends_with(".md"))
}
