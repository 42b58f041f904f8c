//! Changes on disk, as they happen.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use camino::Utf8PathBuf;
use memdir_disk::watch::DirectoryWatch;
use tokio::sync::broadcast;

use crate::project::OpenProject;

/// How often the kernel is asked what changed: a person sees a change well within a second.
pub(crate) const EVERY: Duration = Duration::from_millis(150);
/// How often a project that cannot be watched counts as changed.
const UNWATCHED_EVERY: u32 = 8;

/// Watches the projects that a browser looks at.
pub(crate) struct Live {
    watched: Mutex<Watched>,
    changes: broadcast::Sender<String>,
}

#[derive(Default)]
struct Watched {
    watch: Option<DirectoryWatch>,
    projects: Vec<Weak<OpenProject>>,
    /// Directories that do not exist yet.
    missing: Vec<Utf8PathBuf>,
    /// Whether a directory exists and cannot be watched.
    is_blind: bool,
    rounds: u32,
}

impl Live {
    pub(crate) fn new() -> Self {
        let (changes, _) = broadcast::channel(64);
        Self { watched: Mutex::new(Watched { watch: DirectoryWatch::new(), ..Watched::default() }), changes }
    }

    /// The names of projects that change from now on.
    pub(crate) fn changes(&self) -> broadcast::Receiver<String> {
        self.changes.subscribe()
    }

    pub(crate) fn follow(&self, project: &Arc<OpenProject>) {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.add(project);
        watched.projects.push(Arc::downgrade(project));
    }

    /// Learns what changed, and tells the open pages.
    pub(crate) fn poll(&self) {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        for slug in watched.changed() {
            // Without an open page there is no one to tell.
            let _ = self.changes.send(slug);
        }
    }

    /// Counts a round, after some of which a project that cannot be watched is looked at again.
    pub(crate) fn tick(&self) {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).rounds += 1;
        self.poll();
    }

    /// Says that a project was changed from here.
    pub(crate) fn changed(&self, project: &OpenProject) {
        project.forget();
        let _ = self.changes.send(project.slug.clone());
    }
}

impl Watched {
    fn add(&mut self, project: &OpenProject) {
        for directory in project.watched_dirs() {
            if !directory.is_dir() {
                self.missing.push(directory);
            } else if !self.watch.as_mut().is_some_and(|watch| watch.add_tree(&directory)) {
                self.is_blind = true;
            }
        }
    }

    fn changed(&mut self) -> Vec<String> {
        let projects: Vec<Arc<OpenProject>> = self.projects.iter().filter_map(Weak::upgrade).collect();
        let look = self.watch.as_mut().map(DirectoryWatch::look).unwrap_or_default();
        let is_due = self.is_blind && self.rounds >= UNWATCHED_EVERY;
        let all = is_due || look.is_incomplete || self.missing.iter().any(|directory| directory.is_dir());
        if all {
            (self.rounds, self.is_blind) = (0, false);
            self.missing.clear();
            projects.iter().for_each(|project| self.add(project));
        }
        let is_touched = |project: &OpenProject| {
            let dirs = project.watched_dirs();
            look.happened.iter().any(|happened| dirs.iter().any(|dir| happened.path.starts_with(dir)))
        };
        let mut changed = Vec::new();
        for project in projects {
            if all || is_touched(&project) {
                project.forget();
                changed.push(project.slug.clone());
            }
        }
        changed
    }
}
