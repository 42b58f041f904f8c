use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::index;
use memdir_core::operation::{Author, Operation, OperationId};
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::project::relocate::{Action, Extent, Part, Relocation, Step};
use memdir_core::rel_path::RelPath;
use memdir_disk::disk_error::DiskError;
use memdir_disk::history::History;
use memdir_disk::random::random_bits;
use memdir_disk::relocate::{
    Carried, Direction, MoveRecord, MoveRecords, copy_verified, keep_time, remove_copy, set_aside,
};

use super::{Here, Probe, Projects, ProjectsError, lives};
use crate::memory::{Log, Memory, MemoryError, Wish};

/// What a move did.
#[derive(Debug, Clone, Default)]
pub struct Moved {
    /// The operation by which it can be undone.
    pub operation: Option<OperationId>,
    /// What the user should be told.
    pub warnings: Vec<String>,
}

impl Projects {
    /// Brings the files of other directories to a project: memory through its history, everything else copied and
    /// read back, then the old directories set aside. One operation, which `undo` undoes.
    ///
    /// Written down before the first step: whatever kills this, [`Projects::finish_moves`] goes on where it stopped.
    ///
    /// # Errors
    /// The system fails; the next run tries again.
    pub fn carry_out(
        &self,
        relocations: Vec<Relocation>,
        here: &Here,
        author: &Author,
        now: Timestamp,
    ) -> Result<Moved, MemoryError> {
        let records = self.move_records()?;
        let _lock = records.lock()?;
        let mut record = MoveRecord {
            v: 1,
            id: OperationId::new(now, random()?),
            author: author.clone(),
            time: now,
            direction: Direction::There,
            root: here.root.clone(),
            memory_dir: here.memory_dir.clone(),
            store: None,
            absorbs: Vec::new(),
            relocations,
            copied: Vec::new(),
        };
        records.begin(&record)?;
        self.go_there(&mut record, &records, now)
    }

    /// Undoes a move: its unchanged files go, and the old directories get their names again.
    ///
    /// # Errors
    /// Something newer is in the way, or the system fails. In the first case nothing was changed.
    pub fn carry_back(
        &self,
        operation: &Operation,
        author: &Author,
        now: Timestamp,
    ) -> Result<Option<Moved>, MemoryError> {
        let records = self.move_records()?;
        let id = operation.plan.as_ref().map(|plan| OperationId(plan.clone()));
        let Some(mut record) = id.and_then(|id| records.done(&id)) else { return Ok(None) };
        let _lock = records.lock()?;
        for relocation in &record.relocations {
            let (old, aside) = aside_of(relocation);
            if lives(old) || !lives(&relocation.set_aside) {
                let path = if lives(old) { old } else { aside };
                let rule =
                    if lives(old) { "the old directory exists again" } else { "what was set aside is gone" };
                return Err(DiskError::Refused { path: path.to_owned(), rule }.into());
            }
        }
        let memory = self.memory_of(&record)?;
        let log = memory.log(usize::MAX)?;
        let undone = log.undone();
        // A move that was made again is undone as it was made last.
        let is_last = |found: &&Operation| found.plan == operation.plan && !undone.contains_key(&found.id);
        let operation = log.operations.iter().find(is_last).unwrap_or(operation);
        memory.plan_undo(operation, String::new(), &log)?;
        record.direction = Direction::Back { operation: operation.id.clone() };
        record.author = author.clone();
        record.time = now;
        records.begin(&record)?;
        self.go_back(&record, &operation.id, &records, now).map(Some)
    }

