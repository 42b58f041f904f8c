//! Sessions and projects for which the user has switched memdir off for a while.

use std::fs;
use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;

use crate::platform::OpenOwn;
use crate::state_file::make_directory;

/// One file for each pause, so that asking costs one system call. It says since when; what is over is kept in another
/// place, because what was said meanwhile must not be read later either.
#[derive(Debug, Clone)]
pub struct Pauses {
    folder: Utf8PathBuf,
    past: Utf8PathBuf,
}

/// A time in which a session or project was paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PausedSpan {
    /// Since when.
    pub from: Timestamp,
    /// Until when; `None` while it lasts.
    pub until: Option<Timestamp>,
}

impl PausedSpan {
    /// Whether a time is within it. A missing time counts as now.
    #[must_use]
    pub fn holds(&self, time: Option<Timestamp>) -> bool {
        match time {
            Some(time) => time >= self.from && self.until.is_none_or(|until| time <= until),
            None => self.until.is_none(),
        }
    }
}

/// More of what is remembered of past pauses is not read.
const MAX_BYTES: usize = 1 << 20;

impl Pauses {
    /// The pauses below a state directory. Nothing is created.
    #[must_use]
    pub fn of(state_dir: &Utf8Path) -> Self {
        Self { folder: state_dir.join("paused"), past: state_dir.join("paused-before") }
    }

    /// Whether a session or a store is paused. What is not a plain name is not.
    #[must_use]
    pub fn is_paused(&self, id: &str) -> bool {
        self.place(id).is_some_and(|path| path.exists())
    }

    /// Whether anything may be paused at all: spares the common case a look at the project.
    #[must_use]
    pub fn any(&self) -> bool {
        self.folder.exists()
    }

    /// Pauses a session or a store; `false` if it was paused already.
    ///
    /// # Errors
    /// The id is not a plain name, or our state cannot be written.
    pub fn pause(&self, id: &str, now: Timestamp) -> io::Result<bool> {
        let path = self.place(id).ok_or_else(no_plain_name)?;
        make_directory(&self.folder)?;
        match fs::OpenOptions::new().write(true).create_new(true).private().open(path) {
            Ok(mut file) => {
                writeln!(file, "{now}")?;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Ends a pause; `false` if there was none.
    ///
    /// # Errors
    /// The id is not a plain name, or our state cannot be written.
    pub fn resume(&self, id: &str, now: Timestamp) -> io::Result<bool> {
        let place = self.place(id).ok_or_else(no_plain_name)?;
        if let Some(from) = since(&place) {
            // Remembered first: who is stopped between the two is paused twice, not read once.
            make_directory(&self.past)?;
            let mut options = fs::OpenOptions::new();
            let mut file = options.append(true).create(true).private().open(self.past.join(id))?;
            file.write_all(format!("{from} {now}\n").as_bytes())?;
        }
        match fs::remove_file(place) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// When a session or a store was paused, or is.
    #[must_use]
    pub fn spans(&self, id: &str) -> Vec<PausedSpan> {
        let Some(place) = self.place(id) else { return Vec::new() };
        let past = crate::state_file::read(&self.past.join(id), MAX_BYTES).ok().flatten().unwrap_or_default();
        let mut spans: Vec<PausedSpan> = String::from_utf8_lossy(&past)
            .lines()
            .filter_map(|line| {
                let (from, until) = line.split_once(' ')?;
                Some(PausedSpan { from: from.parse().ok()?, until: Some(until.parse().ok()?) })
            })
            .collect();
        spans.extend(since(&place).map(|from| PausedSpan { from, until: None }));
        spans
    }

    fn place(&self, id: &str) -> Option<Utf8PathBuf> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let plain = !id.is_empty() && id.len() <= 128 && id.bytes().all(is_plain);
        plain.then(|| self.folder.join(id))
    }
}

/// Since when a pause lasts: what its file says, or else its time.
fn since(place: &Utf8Path) -> Option<Timestamp> {
    let text = fs::read_to_string(place).ok()?;
    let written = text.trim().parse().ok();
    written.or_else(|| Timestamp::try_from(fs::metadata(place).ok()?.modified().ok()?).ok())
}

fn no_plain_name() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the id of a session is a plain name")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_lasts_until_it_is_ended() {
        let temp = tempfile::tempdir().unwrap();
        let pauses = Pauses::of(Utf8Path::from_path(temp.path()).unwrap());
        assert!(!pauses.is_paused("s-1"));
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        assert!(pauses.pause("s-1", at(10)).unwrap() && !pauses.pause("s-1", at(11)).unwrap());
        assert!(pauses.is_paused("s-1") && !pauses.is_paused("s-2"));
        assert!(pauses.resume("s-1", at(20)).unwrap() && !pauses.resume("s-1", at(21)).unwrap());
        assert!(pauses.pause("s-1", at(30)).unwrap());
        let spans = pauses.spans("s-1");
        assert_eq!(spans.len(), 2);
        let held = |second: i64| spans.iter().any(|span| span.holds(Some(at(second))));
        assert!(!held(9) && held(10) && held(20) && !held(25) && held(31));
        assert!(spans.iter().any(|span| span.holds(None)) && pauses.spans("s-2").is_empty());
        for hostile in ["", "..", "a/b", "a\0"] {
            assert!(!pauses.is_paused(hostile) && pauses.pause(hostile, at(1)).is_err());
        }
    }
}
