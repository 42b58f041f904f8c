use camino::Utf8PathBuf;
use memdir_core::journal::archive::{Archive, ArchivedSession};
use memdir_core::journal::index::{
    CurrentState, Head, Index, LookupLine, Status as IndexStatus, lookups_for,
};
use memdir_core::journal::key::{ARCHIVE_FILE, FOLDERS, INDEX_FILE, SESSION_FILE};
use memdir_core::journal::rebuild::Counts;
use memdir_core::journal::row::Category;
use memdir_core::journal::session::Session;
use memdir_core::journal::stamp;
use memdir_core::journal::state::PLACEHOLDERS;
use memdir_core::plan::{Change, Plan};
use memdir_core::rel_path::RelPath;
use memdir_disk::apply::LOCK_PATIENCE;
use memdir_disk::memory_root::MemoryRoot;
use memdir_disk::store_lock::StoreLock;
use serde::Serialize;

use super::follow::{count, counted};
use super::{Journal, JournalError, MAX_FILE_BYTES, Writer, absent_if_missing};
use crate::projects::Probe;

/// What starting a journal did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Started {
    /// It was active already and goes on.
    pub resumed: bool,
    /// There was none before.
    pub is_new: bool,
    /// The files of the user's profile that the agent is given.
    pub preferences: Vec<String>,
    /// The project's own page; empty if there is none.
    pub project: String,
    /// Preferences and project, quoted for a model; empty if there are none.
    pub background: String,
    /// What the user should be told.
    pub problems: Vec<String>,
}

/// What stopping a journal did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stopped {
    /// It was stopped already.
    pub was_inactive: bool,
    /// Sessions of other agents that were still in it.
    pub others: Vec<String>,
    /// What the user should be told.
    pub problems: Vec<String>,
}

/// What a journal holds and whether it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    /// Whether it is being kept.
    pub active: bool,
    /// Its name.
    pub project_key: String,
    /// The project.
    pub project_path: Utf8PathBuf,
    /// When it was started; absent if it never was.
    pub started: Option<String>,
    /// The last write.
    pub last_activity: Option<String>,
    /// The branch at the last write.
    pub branch: Option<String>,
    /// Files of each kind.
    pub counts: Counts,
    /// How the index does.
    pub index: IndexHealth,
    /// The journal's directory.
    pub directory: Utf8PathBuf,
    /// The agents' sessions in it.
    pub sessions: Vec<String>,
    /// The state of the work.
    pub state: CurrentState,
    /// What could not be understood.
    pub problems: Vec<String>,
}

/// How an index does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct IndexHealth {
    /// Rows in it.
    pub entries: usize,
    /// Rows in its archive.
    pub archived: usize,
    /// Outputs of sub-agents that wait to be taken over.
    pub waiting: usize,
}

impl Journal {
    /// Starts the journal, or goes on with one that is active: folders, placeholders, session, index. Files that are
    /// there are left as they are.
    ///
    /// # Errors
    /// Something cannot be written.
    pub fn start(&mut self, writer: &Writer<'_>) -> Result<Started, JournalError> {
        self.gate(writer)?;
        let mut started = Started { is_new: !self.exists(), ..Started::default() };
        // What makes the project known again after a rename.
        if let Err(error) = self.projects.record_sighting(&self.here, Probe::Full, writer.now) {
            started.problems.push(error.to_string());
        }
        self.follow_branch(writer)?;
        let root = MemoryRoot::open_or_create(self.directory())?;
        self.store = Some(self.register_store(writer.now)?);
        self.place.exists = true;
        self.make_placeholders(&root, writer)?;
        let now = stamp(writer.now);
        let lock = StoreLock::acquire(&root, LOCK_PATIENCE)?;
        self.set_damaged_session_aside(&root, &mut started.problems)?;
        let counted = counted(&root, &mut started.problems);
        let mut session_start = now.clone();
        let branch = self.branch.clone();
        self.change_session(&root, &mut started.problems, |session| {
            started.resumed = session.active && !started.is_new;
            if started.is_new || !session.active || session.started.is_empty() {
                now.clone_into(&mut session.started);
                session.sessions.clear();
            }
            session.active = true;
            self.key().clone_into(&mut session.project_key);
            self.here.root.as_str().clone_into(&mut session.project_path);
            session.touch(&now, &branch, writer.author.session.as_deref());
            session.stats.count(counted);
            session_start.clone_from(&session.started);
        })?;
        let path = RelPath::parse(INDEX_FILE)?;
        if root.stat(&path)?.is_none() && !started.is_new {
            let report = self.rebuild_locked(&root, writer)?;
            started.problems.extend(report.problems);
        }
        let state = self.state(&root)?;
        let mut unsound = false;
        root.replace_derived(&path, |old| {
            let head = Head {
                key: self.key(),
                session: &session_start,
                status: IndexStatus::Active,
                path: self.here.root.as_str(),
            };
            let Some(old) = old else {
                let fixed: Vec<String> = lookups_for(&[]).iter().map(LookupLine::line).collect();
                return Some(Index::new(&head, &state, &[], &fixed).to_text().into_bytes());
            };
            let mut index = Index::parse(old);
            unsound = !index.is_sound;
            index.set_head(&head);
            index.set_state(&state);
            (!unsound).then(|| index.to_text().into_bytes())
        })?;
        root.replace_derived(&RelPath::parse(ARCHIVE_FILE)?, |old| {
            old.is_none().then(|| Archive::new(self.key()).to_text().into_bytes())
        })?;
        drop(lock);
        if unsound {
            started.problems.push(format!(
                "`{INDEX_FILE}` cannot be understood and was left as it is; `memdir journal rebuild` repairs it"
            ));
        }
        started.problems.extend(self.register_in_workspace(writer));
        started.preferences = self.preferences().into_iter().map(|source| source.path).collect();
        started.project = self.text(&root, "project.md")?.unwrap_or_default();
        started.background = self.shown_at_start(&started.project);
        Ok(started)
    }

