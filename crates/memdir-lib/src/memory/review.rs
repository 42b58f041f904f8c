use std::collections::{HashMap, HashSet};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::config::{WriteMode, WriteScope};
use memdir_core::content_hash::ContentHash;
use memdir_core::gate::Admitted;
use memdir_core::history::short_ids::ShortIds;
use memdir_core::history::undo::name_after;
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::index::OVERFLOW;
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::memory::topic::{Topic, decode};
use memdir_core::operation::{Author, AuthorKind, OperationId};
use memdir_core::plan::{Change, Plan};
use memdir_core::rel_path::RelPath;
use memdir_core::review::{StagedPlan, VERSION, fingerprint};
use memdir_disk::apply::{Applied, OnConflict};
use memdir_disk::random::random_bits;
use memdir_disk::staged::{StagedPlans, Waiting, waiting_elsewhere};

use super::{Memory, MemoryError, Wish};

/// What became of a proposed change.
#[derive(Debug)]
pub enum Submitted {
    /// It was applied.
    Applied(Box<Applied>),
    /// It waits for the user under this id.
    Staged {
        /// The id.
        id: String,
        /// What the user should be told.
        warnings: Vec<String>,
    },
    /// The user rejected the same before, so it is not proposed again. Nothing was changed.
    Rejected,
}

/// What the user said to a change that waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewDecision {
    /// It was made.
    Accepted,
    /// It was put aside.
    Rejected,
}

/// In how many of the newest operations an accepted change is looked for.
const LOOKED_AT: usize = 10_000;

impl Memory {
    /// Applies a plan, or has it wait for the user, as the user's settings say for this kind of author.
    ///
    /// Whatever does not come from a person goes through here. The same change twice waits once.
    ///
    /// # Errors
    /// The user's settings forbid it, or as [`Memory::apply`]; then nothing has changed.
    pub fn submit(&mut self, plan: &Plan, wish: &Wish<'_>, now: Timestamp) -> Result<Submitted, MemoryError> {
        if plan.changes.is_empty() {
            return Ok(Submitted::Applied(Box::new(self.apply_as(plan, wish, now)?)));
        }
        match self.gate(wish.author, |gate| Ok(gate.may_write().map(|()| gate.mode)?))? {
            WriteMode::Review => self.stage(plan, wish, now),
            WriteMode::Auto | WriteMode::Off => {
                Ok(Submitted::Applied(Box::new(self.apply_as(plan, wish, now)?)))
            }
        }
    }

    /// Has a plan wait for the user, whatever the settings say: the process that wants it is not known.
    ///
    /// # Errors
    /// As [`Memory::apply`]; then nothing waits.
    pub fn hold(&mut self, plan: &Plan, wish: &Wish<'_>, now: Timestamp) -> Result<Submitted, MemoryError> {
        self.stage(plan, wish, now)
    }

    /// The same, even if the user rejected the same before: it was wanted anew.
    ///
    /// # Errors
    /// As [`Memory::hold`].
    pub fn ask(&mut self, plan: &Plan, wish: &Wish<'_>, now: Timestamp) -> Result<Submitted, MemoryError> {
        self.may_write()?;
        let plan = self.proposed(plan, wish)?;
        self.store_id(now)?;
        put_waiting(&self.staged_plans()?, plan, wish.author, &self.here.memory_dir, now)
    }

