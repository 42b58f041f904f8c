//! What the files were when they were last read, so that a sync reads only those that changed. Derived: without it, or
//! where it is damaged, everything is read again; and once a day in any case, because a program that writes through a
//! shared mapping can change a file without another time.

use std::collections::HashMap;
use std::fmt::Write;

use jiff::{SignedDuration, Timestamp};
use memdir_core::content_hash::ContentHash;
use memdir_disk::memory_root::FileStat;
use memdir_disk::sync_dir::SyncDir;

pub(crate) const SEEN: &str = "seen";

/// Another version of the program may read files in another way.
pub(crate) const FORM: &str = concat!("memdir ", env!("CARGO_PKG_VERSION"), " 3");

/// A file that changed so shortly before it was read may change again without another time.
const TOO_FRESH_NANOS: i128 = 2_000_000_000;

/// How long what the times of the files say is believed.
const BELIEVED: SignedDuration = SignedDuration::from_hours(24);

/// What was read, by key.
pub(crate) struct FileTimes {
    known: Known,
    /// When every file was read, whatever its times said.
    all_read_at: Timestamp,
    /// What time it was on the disk's own clock before anything was read.
    began: i128,
    has_new: bool,
}

/// What every file was, and what its shared text is known by.
type Known = HashMap<String, (Stamp, ContentHash)>;

/// Size, time of the content, time of any change, and number.
type Stamp = (u64, i128, i128, u64);

impl FileTimes {
    /// What is known from the last time; nothing if every file is to be read, as the user wants or because it is time.
    /// `began` is what time it was on the disk's own clock before the files were looked at.
    pub(crate) fn load(directory: &SyncDir, (now, began): (Timestamp, i128), read_all: bool) -> Self {
        let content = directory.read(SEEN).ok().flatten().filter(|_| !read_all);
        let kept = content.and_then(|content| parse(&String::from_utf8(content).ok()?));
        let kept = kept.filter(|(all_read_at, _)| is_believed(*all_read_at, now));
        let has_new = kept.is_none();
        let (all_read_at, known) = kept.unwrap_or_else(|| (now, HashMap::new()));
        Self { known, all_read_at, began, has_new }
    }

    /// Nothing is known, and everything has long settled.
    #[cfg(test)]
    pub(crate) fn long_after(now: Timestamp) -> Self {
        Self { known: HashMap::new(), all_read_at: now, began: i128::MAX, has_new: false }
    }

    /// When every file was read, whatever its times said.
    pub(crate) fn all_read_at(&self) -> Timestamp {
        self.all_read_at
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

    /// Keeps it for the next process that holds the lock. That this fails costs time, and nothing else.
    pub(crate) fn save(&mut self, directory: &SyncDir) {
        if !std::mem::take(&mut self.has_new) {
            return;
        }
        let mut text = format!("{}\n", self.all_read_at);
        for (key, ((size, modified, changed, inode), content)) in &self.known {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{size}\t{modified}\t{changed}\t{inode}\t{content}\t{key}");
        }
        let whole = format!("{FORM} {}\n{text}", ContentHash::of(text.as_bytes()));
        let _ = directory.replace(SEEN, whole.as_bytes());
    }
}

/// Whether the times of the files count, after every file was read at that time. A clock that was set back says nothing.
pub(crate) fn is_believed(all_read_at: Timestamp, now: Timestamp) -> bool {
    let age = now.duration_since(all_read_at);
    !age.is_negative() && age < BELIEVED
}

fn stamp(stat: &FileStat) -> Stamp {
    (stat.size, stat.modified, stat.changed, stat.inode)
}

fn parse(text: &str) -> Option<(Timestamp, Known)> {
    let (head, rest) = text.split_once('\n')?;
    let whole = ContentHash::from_hex(head.strip_prefix(FORM)?.strip_prefix(' ')?)?;
    if whole != ContentHash::of(rest.as_bytes()) {
        return None;
    }
    let (all_read_at, lines) = rest.split_once('\n')?;
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
    Some((all_read_at.parse().ok()?, known))
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
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(1_000);
        let mut seen = FileTimes::load(&directory, (now, directory.clock().unwrap()), false);
        assert!(seen.began > TOO_FRESH_NANOS);
        let (old, fresh) = (stat(5), stat(seen.began));
        seen.note("a b.md", &old, content);
        seen.note("fresh.md", &fresh, content);
        seen.save(&directory);
        let later = |hours: i64| now + SignedDuration::from_hours(hours);
        // Every file is read once a day, if the clock was set back, and if the user wants it.
        for (at, read_all) in [(later(24), false), (later(-1), false), (now, true)] {
            let seen = FileTimes::load(&directory, (at, directory.clock().unwrap()), read_all);
            assert_eq!((seen.get("a b.md", &old), seen.all_read_at()), (None, at));
        }
        let seen = FileTimes::load(&directory, (later(23), directory.clock().unwrap()), false);
        assert_eq!(seen.all_read_at(), now);
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
