//! Everything outside the program that a command may touch, gathered in one value.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Read, Write};
use std::rc::Rc;

use anyhow::{Result, bail};
use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::env::{Env, home_directory, variables};
use memdir_disk::platform::terminal_size;

use crate::draft::Draft;
use crate::output::Paint;
use crate::pager::Pager;

/// The outside world as one command sees it: environment, clock and streams.
pub struct World {
    /// The user's home directory.
    pub home: Option<Utf8PathBuf>,
    /// The working directory, or why there is none.
    pub cwd: Result<Utf8PathBuf, String>,
    /// The environment variables.
    pub vars: BTreeMap<String, String>,
    /// The time that a command takes as now.
    pub now: Timestamp,
    /// The time that a test takes as now, for what lives longer than one command.
    pub fixed_now: Option<Timestamp>,
    /// What the streams are connected to.
    pub terminal: Terminal,
    /// Whether and how to colour.
    pub paint: Paint,
    /// Standard input.
    pub stdin: Box<dyn Read + Send>,
    /// This program's own file, to start detached work with; `None` where none may be started.
    pub program: Option<Utf8PathBuf>,
    /// Where data goes.
    pub stdout: Box<dyn Write>,
    /// Where talk goes.
    pub stderr: Box<dyn Write>,
    /// Whether long output goes to a pager.
    pub paging: Rc<Cell<bool>>,
    /// What the user typed in an editor during this command.
    pub drafts: Vec<Draft>,
}

/// What the streams are connected to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Terminal {
    /// Standard input is a terminal: a person could answer a question.
    pub stdin: bool,
    /// Standard output is a terminal.
    pub stdout: bool,
    /// Standard error is a terminal.
    pub stderr: bool,
    /// How wide standard output is, if it is a terminal.
    pub columns: Option<usize>,
}

/// The time by the system's clock, for what lives longer than one command.
#[expect(clippy::disallowed_methods, reason = "the composition root reads the clock")]
pub(crate) fn clock() -> Timestamp {
    Timestamp::now()
}

impl World {
    /// The world of the running process. The one place that reads the environment and the clock.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the composition root reads environment and clock once")]
    pub fn of_this_process() -> Self {
        let vars = variables(std::env::vars_os().map(|(name, value)| {
            (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())
        }));
        let cwd = match std::env::current_dir() {
            Ok(path) => Utf8PathBuf::from_path_buf(path)
                .map_err(|path| format!("the working directory `{}` is not valid UTF-8", path.display())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err("the working directory no longer exists".to_owned())
            }
            Err(error) => Err(format!("cannot find the working directory: {error}")),
        };
        let size = terminal_size();
        let terminal = Terminal {
            stdin: io::stdin().is_terminal(),
            stdout: io::stdout().is_terminal(),
            stderr: io::stderr().is_terminal(),
            columns: size.map(|(columns, _)| columns),
        };
        let value = |name: &str| vars.get(name).map(String::as_str);
        let paint = Paint::for_terminal(terminal.stdout && terminal.stderr, value("NO_COLOR"), value("TERM"));
        let paging = Rc::new(Cell::new(true));
        let stdout: Box<dyn Write> = match size.filter(|_| value("TERM") != Some("dumb")) {
            Some((_, rows)) => Box::new(Pager::new(value("PAGER"), rows, paging.clone())),
            None => Box::new(io::BufWriter::new(io::stdout())),
        };
        Self {
            home: home_directory(&vars),
            cwd,
            vars,
            now: Timestamp::now(),
            fixed_now: None,
            terminal,
            paint,
            stdin: Box::new(io::stdin()),
            program: std::env::current_exe().ok().and_then(|path| Utf8PathBuf::from_path_buf(path).ok()),
            stdout,
            paging,
            stderr: Box::new(io::BufWriter::new(io::stderr())),
            drafts: Vec::new(),
        }
    }

    /// The environment as the core takes it.
    ///
    /// # Errors
    /// When there is no usable working directory.
    pub fn env(&self) -> Result<Env> {
        match &self.cwd {
            Ok(cwd) => Ok(Env { home: self.home.clone(), cwd: cwd.clone(), vars: self.vars.clone() }),
            Err(problem) => bail!("{problem}"),
        }
    }

    /// Hands everything written so far to the system, so that a full disk or a closed pipe is noticed.
    ///
    /// # Errors
    /// What the system says.
    pub fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()?;
        self.stderr.flush()
    }
}
