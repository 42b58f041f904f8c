//! `memdir extract`: what was said in sessions, written down.

use std::cell::RefCell;
use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::Parser;
use jiff::Timestamp;
use memdir_core::config::ExtractBy;
use memdir_core::env::Env;
use memdir_core::extract::{Extracted, Skipped};
use memdir_core::operation::OperationId;
use memdir_core::rel_path::RelPath;
use memdir_disk::failure_log::{self, Failure};
use memdir_lib::extract::{Engine, Range, SessionOutcome, Wanted, extract};
use memdir_lib::features::read_extract_by;
use memdir_lib::memory::{Memory, Submitted};
use memdir_lib::model::Model;
use memdir_lib::phase::Phase;
use serde::Serialize;

use super::Run;
use super::memory::How;
use crate::exit::Exit;
use crate::model::{Askable, askable, with_model};
use crate::output::printable;
use crate::progress::Progress;
use crate::world::World;

/// Write down what you said in past sessions
#[derive(Debug, Parser)]
#[command(
    name = "extract",
    after_help = "Only your own words count: what you said of yourself, of how to work, of the project and of places outside it, and commands
that failed until another one worked. Tool results, pasted text, quotations, questions and one-off wishes are left alone.
Without a range it reads on where it stopped in the sessions of the last three days. `memdir undo` right after it takes all of it back,
`memdir undo ID`, with an id that it prints, one session's part; what you undid or removed is not written again.

If `[model]` in your settings names a model, it is asked once for each session that has something new, within its budget; where its
answer is of no use, the rules decide. A dry run asks it, too, and counts. Without one, nothing leaves this machine. docs/EXTRACTION.md
has the settings.

Examples:
  memdir extract --dry-run
  memdir extract --session 5c0523b1 --no-model
  memdir extract --since 2w
  memdir extract --transcript session.jsonl --dry-run --json | jq '.memories[].description'"
)]
pub(crate) struct Extract {
    /// Only this session, from its beginning: its id, or the beginning of it
    #[arg(long, value_name = "ID", group = "range")]
    session: Option<String>,
    /// Only sessions that were used since a day (3d, yesterday, 2026-10-05), from their beginning
    #[arg(long, value_name = "TIME", group = "range")]
    since: Option<String>,
    /// All sessions of this project, from their beginning
    #[arg(long, group = "range")]
    all: bool,
    /// Only this transcript
    #[arg(long, value_name = "FILE", group = "range")]
    transcript: Option<Utf8PathBuf>,
    /// Only what is new in this session, of which a turn has just ended
    #[arg(long, value_name = "ID", group = "range", hide = true)]
    ended: Option<String>,
    /// Ask no model, even if your settings name one
    #[arg(long)]
    no_model: bool,
    #[command(flatten)]
    how: How,
}

impl Run for Extract {
    fn is_background(&self) -> bool {
        self.ended.is_some()
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.how.which.open(world)?;
        let env = world.env()?;
        let since = self.since.as_deref().map(|since| super::when::since_day(since, world)).transpose()?;
        let range = match (&self.session, since, &self.transcript) {
            (Some(session), _, _) => Range::Session(session.clone()),
            (_, Some(day), _) => Range::Since(day),
            (_, _, Some(file)) => Range::Transcript(file.clone()),
            _ if self.ended.is_some() => Range::Turn(self.ended.clone().unwrap_or_default()),
            _ if self.all => Range::All,
            _ => Range::Waiting,
        };
        let dry_run = self.how.is_dry_run();
        let now = world.now;
        // A turn that has ended is left to the rules unless the user chose the model.
        let is_rules = self.ended.is_some() && read_extract_by(&env) == ExtractBy::Rules;
        let askable = if self.no_model || is_rules { Askable::Nothing } else { askable(&env)? };
        let progress =
            RefCell::new(Progress::new("reading sessions", world.terminal.stderr, world.stderr.as_mut()));
        let step = |phase, done, total| {
            let mut progress = progress.borrow_mut();
            match phase {
                Phase::Reading => progress.during("reading sessions").bytes(done, total),
                Phase::Planning => progress.during("comparing with memory").count(done, total, "found"),
                Phase::Asking => progress.during("asking the model").bytes(done, total),
                Phase::Writing => progress.during("writing").count(done, total, "files"),
            }
        };
        let mut run = |model: Option<&Model<'_>>| -> Result<_> {
            Ok(extract(&env, &mut memory, &Wanted { range: &range, dry_run, model, step: &step }, now)?)
        };
        let (outcomes, unusable) = match askable {
            Askable::Nothing => (run(None)?, None),
            Askable::Unusable(why) => (run(None)?, Some(why)),
            Askable::Model(settings) => (with_model(*settings, &env, now, |model| run(Some(model)))?, None),
        };
        drop(progress);
        let Some(outcomes) = outcomes else {
            writeln!(world.stderr, "Another process is at it; it will look once more.")?;
            return Ok(Exit::Yes);
        };
        let mut failures: Vec<&str> = unusable.as_deref().into_iter().collect();
        failures.extend(outcomes.iter().filter_map(|outcome| outcome.model_failed.as_deref()));
        failures.dedup();
        for failure in &failures {
            world.warn(&format!("{failure}; the rules decided instead"))?;
        }
        if !dry_run {
            note(&failures, &env, now);
        }
        if self.how.json {
            print_json(&outcomes, dry_run, &failures, world)
        } else {
            self.print(&outcomes, &memory, world)
        }
    }
}

