//! `memdir doctor`: what is wrong with a memory directory, why it matters, and what fixes it.

use std::collections::HashSet;
use std::io::Write;

use anyhow::Result;
use clap::Parser;
use memdir_core::doctor::{Finding, Patient, Severity, examine, is_ill, stored_secret};
use memdir_core::settings::ClientFlags;
use memdir_lib::audit::audit;
use memdir_lib::journal::Journal;
use memdir_lib::memory::{Memory, Submitted, Wish};
use memdir_lib::place::Place;
use serde::Serialize;

use super::Run;
use super::memory::{Which, author};
use super::plan_diff::print_diff;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// Find and fix problems: files, secrets, broken references
#[derive(Debug, Parser)]
#[command(
    name = "doctor",
    after_help = "Every finding says why it matters and how to fix it. With --fix the safe fixes are shown as diffs and applied, one
recorded operation each, so that each can be undone; lines that are missing in MEMORY.md come back. The rest is left to you.
References to the project are checked, too. --history also looks for secrets in old versions, the journal and the profile.

Exits with 1 if something is wrong; a note does not count.

Examples:
  memdir doctor
  memdir doctor --fix --dry-run
  memdir doctor --history
  memdir doctor --json | jq -r '.items[] | [.severity, .id, .path] | @tsv'"
)]
pub(crate) struct Doctor {
    /// Fix what can be fixed safely
    #[arg(long)]
    fix: bool,
    /// With --fix: show the fixes, and change nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,
    /// Also look for secrets in history, journal and profile
    #[arg(long)]
    history: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Which,
}

/// One fix that was made.
#[derive(Debug, Serialize)]
struct Fixed {
    id: &'static str,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<String>,
}

/// A directory that still has something to fix after so many fixes is not getting better.
const MOST_FIXES: usize = 64;

impl Run for Doctor {
    fn run(self, world: &mut World) -> Result<Exit> {
        let mut memory = self.which.open(world)?;
        let mut findings = examine(&patient(&memory, world)?);
        let mut fixed = Vec::new();
        if self.fix && self.dry_run {
            self.show_fixes(&findings, world)?;
        } else if self.fix {
            fixed = self.fix_all(&mut memory, &mut findings, world)?;
        }
        if self.history {
            findings.extend(secrets_elsewhere(&memory, world)?);
            findings.sort_by_key(|finding| finding.severity);
        }
        if self.json {
            #[derive(Serialize)]
            struct DoctorReport {
                healthy: bool,
                items: Vec<Finding>,
                #[serde(skip_serializing_if = "Vec::is_empty")]
                fixed: Vec<Fixed>,
            }
            let healthy = !is_ill(&findings);
            world.print_json(&DoctorReport { healthy, items: findings, fixed })?;
            return Ok(if healthy { Exit::Yes } else { Exit::No });
        }
        print(&findings, world)?;
        Ok(if is_ill(&findings) { Exit::No } else { Exit::Yes })
    }
}

impl Doctor {
    fn show_fixes(&self, findings: &[Finding], world: &mut World) -> Result<()> {
        let mut shown = HashSet::new();
        for plan in findings.iter().filter_map(|finding| finding.fix.plan.as_ref()) {
            if !self.json && shown.insert(plan.reason.clone()) {
                writeln!(
                    world.stdout,
                    "{}",
                    world.paint.strong(&format!("would {}", printable(&plan.reason)))
                )?;
                print_diff(plan, world)?;
                writeln!(world.stdout)?;
            }
        }
        Ok(())
    }

