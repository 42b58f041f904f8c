//! `memdir review --due`: memories whose end has come.

use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use memdir_core::memory::topic::validity::EXPIRES;
use memdir_lib::memory::{Due, Memory};
use serde::Serialize;
use serde_json::json;

use super::ask::line;
use super::memory::{How, carry_out};
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

#[derive(Serialize)]
struct Item {
    path: Utf8PathBuf,
    name: String,
    expires: String,
    expired: bool,
}

/// Lists what is due; on a terminal, asks about each.
pub(super) fn review(memory: &mut Memory, json: bool, world: &mut World) -> Result<Exit> {
    let due = memory.due(world.now)?;
    let exit = if due.is_empty() { Exit::No } else { Exit::Yes };
    if json {
        let item = |due: &Due| Item {
            path: memory.directory().join(due.entry.path.as_path()),
            name: due.entry.title().to_owned(),
            expires: due.expires.to_string(),
            expired: due.has_expired,
        };
        world.print_json(&json!({"items": Vec::from_iter(due.iter().map(item))}))?;
        return Ok(exit);
    }
    if due.is_empty() {
        writeln!(world.stderr, "Nothing is due.")?;
    }
    for due in &due {
        let paint = world.paint;
        let name = printable(due.entry.title());
        let state = if due.has_expired { "expired" } else { "until" };
        let about = printable(due.entry.description.as_deref().unwrap_or_default());
        writeln!(
            world.stdout,
            "{}  {state} {}  {}",
            paint.strong(&name),
            printable(&due.expires.to_string()),
            paint.quiet(&about)
        )?;
        if world.terminal.stdin && world.terminal.stdout {
            world.stdout.flush()?;
            if !decide(due, memory, world)? {
                break;
            }
        }
    }
    if exit == Exit::Yes && !world.terminal.stdin {
        writeln!(
            world.stderr,
            "Decide on each: `memdir set NAME expires 90d`, `memdir set NAME expires --unset`, or wait: a week after its end a memory moves to archive/."
        )?;
    }
    Ok(exit)
}

/// Asks what becomes of one; `false` ends the review.
fn decide(due: &Due, memory: &mut Memory, world: &mut World) -> Result<bool> {
    let answer = line("  [a]rchive, [k]eep for good, [e]xtend by 90 days, [s]kip, [q]uit? ", world)?;
    let entry = &due.entry;
    let plan = match answer.to_lowercase().as_str() {
        "a" | "archive" => memory.plan_archive(entry, "reviewed")?,
        "k" | "keep" => memory.plan_set(entry, EXPIRES, None, world.now)?,
        "e" | "extend" => memory.plan_set(entry, EXPIRES, Some("90d"), world.now)?,
        "q" | "quit" => return Ok(false),
        _ => return Ok(true),
    };
    carry_out(&plan, memory, &How::default(), world)?;
    Ok(true)
}