    /// What the user said to changes that waited, by their ids. One that waits still has no answer, nor one that is gone
    /// for another reason.
    ///
    /// # Errors
    /// What waits or the history cannot be read.
    pub fn answers<'i>(
        &self,
        ids: impl Iterator<Item = &'i str>,
    ) -> Result<HashMap<&'i str, ReviewDecision>, MemoryError> {
        let staged = match self.staged_plans() {
            Err(MemoryError::NoSuchPlan { .. }) => return Ok(HashMap::new()),
            staged => staged?,
        };
        let waiting = staged.ids()?;
        let gone: Vec<&str> = ids.filter(|id| !waiting.iter().any(|waits| waits == id)).collect();
        if gone.is_empty() {
            return Ok(HashMap::new());
        }
        let (log, rejected) = (self.log(LOOKED_AT)?, staged.rejections());
        let accepted: HashSet<&str> =
            log.operations.iter().filter_map(|operation| operation.plan.as_deref()).collect();
        let answer = |id: &str| match () {
            () if accepted.contains(id) => Some(ReviewDecision::Accepted),
            () if rejected.contains(&ContentHash::of(id.as_bytes())) => Some(ReviewDecision::Rejected),
            () => None,
        };
        Ok(gone.into_iter().filter_map(|id| Some((id, answer(id)?))).collect())
    }

    /// What becomes of what a team mate sends, by the user's settings.
    ///
    /// # Errors
    /// The settings cannot be understood.
    pub fn team_mode(&self) -> Result<WriteMode, MemoryError> {
        Ok(self.config()?.mode(AuthorKind::Team, self.store.as_ref(), WriteScope::Team))
    }

    /// A plan that may wait: its contents passed the gate, and the user will answer for the rest.
    fn proposed(&self, plan: &Plan, wish: &Wish<'_>) -> Result<Admitted<Plan>, MemoryError> {
        if wish.verbatim {
            return Ok(Admitted::verbatim(plan.clone()));
        }
        self.gate(wish.author, |gate| Ok(gate.accepted(plan.clone())?))
    }

    fn stage(&mut self, plan: &Plan, wish: &Wish<'_>, now: Timestamp) -> Result<Submitted, MemoryError> {
        self.may_write()?;
        let plan = self.proposed(plan, wish)?;
        self.store_id(now)?;
        propose(&self.staged_plans()?, plan, wish.author, &self.here.memory_dir, now)
    }

    /// Every change that waits for the user, oldest first.
    ///
    /// # Errors
    /// There is no place for our state.
    pub fn waiting(&self) -> Result<Waiting, MemoryError> {
        match self.staged_plans() {
            Ok(staged) => Ok(staged.waiting()),
            // A directory without any write has no id yet, and nothing waits for it.
            Err(MemoryError::NoSuchPlan { .. }) => Ok(Waiting::default()),
            Err(error) => Err(error),
        }
    }

    /// What is wrong with the list of what the user rejected, a line each.
    #[must_use]
    pub fn rejection_problems(&self) -> Vec<String> {
        self.staged_plans().map(|staged| staged.rejection_problems()).unwrap_or_default()
    }

    /// The other memory directories for which changes wait, with how many.
    #[must_use]
    pub fn waiting_elsewhere(&self) -> Vec<(Utf8PathBuf, usize)> {
        let state_dir = self.state_dir.as_deref();
        state_dir.map_or_else(Vec::new, |state_dir| waiting_elsewhere(state_dir, self.store.as_ref()))
    }

    /// How many changes wait, at the cost of listing one folder.
    #[must_use]
    pub fn waiting_count(&self) -> usize {
        self.staged_plans().ok().and_then(|staged| staged.ids().ok()).map_or(0, |ids| ids.len())
    }

    /// One change that waits, by its id or by the beginning of it.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub fn waiting_plan(&self, id: &str) -> Result<StagedPlan, MemoryError> {
        let missing = || MemoryError::NoSuchPlan { id: id.to_owned() };
        let staged = self.staged_plans().map_err(|error| match error {
            // Nothing was written here yet, so nothing waits.
            MemoryError::NoSuchPlan { .. } => missing(),
            other => other,
        })?;
        let mut ids: Vec<String> = staged.ids()?.into_iter().filter(|known| known.starts_with(id)).collect();
        match (ids.pop(), ids.is_empty()) {
            (Some(only), true) => staged.get(&only)?.ok_or_else(missing),
            (Some(one), false) => {
                ids.push(one);
                Err(MemoryError::Ambiguous { name: id.to_owned(), candidates: ids })
            }
            (None, _) => Err(missing()),
        }
    }

    /// Puts another plan in the place of one that waits, under its id: the user edited it.
    ///
    /// # Errors
    /// The system fails.
    pub fn replace_waiting(&self, plan: &StagedPlan) -> Result<(), MemoryError> {
        Ok(self.staged_plans()?.put(&Admitted::edited_by_user(plan.clone()))?)
    }

    /// Applies a change that waits, as the change of its author.
    ///
    /// What was changed in the meantime is merged.
    ///
    /// # Errors
    /// It cannot be merged: then the error names the file, nothing was changed, and the plan still waits.
    pub fn accept(&mut self, staged: &StagedPlan, now: Timestamp) -> Result<Applied, MemoryError> {
        let wish = Wish {
            author: &staged.author,
            undo_of: None,
            staged: Some(&staged.id),
            on_conflict: OnConflict::Refuse,
            look: true,
            verbatim: false,
            replans: false,
        };
        self.look(now)?;
        self.is_still_possible(staged)?;
        self.check_dream(staged)?;
        let mut applied = self.apply_as(&staged.plan, &wish, now)?;
        self.settle_dream(staged, applied.operation.as_ref().map(|done| done.id.0.as_str()));
        // The change is made. Accepting it again changes nothing.
        let removed = self.staged_plans().and_then(|plans| {
            plans.remove(&staged.id)?;
            Ok(plans.forget_rejected(&extracted_kinds(staged))?)
        });
        if let Err(error) = removed {
            applied.warnings.push(format!("it is done, and still listed as waiting: {error}"));
        }
        Ok(applied)
    }

    /// A file that was removed or renamed since is not brought back by an edit of what it was.
    fn is_still_possible(&self, staged: &StagedPlan) -> Result<(), MemoryError> {
        let is_index = |path: &RelPath| [ENTRYPOINT, OVERFLOW].contains(&path.as_str());
        let made_from = staged.plan.changes.iter().filter_map(|change| match change {
            Change::Write { path, base: Some(_), .. } if !is_index(path) => Some(path),
            Change::Rename { from, .. } => Some(from),
            _ => None,
        });
        let renamed_by_it: Vec<&RelPath> = staged.plan.changes.iter().filter_map(renamed_to).collect();
        for path in made_from.filter(|path| !renamed_by_it.contains(path)) {
            if self.read(path)?.is_none() {
                let log = self.log(usize::MAX)?;
                let now = name_after(path, &log.operations);
                let now = (now != *path && self.read(&now)?.is_some()).then_some(now);
                return Err(MemoryError::PlanOverdue { path: path.clone(), now });
            }
        }
        Ok(())
    }

    /// Puts a change that waits aside for good: the same is not proposed again. It is remembered by what it wants and by
    /// its id, which tells it from the same at another time.
    ///
    /// Returns what the user should be told: of which kinds extraction proposes nothing from now on.
    ///
    /// # Errors
    /// The system fails.
    pub fn reject(&self, staged: &StagedPlan) -> Result<Vec<String>, MemoryError> {
        let plans = self.staged_plans()?;
        plans.remember_rejected(&[fingerprint(&staged.plan), ContentHash::of(staged.id.as_bytes())])?;
        self.settle_dream(staged, None);
        plans.remove(&staged.id)?;
        let kinds = extracted_kinds(staged);
        let off = if kinds.is_empty() { Vec::new() } else { plans.count_rejected(&kinds)? };
        Ok(off
            .iter()
            .map(|kind| {
                format!(
                    "You rejected `{kind}` from extraction three times in a row: it proposes none here any more. To reverse \
                     it: memdir review --again {kind}"
                )
            })
            .collect())
    }

    /// The kinds of which extraction proposes nothing here, because the user rejected them three times in a row.
    #[must_use]
    pub fn kinds_off(&self) -> Vec<MemoryType> {
        self.staged_plans().map(|plans| plans.kinds_off()).unwrap_or_default()
    }

    /// Has extraction propose a kind again.
    ///
    /// # Errors
    /// The system fails.
    pub fn propose_again(&self, kind: &MemoryType) -> Result<(), MemoryError> {
        match self.staged_plans() {
            // Nothing was rejected in a directory without any write.
            Err(MemoryError::NoSuchPlan { .. }) => Ok(()),
            plans => Ok(plans?.forget_rejected(std::slice::from_ref(kind))?),
        }
    }

    /// Withdraws a change that waits: its author wants something else now. It may be proposed again.
    ///
    /// # Errors
    /// The system fails.
    pub fn withdraw(&self, staged: &StagedPlan) -> Result<(), MemoryError> {
        Ok(self.staged_plans()?.remove(&staged.id)?)
    }

    /// The beginning under which a change that waits is printed.
    #[must_use]
    pub fn short_waiting_id<'i>(&self, id: &'i str) -> &'i str {
        let ids = |waiting: Waiting| ShortIds::among(waiting.plans.into_iter().map(|staged| staged.id));
        self.waiting().map_or(id, |waiting| ids(waiting).shorten(id))
    }

    fn staged_plans(&self) -> Result<StagedPlans, MemoryError> {
        let state_dir = self.state_dir.as_deref().ok_or(MemoryError::NoStateDir)?;
        if let Some(store) = &self.store {
            return Ok(StagedPlans::of(state_dir, store));
        }
        // A registry that cannot be read is not proof that nothing waits.
        match self.projects.known_store(&self.here.memory_dir)? {
            Some(store) => Ok(StagedPlans::of(state_dir, &store)),
            None => Err(MemoryError::NoSuchPlan { id: String::new() }),
        }
    }
}

