use std::io::Write;

use anyhow::Result;
use clap::Args;
use memdir_core::journal::state::Step;
use memdir_lib::journal::Journal;

use super::input::Input;
use super::{as_writer, outcome};
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// The current task.
#[derive(Debug, Args)]
#[command(after_help = "The first line of a text is the task, the rest its details.

Examples:
  memdir journal task \"Move sessions to cookies\"
  memdir journal task \"Move sessions to cookies\" --text \"Keep the old tokens for a week.\"
  memdir journal task --file task.md")]
pub(super) struct Task {
    /// What is being done, in one line
    title: Option<String>,
    #[command(flatten)]
    input: Input,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Task {
    pub(super) fn run(self, journal: &Journal, world: &mut World) -> Result<Exit> {
        let (title, details) = titled(self.title, &self.input, "task", world)?;
        let written = as_writer(world, |writer| journal.set_task(&title, &details, writer))?;
        outcome::report(&written, "set", journal, self.json, world)
    }
}

/// Blockers.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  memdir journal block \"Waiting for access to staging\"
  memdir journal block --resolve staging
  memdir journal block --resolve-all")]
pub(super) struct Block {
    /// What keeps the work from going on
    blocker: Option<String>,
    /// The open blocker that says this is resolved
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["blocker", "file", "text"])]
    resolve: Option<String>,
    /// All open blockers are resolved
    #[arg(long, conflicts_with_all = ["blocker", "file", "text", "resolve"])]
    resolve_all: bool,
    #[command(flatten)]
    input: Input,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Block {
    pub(super) fn run(self, journal: &Journal, world: &mut World) -> Result<Exit> {
        if self.resolve_all || self.resolve.is_some() {
            let wanted = self.resolve.as_deref();
            let (written, gone) = as_writer(world, |writer| journal.unblock(wanted, writer))?;
            if !self.json {
                for blocker in gone {
                    writeln!(world.stdout, "resolved: {}", printable(&blocker))?;
                }
            }
            return outcome::report(&written, "resolved", journal, self.json, world);
        }
        let (blocker, _) = titled(self.blocker, &self.input, "blocker", world)?;
        let written = as_writer(world, |writer| journal.block(&blocker, writer))?;
        outcome::report(&written, "blocked", journal, self.json, world)
    }
}

/// Steps.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  memdir journal progress --add \"write the migration\" --add \"test it\"
  memdir journal progress --check 1
  memdir journal progress --set 60%
  memdir journal progress --file steps.md")]
pub(super) struct Progress {
    /// How far the work is, in your own words
    words: Option<String>,
    /// Add a step
    #[arg(long, value_name = "STEP")]
    add: Vec<String>,
    /// Check a step off: its number, or a part of its text
    #[arg(long, value_name = "STEP")]
    check: Vec<String>,
    /// The same as the words alone
    #[arg(long, value_name = "WORDS", conflicts_with = "words")]
    set: Option<String>,
    #[command(flatten)]
    input: Input,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Progress {
    pub(super) fn run(self, journal: &Journal, world: &mut World) -> Result<Exit> {
        let words = self.words.as_deref().or(self.set.as_deref());
        let mut steps: Vec<Step<'_>> = self.add.iter().map(|step| Step::Add(step)).collect();
        steps.extend(self.check.iter().map(|step| Step::Check(step)));
        steps.extend(words.map(Step::Set));
        let written = if steps.is_empty() {
            let (first, rest) = titled(None, &self.input, "progress", world)?;
            let text = if rest.is_empty() { first } else { format!("{first}\n\n{rest}") };
            let text = if text.starts_with('#') { text } else { format!("# Active Work\n\n{text}") };
            as_writer(world, |writer| journal.set_progress(&text, writer))?
        } else {
            as_writer(world, |writer| journal.progress(&steps, writer))?
        };
        outcome::report(&written, "updated", journal, self.json, world)
    }
}

/// What is done.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  memdir journal done
  memdir journal done \"The migration is written\" --text \"Run it on Tuesday.\"")]
pub(super) struct Done {
    /// What is done; the current task if nothing is named
    what: Option<String>,
    #[command(flatten)]
    input: Input,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Done {
    pub(super) fn run(self, journal: &Journal, world: &mut World) -> Result<Exit> {
        let details = self.input.given(world)?.unwrap_or_default();
        let (written, done) =
            as_writer(world, |writer| journal.done(self.what.as_deref(), &details, writer))?;
        if !self.json {
            writeln!(world.stdout, "done: {}", printable(&done))?;
        }
        outcome::report(&written, "written to", journal, self.json, world)
    }
}

/// A first line and the rest, from an argument, a text or the editor.
fn titled(title: Option<String>, input: &Input, name: &str, world: &mut World) -> Result<(String, String)> {
    let text = match (input.given(world)?, &title) {
        (Some(text), _) => text,
        (None, Some(_)) => String::new(),
        (None, None) if world.terminal.stdin && world.terminal.stdout => {
            super::super::editor::write_new(name, "", world)?
        }
        (None, None) => {
            use crate::report::WithHint;
            return Err(anyhow::anyhow!("there is nothing to write down")).hint(
                "say it in the command, with --text, with --file FILE, or with --file - on standard input",
            );
        }
    };
    match title {
        Some(title) => Ok((title, text)),
        None => {
            let text = text.trim();
            let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
            Ok((first.trim_start_matches(['#', ' ']).to_owned(), rest.trim().to_owned()))
        }
    }
}
