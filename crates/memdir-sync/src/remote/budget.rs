//! What one sync may cost: a server that is hostile or broken is left, not followed.

use std::time::{Duration, Instant};

use memdir_wire::server_api::Cursor;

use super::RemoteError;

/// More pages than this are not an answer.
const MAX_PAGES: u32 = 20_000;
/// More files than a team can have.
const MAX_FILES: usize = 300_000;
/// More text than a member keeps in memory for one sync.
const MAX_BYTES: usize = 128 << 20;
/// A sync that takes longer is ended.
const MAX_TIME: Duration = Duration::from_secs(600);

/// What is left of the budget of one sync.
#[derive(Debug)]
pub(super) struct SyncBudget {
    began: Instant,
    pages: u32,
    files: usize,
    bytes: usize,
    cursor: Option<(u64, String)>,
}

impl SyncBudget {
    /// A whole budget.
    pub(super) fn new() -> Self {
        Self { began: Instant::now(), pages: 0, files: 0, bytes: 0, cursor: None }
    }

    /// Takes a page of a listing off the budget, with the bytes that came along.
    pub(super) fn page(&mut self, files: usize, bytes: usize) -> Result<(), RemoteError> {
        self.pages += 1;
        self.files = self.files.saturating_add(files);
        self.bytes = self.bytes.saturating_add(bytes);
        let over = match () {
            () if self.pages > MAX_PAGES => format!("more than {MAX_PAGES} pages"),
            () if self.files > MAX_FILES => format!("more than {MAX_FILES} files"),
            () if self.bytes > MAX_BYTES => format!("more than {} MB of text", MAX_BYTES >> 20),
            () if self.began.elapsed() > MAX_TIME => format!("more than {} minutes", MAX_TIME.as_secs() / 60),
            () => return Ok(()),
        };
        Err(RemoteError::Malformed { message: format!("it sent {over}; this sync is ended") })
    }

    /// Where the next page begins, which must be behind the last one.
    pub(super) fn advance(&mut self, next: &Cursor) -> Result<(), RemoteError> {
        let next = (next.sequence, next.path.clone());
        if self.cursor.as_ref().is_some_and(|last| next <= *last) {
            let message = "its list does not go on: the same page was named twice".to_owned();
            return Err(RemoteError::Malformed { message });
        }
        self.cursor = Some(next);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(sequence: u64, path: &str) -> Cursor {
        Cursor { sequence, path: path.to_owned() }
    }

    #[test]
    fn a_cursor_that_does_not_advance_is_refused() {
        let mut budget = SyncBudget::new();
        budget.advance(&cursor(1, "a")).unwrap();
        budget.advance(&cursor(1, "b")).unwrap();
        budget.advance(&cursor(2, "a")).unwrap();
        assert!(budget.advance(&cursor(2, "a")).is_err());
        assert!(budget.advance(&cursor(1, "z")).is_err());
    }

    #[test]
    fn a_list_without_end_is_left() {
        for (files, bytes, most) in [(0, 0, 20_001), (5_000, 0, 61), (1, 4 << 20, 33)] {
            let mut budget = SyncBudget::new();
            let refused = (1..).find(|_| budget.page(files, bytes).is_err());
            assert_eq!(refused, Some(most), "{files} files and {bytes} bytes a page");
        }
    }
}
