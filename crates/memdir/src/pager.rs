//! Long output on a terminal goes through a pager, as with git.

use std::cell::Cell;
use std::io::{self, Write};
use std::process::{Child, Stdio};
use std::rc::Rc;

use memdir_disk::platform::shell_command;

/// A standard output that starts `$PAGER` once more lines were written than the terminal has.
///
/// Until then it keeps what it gets. A flush means that a person is waiting for it: from then on nothing is paged. If
/// paging was switched off, a flush waits until the person has left a pager that runs: it reads the same keyboard.
pub(crate) struct Pager {
    command: String,
    rows: usize,
    enabled: Rc<Cell<bool>>,
    kept: Vec<u8>,
    lines: usize,
    child: Option<Child>,
}

impl Pager {
    pub(crate) fn new(command: Option<&str>, rows: usize, enabled: Rc<Cell<bool>>) -> Self {
        let command = command.unwrap_or(if cfg!(windows) { "" } else { "less" }).trim().to_owned();
        if command.is_empty() || command == "cat" {
            enabled.set(false);
        }
        Self { command, rows, enabled, kept: Vec::new(), lines: 0, child: None }
    }

    fn start(&mut self) -> io::Result<()> {
        let started = shell_command(&self.command, None).env("LESS", "FRX").stdin(Stdio::piped()).spawn();
        let Ok(child) = started else {
            self.enabled.set(false);
            return self.write_out();
        };
        self.child = Some(child);
        self.write_out()
    }

    fn end(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }

    /// Hands on what was kept: to the pager if there is one, else to the terminal.
    fn write_out(&mut self) -> io::Result<()> {
        let kept = std::mem::take(&mut self.kept);
        match self.child.as_mut().and_then(|child| child.stdin.as_mut()) {
            Some(pager) => pager.write_all(&kept),
            None => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(&kept)?;
                stdout.flush()
            }
        }
    }
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.kept.extend_from_slice(bytes);
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count();
        if self.child.is_some() || !self.enabled.get() {
            self.write_out()?;
        } else if self.lines >= self.rows {
            self.start()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.child.is_none() {
            self.enabled.set(false);
        }
        self.write_out()?;
        if !self.enabled.get() {
            self.end();
        }
        Ok(())
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        let _ = self.write_out();
        self.end();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use memdir_testkit::TestHome;

    use super::*;

    #[test]
    fn a_question_waits_for_the_pager() -> io::Result<()> {
        let home = TestHome::new();
        let left = home.root().join("left");
        let command = format!("cat > /dev/null; sleep 0.3; : > '{left}'");
        let enabled = Rc::new(Cell::new(true));
        let mut pager = Pager::new(Some(&command), 2, Rc::clone(&enabled));
        pager.write_all(b"one\ntwo\nthree\n")?;
        enabled.set(false);
        pager.flush()?;
        assert!(left.exists());
        Ok(())
    }
}
