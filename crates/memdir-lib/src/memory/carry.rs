//! A memory moves from one directory to another, as it is.

use jiff::Timestamp;
use memdir_core::operation::Author;
use memdir_core::plan::Plan;

use super::{Entry, Memory, MemoryError, Submitted, Wish};

impl Memory {
    /// Plans the arrival of a memory in another directory, and its leaving here. What was interrupted goes on: nothing
    /// arrives where the same is already.
    ///
    /// # Errors
    /// Its name is taken there, or it cannot be read.
    pub fn plan_carry(&self, entry: &Entry, target: &Self) -> Result<(Plan, Plan), MemoryError> {
        let content = self.read(&entry.path)?.unwrap_or_default();
        let reason = format!("move {} from `{}`", entry.path, self.directory());
        let is_there = target.read(&entry.path)?.is_some_and(|there| there == content);
        let arriving =
            if is_there { Plan::new(reason) } else { target.plan_receive(&entry.path, &content, reason)? };
        let mut leaving = self.plan_remove(entry)?;
        leaving.reason = format!("move {} to `{}`", entry.path, target.directory());
        Ok((arriving, leaving))
    }

    /// Moves a memory to another directory: it is written there before it is removed here, so a crash in between
    /// leaves two copies and never none. Says what became of the arrival, with the warnings of both.
    ///
    /// # Errors
    /// As [`Memory::plan_carry`] and [`Memory::submit`].
    pub fn carry(
        &mut self,
        entry: &Entry,
        target: &mut Self,
        author: &Author,
        now: Timestamp,
    ) -> Result<Submitted, MemoryError> {
        let (arriving, leaving) = self.plan_carry(entry, target)?;
        if arriving.changes.is_empty() {
            return self.submit(&leaving, &Wish::of(author), now);
        }
        let mut arrived = target.submit(&arriving, &Wish::of(author), now)?;
        if let Submitted::Applied(applied) = &mut arrived {
            match self.submit(&leaving, &Wish::of(author), now)? {
                Submitted::Applied(left) => applied.warnings.extend(left.warnings),
                _ => applied
                    .warnings
                    .push(format!("`{}` stays until its removal is accepted: `memdir review`", entry.path)),
            }
        }
        Ok(arrived)
    }
}
