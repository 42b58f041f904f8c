//! A new name for a memory, which may be the team's.

use camino::Utf8Path;
use memdir_core::plan::Plan;
use memdir_lib::memory::{Catalogue, Entry, Memory};
use memdir_lib::team::TEAM_DIR;

use super::TeamError;
use super::index::{Coming, index_change};

/// Plans to give a memory another name. One of the team stays below `team/`, and no other gets there: no one takes a
/// memory from the others, or shows them one, by renaming it. The team's index follows.
///
/// # Errors
/// The new name is the team's and the memory is not, or it is taken, reserved, or cannot be that of a file.
pub fn plan_rename(
    memory: &Memory,
    entry: &Entry,
    new_name: &str,
    catalogue: &Catalogue,
) -> Result<Plan, TeamError> {
    let Some(key) = key_of(entry.path.as_str()) else {
        if key_of(new_name).is_some() {
            return Err(TeamError::NotByName { path: entry.path.to_string() });
        }
        return Ok(memory.plan_rename(entry, new_name, catalogue)?);
    };
    // A path is meant inside the team's folder, a name inside the folder in which the memory is.
    let folder = entry.path.as_path().parent().map(Utf8Path::as_str).filter(|_| !new_name.contains('/'));
    let new_path = match key_of(new_name) {
        Some(_) => new_name.to_owned(),
        None => format!("{}/{new_name}", folder.unwrap_or(TEAM_DIR)),
    };
    let mut plan = memory.plan_rename(entry, &new_path, catalogue)?;
    let new_key = key_of(&new_path).unwrap_or_default();
    let new_key = format!("{}.md", new_key.strip_suffix(".md").unwrap_or(new_key));
    if !plan.changes.is_empty() {
        plan.changes.extend(index_change(memory, Some(Coming::Renamed(key, &new_key)))?);
    }
    Ok(plan)
}

fn key_of(path: &str) -> Option<&str> {
    path.strip_prefix(TEAM_DIR)?.strip_prefix('/')
}
