use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use anyhow::{Result, ensure};
use camino::Utf8PathBuf;
use memdir_disk::throwaway_dir::ThrowawayDir;

use crate::world::World;

/// Plays commands in a throw-away home and shows them as if they had been typed.
pub(super) struct Stage<'a> {
    place: &'a ThrowawayDir,
    /// Whose machine it is, where there are several.
    person: Option<&'static str>,
    home: Utf8PathBuf,
    cwd: Utf8PathBuf,
    world: &'a mut World,
}

/// Where a machine that everybody reaches seems to be.
const SHARED: &str = "/srv/";

impl<'a> Stage<'a> {
    pub(super) fn new(home: &'a ThrowawayDir, world: &'a mut World) -> Self {
        let path = home.path().to_owned();
        Self { place: home, person: None, home: path.clone(), cwd: path, world }
    }

    pub(super) fn into_world(self) -> &'a mut World {
        self.world
    }

    /// The first and the last word.
    pub(super) fn title(&mut self, text: &str) -> Result<()> {
        let text = self.world.paint.strong(text);
        Ok(writeln!(self.world.stdout, "\n{text}\n")?)
    }

    /// What comes next.
    pub(super) fn heading(&mut self, text: &str) -> Result<()> {
        let text = self.world.paint.strong(text);
        Ok(writeln!(self.world.stdout, "── {text}\n")?)
    }

    /// A remark on what was just seen.
    pub(super) fn say(&mut self, text: &str) -> Result<()> {
        let text = self.world.paint.quiet(text);
        Ok(writeln!(self.world.stdout, "  {text}\n")?)
    }

    /// Makes a project and works in it from now on.
    pub(super) fn project(&mut self, name: &str) -> Result<()> {
        self.cwd = self.place.make_dir(name)?;
        self.typed(&format!("cd ~/{name}"))
    }

    /// Goes to the machine of somebody, in a project that everybody has there.
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

    /// Runs a command of memdir in process and shows all that it says.
    pub(super) fn command(&mut self, line: &str) -> Result<()> {
        self.typed(format!("memdir {line}").trim_end())?;
        self.run(line, "", true).map(drop)
    }

    /// Runs a command and shows only that it was typed. Gives back what it said.
    pub(super) fn quietly(&mut self, line: &str, shown: &str) -> Result<String> {
        self.typed(&format!("memdir {shown}"))?;
        self.run(line, "", false)
    }

    /// The same for a command that reads what an agent tells it.
    pub(super) fn told(&mut self, input: &str, line: &str) -> Result<()> {
        self.typed(&format!("echo '{input}' | memdir {line}"))?;
        self.run(line, input, true).map(drop)
    }

    fn run(&mut self, line: &str, input: &str, is_shown: bool) -> Result<String> {
        let said = Said::default();
        let line = line.replace(SHARED, &format!("{}/", self.place.path()));
        let world = World {
            home: Some(self.home.clone()),
            cwd: Ok(self.cwd.clone()),
            vars: [].into(),
            now: self.world.now,
            terminal: self.world.terminal,
            paint: self.world.paint,
            stdin: Box::new(io::Cursor::new(input.to_owned())),
            // Set-up names the program; nothing else may start it, in a home that is gone at once.
            program: line.starts_with("setup").then(|| {
                self.world.program.clone().unwrap_or_else(|| Utf8PathBuf::from("/usr/local/bin/memdir"))
            }),
            stdout: Box::new(said.clone()),
            stderr: Box::new(said.clone()),
        };
        let exit = crate::run(words(&line), world);
        let text = String::from_utf8_lossy(&said.0.borrow()).into_owned();
        let shown = text.replace(self.home.as_str(), "~").replace(&format!("{}/", self.place.path()), SHARED);
        // What is not to be shown is, where it went wrong.
        for row in shown.lines().filter(|_| is_shown || exit.code() >= 2) {
            writeln!(self.world.stdout, "  {row}")?;
        }
        writeln!(self.world.stdout)?;
        ensure!(exit.code() < 2, "the demonstration's `memdir {line}` failed; this is a bug in memdir");
        Ok(text)
    }

    fn typed(&mut self, line: &str) -> Result<()> {
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
