//! Two people who settle one conflict in opposite ways: one deletes the copy, the other the original.

use std::collections::BTreeSet;

use super::Planner;
use super::facts::Planned;
use crate::conflict_copy::original_of;

impl Planner<'_> {
    /// What others kept stays, if they deleted the other version of a conflict and this one was deleted here: both deletions
    /// together would lose both versions.
    pub(super) fn keep_what_others_kept(&mut self) -> Planned<()> {
        let taken = self
            .plan
            .local
            .iter()
            .filter(|(key, change)| change.text.is_none() && self.plan.agreed.contains_key(*key));
        let taken: BTreeSet<&String> = taken.map(|(key, _)| key).collect();
        let is_other_version = |key: &String| {
            original_of(key).is_some_and(|original| taken.contains(&original))
                || taken.iter().any(|copy| original_of(copy).as_ref() == Some(key))
        };
        let is_deleted = |key: &String| {
            let is_alive = self.sides.state.agreed.get(key).is_some_and(|agreed| agreed.content.is_some());
            is_alive && self.plan.outgoing.get(key).is_some_and(|outgoing| outgoing.text.is_none())
        };
        if taken.is_empty() {
            return Ok(());
        }
        let deleted = self.plan.outgoing.keys().filter(|key| is_deleted(key) && is_other_version(key));
        let deleted: Vec<String> = deleted.cloned().collect();
        for key in &deleted {
            self.report.notices.push(format!(
                "`{key}` is back: others settled the conflict the other way and deleted the version that you kept"
            ));
        }
        self.bring_back(&deleted)
    }
}
