//! Snapshots of agents' memory: making one, and taking one over when its user says so.

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::agents::snapshot::{
    self, BadSnapshot, Files, MANIFEST, MAX_FILE_BYTES, Manifest, Outcome, Snapshot, Standing, TakenOver,
    VERSION, snapshot_dir, standing, take_over,
};
use memdir_core::agents::{AgentName, Scope};
use memdir_core::history::short_ids::ShortIds;
use memdir_core::history::undone;
use memdir_core::hygiene::{Reason, flag};
use memdir_core::operation::{Author, Operation, OperationId};
use memdir_core::plan::{Content, Plan};
use memdir_core::rel_path::RelPath;
use memdir_core::secrets::scan;
use memdir_disk::history::History;
use memdir_disk::memory_root::MemoryRoot;

use super::agent_store::read_files;
use super::{Agents, AgentsError};
use crate::memory::Submitted;

/// The longest manifest that is read.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// The snapshot that a project has for one agent, and the user's memory of that agent.
#[derive(Debug)]
pub struct Snapshots<'a> {
    agents: &'a Agents,
    name: &'a AgentName,
    memory_dir: Utf8PathBuf,
    snapshot_dir: Utf8PathBuf,
}

/// What the user decided on a snapshot.
enum Decision {
    /// To keep their own memory.
    Kept,
    /// To take it over, by this operation if a file changed.
    Took(Option<OperationId>),
}

/// How a snapshot and the user's memory relate to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotStatus {
    /// The comparison.
    pub standing: Standing,
    /// When the snapshot was made.
    pub created: Option<Timestamp>,
    /// The snapshot on which the user last decided.
    pub decided: Option<Timestamp>,
    /// What taking it over would do to each file, if there is something to decide.
    pub outcomes: Vec<(RelPath, Outcome)>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// What making or taking over a snapshot did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// When the snapshot was made.
    pub created: Timestamp,
    /// The operation, if a file changed.
    pub operation: Option<OperationId>,
    /// The id under which the change waits for the user instead.
    pub staged: Option<String>,
    /// What became of each file.
    pub outcomes: Vec<(RelPath, Outcome)>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

impl<'a> Snapshots<'a> {
    /// The snapshot of an agent in this project. Only memory of scope `user` is handed on this way: that of the
    /// project is in the repository already.
    ///
    /// # Errors
    /// A link in the repository leads out of it.
    pub fn open(agents: &'a Agents, name: &'a AgentName) -> Result<Self, AgentsError> {
        let snapshot_dir = snapshot_dir(&agents.env.cwd, name);
        agents.confined(Scope::Project, &snapshot_dir)?;
        let memory_dir = agents.memory_dir(name, Scope::User);
        Ok(Self { agents, name, memory_dir, snapshot_dir })
    }

    /// Where the snapshot is.
    #[must_use]
    pub fn directory(&self) -> &Utf8Path {
        &self.snapshot_dir
    }

    /// The user's memory of the agent.
    #[must_use]
    pub fn memory_dir(&self) -> &Utf8Path {
        &self.memory_dir
    }

    /// Compares; changes nothing.
    ///
    /// # Errors
    /// The snapshot is not what its manifest says, or something cannot be read.
    pub fn status(&self) -> Result<SnapshotStatus, AgentsError> {
        let mut warnings = Vec::new();
        let snapshot = self.read()?;
        let taken = self.taken()?;
        let mine = read_files(&self.memory_dir, &mut warnings)?;
        let created = snapshot.as_ref().map(|snapshot| snapshot.created);
        let standing = standing(created, taken.as_ref(), !mine.is_empty());
        let outcomes = match (&snapshot, standing) {
            (Some(snapshot), Standing::Initialise | Standing::Newer) => {
                take_over(snapshot, &mine, &base(taken.as_ref(), &mine)).outcomes
            }
            _ => Vec::new(),
        };
        if !outcomes.is_empty() {
            warnings.extend(snapshot.iter().flat_map(suspicions));
        }
        let decided = taken.map(|taken| taken.decided);
        Ok(SnapshotStatus { standing, created, decided, outcomes, warnings })
    }

