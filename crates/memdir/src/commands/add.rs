//! `memdir add`: a new memory.

use std::io::Write;

use anyhow::{Result, anyhow, bail};
use camino::Utf8PathBuf;
use clap::Parser;
use memdir_core::memory::change::ChangeRefused;
use memdir_core::memory::guess::{GuessedFields, guess};
use memdir_core::memory::memory_type::MemoryType;
use memdir_core::memory::topic::header_name;
use memdir_core::memory::topic::validity::{Expiry, Validity};
use memdir_lib::memory::{Memory, MemoryError, NewMemory};
use memdir_lib::place::Checkout;

use super::memory::{Added, How, author, carry_out_planned, known_type};
use super::{Run, ask, editor, journal};
use crate::exit::Exit;
use crate::report::WithHint;
use crate::world::World;

/// Remember something
#[derive(Debug, Parser)]
#[command(
    name = "add",
    after_help = "Type, name and description are guessed from the text unless you give them, and shown. Without a text, memdir asks
on a terminal; with a name and no text it opens $EDITOR.

Examples:
  memdir add \"Never use a float for money\"
  memdir add -t reference -n dashboard \"Latency: grafana.example/d/api\"
  memdir add \"Deploys happen on Tuesdays\" --expires 90d
  memdir add \"Deploys happen on Fridays\" --supersedes deploy-rules
  memdir add --scope user \"Commit messages are in English\"
  memdir add --type project --name freeze --description \"code freeze from 1 March\" --file notes.md
  git log -1 --format=%B | memdir add --name why-rust --file -"
)]
pub(crate) struct Add {
    /// The text to remember
    #[arg(value_name = "TEXT", conflicts_with_all = ["text", "file"])]
    words: Vec<String>,
    /// user, feedback, project or reference
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    memory_type: Option<String>,
    /// What it is called
    #[arg(short = 'n', long)]
    name: Option<String>,
    /// What it is about, in one line
    #[arg(short = 'd', long, allow_hyphen_values = true)]
    description: Option<String>,
    /// Read the text from a file, or from standard input with -
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    file: Option<Utf8PathBuf>,
    /// The text
    #[arg(long)]
    text: Option<String>,
    /// A short phrase that says when it will be needed; may be given several times
    #[arg(long = "cue", value_name = "PHRASE")]
    cues: Vec<String>,
    /// A memory that this one replaces; may be given several times
    #[arg(long, value_name = "NAME")]
    supersedes: Vec<String>,
    /// Keep it in the index and in every recall
    #[arg(long)]
    pin: bool,
    /// The last day on which it counts, a number of days such as 90d, or an event in words
    #[arg(long, value_name = "WHEN")]
    expires: Option<String>,
    /// It counts only on the branch that is checked out
    #[arg(long)]
    branch: bool,
    /// It counts only in this worktree
    #[arg(long)]
    worktree: bool,
    /// Where to put it in the directory, instead of NAME.md
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    #[command(flatten)]
    how: How,
}

/// A name that was guessed and is taken gets a number, up to this one.
const MOST_NAMESAKES: u32 = 50;

