//! The map of all projects: `workspace.md` in the client's configuration directory.

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::env::Env;
use memdir_core::journal::key::ProjectKey;
use memdir_core::look::{Kind, Look};
use memdir_core::operation::Author;
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::{PathRefused, RelPath};
use memdir_core::settings::ClientFlags;
use memdir_core::workspace::{
    EditRefused, FILE, MAX_BYTES, NewProject, Project, Relation, WorkspaceEdit, WorkspaceMap,
};

use memdir_disk::real_look::RealLook;

use crate::journal::find_journal;
use crate::memory::{Extent, Log, Memory, MemoryError, Submitted};
use crate::place::Place;

mod offers;
mod related;

/// The map of all projects, which need not exist yet: looking never creates it.
#[derive(Debug)]
pub struct Workspace {
    memory: Memory,
    home: Option<Utf8PathBuf>,
    journal_key: String,
}

/// Why the map could not be read or changed. Whatever it is, nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// The file cannot be changed as it is, or the change makes no sense.
    #[error("cannot change `{path}`: {refused}")]
    Refused {
        /// The file.
        path: Utf8PathBuf,
        /// Why.
        refused: EditRefused,
    },
    /// Reading or writing failed, or a rule of the user's forbids it.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

impl From<PathRefused> for WorkspaceError {
    fn from(refused: PathRefused) -> Self {
        Self::Memory(refused.into())
    }
}

/// What became of a change of the map or of the profile.
#[derive(Debug)]
pub struct Made {
    /// The plan; without changes if there was nothing to do.
    pub plan: Plan,
    /// What became of it.
    pub submitted: Submitted,
}

