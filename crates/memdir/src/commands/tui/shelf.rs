//! What the terminal shows of one memory directory, and how it is changed: by the plans of the commands.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use camino::Utf8PathBuf;
use jiff::tz::TimeZone;
use memdir_core::env::Env;
use memdir_core::history::lineage::Moment;
use memdir_core::operation::{Author, Operation, OperationId};
use memdir_core::plan::Plan;
use memdir_core::rel_path::RelPath;
use memdir_core::settings::ClientFlags;
use memdir_disk::apply::Applied;
use memdir_disk::watch::DirectoryWatch;
use memdir_lib::memory::{Catalogue, Entry, Log, Memory, Submitted, Wish};
use memdir_lib::place::Place;
use memdir_lib::sources;
use memdir_search::{Hit, Limits, Options, Scope, Searcher, Source};

use super::super::memory::Which;
use super::super::undo::{TakenBack, take_back};
use crate::world::World;

/// How long a first indexing may take before what is there is answered.
const PATIENCE: Duration = Duration::from_secs(5);
/// So many hits a search shows.
const MAX_HITS: usize = 200;
/// So many of the newest operations are listed.
pub(super) const LISTED: usize = 2_000;

/// One memory directory and the sessions of its project.
pub(super) struct Shelf {
    which: Which,
    env: Env,
    memory: Memory,
    pub(super) project_dir: Utf8PathBuf,
    /// What people call the project or the directory.
    pub(super) title: String,
    pub(super) catalogue: Catalogue,
    memories: Option<Searcher>,
    sessions: Option<Searcher>,
    /// Whether something may have changed since the last search.
    is_stale: bool,
    watch: Option<DirectoryWatch>,
}

impl Shelf {
    pub(super) fn open(which: &Which, world: &mut World) -> Result<Self> {
        let env = world.env()?;
        let memory = which.open(world)?;
        let place = Place::find(&env, &ClientFlags::default())?;
        let root = if which.is_project() { place.here.root.as_path() } else { memory.directory() };
        let title = root.file_name().unwrap_or("memory").to_owned();
        let mut watch = DirectoryWatch::new();
        if let Some(watch) = &mut watch {
            let staged = env.state_dir().map(|state| state.join("staged"));
            for directory in [Some(memory.directory().to_owned()), staged].into_iter().flatten() {
                watch.add_tree(&directory);
            }
        }
        let project_dir = env.cwd.join(&place.location.project_dir);
        let catalogue = memory.catalogue()?;
        Ok(Self {
            which: which.clone(),
            env,
            memory,
            project_dir,
            title,
            catalogue,
            memories: None,
            sessions: None,
            is_stale: true,
            watch,
        })
    }

    pub(super) fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(super) fn entry(&self, path: &str) -> Option<&Entry> {
        self.catalogue.entries.iter().find(|entry| entry.path.as_str() == path)
    }

    /// Whether a file was written since the last look.
    pub(super) fn was_changed(&mut self) -> bool {
        let look = self.watch.as_mut().map(DirectoryWatch::look).unwrap_or_default();
        look.is_incomplete || !look.happened.is_empty()
    }

    /// Reads anew what is there.
    pub(super) fn reload(&mut self, world: &mut World) -> Result<()> {
        self.memory = self.which.open(world)?;
        self.catalogue = self.memory.catalogue()?;
        self.is_stale = true;
        if let Some(watch) = &mut self.watch {
            watch.add_tree(self.memory.directory());
        }
        Ok(())
    }

    /// What was done here, with what other programs did in between.
    pub(super) fn log(&mut self, world: &World) -> Result<Log> {
        // That this fails hides nothing else.
        let _ = self.memory.look(world.now);
        Ok(self.memory.log(LISTED)?)
    }

    /// Searches memories with the ranking of `memdir search`.
    pub(super) fn search(&mut self, text: &str, world: &World) -> Result<Vec<Hit>> {
        let source = Source::markdown(self.memory.directory().to_owned(), Scope::Memories);
        let is_stale = std::mem::take(&mut self.is_stale);
        ask(&self.env, &mut self.memories, source, text, is_stale, world)
    }

    /// Searches what was said in past sessions.
    pub(super) fn search_sessions(&mut self, text: &str, world: &World) -> Result<Vec<Hit>> {
        let source = Source::transcripts(self.project_dir.clone());
        ask(&self.env, &mut self.sessions, source, text, true, world)
    }

