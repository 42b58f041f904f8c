use jiff::Timestamp;
use memdir_disk::apply::{Recovery, Store, recover};

use super::{Memory, MemoryError};

impl Memory {
    /// Finishes or takes back what a killed process left half done, and collects what it left behind.
    ///
    /// Every write does this by itself; this is for whoever wants a clean directory without writing.
    ///
    /// # Errors
    /// The history or the directory cannot be read.
    pub fn recover(&self, now: Timestamp) -> Result<Option<Recovery>, MemoryError> {
        let (Some(state_dir), Some(id), Some(_)) = (&self.state_dir, &self.store, &self.root) else {
            return Ok(None);
        };
        let store = Store { memory_dir: &self.here.memory_dir, id, state_dir, follow_entrypoint_link: false };
        Ok(Some(recover(&store, now)?))
    }
}
