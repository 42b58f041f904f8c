use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::{Args, Subcommand};
use memdir_lib::journal::{Journal, NewOutput};

use super::as_writer;
use super::input::Input;
use crate::exit::Exit;
use crate::output::printable;
use crate::report::WithHint;
use crate::world::World;

/// Sub-agents.
#[derive(Debug, Args)]
pub(super) struct Subagent {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print what a sub-agent must be told about the journal
    #[command(after_help = "Examples:
  memdir journal subagent prompt --task security-scan
  memdir journal subagent prompt --task security-scan --short")]
    Prompt {
        /// The task's name
        #[arg(long, default_value = "task")]
        task: String,
        /// One line, for simple tasks
        #[arg(long, conflicts_with = "full")]
        short: bool,
        /// Everything (the default)
        #[arg(long)]
        full: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Store the output of a sub-agent, under a name of its own
    #[command(
        after_help = "The output has the form that `subagent prompt` asks for, long or short; plain words become its details.
The index is left to `memdir journal consolidate`, so any number of sub-agents may do this at once.

Examples:
  memdir journal subagent write --task security-scan --file findings.md
  memdir journal subagent write --task security-scan --agent Explore --file - < findings.md"
    )]
    Write {
        /// The task's name
        #[arg(long)]
        task: String,
        /// The type of the agent
        #[arg(long, value_name = "TYPE")]
        agent: Option<String>,
        /// What the parent was doing
        #[arg(long, value_name = "TEXT")]
        parent: Option<String>,
        #[command(flatten)]
        input: Input,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

impl Subagent {
    pub(super) fn run(self, journal: &Journal, world: &mut World) -> Result<Exit> {
        match self.action {
            Action::Prompt { task, short, json, .. } => {
                let text = journal.subagent_prompt(&task, !short);
                if json {
                    world.print_json(&serde_json::json!({"task": task, "text": text}))?;
                } else {
                    writeln!(world.stdout, "{text}")?;
                }
                Ok(Exit::Yes)
            }
            Action::Write { task, agent, parent, input, json } => {
                let Some(text) = input.given(world)? else {
                    return Err(anyhow::anyhow!("there is no output to store"))
                        .hint("give it with --text, with --file FILE, or with --file - on standard input");
                };
                let output = NewOutput {
                    task: &task,
                    asked: None,
                    agent: agent.as_deref(),
                    parent: parent.as_deref(),
                    text: &text,
                };
                let (path, notes) = as_writer(world, |writer| journal.write_output(&output, writer))?;
                if json {
                    let full: Utf8PathBuf = journal.directory().join(&path);
                    return world
                        .answer_json(&serde_json::json!({"path": full, "file": path, "warnings": notes}));
                }
                let paint = world.paint;
                writeln!(world.stdout, "{} {}", paint.good("stored"), paint.code(&printable(&path)))?;
                for note in notes {
                    writeln!(world.stderr, "{}", paint.quiet(&printable(&note)))?;
                }
                Ok(Exit::Yes)
            }
        }
    }
}

/// Taking outputs over.
#[derive(Debug, Args)]
#[command(
    after_help = "Waits for the tasks that are named, then files every output that says something, oldest first, and counts it.

Examples:
  memdir journal consolidate
  memdir journal consolidate security-scan load-test --wait 60"
)]
pub(super) struct Consolidate {
    /// The tasks to wait for; without any, all outputs that wait
    tasks: Vec<String>,
    /// How many seconds to wait for them
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    wait: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Consolidate {
    pub(super) fn run(self, journal: &Journal, world: &mut World) -> Result<Exit> {
        let patience = Duration::from_secs(self.wait.min(86_400));
        let done = as_writer(world, |writer| journal.consolidate(&self.tasks, patience, writer))?;
        if self.json {
            let filed: Vec<_> = done
                .filed
                .iter()
                .map(|(path, summary)| serde_json::json!({"path": journal.directory().join(path), "file": path, "summary": summary}))
                .collect();
            world.print_json(&serde_json::json!({
                "filed": filed, "empty": done.empty, "missing": done.missing, "warnings": done.followed.problems
            }))?;
        } else {
            let paint = world.paint;
            for (path, summary) in &done.filed {
                writeln!(
                    world.stdout,
                    "{} {}  {}",
                    paint.good("filed"),
                    paint.code(&printable(path)),
                    printable(summary)
                )?;
            }
            if done.filed.is_empty() {
                writeln!(world.stdout, "No output waits.")?;
            }
            for path in &done.empty {
                world.warn(&format!("`{path}` says nothing and was not filed"))?;
            }
            for task in &done.missing {
                world.warn(&format!("no output of `{task}` came in time"))?;
            }
            world.warn_all(&done.followed.problems)?;
        }
        Ok(if done.missing.is_empty() { Exit::Yes } else { Exit::No })
    }
}
