//! `memdir dream`: memory made tidy, and undone if it was not to your liking.

use std::io::Write;

use anyhow::{Result, anyhow};
use clap::{Args, Parser, Subcommand};
use jiff::Timestamp;
use memdir_core::env::Env;
use memdir_core::plan::Plan;
use memdir_core::settings::ClientFlags;
use memdir_disk::failure_log::{self, Failure};
use memdir_disk::work_lease::lower_priority;
use memdir_lib::dream::{Dreamt, Occasion, Outcome, Wanted, dream, held, lock_holder};
use memdir_lib::memory::{Memory, Submitted, Wish};
use memdir_lib::phase::Phase;
use memdir_lib::place::switched_off;

mod page;

use super::Run;
use super::memory::{How, Which, author, carry_out, carry_out_as};
use super::plan_diff::{diff, print_diff};
use crate::exit::Exit;
use crate::model::{Askable, askable, with_model};
use crate::output::printable;
use crate::progress::Progress;
use crate::report::WithHint;
use crate::world::World;
use page::{DreamReport, Page};

/// Tidy memory: merge, date, shorten and index it
#[derive(Debug, Parser)]
#[command(
    name = "dream",
    args_conflicts_with_subcommands = true,
    after_help = "Memories that say the same become one, days get their dates, contradicted facts say until when they held, stale
memories are marked, notes of the daily logs become memories, and the index is rebuilt under its limits. Logs stay as they
are. Every statement of every file that changes must be there afterwards, or be named with what replaced it: a plan that
loses one is refused. It waits while the client's own consolidation runs. With `[features] dream = true` in config.toml it
runs by itself, at the end of a session, a day and five sessions after the last; `memdir setup --nightly` adds a timer.

Examples:
  memdir dream --dry-run
  memdir dream
  memdir dream --dry-run --explain
  memdir dream --model --dry-run
  memdir dream show
  memdir dream undo"
)]
pub(crate) struct Dream {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    how: How,
    /// Read every log again, and do again what you undid before
    #[arg(long)]
    all: bool,
    /// Ask the model that your settings name for the plan; it passes the same check, or the rules plan
    #[arg(long, conflicts_with_all = ["if_due", "everywhere"])]
    model: bool,
    /// Show every change, with the reason for it
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    when: When,
}

#[derive(Debug, Args)]
struct When {
    /// Only if a day has passed and five sessions were used since the last one
    #[arg(long, conflicts_with = "everywhere")]
    if_due: bool,
    /// The session that ends and does not count
    #[arg(long, value_name = "ID", hide = true, requires = "if_due")]
    session: Option<String>,
    /// For every project whose memory changed since its last one, as the nightly timer does
    #[arg(long, conflicts_with_all = ["dir", "all"])]
    everywhere: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show what a dream did
    #[command(after_help = "Examples:
  memdir dream show
  memdir dream show 01hf7yat00zzzzzzzz --json | jq .superseded")]
    Show {
        /// The dream: its id, or a unique beginning or end of it; without one the last
        id: Option<String>,
        /// Show every change, with the reason for it
        #[arg(long)]
        explain: bool,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        which: Which,
    },
    /// Undo a dream and keep later changes
    #[command(
        after_help = "What you undid is not done again, unless you ask for it with `memdir dream --all`.

Examples:
  memdir dream undo
  memdir dream undo 01hf --dry-run"
    )]
    Undo {
        /// The dream: its id, or a unique beginning of it; without one the last that is not undone
        id: Option<String>,
        #[command(flatten)]
        how: How,
    },
}

impl Run for Dream {
    fn is_background(&self) -> bool {
        self.when.if_due
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        match &self.action {
            Some(Action::Show { id, json, explain, which }) => {
                show(id.as_deref(), *json, *explain, which, world)
            }
            Some(Action::Undo { id, how }) => undo(id.as_deref(), how, world),
            None if self.when.everywhere => self.everywhere(world),
            None => {
                let mut memory = self.how.which.open(world)?;
                let env = world.env()?;
                self.here(&env, &mut memory, world)
            }
        }
    }
}

