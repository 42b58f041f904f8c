//! The right to a name, taken before there is a file that has it.

use std::io::Write;

use memdir_core::rel_path::{ENTRYPOINT, RelPath, TEMPORARY_PREFIX};

use crate::disk_error::{DiskError, IoContext};
use crate::memory_root::MemoryRoot;
use crate::place::Place;
use crate::platform::{self, Errno, Writing};
use crate::process_mark::{Life, ProcessMark};
use crate::swap_file::remove;
use crate::temporary::Temporary;

/// A name that no other process claims while this value lives.
///
/// It is an empty-handed file beside the claimed one, made with `O_EXCL`: it holds where locks do not, on network file
/// systems and between processes that gave up waiting.
#[derive(Debug)]
pub struct Claim {
    place: Place,
}

impl MemoryRoot {
    /// Claims a name, which need not be that of a file to come; `None` if another process has it. A claim that a killed
    /// process left is taken over.
    ///
    /// # Errors
    /// The system fails.
    pub fn claim(&self, path: &RelPath) -> Result<Option<Claim>, DiskError> {
        let (place, created) = self.place_for_writing(path)?;
        // The file to come finds its folder there, and would not make it last.
        for dir in created {
            platform::sync_directory(&dir.parent).during("sync", &dir.parent_path)?;
        }
        let place = place.sibling(format!("{TEMPORARY_PREFIX}{CLAIM}{}", path.file_name()));
        for _ in 0..2 {
            match platform::create(&place.dir, place.name.as_str(), Writing::New) {
                Ok(mut file) => {
                    // Without a mark it only cannot be taken over.
                    let _ = file.write_all(ProcessMark::own().to_string().as_bytes());
                    return Ok(Some(Claim { place }));
                }
                Err(Errno::EXIST) if is_abandoned(&place) => remove(&place)?,
                Err(Errno::EXIST) => return Ok(None),
                Err(error) => return Err(error).during("claim", &place.path),
            }
        }
        Ok(None)
    }
}

impl MemoryRoot {
    /// Removes what killed processes left in a folder of the store: claims of names, and files that were to take the
    /// place of derived ones. What cannot be removed stays for the next time. The caller holds the store's lock.
    pub fn sweep(&self, folder: Option<&RelPath>) {
        let some_file =
            folder.map_or_else(|| ENTRYPOINT.to_owned(), |folder| format!("{folder}/{ENTRYPOINT}"));
        let place = RelPath::parse(&some_file).ok().and_then(|path| self.place(&path).ok().flatten());
        let Some(place) = place else { return };
        for name in self.names(folder) {
            let left = place.sibling(name);
            let is_left = match left.name.strip_prefix(TEMPORARY_PREFIX) {
                Some(rest) if rest.starts_with(CLAIM) => is_abandoned(&left),
                Some(_) => Temporary::parse(&left.name).is_some_and(|temporary| {
                    temporary.is_of_derived_file() && temporary.owner.life() == Life::Dead
                }),
                None => false,
            };
            if is_left {
                let _ = remove(&left);
            }
        }
    }
}

const CLAIM: &str = "claim-";

fn is_abandoned(place: &Place) -> bool {
    let content = place.read(256).ok().flatten().and_then(|(content, _)| String::from_utf8(content).ok());
    content.and_then(|text| ProcessMark::parse(&text)).is_some_and(|owner| owner.life() == Life::Dead)
}

impl Drop for Claim {
    fn drop(&mut self) {
        let _ = remove(&self.place);
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use memdir_core::operation::OperationId;

    use super::*;

    #[test]
    fn a_name_is_claimed_once_and_free_again_afterwards() {
        let temporary = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(temporary.path()).unwrap();
        let root = MemoryRoot::open(path).unwrap();
        let name = RelPath::parse("decisions/2026-01-19_001").unwrap();
        let claim = root.claim(&name).unwrap();
        assert!(claim.is_some() && root.claim(&name).unwrap().is_none());
        drop(claim);
        assert!(root.claim(&name).unwrap().is_some());
        assert_eq!(std::fs::read_dir(path.join("decisions")).unwrap().count(), 0);
    }

    #[test]
    fn what_a_dead_process_claimed_is_taken_over() {
        let temporary = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(temporary.path()).unwrap();
        let own = ProcessMark::own().to_string();
        let namespace = own.rsplit('.').next().unwrap();
        std::fs::write(path.join(".memdir-claim-x"), format!("7fffffff.1.{namespace}")).unwrap();
        let root = MemoryRoot::open(path).unwrap();
        assert!(root.claim(&RelPath::parse("x").unwrap()).unwrap().is_some());
    }

    #[test]
    fn what_killed_processes_left_is_swept_and_what_living_ones_use_stays() {
        let temporary = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(temporary.path()).unwrap();
        let root = MemoryRoot::open(path).unwrap();
        let folder = RelPath::parse("decisions").unwrap();
        let claim = root.claim(&RelPath::parse("decisions/002").unwrap()).unwrap();
        let own = ProcessMark::own().to_string();
        let dead = format!("7fffffff.1.{}", own.rsplit('.').next().unwrap());
        let derived = Temporary::derived_operation(7);
        let of_a_memory = OperationId::new("2026-01-19T09:00:00Z".parse().unwrap(), 7);
        let swap = |owner: &str, operation: &OperationId| {
            format!("{TEMPORARY_PREFIX}{owner}-{operation}-0123456789ab-1.swap")
        };
        for (name, content) in [
            (format!("{TEMPORARY_PREFIX}claim-001"), dead.clone()),
            (swap(&dead, &derived), "old index".to_owned()),
            (swap(&own, &derived), "ours".to_owned()),
            (swap(&dead, &of_a_memory), "for recovery".to_owned()),
            ("001.md".to_owned(), "a record".to_owned()),
        ] {
            std::fs::write(path.join("decisions").join(name), content).unwrap();
        }
        root.sweep(Some(&folder));
        let mut left = root.names(Some(&folder));
        left.sort();
        let mut expected = [
            "001.md".to_owned(),
            format!("{TEMPORARY_PREFIX}claim-002"),
            swap(&own, &derived),
            swap(&dead, &of_a_memory),
        ];
        expected.sort();
        assert_eq!(left, expected);
        drop(claim);
    }
}
