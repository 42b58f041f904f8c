//! The way of every write: a plan is made, submitted, and made anew if another process wrote in between.

use jiff::Timestamp;
use memdir_core::operation::Author;
use memdir_core::plan::Plan;
use memdir_disk::disk_error::DiskError;

use super::{Memory, MemoryError, Submitted, Wish, open_if_there};

/// How often a change is planned anew because others wrote in between. Each time, one of them got through.
const MAX_TRIES: u32 = 1_000;

impl Memory {
    /// Changes files by a plan that is made from what they are now: a file that was written in between is planned anew,
    /// so no change is lost and nothing has to be merged. Of several who add one name at once, one succeeds and
    /// the others find it taken.
    ///
    /// # Errors
    /// What keeps the plan from being made, or as [`Memory::submit`]; then nothing has changed.
    pub fn change<E: From<MemoryError>>(
        &mut self,
        author: &Author,
        now: Timestamp,
        mut plan: impl FnMut(&Self) -> Result<Plan, E>,
    ) -> Result<(Plan, Submitted), E> {
        let mut tries = 0;
        let mut before = None;
        loop {
            let planned = plan(self)?;
            // A plan that does not change with the files was made from an older state: only its maker can help.
            let may_try_again = tries < MAX_TRIES && before.as_ref() != Some(&planned);
            let look = tries == 0;
            let wish = Wish { look, ..Wish::replanned(author) };
            match self.submit(&planned, &wish, now) {
                Err(MemoryError::Disk(DiskError::Conflict { .. })) if may_try_again => {
                    tries += 1;
                    before = Some(planned);
                    // Another process may have made the directory first.
                    self.root = open_if_there(&self.here.memory_dir).map_err(MemoryError::from)?;
                }
                Err(error) => return Err(error.into()),
                Ok(submitted) => return Ok((planned, submitted)),
            }
        }
    }
}
