//! Removing and renaming files and folders.

use super::view::joined;
use super::{EntryKind, MemoryPath, MemoryToolAnswer, Outcome, ToolFiles};
use crate::plan::{Change, Content};
use crate::rel_path::RelPath;

/// The most files that one command removes or renames.
const MAX_FILES: usize = 10_000;
/// How deep a folder is walked.
const MAX_DEPTH: usize = 32;

/// Removes a file, or a folder with all files in it. The directory itself cannot be removed.
pub(super) fn delete(files: &dyn ToolFiles, path: &MemoryPath) -> Result<Outcome, MemoryToolAnswer> {
    let shown = path.shown();
    let below = path.below().ok_or_else(|| {
        MemoryToolAnswer::error(format!("Error: The directory {shown} itself cannot be deleted"))
    })?;
    if files.found(below.as_str()).is_none() {
        return Err(MemoryToolAnswer::error(format!("Error: The path {shown} does not exist")));
    }
    let mut changes = Vec::new();
    for (path, base) in contents(files, below.as_str(), &shown)? {
        changes.push(Change::Delete { path, base });
    }
    Ok(Outcome { answer: MemoryToolAnswer::done(format!("Successfully deleted {shown}")), changes })
}

/// Gives a file or folder another name, where nothing may be.
pub(super) fn rename(
    files: &dyn ToolFiles,
    old: &MemoryPath,
    new: &MemoryPath,
) -> Result<Outcome, MemoryToolAnswer> {
    let (old_shown, new_shown) = (old.shown(), new.shown());
    let from = old.below().ok_or_else(|| {
        MemoryToolAnswer::error(format!("Error: The directory {old_shown} itself cannot be renamed"))
    })?;
    if files.found(from.as_str()).is_none() {
        return Err(MemoryToolAnswer::error(format!("Error: The path {old_shown} does not exist")));
    }
    let exists = || MemoryToolAnswer::error(format!("Error: The destination {new_shown} already exists"));
    let to = new.below().ok_or_else(exists)?;
    if files.found(to.as_str()).is_some() {
        return Err(exists());
    }
    if to.as_str().strip_prefix(from.as_str()).is_some_and(|rest| rest.starts_with('/')) {
        return Err(MemoryToolAnswer::error(format!(
            "Error: The destination {new_shown} is inside {old_shown}"
        )));
    }
    let mut changes = Vec::new();
    for (path, base) in contents(files, from.as_str(), &old_shown)? {
        let rest = path.as_str().strip_prefix(from.as_str()).unwrap_or_default();
        let to = RelPath::parse(&format!("{to}{rest}")).map_err(|refused| {
            MemoryToolAnswer::error(format!("Error: The path {new_shown} is not allowed: {}", refused.rule))
        })?;
        changes.push(Change::Rename { from: path, to, base });
    }
    Ok(Outcome {
        answer: MemoryToolAnswer::done(format!("Successfully renamed {old_shown} to {new_shown}")),
        changes,
    })
}

/// Every file at or below a path with its content.
fn contents(
    files: &dyn ToolFiles,
    path: &str,
    shown: &str,
) -> Result<Vec<(RelPath, Content)>, MemoryToolAnswer> {
    let mut found = Vec::new();
    walk(files, path, 0, &mut found).map_err(|reason| {
        MemoryToolAnswer::error(format!("Error: The path {shown} cannot be changed: {reason}"))
    })?;
    Ok(found)
}

fn walk(
    files: &dyn ToolFiles,
    path: &str,
    depth: usize,
    found: &mut Vec<(RelPath, Content)>,
) -> Result<(), String> {
    if depth > MAX_DEPTH || found.len() >= MAX_FILES {
        return Err("it holds too many files".to_owned());
    }
    match files.found(path) {
        Some(EntryKind::File { .. }) => {
            let name = RelPath::parse(path).map_err(|refused| refused.rule.to_owned())?;
            found.push((name, Content(files.read(path)?)));
        }
        Some(EntryKind::Folder) => {
            let mut names = files.names(path);
            names.sort_unstable();
            for name in names {
                walk(files, &joined(path, &name), depth + 1, found)?;
            }
        }
        // A link or a device inside a folder: deleting around it would leave the folder half gone.
        None => return Err(format!("`{path}` is not a regular file")),
    }
    Ok(())
}
