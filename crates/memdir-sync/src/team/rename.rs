//! A new name for a memory, which may be the team's.

use memdir_core::plan::Plan;
use memdir_lib::memory::{Catalogue, Entry, Memory, MemoryError};
use memdir_lib::team::TEAM_DIR;

use super::index::{Coming, index_change};

/// Plans to give a memory another name. One of the team stays where it is unless the new name is a path: nobody takes a
/// memory from the others, or shows them one, by renaming it. The team's index follows.
///
/// # Errors
/// The new name is taken, reserved, or cannot be that of a file.
pub fn plan_rename(
    memory: &Memory,
    entry: &Entry,
    new_name: &str,
    catalogue: &Catalogue,
) -> Result<Plan, MemoryError> {
    let Some(key) = key_of(entry.path.as_str()) else {
        return memory.plan_rename(entry, new_name, catalogue);
    };
    let new_path = match entry.path.as_path().parent() {
        Some(folder) if !new_name.contains('/') => folder.join(new_name).into_string(),
        _ => new_name.to_owned(),
    };
    let mut plan = memory.plan_rename(entry, &new_path, catalogue)?;
    let new_key = key_of(&new_path).map(|key| format!("{}.md", key.strip_suffix(".md").unwrap_or(key)));
    let coming = match &new_key {
        Some(new_key) => Coming::Renamed(key, new_key),
        None => Coming::Removed(key),
    };
    if !plan.changes.is_empty() {
        plan.changes.extend(index_change(memory, Some(coming))?);
    }
    Ok(plan)
}

fn key_of(path: &str) -> Option<&str> {
    path.strip_prefix(TEAM_DIR)?.strip_prefix('/')
}
