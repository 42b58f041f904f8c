use std::io::Write;

use anyhow::Result;
use clap::Args;
use memdir_lib::journal::{Journal, Status};
use serde::Serialize;

use super::as_writer;
use crate::exit::Exit;
use crate::output::{human_age, printable};
use crate::world::World;

/// Start, stop, look, rebuild.
#[derive(Debug, Args)]
pub(super) struct Life {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The state with what just happened.
#[derive(Serialize)]
struct JournalReport<'r> {
    #[serde(flatten)]
    status: &'r Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    resumed: Option<bool>,
    warnings: &'r [String],
}

impl Life {
    pub(super) fn start(&self, journal: &mut Journal, world: &mut World) -> Result<Exit> {
        let started = as_writer(world, |writer| journal.start(writer))?;
        if self.json {
            let status = journal.status()?;
            return world.answer_json(&JournalReport {
                status: &status,
                resumed: Some(started.resumed),
                warnings: &started.problems,
            });
        }
        let paint = world.paint;
        let key = paint.strong(&printable(journal.key()));
        let directory = paint.code(&printable(journal.directory().as_str()));
        if started.resumed {
            writeln!(world.stdout, "The journal of {key} goes on in {directory}.")?;
        } else {
            writeln!(world.stdout, "The journal of {key} is kept from now on in {directory}.")?;
        }
        if !started.preferences.is_empty() {
            writeln!(world.stdout, "{}", paint.quiet("💭 Your preferences are loaded."))?;
        }
        if !started.project.trim().is_empty() {
            writeln!(world.stdout, "{}", paint.quiet("The project's description is loaded."))?;
        } else if started.is_new {
            let hint = "`memdir journal project` describes what this project is, for every session to come.";
            writeln!(world.stdout, "{}", paint.quiet(hint))?;
        }
        // A person knows them; the agent that starts a journal within a session does not.
        if !world.terminal.stdout && !started.background.is_empty() {
            writeln!(world.stdout, "\n{}", started.background)?;
        }
        warn_all(&started.problems, world)
    }

    pub(super) fn stop(&self, journal: &mut Journal, world: &mut World) -> Result<Exit> {
        let stopped = as_writer(world, |writer| journal.stop(writer))?;
        if self.json {
            let status = journal.status()?;
            return world.answer_json(&JournalReport {
                status: &status,
                resumed: None,
                warnings: &stopped.problems,
            });
        }
        let paint = world.paint;
        let directory = paint.code(&printable(journal.directory().as_str()));
        if stopped.was_inactive {
            writeln!(world.stdout, "The journal was stopped already. Its files are in {directory}.")?;
        } else {
            writeln!(world.stdout, "The journal is stopped. Its files stay in {directory}.")?;
        }
        if !stopped.others.is_empty() {
            let count = stopped.others.len();
            world.warn(&format!("{count} other sessions of agents were still writing in it"))?;
        }
        warn_all(&stopped.problems, world)
    }

    pub(super) fn rebuild(&self, journal: &Journal, world: &mut World) -> Result<Exit> {
        let report = as_writer(world, |writer| journal.rebuild(writer))?;
        if self.json {
            let status = journal.status()?;
            return world.answer_json(&JournalReport {
                status: &status,
                resumed: None,
                warnings: &report.problems,
            });
        }
        let counts = report.counts;
        writeln!(
            world.stdout,
            "The index is made anew from {}, {}, {}, {} and {}.",
            some(counts.decisions, "decision", "decisions"),
            some(counts.analyses, "analysis", "analyses"),
            some(counts.context, "context file", "context files"),
            some(counts.progress, "progress file", "progress files"),
            some(counts.subagent, "sub-agent output", "sub-agent outputs"),
        )?;
        writeln!(world.stdout, "{} in the index, {} in its archive.", report.entries, report.archived)?;
        warn_all(&report.problems, world)
    }

    pub(super) fn status(&self, journal: &Journal, world: &mut World) -> Result<Exit> {
        let status = journal.status()?;
        if self.json {
            return world.answer_json(&status);
        }
        let paint = world.paint;
        let key = paint.strong(&printable(&status.project_key));
        if !journal.exists() {
            writeln!(
                world.stdout,
                "There is no journal for {key} yet. {} starts one.",
                paint.code("memdir journal start")
            )?;
            return Ok(Exit::Yes);
        }
        let state = if status.active { paint.good("active") } else { paint.quiet("stopped") };
        writeln!(world.stdout, "{key}  {state}")?;
        let now = world.now;
        let ago = |time: &str| {
            let seconds = time.parse::<jiff::Timestamp>().ok().map(|time| now.as_second() - time.as_second());
            seconds.map_or_else(String::new, |seconds| format!(" ({})", human_age(seconds)))
        };
        let counts = status.counts;
        let kinds = format!(
            "{}, {}, {} context, {} progress, {} sub-agent",
            some(counts.decisions, "decision", "decisions"),
            some(counts.analyses, "analysis", "analyses"),
            counts.context,
            counts.progress,
            counts.subagent
        );
        let mut lines =
            vec![("project", status.project_path.to_string()), ("journal", status.directory.to_string())];
        lines.extend(status.started.as_ref().map(|time| ("started", format!("{time}{}", ago(time)))));
        lines
            .extend(status.last_activity.as_ref().map(|time| ("last write", format!("{time}{}", ago(time)))));
        lines.extend(status.branch.clone().map(|branch| ("branch", branch)));
        lines.push(("files", kinds));
        let index = status.index;
        lines.push(("index", format!("{} of 20 rows, {} archived", index.entries, index.archived)));
        for (name, value) in [
            ("task", &status.state.task),
            ("progress", &status.state.progress),
            ("blocked by", &status.state.blocker),
        ] {
            lines.push((name, value.clone()));
        }
        for (name, value) in lines {
            writeln!(world.stdout, "  {}  {}", paint.quiet(&format!("{name:<10}")), printable(&value))?;
        }
        if index.waiting > 0 {
            let hint = format!(
                "{} of sub-agents wait: memdir journal consolidate",
                some(index.waiting as u64, "output", "outputs")
            );
            writeln!(world.stdout, "  {}", paint.warn(&hint))?;
        }
        warn_all(&status.problems, world)
    }
}

fn warn_all(problems: &[String], world: &mut World) -> Result<Exit> {
    world.warn_all(problems)?;
    Ok(Exit::Yes)
}

fn some(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
