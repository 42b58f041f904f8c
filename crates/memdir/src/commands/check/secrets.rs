//! `memdir check secrets`: does a text hold a key or a password?

use std::io::{Read, Write};

use anyhow::Result;
use clap::Args;
use memdir_core::secrets::{Finding, scan, scan_except};
use memdir_disk::allow_list;
use serde_json::{Map, Value, json};

use crate::exit::Exit;
use crate::json_lines;
use crate::world::World;

/// Does a text hold a key or a password?
#[derive(Debug, Args)]
#[command(
    after_help = "The value itself is never printed, and what `memdir audit --allow` declared harmless is not found. Without --jsonl one text is read from standard input; the exit code is 1
if something was found.

Examples:
  memdir check secrets < notes.md
  memdir check secrets --jsonl < texts.jsonl"
)]
pub(super) struct CheckSecrets {
    /// Read `{id, text}` a line from standard input, answer `{id, found: [{rule, line, column}]}` a line
    #[arg(long)]
    jsonl: bool,
}

impl CheckSecrets {
    pub(super) fn run(self, world: &mut World) -> Result<Exit> {
        let state_dir = world.env().ok().and_then(|env| env.state_dir());
        let allowed = match state_dir {
            Some(state_dir) => allow_list::load(&state_dir)?,
            None => None,
        };
        let search = |text: &str| match &allowed {
            Some(allowed) => scan_except(text, allowed),
            None => scan(text),
        };
        if self.jsonl {
            json_lines::answer_each(world, "id", |question| {
                let found: Vec<Value> =
                    search(json_lines::text(question, "text")?).iter().map(shown).collect();
                Ok(Map::from_iter([("found".to_owned(), found.into())]))
            })?;
            return Ok(Exit::Yes);
        }
        let mut bytes = Vec::new();
        world.stdin.by_ref().take(64 << 20).read_to_end(&mut bytes)?;
        let found = search(&String::from_utf8_lossy(&bytes));
        for finding in &found {
            writeln!(world.stdout, "{}:{}  {}", finding.line, finding.column, finding.rule)?;
        }
        Ok(if found.is_empty() { Exit::Yes } else { Exit::No })
    }
}

fn shown(finding: &Finding) -> Value {
    json!({ "rule": finding.rule, "line": finding.line, "column": finding.column })
}
