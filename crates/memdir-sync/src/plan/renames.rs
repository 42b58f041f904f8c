//! Names that changed on one side while the text changed on the other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use memdir_core::content_hash::ContentHash;
use memdir_core::memory::frontmatter::Frontmatter;
use memdir_wire::entry::Entry;

use super::Planner;
use super::merging::Both;
use crate::classify::Theirs;
use crate::conflict_copy::with_name_of;
use crate::engine::{Conflict, SyncError};
use crate::options::ConflictPolicy;
use crate::report::ChangeKind;
use crate::state::Agreed;

/// More files than this that came or went at once are not compared with each other.
const MAX_COMPARED: usize = 100;

/// Common lines of all lines, in hundredths, from which on a text is another one under a new name.
const ALIKE: usize = 60;

/// A file that has another name here than was agreed.
struct Renamed {
    from: String,
    to: String,
    /// What was agreed under the old name, where the text changed too.
    base: Option<String>,
}

/// An entry that has another name there than was agreed.
struct Moved {
    /// What it is called here now.
    key: String,
    from: String,
    to: String,
}

/// How many names of one memory are followed.
const MAX_NAMES: usize = 32;

impl Planner<'_> {
    /// Where one side renamed what the other changed, the change follows. Gives back the keys that are settled by that.
    pub(super) fn follow_renames(&mut self) -> Result<BTreeSet<String>, SyncError> {
        let mut settled = BTreeSet::new();
        let renamed_here = self.renamed_here()?;
        let new_names: BTreeMap<String, String> =
            renamed_here.iter().map(|renamed| (renamed.from.clone(), renamed.to.clone())).collect();
        for Renamed { from, to, base } in renamed_here {
            // The change that somebody made under the old name goes to the new one.
            if let Some((entry, _)) = self.inbox.entry(&from)
                && let Some(theirs) = entry.text.clone()
                && self.inbox.entry(&to).is_none()
                && self
                    .state
                    .agreed
                    .get(&from)
                    .is_some_and(|agreed| agreed.round < entry.round || agreed.version < entry.version)
            {
                let (by, time) = (self.name_of(&entry.author), entry.time);
                self.taken_names().release(&from);
                let text = match base {
                    None => theirs,
                    Some(base) => {
                        let mine = self.text_of(&to, self.mine(&to))?.unwrap_or_default();
                        let merged = self.local.merge(&to, &base, &mine, &theirs);
                        match (merged, self.options.conflict) {
                            (Some(merged), _) => merged,
                            // Theirs waits under the old name.
                            (None, _) if self.local.reviews() => continue,
                            (None, ConflictPolicy::Ours) => mine,
                            (None, ConflictPolicy::Fail) => {
                                self.unresolved.push(Conflict { path: to.clone(), by });
                                settled.extend([from, to]);
                                continue;
                            }
                            (None, ConflictPolicy::Merge) if !self.keep_copy(&to, &mine)? => continue,
                            (None, ConflictPolicy::Merge | ConflictPolicy::Theirs) => {
                                with_name_of(&theirs, &mine)
                            }
                        }
                    }
                };
                if self.local.reviews() {
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
            } else if matches!(self.inbox.theirs(&from), Theirs::Unchanged) && self.inbox.entry(&to).is_none()
            {
                let text = self.text_of(&to, self.mine(&to))?;
                self.send(&to, text, Some(from.clone()))?;
                settled.insert(to);
            }
        }
        for Moved { key, from, to } in self.renamed_there(&new_names) {
            let mine = self.mine(&key);
            let both = Both { key: &key, agreed_as: &from, target: &to, related: true };
            self.taken_names().release(&from);
            self.taken_names().release(&key);
            if self.local.reviews() {
                self.wait_merged(both, mine)?;
                if !self.plan.declined.contains_key(&to) {
                    settled.extend([from, key]);
                }
                settled.insert(to);
                continue;
            }
            self.merge_both(both, mine)?;
            let is_kept = self.plan.agreed.contains_key(&to) || self.plan.outgoing.contains_key(&to);
            if let Some((entry, id)) = self.inbox.entry(&from).filter(|_| is_kept) {
                self.plan.agreed.insert(from.clone(), Some(Agreed::of(entry, id)));
                self.write(&key, None, "the team", self.now);
                if key != from {
                    self.report.notices.push(format!(
                        "`{from}` was renamed to `{key}` here and to `{to}` by others, who were first: it is `{to}`"
                    ));
                }
            }
            settled.extend([key, from, to]);
        }
        Ok(settled)
    }

    /// Files that have another name here than was agreed: with the same content, or nearly the same where only one such
    /// pair is to be found.
    fn renamed_here(&mut self) -> Result<Vec<Renamed>, SyncError> {
        let mut gone: BTreeMap<ContentHash, Vec<&String>> = BTreeMap::new();
        for (key, agreed) in &self.state.agreed {
            if let Some(content) = agreed.content.filter(|_| self.mine(key).is_none())
                && !self.scan.leaves_alone(key)
                && self.local.wants(key)
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
        for (key, content) in self.scan.files.iter().filter(|(key, _)| !self.counts_as_agreed(key)) {
            if self.state.agreed.get(key).is_none_or(|agreed| agreed.content.is_none()) {
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
        let (gone, came) = (rest(&gone), rest(&came));
        let mut renamed: Vec<Renamed> =
            same.into_iter().map(|(_, from, to)| Renamed { from, to, base: None }).collect();
        renamed.extend(self.nearly_same(&gone, &came)?);
        Ok(renamed)
    }

    /// The pairs of texts that say nearly the same: renaming a memory gives it another `name:`, and perhaps other links.
    fn nearly_same(&mut self, gone: &[String], came: &[String]) -> Result<Vec<Renamed>, SyncError> {
        if gone.is_empty() || came.is_empty() || gone.len() > MAX_COMPARED || came.len() > MAX_COMPARED {
            return Ok(Vec::new());
        }
        let mut before = Vec::new();
        for key in gone {
            before.extend(self.agreed_text(key)?.map(|text| (key, text)));
        }
        let mut after = Vec::new();
        for key in came {
            after.extend(self.local.text(key).map_err(SyncError::Local)?.map(|text| (key, text)));
        }
        let mut pairs = Vec::new();
        for (at, (_, old)) in before.iter().enumerate() {
            for (place, (_, new)) in after.iter().enumerate() {
                let share = likeness(old, new);
                if share >= ALIKE {
                    pairs.push((share, at, place));
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
    fn renamed_there(&self, new_names: &BTreeMap<String, String>) -> Vec<Moved> {
        let mut moved = Vec::new();
        let mut followed = BTreeSet::new();
        for (to, entry) in self.inbox.entries().filter(|(_, entry)| entry.text.is_some()) {
            let is_free = self.mine(to).is_none() && !self.state.agreed.contains_key(to);
            if entry.renamed_from.is_none() || !is_free || self.inbox.withheld(to).is_some() {
                continue;
            }
            for from in self.names_before(entry) {
                let Some(agreed) = self.state.agreed.get(from).and_then(|agreed| agreed.content) else {
                    continue;
                };
                let is_deleted = self.inbox.entry(from).is_some_and(|(old, _)| old.text.is_none());
                let key = match self.mine(from) {
                    Some(mine) => (mine != agreed).then_some(from),
                    None => new_names.get(from).map(String::as_str),
                };
                if let Some(key) = key.filter(|_| is_deleted && followed.insert(from)) {
                    moved.push(Moved { key: key.to_owned(), from: from.to_owned(), to: to.clone() });
                    break;
                }
            }
        }
        moved
    }

    /// The names that an entry had, the newest first, as far as the deletions of the older ones tell.
    fn names_before<'e>(&'e self, entry: &'e Entry) -> Vec<&'e str> {
        let mut names: Vec<&str> = Vec::new();
        let mut next = entry.renamed_from.as_deref();
        while let Some(name) = next.filter(|name| !names.contains(name) && names.len() < MAX_NAMES) {
            names.push(name);
            let deleted = self.inbox.entry(name).filter(|(old, _)| old.text.is_none());
            next = deleted.and_then(|(old, _)| old.renamed_from.as_deref());
        }
        names
    }

    /// Has what is sent name the path that it had before for as long as the deletion of that one is named: whoever was away
    /// may still change it there.
    pub(super) fn carry_names(&mut self) {
        let mut names = Vec::new();
        for (key, _) in self.plan.outgoing.iter().filter(|(_, outgoing)| outgoing.renamed_from.is_none()) {
            let name = match self.inbox.entry(key) {
                Some((entry, _)) => entry.renamed_from.as_ref(),
                None => self.state.renamed_from.get(key),
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
        match (self.plan.outgoing.get(key), self.inbox.entry(key)) {
            (Some(outgoing), _) => outgoing.text.is_none(),
            (None, Some((entry, _))) => entry.text.is_none(),
            (None, None) => {
                let agreed = self.state.agreed.get(key);
                agreed.is_some_and(|agreed| agreed.content.is_none())
                    && self.inbox.theirs(key) == Theirs::Unchanged
            }
        }
    }
}

/// How many lines two texts have in common, in hundredths. Of the fields only the description counts.
fn likeness(one: &str, other: &str) -> usize {
    fn lines(text: &str) -> Vec<&str> {
        let fields = Frontmatter::parse(text).0;
        let body = text.get(fields.as_ref().map_or(0, Frontmatter::body_start)..).unwrap_or_default();
        let description = fields.as_ref().and_then(|fields| fields.raw_line("description"));
        body.lines().chain(description).map(str::trim).filter(|line| !line.is_empty()).collect()
    }
    let (one, other) = (lines(one), lines(other));
    let mut left: HashMap<&str, usize> = HashMap::new();
    for line in &one {
        *left.entry(line).or_default() += 1;
    }
    let mut common = 0;
    for line in &other {
        if let Some(count) = left.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    common * 100 / one.len().max(other.len()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_name_and_a_new_line_are_the_same_memory() {
        let text =
            |name: &str, body: &str| format!("---\nname: {name}\nmetadata:\n  type: project\n---\n\n{body}");
        let check = |one: &str, other: &str, expected: bool| {
            assert_eq!(likeness(one, other) >= ALIKE, expected, "{one} {other}");
        };
        check(&text("a", "x\n"), &text("b", "x\n"), true);
        check(&text("a", "x\ny\nz\n"), &text("b", "x\ny\n[[b]]\n"), true);
        check(&text("a", "x\n"), &text("b", "y\n"), false);
        check("x\n", "y\n", false);
        check("", "y\n", false);
    }
}