    /// The memory that a move to this directory brought and `undo` undid, with its history, which went back too:
    /// a user who undid it from here looks for it here. `None` if there is none that the asker undid last, and
    /// after `since`.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn taken_back_from(
        &self,
        memory_dir: &Utf8Path,
        asker: &Author,
        since: Option<Timestamp>,
    ) -> Result<Option<Memory>, MemoryError> {
        let records = self.move_records().ok();
        let Some(record) = records.and_then(|records| records.last_undone_to(memory_dir)) else {
            return Ok(None);
        };
        if since.is_some_and(|since| since >= record.time) {
            return Ok(None);
        }
        let memory = self.memory_of(&record)?;
        let log = memory.log(usize::MAX)?;
        let target = log.to_redo(asker)?.and_then(|undo| undo.undo_of.as_ref());
        let is_it = |moved: &Operation| moved.plan.as_deref() == Some(record.id.0.as_str());
        let is_next = target.and_then(|target| log.find(&target.0).ok()).is_some_and(is_it);
        Ok(is_next.then_some(memory))
    }

    /// Makes a move again that `undo` undid: with the files that are in the old directories now.
    ///
    /// `None` if that operation is not the undo of a move.
    ///
    /// # Errors
    /// An old directory is gone, or the system fails. In the first case nothing was changed.
    pub fn carry_again(
        &self,
        undo: &Operation,
        log: &Log,
        author: &Author,
        now: Timestamp,
    ) -> Result<Option<Moved>, MemoryError> {
        let records = self.move_records()?;
        let Some(target) = &undo.undo_of else { return Ok(None) };
        let id = log.find(&target.0)?.plan.as_ref().map(|plan| OperationId(plan.clone()));
        let Some(mut record) = id.and_then(|id| records.undone(&id)) else { return Ok(None) };
        let _lock = records.lock()?;
        for relocation in &mut record.relocations {
            let (old, _) = aside_of(relocation);
            if !lives(old) {
                let rule = "the old directory is gone";
                return Err(DiskError::Refused { path: old.to_owned(), rule }.into());
            }
            *relocation = self.plan_once_more(relocation);
        }
        record.direction = Direction::Again { operation: undo.id.clone() };
        record.author = author.clone();
        record.time = now;
        record.copied.clear();
        // What was recorded here meanwhile becomes part of the one history again.
        record.store = None;
        record.absorbs.clear();
        records.begin(&record)?;
        self.go_there(&mut record, &records, now).map(Some)
    }

    /// Finishes moves that an earlier process began. Costs one system call where there are none.
    ///
    /// # Errors
    /// The system fails; nothing is lost by trying again.
    pub fn finish_moves(&self, now: Timestamp) -> Result<Vec<Moved>, MemoryError> {
        let Ok(records) = self.move_records() else { return Ok(Vec::new()) };
        if records.is_quiet() {
            return Ok(Vec::new());
        }
        let _lock = records.lock()?;
        records.sweep();
        let mut finished = Vec::new();
        // Read again: a process that held the lock may have finished them.
        for mut record in records.open() {
            finished.push(match record.direction.clone() {
                Direction::There | Direction::Again { .. } => self.go_there(&mut record, &records, now)?,
                Direction::Back { operation } => self.go_back(&record, &operation, &records, now)?,
            });
        }
        Ok(finished)
    }

    fn go_there(
        &self,
        record: &mut MoveRecord,
        records: &MoveRecords,
        now: Timestamp,
    ) -> Result<Moved, MemoryError> {
        let mut moved = Moved::default();
        let here = self.here_of(record);
        self.take_store_along(record, &here, records, now)?;
        records.begin(record)?;

        let mut memory = self.memory_of(record)?;
        memory.recover(now)?;
        let id = record.id.clone();
        let log = memory.log(usize::MAX)?;
        let undone = log.undone();
        let is_ours = |operation: &&Operation| {
            operation.plan.as_deref() == Some(id.0.as_str()) && !undone.contains_key(&operation.id)
        };
        let done = log.operations.iter().find(is_ours).map(|found| found.id.clone());
        let undo_of = match &record.direction {
            Direction::Again { operation } => Some(operation),
            _ => None,
        };
        moved.operation = match done {
            Some(done) => Some(done),
            None => {
                let plan = memory_plan(record, &memory, &mut moved.warnings)?;
                let wish =
                    Wish { undo_of, staged: Some(&record.id.0), verbatim: true, ..Wish::of(&record.author) };
                let id = memory.apply_recorded(&plan, &wish, record.time, &mut moved.warnings)?;
                for (relocation, step) in memory_steps(record).filter(|(_, step)| step.action == Action::Copy)
                {
                    if let Err(error) = keep_time(&source(relocation, step), &step.to) {
                        moved.warnings.push(error.to_string());
                    }
                }
                Some(id)
            }
        };
        record.copied.clear();
        for relocation in &record.relocations {
            for step in relocation.steps.iter().filter(|step| step.part != Part::Memory) {
                if matches!(step.action, Action::Same) {
                    continue;
                }
                let (to, hash) =
                    copy_verified(&relocation.to.project_dir, &source(relocation, step), &step.to)?;
                record.copied.push(Carried { to, hash });
            }
        }
        for relocation in &record.relocations {
            let (old, aside) = aside_of(relocation);
            if lives(old) || lives(aside) {
                set_aside(old, aside)?;
            }
        }
        records.finish(record)?;
        Ok(moved)
    }

    fn go_back(
        &self,
        record: &MoveRecord,
        operation: &OperationId,
        records: &MoveRecords,
        now: Timestamp,
    ) -> Result<Moved, MemoryError> {
        let mut moved = Moved::default();
        let mut memory = self.memory_of(record)?;
        memory.recover(now)?;
        let log = memory.log(usize::MAX)?;
        // An undo that was undone itself does not count.
        moved.operation = match log.undone().get(operation) {
            Some(undo) => Some((*undo).clone()),
            None => {
                let operation = log.find(&operation.0)?;
                let plan = memory.plan_undo(operation, format!("undo: {}", operation.reason), &log)?;
                let wish = Wish::undoing(&operation.id, &record.author);
                Some(memory.apply_recorded(&plan, &wish, record.time, &mut moved.warnings)?)
            }
        };
        for carried in &record.copied {
            if !remove_copy(&carried.to, carried.hash)? {
                moved.warnings.push(format!("`{}` was changed since and stays", carried.to));
            }
        }
        for relocation in &record.relocations {
            let (old, aside) = aside_of(relocation);
            if lives(old) || lives(aside) {
                set_aside(aside, old)?;
            }
        }
        if let Some(relocation) =
            record.relocations.iter().find(|relocation| relocation.to.memory_dir == record.memory_dir)
        {
            let path = relocation.from.path.clone().unwrap_or_else(|| relocation.from.project_dir.clone());
            let slug = relocation.from.project_dir.file_name().unwrap_or_default().to_owned();
            let old = Here {
                cwd: path.clone(),
                root: path,
                common_dir: None,
                slug,
                project_dir: relocation.from.project_dir.clone(),
                memory_dir: relocation.from.memory_dir.clone(),
            };
            self.record_relocation(&record.memory_dir, &old, now)?;
        }
        records.take_back(record)?;
        Ok(moved)
    }

    /// The store id goes along with the memory, and so does the history of both places.
    fn take_store_along(
        &self,
        record: &mut MoveRecord,
        here: &Here,
        records: &MoveRecords,
        now: Timestamp,
    ) -> Result<(), MemoryError> {
        let state_dir = self.state_dir()?;
        let from = record.relocations.iter().filter(|found| found.to.memory_dir == record.memory_dir);
        let from: Vec<Utf8PathBuf> = from.map(|found| found.from.memory_dir.clone()).collect();
        if record.store.is_none() && record.absorbs.is_empty() {
            for memory_dir in std::iter::once(&record.memory_dir).chain(&from) {
                let known = self.registry()?.project(memory_dir).ok().flatten();
                record.absorbs.extend(known.map(|known| known.store));
            }
            records.begin(record)?;
        }
        let mut store = self.record_sighting(here, Probe::Full, now)?.store;
        for memory_dir in &from {
            store = self.record_relocation(memory_dir, here, now)?.store;
        }
        for other in record.absorbs.iter().filter(|other| **other != store) {
            History::of(state_dir, &store).absorb(&History::of(state_dir, other))?;
        }
        record.store = Some(store);
        Ok(())
    }

    fn memory_of(&self, record: &MoveRecord) -> Result<Memory, MemoryError> {
        Memory::for_move(self.here_of(record), self.clone(), self.state_dir()?, record.store.clone())
    }

    fn here_of(&self, record: &MoveRecord) -> Here {
        Here { memory_dir: record.memory_dir.clone(), ..self.here(&record.root) }
    }

    fn move_records(&self) -> Result<MoveRecords, ProjectsError> {
        Ok(MoveRecords::new(self.state_dir()?))
    }
}

