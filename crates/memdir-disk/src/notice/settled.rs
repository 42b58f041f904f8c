use std::collections::BTreeMap;
use std::time::Duration;

use memdir_core::content_hash::ContentHash;
use memdir_core::rel_path::RelPath;

use crate::memory_root::MemoryRoot;
use crate::place::FileStat;
use crate::swap_file::MAX_FILE_BYTES;

/// Contents that no process was writing while they were read.
#[derive(Default)]
pub(super) struct Settled {
    pub(super) contents: BTreeMap<RelPath, (Vec<u8>, FileStat)>,
    /// Files that did not come to rest.
    pub(super) restless: Vec<RelPath>,
    /// Files that could not be read.
    pub(super) unreadable: Vec<RelPath>,
}

/// Reads files. What is not a version that is known is looked at once more: agents' tools truncate a file and fill
/// it again, and half of that is not content.
pub(super) fn read_settled(
    root: &MemoryRoot,
    paths: &[&RelPath],
    known: &dyn Fn(&RelPath) -> Option<ContentHash>,
) -> Settled {
    let mut settled = Settled::default();
    let mut pending: Vec<RelPath> = paths.iter().map(|path| (*path).clone()).collect();
    for _ in 0..MAX_LOOKS {
        let mut unknown: Vec<(RelPath, Vec<u8>, FileStat)> = Vec::new();
        for path in std::mem::take(&mut pending) {
            match root.read_with_stat(&path, MAX_FILE_BYTES) {
                Ok(Some((content, stat))) if known(&path) == Some(ContentHash::of(&content)) => {
                    settled.contents.insert(path, (content, stat));
                }
                Ok(Some((content, stat))) => unknown.push((path, content, stat)),
                // Gone again: the next look knows more.
                Ok(None) => settled.restless.push(path),
                Err(_) => settled.unreadable.push(path),
            }
        }
        if unknown.is_empty() {
            return settled;
        }
        // An empty file is what a truncating writer leaves for the longest time.
        let pause =
            if unknown.iter().any(|(_, content, _)| content.is_empty()) { EMPTY_PAUSE } else { PAUSE };
        std::thread::sleep(pause);
        for (path, content, stat) in unknown {
            if root.stat(&path).ok().flatten() == Some(stat) && stat.size == content.len() as u64 {
                settled.contents.insert(path, (content, stat));
            } else {
                pending.push(path);
            }
        }
        if pending.is_empty() {
            return settled;
        }
    }
    settled.restless.append(&mut pending);
    settled
}

const MAX_LOOKS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(2);
pub(super) const EMPTY_PAUSE: Duration = Duration::from_millis(40);
