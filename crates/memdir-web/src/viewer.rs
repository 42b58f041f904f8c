//! One run of the viewer: what all requests share.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::env::Env;
use memdir_core::settings::ClientFlags;
use memdir_lib::place::Place;
use memdir_lib::projects::Survey;

use crate::access::Access;
use crate::attention::Attentions;
use crate::live::Live;
use crate::project::OpenProject;
use crate::reply::PageError;

/// So many texts that a user began to edit are kept, and so many bytes of them.
const MAX_BASES: usize = 64;
const MAX_BASE_BYTES: usize = 32 << 20;

pub(crate) struct Viewer {
    pub(crate) env: Env,
    clock: fn() -> Timestamp,
    pub(crate) access: Access,
    pub(crate) live: Live,
    pub(crate) attentions: Attentions,
    open: Mutex<HashMap<String, Arc<OpenProject>>>,
    bases: Mutex<VecDeque<(ContentHash, Vec<u8>)>>,
    last_request: Mutex<Instant>,
}

impl Viewer {
    pub(crate) fn new(env: Env, clock: fn() -> Timestamp, access: Access) -> Self {
        Self {
            env,
            clock,
            access,
            live: Live::new(),
            attentions: Attentions::default(),
            open: Mutex::default(),
            bases: Mutex::default(),
            last_request: Mutex::new(Instant::now()),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Notes that a person did something.
    pub(crate) fn touch(&self) {
        *self.last_request.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    pub(crate) fn idle_for(&self) -> Duration {
        self.last_request.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// The project in which `memdir ui` was started.
    pub(crate) fn start(&self) -> Result<Place, PageError> {
        Ok(Place::find(&self.env, &ClientFlags::default())?)
    }

    /// All projects, each with its journal.
    pub(crate) fn projects(&self) -> Result<Survey, PageError> {
        Ok(self.start()?.projects.survey().with_journals_folded())
    }

    /// A project by the name of its directory.
    pub(crate) fn project(&self, slug: &str) -> Result<Arc<OpenProject>, PageError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(project) = open.get(slug) {
            self.live.poll();
            return Ok(Arc::clone(project));
        }
        let project = Arc::new(OpenProject::find(self, slug)?);
        self.live.follow(&project);
        open.insert(slug.to_owned(), Arc::clone(&project));
        Ok(project)
    }

    /// Keeps a text that a user begins to edit, so that a later save can be merged with it.
    pub(crate) fn keep_base(&self, content: &[u8]) -> ContentHash {
        let hash = ContentHash::of(content);
        let mut bases = self.bases.lock().unwrap_or_else(PoisonError::into_inner);
        bases.retain(|(known, _)| *known != hash);
        bases.push_back((hash, content.to_vec()));
        while bases.len() > MAX_BASES
            || (bases.len() > 1 && bases.iter().map(|(_, text)| text.len()).sum::<usize>() > MAX_BASE_BYTES)
        {
            bases.pop_front();
        }
        hash
    }

    pub(crate) fn base(&self, hash: ContentHash) -> Option<Vec<u8>> {
        let bases = self.bases.lock().unwrap_or_else(PoisonError::into_inner);
        bases.iter().find(|(known, _)| *known == hash).map(|(_, text)| text.clone())
    }
}
