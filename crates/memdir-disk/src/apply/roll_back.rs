//! Taking back the steps of an operation that failed half-way.

use super::execute::{Displaced, Execution, Swap};
use crate::disk_error::DiskError;
use crate::platform;
use crate::swap_file::{exchange, remove, remove_known, rename_new};
use crate::temporary::Stage;

impl Execution<'_> {
    /// Undoes what was done, latest first. `false`: something is left for the next start.
    pub(super) fn roll_back(mut self) -> bool {
        let mut complete = !self.leftovers;
        for staged in std::mem::take(&mut self.staged) {
            complete &= remove(&staged).is_ok();
        }
        while let Some(swap) = self.done.pop() {
            complete &= self.take_back(swap).unwrap_or(false);
        }
        for dir in self.touched.values() {
            complete &= platform::sync_directory(dir).is_ok();
        }
        complete
    }

    fn take_back(&mut self, swap: Swap) -> Result<bool, DiskError> {
        let Swap { path, place, displaced, put } = swap;
        match (displaced, put) {
            (Some(Displaced { place: old, content, .. }), Some(put)) => {
                if !exchange(&old, &place)? {
                    return rename_new(&old, &place);
                }
                if remove_known(&old, &put)? {
                    return Ok(true);
                }
                // Another version was made from ours: it stays.
                exchange(&old, &place)?;
                remove_known(&old, &content)
            }
            (Some(Displaced { place: old, .. }), None) => {
                if !rename_new(&old, &place)? {
                    self.give_conflict_name(&path, &old)?;
                }
                Ok(true)
            }
            (None, Some(put)) => {
                let aside = self.temporary(&place, &path, Stage::Swapped);
                rename_new(&place, &aside)?;
                if remove_known(&aside, &put)? {
                    return Ok(true);
                }
                rename_new(&aside, &place)
            }
            (None, None) => Ok(true),
        }
    }
}
