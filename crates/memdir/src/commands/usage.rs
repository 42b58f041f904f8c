//! `memdir usage`: which memories are of use.

use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::Parser;
use jiff::Timestamp;
use memdir_lib::usage::{MemoryUsage, records, usage_of};
use serde::Serialize;
use serde_json::json;

use super::Run;
use super::memory::Which;
use crate::exit::Exit;
use crate::output::{pad, printable, width};
use crate::world::World;

/// Show which memories agents are given and read
#[derive(Debug, Parser)]
#[command(
    name = "usage",
    after_help = "The record holds the last few thousand events, on this machine only. `memdir config set features.usage false` turns it off.

Examples:
  memdir usage
  memdir usage --never"
)]
pub(crate) struct Usage {
    /// Only memories that were neither given to an agent nor read
    #[arg(long)]
    never: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
}

#[derive(Serialize)]
struct Item {
    path: Utf8PathBuf,
    name: String,
    shown: usize,
    read: usize,
    named: usize,
    cited: usize,
    last_shown: Option<Timestamp>,
    sessions: usize,
    state: &'static str,
}

/// What the numbers say about a memory. What an agent made of a text that it was given is not known.
fn state(usage: &MemoryUsage) -> &'static str {
    match usage {
        MemoryUsage { read: 0, shown: 0, named: 0, cited: 0, .. } => "never",
        MemoryUsage { read: 0, shown: 0, cited: 0, .. } => "ignored",
        _ => "used",
    }
}

impl Run for Usage {
    fn run(self, world: &mut World) -> Result<Exit> {
        let memory = self.which.open(world)?;
        let records = records(&world.env()?);
        let mut items = Vec::new();
        for entry in &memory.catalogue()?.entries {
            let path = memory.directory().join(entry.path.as_path());
            let usage = usage_of(&path, &records);
            let state = state(&usage);
            let MemoryUsage { shown, read, named, cited, last_shown, sessions } = usage;
            let name = entry.title().to_owned();
            items.push(Item { path, name, shown, read, named, cited, last_shown, sessions, state });
        }
        items.retain(|item| !self.never || item.state == "never");
        items.sort_by_key(|item| std::cmp::Reverse((item.shown + item.read + item.cited, item.named)));
        if self.json {
            return world.answer_json(&json!({"items": items}));
        }
        let longest = items.iter().map(|item| width(&printable(&item.name))).max().unwrap_or(0);
        for item in &items {
            let name = pad(&printable(&item.name), longest);
            let Item { shown, sessions, named, read, cited, state, .. } = item;
            writeln!(
                world.stdout,
                "{name}  {state:7}  shown {shown} in {sessions} sessions, named {named}, read {read}, cited {cited}"
            )?;
        }
        Ok(Exit::Yes)
    }
}
