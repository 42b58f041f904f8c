//! Memories of which two versions are kept.

use std::io::Write;

use anyhow::Result;
use camino::Utf8PathBuf;
use memdir_lib::memory::Memory;
use memdir_sync::conflict_copy::original_of;
use serde::Serialize;

use super::open;
use crate::exit::Exit;
use crate::output::printable;
use crate::world::World;

/// One memory of which two versions are kept.
#[derive(Serialize)]
pub(super) struct Item {
    path: Utf8PathBuf,
    kept_as: Utf8PathBuf,
}

pub(super) fn conflicts(json: bool, world: &mut World) -> Result<Exit> {
    #[derive(Serialize)]
    struct Machine {
        items: Vec<Item>,
    }
    let team = open(world)?;
    let items = found(team.memory())?;
    let any = !items.is_empty();
    if json {
        world.print_json(&Machine { items })?;
    } else {
        for item in &items {
            writeln!(world.stdout, "{}", printable(item.path.as_str()))?;
            writeln!(world.stdout, "  and {}", printable(item.kept_as.as_str()))?;
        }
    }
    Ok(if any { Exit::Yes } else { Exit::No })
}

/// The copies that syncs made and nobody has removed yet.
pub(super) fn found(memory: &Memory) -> Result<Vec<Item>> {
    let catalogue = memory.catalogue()?;
    let mut items: Vec<Item> = catalogue
        .entries
        .iter()
        .filter(|entry| entry.path.as_str().starts_with("team/"))
        .filter_map(|entry| {
            let original = original_of(entry.path.as_str())?;
            Some(Item {
                path: memory.directory().join(original),
                kept_as: memory.directory().join(entry.path.as_path()),
            })
        })
        .collect();
    items.sort_by(|one, other| one.kept_as.cmp(&other.kept_as));
    Ok(items)
}