    /// Makes a change for the person, and says what became of it.
    pub(super) fn change(
        &mut self,
        world: &mut World,
        plan: impl FnOnce(&Memory) -> Result<Plan>,
    ) -> Result<String> {
        let mut memory = self.which.open(world)?;
        let plan = plan(&memory)?;
        let submitted = memory.submit(&plan, &Wish::of(&Author::person()), world.now)?;
        let said = said(&plan, submitted);
        self.reload(world)?;
        said
    }

    /// Accepts a change that waits, or puts it aside for good.
    pub(super) fn answer(&mut self, id: &str, accepts: bool, world: &mut World) -> Result<String> {
        let mut memory = self.which.open(world)?;
        let staged = memory.waiting_plan(id)?;
        let said = if accepts {
            done(&staged.plan, &memory.accept(&staged, world.now)?)
        } else {
            let said = memory.reject(&staged)?;
            std::iter::once("Rejected. The same change is not proposed again.".to_owned())
                .chain(said)
                .collect::<Vec<_>>()
                .join(" ")
        };
        self.reload(world)?;
        Ok(said)
    }

    /// The operation with this id, or the person's last that can be undone; and what an undo would do.
    pub(super) fn plan_undo(&mut self, id: Option<&str>) -> Result<Option<(Operation, Plan)>> {
        let person = Author::person();
        let log = match id {
            Some(_) => self.memory.log(usize::MAX)?,
            None => self.memory.log_to_undo(&person)?,
        };
        let Some(operation) = log.to_undo(id, &person)? else { return Ok(None) };
        let plan = self.memory.plan_undo(operation, format!("undo: {}", operation.reason), &log)?;
        Ok(Some((operation.clone(), plan)))
    }

    /// Brings a memory back as it was after an operation.
    pub(super) fn restore(&mut self, path: &RelPath, id: &str, world: &mut World) -> Result<String> {
        let moment = Moment::After(OperationId(id.to_owned()));
        self.change(world, |memory| Ok(memory.plan_restore(path, &moment, &memory.log(usize::MAX)?)?))
    }

    pub(super) fn undo(&mut self, id: &str, world: &mut World) -> Result<String> {
        let mut memory = self.which.open(world)?;
        memory.look(world.now)?;
        let log = memory.log(usize::MAX)?;
        let operation = log.find(id)?.clone();
        let said = match take_back(&operation, &log, &mut memory, &Author::person(), world.now)? {
            TakenBack::Moved(moved) => {
                format!("The files are in their old place again. {}", moved.warnings.join(" "))
            }
            TakenBack::Submitted(plan, submitted) => said(&plan, submitted)?,
        };
        self.reload(world)?;
        Ok(said)
    }
}

/// What became of a plan, in a line.
fn said(plan: &Plan, submitted: Submitted) -> Result<String> {
    match submitted {
        Submitted::Applied(applied) => Ok(done(plan, &applied)),
        Submitted::Staged { id, .. } => Ok(format!("The change waits for review as {id}.")),
        Submitted::Rejected => Err(anyhow!("you rejected this change before")),
    }
}

fn done(plan: &Plan, applied: &Applied) -> String {
    let mut parts = match applied.operation {
        Some(_) => vec![format!("Done: {}", plan.reason)],
        None => vec!["Nothing to change.".to_owned()],
    };
    parts.extend(applied.conflicts.iter().map(|conflict| match &conflict.kept_as {
        Some(kept) => {
            format!(
                "`{}` was changed by another program, too; the other version is in `{kept}`",
                conflict.path
            )
        }
        None => format!("`{}` was changed by another program and stays", conflict.path),
    }));
    parts.extend(applied.warnings.iter().cloned());
    parts.join("; ")
}

fn ask(
    env: &Env,
    searcher: &mut Option<Searcher>,
    source: Source,
    text: &str,
    refresh: bool,
    world: &World,
) -> Result<Vec<Hit>> {
    let searcher = match searcher {
        Some(searcher) => searcher,
        none => {
            let cache = sources::index_folder(env)
                .ok_or_else(|| anyhow!("there is no place for the search index: set HOME or MEMDIR_HOME"))?;
            none.insert(Searcher::open(&cache, vec![source]).with_usage(sources::usage(env)))
        }
    };
    let mut limits =
        Limits { now: world.now, deadline: Some(Instant::now() + PATIENCE), progress: &mut |_, _| {} };
    if refresh {
        searcher.refresh(&mut limits)?;
    }
    let query = searcher.parse(text, world.now.to_zoned(TimeZone::system()).date());
    let options = Options { limit: MAX_HITS, now: world.now, snippets: true };
    let found = searcher.search_repairing(&query, &options, &mut limits)?;
    Ok(found.hits.into_iter().chain(found.nearest).collect())
}
