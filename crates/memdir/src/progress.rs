//! A line on the terminal that says how far something is, if it takes long.

use std::io::Write;
use std::time::{Duration, Instant};

/// A bar on standard error. Without a terminal it says nothing.
pub(crate) struct Progress<'w> {
    what: &'static str,
    stderr: &'w mut dyn Write,
    is_terminal: bool,
    start: Instant,
    is_shown: bool,
}

/// What is done sooner needs no bar.
const PATIENCE: Duration = Duration::from_millis(300);
const WIDTH: usize = 30;

impl<'w> Progress<'w> {
    pub(crate) fn new(what: &'static str, is_terminal: bool, stderr: &'w mut dyn Write) -> Self {
        Self { what, stderr, is_terminal, start: Instant::now(), is_shown: false }
    }

    /// So many of so many files are done.
    pub(crate) fn step(&mut self, done: usize, total: usize) {
        if !self.is_terminal || !done.is_multiple_of(64) || self.start.elapsed() <= PATIENCE {
            return;
        }
        self.is_shown = true;
        let share = (done * WIDTH).checked_div(total).unwrap_or(WIDTH).min(WIDTH);
        let bar = "#".repeat(share);
        let _ = write!(self.stderr, "\r{} [{bar:<WIDTH$}] {done} of {total} files", self.what);
        let _ = self.stderr.flush();
    }
}

impl Drop for Progress<'_> {
    /// Gone before the answer is printed, which goes another way.
    fn drop(&mut self) {
        if self.is_shown {
            let _ = write!(self.stderr, "\r\x1b[K");
            let _ = self.stderr.flush();
        }
    }
}
