//! Reading a history from its end.

use std::fs::File;

use camino::Utf8Path;
use memdir_core::operation::Operation;

use super::{History, LogPosition, Outcome, Recorded, read_window, segment};
use crate::disk_error::{DiskError, IoContext};
use crate::platform::FileExt;

/// What is read first of a segment. Enough for a screen of operations.
const FIRST_WINDOW: u64 = 64 << 10;

impl History {
    /// The last operations that took place or are under way, newest first, at most `limit` of them. No more is
    /// read than these take, and a little.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn newest(&self, limit: usize) -> Result<Recorded, DiskError> {
        let mut newest = Recorded::default();
        for number in segment::numbers(self.dir())?.into_iter().rev() {
            let wanted = limit.saturating_sub(newest.operations.len());
            if wanted == 0 {
                break;
            }
            let path = segment::path(self.dir(), number);
            newest.note_cut(&path);
            match read_end(&path, wanted) {
                Ok(mut recorded) => {
                    recorded.operations.reverse();
                    recorded.operations.truncate(wanted);
                    newest.operations.append(&mut recorded.operations);
                    newest.problems.append(&mut recorded.problems);
                }
                Err(error) => {
                    newest.problems.push(error.to_string());
                    newest.unread.push(path);
                }
            }
        }
        newest.problems.extend(self.impostors()?);
        Ok(newest)
    }

    /// The operations that were recorded after a place and took place or are under way, oldest first; all of them
    /// without one.
    pub(crate) fn after(&self, position: Option<LogPosition>) -> Result<Vec<Operation>, DiskError> {
        let mut recorded = Recorded::default();
        for number in segment::numbers(self.dir())? {
            let from = match position {
                Some(position) if number < position.segment => continue,
                Some(position) if number == position.segment => position.offset,
                _ => 0,
            };
            let path = segment::path(self.dir(), number);
            let Ok(file) = File::open(&path) else { continue };
            let length = file.metadata().during("look at", &path)?.len();
            // A segment that is shorter than it was is another one.
            let from = if from > length { 0 } else { from };
            let mut bytes = vec![0; usize::try_from(length - from).unwrap_or(usize::MAX)];
            file.read_exact_at(&mut bytes, from).during("read", &path)?;
            read_window(&bytes, usize::try_from(from).unwrap_or(usize::MAX), &path, &mut recorded);
        }
        recorded.operations.retain(|(_, outcome)| *outcome != Outcome::Aborted);
        Ok(recorded.operations.into_iter().map(|(operation, _)| operation).collect())
    }
}

/// A caller that wants more than these from a segment reads all of it at once.
const FROM_THE_START: usize = 500;

/// The operations at the end of a segment, at least `wanted` of them unless it holds fewer.
fn read_end(path: &Utf8Path, wanted: usize) -> Result<Recorded, DiskError> {
    let file = File::open(path).during("read", path)?;
    let length = file.metadata().during("look at", path)?.len();
    let mut window = FIRST_WINDOW;
    loop {
        let from = if wanted > FROM_THE_START { 0 } else { length.saturating_sub(window) };
        let mut bytes = vec![0; usize::try_from(length - from).unwrap_or(usize::MAX)];
        file.read_exact_at(&mut bytes, from).during("read", path)?;
        let mut recorded = Recorded::default();
        read_window(&bytes, usize::try_from(from).unwrap_or(usize::MAX), path, &mut recorded);
        recorded.operations.retain(|(_, outcome)| *outcome != Outcome::Aborted);
        if from == 0 || recorded.operations.len() >= wanted {
            return Ok(recorded);
        }
        window = window.saturating_mul(4);
    }
}
