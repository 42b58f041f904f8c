//! A plan as people read it before they agree: the diff of every file.

use std::io::Write;

use anyhow::Result;
use memdir_core::plan::Plan;
pub(super) use memdir_core::text_diff::unified_plan as diff;

use crate::output::printable;
use crate::world::World;

/// Prints what a plan changes, coloured on a terminal.
pub(super) fn print_diff(plan: &Plan, world: &mut World) -> Result<()> {
    print_unified(&diff(plan), world)
}

/// Prints a unified diff, coloured on a terminal.
pub(super) fn print_unified(diff: &str, world: &mut World) -> Result<()> {
    let paint = world.paint;
    for line in diff.lines() {
        // A tab stays a tab; every other invisible character is shown.
        let line = line.split('\t').map(printable).collect::<Vec<_>>().join("\t");
        let line = match line.as_bytes().first() {
            _ if line.starts_with("---") || line.starts_with("+++") => paint.strong(&line),
            Some(b'+') => paint.good(&line),
            Some(b'-') => paint.bad(&line),
            Some(b'@') => paint.quiet(&line),
            _ => line,
        };
        writeln!(world.stdout, "{line}")?;
    }
    Ok(())
}
