//! One project that a browser looks at, with what is kept of it between two changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use memdir_core::env::Env;
use memdir_core::memory::entrypoint::{ENTRYPOINT, Usage};
use memdir_core::operation::Author;
use memdir_core::rel_path::RelPath;
use memdir_core::settings::ClientFlags;
use memdir_lib::journal::find_journal;
use memdir_lib::memory::{Catalogue, Extent, KnownFreshness, Memory};
use memdir_lib::place::Place;
use memdir_lib::sources;
use memdir_search::{Limits, Options, Scope, SearchResults, Searcher, Source};

use crate::reply::PageError;
use crate::viewer::Viewer;

/// In how many of the newest operations authors are looked for.
const LOOKED_AT: usize = 5_000;
/// How long a first indexing may take before what is there is answered.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a project that cannot be watched is believed to be as it was.
const BELIEVED_FOR: Duration = Duration::from_secs(2);

/// Memory that belongs to no project, and the name by which addresses mean it. No project's directory begins with `~`.
pub(crate) const SCOPES: [(&str, Extent, &str); 2] =
    [("~user", Extent::User, "All your projects"), ("~machine", Extent::Machine, "This machine")];

/// What a name in an address means, if it is not a project.
pub(crate) fn extent_of(slug: &str) -> Option<Extent> {
    SCOPES.iter().find(|(name, ..)| *name == slug).map(|(_, extent, _)| *extent)
}

pub(crate) struct OpenProject {
    /// The name of its directory below `projects/`, or of a scope.
    pub(crate) slug: String,
    /// What it is if it is not a project.
    pub(crate) extent: Option<Extent>,
    /// The environment of a session there; `None` if the project's own directory is gone.
    pub(crate) env: Option<Env>,
    /// The project's own directory, as far as that is known.
    pub(crate) path: Option<Utf8PathBuf>,
    pub(crate) memory_dir: Utf8PathBuf,
    /// The directory of its sessions.
    pub(crate) project_dir: Utf8PathBuf,
    journal_dir: Option<Utf8PathBuf>,
    staged_dir: Option<Utf8PathBuf>,
    any_env: Env,
    kept: Mutex<Kept>,
    search: Mutex<Searches>,
}

#[derive(Default)]
struct Kept {
    catalogue: Option<(Arc<Catalogue>, Instant)>,
    freshness: Option<Arc<HashMap<RelPath, KnownFreshness>>>,
    authors: Option<Arc<HashMap<String, Author>>>,
}

#[derive(Default)]
struct Searches {
    memories: Option<Searcher>,
    sessions: Option<Searcher>,
    is_fresh: bool,
}

impl OpenProject {
    pub(crate) fn find(viewer: &Viewer, slug: &str) -> Result<Self, PageError> {
        let start = viewer.start()?;
        if start.here.slug == slug {
            return Ok(Self::living(viewer, viewer.env.clone(), &start));
        }
        if let Some(extent) = extent_of(slug) {
            let memory_dir = Memory::beside(extent, &viewer.env)?.directory().to_owned();
            // There are no sessions beside such a memory.
            return Ok(Self {
                extent: Some(extent),
                ..Self::dead(viewer, slug, memory_dir.clone(), memory_dir)
            });
        }
        let is_name = !slug.is_empty() && !slug.contains('/') && !slug.starts_with('.');
        let project_dir = start.projects.projects_dir().join(slug);
        if !is_name || !project_dir.is_dir() {
            return Err(PageError::missing(format!("there is no project `{slug}`")));
        }
        let path = start.projects.reverse(slug);
        if let Some(path) = path.as_ref().filter(|path| path.is_dir()) {
            let env = Env { cwd: path.clone(), ..viewer.env.clone() };
            let place = Place::find(&env, &ClientFlags::default())?;
            if place.here.slug == slug {
                return Ok(Self::living(viewer, env, &place));
            }
        }
        let memory_dir = project_dir.join("memory");
        Ok(Self { path, ..Self::dead(viewer, slug, project_dir, memory_dir) })
    }

    /// A memory of which no session can start.
    fn dead(viewer: &Viewer, slug: &str, project_dir: Utf8PathBuf, memory_dir: Utf8PathBuf) -> Self {
        Self {
            slug: slug.to_owned(),
            extent: None,
            env: None,
            path: None,
            memory_dir,
            project_dir,
            journal_dir: None,
            staged_dir: viewer.env.state_dir().map(|state| state.join("staged")),
            any_env: viewer.env.clone(),
            kept: Mutex::default(),
            search: Mutex::default(),
        }
    }

    fn living(viewer: &Viewer, env: Env, place: &Place) -> Self {
        let journal = find_journal(place, &env);
        Self {
            slug: place.here.slug.clone(),
            extent: None,
            path: Some(place.here.root.clone()),
            memory_dir: place.here.memory_dir.clone(),
            project_dir: env.cwd.join(&place.location.project_dir),
            journal_dir: journal.exists.then_some(journal.directory),
            staged_dir: env.state_dir().map(|state| state.join("staged")),
            env: Some(env),
            any_env: viewer.env.clone(),
            kept: Mutex::default(),
            search: Mutex::default(),
        }
    }

    /// What people call it.
    pub(crate) fn title(&self) -> &str {
        let scope = SCOPES.iter().find(|(name, ..)| *name == self.slug).map(|(.., title)| *title);
        scope.or_else(|| self.path.as_ref().and_then(|path| path.file_name())).unwrap_or(&self.slug)
    }

