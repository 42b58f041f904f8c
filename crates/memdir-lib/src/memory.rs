//! One memory directory: what an agent's author and every command work with.

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::agents::AgentDirs;
use memdir_core::config::{self, Config, WriteScope};
use memdir_core::env::Env;
use memdir_core::gate::{Admission, Admitted, WriteGate, secrets_policy};
use memdir_core::locate::Trust;
use memdir_core::look::{Look, LookError};
use memdir_core::memory::entrypoint::{ENTRYPOINT, Loaded, Profile, load};
use memdir_core::operation::{Author, OperationId, StoreId};
use memdir_core::plan::Plan;
use memdir_core::rel_path::RelPath;
use memdir_core::settings::ClientFlags;
use memdir_core::trust::judge_directory;
use memdir_disk::allow_list;
use memdir_disk::apply::{Applied, LOCK_PATIENCE, OnConflict, Request, Store, apply};
use memdir_disk::disk_error::DiskError;
use memdir_disk::forget::collect;
use memdir_disk::history::Bounds;
use memdir_disk::memory_root::MemoryRoot;
use memdir_disk::notice::Noticed;
use memdir_disk::real_look::RealLook;

use crate::freshness::follow;
use crate::place::Place;
use crate::projects::{Here, Probe, Projects};
use memdir_disk::real_path::real_path;

mod archive;
mod archived_history;
mod carry;
mod catalogue;
mod change;
mod changes;
mod daily_log;
mod dreaming;
mod error;
mod extent;
mod extraction;
mod freshness;
mod health;
mod history;
mod import;
mod import_git;
mod look;
pub(crate) mod merge;
mod purge;
mod recovery;
mod review;
mod scope;
mod tool_write;
mod verification;
mod warning;

pub use catalogue::{Catalogue, Entry};
pub use changes::NewMemory;
pub use daily_log::Logged;
pub use error::MemoryError;
pub use extent::Extent;
pub use extraction::{ExtractionOccasion, ExtractionPlan};
pub use freshness::KnownFreshness;
pub use history::Log;
pub use import::{ExportImportError, Import};
pub use import_git::GitImport;
pub use purge::{PURGED, Purge, Purged};
pub(crate) use review::propose;
pub use review::{ReviewDecision, Submitted};
pub use scope::{BranchFate, Due};
pub(crate) use tool_write::WRITES_OFF;
pub use tool_write::{ToolChange, ToolVerdict};
pub use verification::VerifiedMemory;
pub use warning::{ToolWarning, memories_in_use};

/// The largest file that is read as a memory. A larger one is listed and named as a problem.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// A memory directory, which need not exist yet: looking never creates it, the first write does.
#[derive(Debug)]
pub struct Memory {
    here: Here,
    projects: Projects,
    state_dir: Option<Utf8PathBuf>,
    store: Option<StoreId>,
    trust: Trust,
    scope: WriteScope,
    config_file: Option<Utf8PathBuf>,
    root: Option<MemoryRoot>,
    /// How much of the directory is ours, if it is not the memory of a project.
    beside: Option<Extent>,
    /// Whether the client's rule says that memory is on here.
    is_on: bool,
}

/// Who wants a plan applied, and what it is for.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'w> {
    /// Who wants it.
    pub author: &'w Author,
    /// The operation that it undoes.
    pub undo_of: Option<&'w OperationId>,
    /// The staged plan that it accepts.
    pub staged: Option<&'w str>,
    /// What to do where another person's change cannot be merged.
    pub on_conflict: OnConflict,
    /// Whether the directory is looked through if that never happened, and history that is too long is shortened
    /// afterwards. Not for hooks.
    pub look: bool,
    /// Whether the content stood in a memory before, so that no rule about secrets may change it now.
    pub verbatim: bool,
    /// Whether the asker plans anew where another process changed a file meanwhile, so that nothing is merged.
    pub replans: bool,
}

impl<'w> Wish<'w> {
    /// An ordinary change.
    #[must_use]
    pub fn of(author: &'w Author) -> Self {
        Self {
            author,
            undo_of: None,
            staged: None,
            on_conflict: OnConflict::KeepBoth,
            look: true,
            verbatim: false,
            replans: false,
        }
    }

