//! Files that follow from others: replaced whole and seen whole, but not waited for.

use memdir_core::rel_path::RelPath;

use crate::apply::random;
use crate::disk_error::DiskError;
use crate::memory_root::MemoryRoot;
use crate::place::Place;
use crate::swap_file::{MAX_FILE_BYTES, exchange, read_settled, remove, rename_new, stat, write_derived};
use crate::temporary::{Stage, Temporary};

/// How often a replacement is tried against a process that keeps writing.
const MAX_TRIES: u32 = 64;

impl MemoryRoot {
    /// Replaces a file that follows from others: `make` gets what is there and says what shall; `None` leaves it.
    /// `true` if something changed.
    ///
    /// A reader sees the old file or the new one. What another process wrote in between is not lost: `make` is asked
    /// again with that. Nothing is synced, because the file can be made again; after a power cut the old one may be
    /// back. The caller usually holds the store's lock.
    ///
    /// # Errors
    /// A link is in the way, another process writes the file without pause, or the system fails.
    pub fn replace_derived(
        &self,
        path: &RelPath,
        mut make: impl FnMut(Option<&[u8]>) -> Option<Vec<u8>>,
    ) -> Result<bool, DiskError> {
        let (place, _) = self.place_for_writing(path)?;
        let operation = Temporary::derived_operation(random()?);
        // What another process wrote while we replaced the file, and where it is until ours is made from it.
        let mut overtaken: Option<(Vec<u8>, Place)> = None;
        for number in 0..MAX_TRIES {
            let current = place.read(MAX_FILE_BYTES)?.map(|(content, _)| content);
            let theirs = overtaken.take();
            let seen = theirs.as_ref().map(|(content, _)| content.as_slice()).or(current.as_deref());
            let made = make(seen).or_else(|| theirs.as_ref().map(|(content, _)| content.clone()));
            let is_new = made.as_ref().is_some_and(|made| Some(made) != current.as_ref());
            let new = place.sibling(Temporary::name(&operation, path, number, Stage::Swapped));
            let displaced = match made.filter(|_| is_new) {
                None => None,
                Some(content) => {
                    write_derived(&new, &content, stat(&place).as_ref())?;
                    let is_there = match &current {
                        Some(_) => exchange(&new, &place)?,
                        None => rename_new(&new, &place)?,
                    };
                    if !is_there {
                        // It came or went in between.
                        remove(&new)?;
                        overtaken = theirs;
                        continue;
                    }
                    // From here on the temporary name holds what was displaced.
                    current.as_ref().map(|current| read_settled(&new, Some(current))).transpose()?.flatten()
                }
            };
            if let Some((_, place)) = theirs {
                remove(&place)?;
            }
            match displaced {
                Some((content, _)) if Some(&content) != current.as_ref() => overtaken = Some((content, new)),
                Some(_) => {
                    remove(&new)?;
                    return Ok(true);
                }
                None => return Ok(is_new || number > 0),
            }
        }
        Err(DiskError::Restless { path: place.path })
    }

    /// Renames a file that could not be understood, so that its owner can look at it; returns the new name.
    /// `None` if there is no such file.
    ///
    /// # Errors
    /// The system fails, or too many are there already.
    pub fn set_broken_aside(&self, path: &RelPath) -> Result<Option<String>, DiskError> {
        let Some(place) = self.place(path)? else { return Ok(None) };
        if stat(&place).is_none() {
            return Ok(None);
        }
        for number in 1..100 {
            let ending = if number == 1 { ".broken".to_owned() } else { format!(".broken-{number}") };
            let aside = place.sibling(format!("{}{ending}", place.name));
            if rename_new(&place, &aside)? {
                return Ok(Some(format!("{path}{ending}")));
            }
        }
        DiskError::refused(&place.path, "too many broken ones are beside it already")
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;

    #[test]
    fn it_is_made_from_what_is_there_and_nothing_is_left_over() {
        let temporary = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(temporary.path()).unwrap();
        let root = MemoryRoot::open(path).unwrap();
        let name = RelPath::parse("_index.md").unwrap();
        assert!(root.replace_derived(&name, |old| old.is_none().then(|| b"one".to_vec())).unwrap());
        assert!(!root.replace_derived(&name, |_| None).unwrap());
        let mut looks = 0;
        let changed = root.replace_derived(&name, |old| {
            looks += 1;
            if looks == 1 {
                // Another process writes while we think.
                std::fs::write(path.join("_index.md"), "theirs").unwrap();
            }
            Some([old.unwrap(), b" and ours"].concat())
        });
        assert!(changed.unwrap());
        assert_eq!(std::fs::read_to_string(path.join("_index.md")).unwrap(), "theirs and ours");
        assert_eq!(path.read_dir_utf8().unwrap().count(), 1);
    }

    #[test]
    fn a_broken_file_steps_aside() {
        let temporary = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(temporary.path()).unwrap();
        let root = MemoryRoot::open(path).unwrap();
        let name = RelPath::parse("_session.json").unwrap();
        assert_eq!(root.set_broken_aside(&name).unwrap(), None);
        for expected in ["_session.json.broken", "_session.json.broken-2"] {
            std::fs::write(path.join("_session.json"), "{").unwrap();
            assert_eq!(root.set_broken_aside(&name).unwrap().as_deref(), Some(expected));
        }
    }
}
