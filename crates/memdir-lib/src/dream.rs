//! Dreams: when one is due, who may dream, what becomes of the plan, and how it is undone.

use std::collections::BTreeSet;

use jiff::Timestamp;
use memdir_core::dream::{
    Account, Dream, Gates, Measure, NotDue, Readings, Scene, check_read, due, plan, question, read_proposal,
};
use memdir_core::env::Env;
use memdir_core::operation::{Author, AuthorKind, Operation};
use memdir_core::settings::ClientFlags;
use memdir_disk::consolidate_lock::{ConsolidateLock, Taken, holder, last_consolidation};
use memdir_disk::disk_error::DiskError;
use memdir_disk::dream_state::DreamState;
use memdir_search::summarize_sessions;
use serde::{Deserialize, Serialize};

pub use memdir_disk::consolidate_lock::Holder;

use crate::memory::{Log, Memory, MemoryError, Submitted, Wish};
use crate::model::Model;
use crate::phase::Phase;
use crate::place::Place;
use crate::sessions::project_sessions;

/// How a dream is wanted.
pub struct Wanted<'w> {
    /// Only say what would be done.
    pub dry_run: bool,
    /// Who asks.
    pub occasion: Occasion<'w>,
    /// Read every log again, and do again what was undone.
    pub all: bool,
    /// Whom to ask for a plan; without anybody, or without a plan that keeps every rule, the rules plan.
    pub model: Option<&'w Model<'w>>,
    /// Told what it is at, and how far: so many of so many files or parts.
    pub step: &'w mut dyn FnMut(Phase, usize, usize),
}

/// Who asks for a dream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion<'o> {
    /// A person, now.
    ByHand,
    /// The end of a session: a day after the last dream, and five other sessions.
    SessionEnd {
        /// The session that ends, which does not count.
        session: Option<&'o str>,
    },
    /// The user's timer: if something changed since the last dream.
    Timer,
}

/// What became of the wish for a dream.
#[derive(Debug)]
pub enum Outcome {
    /// None is due.
    NotDue(NotDue),
    /// Nothing changed since the last one.
    Unchanged,
    /// Another process holds the lock: the client's own dream, or another of ours.
    Held(Option<Holder>),
    /// It was dreamt.
    Dreamt(Box<Dreamt>),
}

/// A dream, and what became of its plan.
#[derive(Debug)]
pub struct Dreamt {
    /// The plan, the account and the numbers.
    pub dream: Dream,
    /// Who planned: `rules` or `model`.
    pub planner: &'static str,
    /// What was done; `None` if nothing was to do, or nothing should be done.
    pub submitted: Option<Submitted>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// A dream as it is remembered. The written form is part of docs/FORMAT.md.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DreamRecord {
    /// The version of this form.
    pub v: u32,
    /// The operation, or the plan that waits.
    pub id: String,
    /// When.
    pub time: Timestamp,
    /// Whether the plan still waits.
    pub is_staged: bool,
    /// Who planned: `rules` or `model`.
    pub planner: String,
    /// The directory before.
    pub before: Measure,
    /// The directory after.
    pub after: Measure,
    /// What was done.
    pub account: Account,
}

/// How often a dream is planned anew because the directory changed meanwhile.
const MOST_TRIES: usize = 5;

impl DreamRecord {
    /// The record of a dream; `None` if there is none that can be read.
    #[must_use]
    pub fn read(state: &DreamState, id: &str) -> Option<Self> {
        let bytes = state.get(id).ok()??;
        serde_json::from_slice::<Self>(&bytes).ok().filter(|record| record.v == 1)
    }

    pub(crate) fn keep(&self, state: &DreamState) -> std::io::Result<()> {
        state.keep(&self.id, &serde_json::to_vec(self)?)
    }

    /// The notes of logs that were looked at, by their keys: no note is taken twice.
    pub(crate) fn distilled_keys(&self) -> Vec<String> {
        self.account.keys.iter().filter(|key| key.starts_with("distil:")).cloned().collect()
    }
}

