//! What goes to the team, and what never does.

use camino::Utf8Path;
use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::index::{OVERFLOW, add_line, remove_lines};
use memdir_core::plan::{Change, Content, Plan};
use memdir_core::rel_path::RelPath;
use memdir_core::team_key::TeamKey;
use memdir_lib::memory::{Catalogue, Entry, Memory, MemoryError};
use memdir_lib::team::TEAM_DIR;

use super::TeamError;
use super::index::{Coming, index_change};
use crate::private_rules::PrivateRules;

/// Plans to move a private memory to the team: the file, its links, its line in the index.
pub(super) fn plan_share(memory: &Memory, state_dir: &Utf8Path, name: &str) -> Result<Plan, TeamError> {
    let catalogue = memory.catalogue()?;
    let entry = private(memory, &catalogue, name)?;
    let path = entry.path.to_string();
    let private = |why: String| TeamError::Private { path: path.clone(), why };
    TeamKey::parse(&path).map_err(|refused| private(refused.to_string()))?;
    let content = memory.read(&entry.path)?.unwrap_or_default();
    let text = String::from_utf8(content).map_err(|_| private("it is not UTF-8 text".to_owned()))?;
    if let Some(why) = PrivateRules::load(state_dir)?.refusal(&path, &text) {
        return Err(private(why));
    }
    let shared = RelPath::parse(&format!("{TEAM_DIR}/{path}")).map_err(MemoryError::from)?;
    let mut plan = memory.plan_rename(entry, shared.as_str(), &catalogue)?;
    plan.reason = format!("share {path}");
    for change in &mut plan.changes {
        // The team's own index names it from now on.
        if let Change::Write { path, content, .. } = change
            && is_index(path)
        {
            *content = remove_lines(&String::from_utf8_lossy(&content.0), shared.as_str()).into();
        }
    }
    plan.changes.extend(index_change(memory, Some(Coming::Added(&path, entry.description.clone())))?);
    Ok(plan)
}

/// Plans to move a memory of the team back.
pub(super) fn plan_unshare(memory: &Memory, name: &str) -> Result<Plan, TeamError> {
    let catalogue = memory.catalogue()?;
    let shared = name.strip_prefix("team/").unwrap_or(name);
    let entry = match catalogue.find(&format!("{TEAM_DIR}/{shared}"), memory) {
        Err(MemoryError::NotFound { .. }) => match catalogue.find(&format!("{TEAM_DIR}/{shared}.md"), memory)
        {
            Err(MemoryError::NotFound { .. }) => catalogue.find(shared, memory)?,
            found => found?,
        },
        found => found?,
    };
    let path = entry.path.to_string();
    let Some(key) = path.strip_prefix("team/") else {
        return Err(TeamError::Private { path, why: "it is not the team's".to_owned() });
    };
    let mut plan = memory.plan_rename(entry, key, &catalogue)?;
    plan.reason = format!("take {key} back from the team");
    plan.changes.extend(index_change(memory, Some(Coming::Removed(key)))?);
    let index = RelPath::parse(ENTRYPOINT).map_err(MemoryError::from)?;
    let title = RelPath::parse(key).map_err(MemoryError::from)?;
    let title = title.as_path().file_stem().unwrap_or_default().to_owned();
    let hook = entry.description.clone().unwrap_or_default();
    let line = |text: &str| add_line(&remove_lines(text, &path), &title, key, &hook);
    for change in &mut plan.changes {
        if let Change::Write { path, content, .. } = change
            && *path == index
        {
            *content = line(&remove_lines(&String::from_utf8_lossy(&content.0), key)).into();
            return Ok(plan);
        }
    }
    let base = memory.read(&index)?;
    let text = line(&String::from_utf8_lossy(base.as_deref().unwrap_or_default()));
    plan.changes.push(Change::Write { path: index, content: text.into(), base: base.map(Content) });
    Ok(plan)
}

/// A private memory by its name; one of the team that has the same is not meant.
fn private<'c>(memory: &Memory, catalogue: &'c Catalogue, name: &str) -> Result<&'c Entry, TeamError> {
    let found = catalogue.find(name, memory);
    let entry = match found {
        Err(MemoryError::Ambiguous { name, candidates }) => {
            let mut private = candidates.iter().filter(|path| !path.starts_with("team/"));
            match (private.next(), private.next()) {
                (Some(only), None) => catalogue.find(only, memory)?,
                _ => return Err(MemoryError::Ambiguous { name, candidates }.into()),
            }
        }
        found => found?,
    };
    let path = entry.path.as_str();
    if path.starts_with("team/") {
        return Err(TeamError::SharedAlready(path.to_owned()));
    }
    Ok(entry)
}

fn is_index(path: &RelPath) -> bool {
    [ENTRYPOINT, OVERFLOW].contains(&path.as_str())
}
