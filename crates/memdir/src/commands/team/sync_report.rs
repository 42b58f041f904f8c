//! What a sync did, for people and for machines.

use std::io::Write;

use anyhow::Result;
use memdir_sync::report::{ChangeKind, SyncReport};
use serde::Serialize;

use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// How many memories of a kind are named.
const NAMED: usize = 20;

/// Says what was done, or would be.
pub(in crate::commands) fn print(
    report: &SyncReport,
    requests: u32,
    dry_run: bool,
    json: bool,
    world: &mut World,
) -> Result<Exit> {
    if json {
        #[derive(Serialize)]
        struct Machine<'r> {
            #[serde(flatten)]
            report: &'r SyncReport,
            requests: u32,
            #[serde(skip_serializing_if = "std::ops::Not::not")]
            dry_run: bool,
        }
        return world.answer_json(&Machine { report, requests, dry_run });
    }
    if let Some(gone) = &report.taken_out {
        writeln!(world.stdout, "{} {}", world.paint.quiet("removed "), printable(gone))?;
    } else if report.received.is_empty() && report.sent.is_empty() {
        writeln!(world.stdout, "Nothing to receive or send.")?;
    }
    let shown = |path: &str| printable(&report.shown(path));
    let received: Vec<(ChangeKind, String)> = report
        .received
        .iter()
        .map(|received| (received.change, format!("{} (from {})", report.shown(&received.path), received.by)))
        .collect();
    let sent: Vec<(ChangeKind, String)> =
        report.sent.iter().map(|sent| (sent.change, report.shown(&sent.path))).collect();
    let (from_team, to_team) =
        if dry_run { ("would receive", "would send") } else { ("received", "sent    ") };
    for (direction, items) in [(from_team, received), (to_team, sent)] {
        for (change, text) in items.iter().take(NAMED) {
            let (mark, paint) = (mark(*change), world.paint);
            writeln!(world.stdout, "{} {mark} {}", paint.quiet(direction), printable(text))?;
        }
        if items.len() > NAMED {
            writeln!(world.stdout, "{direction}   and {} more", items.len() - NAMED)?;
        }
    }
    for path in &report.merged {
        let (merged, paint) = (if dry_run { "would merge" } else { "merged" }, world.paint);
        writeln!(world.stdout, "{} {}", paint.quiet(merged), shown(path))?;
    }
    for conflict in &report.conflicts {
        world.warn(&format!(
            "`{}` was changed here and by others in ways that cannot be merged: yours is kept in `{}`",
            shown(&conflict.path),
            shown(&conflict.kept_as)
        ))?;
    }
    for blocked in report.blocked.iter().take(NAMED) {
        world.warn(&format!("`{}` was not shared: {}", shown(&blocked.path), blocked.why))?;
    }
    for refused in report.refused.iter().take(NAMED) {
        world.warn(&format!("`{}` was not accepted: {}", shown(&refused.path), refused.why))?;
    }
    for (name, count) in [("shared", report.blocked.len()), ("accepted", report.refused.len())] {
        if count > NAMED {
            world.warn(&format!("{} more were not {name}", count - NAMED))?;
        }
    }
    match report.held.as_slice() {
        [] => {}
        held => {
            let who: Vec<String> = held
                .iter()
                .take(3)
                .map(|held| {
                    let key: String = held.author.chars().take(8).collect();
                    let name =
                        held.name.as_deref().map_or_else(|| "an unknown author".to_owned(), str::to_owned);
                    let why = held.why.as_ref().map(|why| format!(", {why}")).unwrap_or_default();
                    format!("`{}` by {} ({key}){why}", shown(&held.path), printable(&name))
                })
                .collect();
            let more = held.len().saturating_sub(3);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            world.warn(&format!("held for `memdir review`: {}{more}", who.join("; ")))?;
        }
    }
    for notice in report.notices.iter().take(NAMED) {
        writeln!(world.stderr, "{} {}", world.paint.quiet("note:"), printable(notice))?;
    }
    Ok(Exit::Yes)
}

/// What happened to a memory, as one sign.
pub(super) fn mark(change: ChangeKind) -> &'static str {
    match change {
        ChangeKind::Added => "+",
        ChangeKind::Changed => "~",
        ChangeKind::Removed => "-",
    }
}