    /// The undoing of an operation: all of it or nothing, with the content as it stood.
    #[must_use]
    pub fn undoing(operation: &'w OperationId, author: &'w Author) -> Self {
        let undo_of = Some(operation);
        Self { undo_of, on_conflict: OnConflict::Refuse, verbatim: true, ..Self::of(author) }
    }

    /// A change whose asker plans it anew where another process changed a file meanwhile.
    #[must_use]
    pub fn replanned(author: &'w Author) -> Self {
        Self { on_conflict: OnConflict::Refuse, replans: true, ..Self::of(author) }
    }
}

impl Memory {
    /// Opens the memory of the project in which `env.cwd` is.
    ///
    /// # Errors
    /// What the client itself would refuse to start with, or a directory that cannot be opened.
    pub fn open(env: &Env, flags: &ClientFlags) -> Result<Self, MemoryError> {
        Self::at_place(Place::find(env, flags)?, env)
    }

    /// Opens the memory of a place that was found already.
    ///
    /// # Errors
    /// The directory is there and cannot be opened.
    pub fn at_place(place: Place, env: &Env) -> Result<Self, MemoryError> {
        Ok(Self {
            root: open_if_there(&place.here.memory_dir)?,
            here: place.here,
            projects: place.projects,
            state_dir: env.state_dir(),
            store: place.look_up.store,
            trust: place.location.trust,
            scope: WriteScope::Memory,
            config_file: env.config_file(),
            beside: None,
            is_on: place.location.enabled,
        })
    }

    /// Opens any directory as a memory directory: one that the user names.
    ///
    /// # Errors
    /// What keeps the client's settings from being read, or a directory that cannot be opened.
    pub fn at_directory(directory: &Utf8Path, env: &Env) -> Result<Self, MemoryError> {
        let mut place = Place::find(env, &ClientFlags::default())?;
        if let Some(extent) = extent::extent_of(&env.cwd.join(directory), place.settings.config_dir(), env) {
            return Self::beside(extent, env);
        }
        let agents = AgentDirs::new(env, &place.settings, &place.location.root);
        place.here.memory_dir = env.cwd.join(directory);
        let scope = agents.scope_of(&place.here.memory_dir).map_or(WriteScope::Memory, WriteScope::from);
        place.here.root = place.here.memory_dir.clone();
        place.here.common_dir = None;
        place.look_up = place.projects.look_up(&place.here);
        let real = real_path(&place.here.memory_dir).unwrap_or_else(|_| place.here.memory_dir.clone());
        let config_dir = env.cwd.join(place.settings.config_dir());
        place.location.trust = match judge_directory(&real, env.home.as_deref(), &config_dir) {
            Ok(()) => Trust::Yes,
            Err(refused) => Trust::Never(refused),
        };
        Ok(Self { scope, ..Self::at_place(place, env)? })
    }

    /// The memory of a place to which files are brought, with a store that is known.
    pub(crate) fn for_move(
        here: Here,
        projects: Projects,
        state_dir: &Utf8Path,
        store: Option<StoreId>,
    ) -> Result<Self, MemoryError> {
        Ok(Self {
            root: open_if_there(&here.memory_dir)?,
            here,
            projects,
            state_dir: Some(state_dir.to_owned()),
            store,
            trust: Trust::Yes,
            scope: WriteScope::Memory,
            config_file: None,
            beside: None,
            is_on: true,
        })
    }

    /// All projects beside this one.
    #[must_use]
    pub fn projects(&self) -> &Projects {
        &self.projects
    }

    /// The memory directory.
    #[must_use]
    pub fn directory(&self) -> &Utf8Path {
        &self.here.memory_dir
    }

    /// The open directory; `None` while there is none.
    #[must_use]
    pub fn root(&self) -> Option<&MemoryRoot> {
        self.root.as_ref()
    }

    /// Reads a file of the directory; `None` if there is none.
    ///
    /// # Errors
    /// A link or something other than a regular file is there, it is too large, or the system fails.
    pub fn read(&self, path: &RelPath) -> Result<Option<Vec<u8>>, MemoryError> {
        match &self.root {
            Some(root) => Ok(root.read(path, MAX_FILE_BYTES)?),
            None => Ok(None),
        }
    }

