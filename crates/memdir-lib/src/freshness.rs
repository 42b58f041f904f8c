//! Keeping the search index fresh for recall, which never looks at the disk itself.
//!
//! Two callers: a hook that has just seen one file change ([`refresh_file`], about a millisecond), and detached work
//! that has a slice of time for everything ([`refresh`]). Neither waits for another process, and neither is needed
//! for a search, which looks by itself.

use std::time::Instant;

use camino::Utf8Path;
use jiff::Timestamp;
use memdir_core::env::Env;
use memdir_core::locate::LocateError;
use memdir_core::operation::Operation;
use memdir_core::settings::ClientFlags;
use memdir_search::{Freshness, Limits, Scope, SearchError, Searcher, Source};

use crate::sources::{self, WRITTEN_DOWN};

/// Why the index could not be brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum FreshnessError {
    /// The memory directory cannot be found.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The index cannot be read.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// What recall draws from.
pub(crate) const RECALLED: [Scope; 2] = [Scope::Memories, Scope::Team];

/// Brings the indexes of a project up to date until the deadline: memories first, then whatever else was written
/// down, then its sessions. What is left waits for the next call.
///
/// # Errors
/// What the client would refuse to start with, and an index that cannot be read.
pub fn refresh(
    env: &Env,
    flags: &ClientFlags,
    now: Timestamp,
    deadline: Instant,
) -> Result<Freshness, FreshnessError> {
    let Some(cache) = sources::index_folder(env) else { return Ok(Freshness::default()) };
    let scopes: Vec<Scope> = WRITTEN_DOWN.into_iter().chain([Scope::Sessions]).collect();
    let mut searcher = Searcher::open(&cache, sources::project_sources(env, flags, &scopes)?);
    let mut limits = Limits { now, deadline: Some(deadline), progress: &mut |_, _| {} };
    Ok(searcher.refresh(&mut limits)?)
}

/// Builds the index that recall needs where there is none at all, until the deadline; one that exists is left as it
/// is.
///
/// # Errors
/// See [`refresh`].
pub fn build_missing(
    env: &Env,
    flags: &ClientFlags,
    now: Timestamp,
    deadline: Instant,
) -> Result<(), FreshnessError> {
    let Some(cache) = sources::index_folder(env) else { return Ok(()) };
    let mut searcher = Searcher::open(&cache, sources::project_sources(env, flags, &RECALLED)?);
    let mut limits = Limits { now, deadline: Some(deadline), progress: &mut |_, _| {} };
    Ok(searcher.build_missing(&mut limits)?)
}

/// Brings the index that recall needs up to date until the deadline, and builds it if there is none. It looks at every
/// memory, so a hook does not call it.
///
/// # Errors
/// See [`refresh`].
pub fn refresh_recalled(
    env: &Env,
    flags: &ClientFlags,
    now: Timestamp,
    deadline: Instant,
) -> Result<(), FreshnessError> {
    let Some(cache) = sources::index_folder(env) else { return Ok(()) };
    let mut searcher = Searcher::open(&cache, sources::project_sources(env, flags, &RECALLED)?);
    let mut limits = Limits { now, deadline: Some(deadline), progress: &mut |_, _| {} };
    searcher.build_missing(&mut limits)?;
    searcher.refresh(&mut limits)?;
    Ok(())
}

/// Indexes one memory of a directory that was just written or removed, by whomever, so that the next recall knows it.
///
/// Returns `false` if the file does not exist, or if another process is writing the index: the next refresh finds
/// the change.
///
/// # Errors
/// The index cannot be read.
pub fn refresh_file(env: &Env, directory: &Utf8Path, path: &Utf8Path) -> Result<bool, SearchError> {
    let Some(cache) = sources::index_folder(env) else { return Ok(false) };
    let source = Source::markdown(directory.to_owned(), Scope::Memories);
    Searcher::open(&cache, vec![source]).refresh_file(path)
}

/// The most files of one operation that are indexed at once; after more, detached work or the next search does it.
const MAX_FOLLOWED: usize = 64;

/// Indexes what an operation has just changed, so that the very next recall knows it. That it fails costs freshness,
/// nothing else.
pub(crate) fn follow(state_dir: &Utf8Path, directory: &Utf8Path, operation: &Operation) {
    let source = Source::markdown(directory.to_owned(), Scope::Memories);
    let mut searcher = Searcher::open(&sources::index_folder_in(state_dir), vec![source]);
    for change in operation.changes.iter().take(MAX_FOLLOWED) {
        for path in std::iter::once(&change.path).chain(&change.renamed_from) {
            let _ = searcher.refresh_file(&directory.join(path.as_path()));
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests write the files that are indexed")]

    use std::collections::HashSet;
    use std::fs;
    use std::time::Duration;

    use camino::Utf8PathBuf;
    use memdir_search::RecallOptions;

    use super::*;

    fn recalled(env: &Env, prompt: &str) -> Vec<String> {
        let sources = sources::project_sources(env, &ClientFlags::default(), &RECALLED).unwrap();
        let mut searcher = Searcher::open(&sources::index_folder(env).unwrap(), sources);
        let options = RecallOptions {
            now: Timestamp::UNIX_EPOCH,
            budget: 500,
            threshold: 0.0,
            named: 0,
            tools: &[],
            shown: &HashSet::new(),
            branch: None,
            worktree: None,
            author_of: &|_| None,
            recent: &memdir_search::RecentWork::default(),
            model: None,
        };
        let recalled = searcher.recall(prompt, &options).unwrap();
        recalled.memories.into_iter().map(|memory| memory.name).collect()
    }

    #[test]
    fn recall_knows_a_file_as_soon_as_it_was_named() {
        let directory = tempfile::tempdir().unwrap();
        let home = Utf8PathBuf::from_path_buf(directory.path().canonicalize().unwrap()).unwrap();
        let env = Env { home: Some(home.clone()), cwd: home, vars: Default::default() };
        let flags = ClientFlags::default();
        let memory = crate::place::Place::find(&env, &flags).unwrap().here.memory_dir;
        fs::create_dir_all(&memory).unwrap();
        let path = memory.join("zebra.md");
        fs::write(&path, "---\nname: zebra\ndescription: Zebra crossing\n---\nWait for the zebra.\n")
            .unwrap();
        assert_eq!(recalled(&env, "zebra crossing"), Vec::<String>::new());
        assert!(refresh_file(&env, &memory, &path).unwrap());
        assert_eq!(recalled(&env, "zebra crossing"), ["zebra"]);
        assert!(!refresh_file(&env, &memory, Utf8Path::new("/etc/zebra.md")).unwrap());
        fs::rename(&path, memory.join("gnu.md")).unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        let freshness = refresh(&env, &flags, Timestamp::MAX, deadline).unwrap();
        assert_eq!((freshness.files, freshness.waiting), (1, 0));
        assert_eq!(recalled(&env, "zebra crossing").len(), 1);
    }
}
