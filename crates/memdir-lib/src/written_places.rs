//! Every place in which memdir keeps text of a project. `audit` and `purge` use the same list.

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::agents::{AgentDirs, Scope};
use memdir_core::env::Env;
use memdir_core::look::{Kind, Look};
use memdir_core::operation::StoreId;
use memdir_core::state_place::{KeptText, STATE_PLACES};
use memdir_disk::real_look::RealLook;

use crate::journal::find_journal;
use crate::memory::Extent;
use crate::place::Place;

/// A directory or file in which text is stored, and which of its files count by their names.
#[derive(Debug)]
pub(crate) struct WrittenPlace {
    pub(crate) path: Utf8PathBuf,
    pub(crate) is_wanted: fn(&str) -> bool,
}

/// The directories of a project that have a history of their own, the memory directory first.
#[must_use]
pub fn stores_of(place: &Place, env: &Env) -> Vec<Utf8PathBuf> {
    let config_dir = env.cwd.join(place.settings.config_dir());
    let agents = AgentDirs::new(env, &place.settings, &place.location.root);
    let mut stores =
        vec![place.here.memory_dir.clone(), find_journal(place, env).directory, config_dir.join("user")];
    stores.extend(Extent::wider_directories(&config_dir, env));
    stores.push(config_dir);
    for scope in Scope::ALL {
        let root = env.cwd.join(agents.root(scope));
        let folders = RealLook.list(&root).into_iter().filter(|entry| entry.kind == Kind::Dir);
        stores.extend(folders.map(|entry| root.join(entry.name)));
    }
    stores
}

/// The ids of those directories that have one.
pub(crate) fn store_ids(place: &Place, env: &Env) -> Vec<StoreId> {
    let known = |directory: &Utf8PathBuf| place.projects.known_store(directory).ok().flatten();
    let mut ids: Vec<StoreId> = place.look_up.store.iter().cloned().collect();
    for id in stores_of(place, env).iter().filter_map(known) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

/// Every directory of a project in which text is stored, but for history. Hidden files and files of any kind count, except
/// for the sessions beside the journal: those are the client's, and not memory.
pub(crate) fn written_places(place: &Place, env: &Env, state_dir: &Utf8Path) -> Vec<WrittenPlace> {
    let every = |path: Utf8PathBuf| WrittenPlace { path, is_wanted: |_| true };
    let no_session = |path: Utf8PathBuf| WrittenPlace { path, is_wanted: |name| !name.ends_with(".jsonl") };
    let config_dir = env.cwd.join(place.settings.config_dir());
    let agents = AgentDirs::new(env, &place.settings, &place.location.root);
    let mut places = vec![
        every(place.here.memory_dir.clone()),
        no_session(place.here.project_dir.clone()),
        no_session(find_journal(place, env).directory),
        every(config_dir.join("user")),
        every(config_dir.join("workspace.md")),
    ];
    places.extend(Extent::wider_directories(&config_dir, env).into_iter().map(every));
    places.extend(Scope::ALL.iter().map(|scope| every(env.cwd.join(agents.root(*scope)))));
    places.push(every(env.cwd.join(".claude/agent-snapshots")));
    let ids = store_ids(place, env);
    for state in STATE_PLACES.iter().filter(|state| matches!(state.text, KeptText::Files | KeptText::Needed))
    {
        let path = state_dir.join(state.name.trim_end_matches('/'));
        match state.name {
            // One folder a store: those of other projects are not this one's.
            "staged/" | "kept/" => places.extend(ids.iter().map(|id| every(path.join(&id.0)))),
            _ => places.push(every(path)),
        }
    }
    places
}
