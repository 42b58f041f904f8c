//! Memories of which two versions are kept.

use std::collections::HashSet;
use std::io::Write;

use anyhow::Result;
use memdir_lib::memory::Memory;
use memdir_sync::conflict_copy::{KeptTwice, original_of};
use serde_json::json;

use super::open;
use crate::exit::Exit;
use crate::output::short_path;
use crate::world::World;

pub(super) fn conflicts(json: bool, world: &mut World) -> Result<Exit> {
    let team = open(world)?;
    print_conflicts(&found(team.memory())?, json, world)
}

/// Says which memories are kept twice; that none is is a no.
pub(in crate::commands) fn print_conflicts(
    items: &[KeptTwice],
    json: bool,
    world: &mut World,
) -> Result<Exit> {
    if json {
        world.print_json(&json!({"items": items}))?;
    } else {
        for item in items {
            writeln!(world.stdout, "{}", short_path(&item.path, world))?;
            writeln!(world.stdout, "  and {}", short_path(&item.kept_as, world))?;
        }
        if !items.is_empty() {
            writeln!(
                world.stdout,
                "`memdir team resolve NAME` shows the difference and keeps one of them, or both in one text."
            )?;
        }
    }
    Ok(if items.is_empty() { Exit::No } else { Exit::Yes })
}

/// The copies that syncs made beside memories, as long as both are there.
pub(super) fn found(memory: &Memory) -> Result<Vec<KeptTwice>> {
    let catalogue = memory.catalogue()?;
    let there: HashSet<&str> = catalogue.entries.iter().map(|entry| entry.path.as_str()).collect();
    let mut items: Vec<KeptTwice> = catalogue
        .entries
        .iter()
        .filter(|entry| entry.path.as_str().starts_with("team/"))
        .filter_map(|entry| {
            let original = original_of(entry.path.as_str()).filter(|path| there.contains(path.as_str()))?;
            Some(KeptTwice {
                path: memory.directory().join(original),
                kept_as: memory.directory().join(entry.path.as_path()),
            })
        })
        .collect();
    items.sort_by(|one, other| one.kept_as.cmp(&other.kept_as));
    Ok(items)
}
