//! `memdir why`: what brought a memory to an agent.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::Parser;
use jiff::Timestamp;
use memdir_lib::usage::{UsageEvent, UsageRecord, records};
use memdir_search::FEATURE_NAMES;
use serde::Serialize;

use super::Run;
use super::memory::Which;
use super::recall::in_words;
use super::when::local;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Explain why a memory was given to an agent
#[derive(Debug, Parser)]
#[command(
    name = "why",
    after_help = "Exits with 1 if nothing is recorded. The score is the probability that the agent needed the memory; the
numbers that it follows from stand below it, as `memdir recall --explain` names them.

Examples:
  memdir why tabs
  memdir why 4f0c2b1e-6d1a-4c39-9a58-2f6f3b0a7d11"
)]
pub(crate) struct Why {
    /// A memory's name, or a session's id
    #[arg(value_name = "NAME|SESSION")]
    what: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
}

#[derive(Serialize)]
struct Injections {
    injections: Vec<Injection>,
}

#[derive(Serialize)]
struct Injection {
    time: Timestamp,
    path: Utf8PathBuf,
    session: Option<String>,
    event: UsageEvent,
    reason: String,
    score: f32,
    prompt: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    features: BTreeMap<String, f32>,
}

impl From<UsageRecord> for Injection {
    fn from(record: UsageRecord) -> Self {
        let UsageRecord { time, path, session, event, prompt, reason, score, features } = record;
        Self { time, path, session, event, reason, score, prompt, features }
    }
}

impl Run for Why {
    fn run(self, world: &mut World) -> Result<Exit> {
        let memory = self.which.open(world)?;
        let found = memory.find(&self.what).ok();
        let path = found.map(|entry| memory.directory().join(entry.path.as_path()));
        let is_meant = |record: &UsageRecord| match &path {
            Some(path) => record.path == *path,
            None => record.session.as_deref() == Some(&self.what),
        };
        let given = records(&world.env()?)
            .into_iter()
            .filter(|record| matches!(record.event, UsageEvent::Shown | UsageEvent::Named));
        let injections: Vec<Injection> = given.filter(is_meant).map(Injection::from).collect();
        let exit = if injections.is_empty() { Exit::No } else { Exit::Yes };
        if self.json {
            world.print_json(&Injections { injections })?;
            return Ok(exit);
        }
        if injections.is_empty() {
            writeln!(world.stderr, "No record of `{}` being given to an agent.", printable(&self.what))?;
        }
        for Injection { time, path, session, event, reason, score, features, .. } in &injections {
            let event = if *event == UsageEvent::Shown { "shown" } else { "named" };
            let file = printable(path.file_name().unwrap_or_default());
            let session = printable(session.as_deref().unwrap_or("unknown"));
            let shares = match reason.as_str() {
                "cues" => "its cues match the prompt",
                "pinned" => "it is pinned",
                "tool" => "its `when` names the tool call",
                _ => "it shares words with the prompt",
            };
            let time = local(*time);
            writeln!(
                world.stdout,
                "{time}  {file}  {event} to session {session}: {shares}, score {score:.2}"
            )?;
            if !features.is_empty() {
                let mut features: Vec<_> =
                    features.iter().map(|(name, value)| (name.as_str(), *value)).collect();
                features.sort_by_key(|(name, _)| FEATURE_NAMES.iter().position(|known| known == name));
                writeln!(world.stdout, "  {}", in_words(features.into_iter()))?;
            }
        }
        Ok(exit)
    }
}
