//! What the files were when they were last read, so that a sync reads only those that changed. Derived: without it, or
//! where it is damaged, everything is read again.

use std::collections::HashMap;
use std::fmt::Write;

use memdir_core::content_hash::ContentHash;
use memdir_disk::memory_root::FileStat;
use memdir_disk::sync_dir::SyncDir;

pub(crate) const SEEN: &str = "seen";

/// Another version of the program may read files in another way.
pub(crate) const FORM: &str = concat!("memdir ", env!("CARGO_PKG_VERSION"), " 1");

/// A file that changed so shortly before it was read may change again without another time.
const TOO_FRESH_NANOS: i128 = 2_000_000_000;

/// What was read, by key.
#[derive(Default)]
pub(crate) struct Seen {
    known: HashMap<String, (Stamp, ContentHash)>,
    /// What time it was on the disk's own clock before anything was read.
    began: i128,
    has_new: bool,
}

/// Size, time of the content, time of any change, and number.
type Stamp = (u64, i128, i128, u64);

impl Seen {
    pub(crate) fn load(directory: &SyncDir) -> Self {
        let content = directory.read(SEEN).ok().flatten().and_then(|content| String::from_utf8(content).ok());
        let known = content.and_then(|text| parse(&text)).unwrap_or_default();
        Self { known, began: directory.clock().unwrap_or(0), has_new: false }
    }

    /// Nothing is known, and everything has long settled.
    #[cfg(test)]
    pub(crate) fn long_after() -> Self {
        Self { began: i128::MAX, ..Self::default() }
    }

    /// What a file's shared text is known by, if the file is the one that was read.
    pub(crate) fn get(&self, key: &str, stat: &FileStat) -> Option<ContentHash> {
        self.known.get(key).filter(|(known, _)| *known == stamp(stat)).map(|(_, content)| *content)
    }

    /// Whether whatever happened at that time is so long ago that nothing happened since without another time.
    pub(crate) fn is_settled(&self, time: i128) -> bool {
        time.saturating_add(TOO_FRESH_NANOS) < self.began
    }

    /// Remembers what a file held that was read.
    pub(crate) fn note(&mut self, key: &str, stat: &FileStat, content: ContentHash) {
        if self.is_settled(stat.changed) && self.is_settled(stat.modified) {
            self.known.insert(key.to_owned(), (stamp(stat), content));
            self.has_new = true;
        }
    }

    /// Forgets files that are not there any more.
    pub(crate) fn retain(&mut self, is_there: impl Fn(&str) -> bool) {
        self.known.retain(|key, _| is_there(key));
    }

    /// Keeps it for the next time, for whoever holds the lock. That this fails costs time, and nothing else.
    pub(crate) fn save(&mut self, directory: &SyncDir) {
        if !std::mem::take(&mut self.has_new) {
            return;
        }
        let mut text = String::new();
        for (key, ((size, modified, changed, inode), content)) in &self.known {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{size}\t{modified}\t{changed}\t{inode}\t{content}\t{key}");
        }
        let whole = format!("{FORM} {}\n{text}", ContentHash::of(text.as_bytes()));
        let _ = directory.replace(SEEN, whole.as_bytes());
    }
}

fn stamp(stat: &FileStat) -> Stamp {
    (stat.size, stat.modified, stat.changed, stat.inode)
}

fn parse(text: &str) -> Option<HashMap<String, (Stamp, ContentHash)>> {
    let (head, lines) = text.split_once('\n')?;
    let whole = ContentHash::from_hex(head.strip_prefix(FORM)?.strip_prefix(' ')?)?;
    if whole != ContentHash::of(lines.as_bytes()) {
        return None;
    }
    let mut known = HashMap::new();
    for line in lines.lines() {
        let mut fields = line.splitn(6, '\t');
        let stamp = (
            fields.next()?.parse().ok()?,
            fields.next()?.parse().ok()?,
            fields.next()?.parse().ok()?,
            fields.next()?.parse().ok()?,
        );
        let content = ContentHash::from_hex(fields.next()?)?;
        known.insert(fields.next()?.to_owned(), (stamp, content));
    }
    Some(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_had_time_to_settle_and_did_not_change_is_known_again() {
        let temp = tempfile::tempdir().unwrap();
        let directory = SyncDir::of(camino::Utf8Path::from_path(temp.path()).unwrap(), "s");
        let _lock = directory.lock(std::time::Duration::ZERO).unwrap();
        let stat = |changed: i128| FileStat {
            size: 1,
            modified: changed,
            changed,
            inode: 7,
            mode: 0o600,
            owner: 0,
            group: 0,
            links: 1,
        };
        let content = ContentHash::of(b"x");
        let mut seen = Seen::load(&directory);
        assert!(seen.began > TOO_FRESH_NANOS);
        let (old, fresh) = (stat(5), stat(seen.began));
        seen.note("a b.md", &old, content);
        seen.note("fresh.md", &fresh, content);
        seen.save(&directory);
        let seen = Seen::load(&directory);
        assert_eq!(seen.get("a b.md", &old), Some(content));
        assert_eq!(seen.get("fresh.md", &fresh), None);
        for other in
            [FileStat { size: 2, ..old }, FileStat { changed: 6, ..old }, FileStat { inode: 8, ..old }]
        {
            assert_eq!(seen.get("a b.md", &other), None);
        }
        let whole = String::from_utf8(directory.read(SEEN).unwrap().unwrap()).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone().into_bytes();
            damaged[at] ^= 1;
            assert!(parse(std::str::from_utf8(&damaged).unwrap()).is_none(), "byte {at}");
            assert!(parse(&whole[..at]).is_none(), "{at} bytes");
        }
    }
}
