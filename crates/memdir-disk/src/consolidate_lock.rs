//! The client's own lock for consolidation, so that its dream and ours never run together.
//!
//! It is a file in the memory directory: its time is when the last consolidation was, its content the number of the
//! process that holds it. A process that wants it writes its number and reads it back. A holder that is gone, or has held it
//! for an hour, holds it no longer. A process that fails gives the file its old time back.

use std::fs::File;
use std::io::{Read, Write};
use std::thread;
use std::time::Duration;

use camino::Utf8PathBuf;
use jiff::{SignedDuration, Timestamp};

use crate::disk_error::{DiskError, IoContext};
use crate::memory_root::MemoryRoot;
use crate::place::{link_error, regular};
use crate::platform::{self, Errno, Target, Writing, open_beneath};
use crate::process_mark::{has_process_since, own_process};
use crate::swap_file::set_both_times;

/// The name that the client gives it.
pub const CONSOLIDATE_LOCK: &str = ".consolidate-lock";

/// After this time a holder no longer counts.
const STALE: SignedDuration = SignedDuration::from_hours(1);
/// A lock without a number that is this young is just being taken.
const TAKING: SignedDuration = SignedDuration::from_secs(5);
/// So long after writing the number it is read back.
const SETTLE: Duration = Duration::from_millis(25);

/// What became of the wish to have the lock.
#[derive(Debug)]
pub enum Taken {
    /// We hold it.
    Ours(ConsolidateLock),
    /// Another process does.
    Held(Holder),
}

/// Who holds the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    /// The number of the process, if the file says.
    pub process: Option<u32>,
    /// Since when.
    pub since: Timestamp,
}

/// The lock, held. Unless it is finished, dropping it brings back what was there before.
#[derive(Debug)]
pub struct ConsolidateLock {
    root: MemoryRoot,
    before: Option<Timestamp>,
    is_finished: bool,
}

/// The lock as it is.
struct State {
    process: Option<u32>,
    modified: Timestamp,
}

/// When the last consolidation was, ours or the client's; `None` if there was none.
///
/// # Errors
/// Something other than a file is there, or the system fails.
pub fn last_consolidation(root: &MemoryRoot) -> Result<Option<Timestamp>, DiskError> {
    Ok(read(root)?.map(|state| state.modified))
}

/// Who holds the lock now, if another process does.
///
/// # Errors
/// As [`last_consolidation`].
pub fn holder(root: &MemoryRoot, now: Timestamp) -> Result<Option<Holder>, DiskError> {
    let state = read(root)?.filter(|state| is_held(state, now));
    Ok(state.map(|State { process, modified }| Holder { process, since: modified }))
}

impl ConsolidateLock {
    /// Takes the lock, unless another process holds it.
    ///
    /// # Errors
    /// Something other than a file is there, or the system fails.
    pub fn take(root: &MemoryRoot, now: Timestamp) -> Result<Taken, DiskError> {
        let found = read(root)?;
        if let Some(state) = found.as_ref().filter(|state| is_held(state, now)) {
            return Ok(Taken::Held(Holder { process: state.process, since: state.modified }));
        }
        let before = found.map(|state| state.modified);
        write(root, &own_process().to_string(), now)?;
        thread::sleep(SETTLE);
        match read(root)? {
            Some(state) if state.process == Some(own_process()) => {
                Ok(Taken::Ours(Self { root: root.clone(), before, is_finished: false }))
            }
            state => {
                let (process, since) = state.map_or((None, now), |state| (state.process, state.modified));
                Ok(Taken::Held(Holder { process, since }))
            }
        }
    }

    /// When the last consolidation before this one was.
    #[must_use]
    pub fn before(&self) -> Option<Timestamp> {
        self.before
    }

    /// Ends a consolidation that succeeded: its time stays as that of the last one.
    pub fn finish(mut self) {
        self.is_finished = true;
    }
}

impl Drop for ConsolidateLock {
    fn drop(&mut self) {
        let is_ours = read(&self.root)
            .is_ok_and(|state| state.is_some_and(|state| state.process == Some(own_process())));
        if self.is_finished || !is_ours {
            return;
        }
        // If that fails the next dream comes a day later, and nothing else happens.
        let _ = match self.before {
            Some(before) => write(&self.root, "", before),
            None => {
                platform::remove_at(self.root.dir(), CONSOLIDATE_LOCK).during("remove", &path(&self.root))
            }
        };
    }
}

/// Whether the process that wrote the file may still be at it.
fn is_held(state: &State, now: Timestamp) -> bool {
    let age = now.duration_since(state.modified);
    // A time that is far ahead was written by a wrong clock, and says nothing.
    if age >= STALE || age <= -STALE {
        return false;
    }
    match state.process {
        None => age.abs() < TAKING,
        Some(process) => process != own_process() && has_process_since(process, state.modified),
    }
}

fn path(root: &MemoryRoot) -> Utf8PathBuf {
    root.path().join(CONSOLIDATE_LOCK)
}