    fn make_placeholders(&self, root: &MemoryRoot, writer: &Writer<'_>) -> Result<(), JournalError> {
        for folder in FOLDERS {
            // A name in the folder makes the folder; the claim itself goes at once.
            drop(root.claim(&RelPath::parse(&format!("{folder}/start"))?)?);
        }
        let is_missing = |path: &RelPath| Ok::<_, JournalError>(root.stat(path)?.is_none());
        let mut missing = Vec::new();
        for (path, content) in PLACEHOLDERS {
            let path = RelPath::parse(path)?;
            if is_missing(&path)? {
                missing.push((path, content));
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        self.apply_ours(writer, |root| {
            let mut plan = Plan::new("start the journal");
            for (path, content) in &missing {
                if root.stat(path)?.is_none() {
                    plan.changes.push(Change::Write {
                        path: path.clone(),
                        content: (*content).into(),
                        base: None,
                    });
                }
            }
            Ok(plan)
        })?;
        Ok(())
    }

    /// A session that cannot be understood gets another name before a new one takes its place.
    pub(super) fn set_damaged_session_aside(
        &self,
        root: &MemoryRoot,
        problems: &mut Vec<String>,
    ) -> Result<Option<Session>, JournalError> {
        let path = RelPath::parse(SESSION_FILE)?;
        let Some(bytes) = absent_if_missing(root.read(&path, MAX_FILE_BYTES))? else { return Ok(None) };
        match Session::parse(&bytes) {
            Ok(session) => Ok(Some(session)),
            Err(problem) => {
                let salvaged = Session::salvage(&bytes);
                if let Some(aside) = root.set_broken_aside(&path)? {
                    problems.push(format!(
                        "`{SESSION_FILE}` could not be understood ({problem}); it is `{aside}` now"
                    ));
                }
                root.replace_derived(&path, |old| old.is_none().then(|| salvaged.to_text().into_bytes()))?;
                Ok(Some(salvaged))
            }
        }
    }

    /// Stops the journal: the session goes into the archive, every file stays.
    ///
    /// # Errors
    /// There is none, or something cannot be written.
    pub fn stop(&mut self, writer: &Writer<'_>) -> Result<Stopped, JournalError> {
        self.gate(writer)?;
        let root = self.root()?;
        let mut stopped = Stopped::default();
        let _lock = StoreLock::acquire(&root, LOCK_PATIENCE)?;
        let session = self.set_damaged_session_aside(&root, &mut stopped.problems)?.unwrap_or_default();
        if !session.active {
            stopped.was_inactive = true;
            return Ok(stopped);
        }
        let own = writer.author.session.as_deref();
        stopped.others = session.sessions.iter().filter(|id| Some(id.as_str()) != own).cloned().collect();
        let now = stamp(writer.now);
        let mut unsound = false;
        root.replace_derived(&RelPath::parse(ARCHIVE_FILE)?, |old| {
            let mut archive = old.map_or_else(|| Archive::new(self.key()), Archive::parse);
            unsound = !archive.is_sound;
            let since = |archived: &str| archived >= session.started.as_str();
            let entries = archive.entries().iter().filter(|(_, archived)| since(archived)).count() as u64;
            archive.add_session(&ArchivedSession {
                started: session.started.clone(),
                ended: now.clone(),
                entries,
            });
            (!unsound).then(|| archive.to_text().into_bytes())
        })?;
        if unsound {
            stopped.problems.push(format!(
                "`{ARCHIVE_FILE}` cannot be understood and was left as it is; `memdir journal rebuild` repairs it"
            ));
        }
        let branch = self.branch.clone();
        self.change_session(&root, &mut stopped.problems, |session| {
            session.active = false;
            session.touch(&now, &branch, None);
            session.sessions.clear();
        })?;
        root.replace_derived(&RelPath::parse(INDEX_FILE)?, |old| {
            let mut index = Index::parse(old?);
            let session = session.started.as_str();
            index.set_head(&Head {
                key: self.key(),
                session,
                status: IndexStatus::Inactive,
                path: self.here.root.as_str(),
            });
            index.is_sound.then(|| index.to_text().into_bytes())
        })?;
        Ok(stopped)
    }

    /// What there is. Creates nothing.
    ///
    /// # Errors
    /// The directory is there and cannot be read.
    pub fn status(&self) -> Result<Status, JournalError> {
        let mut status = Status {
            active: false,
            project_key: self.key().to_owned(),
            project_path: self.here.root.clone(),
            started: None,
            last_activity: None,
            branch: None,
            counts: Counts::default(),
            index: IndexHealth::default(),
            directory: self.directory().to_owned(),
            sessions: Vec::new(),
            state: CurrentState::default(),
            problems: Vec::new(),
        };
        let root = match self.root() {
            Err(JournalError::NoJournal { .. }) => return Ok(status),
            root => root?,
        };
        let read = |path: &str| {
            Ok::<_, JournalError>(absent_if_missing(root.read(&RelPath::parse(path)?, MAX_FILE_BYTES))?)
        };
        let session = match read(SESSION_FILE)? {
            Some(bytes) => Session::parse(&bytes).unwrap_or_else(|problem| {
                status.problems.push(format!("`{SESSION_FILE}`: {problem}"));
                Session::salvage(&bytes)
            }),
            None => self.inferred_session(&root)?,
        };
        let said = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        status.active = session.active;
        status.started = said(&session.started);
        status.last_activity = said(&session.last_activity);
        status.branch = said(&session.branch);
        status.sessions.clone_from(&session.sessions);
        for category in Category::KNOWN {
            let files = count(&root, &category).unwrap_or_else(|error| {
                status.problems.push(error.to_string());
                0
            });
            match category {
                Category::Decision => status.counts.decisions = files,
                Category::Analysis => status.counts.analyses = files,
                Category::Context => status.counts.context = files,
                Category::Progress => status.counts.progress = files,
                _ => status.counts.subagent = files,
            }
        }
        let mut known = 0;
        let of_subagents = |category: &Category| *category == Category::SubAgent;
        if let Some(bytes) = read(INDEX_FILE)? {
            let index = Index::parse(&bytes);
            status.problems.extend(index.problems.iter().map(|problem| format!("`{INDEX_FILE}`: {problem}")));
            let rows = index.rows();
            known += rows.iter().filter(|row| of_subagents(&row.category)).count();
            status.index.entries = rows.len();
        } else if self.exists() {
            status
                .problems
                .push(format!("`{INDEX_FILE}` is missing; `memdir journal rebuild` makes it anew"));
        }
        if let Some(bytes) = read(ARCHIVE_FILE)? {
            let archive = Archive::parse(&bytes);
            status
                .problems
                .extend(archive.problems.iter().map(|problem| format!("`{ARCHIVE_FILE}`: {problem}")));
            let entries = archive.entries();
            known += entries.iter().filter(|(row, _)| of_subagents(&row.category)).count();
            status.index.archived = entries.len();
        }
        let outputs = usize::try_from(status.counts.subagent).unwrap_or(usize::MAX);
        status.index.waiting = outputs.saturating_sub(known);
        status.state = self.state(&root)?;
        Ok(status)
    }

    /// Notes that an agent's session works with the journal. Waits for no lock, so that a hook may do it.
    ///
    /// # Errors
    /// The session file cannot be written.
    pub fn join(&self, writer: &Writer<'_>) -> Result<(), JournalError> {
        self.gate(writer)?;
        self.follow_branch(writer)?;
        let (branch, session) = (self.branch.as_str(), writer.author.session.as_deref());
        self.change_session(&self.root()?, &mut Vec::new(), |known| {
            known.touch(&stamp(writer.now), branch, session);
        })
    }

    /// Whether records may be written.
    pub(super) fn must_be_active(&self) -> Result<(), JournalError> {
        if self.session(&self.root()?)?.active {
            Ok(())
        } else {
            Err(JournalError::Stopped { directory: self.directory().to_owned() })
        }
    }

    /// The session, as far as its file or, without it, index and archive tell.
    pub(super) fn session(&self, root: &MemoryRoot) -> Result<Session, JournalError> {
        match absent_if_missing(root.read(&RelPath::parse(SESSION_FILE)?, MAX_FILE_BYTES))? {
            Some(bytes) => Ok(Session::parse(&bytes).unwrap_or_else(|_| Session::salvage(&bytes))),
            None => self.inferred_session(root),
        }
    }

    /// What index and archive say of the session.
    pub(super) fn inferred_session(&self, root: &MemoryRoot) -> Result<Session, JournalError> {
        let read = |path: &str| {
            Ok::<_, JournalError>(absent_if_missing(root.read(&RelPath::parse(path)?, MAX_FILE_BYTES))?)
        };
        let index = read(INDEX_FILE)?.map(|bytes| Index::parse(&bytes));
        let archive = read(ARCHIVE_FILE)?.map(|bytes| Archive::parse(&bytes));
        Ok(Session::inferred(index.as_ref(), archive.as_ref()))
    }

    /// Whether the journal is being kept; cheap enough for every turn.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.exists() && self.must_be_active().is_ok()
    }
}
