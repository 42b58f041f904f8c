use std::time::Duration;

use jiff::Timestamp;
use memdir_core::locate::Trust;
use memdir_disk::apply::{Recovery, Store, recover, settle};

use super::{Memory, MemoryError};

/// How long another process is waited for that is finishing what a killed one left: a moment, unless it was stopped.
const PATIENCE: Duration = Duration::from_secs(5);

impl Memory {
    /// Finishes or undoes what a killed process left half done, before anybody looks at it or plans from it.
    ///
    /// Nearly always there is nothing to do, and this costs one look at the end of the history. What a living process
    /// is just doing is left to it.
    ///
    /// # Errors
    /// The history or the directory cannot be read.
    pub fn settle(&self) -> Result<Recovery, MemoryError> {
        match (&self.state_dir, &self.store, &self.trust) {
            (Some(state_dir), Some(id), Trust::Yes) => {
                let store =
                    Store { memory_dir: &self.here.memory_dir, id, state_dir, follow_entrypoint_link: false };
                Ok(settle(&store, PATIENCE)?)
            }
            _ => Ok(Recovery::default()),
        }
    }

    /// Finishes or undoes what a killed process left half done, and collects what it left behind.
    ///
    /// Every write does this by itself; this is for the process that wants a clean directory without writing.
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
