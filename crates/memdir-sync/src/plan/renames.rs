//! Names that changed on one side while the text changed on the other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use memdir_core::content_hash::ContentHash;
use memdir_core::memory::frontmatter::Frontmatter;

use super::Planner;
use crate::classify::Theirs;
use crate::engine::SyncError;
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

impl Planner<'_> {
    /// Where one side renamed what the other changed, the change follows. Gives back the keys that are settled by that.
    pub(super) fn follow_renames(&mut self) -> Result<BTreeSet<String>, SyncError> {
        let mut settled = BTreeSet::new();
        for Renamed { from, to, base } in self.renamed_here()? {
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
                let text = match base {
                    None => theirs,
                    Some(base) => {
                        let mine = self.text_of(&to, self.mine(&to))?.unwrap_or_default();
                        // What cannot be one stays under both names.
                        let Some(merged) = self.local.merge(&to, &base, &mine, &theirs) else { continue };
                        merged
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
        for (from, to) in self.renamed_there() {
            let mine = self.mine(&from);
            if self.local.reviews() {
                self.wait_merged(&from, mine, &to, true)?;
                if !self.plan.declined.contains_key(&to) {
                    settled.insert(from);
                }
                settled.insert(to);
                continue;
            }
            self.merge_both(&from, mine, &to, true)?;
            let is_kept = self.plan.agreed.contains_key(&to) || self.plan.outgoing.contains_key(&to);
            if let Some((entry, id)) = self.inbox.entry(&from).filter(|_| is_kept) {
                let agreed =
                    Agreed { version: entry.version, round: entry.round, id: id.to_owned(), content: None };
                self.plan.agreed.insert(from.clone(), Some(agreed));
                self.write(&from, None, "the team", self.now);
            }
            settled.extend([from, to]);
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

    /// Entries that somebody renamed while they were changed here under the old name.
    fn renamed_there(&self) -> Vec<(String, String)> {
        let renamed = self.inbox.entries().filter_map(|(to, entry)| {
            let from = entry.renamed_from.as_ref()?;
            let agreed = self.state.agreed.get(from)?.content?;
            let changed_here = self.mine(from).is_some_and(|mine| mine != agreed);
            let deleted_there = self.inbox.entry(from).is_some_and(|(old, _)| old.text.is_none());
            let is_free = self.mine(to).is_none() && !self.state.agreed.contains_key(to);
            let is_free = is_free && self.inbox.withheld(to).is_none();
            (changed_here && deleted_there && is_free && entry.text.is_some())
                .then(|| (from.clone(), to.clone()))
        });
        renamed.collect()
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
