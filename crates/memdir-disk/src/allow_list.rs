//! The values that the user has declared harmless, kept as fingerprints below the state directory.

use std::fs::File;

use camino::Utf8Path;
use memdir_core::secrets::{AllowList, Fingerprint, FingerprintKey};

use crate::disk_error::{DiskError, IoContext};
use crate::random::random_bits;
use crate::state_file;

/// A list longer than this is not one.
const MAX_BYTES: usize = 1 << 20;

/// The user's allow-list; `None` while nothing was ever allowed.
///
/// # Errors
/// The list is there and cannot be read.
pub fn load(state_dir: &Utf8Path) -> Result<Option<AllowList>, DiskError> {
    let Some(key) = read_key(state_dir)? else { return Ok(None) };
    let path = list_path(state_dir);
    let text = state_file::read(&path, MAX_BYTES).during("read", &path)?.unwrap_or_default();
    Ok(Some(AllowList::parse(key, &String::from_utf8_lossy(&text)).0))
}

/// The key under which values are named, made at the first call.
///
/// # Errors
/// It cannot be read or written.
pub fn fingerprint_key(state_dir: &Utf8Path) -> Result<FingerprintKey, DiskError> {
    if let Some(key) = read_key(state_dir)? {
        return Ok(key);
    }
    let path = key_path(state_dir);
    let _held = lock(state_dir)?;
    if let Some(key) = read_key(state_dir)? {
        return Ok(key);
    }
    let mut bytes = [0; 32];
    for half in bytes.chunks_mut(16) {
        half.copy_from_slice(&random_bits().during("draw random bits for", &path)?.to_le_bytes());
    }
    state_file::make_directory(&state_dir.join(FOLDER)).during("create", &path)?;
    state_file::replace(&path, &bytes).during("write", &path)?;
    Ok(FingerprintKey::new(bytes))
}

/// Declares a value harmless.
///
/// # Errors
/// The list cannot be read or written.
pub fn allow(state_dir: &Utf8Path, fingerprint: Fingerprint) -> Result<(), DiskError> {
    fingerprint_key(state_dir)?;
    let path = list_path(state_dir);
    let _held = lock(state_dir)?;
    let before = state_file::read(&path, MAX_BYTES).during("read", &path)?.unwrap_or_default();
    let mut text = String::from_utf8_lossy(&before).into_owned();
    let line = fingerprint.to_string();
    if text.lines().any(|known| known.trim() == line) {
        return Ok(());
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&line);
    text.push('\n');
    state_file::replace(&path, text.as_bytes()).during("write", &path)
}

const FOLDER: &str = "secrets";

/// One process at a time; after too long a wait a process goes on, and the rename keeps the file whole.
fn lock(state_dir: &Utf8Path) -> Result<Option<File>, DiskError> {
    let path = state_dir.join("locks/secrets.lock");
    state_file::lock(&path).during("lock", &path)
}

fn key_path(state_dir: &Utf8Path) -> camino::Utf8PathBuf {
    state_dir.join(FOLDER).join("key")
}

fn list_path(state_dir: &Utf8Path) -> camino::Utf8PathBuf {
    state_dir.join(FOLDER).join("allowed")
}

fn read_key(state_dir: &Utf8Path) -> Result<Option<FingerprintKey>, DiskError> {
    let path = key_path(state_dir);
    let bytes = state_file::read(&path, 32).during("read", &path)?;
    Ok(bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok()).map(FingerprintKey::new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_stays_allowed() {
        let temporary = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(temporary.path()).unwrap();
        assert!(load(state).unwrap().is_none());
        let key = fingerprint_key(state).unwrap();
        let fingerprint = Fingerprint::of("hunter2-hunter2", &key);
        allow(state, fingerprint).unwrap();
        allow(state, fingerprint).unwrap();
        let list = load(state).unwrap().unwrap();
        assert!(list.allows("hunter2-hunter2") && !list.allows("hunter3-hunter3"));
        assert_eq!(std::fs::read_to_string(list_path(state)).unwrap().lines().count(), 1);
    }
}
