//! Names that mean another memory than was agreed: a change of the old one does not go into the new one.

use std::collections::{BTreeMap, BTreeSet};

use memdir_core::content_hash::ContentHash;
use memdir_wire::entry::Entry;

use super::Planner;
use super::facts::{Planned, all};
use super::likeness::{is_alike, is_another, likeness};
use super::renames::{MAX_COMPARED, Moved};
use crate::common_base::common_base;
use crate::report::ChangeKind;

/// A name under which another memory stands here than was agreed, which has another name here now.
struct Reused {
    from: String,
    to: String,
    /// What was agreed under the name.
    base: String,
}

/// A text that may be what was agreed under another name.
struct Candidate {
    key: String,
    text: String,
}

impl Planner<'_> {
    /// Whether what stands here and what others have at a key are about different things, though both took the place of what
    /// was agreed: the one does not belong into the other.
    pub(super) fn is_unrelated(&self, key: &str, mine: Option<ContentHash>) -> Planned<bool> {
        // While something waits for the user, what is agreed is not what both were made from.
        if self.rules.sent_from(key).is_some() {
            return Ok(false);
        }
        let (Some(entry), Some(base)) = (self.newer_entry(key).cloned(), self.agreed_text(key)?) else {
            return Ok(false);
        };
        let Some(theirs) = entry.text else { return Ok(false) };
        let ours = self.text_of(key, mine)?;
        if is_alike(ours.as_ref().unwrap_or(&base), &theirs) {
            return Ok(false);
        }
        if is_another(&base, &theirs) || ours.is_some_and(|ours| is_another(&base, &ours)) {
            return Ok(true);
        }
        // It may be the next memory of that name.
        let is_made_from_it = entry.parent == Some(ContentHash::of(base.as_bytes()));
        Ok(!is_made_from_it
            && !is_alike(&base, &theirs)
            && (entry.parent.is_none() || self.was_deleted_since(key)?))
    }

    /// Whether two memories that have nothing in common got the same new name: a merge would make one memory of both.
    pub(super) fn is_name_clash(&self, key: &str, mine: Option<ContentHash>) -> Planned<bool> {
        let is_agreed = self.sides.state.agreed.get(key).is_some_and(|agreed| agreed.content.is_some());
        let theirs = self.sides.inbox.entry(key).and_then(|(entry, _)| entry.text.clone());
        let Some(theirs) = theirs.filter(|_| !is_agreed && !self.rules.is_list(key)) else {
            return Ok(false);
        };
        if self.rules.sent_from(key).is_some() {
            return Ok(false);
        }
        let ours = self.text_of(key, mine)?;
        Ok(ours.is_some_and(|ours| is_another(&ours, &theirs) && is_another(&theirs, &ours)))
    }

    /// Whether others say all that stands here as it was agreed: then nothing is lost by taking theirs, wherever it is from.
    pub(super) fn is_all_said(&self, key: &str, mine: Option<ContentHash>) -> Planned<bool> {
        let agreed = self.sides.state.agreed.get(key).and_then(|agreed| agreed.content);
        let theirs = self.sides.inbox.entry(key).and_then(|(entry, _)| entry.text.clone());
        let Some(theirs) = theirs.filter(|_| mine == agreed) else { return Ok(false) };
        let ours = self.text_of(key, mine)?;
        Ok(ours.is_some_and(|ours| common_base(&ours, &theirs) == ours))
    }

    /// What others put in the place of what was agreed at a key.
    fn newer_entry(&self, key: &str) -> Option<&Entry> {
        let (entry, _) = self.sides.inbox.entry(key)?;
        let agreed = self.sides.state.agreed.get(key).filter(|agreed| agreed.content.is_some())?;
        let is_newer = agreed.version < entry.version || agreed.round < entry.round;
        (is_newer && !self.sides.rewritten && !self.rules.is_list(key)).then_some(entry)
    }

    /// Names under which a memory was agreed that is changed or has another name here, and others have something else: each
    /// with what it is called here, what was agreed and what they have, which is nothing where they deleted it.
    fn changed_on_both_sides(
        &self,
        new_names: &BTreeMap<String, String>,
    ) -> Planned<Vec<(String, String, String, String)>> {
        if self.rules.reviews() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for (from, entry) in self.sides.inbox.entries().filter(|(from, _)| self.newer_entry(from).is_some()) {
            let agreed = self.sides.state.agreed.get(from).and_then(|agreed| agreed.content);
            let key = match self.mine(from) {
                Some(mine) => (Some(mine) != agreed).then_some(from),
                None => new_names.get(from),
            };
            let is_open = !self.sides.scan.leaves_alone(from) && !self.counts_as_agreed(from);
            if let Some(key) = key.filter(|_| is_open && self.rules.wants(from)) {
                found.push((from.clone(), key.clone(), entry.text.clone().unwrap_or_default()));
            }
        }
        let with_base = |(from, key, theirs): (String, String, String)| {
            Ok(self.agreed_text(&from)?.map(|base| (from, key, base, theirs)))
        };
        let changed = all(found.into_iter().take(MAX_COMPARED).map(with_base))?;
        Ok(changed.into_iter().flatten().collect())
    }

    /// Where others use a name for another memory and have moved the one that was changed here.
    pub(super) fn moved_from_reused_names(
        &self,
        new_names: &BTreeMap<String, String>,
        known: &[Moved],
    ) -> Planned<Vec<Moved>> {
        let mut suspects = self.changed_on_both_sides(new_names)?;
        suspects.retain(|(from, _, base, theirs)| {
            !is_alike(base, theirs) && known.iter().all(|known| known.from != *from)
        });
        if suspects.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<String> = self.sides.inbox.entries().map(|(key, _)| key.clone()).collect();
        let mut candidates = Vec::new();
        for key in keys.into_iter().filter(|key| known.iter().all(|known| known.to != *key)) {
            if candidates.len() < MAX_COMPARED && self.sides.inbox.withheld(&key).is_none() {
                candidates.extend(self.new_memory_there(&key)?.map(|text| Candidate { key, text }));
            }
        }
        let mut moved: Vec<Moved> = Vec::new();
        for (from, key, base, theirs) in suspects {
            let is_named = |candidate: &Candidate| {
                let entry = self.sides.inbox.entry(&candidate.key);
                entry.is_some_and(|(entry, _)| self.names_before(entry).contains(&from.as_str()))
                    && likeness(&base, &candidate.text) > likeness(&base, &theirs)
            };
            let Some(to) = the_one_like(&base, &from, &candidates, is_named) else { continue };
            let ours = self.text_of(&key, self.mine(&key))?.unwrap_or_default();
            let is_open = !is_another(&base, &ours) && moved.iter().all(|moved| moved.to != to);
            if is_open && self.refusal(&to, &ours).is_none() {
                moved.push(Moved { key, from, to });
            }
        }
        // Nothing goes where something stands that stays.
        retain_all(&mut moved, |moved, others| {
            let is_changed = self.mine(&moved.to)
                != self.sides.state.agreed.get(&moved.to).and_then(|agreed| agreed.content);
            !is_changed || others.chain(known).any(|other| other.key == moved.to)
        });
        Ok(moved)
    }

    /// The text that others put at a key, if it is not a change of what was agreed there.
    fn new_memory_there(&self, key: &str) -> Planned<Option<String>> {
        let Some((entry, _)) = self.sides.inbox.entry(key) else { return Ok(None) };
        let Some(text) = entry.text.clone() else { return Ok(None) };
        let is_older = |version: u64| version >= entry.version || self.sides.rewritten;
        if self.sides.state.agreed.get(key).is_some_and(|agreed| is_older(agreed.version))
            || self.rules.is_list(key)
        {
            return Ok(None);
        }
        let base = self.agreed_text(key)?;
        Ok(base.is_none_or(|base| !is_alike(&base, &text)).then_some(text))
    }

    /// Where a name is used here for another memory, what somebody changed of the old one goes to the name that it has now.
    pub(super) fn follow_to_reused_names(
        &mut self,
        new_names: &BTreeMap<String, String>,
        settled: &mut BTreeSet<String>,
    ) -> Planned<()> {
        let reused = self.reused_here(new_names)?;
        let targets: BTreeSet<String> = reused.iter().map(|reused| reused.to.clone()).collect();
        for Reused { from, to, base } in reused {
            let Some((entry, _)) = self.sides.inbox.entry(&from) else { continue };
            let Some(theirs) = entry.text.clone() else { continue };
            let (by, time) = (self.name_of(&entry.author), entry.time);
            let Some(text) = self.with_their_change(&to, &base, &theirs, &by)? else { continue };
            self.send(&to, Some(text.clone()), None)?;
            if !self.plan.outgoing.contains_key(&to) {
                continue;
            }
            self.write(&to, Some(text), &by, time);
            self.receive(&to, &by, ChangeKind::Changed);
            if !targets.contains(&from) {
                let own = self.text_of(&from, self.mine(&from))?;
                self.send(&from, own, None)?;
            }
            settled.extend([from, to]);
        }
        Ok(())
    }

    fn reused_here(&self, new_names: &BTreeMap<String, String>) -> Planned<Vec<Reused>> {
        let mut suspects = Vec::new();
        for (from, key, base, theirs) in self.changed_on_both_sides(&BTreeMap::new())? {
            let ours = self.text_of(&key, self.mine(&key))?.unwrap_or_default();
            if !is_alike(&base, &ours) && is_alike(&base, &theirs) {
                suspects.push((from, base));
            }
        }
        if suspects.is_empty() {
            return Ok(Vec::new());
        }
        let is_taken = |key: &String| new_names.values().any(|name| name == key);
        let keys: Vec<String> = self.sides.scan.files.keys().filter(|key| !is_taken(key)).cloned().collect();
        let mut candidates = Vec::new();
        for key in keys {
            if candidates.len() < MAX_COMPARED {
                candidates.extend(self.new_memory_here(&key)?.map(|text| Candidate { key, text }));
            }
        }
        let mut reused: Vec<Reused> = Vec::new();
        for (from, base) in suspects {
            if let Some(to) = the_one_like(&base, &from, &candidates, |_| false)
                && reused.iter().all(|reused| reused.to != to)
            {
                reused.push(Reused { from, to, base });
            }
        }
        // Where others changed something, too, that has to go elsewhere.
        retain_all(&mut reused, |reused, mut others| {
            self.sides.inbox.entry(&reused.to).is_none() || others.any(|other| other.from == reused.to)
        });
        Ok(reused)
    }

    /// The text that stands here at a key, if it is not a change of what was agreed there.
    fn new_memory_here(&self, key: &str) -> Planned<Option<String>> {
        let mine = self.mine(key);
        let agreed = self.sides.state.agreed.get(key).and_then(|agreed| agreed.content);
        if mine == agreed || self.counts_as_agreed(key) || self.rules.is_list(key) {
            return Ok(None);
        }
        let text = self.text_of(key, mine)?;
        let base = self.agreed_text(key)?;
        Ok(text.filter(|text| base.is_none_or(|base| !is_alike(&base, text))))
    }
}

/// The candidate that is most like a text; `None` where none is, or two are alike.
fn the_one_like(
    base: &str,
    from: &str,
    candidates: &[Candidate],
    is_named: impl Fn(&Candidate) -> bool,
) -> Option<String> {
    let others = candidates.iter().filter(|candidate| candidate.key != from);
    let alike = others.filter(|candidate| is_alike(base, &candidate.text) || is_named(candidate));
    let mut shares: Vec<(usize, &String)> =
        alike.map(|candidate| (likeness(base, &candidate.text), &candidate.key)).collect();
    shares.sort();
    match shares.as_slice() {
        [.., (second, _), (first, _)] if first == second => None,
        [.., (_, key)] => Some((*key).clone()),
        [] => None,
    }
}

/// Keeps what holds for an element among the others, until it holds for all that are left.
fn retain_all<T>(elements: &mut Vec<T>, holds: impl Fn(&T, std::slice::Iter<'_, T>) -> bool) {
    while let Some(at) = elements.iter().position(|element| !holds(element, elements.iter())) {
        elements.remove(at);
    }
}
