//! What was taken over from snapshots of agents' memory.

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::agents::snapshot::TakenOver;
use memdir_core::project::identity::file_name;

use super::{Registry, RegistryError, checked, read, write};

impl Registry {
    /// What was last decided about a snapshot for an agent's memory directory.
    ///
    /// # Errors
    /// The file is there and cannot be read or understood.
    pub fn taken_over(
        &self,
        memory_dir: &Utf8Path,
        snapshot_dir: &Utf8Path,
    ) -> Result<Option<TakenOver>, RegistryError> {
        let path = self.taken_over_file(memory_dir, snapshot_dir);
        let record = read::<TakenOver>(&path)?;
        checked(record, &path, |record| {
            record.memory_dir == memory_dir && record.snapshot_dir == snapshot_dir
        })
    }

    /// Remembers what was decided about a snapshot.
    ///
    /// # Errors
    /// The registry cannot be locked or written.
    pub fn record_taken_over(&self, record: &TakenOver) -> Result<(), RegistryError> {
        let _lock = self.lock()?;
        write(&self.taken_over_file(&record.memory_dir, &record.snapshot_dir), record)
    }

    fn taken_over_file(&self, memory_dir: &Utf8Path, snapshot_dir: &Utf8Path) -> Utf8PathBuf {
        // Neither path holds a NUL, so no two pairs have one name.
        self.folder("snapshots").join(file_name(&format!("{memory_dir}\0{snapshot_dir}")))
    }
}