/// After a turn the output of this command is not read; `memdir status` shows it later.
fn note(failures: &[&str], env: &Env, time: Timestamp) {
    let Some(state_dir) = env.state_dir() else { return };
    for failure in failures {
        let failure = Failure { time, during: "extract".to_owned(), message: (*failure).to_owned() };
        // Who cannot even write that down has said it above.
        let _ = failure_log::note(&state_dir, &failure);
    }
}

#[derive(Serialize)]
struct Item<'i> {
    r#type: &'i str,
    name: &'i str,
    description: &'i str,
    body: &'i str,
    turn: &'i str,
    session: &'i str,
    engine: &'i str,
    /// The memory that it was added to; `null` for a new one.
    updates: Option<&'i str>,
}

impl<'i> Item<'i> {
    fn of(outcome: &'i SessionOutcome, memory: &'i Extracted, updated: Option<&'i RelPath>) -> Self {
        Self {
            r#type: memory.memory_type.as_str(),
            name: &memory.name,
            description: &memory.description,
            body: &memory.body,
            turn: &memory.source.turn,
            session: &outcome.session,
            // What commands taught was found by rules, also if a model did the rest.
            engine: if memory.is_lesson { Engine::Rules.as_str() } else { outcome.engine.as_str() },
            updates: updated.map(RelPath::as_str),
        }
    }
}

#[derive(Serialize)]
struct LeftOut<'l> {
    turn: &'l str,
    why: &'l str,
}

fn print_json(
    outcomes: &[SessionOutcome],
    dry_run: bool,
    model_failures: &[&str],
    world: &mut World,
) -> Result<Exit> {
    #[derive(Serialize)]
    struct ExtractReport<'r> {
        memories: Vec<Item<'r>>,
        skipped: Vec<LeftOut<'r>>,
        ops: Vec<&'r str>,
        waiting: Vec<&'r str>,
        dry_run: bool,
        engine: &'r str,
        model: Option<&'r str>,
        model_failures: &'r [&'r str],
    }
    let model = outcomes.iter().find_map(|outcome| match &outcome.engine {
        Engine::Model(name) => Some(name.as_str()),
        Engine::Rules => None,
    });
    let mut report = ExtractReport {
        memories: Vec::new(),
        skipped: Vec::new(),
        ops: Vec::new(),
        waiting: Vec::new(),
        dry_run,
        engine: if model.is_some() { "model" } else { "rules" },
        model,
        model_failures,
    };
    for outcome in outcomes {
        let found = outcome.memories.iter().zip(&outcome.updated);
        report.memories.extend(found.map(|(memory, updated)| Item::of(outcome, memory, updated.as_ref())));
        report.skipped.extend(outcome.skipped.iter().map(|Skipped { turn, why }| LeftOut { turn, why }));
        match &outcome.submitted {
            Some(Submitted::Applied(applied)) => {
                report.ops.extend(applied.operation.as_ref().map(|op| op.id.0.as_str()));
            }
            Some(Submitted::Staged { id, .. }) => report.waiting.push(id),
            Some(Submitted::Rejected) | None => {}
        }
    }
    world.answer_json(&report)
}

impl Extract {
    fn print(&self, outcomes: &[SessionOutcome], memory: &Memory, world: &mut World) -> Result<Exit> {
        let paint = world.paint;
        let (mut found, mut changed, mut waiting) = (0, 0, false);
        let mut done_by: Vec<&OperationId> = Vec::new();
        for outcome in outcomes {
            for (extracted, updated) in outcome.memories.iter().zip(&outcome.updated) {
                let kind = extracted.memory_type.as_str();
                let (name, kind) = match updated {
                    Some(path) => {
                        changed += 1;
                        (path.as_path().file_stem().unwrap_or_default(), format!("{kind}, added to"))
                    }
                    None => {
                        found += 1;
                        (extracted.name.as_str(), kind.to_owned())
                    }
                };
                writeln!(world.stdout, "{}  {}", paint.strong(&printable(name)), paint.quiet(&kind))?;
                writeln!(world.stdout, "  {}", printable(&extracted.description))?;
            }
            match &outcome.submitted {
                Some(Submitted::Applied(applied)) => {
                    world.warn_all(&applied.warnings)?;
                    done_by.extend(applied.operation.as_ref().map(|operation| &operation.id));
                }
                Some(Submitted::Staged { id, .. }) => {
                    waiting = true;
                    writeln!(
                        world.stdout,
                        "It waits for you: memdir review show {}",
                        memory.short_waiting_id(id)
                    )?;
                }
                Some(Submitted::Rejected) => {
                    writeln!(world.stdout, "You rejected this before; it stays out.")?;
                }
                None => {}
            }
        }
        let sessions = outcomes.len();
        let in_sessions = if sessions == 1 { "1 session".to_owned() } else { format!("{sessions} sessions") };
        let memories = if found == 1 { "memory" } else { "memories" };
        let done = match (self.how.is_dry_run(), waiting) {
            (true, _) => "would be added",
            (false, true) => "found",
            (false, false) => "written",
        };
        let added = if changed > 0 { format!(", {changed} added to") } else { String::new() };
        let model = outcomes.iter().find_map(|outcome| match &outcome.engine {
            Engine::Model(name) => Some(format!(" by the model `{}`", printable(name))),
            Engine::Rules => None,
        });
        let engine = model.unwrap_or_else(|| " by rules".to_owned());
        writeln!(world.stdout, "{found} {memories} {done}{added}{engine}, {in_sessions} read.")?;
        for operation in done_by {
            writeln!(world.stdout, "To undo it: memdir undo {}", memory.short_id(operation))?;
        }
        Ok(Exit::Yes)
    }
}
