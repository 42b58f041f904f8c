//! Names that changed on one side while the text changed on the other.

use std::collections::{BTreeMap, BTreeSet};

use memdir_core::content_hash::ContentHash;
use memdir_wire::entry::Entry;

use super::Planner;
use super::facts::{Need, Planned, all, known};
use super::likeness::{is_alike, is_another, likeness};
use super::merging::Both;
use crate::classify::Theirs;
use crate::conflict_copy::with_name_of;
use crate::engine::Conflict;
use crate::options::ConflictPolicy;
use crate::report::ChangeKind;
use crate::state::Agreed;

/// More files than this that came or went at once are not compared with each other.
pub(super) const MAX_COMPARED: usize = 100;

/// A file that has another name here than was agreed.
struct Renamed {
    from: String,
    to: String,
    /// What was agreed under the old name, where the text changed too.
    base: Option<String>,
}

/// An entry that has another name there than was agreed.
pub(super) struct Moved {
    /// What it is called here now.
    pub(super) key: String,
    pub(super) from: String,
    pub(super) to: String,
}

/// How many names of one memory are followed.
const MAX_NAMES: usize = 32;

impl Planner<'_> {
    /// Where one side renamed what the other changed, the change follows. Gives back the keys that are settled by that.
    pub(super) fn follow_renames(&mut self) -> Planned<BTreeSet<String>> {
        let mut settled = BTreeSet::new();
        let renamed_here = self.renamed_here()?;
        let new_names: BTreeMap<String, String> =
            renamed_here.iter().map(|renamed| (renamed.from.clone(), renamed.to.clone())).collect();
        let mut moved = self.renamed_there(&new_names)?;
        moved.extend(self.moved_from_reused_names(&new_names, &moved)?);
        for Renamed { from, to, base } in renamed_here {
            if moved.iter().any(|moved| moved.from == from) {
                continue;
            }
            if self.is_unrelated(&from, None)? {
                // What has the name there now is another memory.
                self.vacated.insert(from);
                continue;
            }
            // The change that somebody made under the old name goes to the new one.
            if let Some((entry, _)) = self.sides.inbox.entry(&from)
                && let Some(theirs) = entry.text.clone()
                && self.sides.inbox.entry(&to).is_none()
                && self
                    .sides
                    .state
                    .agreed
                    .get(&from)
                    .is_some_and(|agreed| agreed.round < entry.round || agreed.version < entry.version)
            {
                let (by, time) = (self.name_of(&entry.author), entry.time);
                self.taken_names().release(&from);
                let text = match base {
                    None => theirs,
                    Some(base) => match self.with_their_change(&to, &base, &theirs, &by)? {
                        Some(text) => text,
                        None if self.sides.options.conflict == ConflictPolicy::Fail => {
                            settled.extend([from, to]);
                            continue;
                        }
                        // Theirs is looked at under the old name.
                        None => continue,
                    },
                };
                if self.rules.reviews() {
                    if self.wait_renamed(&from, &to, text)? {
                        settled.extend([from, to]);
                    }
                    continue;
                }
                self.send(&to, Some(text.clone()), Some(from.clone()))?;
                if self.plan.outgoing.contains_key(&to) {
                    self.write(&to, Some(text), &by, time);
                    self.send(&from, None, None)?;
                    self.receive(&to, &by, ChangeKind::Changed);
                    settled.extend([from, to]);
                }
            } else if matches!(self.sides.inbox.theirs(&from), Theirs::Unchanged)
                && self.sides.inbox.entry(&to).is_none()
            {
                let text = self.text_of(&to, self.mine(&to))?;
                self.send(&to, text, Some(from.clone()))?;
                settled.insert(to);
            }
        }
        self.follow_to_reused_names(&new_names, &mut settled)?;
        self.follow_moved(moved, &mut settled)?;
        self.tell_of_deleted_and_renamed(&new_names, &mut settled)?;
        Ok(settled)
    }

    /// What stands here under a new name, with what somebody changed under the old one; `None` if the two cannot be one now.
    pub(super) fn with_their_change(
        &mut self,
        to: &str,
        base: &str,
        theirs: &str,
        by: &str,
    ) -> Planned<Option<String>> {
        let mine = self.text_of(to, self.mine(to))?.unwrap_or_default();
        if let Some(merged) = self.rules.merge(to, base, &mine, theirs) {
            return Ok(Some(merged));
        }
        let policy = self.sides.options.conflict;
        Ok(match policy {
            _ if self.rules.reviews() => None,
            ConflictPolicy::Ours => Some(mine),
            ConflictPolicy::Fail => {
                self.unresolved.push(Conflict { path: to.to_owned(), by: by.to_owned() });
                None
            }
            ConflictPolicy::Merge if !self.keep_copy(to, &mine)? => None,
            ConflictPolicy::Merge | ConflictPolicy::Theirs => Some(with_name_of(theirs, &mine)),
        })
    }

    /// What was changed here goes to where others have moved the memory.
    fn follow_moved(&mut self, moved: Vec<Moved>, settled: &mut BTreeSet<String>) -> Planned<()> {
        let targets: BTreeSet<String> = moved.iter().map(|moved| moved.to.clone()).collect();
        let (mut left, mut stuck) = (Vec::new(), BTreeSet::new());
        for Moved { key, from, to } in moved {
            if stuck.contains(&to) {
                settled.extend([key, from, to]);
                continue;
            }
            let mine = self.mine(&key);
            let both = Both { key: &key, agreed_as: &from, target: &to, related: true };
            self.taken_names().release(&from);
            self.taken_names().release(&key);
            if self.rules.reviews() {
                self.wait_merged(both, mine)?;
                if !self.plan.declined.contains_key(&to) {
                    settled.extend([from, key]);
                }
                settled.insert(to);
                continue;
            }
            self.merge_both(both, mine)?;
            if !self.plan.agreed.contains_key(&to) && !self.plan.outgoing.contains_key(&to) {
                stuck.insert(key.clone());
                settled.extend([key, from, to]);
                continue;
            }
            if let Some((entry, id)) = self.sides.inbox.entry(&from).filter(|(entry, _)| entry.text.is_none())
            {
                self.plan.agreed.insert(from.clone(), Some(Agreed::of(entry, id)));
                settled.insert(from.clone());
            }
            if key != from {
                self.report.notices.push(format!(
                    "`{from}` was renamed to `{key}` here and to `{to}` by others, who were first: it is `{to}`"
                ));
            }
            settled.insert(to);
            left.extend([key, from]);
        }
        for key in left.into_iter().filter(|key| !targets.contains(key)) {
            self.write(&key, None, "the team", self.sides.now);
            if !self.sides.state.agreed.contains_key(&key) {
                // Whoever kills us now does not make a new memory of it.
                self.plan.agreed.insert(key.clone(), None);
            }
            self.vacated.insert(key);
        }
        Ok(())
    }

    /// Files that have another name here than was agreed: with the same content, or nearly the same where only one such
    /// pair is to be found.
    fn renamed_here(&self) -> Planned<Vec<Renamed>> {
        let mut gone: BTreeMap<ContentHash, Vec<&String>> = BTreeMap::new();
        for (key, agreed) in &self.sides.state.agreed {
            if let Some(content) = agreed.content.filter(|_| self.mine(key).is_none())
                && !self.sides.scan.leaves_alone(key)
                && self.rules.wants(key)
            {
                gone.entry(content).or_default().push(key);
            }
        }
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let mut came: BTreeMap<ContentHash, Vec<&String>> = BTreeMap::new();
        // What a killed sync was about to delete still lies there, and is no new name of anything; nor is what stayed here
        // because the user wanted it.
        for (key, content) in self.sides.scan.files.iter().filter(|(key, _)| !self.counts_as_agreed(key)) {
            if self.sides.state.agreed.get(key).is_none_or(|agreed| agreed.content.is_none()) {
                came.entry(*content).or_default().push(key);
            }
        }
        let only = |(content, from): (&ContentHash, &Vec<&String>)| match (
            from.as_slice(),
            came.get(content)?.as_slice(),
        ) {
            ([from], [to]) => Some((*content, (*from).clone(), (*to).clone())),
            _ => None,
        };
        let same: Vec<(ContentHash, String, String)> = gone.iter().filter_map(only).collect();
        let is_left = |content: &ContentHash| same.iter().all(|(known, ..)| known != content);
        let rest = |keys: &BTreeMap<ContentHash, Vec<&String>>| -> Vec<String> {
            let left = keys.iter().filter(|(content, _)| is_left(content)).flat_map(|(_, keys)| keys);
            left.map(|key| (*key).clone()).collect()
        };
        let (mut gone, mut came) = (rest(&gone), rest(&came));
        let mut renamed: Vec<Renamed> =
            same.into_iter().map(|(_, from, to)| Renamed { from, to, base: None }).collect();
        renamed.extend(self.renamed_by_command(&mut gone, &mut came)?);
        renamed.extend(self.nearly_same(&gone, &came)?);
        Ok(renamed)
    }

    /// The pairs of which our own history says that one is the new name of the other, whatever the text became since.
    fn renamed_by_command(&self, gone: &mut Vec<String>, came: &mut Vec<String>) -> Planned<Vec<Renamed>> {
        let mut renamed = Vec::new();
        if gone.is_empty() || came.is_empty() {
            return Ok(renamed);
        }
        let given = known(self.facts.names_given.as_ref(), || Need::NamesGiven)?;
        for to in came.clone() {
            let mut name = &to;
            for (from, given) in &given {
                if given != name {
                    continue;
                }
                let Some(from) = from else { break };
                name = from;
                if let Some(at) = gone.iter().position(|gone| gone == from)
                    && let Some(base) = self.agreed_text(from)?
                {
                    gone.remove(at);
                    came.retain(|came| *came != to);
                    renamed.push(Renamed { from: from.clone(), to: to.clone(), base: Some(base) });
                    break;
                }
            }
        }
        Ok(renamed)
    }

    /// The pairs of texts that say nearly the same: renaming a memory gives it another `name:`, and perhaps other links.
    fn nearly_same(&self, gone: &[String], came: &[String]) -> Planned<Vec<Renamed>> {
        if gone.is_empty() || came.is_empty() || gone.len() > MAX_COMPARED || came.len() > MAX_COMPARED {
            return Ok(Vec::new());
        }
        let before = all(gone.iter().map(|key| Ok(self.agreed_text(key)?.map(|text| (key, text)))))?;
        let before: Vec<(&String, String)> = before.into_iter().flatten().collect();
        let after =
            all(came.iter().map(|key| Ok(self.text_of(key, self.mine(key))?.map(|text| (key, text)))))?;
        let after: Vec<(&String, String)> = after.into_iter().flatten().collect();
        let mut pairs = Vec::new();
        for (at, (_, old)) in before.iter().enumerate() {
            for (place, (_, new)) in after.iter().enumerate() {
                if is_alike(old, new) {
                    pairs.push((likeness(old, new), at, place));
                }
            }
        }
        pairs.sort_by(|one, other| other.cmp(one));
        let mut renamed = Vec::new();
        let (mut used_before, mut used_after) = (BTreeSet::new(), BTreeSet::new());
        for (share, at, place) in &pairs {
            let is_better = |(other, before, after): &(usize, usize, usize)| {
                (before, after) != (at, place) && (before == at || after == place) && other >= share
            };
            // Of two that are equally alike nobody knows which one it was.
            if used_before.contains(at) || used_after.contains(place) || pairs.iter().any(is_better) {
                continue;
            }
            if let (Some((from, base)), Some((to, _))) = (before.get(*at), after.get(*place)) {
                used_before.insert(*at);
                used_after.insert(*place);
                let (from, to) = ((*from).clone(), (*to).clone());
                renamed.push(Renamed { from, to, base: Some(base.clone()) });
            }
        }
        Ok(renamed)
    }

    /// Entries that somebody renamed while they were changed here under the old name, or renamed here too.
    fn renamed_there(&self, new_names: &BTreeMap<String, String>) -> Planned<Vec<Moved>> {
        let mut moved: Vec<Moved> = Vec::new();
        let mut looked_at = BTreeSet::new();
        // One that leaves its name makes room for another one, which may do the same.
        while let Some((next, theirs)) = self.next_renamed(new_names, &moved, &looked_at) {
            looked_at.insert((next.from.clone(), next.to.clone()));
            if self.is_one_memory(&next, &theirs)? {
                moved.push(next);
            }
        }
        Ok(moved)
    }

    fn next_renamed(
        &self,
        new_names: &BTreeMap<String, String>,
        moved: &[Moved],
        looked_at: &BTreeSet<(String, String)>,
    ) -> Option<(Moved, String)> {
        for (to, entry) in self.sides.inbox.entries().filter(|(_, entry)| entry.renamed_from.is_some()) {
            let is_known = moved.iter().any(|moved| moved.to == *to);
            let Some(theirs) = entry.text.as_ref().filter(|_| !is_known) else { continue };
            if !self.is_free_for(to, entry, moved) {
                continue;
            }
            for from in self.names_before(entry) {
                let Some(agreed) = self.sides.state.agreed.get(from).and_then(|agreed| agreed.content) else {
                    continue;
                };
                let is_deleted = self.sides.inbox.entry(from).is_some_and(|(old, _)| old.text.is_none());
                let key = match self.mine(from) {
                    Some(mine) => (mine != agreed).then_some(from),
                    None => new_names.get(from).map(String::as_str),
                };
                let is_open = is_deleted
                    && moved.iter().all(|moved| moved.from != from)
                    && !looked_at.contains(&(from.to_owned(), to.clone()));
                if let Some(key) = key.filter(|_| is_open) {
                    let found = Moved { key: key.to_owned(), from: from.to_owned(), to: to.clone() };
                    return Some((found, theirs.clone()));
                }
            }
        }
        None
    }

    /// Whether what stands here and what others have are both made from what was agreed: either name may mean another
    /// memory by now.
    pub(super) fn is_one_memory(&self, moved: &Moved, theirs: &str) -> Planned<bool> {
        let ours = self.text_of(&moved.key, self.mine(&moved.key))?.unwrap_or_default();
        let base = self.agreed_text(&moved.from)?;
        Ok(base.is_none_or(|base| !is_another(&base, theirs) && !is_another(&base, &ours)))
    }

    /// Whether nothing of this machine stands where an entry is to be, or nothing that stays there.
    fn is_free_for(&self, to: &str, entry: &Entry, moved: &[Moved]) -> bool {
        let is_left = || moved.iter().any(|moved| moved.key == to) && !self.rules.reviews();
        let is_newer = |agreed: &Agreed| {
            agreed.content.is_none() && agreed.version < entry.version && !self.sides.rewritten
        };
        (self.mine(to).is_none() || is_left())
            && self.sides.state.agreed.get(to).is_none_or(is_newer)
            && self.sides.inbox.withheld(to).is_none()
    }

    /// The names that an entry had, the newest first, as far as the deletions of the older ones tell.
    pub(super) fn names_before<'e>(&'e self, entry: &'e Entry) -> Vec<&'e str> {
        let mut names: Vec<&str> = Vec::new();
        let mut next = entry.renamed_from.as_deref();
        while let Some(name) = next.filter(|name| !names.contains(name) && names.len() < MAX_NAMES) {
            names.push(name);
            let deleted = self.sides.inbox.entry(name).filter(|(old, _)| old.text.is_none());
            next = deleted.and_then(|(old, _)| old.renamed_from.as_deref());
        }
        names
    }

    /// Has what is sent name the path that it had before for as long as the deletion of that one is named: whoever was away
    /// may still change it there.
    pub(super) fn carry_names(&mut self) {
        let mut names = Vec::new();
        for (key, _) in self.plan.outgoing.iter().filter(|(_, outgoing)| outgoing.renamed_from.is_none()) {
            let name = match self.sides.inbox.entry(key) {
                Some((entry, _)) => entry.renamed_from.as_ref(),
                None => self.sides.state.renamed_from.get(key),
            };
            if let Some(name) = name.filter(|name| *name != key && self.is_named_deletion(name)) {
                names.push((key.clone(), name.clone()));
            }
        }
        for (key, name) in names {
            if let Some(outgoing) = self.plan.outgoing.get_mut(&key) {
                outgoing.renamed_from = Some(name);
            }
        }
    }

    fn is_named_deletion(&self, key: &str) -> bool {
        match (self.plan.outgoing.get(key), self.sides.inbox.entry(key)) {
            (Some(outgoing), _) => outgoing.text.is_none(),
            (None, Some((entry, _))) => entry.text.is_none(),
            (None, None) => {
                let agreed = self.sides.state.agreed.get(key);
                agreed.is_some_and(|agreed| agreed.content.is_none())
                    && self.sides.inbox.theirs(key) == Theirs::Unchanged
            }
        }
    }
}
