//! What set-up did to agents' settings, for people and for machines.

use std::io::Write;

use anyhow::Result;
use memdir_core::text_diff::unified;
use memdir_core::wiring::Agent;
use memdir_lib::setup::{FileChange, Outcome, SetupReport};
use serde::Serialize;

use super::plan_diff::print_unified;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// One agent in machine output.
#[derive(Debug, Serialize)]
pub(super) struct Item {
    agent: String,
    status: &'static str,
    files: Vec<File>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    without_effect: Option<String>,
    warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
struct File {
    path: String,
    diff: String,
}

/// What became of every agent as machines read it.
pub(super) fn items(reports: &[SetupReport]) -> Vec<Item> {
    let item = |report: &SetupReport| {
        let (status, files, message) = match &report.outcome {
            Outcome::Unchanged => ("unchanged", Vec::new(), None),
            Outcome::Changed(changes) => ("changed", changes.iter().map(file).collect(), None),
            Outcome::Kept(why) => ("kept", Vec::new(), Some(why.clone())),
            Outcome::Failed(error) => ("failed", Vec::new(), Some(error.to_string())),
        };
        Item {
            agent: report.agent.clone(),
            status,
            files,
            message,
            without_effect: report.without_effect.clone(),
            warnings: report.warnings.clone(),
        }
    };
    reports.iter().map(item).collect()
}

fn file(change: &FileChange) -> File {
    File { path: change.path.to_string(), diff: diff(change) }
}

fn diff(change: &FileChange) -> String {
    let name = change.path.as_str().trim_start_matches('/');
    let side = |text: &Option<String>| (text.as_ref().map(|_| name), text.clone().unwrap_or_default());
    let (before, after) = (side(&change.before), side(&change.after));
    unified((before.0, &before.1), (after.0, &after.1))
}

/// What each kind of change is called, such as `wired` or `would remove`.
pub(super) struct Words {
    pub(super) changed: &'static str,
    /// What is said instead where the agent ignores the file.
    pub(super) written: &'static str,
    pub(super) unchanged: &'static str,
    pub(super) folder: &'static str,
}

/// Prints what became of every agent.
pub(super) fn print(reports: &[SetupReport], words: &Words, world: &mut World) -> Result<()> {
    let paint = world.paint;
    for report in reports {
        let title = Agent::named(&report.agent).map(Agent::title);
        let title = paint.strong(&printable(title.unwrap_or(&report.agent)));
        let ignored = report.without_effect.as_deref().map(printable);
        match &report.outcome {
            Outcome::Unchanged if ignored.is_some() => {}
            Outcome::Unchanged => writeln!(world.stdout, "{title}: {}", words.unchanged)?,
            Outcome::Changed(changes) => {
                for change in changes {
                    if change.is_folder {
                        writeln!(
                            world.stdout,
                            "{} {}",
                            words.folder,
                            paint.code(&printable(change.path.as_str()))
                        )?;
                    } else {
                        print_unified(&diff(change), world)?;
                    }
                }
                if ignored.is_none() {
                    writeln!(world.stdout, "{title}: {}", paint.good(words.changed))?;
                }
            }
            Outcome::Kept(why) => writeln!(world.stdout, "{title}: left alone: {}", printable(why))?,
            Outcome::Failed(error) => {
                world.stdout.flush()?;
                let message = printable(&error.to_string());
                writeln!(world.stderr, "{} {title}: {message}", paint.bad("error:"))?;
            }
        }
        if let Some(why) = ignored {
            world.stdout.flush()?;
            let written = format!("{}, but without effect until {why} is gone", words.written);
            writeln!(world.stderr, "{} {title}: {written}", paint.bad("error:"))?;
        }
        world.warn_all(&report.warnings)?;
    }
    Ok(())
}

/// An agent that failed, or ignores what was written, makes the whole fail; the others are done all the same.
pub(super) fn exit(reports: &[SetupReport]) -> Exit {
    let has_failed = |report: &SetupReport| {
        matches!(report.outcome, Outcome::Failed(_)) || report.without_effect.is_some()
    };
    let failed = reports.iter().any(has_failed);
    if failed { Exit::Failed } else { Exit::Yes }
}

/// Whether anything was changed, or would be.
pub(super) fn changes_something(reports: &[SetupReport]) -> bool {
    reports.iter().any(|report| matches!(report.outcome, Outcome::Changed(_)))
}

/// The agents that use what was changed.
pub(super) fn effective(reports: &[SetupReport]) -> Vec<String> {
    let works = |report: &&SetupReport| {
        matches!(report.outcome, Outcome::Changed(_)) && report.without_effect.is_none()
    };
    let title = |report: &SetupReport| {
        let known = Agent::named(&report.agent).map(Agent::title);
        known.map_or_else(|| report.agent.clone(), str::to_owned)
    };
    reports.iter().filter(works).map(title).collect()
}

/// Whether anything was changed that an agent takes notice of.
pub(super) fn takes_effect(reports: &[SetupReport]) -> bool {
    reports
        .iter()
        .any(|report| matches!(report.outcome, Outcome::Changed(_)) && report.without_effect.is_none())
}