/// Dreams by the plan of the model that the user's settings name.
fn with_named_model(
    env: &Env,
    memory: &mut Memory,
    wanted: &mut Wanted<'_>,
    now: Timestamp,
) -> Result<Outcome> {
    let settings = match askable(env)? {
        Askable::Model(settings) => settings,
        Askable::Unusable(why) => return Err(anyhow!("{why}")),
        Askable::Nothing => {
            return Err(anyhow!("no model is named"))
                .hint("name one below `[model]` in your settings; docs/EXTRACTION.md says how");
        }
    };
    with_model(*settings, env, now, |model| {
        let step: &mut dyn FnMut(Phase, usize, usize) = &mut *wanted.step;
        let Wanted { dry_run, occasion, all, .. } = *wanted;
        let mut wanted = Wanted { dry_run, occasion, all, model: Some(model), step };
        Ok(dream(env, memory, &mut wanted, now)?)
    })
}

impl Dream {
    fn occasion(&self) -> Occasion<'_> {
        if self.when.if_due {
            Occasion::SessionEnd { session: self.when.session.as_deref() }
        } else if self.when.everywhere {
            Occasion::Timer
        } else {
            Occasion::ByHand
        }
    }

    /// Dreams for one memory directory.
    fn here(&self, env: &Env, memory: &mut Memory, world: &mut World) -> Result<Exit> {
        let occasion = self.occasion();
        if occasion != Occasion::ByHand {
            lower_priority();
        }
        let now = world.now;
        let mut progress = Progress::new("dreaming", world.terminal.stderr, world.stderr.as_mut());
        let mut step = |phase, done, total| match phase {
            Phase::Reading => progress.during("reading memories").step(done, total),
            Phase::Planning => progress.during("planning").parts(done, total),
            Phase::Asking => progress.during("asking the model").count(0, 1, "question"),
            Phase::Writing => progress.during("writing").count(0, total as u64, "files"),
        };
        let mut wanted =
            Wanted { dry_run: self.how.is_dry_run(), occasion, all: self.all, model: None, step: &mut step };
        let outcome = if self.model {
            with_named_model(env, memory, &mut wanted, now)?
        } else {
            dream(env, memory, &mut wanted, now)?
        };
        drop(progress);
        match outcome {
            Outcome::Dreamt(dreamt) => self.tell(&dreamt, memory, world),
            Outcome::Held(holder) => {
                let who =
                    holder.map_or_else(|| "another dream is under way".to_owned(), |holder| held(&holder));
                if occasion == Occasion::ByHand {
                    return Err(anyhow!("{who}"))
                        .hint("try again when it is done; its lock expires after an hour");
                }
                self.nothing("held", &who, world)
            }
            Outcome::NotDue(why) => self.nothing("not_due", &why.to_string(), world),
            Outcome::Unchanged if memory.root().is_none() => {
                self.nothing("nothing", "there is no memory here yet", world)
            }
            Outcome::Unchanged => self.nothing("unchanged", "nothing changed since the last dream", world),
        }
    }

    fn nothing(&self, status: &'static str, why: &str, world: &mut World) -> Result<Exit> {
        if self.how.json {
            world.print_json(&serde_json::json!({"status": status, "why": why, "op": null}))?;
        } else {
            writeln!(world.stdout, "Nothing to do: {}.", printable(why))?;
        }
        Ok(Exit::Yes)
    }

    fn tell(&self, dreamt: &Dreamt, memory: &Memory, world: &mut World) -> Result<Exit> {
        let dry_run = self.how.is_dry_run();
        let nothing = Vec::new();
        let (op, staged, more) = match &dreamt.submitted {
            Some(Submitted::Applied(applied)) => {
                (applied.operation.as_ref().map(|done| done.id.0.as_str()), None, &applied.warnings)
            }
            Some(Submitted::Staged { id, warnings }) => (None, Some(id.as_str()), warnings),
            Some(Submitted::Rejected) => {
                return Err(anyhow!("the user rejected this change before, so it is not proposed again"));
            }
            None => (None, None, &nothing),
        };
        let plan = &dreamt.dream.plan;
        let is_idle = plan.changes.is_empty();
        let warnings: Vec<&String> = if op.is_some() || staged.is_some() {
            dreamt.warnings.iter().chain(more).collect()
        } else {
            dreamt.warnings.iter().chain(&plan.warnings).collect()
        };
        let page = Page {
            before: &dreamt.dream.before,
            after: &dreamt.dream.after,
            account: &dreamt.dream.account,
            explain: self.explain,
        };
        if self.how.json {
            let report = DreamReport {
                status: if is_idle {
                    "nothing"
                } else if dry_run {
                    "planned"
                } else if staged.is_some() {
                    "waiting"
                } else {
                    "done"
                },
                op,
                staged,
                planner: dreamt.planner,
                dry_run,
                page: &page,
                paths: plan
                    .changes
                    .iter()
                    .map(|change| memory.directory().join(change.path().as_path()))
                    .collect(),
                warnings: &warnings,
                diff: dry_run.then(|| diff(plan)),
            };
            return world.answer_json(&report);
        }
        if dry_run && !is_idle {
            print_diff(plan, world)?;
            writeln!(world.stdout)?;
        }
        page.print(world)?;
        let staged = staged.map(|id| memory.short_waiting_id(id));
        self.last_word(plan, op, staged, world)?;
        world.warn_all(warnings)?;
        Ok(Exit::Yes)
    }

    fn last_word(
        &self,
        plan: &Plan,
        op: Option<&str>,
        staged: Option<&str>,
        world: &mut World,
    ) -> Result<()> {
        let paint = world.paint;
        let files = match plan.changes.len() {
            1 => "one file".to_owned(),
            count => format!("{count} files"),
        };
        let said = match (op, staged) {
            _ if plan.changes.is_empty() => "All is tidy: nothing to change.".to_owned(),
            (Some(_), _) => format!(
                "{} Every statement is kept, or says what replaced it. {} undoes it.",
                paint.good(&format!("Changed {files}.")),
                paint.code("memdir dream undo")
            ),
            (_, Some(id)) => format!(
                "Nothing is changed yet: {files} wait for you. {} or {}",
                paint.code(&format!("memdir review show {id}")),
                paint.code(&format!("memdir review accept {id}"))
            ),
            _ => format!("Would change {files}; every statement would be kept, or say what replaced it."),
        };
        Ok(writeln!(world.stdout, "{said}")?)
    }

    /// Dreams for every project that has memory and still lives.
    fn everywhere(&self, world: &mut World) -> Result<Exit> {
        let env = world.env()?;
        let here = Memory::open(&env, &ClientFlags::default())?;
        let mut paths: Vec<_> =
            here.projects().survey().entries.into_iter().filter_map(|entry| entry.path).collect();
        paths.sort();
        paths.dedup();
        let mut exit = Exit::Yes;
        for path in paths.into_iter().filter(|path| path.is_dir()) {
            let env = Env { cwd: path.clone(), ..env.clone() };
            if matches!(switched_off(&env, &ClientFlags::default()), Ok(Some(_))) {
                continue;
            }
            let dreamt = Memory::open(&env, &ClientFlags::default()).map_err(anyhow::Error::from).and_then(
                |mut memory| {
                    if memory.root().is_none() {
                        return Ok(Exit::Yes);
                    }
                    if !self.how.json {
                        let title = world.paint.strong(&printable(path.as_str()));
                        writeln!(world.stdout, "{title}")?;
                    }
                    self.here(&env, &mut memory, world)
                },
            );
            if let Err(error) = dreamt {
                let message = format!("`{path}`: {error:#}");
                world.warn(&message)?;
                // A timer's output is not read; `memdir status` shows this.
                if let Some(state_dir) = env.state_dir().filter(|_| !self.how.is_dry_run()) {
                    let failure = Failure { time: world.now, during: "dream".to_owned(), message };
                    let _ = failure_log::note(&state_dir, &failure);
                }
                exit = Exit::Failed;
            }
        }
        Ok(exit)
    }
}

