use memdir_core::rel_path::RelPath;
use memdir_core::workspace::{Relation, WorkspaceMap};

use super::{Workspace, WorkspaceError};
use crate::memory::MemoryError;

/// The largest index of a journal that is read here.
const MAX_INDEX_BYTES: u64 = 1 << 20;

impl Workspace {
    /// The index of another project's journal; `None` if it keeps none.
    ///
    /// # Errors
    /// It is a link or too large, or the system fails.
    pub fn journal_index(&self, key: &str) -> Result<Option<String>, WorkspaceError> {
        // A key is one name: anything else in the map leads nowhere.
        let path = match RelPath::parse(&format!("projects/{key}/_index.md")) {
            Ok(path) if !key.contains('/') && !key.starts_with('.') => path,
            _ => return Ok(None),
        };
        let Some(root) = self.memory.root() else { return Ok(None) };
        let bytes = root.read(&path, MAX_INDEX_BYTES).map_err(MemoryError::from)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The related projects of a project, a line each: what they are, where, and what their journals are about. Not
    /// quoted; empty if there are none.
    ///
    /// # Errors
    /// As [`Workspace::map`].
    pub fn related_lines(&self, key: &str) -> Result<Vec<String>, WorkspaceError> {
        let map = self.map()?;
        let relations = map.relations_of(key);
        if relations.is_empty() {
            return Ok(Vec::new());
        }
        let mut lines: Vec<String> = relations.iter().map(|relation| describe(relation, key, &map)).collect();
        for initiative in map.initiatives_of(key) {
            lines.push(format!(
                "initiative {} ({}): {}",
                initiative.name, initiative.status, initiative.notes
            ));
        }
        for relation in &relations {
            let (other, _) = relation.seen_from(key);
            // An index that cannot be read is not a reason to say nothing about the others.
            let Ok(Some(index)) = self.journal_index(other) else { continue };
            let state = index.lines().skip_while(|line| !line.starts_with("## Current State")).skip(1);
            let state =
                state.take_while(|line| !line.starts_with('#')).filter(|line| !line.trim().is_empty());
            lines.extend(
                state.take(6).map(|line| format!("{other}: {}", line.trim().trim_start_matches("- "))),
            );
        }
        Ok(lines)
    }
}

fn describe(relation: &Relation, key: &str, map: &WorkspaceMap) -> String {
    let (other, how) = relation.seen_from(key);
    let mut line = format!("{key} {how} {other}");
    if let Some(project) = map.project(other) {
        line.push_str(&format!(" (at {}", project.path));
        if !project.description.is_empty() {
            line.push_str(&format!("; {}", project.description));
        }
        line.push(')');
    }
    if !relation.note.is_empty() {
        line.push_str(&format!(": {}", relation.note));
    }
    line
}