/// Tidies a memory directory, as an ordinary plan of a dream: applied or held for the user as the settings say.
///
/// The client's own lock is held meanwhile, so that its dream and ours never run together; if anything fails, its time
/// is what it was before. Whatever others change meanwhile is planned over anew, and never overwritten.
///
/// # Errors
/// Memory cannot be read or written, or the plan would lose something; then nothing has changed.
pub fn dream(
    env: &Env,
    memory: &mut Memory,
    wanted: &mut Wanted<'_>,
    now: Timestamp,
) -> Result<Outcome, MemoryError> {
    let Some(root) = memory.root().cloned() else { return Ok(Outcome::Unchanged) };
    let last_run = last_consolidation(&root)?;
    match wanted.occasion {
        Occasion::ByHand => {}
        Occasion::SessionEnd { session } => {
            // A time that is ahead was written by a wrong clock.
            let since = last_run.filter(|last| *last <= now);
            let sessions = sessions_since(env, since, session)?;
            if let Err(why) = due(&Gates { last_run, sessions, now }) {
                return Ok(Outcome::NotDue(why));
            }
        }
        Occasion::Timer => {
            if !has_changed_since(memory, last_run, now)? {
                return Ok(Outcome::Unchanged);
            }
        }
    }
    if wanted.dry_run {
        let settled = memory.dream_state().map(|state| state.settled()).filter(|_| !wanted.all);
        let scene = read(env, memory, settled.unwrap_or_default(), wanted, now)?;
        let (dream, planner, mut warnings) = planned(&scene, &Readings::default(), wanted, &mut None);
        if let Some(holder) = holder(&root, now)? {
            warnings.push(format!("{}, so nothing would be changed now", held(&holder)));
        }
        return Ok(Outcome::Dreamt(Box::new(Dreamt { dream, planner, submitted: None, warnings })));
    }
    memory.must_be_on()?;
    memory.id(now)?;
    let state = memory.dream_state().ok_or(MemoryError::NoStateDir)?;
    let Some(_lease) = state.lease().map_err(MemoryError::State)? else { return Ok(Outcome::Held(None)) };
    let lock = match ConsolidateLock::take(&root, now)? {
        Taken::Ours(lock) => lock,
        Taken::Held(holder) => return Ok(Outcome::Held(Some(holder))),
    };
    let dreamt = dream_once(env, memory, wanted, &state, now)?;
    lock.finish();
    Ok(Outcome::Dreamt(Box::new(dreamt)))
}

fn dream_once(
    env: &Env,
    memory: &mut Memory,
    wanted: &mut Wanted<'_>,
    state: &DreamState,
    now: Timestamp,
) -> Result<Dreamt, MemoryError> {
    let mut attempt = 0;
    let mut asked = None;
    loop {
        attempt += 1;
        let stamp = memory.stamp()?;
        let settled = if wanted.all { Default::default() } else { state.settled() };
        let scene = read(env, memory, settled, wanted, now)?;
        let readings = Readings::default();
        let (dream, planner, warnings) = planned(&scene, &readings, wanted, &mut asked);
        // Every plan passes here, whether rules or a model made it.
        check_read(&scene.sources(), &dream.plan, &dream.account.superseded, &readings)?;
        if memory.stamp()? != stamp && attempt < MOST_TRIES {
            continue;
        }
        let mut dreamt = Dreamt { dream, planner, submitted: None, warnings };
        if dreamt.dream.plan.changes.is_empty() {
            remember(&dreamt, None, state, now)?;
            return Ok(dreamt);
        }
        let author = Author { kind: AuthorKind::Dream, id: Some(planner.to_owned()), session: None };
        let wish = Wish::replanned(&author);
        (wanted.step)(Phase::Writing, 0, dreamt.dream.plan.changes.len());
        match memory.submit(&dreamt.dream.plan, &wish, now) {
            Err(MemoryError::Disk(DiskError::Conflict { .. })) if attempt < MOST_TRIES => {}
            Err(error) => return Err(error),
            Ok(submitted) => {
                let id = match &submitted {
                    Submitted::Applied(applied) => {
                        applied.operation.as_ref().map(|done| (done.id.0.clone(), false))
                    }
                    Submitted::Staged { id, .. } => Some((id.clone(), true)),
                    Submitted::Rejected => None,
                };
                remember(&dreamt, id, state, now)?;
                dreamt.submitted = Some(submitted);
                return Ok(dreamt);
            }
        }
    }
}

/// Reads the directory as a dream sees it.
fn read(
    env: &Env,
    memory: &Memory,
    settled: BTreeSet<String>,
    wanted: &mut Wanted<'_>,
    now: Timestamp,
) -> Result<Scene, MemoryError> {
    memory.scene(env, settled, now, &mut |done, total| (wanted.step)(Phase::Reading, done, total))
}

/// Keeps the account of a dream, and that its notes were looked at.
fn remember(
    dreamt: &Dreamt,
    id: Option<(String, bool)>,
    state: &DreamState,
    now: Timestamp,
) -> Result<(), MemoryError> {
    let (id, is_staged) = id.unwrap_or_default();
    let record = DreamRecord {
        v: 1,
        id,
        time: now,
        is_staged,
        planner: dreamt.planner.to_owned(),
        before: dreamt.dream.before,
        after: dreamt.dream.after,
        account: dreamt.dream.account.clone(),
    };
    if !record.is_staged {
        state.settle(&record.distilled_keys()).map_err(MemoryError::State)?;
    }
    if !record.id.is_empty() {
        record.keep(state).map_err(MemoryError::State)?;
    }
    Ok(())
}

/// What a model answered, or why there is no answer.
type Asked = Result<Vec<u8>, String>;

