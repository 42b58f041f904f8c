//! `memdir cues`: when each memory will be needed.

use std::io::Write;

use anyhow::Result;
use clap::Parser;
use memdir_core::memory::topic::cues::cues;
use memdir_core::memory::topic::decode;
use serde::Serialize;
use serde_json::json;

use super::Run;
use super::memory::Which;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// List the memories with their cues: phrases that say when each will be needed
#[derive(Debug, Parser)]
#[command(
    name = "cues",
    after_help = "Recall finds a memory by its cues when the prompt shares no other word with it. `memdir set NAME cues` changes
them, with semicolons between them.

Examples:
  memdir cues --missing
  memdir set tabs cues 'indentation; format a file'"
)]
pub(crate) struct Cues {
    /// Only memories without any
    #[arg(long)]
    missing: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
}

#[derive(Serialize)]
struct Item {
    name: String,
    path: String,
    description: String,
    cues: Vec<String>,
}

impl Run for Cues {
    fn run(self, world: &mut World) -> Result<Exit> {
        let memory = self.which.open(world)?;
        let mut items = Vec::new();
        for entry in &memory.catalogue()?.entries {
            let content = memory.read(&entry.path)?.unwrap_or_default();
            let cues = cues(&decode(&content).0);
            if self.missing && !cues.is_empty() {
                continue;
            }
            let stem = entry.path.as_path().file_stem().unwrap_or_default();
            items.push(Item {
                name: entry.name.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| stem.to_owned()),
                path: memory.directory().join(entry.path.as_path()).into_string(),
                description: entry.description.clone().unwrap_or_default(),
                cues,
            });
        }
        if self.json {
            return world.answer_json(&json!({"items": items}));
        }
        for item in &items {
            let name = world.paint.strong(&printable(&item.name));
            writeln!(world.stdout, "{name}  {}", printable(&item.description))?;
            for cue in &item.cues {
                writeln!(world.stdout, "  {}", world.paint.quiet(&printable(cue)))?;
            }
        }
        if items.is_empty() && self.missing {
            writeln!(world.stderr, "Every memory has cues.")?;
        }
        Ok(Exit::Yes)
    }
}