/// What gets another name, and which.
fn aside_of(relocation: &Relocation) -> (&Utf8Path, &Utf8Path) {
    let old = match relocation.extent {
        Extent::Whole => &relocation.from.project_dir,
        Extent::Memory => &relocation.from.memory_dir,
    };
    (old, &relocation.set_aside)
}

/// Where the source of a step is: in the old directory, or in that directory set aside.
fn source(relocation: &Relocation, step: &Step) -> Utf8PathBuf {
    let (old, aside) = aside_of(relocation);
    match step.from.strip_prefix(old) {
        Ok(below) if !lives(old) => aside.join(below),
        _ => step.from.clone(),
    }
}

fn memory_steps(record: &MoveRecord) -> impl Iterator<Item = (&Relocation, &Step)> {
    record.relocations.iter().flat_map(|relocation| {
        let steps = relocation.steps.iter().filter(|step| step.part == Part::Memory);
        steps.map(move |step| (relocation, step))
    })
}

/// The memory that is brought, as one plan for the new directory.
fn memory_plan(
    record: &MoveRecord,
    memory: &Memory,
    warnings: &mut Vec<String>,
) -> Result<Plan, MemoryError> {
    let from: Vec<String> = record
        .relocations
        .iter()
        .map(|relocation| {
            let old = relocation.from.path.as_ref().unwrap_or(&relocation.from.project_dir);
            old.to_string()
        })
        .collect();
    let mut plan = Plan::new(format!("bring memory from {}", from.join(" and ")));
    for relocation in &record.relocations {
        for step in relocation.steps.iter().filter(|step| step.part == Part::Memory) {
            if step.action == Action::Same {
                continue;
            }
            let below = step.to.strip_prefix(&relocation.to.memory_dir).map(Utf8Path::as_str);
            let Some(path) = below.ok().and_then(|below| RelPath::parse(below).ok()) else {
                warnings.push(format!("`{}` cannot be a memory and stays where it is", step.from));
                continue;
            };
            let from = source(relocation, step);
            let content =
                fs::read(&from).map_err(|source| DiskError::Io { action: "read", path: from, source })?;
            let current = memory.read(&path)?;
            if current.as_deref() == Some(&content) {
                continue;
            }
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let (content, base) = match &current {
                Some(current) if path.file_name() == ENTRYPOINT => {
                    let merged = index::merge("", &text(current), &text(&content)).text;
                    (merged.into_bytes(), Some(Content(current.clone())))
                }
                _ => (content, None),
            };
            plan.changes.push(Change::Write { path, content: Content(content), base });
        }
    }
    Ok(plan)
}

