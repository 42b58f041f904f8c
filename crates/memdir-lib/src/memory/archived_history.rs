use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::operation::Operation;
use memdir_core::plan::Content;
use memdir_disk::history::Outcome;
use serde::{Deserialize, Serialize};

use super::{Memory, MemoryError};

/// One operation of a history in an archive, and the versions that no line before it has.
#[derive(Serialize, Deserialize)]
struct Line {
    operation: Operation,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    versions: Vec<Content>,
}

/// Ids of operations are shorter.
const MAX_ID: usize = 32;

impl Memory {
    /// The history of this directory for an archive, one JSON object a line, oldest first; `None` if it has none.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn history_lines(&self) -> Result<Option<Vec<u8>>, MemoryError> {
        let Some(history) = self.history() else { return Ok(None) };
        let operations = history.read()?.operations.into_iter();
        let done: Vec<Operation> = operations
            .filter(|(_, outcome)| *outcome == Outcome::Done)
            .map(|(operation, _)| operation)
            .collect();
        let named = done.iter().flat_map(named_versions).collect::<BTreeSet<ContentHash>>();
        let mut contents = history.contents(&named)?;
        let mut lines = Vec::new();
        for operation in done {
            let versions = named_versions(&operation).filter_map(|hash| contents.remove(&hash).map(Content));
            let line = Line { versions: versions.collect(), operation };
            serde_json::to_writer(&mut lines, &line).map_err(|_| MemoryError::ArchivedHistory)?;
            lines.push(b'\n');
        }
        Ok((!lines.is_empty()).then_some(lines))
    }

    /// Takes over a history from an archive; `false` if this directory has one already. Consent that was given elsewhere
    /// does not count here.
    ///
    /// # Errors
    /// The history cannot be understood or written.
    pub fn take_history(&mut self, lines: &[u8], now: Timestamp) -> Result<bool, MemoryError> {
        let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let lines: Result<Vec<Line>, _> = lines.map(serde_json::from_slice).collect();
        let mut lines = lines.map_err(|_| MemoryError::ArchivedHistory)?;
        let is_id = |id: &str| id.len() <= MAX_ID && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !lines.iter().all(|line| is_id(&line.operation.id.0)) {
            return Err(MemoryError::ArchivedHistory);
        }
        let store = self.sighted(now)?;
        let Some(history) = self.history() else { return Ok(false) };
        if !history.read()?.operations.is_empty() {
            return Ok(false);
        }
        let mut contents: BTreeMap<ContentHash, Vec<u8>> = BTreeMap::new();
        for Line { operation, versions } in &mut lines {
            contents.extend(versions.drain(..).map(|content| (content.hash(), content.0)));
            operation.plan = None;
            operation.store = store.clone();
            operation.memory_dir = self.here.memory_dir.clone();
            let content =
                |hash: Option<ContentHash>| hash.and_then(|hash| contents.get(&hash)).map(Vec::as_slice);
            let pairs: Vec<_> = operation
                .changes
                .iter()
                .map(|change| (content(change.before), content(change.after)))
                .collect();
            history.record_observed(operation, &pairs)?;
        }
        Ok(true)
    }
}

/// Every version that an operation names.
fn named_versions(operation: &Operation) -> impl Iterator<Item = ContentHash> {
    operation.changes.iter().flat_map(|change| [change.before, change.after]).flatten()
}