fn read(root: &MemoryRoot) -> Result<Option<State>, DiskError> {
    let path = path(root);
    let file = match open_beneath(root.dir(), CONSOLIDATE_LOCK, Target::File) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(link_error(error, &path)),
    };
    let stat = platform::stat_open(&file).during("look at", &path)?;
    regular(&stat, &path)?;
    let mut text = Vec::new();
    file.take(32).read_to_end(&mut text).during("read", &path)?;
    let process = std::str::from_utf8(&text).ok().and_then(|text| text.trim().parse().ok());
    let nanoseconds = stat.file.modified;
    let modified = Timestamp::from_nanosecond(nanoseconds).unwrap_or(Timestamp::UNIX_EPOCH);
    Ok(Some(State { process: process.filter(|process| *process > 0), modified }))
}

fn write(root: &MemoryRoot, text: &str, time: Timestamp) -> Result<(), DiskError> {
    let path = path(root);
    let mut file = platform::create(root.dir(), CONSOLIDATE_LOCK, Writing::Existing)
        .map_err(|error| link_error(error, &path))?;
    let stat = platform::stat_open(&file).during("look at", &path)?;
    regular(&stat, &path)?;
    file.set_len(0).during("write", &path)?;
    file.write_all(text.as_bytes()).during("write", &path)?;
    set_both_times(&file, time.as_nanosecond()).during("date", &path)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use camino::Utf8Path;

    use super::*;

    fn root() -> (tempfile::TempDir, MemoryRoot) {
        let temp = tempfile::tempdir().unwrap();
        let root = MemoryRoot::open(Utf8Path::from_path(temp.path()).unwrap()).unwrap();
        (temp, root)
    }

    /// The machine's time: processes are compared with it.
    fn now(root: &MemoryRoot) -> Timestamp {
        let probe = root.path().join("probe");
        fs::write(&probe, "").unwrap();
        fs::metadata(&probe).unwrap().modified().unwrap().try_into().unwrap()
    }

    fn text(root: &MemoryRoot) -> String {
        fs::read_to_string(root.path().join(CONSOLIDATE_LOCK)).unwrap()
    }

    #[test]
    fn it_is_taken_finished_and_given_back() {
        let (_temp, root) = root();
        let now = now(&root);
        assert_eq!(last_consolidation(&root).unwrap(), None);
        let Taken::Ours(lock) = ConsolidateLock::take(&root, now).unwrap() else { panic!("it is free") };
        assert_eq!(text(&root), own_process().to_string());
        drop(lock);
        assert_eq!(last_consolidation(&root).unwrap(), None, "there was none before");
        let Taken::Ours(lock) = ConsolidateLock::take(&root, now).unwrap() else { panic!("it is free") };
        lock.finish();
        assert_eq!(last_consolidation(&root).unwrap(), Some(now));
        let later = now + SignedDuration::from_hours(30);
        let Taken::Ours(lock) = ConsolidateLock::take(&root, later).unwrap() else { panic!("it is free") };
        assert_eq!((lock.before(), last_consolidation(&root).unwrap()), (Some(now), Some(later)));
        drop(lock);
        assert_eq!((last_consolidation(&root).unwrap(), text(&root).as_str()), (Some(now), ""));
    }

    #[test]
    fn a_living_holder_keeps_it_for_an_hour() {
        let (_temp, root) = root();
        let mut command = Command::new(if cfg!(windows) { "ping" } else { "sleep" });
        let waits: &[&str] = if cfg!(windows) { &["-n", "60", "127.0.0.1"] } else { &["60"] };
        let mut child = command.args(waits).stdout(std::process::Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(1100));
        let start = now(&root);
        let at = |seconds: i64| start + SignedDuration::from_secs(seconds);
        let is_held = |text: &str, written: Timestamp, now: Timestamp| {
            write(&root, text, written).unwrap();
            holder(&root, now).unwrap().is_some()
        };
        let alive = child.id().to_string();
        assert!(is_held(&alive, start, at(10)));
        assert!(is_held(&format!("{alive}\n"), start, at(3_599)));
        assert!(!is_held(&alive, start, at(3_600)), "stale");
        assert!(!is_held(&alive, at(-600), start), "the number belongs to a process that started later");
        assert!(is_held(&alive, at(60), start), "a clock that is a little ahead");
        assert!(!is_held(&alive, at(86_400), start), "a clock that is far ahead says nothing");
        for nothing in ["", "x", "-1", "0", "99999999999999999999"] {
            assert!(is_held(nothing, start, at(1)), "just being taken: {nothing}");
            assert!(!is_held(nothing, start, at(60)), "{nothing}");
        }
        write(&root, &alive, start).unwrap();
        assert!(matches!(ConsolidateLock::take(&root, at(10)).unwrap(), Taken::Held(_)));
        assert_eq!(text(&root), alive, "nothing was written");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_held(&alive, start, at(10)), "gone");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_not_a_file_is_refused() {
        let (_temp, root) = root();
        let path = root.path().join(CONSOLIDATE_LOCK);
        std::os::unix::fs::symlink("/etc/hostname", &path).unwrap();
        assert!(ConsolidateLock::take(&root, now(&root)).is_err());
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(ConsolidateLock::take(&root, now(&root)).is_err());
    }
}
