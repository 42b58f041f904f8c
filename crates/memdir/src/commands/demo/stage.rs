use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use anyhow::{Result, ensure};
use camino::Utf8PathBuf;
use memdir_disk::throwaway_dir::ThrowawayDir;

use crate::output::Paint;
use crate::world::{Terminal, World};

/// Runs commands in a temporary home and shows them as if they had been typed.
pub(super) struct Stage<'a> {
    place: &'a ThrowawayDir,
    /// Whose machine it is, if there are several.
    person: Option<&'static str>,
    home: Utf8PathBuf,
    cwd: Utf8PathBuf,
    is_agent: bool,
    /// Whether a person at a terminal decides when the next scene comes.
    pauses: bool,
    scenes: usize,
    world: &'a mut World,
}

/// Where a machine that everyone reaches seems to be.
const SHARED: &str = "/srv/";

impl<'a> Stage<'a> {
    pub(super) fn new(home: &'a ThrowawayDir, pauses: bool, world: &'a mut World) -> Self {
        let path = home.path().to_owned();
        Self {
            place: home,
            person: None,
            home: path.clone(),
            cwd: path,
            is_agent: false,
            pauses,
            scenes: 0,
            world,
        }
    }

    pub(super) fn into_world(self) -> &'a mut World {
        self.world
    }

    /// What comes next. On a terminal the user decides when.
    pub(super) fn scene(&mut self, text: &str) -> Result<()> {
        if self.pauses && self.scenes > 0 {
            self.world.stdout.flush()?;
            crate::commands::ask::line("  (Enter)", self.world)?;
        }
        self.scenes += 1;
        let text = self.world.paint.strong(&format!("{}. {text}", self.scenes));
        Ok(writeln!(self.world.stdout, "{text}\n")?)
    }

    /// A remark on what comes.
    pub(super) fn say(&mut self, text: &str) -> Result<()> {
        let text = self.world.paint.quiet(text);
        Ok(writeln!(self.world.stdout, "  {text}")?)
    }

    /// Makes a project and works in it from now on.
    pub(super) fn project(&mut self, name: &str) -> Result<()> {
        self.cwd = self.place.make_dir(name)?;
        self.typed(&format!("cd ~/{name}"))
    }

    /// Goes to the machine of a person, in a project that everyone has there.
    pub(super) fn at_machine_of(&mut self, person: &'static str) -> Result<()> {
        self.home = self.place.make_dir(person)?;
        self.cwd = self.place.make_dir(&format!("{person}/shop"))?;
        self.person = Some(person);
        Ok(())
    }

    /// A path that every machine reaches, as it really is.
    pub(super) fn shared(&self, name: &str) -> Utf8PathBuf {
        self.place.path().join(name)
    }

    /// Renames a project and goes along.
    pub(super) fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        self.place.rename(from, to)?;
        self.cwd = self.home.join(to);
        self.typed(&format!("mv ~/{from} ~/{to} && cd ~/{to}"))
    }

    /// Runs a command and shows all that it says.
    pub(super) fn command(&mut self, line: &str) -> Result<()> {
        self.typed(&format!("memdir {line}"))?;
        self.output(line, &[])
    }

    /// Runs a command and shows only that it was typed.
    pub(super) fn quietly(&mut self, line: &str) -> Result<()> {
        self.typed(&format!("memdir {line}"))?;
        self.run(line, "").map(drop)
    }

    /// Runs a command as an agent would, and shows it.
    pub(super) fn as_agent(&mut self, line: &str) -> Result<()> {
        (self.is_agent, self.person) = (true, Some("agent"));
        let shown = self.command(line);
        (self.is_agent, self.person) = (false, None);
        shown
    }

    /// Runs a command and shows its output; only the lines that begin like one of these, if any are given.
    pub(super) fn output(&mut self, line: &str, wanted: &[&str]) -> Result<()> {
        // Colours would hide how a line begins.
        let paint = if wanted.is_empty() { self.world.paint } else { Paint::never() };
        let text = self.run_in(line, "", paint)?;
        let shown = text.replace(self.home.as_str(), "~").replace(&format!("{}/", self.place.path()), SHARED);
        let is_wanted = |row: &&str| wanted.is_empty() || wanted.iter().any(|begin| row.starts_with(begin));
        for row in shown.lines().filter(is_wanted) {
            writeln!(self.world.stdout, "  {row}")?;
        }
        Ok(writeln!(self.world.stdout)?)
    }

    /// Runs a command and shows nothing. Gives back what it printed.
    pub(super) fn run(&mut self, line: &str, input: &str) -> Result<String> {
        self.run_in(line, input, self.world.paint)
    }

    /// Runs a command for its machine-readable output.
    pub(super) fn run_json(&mut self, line: &str) -> Result<String> {
        self.run_in(line, "", Paint::never())
    }

    fn run_in(&mut self, line: &str, input: &str, paint: Paint) -> Result<String> {
        let said = Said::default();
        let line = line.replace(SHARED, &format!("{}/", self.place.path()));
        let agent = self.is_agent.then(|| ("CLAUDECODE".to_owned(), "1".to_owned()));
        let world = World {
            home: Some(self.home.clone()),
            cwd: Ok(self.cwd.clone()),
            vars: agent.into_iter().collect(),
            now: crate::world::clock(),
            fixed_now: None,
            terminal: Terminal {
                columns: self.world.terminal.columns.map(|all| all.saturating_sub(2)),
                ..Terminal::default()
            },
            paint,
            stdin: Box::new(io::Cursor::new(input.to_owned())),
            // No background work may start in a home that is about to go.
            program: None,
            stdout: Box::new(said.clone()),
            stderr: Box::new(said.clone()),
            paging: Rc::default(),
            drafts: Vec::new(),
        };
        let exit = crate::run(words(&line), world);
        let text = String::from_utf8_lossy(&said.0.borrow()).into_owned();
        ensure!(exit.code() < 2, "the demo's `memdir {line}` failed; this is a bug in memdir: {text}");
        Ok(text)
    }

    /// Shows a line as if it had been typed.
    pub(super) fn typed(&mut self, line: &str) -> Result<()> {
        let prompt = self.person.map_or_else(|| "$".to_owned(), |person| format!("{person} $"));
        let prompt = self.world.paint.quiet(&prompt);
        let line = self.world.paint.code(line);
        Ok(writeln!(self.world.stdout, "  {prompt} {line}")?)
    }
}

/// Splits a line as a shell would: at blanks, except between double quotes.
fn words(line: &str) -> Vec<std::ffi::OsString> {
    let mut words = Vec::new();
    for (index, part) in line.split('"').enumerate() {
        if index % 2 == 1 {
            words.push(part.into());
        } else {
            words.extend(part.split_whitespace().map(Into::into));
        }
    }
    words
}

#[derive(Clone, Default)]
struct Said(Rc<RefCell<Vec<u8>>>);

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