/// The kinds of the memories that a change of extraction writes, each once.
fn extracted_kinds(staged: &StagedPlan) -> Vec<MemoryType> {
    if staged.author.kind != AuthorKind::Extract {
        return Vec::new();
    }
    let written = staged.plan.changes.iter().filter_map(|change| match change {
        Change::Write { content, .. } => Topic::parse_head_of_whole(&decode(&content.0).0).0.memory_type,
        _ => None,
    });
    let written: Vec<MemoryType> = written.collect();
    MemoryType::KNOWN.into_iter().filter(|kind| written.contains(kind)).collect()
}

fn renamed_to(change: &Change) -> Option<&RelPath> {
    match change {
        Change::Rename { to, .. } => Some(to),
        _ => None,
    }
}

/// Puts a plan among those that wait, unless the user rejected the same before or it waits already.
pub(crate) fn propose(
    staged: &StagedPlans,
    plan: Admitted<Plan>,
    author: &Author,
    memory_dir: &Utf8Path,
    now: Timestamp,
) -> Result<Submitted, MemoryError> {
    if staged.was_rejected(&fingerprint(plan.get())) {
        return Ok(Submitted::Rejected);
    }
    put_waiting(staged, plan, author, memory_dir, now)
}

/// Puts a plan among those that wait, unless it waits already.
fn put_waiting(
    staged: &StagedPlans,
    plan: Admitted<Plan>,
    author: &Author,
    memory_dir: &Utf8Path,
    now: Timestamp,
) -> Result<Submitted, MemoryError> {
    let wanted = fingerprint(plan.get());
    let waiting = staged.waiting().plans;
    if let Some(same) = waiting.into_iter().find(|waiting| fingerprint(&waiting.plan) == wanted) {
        return Ok(Submitted::Staged { id: same.id, warnings: plan.into_inner().warnings });
    }
    let random = random_bits().map_err(crate::projects::ProjectsError::NoRandom)?;
    let id = OperationId::new(now, u64::try_from(random & u128::from(u64::MAX)).unwrap_or(0)).0;
    let warnings = plan.get().warnings.clone();
    let waiting = plan.staged(|plan| StagedPlan {
        v: VERSION,
        id: id.clone(),
        time: now,
        author: author.clone(),
        memory_dir: memory_dir.to_owned(),
        plan,
    });
    staged.put(&waiting)?;
    Ok(Submitted::Staged { id, warnings })
}
