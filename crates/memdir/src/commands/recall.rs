//! `memdir recall`: the memories that matter for a prompt, or none.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::Parser;
use memdir_lib::freshness;
use memdir_lib::place::switched_off;
use memdir_lib::recall::{Wanted, recall};
use memdir_search::Recalled;
use serde::Serialize;

use super::Run;
use crate::arguments::{ClientOptions, Global};
use crate::exit::Exit;
use crate::world::World;

/// Print the memories that matter for a prompt, quoted for a model
#[derive(Debug, Parser)]
#[command(
    name = "recall",
    after_help = "Nothing is scanned: the index is taken as the last search or hook left it, and built where there
is none yet. Nothing at all is printed, with exit 1, when no memory matters enough.

Examples:
  memdir recall --prompt 'release the hotfix today'
  memdir recall --prompt - --budget 500 --session \"$SESSION\" --json < prompt.txt
  memdir recall --prompt 'filter this with jq' --tool jq"
)]
pub(crate) struct Recall {
    /// The prompt; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    prompt: String,
    /// How many tokens the memories may take, at four characters each
    #[arg(long, value_name = "TOKENS", default_value_t = 1_500)]
    budget: usize,
    /// The session: what it has been shown is not shown again
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// A tool that the agent is using: notes on its use are left out, warnings are kept
    #[arg(long = "tool", value_name = "NAME")]
    tools: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    client: ClientOptions,
    #[command(flatten)]
    global: Global,
}

/// How long a first indexing may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// A prompt beyond this is not read further.
const MAX_PROMPT: u64 = 1 << 20;

impl Run for Recall {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        let env = world.env()?;
        let mut prompt = self.prompt.clone();
        if prompt == "-" {
            let mut bytes = Vec::new();
            world.stdin.by_ref().take(MAX_PROMPT).read_to_end(&mut bytes)?;
            prompt = String::from_utf8_lossy(&bytes).into_owned();
        }
        let flags = self.client.flags();
        if let Some(rule) = switched_off(&env, &flags)? {
            world.warn(&format!("memory is off ({rule}), so nothing is recalled"))?;
        } else {
            // Only where nothing has been indexed yet: afterwards the index is taken as it is.
            let _ = freshness::build_missing(&env, &flags, world.now, Instant::now() + PATIENCE);
        }
        let session = self.session.as_deref();
        let wanted = Wanted { prompt: &prompt, session, budget: self.budget, tools: &self.tools };
        let recalled = recall(&env, &flags, &wanted, world.now)?;
        if self.json {
            world.print_json(&Answer::of(&recalled, world.now.as_second()))?;
        } else {
            for memory in &recalled.memories {
                writeln!(world.stdout, "{}", memory.text)?;
            }
        }
        Ok(if recalled.memories.is_empty() { Exit::No } else { Exit::Yes })
    }
}

#[derive(Serialize)]
struct Answer<'a> {
    memories: Vec<Memory<'a>>,
    left_out: usize,
    tokens: usize,
}

#[derive(Serialize)]
struct Memory<'a> {
    path: &'a Utf8PathBuf,
    name: &'a str,
    age_days: Option<i64>,
    text: &'a str,
}

impl<'a> Answer<'a> {
    fn of(recalled: &'a Recalled, now: i64) -> Self {
        let memory = |memory: &'a memdir_search::RecalledMemory| Memory {
            path: &memory.path,
            name: &memory.name,
            age_days: memory.modified.map(|time| (now - time.as_second()).max(0) / 86_400),
            text: &memory.text,
        };
        Self {
            memories: recalled.memories.iter().map(memory).collect(),
            left_out: recalled.left_out,
            tokens: recalled.tokens,
        }
    }
}
