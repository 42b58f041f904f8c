//! What the user is asked about, and what they said.

use std::collections::BTreeMap;

use memdir_core::config::WriteMode;
use memdir_core::operation::AuthorKind;
use memdir_core::plan::Plan;
use memdir_core::review::{StagedPlan, fingerprint};
use memdir_lib::memory::ReviewDecision;

use super::{BY_MEMBER, Folder, MAX_HELD};
use crate::local::{LocalError, Proposal, Rules, SentFrom};
use crate::state::SyncState;
use crate::sync_files::Asked;

/// What the user is asked in the course of a sync, and what they said before.
#[derive(Default)]
pub(crate) struct Questions {
    /// What the user said since the last sync to what they were asked about, by key.
    pub(super) answers: BTreeMap<String, (Asked, ReviewDecision)>,
    /// What was sent from here while something of others waits since then, by key.
    pub(super) sent_from: BTreeMap<String, SentFrom>,
    /// What they are asked about from the end of this sync on.
    asking: Option<Asking>,
}

/// What is remembered once the sync that asks has come to its end.
#[derive(Default)]
struct Asking {
    sent_from: BTreeMap<String, SentFrom>,
    asked: BTreeMap<String, Asked>,
    /// The plans that wait now, by id.
    plans: BTreeMap<String, Plan>,
}

impl Folder<'_> {
    /// Looks what the user said since the last sync. What they accepted is agreed from then on, so that whatever they
    /// change before the next sync was made from it.
    pub(crate) fn hear_answers(&mut self, state: &mut SyncState) -> Result<(), LocalError> {
        let asked = self.files.asked();
        self.questions.answers.clear();
        self.questions.sent_from = self.files.sent_from();
        if asked.is_empty() {
            return Ok(());
        }
        for root in &self.roots {
            let here = asked.iter().filter(|(key, _)| key.starts_with(&root.prefix));
            let answers = root.memory.answers(here.clone().map(|(_, asked)| asked.id.as_str()))?;
            for (key, asked) in here {
                let Some(answer) = answers.get(asked.id.as_str()) else { continue };
                if *answer == ReviewDecision::Accepted {
                    state.accept(key, &asked.entry);
                    // What went out before is nothing that later changes belong to.
                    self.questions.sent_from.remove(key);
                }
                self.questions.answers.insert(key.clone(), (asked.clone(), *answer));
            }
        }
        Ok(())
    }

    /// Has everything wait that the user is asked about. What was asked before is in force until the sync has come to its
    /// end: an answer to it must not get lost in between.
    pub(super) fn ask(&mut self, proposals: &[Proposal]) -> Result<(), LocalError> {
        let (before, mut sent_from) = (self.files.asked(), self.questions.sent_from.clone());
        if proposals.is_empty() && before.is_empty() && sent_from.is_empty() && !self.reviews() {
            return Ok(());
        }
        sent_from.retain(|key, _| proposals.iter().any(|proposal| proposal.held.key == *key));
        for proposal in proposals {
            sent_from.extend(proposal.sent_from.clone().map(|sent| (proposal.held.key.clone(), sent)));
        }
        let mut asking = Asking { sent_from, ..Asking::default() };
        let wanted = if self.mode == WriteMode::Off { 0 } else { MAX_HELD };
        for proposal in proposals.iter().take(wanted) {
            let Some(plan) = self.proposed_plan(proposal)? else { continue };
            let (key, fingerprint) = (&proposal.held.key, fingerprint(&plan));
            let same = before.get(key).filter(|before| before.fingerprint == fingerprint);
            let (id, plan) = match same.and_then(|same| self.edited(key, same)) {
                Some(edited) => (edited.id, edited.plan),
                None => match self.stage(&proposal.held, &plan)? {
                    Some(id) => (id, plan),
                    None => continue,
                },
            };
            let asked = Asked { id: id.clone(), fingerprint, entry: proposal.entry.clone() };
            asking.asked.insert(key.clone(), asked);
            asking.plans.insert(id, plan);
        }
        self.questions.asking = Some(asking);
        Ok(())
    }

    /// Remembers what was asked, now that what was answered before is agreed; what is wanted now takes the place of what
    /// was wanted before.
    pub(super) fn asked(&mut self) -> Result<(), LocalError> {
        let Some(Asking { sent_from, asked, mut plans }) = self.questions.asking.take() else {
            return Ok(());
        };
        let before = self.files.asked();
        self.files.set_sent_from(&sent_from)?;
        self.files.set_asked(&asked)?;
        for root in &self.roots {
            for waiting in root.memory.waiting()?.plans {
                let is_ours = waiting.author.kind == AuthorKind::Team
                    && (BY_MEMBER.iter().any(|by| waiting.plan.reason.starts_with(by))
                        || before.values().any(|before| before.id == waiting.id));
                match plans.remove(&waiting.id) {
                    // The same is wanted, and what is here is something else now.
                    Some(plan) if plan != waiting.plan => {
                        root.memory.replace_waiting(&StagedPlan { plan, ..waiting })?;
                    }
                    None if is_ours => root.memory.withdraw(&waiting)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// The plan that waits for an answer, if it is what the user made of another one.
    fn edited(&self, key: &str, asked: &Asked) -> Option<StagedPlan> {
        let waiting = self.root_of(key)?.memory.waiting_plan(&asked.id).ok()?;
        (fingerprint(&waiting.plan) != asked.fingerprint).then_some(waiting)
    }
}