    /// MEMORY.md exactly as an agent gets it.
    ///
    /// # Errors
    /// As [`Memory::read`].
    pub fn load(&self, profile: Profile) -> Result<Loaded, MemoryError> {
        let bytes = self.read(&entrypoint()?)?.unwrap_or_default();
        Ok(load(&bytes, profile))
    }

    /// Applies a plan that was made from this directory: durable when it returns.
    ///
    /// What another process changed in the meantime is merged, or kept beside; no write is lost.
    ///
    /// # Errors
    /// A rule forbids it, or the system failed; then nothing has changed.
    pub fn apply(&mut self, plan: &Plan, author: &Author, now: Timestamp) -> Result<Applied, MemoryError> {
        self.apply_as(plan, &Wish::of(author), now)
    }

    /// Applies a plan as the caller wishes: to undo an operation, or to accept a staged plan.
    ///
    /// # Errors
    /// As [`Memory::apply`]; with [`OnConflict::Refuse`] also a change of another process that cannot be merged.
    pub fn apply_as(&mut self, plan: &Plan, wish: &Wish<'_>, now: Timestamp) -> Result<Applied, MemoryError> {
        if plan.changes.is_empty() {
            return Ok(Applied { operation: None, conflicts: Vec::new(), warnings: plan.warnings.clone() });
        }
        self.may_write()?;
        // What others did to the files of this plan is recorded with it; to all others, at the next look. Without a
        // table there was none yet.
        let is_new = wish.look && self.store.as_ref().is_none_or(|_| self.table().is_none());
        let noticed = if is_new { self.look(now)? } else { Noticed::default() };
        let state_dir = self.state_dir.clone().ok_or(MemoryError::NoStateDir)?;
        let plan = &self.admitted(plan, wish)?;
        let store = self.store_id(now)?;
        let store = Store {
            memory_dir: &self.here.memory_dir,
            id: &store,
            state_dir: &state_dir,
            follow_entrypoint_link: false,
        };
        let request = Request {
            author: wish.author,
            time: now,
            undo_of: wish.undo_of,
            staged: wish.staged,
            on_conflict: wish.on_conflict,
            patience: LOCK_PATIENCE,
            merge: if wish.replans { &|_, _, _, _| None } else { &merge::merge },
        };
        let mut applied = apply(&store, plan, &request)?;
        applied.warnings.extend(look::warnings(&noticed));
        // The change is durable; a history that is too long is shortened now or the next time.
        if wish.look
            && self.is_looked_at()
            && let Err(error) =
                self.config().and_then(|config| Ok(collect(&store, Bounds::of(config.history), now)?))
        {
            applied.warnings.push(format!("old history could not be collected: {error}"));
        }
        self.reopen();
        if let Some(operation) = &applied.operation {
            follow(&state_dir, &self.here.memory_dir, operation);
        }
        Ok(applied)
    }

    /// Makes the directory if there is none, as the client does when a session starts.
    ///
    /// # Errors
    /// Memory may not be written there, or the system fails.
    pub fn make_directory(&mut self) -> Result<(), MemoryError> {
        if self.root.is_none() {
            self.may_write()?;
            self.root = Some(MemoryRoot::open_or_create(&self.here.memory_dir)?);
        }
        Ok(())
    }

    /// Opens a directory that was made meanwhile.
    fn reopen(&mut self) {
        // That it cannot be opened now does not undo what was acknowledged; the next to ask is told.
        if self.root.is_none() {
            self.root = open_if_there(&self.here.memory_dir).unwrap_or_default();
        }
    }

    fn may_write(&self) -> Result<(), MemoryError> {
        let directory = self.here.memory_dir.clone();
        match &self.trust {
            Trust::Yes => Ok(()),
            Trust::NeedsConsent => Err(MemoryError::NeedsConsent { directory }),
            Trust::Never(refused) => Err(MemoryError::NeverWritten { directory, refused: *refused }),
        }
    }

    /// Refuses work on memory that is switched off, before it leaves a lock or a mark anywhere.
    pub(crate) fn must_be_on(&self) -> Result<(), MemoryError> {
        let is_on = self.is_on && self.config()?.features.auto_memory;
        if is_on { Ok(()) } else { Err(MemoryError::MemoryOff) }
    }

