//! `memdir check secrets`: does a text hold a key or a password?

use std::io::{Read, Write};

use anyhow::Result;
use clap::Args;
use memdir_core::secrets::{Finding, scan};
use serde_json::{Map, Value, json};

use crate::exit::Exit;
use crate::json_lines;
use crate::world::World;

/// Does a text hold a key or a password?
#[derive(Debug, Args)]
#[command(
    after_help = "The value itself is never printed. Without --jsonl one text is read from standard input; the exit code is 1
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
        if self.jsonl {
            json_lines::answer_each(world, "id", |question| {
                let found: Vec<Value> = scan(json_lines::text(question, "text")?).iter().map(shown).collect();
                Ok(Map::from_iter([("found".to_owned(), found.into())]))
            })?;
            return Ok(Exit::Yes);
        }
        let mut bytes = Vec::new();
        world.stdin.by_ref().take(64 << 20).read_to_end(&mut bytes)?;
        let found = scan(&String::from_utf8_lossy(&bytes));
        for finding in &found {
            writeln!(world.stdout, "{}:{}  {}", finding.line, finding.column, finding.rule)?;
        }
        Ok(if found.is_empty() { Exit::Yes } else { Exit::No })
    }
}

fn shown(finding: &Finding) -> Value {
    json!({ "rule": finding.rule, "line": finding.line, "column": finding.column })
}
