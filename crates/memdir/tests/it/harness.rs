//! Runs commands in process, in a throw-away home.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, Write};
use std::rc::Rc;

use camino::Utf8PathBuf;
use memdir::{Paint, Terminal, World};
use memdir_testkit::{CommandBlock, NOW, TestHome};

/// A home to run commands in.
pub(crate) struct Sandbox {
    pub(crate) home: TestHome,
    pub(crate) cwd: Utf8PathBuf,
    pub(crate) vars: Vec<(String, String)>,
    pub(crate) stdin: String,
    pub(crate) now: String,
    pub(crate) terminal: Terminal,
    /// The program's own file; without one no detached work is started.
    pub(crate) program: Option<Utf8PathBuf>,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let home = TestHome::new();
        let cwd = home.project();
        Self {
            home,
            cwd,
            vars: Vec::new(),
            stdin: String::new(),
            now: NOW.to_owned(),
            terminal: Terminal::default(),
            program: None,
        }
    }

    pub(crate) fn var(mut self, name: &str, value: impl Into<String>) -> Self {
        self.vars.push((name.into(), value.into()));
        self
    }

    /// Runs one command line in process.
    pub(crate) fn run<A: Into<OsString>>(&self, arguments: impl IntoIterator<Item = A>) -> CommandBlock {
        let (stdout, stderr) = (Shared::default(), Shared::default());
        let world = World {
            home: Some(self.home.home()),
            cwd: Ok(self.cwd.clone()),
            vars: self.vars.iter().cloned().collect(),
            now: self.now.parse().unwrap(),
            fixed_now: None,
            terminal: self.terminal,
            paint: Paint::never(),
            stdin: Box::new(io::Cursor::new(self.stdin.clone().into_bytes())),
            program: self.program.clone(),
            stdout: Box::new(stdout.clone()),
            stderr: Box::new(stderr.clone()),
            paging: Rc::default(),
            drafts: Vec::new(),
        };
        let exit = memdir::run(arguments.into_iter().map(Into::into), world);
        CommandBlock { code: exit.code(), stdout: stdout.text(), stderr: stderr.text() }
    }

    /// Runs a command line written as one would type it, and shows all that it did.
    pub(crate) fn show(&self, line: &str) -> String {
        let slug = memdir_core::project::encode_path::encode(self.home.root().as_str());
        self.run(line.split_whitespace()).show(&[(self.home.root().as_str(), "[ROOT]"), (&slug, "[SLUG]")])
    }
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Shared {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
