//! What both sides changed.

use memdir_core::content_hash::ContentHash;
use memdir_wire::memory_id::MemoryId;

use super::Planner;
use super::facts::Planned;
use crate::common_base::common_base;
use crate::conflict_copy::{conflict_key, copy_of, with_name_of};
use crate::engine::Conflict;
use crate::options::ConflictPolicy;
use crate::report::KeptTwice;

/// A memory that both sides changed, and the names that it has.
#[derive(Clone, Copy)]
pub(super) struct Both<'k> {
    /// Here.
    pub(super) key: &'k str,
    /// When it was agreed.
    pub(super) agreed_as: &'k str,
    /// There, and soon here too.
    pub(super) target: &'k str,
    /// Whether both were made from what was agreed. Two that were not are kept both.
    pub(super) related: bool,
}

impl<'k> Both<'k> {
    /// One that has the same name everywhere.
    pub(super) fn at(key: &'k str, related: bool) -> Self {
        Self { key, agreed_as: key, target: key, related }
    }
}

impl Planner<'_> {
    /// Puts two changed versions together.
    pub(super) fn merge_both(&mut self, both: Both<'_>, mine: Option<ContentHash>) -> Planned<()> {
        let Both { key, agreed_as, target, related } = both;
        let Some((entry, _)) = self.sides.inbox.entry(target) else { return Ok(()) };
        let (theirs, by, time) =
            (entry.text.clone(), self.name_of(&self.author_of(target, entry)), entry.time);
        let memory = related.then(|| entry.identity());
        let text = self.text_of(key, mine)?;
        let (ours, theirs) = match (text, theirs) {
            (Some(ours), Some(theirs)) => (ours, theirs),
            (ours, theirs) => return self.deleted_and_changed(key, target, mine, (ours, theirs), &by),
        };
        if let Some(why) = self.refusal(target, &ours) {
            self.block(key, target, why);
            return Ok(());
        }
        let ours = if key == agreed_as { ours } else { with_name_of(&ours, &theirs) };
        let merged = if related {
            let base = self.base_of(agreed_as, target)?.unwrap_or_else(|| common_base(&ours, &theirs));
            self.rules.merge(target, &base, &ours, &theirs)
        } else {
            None
        };
        match (merged, self.sides.options.conflict) {
            (Some(merged), _) if merged == theirs => self.take(target, mine)?,
            (Some(merged), _) => {
                if merged != ours || key != target {
                    self.write(target, Some(merged.clone()), &by, time);
                }
                self.send_as(target, Some(merged), memory)?;
                if self.plan.outgoing.contains_key(target) {
                    self.report.merged.push(target.to_owned());
                }
            }
            (None, ConflictPolicy::Ours) => {
                if key != target {
                    self.write(target, Some(ours.clone()), &by, time);
                }
                self.send_as(target, Some(ours), memory)?;
            }
            (None, ConflictPolicy::Theirs) => self.take(target, mine)?,
            (None, ConflictPolicy::Fail) => {
                self.unresolved.push(Conflict { path: target.to_owned(), by });
            }
            (None, ConflictPolicy::Merge) => {
                let memory = if related { None } else { self.memory_only_here(key) };
                if self.keep_copy(target, &ours, memory)? {
                    self.take(target, mine)?;
                }
            }
        }
        Ok(())
    }

    /// Keeps a text beside a memory, here and there; `false` if it may not be shared.
    pub(super) fn keep_copy(&mut self, key: &str, text: &str, memory: Option<MemoryId>) -> Planned<bool> {
        let (copy, text) = self.free_copy(key, text);
        if !self.is_here(&copy, &text) && !self.put_copy(&copy, text, memory)? {
            return Ok(false);
        }
        self.report.conflicts.push(KeptTwice { path: key.to_owned(), kept_as: copy });
        Ok(true)
    }

    /// Whether a text is here under a key.
    pub(super) fn is_here(&self, key: &str, text: &str) -> bool {
        self.mine(key) == Some(ContentHash::of(text.as_bytes()))
    }

    /// Writes a copy here and sends it; `false` if it may not be shared.
    pub(super) fn put_copy(&mut self, copy: &str, text: String, memory: Option<MemoryId>) -> Planned<bool> {
        self.write(copy, Some(text.clone()), "you", self.sides.now);
        self.send_as(copy, Some(text), memory)?;
        Ok(self.plan.outgoing.contains_key(copy))
    }

    /// One side deleted what the other changed. The change is worth more, unless the user said otherwise.
    fn deleted_and_changed(
        &mut self,
        key: &str,
        target: &str,
        mine: Option<ContentHash>,
        (ours, theirs): (Option<String>, Option<String>),
        by: &str,
    ) -> Planned<()> {
        let was_agreed = self.sides.state.agreed.get(key).is_some_and(|agreed| agreed.content.is_some());
        let policy = if was_agreed { self.sides.options.conflict } else { ConflictPolicy::Merge };
        match (policy, ours) {
            (ConflictPolicy::Fail, _) => {
                self.unresolved.push(Conflict { path: target.to_owned(), by: by.to_owned() });
            }
            (ConflictPolicy::Theirs, _) => self.take(target, mine)?,
            (ConflictPolicy::Ours, None) => self.put_out(target, None, None),
            (ConflictPolicy::Ours | ConflictPolicy::Merge, Some(ours)) => {
                if was_agreed && theirs.is_none() && policy == ConflictPolicy::Merge {
                    let notice = format!("`{key}` was deleted by {by} and changed here: it stays");
                    self.report.notices.push(notice);
                }
                self.send(target, Some(ours))?;
            }
            (ConflictPolicy::Merge, None) => {
                if !self.took_back(key)? {
                    let notice = format!("`{key}` was deleted here and changed by {by}: it is back");
                    self.report.notices.push(notice);
                }
                self.take(target, mine)?;
            }
        }
        Ok(())
    }

    /// A copy that keeps a text beside a memory: its key, under which nothing else is, here or there, and its text.
    pub(super) fn free_copy(&self, key: &str, text: &str) -> (String, String) {
        let copy = |mark: ContentHash| {
            let copy = conflict_key(key, &mark);
            let text = copy_of(text, &copy);
            (copy, text)
        };
        let is_free = |(copy, text): &(String, String)| {
            let own = ContentHash::of(text.as_bytes());
            let there = self.sides.inbox.entry(copy).and_then(|(entry, _)| entry.content());
            let versions = [self.mine(copy), there].into_iter().flatten();
            !self.sides.scan.leaves_alone(copy) && versions.into_iter().all(|content| content == own)
        };
        let first = ContentHash::of(text.as_bytes());
        let more = (1_u32..=64).map(|number| ContentHash::of(format!("{number} {text}").as_bytes()));
        [first].into_iter().chain(more).map(copy).find(is_free).unwrap_or_else(|| copy(first))
    }
}