    pub(crate) fn memory(&self) -> Result<Memory, PageError> {
        Ok(match (self.extent, &self.env) {
            (Some(extent), _) => Memory::beside(extent, &self.any_env)?,
            (None, Some(env)) => Memory::open(env, &ClientFlags::default())?,
            (None, None) => Memory::at_directory(&self.memory_dir, &self.any_env)?,
        })
    }

    /// The same for a change: what a killed process left half done is finished first.
    pub(crate) fn memory_to_change(&self, now: Timestamp) -> Result<Memory, PageError> {
        let mut memory = self.memory()?;
        if !memory.projects().finish_moves(now)?.is_empty() {
            memory = self.memory()?;
        }
        memory.settle()?;
        Ok(memory)
    }

    /// How full MEMORY.md is; `None` without one.
    pub(crate) fn index_usage(&self) -> Result<Option<Usage>, PageError> {
        let index = self.memory()?.read(&RelPath::parse(ENTRYPOINT)?)?;
        Ok(index.map(|content| Usage::of(&String::from_utf8_lossy(&content))))
    }

    /// The environment of a session there.
    pub(crate) fn env(&self) -> Result<&Env, PageError> {
        self.env.as_ref().ok_or_else(|| {
            PageError::missing("the project's own directory is gone, so no session can start there")
        })
    }

    /// Where something changes that a page shows.
    pub(crate) fn watched_dirs(&self) -> Vec<Utf8PathBuf> {
        let dirs = [Some(&self.memory_dir), self.journal_dir.as_ref(), self.staged_dir.as_ref()];
        dirs.into_iter().flatten().cloned().collect()
    }

    /// Forgets what was kept, because something changed.
    pub(crate) fn forget(&self) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Kept::default();
        // While the user searches, the index is fresh as of a moment ago; the flag is set when that is done.
        self.search.lock().unwrap_or_else(PoisonError::into_inner).is_fresh = false;
    }

    pub(crate) fn catalogue(&self) -> Result<Arc<Catalogue>, PageError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((catalogue, at)) = &kept.catalogue
            && at.elapsed() < BELIEVED_FOR * 300
        {
            return Ok(Arc::clone(catalogue));
        }
        let catalogue = Arc::new(self.memory()?.catalogue()?);
        kept.catalogue = Some((Arc::clone(&catalogue), Instant::now()));
        Ok(catalogue)
    }

    /// How fresh memories are, as far as a list knows.
    pub(crate) fn freshness(&self) -> Result<Arc<HashMap<RelPath, KnownFreshness>>, PageError> {
        let catalogue = self.catalogue()?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(freshness) = &kept.freshness {
            return Ok(Arc::clone(freshness));
        }
        let known = Arc::new(self.memory()?.known_freshness(&catalogue.entries, &catalogue));
        kept.freshness = Some(Arc::clone(&known));
        Ok(known)
    }

    /// Who wrote each file last, as far as the newest part of the history says.
    pub(crate) fn authors(&self) -> Result<Arc<HashMap<String, Author>>, PageError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(authors) = &kept.authors {
            return Ok(Arc::clone(authors));
        }
        let mut authors = HashMap::new();
        for operation in self.memory()?.log(LOOKED_AT)?.operations {
            for change in operation.changes.iter().filter(|change| change.after.is_some()) {
                authors.entry(change.path.to_string()).or_insert_with(|| operation.author.clone());
            }
        }
        let authors = Arc::new(authors);
        kept.authors = Some(Arc::clone(&authors));
        Ok(authors)
    }

    /// Searches the memories with the ranking of `memdir search`.
    pub(crate) fn search(
        &self,
        text: &str,
        limit: usize,
        now: Timestamp,
    ) -> Result<SearchResults, PageError> {
        let mut searches = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        let is_fresh = searches.is_fresh;
        searches.is_fresh = true;
        let searcher = match &mut searches.memories {
            Some(searcher) => searcher,
            none => none.insert(self.searcher(Source::markdown(self.memory_dir.clone(), Scope::Memories))?),
        };
        ask(searcher, text, limit, now, !is_fresh)
    }

    /// Searches past sessions.
    pub(crate) fn search_sessions(
        &self,
        text: &str,
        limit: usize,
        now: Timestamp,
    ) -> Result<SearchResults, PageError> {
        let mut searches = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        let searcher = match &mut searches.sessions {
            Some(searcher) => searcher,
            none => none.insert(self.searcher(Source::transcripts(self.project_dir.clone()))?),
        };
        ask(searcher, text, limit, now, true)
    }

    /// Memories that mean nearly the same, as far as an installed model has read them.
    pub(crate) fn neighbours(&self, least: f32, most: usize) -> Result<Vec<(String, String)>, PageError> {
        let source = Source::markdown(self.memory_dir.clone(), Scope::Memories);
        Ok(self.searcher(source)?.neighbours(least, most))
    }

    fn searcher(&self, source: Source) -> Result<Searcher, PageError> {
        let cache = sources::index_folder(&self.any_env).ok_or_else(|| {
            PageError::missing("there is no place for the search index: set HOME or MEMDIR_HOME")
        })?;
        Ok(Searcher::open(&cache, vec![source]).with_usage(sources::usage(&self.any_env)))
    }
}

fn ask(
    searcher: &mut Searcher,
    text: &str,
    limit: usize,
    now: Timestamp,
    refresh: bool,
) -> Result<SearchResults, PageError> {
    let deadline = Some(Instant::now() + PATIENCE);
    let mut limits = Limits { now, deadline, progress: &mut |_, _| {} };
    if refresh {
        searcher.refresh(&mut limits)?;
    }
    let query = searcher.parse(text, now.to_zoned(TimeZone::system()).date());
    let options = Options { limit, now, snippets: true };
    Ok(searcher.search_repairing(&query, &options, &mut limits)?)
}