impl Run for Add {
    fn run(mut self, world: &mut World) -> Result<Exit> {
        let given_type = self.memory_type.as_deref().map(known_type).transpose()?;
        if self.name.as_deref().is_some_and(|name| name.trim().is_empty()) {
            bail!("a memory needs a name");
        }
        let mut memory = self.how.which.open(world)?;
        let body = match self.given_text(world)? {
            Some(body) => body,
            None => self.ask_for_text(&memory, world)?,
        };
        let guessed = guess(&body);
        let memory_type = given_type.unwrap_or_else(|| guessed.memory_type.clone());
        let name = match &self.name {
            Some(name) => name.clone(),
            None => self.free_name(&guessed, &memory)?,
        };
        let description = self.description.clone().unwrap_or_else(|| guessed.description.clone());
        let author = author(world);
        let checkout =
            if self.branch || self.worktree { Checkout::of(&world.env()?) } else { Checkout::default() };
        let expires =
            self.expires.as_deref().map(Expiry::parse_wish).transpose().map_err(MemoryError::from)?.flatten();
        let validity = Validity {
            supersedes: self.supersedes.clone(),
            pinned: self.pin,
            expires: expires.map(|end| end.fixed(world.now)),
            branch: self.branch.then_some(checkout.branch).flatten(),
            worktree: self.worktree.then_some(checkout.worktree).flatten(),
            ..Validity::NONE
        };
        let new = NewMemory {
            name: &name,
            description: &description,
            memory_type: &memory_type,
            body: &body,
            cues: &self.cues,
            validity: &validity,
            path: self.path.as_deref(),
            session: author.session.as_deref(),
        };
        let now = world.now;
        let is_guess = self.name.is_none() || self.memory_type.is_none();
        self.how.added = Some(Added {
            name: header_name(&name),
            memory_type: memory_type.as_str().to_owned(),
            description: description.clone(),
        });
        let exit =
            carry_out_planned(&mut memory, &self.how, world, |memory| Ok(memory.plan_add(&new, now)?))?;
        if is_guess && !self.how.json {
            let paint = world.paint;
            writeln!(
                world.stdout,
                "{} {} {}",
                paint.quiet("as      "),
                paint.strong(&crate::output::printable(&header_name(&name))),
                paint.quiet(&format!("({memory_type}; change it with `memdir rename` and `memdir set`)"))
            )?;
        }
        Ok(exit)
    }
}

impl Add {
    fn given_text(&self, world: &mut World) -> Result<Option<String>> {
        if !self.words.is_empty() {
            return Ok(Some(self.words.join(" ")));
        }
        match (&self.text, &self.file) {
            (Some(text), _) => Ok(Some(text.clone())),
            (None, Some(file)) => journal::read_text(file, world).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Asks the user at the terminal. Name and type are checked first, so that no text is typed in vain.
    fn ask_for_text(&self, memory: &Memory, world: &mut World) -> Result<String> {
        if !world.terminal.stdin || !world.terminal.stdout {
            return Err(anyhow!("there is no text to remember"))
                .hint("pass the text, or --file FILE, or --file - for standard input");
        }
        let Some(name) = &self.name else {
            let text = ask::line("What should agents remember? (Enter alone opens $EDITOR) ", world)?;
            return if text.is_empty() { editor::write_new("memory", "", world) } else { Ok(text) };
        };
        let trial = NewMemory {
            name,
            description: self.description.as_deref().unwrap_or_default(),
            memory_type: &MemoryType::Project,
            body: "trial",
            cues: &[],
            validity: &Validity::NONE,
            path: self.path.as_deref(),
            session: None,
        };
        memory.plan_add(&trial, world.now)?;
        editor::write_new(name, "", world)
    }

    /// The guessed name, with a number if another memory has it.
    fn free_name(&self, guessed: &GuessedFields, memory: &Memory) -> Result<String> {
        if guessed.name.is_empty() {
            return Err(anyhow!("no name can be made from this text")).hint("give one with --name");
        }
        for number in 1..=MOST_NAMESAKES {
            let name = if number == 1 { guessed.name.clone() } else { format!("{}-{number}", guessed.name) };
            let trial = NewMemory {
                name: &name,
                description: "",
                memory_type: &guessed.memory_type,
                body: "trial",
                cues: &[],
                validity: &Validity::NONE,
                path: self.path.as_deref(),
                session: None,
            };
            match memory.plan_add(&trial, jiff::Timestamp::UNIX_EPOCH) {
                Err(MemoryError::Change(ChangeRefused::Exists { .. }) | MemoryError::Namesake { .. })
                    if self.path.is_none() => {}
                Err(error) => return Err(error.into()),
                Ok(_) => return Ok(name),
            }
        }
        Err(anyhow!("many memories are called `{}` already", guessed.name)).hint("give a name with --name")
    }
}