    /// Fixes one thing after the other and looks again after each, because one fix may change another.
    fn fix_all(
        &self,
        memory: &mut Memory,
        findings: &mut Vec<Finding>,
        world: &mut World,
    ) -> Result<Vec<Fixed>> {
        let mut fixed = Vec::new();
        let mut tried = HashSet::new();
        while fixed.len() < MOST_FIXES {
            let next = findings.iter().find(|finding| {
                let key = finding.fix.plan.as_ref().map_or("recover", |plan| plan.reason.as_str());
                finding.fix.automatic && tried.insert(key.to_owned())
            });
            let Some(finding) = next else { break };
            let operation = match &finding.fix.plan {
                Some(plan) => {
                    if !self.json {
                        print_diff(plan, world)?;
                    }
                    match memory.submit(plan, &Wish::of(&author(world)), world.now)? {
                        Submitted::Applied(applied) => {
                            world.warn_all(&applied.warnings)?;
                            applied.operation
                        }
                        Submitted::Staged { id, .. } => {
                            let id = memory.short_waiting_id(&id);
                            world.warn(&format!("the fix waits for review as {id}"))?;
                            continue;
                        }
                        Submitted::Rejected => continue,
                    }
                }
                None => {
                    let recovery = memory.recover(world.now)?;
                    world.warn_all(recovery.iter().flat_map(|recovery| &recovery.warnings))?;
                    None
                }
            };
            let reason = finding.fix.plan.as_ref().map_or(&finding.fix.what, |plan| &plan.reason);
            let done =
                Fixed { id: finding.id, what: reason.clone(), op: operation.map(|done| done.id.to_string()) };
            if !self.json {
                let label = world.paint.good("fixed:");
                writeln!(world.stdout, "{label} {}\n", printable(&done.what))?;
            }
            fixed.push(done);
            *findings = examine(&patient(memory, world)?);
        }
        Ok(fixed)
    }
}

/// The secrets that are stored outside the present files of the memory directory, which the examination covers.
fn secrets_elsewhere(memory: &Memory, world: &mut World) -> Result<Vec<Finding>> {
    let env = world.env()?;
    let found = audit(&Place::find(&env, &ClientFlags::default())?, &env)?;
    world.warn_all(&found.problems)?;
    let elsewhere = found
        .stored
        .into_iter()
        .filter(|stored| stored.operation.is_some() || !stored.path.starts_with(memory.directory()));
    let finding = elsewhere.map(|stored| {
        let operation = stored.operation.as_ref().map(ToString::to_string);
        stored_secret(stored.path.into_string(), stored.line, stored.rule, operation.as_deref())
    });
    Ok(finding.collect())
}

/// The memory, and the journal of its project.
fn patient(memory: &Memory, world: &World) -> Result<Patient> {
    let mut patient = memory.patient(world.now)?;
    let env = world.env()?;
    let place = Place::find(&env, &ClientFlags::default())?;
    let journal = Journal::at_place(&place, &env);
    if [place.here.memory_dir.as_path(), journal.directory()].contains(&memory.directory()) {
        patient.surroundings.dead_journal_lines = journal.dead_lines()?;
        patient.surroundings.old_journal = journal.old_journal();
    }
    Ok(patient)
}

fn print(findings: &[Finding], world: &mut World) -> Result<()> {
    let paint = world.paint;
    for finding in findings {
        let label = match finding.severity {
            Severity::Error => paint.bad("error  "),
            Severity::Warning => paint.warn("warning"),
            Severity::Note => paint.quiet("note   "),
        };
        let path = finding.path.as_deref().map(printable).unwrap_or_default();
        let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
        let place = if path.is_empty() {
            String::new()
        } else {
            format!(" {}", paint.strong(&format!("{path}{line}")))
        };
        writeln!(world.stdout, "{label} {}{place}", paint.code(finding.id))?;
        writeln!(world.stdout, "        {}", printable(&finding.what))?;
        writeln!(world.stdout, "        {} {}", paint.quiet("why"), finding.why)?;
        let by = if finding.fix.automatic { " (--fix does it)" } else { "" };
        writeln!(
            world.stdout,
            "        {} {}{}",
            paint.quiet("fix"),
            printable(&finding.fix.what),
            paint.quiet(by)
        )?;
    }
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let counts = [
        (count(Severity::Error), "error", "errors"),
        (count(Severity::Warning), "warning", "warnings"),
        (count(Severity::Note), "note", "notes"),
    ];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, many)| format!("{number} {}", if *number == 1 { one } else { many }))
        .collect();
    if counts.is_empty() {
        writeln!(world.stdout, "{}", paint.good("Healthy: nothing is wrong."))?;
    } else {
        writeln!(world.stdout, "{}", counts.join(", "))?;
    }
    Ok(())
}