fn show(wanted: Option<&str>, json: bool, explain: bool, which: &Which, world: &mut World) -> Result<Exit> {
    let memory = which.open(world)?;
    let dreams = memory.dreams();
    let found: Vec<_> = match wanted {
        None => dreams.iter().take(1).collect(),
        Some(id) => {
            dreams.iter().filter(|dream| dream.id.starts_with(id) || dream.id.ends_with(id)).collect()
        }
    };
    let record = match (found.as_slice(), wanted) {
        ([record], _) => record,
        ([], None) => {
            if json {
                world.print_json(&serde_json::json!({"op": null}))?;
            } else {
                writeln!(world.stdout, "No dream has changed anything here yet.")?;
            }
            return Ok(Exit::No);
        }
        ([], Some(id)) => {
            return Err(anyhow!("there is no dream `{id}`")).hint("`memdir log` shows what was done");
        }
        (_, id) => return Err(anyhow!("`{}` means more than one dream", id.unwrap_or_default())),
    };
    let log = memory.log(usize::MAX)?;
    let is_undone = log.undone().keys().any(|undone| undone.0 == record.id);
    let page = Page { before: &record.before, after: &record.after, account: &record.account, explain };
    if json {
        let (op, staged) = if record.is_staged {
            (None, Some(record.id.as_str()))
        } else {
            (Some(record.id.as_str()), None)
        };
        let status = if is_undone {
            "undone"
        } else if record.is_staged {
            "waiting"
        } else {
            "done"
        };
        return world.answer_json(&DreamReport {
            status,
            op,
            staged,
            planner: &record.planner,
            dry_run: false,
            page: &page,
            paths: Vec::new(),
            warnings: &[],
            diff: None,
        });
    }
    let paint = world.paint;
    let when = record.time.strftime("%Y-%m-%d %H:%M UTC").to_string();
    let state = if is_undone {
        "  undone"
    } else if record.is_staged {
        "  waits for review"
    } else {
        ""
    };
    writeln!(world.stdout, "{}  {}{}\n", paint.strong(&record.id), paint.quiet(&when), paint.warn(state))?;
    page.print(world)?;
    if !record.is_staged {
        let command = paint.code(&format!("memdir diff {}", record.id));
        writeln!(world.stdout, "{command} shows every line that changed.")?;
    }
    Ok(Exit::Yes)
}

fn undo(wanted: Option<&str>, how: &How, world: &mut World) -> Result<Exit> {
    let mut memory = how.which.open(world)?;
    if let Some(holder) = lock_holder(&memory, world.now)?.filter(|_| !how.is_dry_run()) {
        return Err(anyhow!("{}", held(&holder)))
            .hint("try again when it is done; its lock expires after an hour");
    }
    memory.look(world.now)?;
    let asker = author(world);
    let log = memory.log(usize::MAX)?;
    let Some(operation) = memory.dream_to_undo(wanted, &log)? else {
        if let Some(wanted) = wanted {
            return Err(anyhow!("`{wanted}` is not a dream")).hint("`memdir undo` undoes everything else");
        }
        let mut plan = Plan::new("undo");
        plan.warnings.push("there is no dream to undo".into());
        return carry_out(&plan, &mut memory, how, world);
    };
    let plan = memory.plan_undo(operation, format!("undo: {}", operation.reason), &log)?;
    let wish = Wish::undoing(&operation.id, &asker);
    let exit = carry_out_as(&plan, &mut memory, &wish, how, world)?;
    if !how.is_dry_run() {
        memory.settle_undone(operation)?;
    }
    Ok(exit)
}
