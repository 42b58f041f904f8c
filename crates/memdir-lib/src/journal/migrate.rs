use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::content_hash::ContentHash;
use memdir_core::journal::index::{Index, NONE};
use memdir_core::journal::key::{ARCHIVE_FILE, INDEX_FILE, SESSION_FILE};
use memdir_core::journal::row::Category;
use memdir_core::journal::session::Session;
use memdir_core::journal::stamp;
use memdir_core::journal::state::{
    ACTIVE_FILE, BLOCKERS_FILE, Step, TASK_FILE, add_blocker, change_steps, set_task,
};
use memdir_core::look::{Kind, Look};
use memdir_core::plan::{Change, Plan};
use memdir_core::rel_path::RelPath;
use memdir_disk::apply::LOCK_PATIENCE;
use memdir_disk::disk_error::DiskError;
use memdir_disk::memory_root::MemoryRoot;
use memdir_disk::real_look::RealLook;
use memdir_disk::relocate::remove_copy;
use memdir_disk::store_lock::StoreLock;
use serde::Serialize;

use super::{Journal, JournalError, MAX_FILE_BYTES, RebuildReport, Writer, absent_if_missing};
use crate::memory::Extent;
use crate::projects::Probe;

/// Where older versions of the protocol kept a journal, below the project.
const OLD_PLACE: &str = ".claude/memory";

/// What bringing an old journal here would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Migration {
    /// The old directory.
    pub from: Utf8PathBuf,
    /// What becomes of each file.
    pub steps: Vec<MigrationStep>,
    /// Entries that stay where they are, with the reason.
    pub left: Vec<String>,
}

/// What becomes of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MigrationStep {
    /// Its path below the old directory.
    pub from: String,
    /// Its path in the journal.
    pub to: String,
    /// What is done with it.
    pub action: MigrationAction,
    #[serde(skip)]
    content: Vec<u8>,
}

/// What is done with a file of an old journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MigrationAction {
    /// Copied.
    Copy,
    /// The same is there already.
    Same,
    /// Another file has its name: copied under a free one.
    KeepBoth,
    /// Taken into account when index and session are made anew, and kept as it was below `migrated/`.
    Merge,
}

/// Where the old index, archive and session are as they were: what the new ones do not say is not lost.
const KEPT: &str = "migrated";

fn kept_path(step: &MigrationStep) -> Result<RelPath, JournalError> {
    Ok(RelPath::parse(&format!("{KEPT}/{}", step.from))?)
}

impl Journal {
    /// Looks what an old journal of this project holds; `None` if there is none. Changes nothing.
    ///
    /// # Errors
    /// It is a link, or cannot be read.
    pub fn plan_migration(&self, from: Option<&Utf8Path>) -> Result<Option<Migration>, JournalError> {
        let usual = self.here.root.join(OLD_PLACE);
        let from_here = self.env.cwd.join(from.unwrap_or(&usual));
        let Some(real) = RealLook.real_path(&from_here) else { return Ok(None) };
        // Of a home directory it is the memory for all projects.
        if from.is_none()
            && self.user_memory().is_some_and(|own| RealLook.real_path(&own) == Some(real.clone()))
        {
            return Ok(None);
        }
        let from = from_here;
        // A repository could lead us to read, and later delete, anything.
        if real != from && from.starts_with(&self.here.root) && !real.starts_with(&self.here.root) {
            return Err(
                DiskError::Refused { path: from, rule: "it is a link that leaves the project" }.into()
            );
        }
        let old = MemoryRoot::open(&real)?;
        let new = match MemoryRoot::open(self.directory()) {
            Ok(root) => Some(root),
            Err(error) if error.is_not_found() => None,
            Err(error) => return Err(error.into()),
        };
        let listing = old.list_files(0)?;
        let mut migration = Migration { from: real, steps: Vec::new(), left: Vec::new() };
        migration.left.extend(listing.left_out.iter().map(|left| format!("{}: {}", left.path, left.rule)));
        let mut paths: Vec<RelPath> = listing.files.into_iter().map(|file| file.path).collect();
        paths.push(RelPath::parse(SESSION_FILE)?);
        for path in paths {
            let Some(content) = absent_if_missing(old.read(&path, MAX_FILE_BYTES))? else { continue };
            let is_ours = Category::of_path(path.as_str()).is_some() || path.as_str() == "project.md";
            if [INDEX_FILE, ARCHIVE_FILE, SESSION_FILE].contains(&path.as_str()) {
                let (from, to) = (path.as_str().to_owned(), path.as_str().to_owned());
                migration.steps.push(MigrationStep { from, to, action: MigrationAction::Merge, content });
            } else if is_ours {
                migration.steps.push(step(&path, content, new.as_ref())?);
            } else {
                migration.left.push(format!("{path}: not a file of a journal"));
            }
        }
        for path in other_files(&migration.from) {
            migration.left.push(format!("{path}: not a file of a journal"));
        }
        Ok((!migration.steps.is_empty()).then_some(migration))
    }

    fn user_memory(&self) -> Option<Utf8PathBuf> {
        let config_dir = self.env.cwd.join(self.projects.projects_dir());
        Extent::User.directory(config_dir.parent()?, &self.env)
    }