impl Workspace {
    /// Opens the map that belongs to the user's configuration directory.
    ///
    /// # Errors
    /// There is no home directory, or the client's settings cannot be read.
    pub fn open(env: &Env) -> Result<Self, WorkspaceError> {
        let place = Place::find(env, &ClientFlags::default()).map_err(MemoryError::from)?;
        let journal_key = find_journal(&place, env).key.as_str().to_owned();
        Ok(Self { memory: Memory::beside(Extent::Workspace, env)?, home: env.home.clone(), journal_key })
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> Utf8PathBuf {
        self.memory.directory().join(FILE)
    }

    /// The root of the project in which the asker works.
    #[must_use]
    pub fn here(&self) -> &Utf8Path {
        self.memory.project_root()
    }

    /// What the map says; nothing if there is none.
    ///
    /// # Errors
    /// It is a link or too large, or the system fails.
    pub fn map(&self) -> Result<WorkspaceMap, WorkspaceError> {
        Ok(self.read()?.map(|bytes| WorkspaceMap::from_bytes(&bytes)).unwrap_or_default())
    }

    /// The key of a project: the one that it is registered under, else the one that its journal has or would have. A
    /// key that another living project has gets six digits of this one's path.
    #[must_use]
    pub fn key_for(&self, root: &Utf8Path, map: &WorkspaceMap) -> String {
        let own = || ProjectKey::of(root).as_str().to_owned();
        match self.project_at(root, map) {
            Some(known) => known.key.clone(),
            None if root == self.here() => free_key(&self.journal_key, root, map, self.home.as_deref()),
            None => free_key(&own(), root, map, self.home.as_deref()),
        }
    }

    /// The registered project at a path.
    #[must_use]
    pub fn project_at<'m>(&self, root: &Utf8Path, map: &'m WorkspaceMap) -> Option<&'m Project> {
        map.project_at(root, self.home.as_deref())
    }

    /// Registers a project, or brings its path up to date. What the map says about a project that it knows stays: the
    /// user may have written it.
    ///
    /// # Errors
    /// As [`Workspace::change`].
    pub fn register(
        &mut self,
        project: &NewProject<'_>,
        author: &Author,
        now: Timestamp,
    ) -> Result<Made, WorkspaceError> {
        let map = self.map()?;
        let is_known =
            map.project(project.key).is_some() || self.project_at(project.path.into(), &map).is_some();
        let (description, status) =
            if is_known { (None, None) } else { (project.description, project.status) };
        self.change(&WorkspaceEdit::Register(NewProject { description, status, ..*project }), author, now)
    }

    /// The relations of a project, from both ends.
    ///
    /// # Errors
    /// As [`Workspace::map`].
    pub fn relations_of(&self, key: &str) -> Result<Vec<Relation>, WorkspaceError> {
        Ok(self.map()?.relations_of(key).into_iter().cloned().collect())
    }

    /// Changes the map: the line that the change is about, and no other. What others write at the same time stays.
    ///
    /// # Errors
    /// The change makes no sense, the file cannot be changed safely, or the system fails.
    pub fn change(
        &mut self,
        edit: &WorkspaceEdit<'_>,
        author: &Author,
        now: Timestamp,
    ) -> Result<Made, WorkspaceError> {
        self.change_all(std::slice::from_ref(edit), author, now)
    }

    /// Makes several changes as one.
    ///
    /// # Errors
    /// As [`Workspace::change`]; then none of them was made.
    pub fn change_all(
        &mut self,
        edits: &[WorkspaceEdit<'_>],
        author: &Author,
        now: Timestamp,
    ) -> Result<Made, WorkspaceError> {
        let (plan, submitted) =
            self.memory.change(author, now, |memory| plan(memory, edits, self.home.as_deref()))?;
        Ok(Made { plan, submitted })
    }

    /// What a change would do.
    ///
    /// # Errors
    /// The change makes no sense, or the file cannot be changed safely.
    pub fn plan(&self, edits: &[WorkspaceEdit<'_>]) -> Result<Plan, WorkspaceError> {
        plan(&self.memory, edits, self.home.as_deref())
    }

    /// What was done to the map, newest first.
    ///
    /// # Errors
    /// The history cannot be listed.
    pub fn log(&self, limit: usize) -> Result<Log, WorkspaceError> {
        Ok(self.memory.log(limit)?)
    }

    fn read(&self) -> Result<Option<Vec<u8>>, WorkspaceError> {
        read(&self.memory)
    }
}

fn read(memory: &Memory) -> Result<Option<Vec<u8>>, WorkspaceError> {
    match memory.root() {
        Some(root) => Ok(root.read(&RelPath::parse(FILE)?, MAX_BYTES).map_err(MemoryError::from)?),
        None => Ok(None),
    }
}

/// A key that no other living project has.
fn free_key(key: &str, root: &Utf8Path, map: &WorkspaceMap, home: Option<&Utf8Path>) -> String {
    let other = map.project(key).map(|project| project.directory(home));
    match other {
        Some(other) if other != root && RealLook.kind(&other) == Some(Kind::Dir) => {
            ProjectKey::distinct(root).as_str().to_owned()
        }
        _ => key.to_owned(),
    }
}

fn plan(
    memory: &Memory,
    edits: &[WorkspaceEdit<'_>],
    home: Option<&Utf8Path>,
) -> Result<Plan, WorkspaceError> {
    let path = memory.directory().join(FILE);
    let refused = |refused| WorkspaceError::Refused { path: path.clone(), refused };
    let before = read(memory)?;
    let text = std::str::from_utf8(before.as_deref().unwrap_or_default())
        .map_err(|_| refused(EditRefused::NotUtf8))?;
    let reasons: Vec<String> = edits.iter().map(WorkspaceEdit::reason).collect();
    let mut plan = Plan::new(reasons.join(", "));
    let mut after = text.to_owned();
    for edit in edits {
        let changed = match edit {
            // A row with this key and another path is this project before it moved, or another project.
            WorkspaceEdit::Register(new) => {
                let key = free_key(new.key, new.path.into(), &WorkspaceMap::parse(&after), home);
                WorkspaceEdit::Register(NewProject { key: &key, ..*new }).apply(&after)
            }
            edit => edit.apply(&after),
        };
        after = changed.map_err(refused)?.unwrap_or(after);
    }
    if after != text {
        let base = before.map(Content);
        plan.changes.push(Change::Write { path: RelPath::parse(FILE)?, content: after.into(), base });
    }
    Ok(plan)
}