impl Memory {
    /// Applies a plan and reads back what it wrote; one that changes nothing is recorded all the same, because
    /// there is more to undo than memory.
    fn apply_recorded(
        &mut self,
        plan: &Plan,
        wish: &Wish<'_>,
        now: Timestamp,
        warnings: &mut Vec<String>,
    ) -> Result<OperationId, MemoryError> {
        let applied = self.apply_as(plan, wish, now)?;
        warnings.extend(applied.warnings);
        for conflict in &applied.conflicts {
            let kept = conflict.kept_as.as_ref().unwrap_or(&conflict.path);
            warnings.push(format!("`{}` exists twice: the other version is in `{kept}`", conflict.path));
        }
        for change in applied.operation.iter().flat_map(|operation| &operation.changes) {
            let found = self.read(&change.path)?.map(|content| ContentHash::of(&content));
            if found != change.after {
                warnings.push(format!("`{}` was changed by another process right afterwards", change.path));
            }
        }
        match applied.operation {
            Some(operation) => Ok(operation.id),
            None => self.record_unchanged(plan, wish, now),
        }
    }
}

fn random() -> Result<u64, ProjectsError> {
    let bits = random_bits().map_err(ProjectsError::NoRandom)?;
    Ok(u64::try_from(bits >> 64).unwrap_or(0))
}
