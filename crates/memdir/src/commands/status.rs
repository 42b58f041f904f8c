//! `memdir status`: what memdir does by itself here, and how that went.

use std::io::Write;

use anyhow::Result;
use clap::Parser;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use memdir_core::model::ModelChoice;
use memdir_core::model::budget::{Money, Spent};
use memdir_core::settings::ClientFlags;
use memdir_disk::failure_log::{self, Failure};
use memdir_disk::pauses::Pauses;
use memdir_lib::memory::Memory;
use memdir_lib::model::{ModelStatus, model_status};
use serde::Serialize;

use super::Run;
use crate::arguments::Global;
use crate::exit::Exit;
use crate::output::{human_age, printable};
use crate::world::World;

/// Say what runs in the background, what waits, and what went wrong in hooks
#[derive(Debug, Parser)]
#[command(
    name = "status",
    after_help = "Examples:
  memdir status
  memdir status --json | jq .failures"
)]
pub(crate) struct Status {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    global: Global,
}

#[derive(Serialize)]
struct Stands {
    paused: bool,
    working: bool,
    last_work: Option<Timestamp>,
    changed_by_others: Vec<String>,
    waiting: usize,
    problems: Vec<String>,
    failures: Vec<Failure>,
    model: Option<ModelStands>,
}

/// The user's model, and what is left of its budget. Money is in the user's own currency.
#[derive(Serialize)]
struct ModelStands {
    provider: Option<&'static str>,
    model: Option<String>,
    /// Why it is not asked, if it is not.
    problem: Option<String>,
    today: Option<Used>,
    month: Option<Used>,
}

#[derive(Serialize)]
struct Used {
    calls: u64,
    tokens: u64,
    tokens_limit: u64,
    money: f64,
    money_limit: Option<f64>,
}

impl Used {
    fn of(spent: Spent, tokens_limit: u64, money_limit: Option<Money>) -> Self {
        let amount = |money: Money| money.0 as f64 / 1e6;
        Self {
            calls: spent.calls,
            tokens: spent.tokens,
            tokens_limit,
            money: amount(spent.money),
            money_limit: money_limit.map(amount),
        }
    }

    fn show(&self) -> String {
        let money = match self.money_limit {
            Some(limit) => format!(", {:.2} of {limit:.2} in money", self.money),
            None if self.money > 0.0 => format!(", {:.2} in money", self.money),
            None => String::new(),
        };
        format!("{} of {} tokens{money}", self.tokens, self.tokens_limit)
    }
}

impl ModelStands {
    fn of(status: ModelStatus, today: Date) -> Option<Self> {
        let settings = match status.choice {
            ModelChoice::Unset => return None,
            ModelChoice::Unusable(why) => {
                return Some(Self {
                    provider: None,
                    model: None,
                    problem: Some(why),
                    today: None,
                    month: None,
                });
            }
            ModelChoice::Model(settings) => settings,
        };
        let mut stands = Self {
            provider: Some(settings.provider.as_str()),
            model: Some(settings.label().to_owned()),
            problem: None,
            today: None,
            month: None,
        };
        match status.spent {
            Ok(ledger) => {
                let budget = settings.budget;
                let used = |spent, tokens, money| Some(Used::of(spent, tokens, money));
                stands.today = used(ledger.day(today), budget.tokens_per_day, budget.money_per_day);
                stands.month = used(ledger.month(today), budget.tokens_per_month, budget.money_per_month);
            }
            Err(error) => stands.problem = Some(error.to_string()),
        }
        Some(stands)
    }

    fn show(&self) -> String {
        let name = self.model.as_deref().unwrap_or("not asked");
        let spans = [("today", &self.today), ("this month", &self.month)];
        let spent = spans
            .iter()
            .filter_map(|(span, used)| Some(format!("; {span} {}", used.as_ref()?.show())))
            .collect::<String>();
        let problem = self.problem.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        format!("{name}{problem}{spent}")
    }
}

impl Run for Status {
    fn global(&self) -> &Global {
        &self.global
    }

    fn run(self, world: &mut World) -> Result<Exit> {
        let env = world.env()?;
        let memory = Memory::open(&env, &ClientFlags::default())?;
        let state = env.state_dir();
        let work = memory.work_status();
        let last = work.last;
        let failures = state.as_deref().map(failure_log::read).unwrap_or_default();
        let stands = Stands {
            paused: state
                .zip(memory.known_id())
                .is_some_and(|(state, id)| Pauses::of(&state).is_paused(&id.0)),
            working: work.running,
            last_work: last.as_ref().and_then(|last| last.finished),
            changed_by_others: last.as_ref().map(|last| last.changed.clone()).unwrap_or_default(),
            waiting: memory.waiting_count(),
            problems: last.map(|last| last.problems).unwrap_or_default(),
            failures: failures.into_iter().rev().take(SHOWN_FAILURES).collect(),
            model: ModelStands::of(model_status(&env)?, world.now.to_zoned(TimeZone::system()).date()),
        };
        if self.json {
            world.print_json(&stands)?;
            return Ok(Exit::Yes);
        }
        print(&stands, world)?;
        Ok(Exit::Yes)
    }
}

const SHOWN_FAILURES: usize = 5;

fn print(stands: &Stands, world: &mut World) -> Result<()> {
    let paint = world.paint;
    let ago = |time: Timestamp| human_age(world.now.as_second() - time.as_second());
    let work = match (stands.working, stands.last_work) {
        (true, _) => "at work now".to_owned(),
        (false, Some(time)) => format!("last done {}", ago(time)),
        (false, None) => "never done".to_owned(),
    };
    let hooks = if stands.paused { "paused for this project" } else { "on" };
    let mut lines = vec![("hooks", hooks.to_owned()), ("work", work)];
    if !stands.changed_by_others.is_empty() {
        lines.push(("changed", stands.changed_by_others.join(", ")));
    }
    if stands.waiting > 0 {
        lines.push(("waiting", format!("{} for `memdir review`", stands.waiting)));
    }
    if let Some(model) = &stands.model {
        lines.push(("model", model.show()));
    }
    for failure in &stands.failures {
        lines.push(("failed", format!("{}  {}: {}", ago(failure.time), failure.during, failure.message)));
    }
    for (what, text) in lines {
        writeln!(world.stdout, "{}  {}", paint.quiet(&format!("{what:<8}")), printable(&text))?;
    }
    for problem in &stands.problems {
        world.warn(problem)?;
    }
    Ok(())
}