    /// Brings an old journal here: every file copied, index and statistics made anew, session and registration carried
    /// over. The old directory stays as it is.
    ///
    /// # Errors
    /// Something cannot be written; trying again goes on where it stopped.
    pub fn migrate(
        &mut self,
        migration: &Migration,
        writer: &Writer<'_>,
    ) -> Result<RebuildReport, JournalError> {
        if let Err(error) = self.projects.record_sighting(&self.here, Probe::Full, writer.now) {
            return Err(error.into());
        }
        let root = MemoryRoot::open_or_create(self.directory())?;
        self.store = Some(self.register_store(writer.now)?);
        self.place.exists = true;
        self.apply(writer, |_| {
            let mut plan = Plan::new(format!("bring the journal from {}", migration.from));
            for step in &migration.steps {
                let path = match step.action {
                    MigrationAction::Same => continue,
                    MigrationAction::Copy | MigrationAction::KeepBoth => RelPath::parse(&step.to)?,
                    MigrationAction::Merge => {
                        let kept = kept_path(step)?;
                        if absent_if_missing(root.read(&kept, MAX_FILE_BYTES))?.is_some() {
                            continue;
                        }
                        kept
                    }
                };
                let content = memdir_core::plan::Content(step.content.clone());
                plan.changes.push(Change::Write { path, content, base: None });
            }
            Ok(plan)
        })?;
        let lock = StoreLock::acquire(&root, LOCK_PATIENCE)?;
        for step in migration.steps.iter().filter(|step| step.action == MigrationAction::Merge) {
            let content = if step.to == SESSION_FILE {
                let mut session =
                    Session::parse(&step.content).unwrap_or_else(|_| Session::salvage(&step.content));
                self.key().clone_into(&mut session.project_key);
                self.here.root.as_str().clone_into(&mut session.project_path);
                session.touch(&stamp(writer.now), &self.branch, None);
                session.to_text().into_bytes()
            } else {
                step.content.clone()
            };
            root.replace_derived(&RelPath::parse(&step.to)?, |old| old.is_none().then(|| content.clone()))?;
        }
        drop(lock);
        self.keep_state(&root, migration, writer)?;
        let mut report = self.rebuild(writer)?;
        report
            .problems
            .extend(migration.left.iter().map(|left| format!("left in `{}`: {left}", migration.from)));
        report.problems.extend(self.register_in_workspace(writer));
        Ok(report)
    }

    /// What the old index says of the work and no file does: the files say it from now on.
    fn keep_state(
        &self,
        root: &MemoryRoot,
        migration: &Migration,
        writer: &Writer<'_>,
    ) -> Result<(), JournalError> {
        let Some(index) = migration.steps.iter().find(|step| step.from == INDEX_FILE) else { return Ok(()) };
        let (old, known) = (Index::parse(&index.content).state(), self.state(root)?);
        let now = stamp(writer.now);
        let reason = "keep the state of the old index";
        let is_lost = |old: &str, known: &str| old != NONE && !old.is_empty() && known == NONE;
        if is_lost(&old.task, &known.task) {
            self.update(writer, reason, TASK_FILE, |_| Ok(set_task(&old.task, "", &now)))?;
        }
        if is_lost(&old.progress, &known.progress) {
            self.update(writer, reason, ACTIVE_FILE, |text| {
                Ok(change_steps(text, &[Step::Set(&old.progress)], &now).unwrap_or_default())
            })?;
        }
        if is_lost(&old.blocker, &known.blocker) {
            self.update(writer, reason, BLOCKERS_FILE, |text| Ok(add_blocker(text, &old.blocker, &now)))?;
        }
        Ok(())
    }

    /// Removes what was brought here from the old directory: only files of which the journal holds the same content.
    /// Gives back what stays.
    ///
    /// # Errors
    /// The system fails.
    pub fn delete_migrated(&self, migration: &Migration) -> Result<Vec<String>, JournalError> {
        let root = self.root()?;
        let mut kept = Vec::new();
        for step in &migration.steps {
            let place = match step.action {
                MigrationAction::Merge => kept_path(step)?,
                _ => RelPath::parse(&step.to)?,
            };
            let copy = absent_if_missing(root.read(&place, MAX_FILE_BYTES))?;
            let is_safe = copy.as_deref() == Some(&step.content);
            let old = migration.from.join(&step.from);
            if !is_safe || !remove_copy(&old, ContentHash::of(&step.content))? {
                kept.push(step.from.clone());
            }
        }
        Ok(kept)
    }
}

/// How many files that are not Markdown are named.
const MOST_NAMED: usize = 100;

/// Files that the listing of a journal passes over, because they are not Markdown.
fn other_files(directory: &Utf8Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![Utf8PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in RealLook.list(&directory.join(&folder)) {
            let path = folder.join(&entry.name);
            match entry.kind {
                Kind::Dir if folder.components().count() < 8 => folders.push(path),
                _ if path == SESSION_FILE || entry.name.ends_with(".md") || found.len() == MOST_NAMED => {}
                Kind::Dir => {}
                _ => found.push(path.into_string()),
            }
        }
    }
    found.sort();
    found
}

fn step(path: &RelPath, content: Vec<u8>, new: Option<&MemoryRoot>) -> Result<MigrationStep, JournalError> {
    let from = path.as_str().to_owned();
    let stem = from.trim_end_matches(".md").to_owned();
    for number in 0..1_000 {
        let to = match number {
            0 => from.clone(),
            1 => format!("{stem}-migrated.md"),
            number => format!("{stem}-migrated-{number}.md"),
        };
        let target = RelPath::parse(&to)?;
        let there =
            new.map(|new| absent_if_missing(new.read(&target, MAX_FILE_BYTES))).transpose()?.flatten();
        let action = match there {
            None if number == 0 => MigrationAction::Copy,
            None => MigrationAction::KeepBoth,
            Some(there) if there == content => MigrationAction::Same,
            Some(_) => continue,
        };
        return Ok(MigrationStep { from, to, action, content });
    }
    Err(JournalError::Crowded { wanted: from })
}
