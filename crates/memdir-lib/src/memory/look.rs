use std::time::Duration;

use jiff::Timestamp;
use memdir_disk::apply::Store;
use memdir_disk::notice::{Noticed, notice};

use super::{Memory, MemoryError};

/// How long a look waits for another process of ours before it leaves things for the next time.
const LOOK_PATIENCE: Duration = Duration::from_millis(500);

impl Memory {
    /// Looks for what others did to the directory since the last look, and records it.
    ///
    /// Commands that write or speak of history do this first. A hook never does. Where we may not write, or where
    /// there is nothing yet, nothing is recorded.
    ///
    /// # Errors
    /// The directory cannot be listed, or the history cannot be written.
    pub fn look(&mut self, now: Timestamp) -> Result<Noticed, MemoryError> {
        let Some(state_dir) = self.state_dir.clone() else { return Ok(Noticed::default()) };
        if !self.is_looked_at() || self.may_write().is_err() || (self.root.is_none() && self.store.is_none())
        {
            return Ok(Noticed::default());
        }
        let id = self.store_id(now)?;
        let store = Store {
            memory_dir: &self.here.memory_dir,
            id: &id,
            state_dir: &state_dir,
            follow_entrypoint_link: false,
        };
        Ok(notice(&store, now, LOOK_PATIENCE)?)
    }
}

/// What the user should be told about a look.
pub(super) fn warnings(noticed: &Noticed) -> Vec<String> {
    let restless =
        noticed.restless.iter().map(|path| format!("`{path}` is being written; it is read the next time"));
    let unreadable = noticed
        .unreadable
        .iter()
        .map(|path| format!("`{path}` cannot be read, so history knows nothing of it"));
    restless.chain(unreadable).collect()
}
