//! The operations of a history that mention a file.

use std::collections::HashSet;
use std::fs;

use memchr::memmem;
use memdir_core::operation::OperationId;

use super::frame::{FrameKind, scan};
use super::{
    AmendmentHeader, History, Outcome, Recorded, segment, take_amendment, take_operation, take_outcome,
};
use crate::disk_error::DiskError;

/// What is in the record of every undo, and in no other.
const UNDO: &[u8] = b"\"undo_of\":";

impl History {
    /// The operations whose records mention one of some names, and every undo, newest first; the earlier names of a
    /// file that was renamed are mentioned, too. Records that mention none are not parsed, segments that mention none
    /// are only searched, and one segment is in memory at a time.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn mentioning(&self, names: &[&str]) -> Result<Recorded, DiskError> {
        let mut needles: HashSet<Vec<u8>> = names.iter().map(|name| written(name)).collect();
        let mut found = Recorded::default();
        for number in segment::numbers(self.dir())?.into_iter().rev() {
            let path = segment::path(self.dir(), number);
            found.note_cut(&path);
            match fs::read(&path) {
                Ok(bytes) => take_mentioning(&bytes, &mut needles, &mut found),
                Err(error) => found.problems.push(format!("cannot read `{path}`: {error}")),
            }
        }
        Ok(found)
    }
}

/// Adds the operations of one segment, newest first.
fn take_mentioning(bytes: &[u8], needles: &mut HashSet<Vec<u8>>, found: &mut Recorded) {
    if !mentions(bytes, needles) {
        return;
    }
    let (frames, _) = scan(bytes);
    loop {
        let known = needles.len();
        let mut recorded = Recorded::default();
        // An amendment may be the only one that mentions a file.
        let amended: HashSet<OperationId> = frames
            .iter()
            .filter(|(_, frame)| frame.kind == FrameKind::Amendment && mentions(frame.header, needles))
            .filter_map(|(_, frame)| serde_json::from_slice::<AmendmentHeader>(frame.header).ok())
            .map(|header| header.operation)
            .collect();
        let is_amended =
            |header: &[u8]| amended.iter().any(|id| memmem::find(header, id.0.as_bytes()).is_some());
        for (_, frame) in &frames {
            let understood = match frame.kind {
                FrameKind::Operation if mentions(frame.header, needles) || is_amended(frame.header) => {
                    take_operation(frame.header, &mut recorded)
                }
                FrameKind::Amendment => take_amendment(frame.header, &mut recorded),
                FrameKind::Outcome => take_outcome(frame.header, &mut recorded),
                _ => Some(()),
            };
            if understood.is_none() {
                recorded.problems.push("a record is not understood".to_owned());
            }
        }
        let changes = recorded.operations.iter().flat_map(|(operation, _)| &operation.changes);
        let renamed = changes.filter(|change| needles.contains(&written(change.path.as_str())));
        let earlier: Vec<Vec<u8>> =
            renamed.filter_map(|change| Some(written(change.renamed_from.as_ref()?.as_str()))).collect();
        needles.extend(earlier);
        if needles.len() == known {
            recorded.operations.retain(|(_, outcome)| *outcome != Outcome::Aborted);
            found.operations.extend(recorded.operations.into_iter().rev());
            found.problems.append(&mut recorded.problems);
            return;
        }
    }
}

fn mentions(bytes: &[u8], needles: &HashSet<Vec<u8>>) -> bool {
    memmem::find(bytes, UNDO).is_some() || needles.iter().any(|needle| memmem::find(bytes, needle).is_some())
}

/// A name as it is written in a record, without the quotes: also a part of a path is found by it.
fn written(name: &str) -> Vec<u8> {
    let quoted = serde_json::to_string(name).unwrap_or_default();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().as_bytes().to_vec()
}
