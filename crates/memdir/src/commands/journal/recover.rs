use std::io::Write;

use anyhow::{Context, Result};
use camino::Utf8PathBuf;
use clap::Args;
use memdir_core::journal::compaction::Verdict;
use memdir_core::journal::recovery::{DEFAULT_BUDGET, Recovered};
use memdir_lib::journal::{Journal, JournalError, RecoveryOptions};
use serde::Serialize;
use serde_json::Value;

use super::input::read;
use crate::exit::Exit;
use crate::world::World;

/// What an agent needs to go on.
#[derive(Debug, Args)]
#[command(
    after_help = "Most important first: the task, blockers and the next step, a line for each of the last 20 records, the texts of those
that matter for the task, outputs of sub-agents that wait, preferences, the project, related projects. What is quoted is
marked as data. What did not fit is named.

Examples:
  memdir journal recover
  memdir journal recover --budget 800
  memdir journal recover --transcript ~/.claude/projects/-home-me-app/SESSION.jsonl --json"
)]
pub(super) struct Recover {
    /// The session's transcript: says whether and when a compaction happened
    #[arg(long, value_name = "FILE")]
    transcript: Option<Utf8PathBuf>,
    /// The payload of the hook that asks, in a file or on standard input with -
    #[arg(long, value_name = "FILE")]
    payload: Option<Utf8PathBuf>,
    /// How many tokens it may take
    #[arg(long, value_name = "TOKENS", default_value_t = DEFAULT_BUDGET)]
    budget: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct RecoveryReport<'r> {
    active: bool,
    project_key: &'r str,
    compaction: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    boundary: Option<jiff::Timestamp>,
    #[serde(flatten)]
    recovered: &'r Recovered,
}

impl Recover {
    pub(super) fn run(self, journal: &Journal, world: &mut World) -> Result<Exit> {
        let cwd = world.env()?.cwd;
        let payload: Option<Value> = match &self.payload {
            Some(file) => {
                let text = read(file, world)?;
                Some(serde_json::from_str(&text).context("the payload is not JSON")?)
            }
            None => None,
        };
        let transcript = self.transcript.map(|path| cwd.join(path));
        let options = RecoveryOptions { transcript, payload: payload.as_ref(), budget: self.budget };
        let recovery = journal.recover(&options, world.now)?;
        if self.json {
            world.print_json(&RecoveryReport {
                active: journal.is_active(),
                project_key: journal.key(),
                compaction: recovery.verdict,
                boundary: recovery.watched.as_ref().and_then(|watched| watched.boundary),
                recovered: &recovery.recovered,
            })?;
        } else {
            world.stdout.write_all(recovery.recovered.text.as_bytes())?;
            if !recovery.recovered.text.ends_with('\n') {
                writeln!(world.stdout)?;
            }
        }
        Ok(Exit::Yes)
    }
}

/// The comment by which an agent notices a compaction.
pub(super) fn breadcrumb(journal: &Journal, world: &mut World) -> Result<Exit> {
    if !journal.is_active() {
        return Err(match journal.exists() {
            true => JournalError::Stopped { directory: journal.directory().to_owned() },
            false => JournalError::NoJournal { project: journal.project_path().to_owned() },
        }
        .into());
    }
    writeln!(world.stdout, "{}", memdir_core::journal::breadcrumb::breadcrumb(journal.key(), world.now))?;
    Ok(Exit::Yes)
}
