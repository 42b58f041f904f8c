//! Whether nothing changed here since everything was agreed, told by a look at the files and nothing else: then a sync
//! that has nothing to do neither reads what was agreed nor compares it. Derived: without it a sync does both.

use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_disk::memory_root::FileStat;
use memdir_disk::sync_dir::SyncDir;

use crate::file_times::{FORM, FileTimes, is_believed};
use crate::remote::Version;
use crate::sync_files::{PENDING, STATE};

pub(crate) const REST: &str = "rest";

/// What a look at the folders found.
#[derive(Default)]
pub(crate) struct FolderFingerprint {
    /// Every folder, and every file with what the system knows about it.
    found: Vec<u8>,
    /// When anything last changed.
    newest: i128,
    /// Something was found that is not shared: the user is told at every sync.
    leaves_out: bool,
}

impl FolderFingerprint {
    /// A folder, whether or not it is there.
    pub(crate) fn folder(&mut self, prefix: &str) {
        self.found.extend_from_slice(prefix.as_bytes());
        self.found.push(0);
    }

    /// A file of the folder that was named last.
    pub(crate) fn file(&mut self, path: &str, stat: &FileStat) {
        self.found.extend_from_slice(path.as_bytes());
        self.found.push(1);
        self.found.extend_from_slice(&stamp(stat));
        self.newest = self.newest.max(stat.changed).max(stat.modified);
    }

    /// Something that is left out of the sync and should not be.
    pub(crate) fn leave_out(&mut self) {
        self.leaves_out = true;
    }

    /// The version at which all of this was agreed; `None`: that cannot be told.
    pub(crate) fn agreed_at(&self, directory: &SyncDir, now: Timestamp) -> Option<Version> {
        if self.leaves_out || directory.stat(PENDING).is_some() {
            return None;
        }
        let text = String::from_utf8(directory.read(REST).ok()??).ok()?;
        let (version, rest) = text.split_once('\n')?;
        let (all_read_at, known) = rest.split_once('\n')?;
        let (version, all_read_at) = (Version(version.to_owned()), all_read_at.parse().ok()?);
        let is_known = known == self.fingerprint(&version, all_read_at, &directory.stat(STATE)?);
        (is_known && is_believed(all_read_at, now)).then_some(version)
    }

    /// Remembers that all of this is agreed at a version, unless something of it changed so
    /// lately that it may change again without a trace. That this fails costs time, and nothing else.
    pub(crate) fn save(&self, directory: &SyncDir, version: &Version, seen: &FileTimes) {
        let Some(state) = directory.stat(STATE) else { return };
        if !self.leaves_out && seen.is_settled(self.newest) {
            let at = seen.all_read_at();
            let text = format!("{}\n{at}\n{}", version.0, self.fingerprint(version, at, &state));
            let _ = directory.replace(REST, text.as_bytes());
        }
    }

    /// What is known by one hash: the files, when all were read, the state that says what was agreed, and the version.
    fn fingerprint(&self, version: &Version, all_read_at: Timestamp, state: &FileStat) -> String {
        let head = format!("{FORM}\0{}\0{all_read_at}\0", version.0);
        let whole = [head.as_bytes(), &stamp(state), &self.found].concat();
        format!("{}\n", ContentHash::of(&whole))
    }
}

/// Size, time of the content, time of any change, and number.
fn stamp(stat: &FileStat) -> [u8; 48] {
    let mut bytes = [0; 48];
    let (size, rest) = bytes.split_at_mut(8);
    let (modified, rest) = rest.split_at_mut(16);
    let (changed, inode) = rest.split_at_mut(16);
    size.copy_from_slice(&stat.size.to_le_bytes());
    modified.copy_from_slice(&stat.modified.to_le_bytes());
    changed.copy_from_slice(&stat.changed.to_le_bytes());
    inode.copy_from_slice(&stat.inode.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use camino::Utf8Path;
    use jiff::SignedDuration;

    use super::*;

    fn stat(changed: i128) -> FileStat {
        FileStat { size: 1, modified: 5, changed, inode: 7, mode: 0o600, owner: 0, group: 0, links: 1 }
    }

    fn fingerprint(files: &[(&str, FileStat)]) -> FolderFingerprint {
        let mut fingerprint = FolderFingerprint::default();
        fingerprint.folder("p/");
        files.iter().for_each(|(path, stat)| fingerprint.file(path, stat));
        fingerprint
    }

    #[test]
    fn only_what_did_not_change_since_it_was_agreed_is_at_rest() {
        let temp = tempfile::tempdir().unwrap();
        let directory = SyncDir::of(Utf8Path::from_path(temp.path()).unwrap(), "s");
        let _lock = directory.lock(Duration::ZERO).unwrap();
        let version = Version("v".into());
        let files = [("a.md", stat(5)), ("b.md", stat(6))];
        let now = Timestamp::UNIX_EPOCH;
        let agreed_at = |files: &[(&str, FileStat)]| fingerprint(files).agreed_at(&directory, now);
        directory.replace(STATE, b"state").unwrap();

        // A file that was written a moment ago may be written again without a trace.
        let fresh = [("a.md", stat(i128::from(i64::MAX)))];
        let seen = FileTimes::load(&directory, (now, directory.clock().unwrap()), false);
        fingerprint(&fresh).save(&directory, &version, &seen);
        assert_eq!(agreed_at(&fresh), None);

        let later = FileTimes::long_after(now);
        fingerprint(&files).save(&directory, &version, &later);
        assert_eq!(agreed_at(&files), Some(version.clone()));
        let tomorrow = now + SignedDuration::from_hours(24);
        assert_eq!(
            fingerprint(&files).agreed_at(&directory, tomorrow),
            None,
            "it is time to read every file"
        );
        let [one, other] = files;
        for changed in [
            vec![one],
            vec![other, one],
            vec![one, ("c.md", other.1)],
            vec![one, ("b.md", stat(7))],
            vec![one, ("b.md", FileStat { inode: 8, ..other.1 })],
            vec![one, ("b.md", FileStat { size: 2, ..other.1 })],
            vec![one, other, ("c.md", stat(1))],
        ] {
            assert_eq!(agreed_at(&changed), None, "{changed:?}");
        }
        let mut elsewhere = FolderFingerprint::default();
        elsewhere.folder("q/");
        files.iter().for_each(|(path, stat)| elsewhere.file(path, stat));
        assert_eq!(elsewhere.agreed_at(&directory, now), None);
        let mut with_more = fingerprint(&files);
        with_more.leave_out();
        assert_eq!(with_more.agreed_at(&directory, now), None);

        directory.replace(PENDING, b"anything").unwrap();
        assert_eq!(agreed_at(&files), None);
        directory.remove(PENDING).unwrap();
        assert_eq!(agreed_at(&files), Some(version.clone()));
        directory.replace(STATE, b"state").unwrap();
        assert_eq!(agreed_at(&files), None, "another sync wrote the same again");

        fingerprint(&files).save(&directory, &version, &later);
        let whole = directory.read(REST).unwrap().unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            directory.replace(REST, &damaged).unwrap();
            assert_eq!(agreed_at(&files), None, "byte {at}");
        }
        with_more.save(&directory, &version, &later);
        assert_eq!(agreed_at(&files), None);
    }
}