    /// What the write gate makes of a plan that is applied now.
    fn admitted(&self, plan: &Plan, wish: &Wish<'_>) -> Result<Admitted<Plan>, MemoryError> {
        if wish.verbatim {
            return Ok(Admitted::verbatim(plan.clone()));
        }
        let plan = plan.clone();
        self.gate(wish.author, |gate| match wish.staged {
            Some(_) => Ok(gate.accepted(plan)?),
            None => match gate.admit(plan)? {
                Admission::Apply(admitted) => Ok(admitted),
                Admission::Review(_) => Err(MemoryError::NeedsReview),
            },
        })
    }

    /// Asks the write gate of this directory something for an author.
    pub(crate) fn gate<T>(
        &self,
        author: &Author,
        ask: impl FnOnce(&WriteGate<'_>) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        let state_dir = self.state_dir.as_deref().ok_or(MemoryError::NoStateDir)?;
        let allowed = allow_list::load(state_dir)?;
        let config = self.config()?;
        ask(&WriteGate {
            author: author.kind,
            is_on: self.is_on && config.features.auto_memory,
            mode: config.mode(author.kind, self.store.as_ref(), self.scope()),
            secrets: secrets_policy(config.secrets.on_write, author.kind),
            allowed: allowed.as_ref(),
        })
    }

    /// The user's own settings of memdir; defaults where there are none.
    ///
    /// # Errors
    /// The file is there and cannot be understood. Guessing could write what the user forbade.
    pub fn config(&self) -> Result<Config, MemoryError> {
        read_config(self.config_file.as_deref())
    }

    /// The id of this directory, made and remembered at its first write.
    fn store_id(&mut self, now: Timestamp) -> Result<StoreId, MemoryError> {
        self.store_id_at(Probe::Full, now)
    }

    /// The id of this directory, made and remembered if it has none.
    ///
    /// # Errors
    /// The registry cannot be written.
    pub fn id(&mut self, now: Timestamp) -> Result<StoreId, MemoryError> {
        self.store_id_at(Probe::Cheap, now)
    }

    /// The id of this directory, if it has one.
    #[must_use]
    pub fn known_id(&self) -> Option<&StoreId> {
        self.store.as_ref()
    }

    /// The id of this directory, with all that is known about its project brought up to date.
    pub(crate) fn sighted(&mut self, now: Timestamp) -> Result<StoreId, MemoryError> {
        self.may_write()?;
        self.store = None;
        self.store_id(now)
    }

    /// Where our state is, and the id of this directory; `None` while it has none.
    pub(crate) fn state_and_store(&self) -> Option<(&Utf8Path, &StoreId)> {
        self.state_dir.as_deref().zip(self.store.as_ref())
    }

    /// The same, spending no more than `depth` on knowing the project: a hook cannot wait for a git process.
    fn store_id_at(&mut self, depth: Probe, now: Timestamp) -> Result<StoreId, MemoryError> {
        if let Some(store) = &self.store {
            return Ok(store.clone());
        }
        let record = match self.beside {
            Some(_) => self.projects.record_directory(&self.here.memory_dir, now)?,
            None => self.projects.record_sighting(&self.here, depth, now)?,
        };
        self.store = Some(record.store.clone());
        Ok(record.store)
    }
}

/// The user's settings of memdir in a file; defaults where there is none.
pub(crate) fn read_config(path: Option<&Utf8Path>) -> Result<Config, MemoryError> {
    let Some(path) = path else { return Ok(Config::default()) };
    let unusable = |message: String| MemoryError::Config { path: path.to_owned(), message };
    match RealLook.read(path, config::MAX_BYTES) {
        Ok(bytes) => {
            let text = String::from_utf8(bytes).map_err(|_| unusable("not valid UTF-8".to_owned()))?;
            Ok(Config::parse(&text).map_err(|error| unusable(error.to_string()))?.config)
        }
        Err(LookError::NotFound) => Ok(Config::default()),
        Err(error) => Err(unusable(error.to_string())),
    }
}

fn open_if_there(directory: &Utf8Path) -> Result<Option<MemoryRoot>, DiskError> {
    match MemoryRoot::open(directory) {
        Ok(root) => Ok(Some(root)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

pub(crate) fn entrypoint() -> Result<RelPath, MemoryError> {
    Ok(RelPath::parse(ENTRYPOINT)?)
}
