//! `memdir today`: the log of the day.

use std::io::{Read, Write};

use anyhow::{Result, bail};
use clap::{Parser, Subcommand};
use jiff::tz::TimeZone;
use memdir_lib::memory::{Logged, Memory, Submitted};
use serde_json::json;

use super::Run;
use super::memory::{Which, author};
use crate::exit::Exit;
use crate::output::printable_lines;
use crate::world::World;

/// Show today's log, or add to it
#[derive(Debug, Parser)]
#[command(
    name = "today",
    after_help = "The log is `logs/YYYY/MM/YYYY-MM-DD.md` in the memory directory, by your local date. Every addition is one list item, durable when
the command returns; several may add at once.

Examples:
  memdir today
  memdir today add \"The importer needs Node 18: the kiosk cannot run anything newer\"
  git log -1 --format=%s | memdir today add -"
)]
pub(crate) struct Today {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    which: Which,
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Add one item to today's log
    #[command(after_help = "Examples:
  memdir today add \"Staging is shared with the partner team until 15 April\"
  git log -1 --format=%s | memdir today add -")]
    Add {
        /// The text; `-` reads it from standard input
        #[arg(required = true)]
        text: Vec<String>,
    },
}

/// The longest item.
const MAX_TEXT: u64 = 64 << 10;

impl Run for Today {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.which.open(world)?;
        let zone = TimeZone::system();
        let Some(Action::Add { text }) = &self.action else { return self.show(&memory, &zone, world) };
        let mut text = text.join(" ");
        if text == "-" {
            text.clear();
            world.stdin.by_ref().take(MAX_TEXT + 1).read_to_string(&mut text)?;
        }
        if text.len() as u64 > MAX_TEXT {
            bail!("an item of a log has {} kB at most", MAX_TEXT >> 10);
        }
        if text.trim().is_empty() {
            bail!("there is nothing to add");
        }
        let logged = memory.add_to_daily_log(&text, &author(world), &zone, world.now)?;
        if let Logged::Added { warnings, .. } = &logged {
            world.warn_all(warnings)?;
        }
        self.report(&logged, &memory, world)
    }
}

impl Today {
    fn show(&self, memory: &Memory, zone: &TimeZone, world: &mut World) -> Result<Exit> {
        let path = Memory::daily_log(world.now, zone)?;
        let content = memory.read(&path)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&content);
        let whole = memory.directory().join(path.as_str());
        if self.json {
            world.print_json(&json!({"path": whole, "text": text}))?;
        } else if text.is_empty() {
            writeln!(world.stderr, "Nothing was logged today.")?;
        } else {
            writeln!(world.stdout, "{}", printable_lines(&text))?;
        }
        Ok(Exit::Yes)
    }

    fn report(&self, logged: &Logged, memory: &Memory, world: &mut World) -> Result<Exit> {
        let waiting = match logged {
            Logged::Submitted(Submitted::Staged { id, .. }) => Some(id.as_str()),
            _ => None,
        };
        let path = match logged {
            Logged::Added { path, .. } => Some(memory.directory().join(path.as_str())),
            Logged::Submitted(_) => None,
        };
        if self.json {
            world.print_json(&json!({"paths": Vec::from_iter(&path), "waiting": waiting}))?;
        } else if let Some(path) = path {
            writeln!(world.stdout, "Added to {path}")?;
        } else if let Some(id) = waiting {
            writeln!(world.stdout, "It waits for you: memdir review show {}", memory.short_waiting_id(id))?;
        } else {
            writeln!(world.stdout, "You rejected this before; it stays out.")?;
        }
        Ok(Exit::Yes)
    }
}
