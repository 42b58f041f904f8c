//! A line on the terminal that says how far something is, if it takes long.

use std::io::Write;
use std::time::{Duration, Instant};

/// A bar on standard error. Without a terminal it says nothing.
pub(crate) struct Progress<'w> {
    what: &'static str,
    stderr: &'w mut dyn Write,
    is_terminal: bool,
    start: Instant,
    last: Option<Instant>,
}

/// What is done sooner needs no bar.
const PATIENCE: Duration = Duration::from_millis(300);
/// A person reads no faster than this.
const PAUSE: Duration = Duration::from_millis(60);
const WIDTH: usize = 30;

impl<'w> Progress<'w> {
    pub(crate) fn new(what: &'static str, is_terminal: bool, stderr: &'w mut dyn Write) -> Self {
        Self { what, stderr, is_terminal, start: Instant::now(), last: None }
    }

    /// Begins another part of the work, under this name.
    pub(crate) fn during(&mut self, what: &'static str) -> &mut Self {
        if self.what != what {
            self.what = what;
            // The first of a part is shown at once: it may take long.
            self.last = self.last.map(|_| self.start);
        }
        self
    }

    /// So many of so many parts are done.
    pub(crate) fn parts(&mut self, done: usize, total: usize) {
        self.show(done as u64, total as u64, |_| format!("part {} of {total}", done + 1));
    }

    /// So many are at hand.
    pub(crate) fn count(&mut self, done: u64, total: u64, of: &'static str) {
        self.show(done, total, |total| format!("{total} {of}"));
    }

    /// So many of so many files are done.
    pub(crate) fn step(&mut self, done: usize, total: usize) {
        if done.is_multiple_of(64) {
            self.show(done as u64, total as u64, |_| format!("{done} of {total} files"));
        }
    }

    /// So many of so many bytes are read.
    pub(crate) fn bytes(&mut self, done: u64, total: u64) {
        self.show(done, total, |total| format!("{} of {} MB", done >> 20, total.div_ceil(1 << 20)));
    }

    fn show(&mut self, done: u64, total: u64, say: impl Fn(u64) -> String) {
        let is_early =
            || self.start.elapsed() <= PATIENCE || self.last.is_some_and(|last| last.elapsed() < PAUSE);
        if !self.is_terminal || is_early() {
            return;
        }
        self.last = Some(Instant::now());
        let share = (done.saturating_mul(WIDTH as u64)).checked_div(total).unwrap_or(WIDTH as u64);
        let bar = "#".repeat((share as usize).min(WIDTH));
        let _ = write!(self.stderr, "\r\x1b[K{} [{bar:<WIDTH$}] {}", self.what, say(total.max(done)));
        let _ = self.stderr.flush();
    }
}

impl Drop for Progress<'_> {
    /// Gone before the answer is printed, which goes another way.
    fn drop(&mut self) {
        if self.last.is_some() {
            let _ = write!(self.stderr, "\r\x1b[K");
            let _ = self.stderr.flush();
        }
    }
}
