//! What can be searched of a project, and where it is.

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::agents::{self, AgentDirs};
use memdir_core::env::Env;
use memdir_core::instructions::{self, Surroundings};
use memdir_core::locate::LocateError;
use memdir_core::look::{Kind, Look};
use memdir_core::project::encode_path::encode;
use memdir_core::settings::ClientFlags;
use memdir_disk::real_look::RealLook;
use memdir_search::transcript::sessions_of_others;
use memdir_search::{Scope, Source, Usage};

use crate::journal::find_journal;
use crate::memory::Extent;
use crate::place::Place;

/// What a search looks at by default: everything that was written down to be remembered.
pub const WRITTEN_DOWN: [Scope; 6] =
    [Scope::Memories, Scope::Team, Scope::Agents, Scope::Logs, Scope::Journal, Scope::Instructions];

/// Where all search indexes are; `None` if there is no place for state of ours.
#[must_use]
pub fn index_folder(env: &Env) -> Option<Utf8PathBuf> {
    env.state_dir().map(|state| index_folder_in(&state))
}

/// Where all search indexes are below our state.
pub(crate) fn index_folder_in(state_dir: &Utf8Path) -> Utf8PathBuf {
    state_dir.join("cache/search")
}

/// Where recall keeps what it has shown to whom.
#[must_use]
pub fn recall_folder(env: &Env) -> Option<Utf8PathBuf> {
    env.state_dir().map(|state| state.join("cache/recall"))
}

/// How often memories have been of use.
#[must_use]
pub fn usage(env: &Env) -> Usage {
    recall_folder(env).map(|folder| Usage::load(&folder)).unwrap_or_default()
}

/// The folders of the current project, for these scopes.
///
/// # Errors
/// What the client itself would refuse to start with, and a missing home directory.
pub fn project_sources(env: &Env, flags: &ClientFlags, scopes: &[Scope]) -> Result<Vec<Source>, LocateError> {
    let place = Place::find(env, flags)?;
    let wants = |any: &[Scope]| any.iter().any(|scope| scopes.contains(scope));
    let project = place.location.root.file_name().unwrap_or_default().to_owned();
    let mut sources = Vec::new();
    let mut add = |root: Utf8PathBuf, make: fn(Utf8PathBuf) -> Source| {
        sources.push(Source { project: project.clone(), ..make(root) });
    };
    if wants(&[Scope::Memories, Scope::Team, Scope::Logs]) {
        add(place.here.memory_dir.clone(), |root| Source::markdown(root, Scope::Memories));
    }
    if wants(&[Scope::Memories]) {
        let config_dir = env.cwd.join(place.settings.config_dir());
        let wider = Extent::wider_directories(&config_dir, env);
        for root in wider.into_iter().filter(|root| RealLook.kind(root) == Some(Kind::Dir)) {
            add(root, |root| Source::markdown(root, Scope::Memories));
        }
    }
    if wants(&[Scope::Agents]) {
        let dirs = AgentDirs::new(env, &place.settings, &place.location.root);
        for scope in [agents::Scope::User, agents::Scope::Project, agents::Scope::Local] {
            add(dirs.root(scope).to_owned(), |root| Source::markdown(root, Scope::Agents));
        }
    }
    if wants(&[Scope::Journal]) {
        let journal = find_journal(&place, env);
        if journal.exists {
            add(journal.directory, |root| Source::markdown(root, Scope::Journal));
        }
    }
    if wants(&[Scope::Sessions]) {
        add(env.cwd.join(&place.location.project_dir), Source::transcripts);
        let others = sessions_of_others(env, &place.location.root, &RealLook);
        let files: Vec<Utf8PathBuf> = others.into_iter().map(|session| session.path).collect();
        if !files.is_empty() {
            let listed = Source::transcripts(env.cwd.join(&place.location.project_dir));
            sources.push(Source { files: Some(files), project: project.clone(), ..listed });
        }
    }
    if wants(&[Scope::Instructions]) {
        let surroundings = Surroundings::find(env, flags, &[], &RealLook)?;
        sources.extend(instruction_files(&surroundings, &project));
    }
    Ok(sources)
}

/// The memory and the sessions of every project whose directory's name holds one of these words.
///
/// # Errors
/// See [`project_sources`].
pub fn other_projects(
    env: &Env,
    flags: &ClientFlags,
    scopes: &[Scope],
    words: &[&str],
) -> Result<Vec<Source>, LocateError> {
    let place = Place::find(env, flags)?;
    // A directory's name is its path with everything but letters and digits replaced.
    let encoded = |word: &str| encode(word).to_lowercase();
    let words: Vec<String> = words.iter().map(|word| encoded(word)).filter(|word| !word.is_empty()).collect();
    let mut sources = Vec::new();
    let wants = |any: &[Scope]| any.iter().any(|scope| scopes.contains(scope));
    let projects = place.projects.projects_dir();
    for entry in RealLook.list(&projects) {
        let name = entry.name.to_lowercase();
        if entry.kind != Kind::Dir || !words.iter().any(|word| name.contains(word)) {
            continue;
        }
        let folder = projects.join(&entry.name);
        let memory = folder.join("memory");
        if wants(&[Scope::Memories, Scope::Team, Scope::Logs]) && RealLook.kind(&memory) == Some(Kind::Dir) {
            sources.push(Source { project: entry.name.clone(), ..Source::markdown(memory, Scope::Memories) });
        }
        if wants(&[Scope::Sessions]) {
            sources.push(Source { project: entry.name.clone(), ..Source::transcripts(folder) });
        }
    }
    Ok(sources)
}

/// The instruction files as one source: they are all over, so they are named one by one.
fn instruction_files(surroundings: &Surroundings, project: &str) -> Option<Source> {
    let memory = surroundings.auto_memory.as_ref().map(|memory| memory.path.clone());
    let files = instructions::collect(surroundings, &RealLook).files.into_iter().map(|file| file.path);
    let files: Vec<Utf8PathBuf> = files.filter(|path| Some(path) != memory.as_ref()).collect();
    let root = surroundings.cwd.clone();
    (!files.is_empty()).then(|| Source {
        files: Some(files),
        project: project.to_owned(),
        ..Source::markdown(root, Scope::Instructions)
    })
}

/// A folder of Markdown that the user named.
#[must_use]
pub fn folder(root: &Utf8Path) -> Source {
    Source::markdown(root.to_owned(), Scope::Folder)
}
