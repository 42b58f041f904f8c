use memdir_core::history::short_ids::ShortIds;
use std::io::Write;

use anyhow::Result;
use memdir_lib::user::Profile;

use crate::commands::log;
use crate::exit::Exit;
use crate::world::World;

/// What was done to the profile, newest first.
pub(super) fn history(mut profile: Profile, limit: usize, json: bool, world: &mut World) -> Result<Exit> {
    let log = profile.log(usize::MAX, world.now)?;
    let undone = log.undone();
    let shown: Vec<_> = log.operations.iter().take(limit).collect();
    if json {
        log::print_json(&shown, &undone, false, &log.problems, world)?;
        return Ok(Exit::Yes);
    }
    let ids = ShortIds::of(&log.operations);
    for operation in &shown {
        log::print(operation, undone.get(&operation.id).copied(), &ids, world)?;
    }
    if shown.is_empty() {
        writeln!(world.stderr, "Nothing is recorded yet for {}.", profile.directory())?;
    } else {
        let undo = world.paint.code(&format!("memdir undo OP --dir {}", profile.directory()));
        writeln!(world.stderr, "{undo} undoes one.")?;
    }
    world.warn_all(&log.problems)?;
    Ok(Exit::Yes)
}
