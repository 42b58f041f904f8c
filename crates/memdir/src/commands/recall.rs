//! `memdir recall`: the memories that matter for a prompt, or none.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::Parser;
use memdir_lib::freshness;
use memdir_lib::recall::{Occasion, Wanted, recall};
use memdir_search::{ConsideredMemory, FEATURE_NAMES, Recalled};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Run;
use crate::arguments::ClientOptions;
use crate::exit::Exit;
use crate::hook::prompt_submitted::mention;
use crate::json_lines;
use crate::output::printable;
use crate::world::World;

/// Print the memories that matter for a prompt
#[derive(Debug, Parser)]
#[command(
    name = "recall",
    after_help = "Nothing is scanned: the index is taken as the last write, search or hook left it, and built where there
is none yet. A memory is quoted if it is more likely needed than not (0.5, or `[recall] threshold` in the
configuration), at most three; up to three more are named. With none to quote or name the exit is 1.

Examples:
  memdir recall --prompt 'release the hotfix today'
  memdir recall --prompt - --budget 500 --session \"$SESSION\" --json < prompt.txt
  memdir recall --prompt 'release the hotfix today' --explain
  memdir recall --prompt 'filter this with jq' --tool jq"
)]
pub(crate) struct Recall {
    /// The prompt; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", required_unless_present = "jsonl")]
    prompt: Option<String>,
    /// How many tokens the memories may take, at four characters each
    #[arg(long, value_name = "TOKENS", default_value_t = 1_500)]
    budget: usize,
    /// The session: what it has been shown is not shown again
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// A tool that the agent is using: notes on its use are left out, warnings are kept
    #[arg(long = "tool", value_name = "NAME")]
    tools: Vec<String>,
    /// Say what was looked at, how likely each memory is needed, and why
    #[arg(long)]
    explain: bool,
    /// Print one JSON object
    #[arg(long, conflicts_with = "jsonl")]
    json: bool,
    /// Answer one JSON object with `id` and `prompt` a line from standard input
    #[arg(long, conflicts_with = "prompt")]
    jsonl: bool,
    #[command(flatten)]
    client: ClientOptions,
}

/// How long a first indexing may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// A prompt beyond this is not read further.
const MAX_PROMPT: u64 = 1 << 20;

impl Run for Recall {
    fn run(self, world: &mut World) -> Result<Exit> {
        let env = world.env()?;
        let flags = self.client.flags();
        // Only where nothing has been indexed yet: afterwards the index is taken as it is.
        let _ = freshness::build_missing(&env, &flags, world.now, Instant::now() + PATIENCE);
        let now = world.now;
        let ask = |prompt: &str| {
            let Self { budget, tools, session, .. } = &self;
            let wanted = Wanted {
                prompt,
                session: session.as_deref(),
                budget: *budget,
                tools,
                occasion: Occasion::Asked,
            };
            recall(&env, &flags, &wanted, now)
        };
        if self.jsonl {
            json_lines::answer_each(world, "id", |question| {
                let recalled = ask(json_lines::text(question, "prompt")?)?;
                let answer =
                    serde_json::to_value(RecallAnswer::of(&recalled, now.as_second(), self.explain))?;
                Ok(match answer {
                    Value::Object(fields) => fields,
                    _ => Map::new(),
                })
            })?;
            return Ok(Exit::Yes);
        }
        let mut prompt = self.prompt.clone().unwrap_or_default();
        if prompt == "-" {
            let mut bytes = Vec::new();
            world.stdin.by_ref().take(MAX_PROMPT).read_to_end(&mut bytes)?;
            prompt = String::from_utf8_lossy(&bytes).into_owned();
        }
        let recalled = ask(&prompt)?;
        if self.json {
            world.print_json(&RecallAnswer::of(&recalled, now.as_second(), self.explain))?;
        } else {
            for memory in &recalled.memories {
                writeln!(world.stdout, "{}", memory.text)?;
            }
            if let Some(mentioned) = mention(&recalled.named) {
                writeln!(world.stdout, "{mentioned}")?;
            }
            if self.explain {
                explain(&recalled.considered, world)?;
            }
        }
        let nothing = recalled.memories.is_empty() && recalled.named.is_empty();
        Ok(if nothing { Exit::No } else { Exit::Yes })
    }
}

/// A line for each memory that was looked at, with the numbers that are not 0.
fn explain(considered: &[ConsideredMemory], world: &mut World) -> Result<()> {
    for memory in considered {
        let numbers = in_words(memory.features.named());
        let name = printable(&memory.name);
        writeln!(world.stderr, "{:.3}  {name}  ({numbers})", memory.probability)?;
    }
    Ok(())
}

/// Features as one line.
pub(super) fn in_words<'f>(features: impl Iterator<Item = (&'f str, f32)>) -> String {
    let words: Vec<String> =
        features.map(|(name, value)| format!("{} {value:.2}", printable(name))).collect();
    words.join(", ")
}

#[derive(Serialize)]
struct RecallAnswer<'a> {
    memories: Vec<Memory<'a>>,
    named: Vec<Named<'a>>,
    left_out: usize,
    tokens: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    considered: Option<Vec<Considered<'a>>>,
}

#[derive(Serialize)]
struct Memory<'a> {
    path: &'a Utf8PathBuf,
    name: &'a str,
    age_days: Option<i64>,
    probability: f32,
    text: &'a str,
}

#[derive(Serialize)]
struct Named<'a> {
    path: &'a Utf8PathBuf,
    name: &'a str,
    description: &'a str,
}

#[derive(Serialize)]
struct Considered<'a> {
    path: &'a Utf8PathBuf,
    name: &'a str,
    probability: f32,
    features: Map<String, Value>,
}

impl<'a> RecallAnswer<'a> {
    fn of(recalled: &'a Recalled, now: i64, explain: bool) -> Self {
        let memory = |memory: &'a memdir_search::RecalledMemory| Memory {
            path: &memory.path,
            name: &memory.name,
            age_days: memory.modified.map(|time| (now - time.as_second()).max(0) / 86_400),
            probability: memory.probability,
            text: &memory.text,
        };
        let named = |named: &'a memdir_search::NamedMemory| Named {
            path: &named.path,
            name: &named.name,
            description: &named.description,
        };
        let considered = |memory: &'a ConsideredMemory| Considered {
            path: &memory.path,
            name: &memory.name,
            probability: memory.probability,
            features: FEATURE_NAMES
                .iter()
                .zip(memory.features.values())
                .map(|(name, value)| ((*name).to_owned(), value.into()))
                .collect(),
        };
        Self {
            memories: recalled.memories.iter().map(memory).collect(),
            named: recalled.named.iter().map(named).collect(),
            left_out: recalled.left_out,
            tokens: recalled.tokens,
            considered: explain.then(|| recalled.considered.iter().map(considered).collect()),
        }
    }
}
