//! Forgetting on purpose: a history kept within bounds, and a text or a file purged from every version.

use std::fs;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::operation::{Author, AuthorKind, Operation, OperationId};
use memdir_core::state_place::{KeptText, STATE_PLACES};

use crate::apply::{LOCK_PATIENCE, Store, random};
use crate::disk_error::{DiskError, IoContext};
use crate::history::{Bounds, Forgotten, History, Redact};
use crate::memory_root::MemoryRoot;
use crate::notice::known_versions;
use crate::store_lock::StoreLock;

/// Removes what a history holds beyond its bounds; how many segments went. Usually none, for the price of a look at
/// its folder. The current version of every file stays.
///
/// # Errors
/// The system fails; nothing is lost by trying again.
pub fn collect(store: &Store<'_>, bounds: Bounds, now: Timestamp) -> Result<usize, DiskError> {
    let history = History::of(store.state_dir, store.id);
    if history.overdue(bounds)?.is_empty() {
        return Ok(0);
    }
    let root = MemoryRoot::open(store.memory_dir)?;
    let Some(_lock) = StoreLock::acquire(&root, Duration::ZERO)? else { return Ok(0) };
    let overdue = history.overdue(bounds)?;
    let living = known_versions(store, &history)?;
    let template = Operation {
        v: memdir_core::plan::VERSION,
        id: OperationId::new(now, random()?),
        time: now,
        author: Author { kind: AuthorKind::Foreign, id: None, session: None },
        reason: "kept when older history was collected".to_owned(),
        store: store.id.clone(),
        memory_dir: store.memory_dir.to_owned(),
        changes: Vec::new(),
        undo_of: None,
        plan: None,
    };
    history.drop_segments(&overdue, &living, template)?;
    Ok(overdue.len())
}

/// Rewrites the history of a store without what must be forgotten, and removes every cache and every staged plan
/// that may hold it. Files of the memory directory are not touched.
///
/// # Errors
/// The system fails or another process holds the store; the next call finds the rest.
pub fn purge(store: &Store<'_>, redact: &Redact<'_>, staged: &[&[u8]]) -> Result<Forgotten, DiskError> {
    let root = MemoryRoot::open(store.memory_dir)?;
    let Some(_lock) = StoreLock::acquire(&root, LOCK_PATIENCE)? else {
        return DiskError::refused(store.memory_dir, "another process is writing there");
    };
    let forgotten = History::of(store.state_dir, store.id).rewrite(redact)?;
    for place in STATE_PLACES {
        let path = store.state_dir.join(place.name.trim_end_matches('/'));
        match place.text {
            KeptText::Derived => match fs::remove_dir_all(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error).during("remove", &path);
                }
                _ => {}
            },
            KeptText::Files => remove_files_with(&path, staged, 0)?,
            KeptText::Never | KeptText::History | KeptText::Needed | KeptText::Memories => {}
        }
    }
    Ok(forgotten)
}

fn remove_files_with(directory: &Utf8Path, texts: &[&[u8]], depth: u32) -> Result<(), DiskError> {
    let Ok(entries) = fs::read_dir(directory) else { return Ok(()) };
    for entry in entries.flatten() {
        let Ok(path) = Utf8PathBuf::from_path_buf(entry.path()) else { continue };
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < 8 => remove_files_with(&path, texts, depth + 1)?,
            Ok(kind) if kind.is_file() => {
                let bytes = fs::read(&path).during("read", &path)?;
                if texts.iter().any(|text| memchr::memmem::find(&bytes, text).is_some()) {
                    fs::remove_file(&path).during("remove", &path)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
