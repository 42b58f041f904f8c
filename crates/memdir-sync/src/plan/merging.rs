//! What both sides changed.

use memdir_core::content_hash::ContentHash;

use super::Planner;
use crate::common_base::common_base;
use crate::conflict_copy::{conflict_key, copy_of};
use crate::engine::{Conflict, SyncError};
use crate::options::ConflictPolicy;
use crate::report::{KeptTwice, Refused};

impl Planner<'_> {
    /// Puts two changed versions together; the result goes to `target`, which is the key unless it was renamed. Two that
    /// are not `related` by what was agreed are kept both.
    pub(super) fn merge_both(
        &mut self,
        key: &str,
        mine: Option<ContentHash>,
        target: &str,
        related: bool,
    ) -> Result<(), SyncError> {
        let Some((entry, _)) = self.inbox.entry(target) else { return Ok(()) };
        let (theirs, by, time) = (entry.text.clone(), self.name_of(&entry.author), entry.time);
        let text = self.text_of(key, mine)?;
        let (ours, theirs) = match (text, theirs) {
            (Some(ours), Some(theirs)) => (ours, theirs),
            (ours, theirs) => return self.deleted_and_changed(key, target, mine, (ours, theirs), &by),
        };
        if let Some(why) = self.local.refuses_to_share(target, &ours) {
            self.report.blocked.push(Refused { path: key.to_owned(), why });
            return Ok(());
        }
        let merged = if related {
            let base = self.agreed_text(key)?.unwrap_or_else(|| common_base(&ours, &theirs));
            self.local.merge(target, &base, &ours, &theirs)
        } else {
            None
        };
        match (merged, self.options.conflict) {
            (Some(merged), _) if merged == theirs => self.take(target, mine),
            (Some(merged), _) => {
                if merged != ours || key != target {
                    self.write(target, Some(merged.clone()), &by, time);
                }
                self.report.merged.push(target.to_owned());
                self.send(target, Some(merged), None)?;
            }
            (None, ConflictPolicy::Ours) => {
                if key != target {
                    self.write(target, Some(ours.clone()), &by, time);
                }
                self.send(target, Some(ours), None)?;
            }
            (None, ConflictPolicy::Theirs) => self.take(target, mine),
            (None, ConflictPolicy::Fail) => {
                self.unresolved.push(Conflict { path: target.to_owned(), by });
            }
            (None, ConflictPolicy::Merge) => {
                let (copy, text) = self.free_copy(target, &ours);
                if self.mine(&copy) != Some(ContentHash::of(text.as_bytes())) {
                    self.write(&copy, Some(text.clone()), "you", self.now);
                    self.send(&copy, Some(text), None)?;
                    if !self.plan.outgoing.contains_key(&copy) {
                        return Ok(());
                    }
                }
                self.take(target, mine);
                self.report.conflicts.push(KeptTwice { path: target.to_owned(), kept_as: copy });
            }
        }
        Ok(())
    }

    /// One side deleted what the other changed. What somebody changed is worth more, unless the user said otherwise.
    fn deleted_and_changed(
        &mut self,
        key: &str,
        target: &str,
        mine: Option<ContentHash>,
        (ours, theirs): (Option<String>, Option<String>),
        by: &str,
    ) -> Result<(), SyncError> {
        let was_agreed = self.state.agreed.get(key).is_some_and(|agreed| agreed.content.is_some());
        let policy = if was_agreed { self.options.conflict } else { ConflictPolicy::Merge };
        match (policy, ours) {
            (ConflictPolicy::Fail, _) => {
                self.unresolved.push(Conflict { path: target.to_owned(), by: by.to_owned() });
            }
            (ConflictPolicy::Theirs, _) => self.take(target, mine),
            (ConflictPolicy::Ours, None) => self.put_out(target, None, None),
            (ConflictPolicy::Ours | ConflictPolicy::Merge, Some(ours)) => {
                if was_agreed && theirs.is_none() && policy == ConflictPolicy::Merge {
                    let notice = format!("`{key}` was deleted by {by} and changed here: it stays");
                    self.report.notices.push(notice);
                }
                self.send(target, Some(ours), None)?;
            }
            (ConflictPolicy::Merge, None) => {
                self.report.notices.push(format!("`{key}` was deleted here and changed by {by}: it is back"));
                self.take(target, mine);
            }
        }
        Ok(())
    }

    /// A copy that keeps a text beside a memory: its key, under which nothing else stands, here or there, and its text.
    pub(super) fn free_copy(&self, key: &str, text: &str) -> (String, String) {
        let copy = |mark: ContentHash| {
            let copy = conflict_key(key, &mark);
            let text = copy_of(text, &copy);
            (copy, text)
        };
        let is_free = |(copy, text): &(String, String)| {
            let own = ContentHash::of(text.as_bytes());
            let there = self.inbox.entry(copy).and_then(|(entry, _)| entry.content());
            let stands = [self.mine(copy), there].into_iter().flatten();
            !self.scan.leaves_alone(copy) && stands.into_iter().all(|content| content == own)
        };
        let first = ContentHash::of(text.as_bytes());
        let more = (1_u32..=64).map(|number| ContentHash::of(format!("{number} {text}").as_bytes()));
        [first].into_iter().chain(more).map(copy).find(is_free).unwrap_or_else(|| copy(first))
    }
}
