//! Whether a project takes part in a team's memory, and what of it an agent is told.
//!
//! Sync itself is another crate's business. Whatever it wrote into `team/` was signed by a member, or is the user's own.

use camino::Utf8Path;
use memdir_core::env::{Env, MEMDIR_TEAM_TOKEN};
use memdir_core::instructions::MemoryFile;
use memdir_core::settings::ClientFlags;
use memdir_disk::real_look::RealLook;
use memdir_disk::sync_dir::has_team;

use crate::features::read_features;
use crate::place::Place;

/// The folder of the team's memory, inside the memory directory.
pub const TEAM_DIR: &str = "team";

/// Whether the user asked for it: by a switch, by making or joining a team, or by a session's token.
#[must_use]
pub fn takes_part(env: &Env, flags: &ClientFlags) -> bool {
    read_features(env).0.team
        || env.var(MEMDIR_TEAM_TOKEN).is_some()
        || is_member(env, flags).unwrap_or(false)
}

fn is_member(env: &Env, flags: &ClientFlags) -> Option<bool> {
    let state_dir = env.state_dir()?;
    let store = Place::find(env, flags).ok()?.look_up.store?;
    Some(has_team(&state_dir, &store))
}

/// The index of the team's memory as an agent gets it; `None` where there is none to show.
#[must_use]
pub fn team_index(env: &Env, flags: &ClientFlags, memory_dir: &Utf8Path) -> Option<MemoryFile> {
    let directory = env.cwd.join(memory_dir).join(TEAM_DIR);
    // The folder is looked for first: most projects have none, and the rest need not be asked.
    let file = MemoryFile::load(&directory, &RealLook).ok()?;
    takes_part(env, flags).then_some(file)
}
