//! Memories that have another name on one side while the other side changed them, too. The name is one more field: what
//! both sides did to the name and to the text becomes one memory.

use std::collections::{BTreeMap, BTreeSet};

use memdir_core::content_hash::ContentHash;
use memdir_wire::memory_id::MemoryId;

use super::Planner;
use super::facts::Planned;
use super::merging::Both;
use crate::common_base::have_a_line_in_common;
use crate::conflict_copy::with_name_of;
use crate::engine::Conflict;
use crate::options::ConflictPolicy;
use crate::report::ChangeKind;
use crate::state::Agreed;

/// A memory that has another name there than was agreed.
#[derive(Clone)]
struct MovedThere {
    /// What it is called here now.
    here: String,
    /// What was agreed.
    from: String,
    /// What it is called there.
    to: String,
}

/// Where memories are, by their ids.
#[derive(Default)]
pub(super) struct Identities {
    /// The path here of each memory that lies elsewhere than it was agreed, by the agreed key.
    places: BTreeMap<String, String>,
    /// The key under which members sent a memory.
    there: BTreeMap<MemoryId, String>,
    /// The memories that members sent and that were agreed under any key, and are not deleted.
    agreed: BTreeSet<MemoryId>,
}

impl Planner<'_> {
    pub(super) fn identities(sides: &super::Sides<'_>) -> Identities {
        let mut identities = Identities::default();
        for (path, key) in sides.moved {
            identities.places.extend(key.clone().map(|key| (key, path.clone())));
        }
        for (key, entry) in sides.inbox.entries().filter(|(_, entry)| entry.text.is_some()) {
            identities.there.entry(entry.identity()).or_insert_with(|| key.clone());
        }
        let sent: BTreeSet<MemoryId> = sides.inbox.entries().map(|(_, entry)| entry.identity()).collect();
        if !sent.is_empty() {
            let alive = sides.state.agreed.iter().filter(|(_, agreed)| agreed.content.is_some());
            let memories = alive.map(|(key, agreed)| agreed.memory(sides.roster.team(), key));
            identities.agreed = memories.filter(|memory| sent.contains(memory)).collect();
        }
        identities
    }

    /// Which memory lies at a path here; `None`: none, or one that is new.
    pub(super) fn memory_here(&self, path: &str) -> Option<MemoryId> {
        match self.sides.moved.get(path) {
            Some(key) => self.sides.state.memory_at(key.as_ref()?),
            None => {
                self.sides.state.agreed.get(path).filter(|agreed| agreed.content.is_some())?;
                self.sides.state.memory_at(path)
            }
        }
    }

    /// Where the memory lies here that was agreed under a key.
    fn place_of(&self, key: &str) -> Option<String> {
        let place = match self.identities.places.get(key) {
            Some(place) => Some(place.as_str()),
            None => Some(key).filter(|_| !self.sides.moved.contains_key(key)),
        };
        place.filter(|place| self.mine(place).is_some()).map(str::to_owned)
    }

    /// What members call the memory now that was agreed under a key, if they gave it another name.
    fn name_there(&self, from: &str, agreed: &Agreed) -> Option<String> {
        let memory = agreed.memory(self.sides.roster.team(), from);
        let to = self.identities.there.get(&memory).filter(|to| *to != from)?;
        let (entry, _) = self.sides.inbox.entry(to)?;
        let left = self.sides.inbox.entry(from);
        let is_left = left.is_some_and(|(old, _)| old.text.is_none() || old.identity() != memory);
        let is_newer = |known: &Agreed| known.version < entry.version && !self.sides.rewritten;
        let counts = (is_left || agreed.content.is_none())
            && self.sides.state.agreed.get(to).is_none_or(is_newer)
            && self.sides.inbox.withheld(to).is_none();
        counts.then(|| to.clone())
    }

    /// Settles all memories that one side renamed and the other changed. Gives back the keys that are settled by that; all
    /// others are decided key by key.
    pub(super) fn follow_name_changes(&mut self) -> Planned<BTreeSet<String>> {
        let mut settled = BTreeSet::new();
        let (mut there, mut here, mut back) = (Vec::new(), Vec::new(), Vec::new());
        for (from, agreed) in &self.sides.state.agreed {
            let is_moved = self.identities.places.contains_key(from);
            if !is_moved && self.identities.there.is_empty()
                || self.sides.scan.leaves_alone(from)
                || !self.rules.wants(from)
            {
                continue;
            }
            let name_there = self.name_there(from, agreed);
            if !is_moved && name_there.is_none() {
                continue;
            }
            let place = if agreed.content.is_some() { self.place_of(from) } else { None };
            match (place, name_there) {
                (Some(place), Some(to)) if place != *from || self.mine(&place) != agreed.content => {
                    there.push(MovedThere { here: place, from: from.clone(), to });
                }
                (Some(place), None) if place != *from => here.push((from.clone(), place)),
                (None, Some(to)) => back.push((from.clone(), to)),
                _ => {}
            }
        }
        self.keep_those_with_room(&mut there);
        for (from, to) in here {
            self.renamed_here(from, to, &mut settled)?;
        }
        self.follow_moved(there, &mut settled)?;
        for (from, to) in back {
            self.tell_of_deleted_and_renamed(&from, to, &mut settled)?;
        }
        Ok(settled)
    }

    /// Nothing goes to a name under which something lies here that stays. One that leaves makes room for another.
    fn keep_those_with_room(&self, moved: &mut Vec<MovedThere>) {
        let has_room = |one: &MovedThere, moved: &[MovedThere]| {
            let leaves = || {
                let agreed = self.sides.state.agreed.get(&one.to).filter(|agreed| agreed.content.is_some());
                moved.iter().any(|other| other.here == one.to)
                    || agreed.is_some_and(|agreed| {
                        self.place_of(&one.to).is_some_and(|place| place == one.to)
                            && self.mine(&one.to) == agreed.content
                            && self.name_there(&one.to, agreed).is_some()
                    })
            };
            self.mine(&one.to).is_none() || one.here == one.to || !self.rules.reviews() && leaves()
        };
        while let Some(at) = moved.iter().position(|one| !has_room(one, moved)) {
            moved.remove(at);
        }
    }

    /// A memory that was renamed here: what others did to it under the old name follows.
    fn renamed_here(&mut self, from: String, to: String, settled: &mut BTreeSet<String>) -> Planned<()> {
        let Some((entry, _)) = self.sides.inbox.entry(&from) else { return Ok(()) };
        let known = self.sides.state.agreed.get(&from);
        let is_newer = known.is_some_and(|known| known.round < entry.round || known.version < entry.version);
        if !is_newer || !self.is_free_there(&to) {
            return Ok(());
        }
        let (by, time, memory) = (self.name_of(&entry.author), entry.time, entry.identity());
        let own = self.sides.state.memory_at(&from);
        let theirs = match entry.text.clone() {
            None => return self.deleted_there_and_renamed_here(&from, to, by, settled),
            Some(theirs) if own == Some(memory) => theirs,
            // The name means another memory there, and this one is deleted.
            Some(_) => {
                if !self.sides.scan.files.contains_key(&from) {
                    self.vacated.insert(from);
                }
                return Ok(());
            }
        };
        self.taken_names().release(&from);
        let Some(base) = self.agreed_text(&from)? else { return Ok(()) };
        let text = match self.with_their_change(&to, &base, &theirs, &by)? {
            Some(text) => text,
            None if self.sides.options.conflict == ConflictPolicy::Fail => {
                settled.extend([from, to]);
                return Ok(());
            }
            // Theirs is looked at under the old name.
            None => return Ok(()),
        };
        if self.rules.reviews() {
            if self.wait_renamed(&from, &to, text)? {
                settled.extend([from, to]);
            }
            return Ok(());
        }
        self.send_as(&to, Some(text.clone()), own)?;
        if self.plan.outgoing.contains_key(&to) {
            self.write(&to, Some(text), &by, time);
            self.receive(&to, &by, ChangeKind::Changed);
            self.leave(&from)?;
            settled.extend([from, to]);
        }
        Ok(())
    }

    /// A name that a memory left: it goes there, too, unless another memory has it here now.
    pub(super) fn leave(&mut self, from: &str) -> Planned<()> {
        match self.sides.scan.files.get(from).copied().filter(|_| !self.counts_as_agreed(from)) {
            // What is changed there, too, follows with it.
            Some(_) if self.plan.outgoing.contains_key(from) => Ok(()),
            Some(own) => {
                let own = self.text_of(from, Some(own))?;
                self.send(from, own)
            }
            None => self.send(from, None),
        }
    }

    /// Whether nothing is there under a name that does not leave it.
    fn is_free_there(&self, to: &str) -> bool {
        let Some((entry, _)) = self.sides.inbox.entry(to) else { return true };
        let is_left = self.identities.places.contains_key(to)
            && self.sides.state.memory_at(to) == Some(entry.identity());
        entry.text.is_none() || is_left
    }

    /// The file that is here under a new name, with what a member changed under the old one; `None` if the two cannot be one now.
    fn with_their_change(&mut self, to: &str, base: &str, theirs: &str, by: &str) -> Planned<Option<String>> {
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
            ConflictPolicy::Merge if !self.keep_copy(to, &mine, None)? => None,
            ConflictPolicy::Merge | ConflictPolicy::Theirs => Some(with_name_of(theirs, &mine)),
        })
    }

    /// What was changed here goes to where others have moved the memory.
    fn follow_moved(&mut self, moved: Vec<MovedThere>, settled: &mut BTreeSet<String>) -> Planned<()> {
        let targets: BTreeSet<String> = moved.iter().map(|moved| moved.to.clone()).collect();
        let (mut left, mut stuck) = (Vec::new(), BTreeSet::new());
        for MovedThere { here, from, to } in moved {
            if stuck.contains(&to) {
                settled.extend([here, from, to]);
                continue;
            }
            let mine = self.mine(&here);
            let both = Both { key: &here, agreed_as: &from, target: &to, related: true };
            self.taken_names().release(&from);
            self.taken_names().release(&here);
            if self.rules.reviews() {
                self.wait_merged(both, mine)?;
                if !self.plan.declined.contains_key(&to) {
                    settled.extend([from, here]);
                }
                settled.insert(to);
                continue;
            }
            self.merge_both(both, mine)?;
            if !self.plan.agreed.contains_key(&to) && !self.plan.outgoing.contains_key(&to) {
                stuck.insert(here.clone());
                settled.extend([here, from, to]);
                continue;
            }
            if let Some((entry, id)) = self.sides.inbox.entry(&from).filter(|(entry, _)| entry.text.is_none())
                && !self.sides.moved.contains_key(&from)
            {
                self.plan.agreed.insert(from.clone(), Some(Agreed::of(entry, id)));
                settled.insert(from.clone());
            }
            if here != from && here != to {
                self.report.notices.push(format!(
                    "`{from}` was renamed to `{here}` here and to `{to}` by others, who were first: it is `{to}`"
                ));
            }
            settled.insert(to);
            left.push(here.clone());
            if !self.sides.moved.contains_key(&from) {
                left.push(from);
            }
        }
        for key in left.into_iter().filter(|key| !targets.contains(key)) {
            self.write(&key, None, "the team", self.sides.now);
            if !self.sides.state.agreed.contains_key(&key) {
                // A sync that is killed now leaves no new memory of it.
                self.plan.agreed.insert(key.clone(), None);
            }
            self.vacated.insert(key);
        }
        Ok(())
    }

    /// A memory that others deleted and that has another name here: it stays, unless the user said otherwise.
    fn deleted_there_and_renamed_here(
        &mut self,
        from: &str,
        to: String,
        by: String,
        settled: &mut BTreeSet<String>,
    ) -> Planned<()> {
        match self.sides.options.conflict {
            ConflictPolicy::Fail => self.unresolved.push(Conflict { path: to.clone(), by }),
            ConflictPolicy::Theirs => {
                self.write(&to, None, &by, self.sides.now);
                self.vacated.insert(to.clone());
            }
            ConflictPolicy::Ours | ConflictPolicy::Merge => {
                let text = self.text_of(&to, self.mine(&to))?;
                self.send(&to, text)?;
                if self.plan.outgoing.contains_key(&to)
                    && self.sides.options.conflict == ConflictPolicy::Merge
                {
                    self.report
                        .notices
                        .push(format!("`{from}` was deleted by {by} and renamed to `{to}` here: it stays"));
                }
            }
        }
        settled.insert(to);
        Ok(())
    }

    /// A memory that is deleted here and that others gave another name: it is back.
    fn tell_of_deleted_and_renamed(
        &mut self,
        from: &str,
        to: String,
        settled: &mut BTreeSet<String>,
    ) -> Planned<()> {
        let Some((entry, _)) = self.sides.inbox.entry(&to) else { return Ok(()) };
        let is_known =
            settled.contains(&to) || self.sides.state.agreed.contains_key(&to) || self.mine(&to).is_some();
        let is_news = self.sides.state.agreed.get(from).is_some_and(|agreed| agreed.content.is_some());
        if is_known || !is_news && self.identities.agreed.contains(&entry.identity()) {
            return Ok(());
        }
        let by = self.name_of(&entry.author);
        match self.sides.options.conflict {
            ConflictPolicy::Fail if is_news => {
                self.unresolved.push(Conflict { path: to.clone(), by });
                settled.insert(to);
            }
            ConflictPolicy::Ours if is_news => {
                self.put_out(&to, None, None);
                settled.insert(to);
            }
            // What waits is shown when it is asked about.
            _ if self.rules.reviews() => {}
            ConflictPolicy::Theirs if is_news => {}
            _ if self.took_back(from)? => self.report.notices.push(format!(
                "you took `{from}` back, and {by} renamed it to `{to}`: it is the team's again, and yours is \
                 beside it, not in `team/`"
            )),
            _ => self
                .report
                .notices
                .push(format!("`{from}` was deleted, and {by} renamed it to `{to}`: it is back")),
        }
        Ok(())
    }

    /// Whether the memory here and the one that others have under a name are two, so that no merge may make one of them.
    pub(super) fn are_two_memories(&self, key: &str, mine: Option<ContentHash>) -> Planned<bool> {
        // While something waits for the user, what is agreed is not what both were made from.
        if mine.is_none() || self.rules.is_list(key) || self.rules.sent_from(key).is_some() {
            return Ok(false);
        }
        let Some((entry, _)) = self.sides.inbox.entry(key) else { return Ok(false) };
        let Some(theirs) = entry.text.clone() else { return Ok(false) };
        if let Some(own) = self.memory_here(key) {
            return Ok(own != entry.identity());
        }
        if self.sides.moved.contains_key(key) || self.identities.agreed.contains(&entry.identity()) {
            return Ok(true);
        }
        // Both are new: the same memory, if they say anything in common.
        let ours = self.text_of(key, mine)?;
        Ok(ours.is_some_and(|ours| !have_a_line_in_common(&ours, &theirs)))
    }

    /// The id of the memory here, if others have none of it any more: a copy goes on as that memory.
    pub(super) fn memory_only_here(&self, key: &str) -> Option<MemoryId> {
        let (entry, _) = self.sides.inbox.entry(key)?;
        let memory = self.memory_here(key).filter(|memory| *memory != entry.identity())?;
        (!self.identities.there.contains_key(&memory)).then_some(memory)
    }

    /// Whether others have another memory under a name than was agreed there.
    pub(super) fn is_reused_there(&self, key: &str) -> bool {
        let entry = self.sides.inbox.entry(key).filter(|(entry, _)| entry.text.is_some());
        entry.is_some_and(|(entry, _)| {
            self.sides.state.memory_at(key).is_some_and(|memory| memory != entry.identity())
        })
    }

    pub(super) fn is_deleted_there(&self, key: &str) -> bool {
        self.sides.inbox.entry(key).is_some_and(|(entry, _)| entry.text.is_none())
    }

    /// The id under which a text is sent: that of the memory, if it is not sent under another name as well.
    pub(super) fn memory_to_send(
        &self,
        key: &str,
        text: Option<&String>,
        memory: Option<MemoryId>,
    ) -> MemoryId {
        let team = self.sides.roster.team();
        if self.rules.is_list(key) {
            return MemoryId::of_path(team, key);
        }
        if text.is_none() {
            let there = || self.sides.inbox.entry(key).map(|(entry, _)| entry.identity());
            return self
                .sides
                .state
                .memory_at(key)
                .or_else(there)
                .unwrap_or_else(|| MemoryId::of_path(team, key));
        }
        let is_own = memory.is_none();
        let is_elsewhere = |memory: &MemoryId| {
            let there = self.identities.there.get(memory).filter(|there| {
                let replaced = self.plan.outgoing.get(*there);
                *there != key && replaced.is_none_or(|put| put.text.is_some() && put.memory == *memory)
            });
            let sent = self.sent_as.get(memory).filter(|other| {
                let outgoing = self.plan.outgoing.get(*other);
                *other != key && outgoing.is_some_and(|put| put.text.is_some() && put.memory == *memory)
            });
            // A memory that was renamed here is still there under the name that it leaves.
            (is_own && there.is_some()) || sent.is_some()
        };
        let known = memory.or_else(|| self.memory_here(key)).filter(|memory| !is_elsewhere(memory));
        known.unwrap_or_else(|| MemoryId::new(self.sides.random, key))
    }
}
