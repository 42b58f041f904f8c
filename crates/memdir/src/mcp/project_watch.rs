use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::env::Env;
use memdir_core::mcp::{Changed, MemoryUri};
use memdir_core::settings::ClientFlags;
use memdir_disk::watch::{DirectoryWatch, is_memory_file};
use memdir_lib::place::Place;

/// What changes in a project while its client works there.
///
/// Two want to know: the client, whose list of memories is out of date, and the search, whose index is.
#[derive(Default)]
pub(super) struct ProjectWatch {
    watch: Option<DirectoryWatch>,
    /// The directories in which nothing can change unseen.
    watched: BTreeSet<Utf8PathBuf>,
    memory_dir: Option<Utf8PathBuf>,
    /// Whether there was no memory directory at the last look.
    was_missing: bool,
    for_client: Changed,
    for_search: Unsearched,
}

/// What the search index does not know yet.
#[derive(Debug, Default)]
pub(super) struct Unsearched {
    /// Files that changed.
    pub(super) files: BTreeSet<Utf8PathBuf>,
    /// Whether more changed than these.
    pub(super) is_more: bool,
}

/// Whether a directory is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Following {
    /// Nothing in it changed unseen since the last question.
    Already,
    /// Nothing in it can change unseen from now on.
    FromNow,
    /// It is not there, or cannot be watched.
    Not,
}

impl ProjectWatch {
    /// What a client must be told since the last time.
    pub(super) fn look(&mut self, env: &Env) -> Changed {
        if self.memory_dir.is_none() {
            self.memory_dir =
                Place::find(env, &ClientFlags::default()).ok().map(|place| place.here.memory_dir);
        }
        if let Some(directory) = self.memory_dir.clone() {
            let following = self.follow(&directory);
            // It was not there before: what it holds now is news.
            self.for_client.list |= self.was_missing && following == Following::FromNow;
            self.was_missing = following == Following::Not;
        }
        self.drain();
        std::mem::take(&mut self.for_client)
    }

    /// What the search must read before it answers.
    pub(super) fn unsearched(&mut self) -> Unsearched {
        self.drain();
        std::mem::take(&mut self.for_search)
    }

    /// Watches a directory from now on, if that is possible and was not done before.
    pub(super) fn follow(&mut self, directory: &Utf8Path) -> Following {
        if self.watched.contains(directory) {
            return Following::Already;
        }
        if self.watch.is_none() {
            self.watch = DirectoryWatch::new();
        }
        if !self.watch.as_mut().is_some_and(|watch| watch.add_tree(directory)) {
            return Following::Not;
        }
        self.watched.insert(directory.to_owned());
        Following::FromNow
    }

    fn drain(&mut self) {
        let Some(watch) = &mut self.watch else { return };
        let look = watch.look();
        if look.is_incomplete {
            // New directories are not watched yet, and others may be gone: begin again at the next question.
            self.watched.clear();
            self.for_search.is_more = true;
            self.for_client.list = true;
        }
        for happened in look.happened.into_iter().filter(|happened| is_memory_file(&happened.path)) {
            let below = self.memory_dir.as_deref().and_then(|memory| happened.path.strip_prefix(memory).ok());
            if let Some(path) = below {
                self.for_client.list |= happened.is_listing;
                let uri = MemoryUri::of_memory(path.as_str());
                if !self.for_client.updated.contains(&uri) {
                    self.for_client.updated.push(uri);
                }
            }
            self.for_search.files.insert(happened.path);
        }
    }
}