    /// Makes a snapshot of the user's memory, or brings the one that exists up to date; `None` if it is.
    ///
    /// # Errors
    /// There is no memory, it holds a secret or is too large, or something cannot be written.
    pub fn create(&self, author: &Author, now: Timestamp) -> Result<Option<Kept>, AgentsError> {
        let mut warnings = Vec::new();
        let memory = read_files(&self.memory_dir, &mut warnings)?;
        if memory.is_empty() {
            return Err(AgentsError::NoMemory(self.memory_dir.clone()));
        }
        let secrets = secrets(&memory);
        if !secrets.is_empty() {
            return Err(AgentsError::Secrets(secrets));
        }
        let mut before = read_files(&self.snapshot_dir, &mut Vec::new())?;
        if let Some(manifest) = self.read_file(&manifest_path()?, MAX_MANIFEST_BYTES)? {
            before.insert(manifest_path()?, Content(manifest));
        }
        let created = snapshot::create(&memory, &before, now).map_err(|problem| self.bad(problem))?;
        let Some(made) = created else { return Ok(None) };
        let (operation, staged) =
            self.submit(Scope::Project, &self.snapshot_dir, &made.plan, author, now, &mut warnings)?;
        if staged.is_none() {
            self.remember(made.created, Decision::Took(None), memory)?;
        }
        Ok(Some(Kept { created: made.created, operation, staged, outcomes: Vec::new(), warnings }))
    }

    /// Takes the snapshot over: whole where there is no memory, else merged with what was learned since.
    ///
    /// # Errors
    /// There is no snapshot, it is not what its manifest says, or something cannot be written.
    pub fn apply(&self, author: &Author, now: Timestamp) -> Result<Kept, AgentsError> {
        let mut warnings = Vec::new();
        let snapshot = self.read()?.ok_or_else(|| AgentsError::NoSnapshot(self.snapshot_dir.clone()))?;
        let taken = self.taken()?;
        warnings.extend(suspicions(&snapshot));
        let mine = read_files(&self.memory_dir, &mut warnings)?;
        let answer = take_over(&snapshot, &mine, &base(taken.as_ref(), &mine));
        let (operation, staged) = if answer.plan.changes.is_empty() {
            warnings.extend(answer.plan.warnings);
            (None, None)
        } else {
            self.submit(Scope::User, &self.memory_dir, &answer.plan, author, now, &mut warnings)?
        };
        // What waits is not decided yet.
        if staged.is_none() {
            self.remember(snapshot.created, Decision::Took(operation.clone()), snapshot.files)?;
        }
        Ok(Kept { created: snapshot.created, operation, staged, outcomes: answer.outcomes, warnings })
    }

    fn submit(
        &self,
        scope: Scope,
        directory: &Utf8Path,
        plan: &Plan,
        author: &Author,
        now: Timestamp,
        warnings: &mut Vec<String>,
    ) -> Result<(Option<OperationId>, Option<String>), AgentsError> {
        match self.agents.submit((self.name, scope), directory, plan, author, now)? {
            Submitted::Applied(applied) => {
                warnings.extend(applied.warnings);
                Ok((applied.operation.map(|operation| operation.id), None))
            }
            Submitted::Staged { id, warnings: more } => {
                warnings.extend(more);
                Ok((None, Some(id)))
            }
            Submitted::Rejected => Err(AgentsError::Rejected),
        }
    }

    /// Leaves the user's memory as it is, and does not offer this snapshot again.
    ///
    /// # Errors
    /// There is no snapshot, or something cannot be written.
    pub fn keep(&self) -> Result<Timestamp, AgentsError> {
        let snapshot = self.read()?.ok_or_else(|| AgentsError::NoSnapshot(self.snapshot_dir.clone()))?;
        // The next merge is still made from what was last taken over.
        let taken = self.taken()?.map(|taken| taken.files).unwrap_or_default();
        self.remember(snapshot.created, Decision::Kept, taken)?;
        Ok(snapshot.created)
    }

    fn remember(&self, decided: Timestamp, decision: Decision, files: Files) -> Result<(), AgentsError> {
        let (kept, operation) = match decision {
            Decision::Kept => (true, None),
            Decision::Took(operation) => (false, operation),
        };
        let record = TakenOver {
            v: VERSION,
            memory_dir: self.memory_dir.clone(),
            snapshot_dir: self.snapshot_dir.clone(),
            decided,
            kept,
            operation,
            files,
        };
        Ok(self.agents.registry()?.record_taken_over(&record)?)
    }