/// The plan of the model if there is one and it keeps every rule, else that of the rules. However often a dream is planned
/// anew, the model is asked once.
fn planned(
    scene: &Scene,
    readings: &Readings,
    wanted: &mut Wanted<'_>,
    asked: &mut Option<Asked>,
) -> (Dream, &'static str, Vec<String>) {
    let model = wanted.model;
    if model.is_some() && asked.is_none() {
        (wanted.step)(Phase::Asking, 0, 1);
    }
    let mut by_rules =
        || plan(scene, readings, &mut |done, total| (wanted.step)(Phase::Planning, done, total));
    let Some(model) = model else { return (by_rules(), "rules", Vec::new()) };
    let proposed = match asked.get_or_insert_with(|| ask(model, scene)) {
        Ok(json) => read_proposal(scene, json)
            .map_err(|refused| format!("the plan of the model is refused: {refused}")),
        Err(why) => Err(why.clone()),
    };
    match proposed {
        Ok(dream) => (dream, "model", Vec::new()),
        Err(why) => (by_rules(), "rules", vec![format!("{why}; the rules planned instead")]),
    }
}

fn ask(model: &Model<'_>, scene: &Scene) -> Asked {
    let question = question(scene).ok_or("there is too little to ask a model about")?;
    let answer = model.ask(&question).map_err(|error| error.to_string())?;
    Ok(answer.to_string().into_bytes())
}

/// Who consolidates a memory right now, the client or another of ours.
///
/// # Errors
/// The lock cannot be read.
pub fn lock_holder(memory: &Memory, now: Timestamp) -> Result<Option<Holder>, MemoryError> {
    Ok(memory.root().map(|root| holder(root, now)).transpose()?.flatten())
}

/// Who holds the lock, in words.
#[must_use]
pub fn held(holder: &Holder) -> String {
    let since = holder.since.strftime("%Y-%m-%d %H:%M UTC");
    match holder.process {
        Some(process) => format!("process {process} consolidates this memory since {since}"),
        None => format!("another process began to consolidate this memory at {since}"),
    }
}

/// When this memory was last consolidated, by the client or by us, and why the next dream is not due yet.
///
/// # Errors
/// The lock or the project's sessions cannot be read.
pub fn dream_gate(env: &Env, memory: &Memory, now: Timestamp) -> Result<DreamGate, MemoryError> {
    let last_run = memory.root().map(last_consolidation).transpose()?.flatten();
    let sessions = sessions_since(env, last_run.filter(|last| *last <= now), None)?;
    Ok(DreamGate { last_run, not_due: due(&Gates { last_run, sessions, now }).err() })
}

/// When the next automatic dream is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DreamGate {
    /// The last one, of any author.
    pub last_run: Option<Timestamp>,
    /// Why none is due; `None` if one is.
    pub not_due: Option<NotDue>,
}

/// How many sessions of the project were used since a time, but for one.
fn sessions_since(env: &Env, since: Option<Timestamp>, but: Option<&str>) -> Result<usize, MemoryError> {
    let place = Place::find(env, &ClientFlags::default())?;
    let sessions = summarize_sessions(&project_sessions(env, &place));
    let counts = sessions.into_iter().filter(|session| Some(session.id.as_str()) != but);
    Ok(counts
        .filter(|session| since.is_none_or(|since| session.modified.is_some_and(|used| used > since)))
        .count())
}

/// Whether a file of the directory changed since a time.
fn has_changed_since(memory: &Memory, since: Option<Timestamp>, now: Timestamp) -> Result<bool, MemoryError> {
    let Some(since) = since.filter(|since| *since <= now) else { return Ok(true) };
    let catalogue = memory.catalogue()?;
    let index = crate::memory::entrypoint()?;
    let times = catalogue.entries.iter().map(|entry| entry.modified).chain(memory.modified_of(&index));
    Ok(times.into_iter().any(|modified| modified > since))
}

impl Memory {
    /// The records of the dreams of this directory, newest first.
    #[must_use]
    pub fn dreams(&self) -> Vec<DreamRecord> {
        let Some(state) = self.dream_state() else { return Vec::new() };
        state.ids().iter().rev().filter_map(|id| DreamRecord::read(&state, id)).collect()
    }

    /// The dream to undo: the named one, else the last that is not undone.
    ///
    /// # Errors
    /// No dream has that name.
    pub fn dream_to_undo<'l>(
        &self,
        wanted: Option<&str>,
        log: &'l Log,
    ) -> Result<Option<&'l Operation>, MemoryError> {
        let undone = log.undone();
        let is_dream = |operation: &&Operation| {
            operation.author.kind == AuthorKind::Dream && operation.undo_of.is_none()
        };
        match wanted {
            Some(wanted) => Ok(Some(log.find(wanted)?).filter(is_dream)),
            None => {
                log.must_be_complete()?;
                let mut dreams = log.operations.iter().filter(is_dream);
                Ok(dreams.find(|operation| !undone.contains_key(&operation.id)))
            }
        }
    }

    /// Remembers that a dream was undone: the same is not done again.
    ///
    /// # Errors
    /// Our state cannot be written.
    pub fn settle_undone(&self, operation: &Operation) -> Result<(), MemoryError> {
        let Some(state) = self.dream_state() else { return Ok(()) };
        let Some(record) = DreamRecord::read(&state, &operation.id.0) else { return Ok(()) };
        state.settle(&record.account.keys).map_err(MemoryError::State)
    }
}
