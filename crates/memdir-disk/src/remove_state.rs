//! Removes all that memdir keeps for itself: for a user who wants nothing of it to stay.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::state_place::{KeptText, STATE_PLACES, StatePlace};

use crate::disk_error::{DiskError, IoContext};

/// The places below the state directory that exist, as a removal would remove them: all but memories.
#[must_use]
pub fn state_places(state_dir: &Utf8Path) -> Vec<Utf8PathBuf> {
    let removed = STATE_PLACES.iter().filter(|place| place.text != KeptText::Memories);
    let top = removed.map(|place| place.name.trim_end_matches('/'));
    let top = top.filter(|name| !name.contains('/')).map(|name| state_dir.join(name));
    top.filter(|path| path.symlink_metadata().is_ok()).collect()
}

/// Removes every place of the list below the state directory but memories, and the directory if nothing else is in it.
/// Links are removed and not followed. Gives back what is not memdir's and stays.
///
/// # Errors
/// Something cannot be removed; what was removed before it is gone.
pub fn remove_state(state_dir: &Utf8Path) -> Result<Vec<Utf8PathBuf>, DiskError> {
    for path in state_places(state_dir) {
        let metadata = path.symlink_metadata().during("look at", &path)?;
        let removed = if metadata.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.during("remove", &path)?;
    }
    let Ok(entries) = state_dir.read_dir_utf8() else { return Ok(Vec::new()) };
    let left: Vec<Utf8PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.into_path())).collect();
    if left.is_empty() {
        fs::remove_dir(state_dir).during("remove", state_dir)?;
    }
    let is_memory = |path: &Utf8PathBuf| {
        let place = path.strip_prefix(state_dir).ok().and_then(|path| StatePlace::of(&format!("{path}/")));
        place.is_some_and(|place| place.text == KeptText::Memories)
    };
    Ok(left.into_iter().filter(|path| !is_memory(path)).collect())
}

/// Removes the user's settings of memdir, and their folder if nothing else is in it.
///
/// # Errors
/// The file cannot be removed.
pub fn remove_settings(file: &Utf8Path) -> Result<(), DiskError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).during("remove", file),
        _ => {
            // Only an empty folder can be removed.
            file.parent().into_iter().for_each(|folder| drop(fs::remove_dir(folder)));
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_goes_and_what_is_not_ours_stays() {
        let temporary = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(temporary.path()).unwrap().join("memdir");
        let outside = state.parent().unwrap().join("outside");
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("kept"), "x").unwrap();
        for place in STATE_PLACES {
            let path = state.join(place.name);
            if place.name.ends_with('/') {
                fs::create_dir_all(&path).unwrap();
                fs::write(path.join("probe"), "x").unwrap();
            } else {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, "x").unwrap();
            }
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(&outside, state.join("cache/link")).unwrap();
        fs::write(state.join("mine.txt"), "x").unwrap();
        assert_eq!(remove_state(&state).unwrap(), [state.join("mine.txt")]);
        assert!(outside.join("kept").exists());
        assert_eq!(fs::read_to_string(state.join("machine-memory/probe")).unwrap(), "x", "a memory stays");
        fs::remove_file(state.join("mine.txt")).unwrap();
        fs::remove_dir_all(state.join("machine-memory")).unwrap();
        assert_eq!(remove_state(&state).unwrap(), Vec::<Utf8PathBuf>::new());
        assert!(!state.exists() && state_places(&state).is_empty());
    }
}
