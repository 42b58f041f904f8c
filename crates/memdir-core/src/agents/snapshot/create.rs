//! Making a snapshot.

use jiff::{Timestamp, Unit};

use super::{BadSnapshot, Files, MANIFEST, MAX_FILES, MAX_TOTAL_BYTES, Manifest, VERSION};
use crate::plan::{Change, Content, Plan};
use crate::rel_path::RelPath;

/// A snapshot to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// When, as the manifest says it.
    pub created: Timestamp,
    /// What to change in the directory of the snapshot.
    pub plan: Plan,
}

/// Plans to make the snapshot hold exactly `memory`. `before` is what its directory holds now, the manifest
/// included. `None` if the snapshot holds that already.
///
/// # Errors
/// The memory is too large to be handed on.
pub fn create(memory: &Files, before: &Files, now: Timestamp) -> Result<Option<Created>, BadSnapshot> {
    let total: u64 = memory.values().map(|content| content.0.len() as u64).sum();
    if memory.len() > MAX_FILES || total > MAX_TOTAL_BYTES {
        return Err(BadSnapshot::TooMuch);
    }
    let manifest_path =
        RelPath::parse(MANIFEST).map_err(|error| BadSnapshot::NoManifest(error.to_string()))?;
    let old = before.get(&manifest_path).and_then(|content| Manifest::parse(&content.0).ok());
    let files = memory.iter().map(|(path, content)| (path.clone(), content.hash())).collect();
    // Two snapshots of one second would look like one.
    let rounded = now.round(Unit::Second).unwrap_or(now);
    let created = match &old {
        Some(old) if old.created >= rounded => {
            old.created.saturating_add(jiff::SignedDuration::from_secs(1)).unwrap_or(old.created)
        }
        _ => rounded,
    };
    let mut plan = Plan::new("make a snapshot of an agent's memory");
    for (path, content) in memory {
        let base = before.get(path);
        if base != Some(content) {
            plan.changes.push(Change::Write {
                path: path.clone(),
                content: content.clone(),
                base: base.cloned(),
            });
        }
    }
    for (path, base) in before.iter().filter(|(path, _)| path.is_markdown() && !memory.contains_key(path)) {
        plan.changes.push(Change::Delete { path: path.clone(), base: base.clone() });
    }
    if plan.changes.is_empty() && old.is_some_and(|old| old.files == files) {
        return Ok(None);
    }
    let manifest = Manifest { v: VERSION, created, files };
    let mut text = serde_json::to_string_pretty(&manifest)
        .map_err(|error| BadSnapshot::NoManifest(error.to_string()))?;
    text.push('\n');
    let base = before.get(&manifest_path).cloned();
    plan.changes.push(Change::Write { path: manifest_path, content: Content::from(text), base });
    Ok(Some(Created { created, plan }))
}