    fn taken(&self) -> Result<Option<TakenOver>, AgentsError> {
        let taken = self.agents.registry()?.taken_over(&self.memory_dir, &self.snapshot_dir)?;
        let is_undone = match taken.as_ref().and_then(|taken| taken.operation.as_ref()) {
            Some(operation) => self.is_undone(operation)?,
            None => false,
        };
        Ok(taken.filter(|_| !is_undone))
    }

    /// Whether an operation on the user's memory of the agent was undone since.
    fn is_undone(&self, operation: &OperationId) -> Result<bool, AgentsError> {
        Ok(undone(&self.operations()?).contains_key(operation))
    }

    /// The beginning under which an operation on the user's memory of the agent is printed.
    #[must_use]
    pub fn short_id<'i>(&self, id: &'i OperationId) -> &'i str {
        self.operations().map_or(&id.0, |operations| ShortIds::of(&operations).short(id))
    }

    fn operations(&self) -> Result<Vec<Operation>, AgentsError> {
        let state_dir = self.agents.env.state_dir().ok_or(AgentsError::NoState)?;
        let Some(record) = self.agents.registry()?.project(&self.memory_dir)? else { return Ok(Vec::new()) };
        let recorded = History::of(&state_dir, &record.store).read()?;
        Ok(recorded.operations.into_iter().map(|(operation, _)| operation).collect())
    }

    fn read(&self) -> Result<Option<Snapshot>, AgentsError> {
        let Some(manifest) = self.read_file(&manifest_path()?, MAX_MANIFEST_BYTES)? else { return Ok(None) };
        let manifest = Manifest::parse(&manifest).map_err(|problem| self.bad(problem))?;
        let mut failed = None;
        let snapshot = Snapshot::read(&manifest, |path| {
            self.read_file(path, MAX_FILE_BYTES).map_err(|error| {
                failed = Some(error);
                BadSnapshot::Missing(path.clone())
            })
        });
        match (snapshot, failed) {
            (_, Some(error)) => Err(error),
            (Err(problem), None) => Err(self.bad(problem)),
            (Ok(snapshot), None) => Ok(Some(snapshot)),
        }
    }

    fn read_file(&self, path: &RelPath, limit: u64) -> Result<Option<Vec<u8>>, AgentsError> {
        match MemoryRoot::open(&self.snapshot_dir) {
            Err(error) if error.is_not_found() => Ok(None),
            root => Ok(root?.read(path, limit)?),
        }
    }

    fn bad(&self, problem: BadSnapshot) -> AgentsError {
        AgentsError::Snapshot { directory: self.snapshot_dir.clone(), problem }
    }
}

/// What a merge is made from: what was last taken over, nothing at first or once the whole memory is gone.
fn base(taken: Option<&TakenOver>, mine: &Files) -> Files {
    taken.filter(|_| !mine.is_empty()).map(|taken| taken.files.clone()).unwrap_or_default()
}

/// Where secrets are in a memory, with the rule that found each, never the value.
fn secrets(memory: &Files) -> Vec<String> {
    let found = memory.iter().flat_map(|(path, content)| {
        let text = String::from_utf8_lossy(&content.0);
        scan(&text).into_iter().map(move |finding| format!("`{path}:{finding}`"))
    });
    found.collect()
}

/// Files of a snapshot that look like an attack on their reader, each with the reasons.
fn suspicions(snapshot: &Snapshot) -> Vec<String> {
    let flagged = snapshot.files.iter().filter_map(|(path, content)| {
        let reasons = flag(&String::from_utf8_lossy(&content.0));
        let reasons: Vec<&str> = reasons.iter().copied().map(Reason::describe).collect();
        (!reasons.is_empty())
            .then(|| format!("look at `{path}` of the snapshot first: {}", reasons.join("; ")))
    });
    flagged.collect()
}

fn manifest_path() -> Result<RelPath, AgentsError> {
    Ok(RelPath::parse(MANIFEST)?)
}
