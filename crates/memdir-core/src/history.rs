//! Questions about what was done to a memory directory, answered from its operation records.
//!
//! Every function takes the records newest first, in the order in which they were recorded: a clock that jumps
//! back changes times and ids, and not what came after what.

use std::collections::BTreeMap;

use self::short_ids::ShortIds;
use crate::operation::{Author, AuthorKind, Operation, OperationId};

pub mod lineage;
pub mod short_ids;
pub mod undo;

/// Which operations are undone, and by which: an undo that was itself undone does not count.
#[must_use]
pub fn undone(operations: &[Operation]) -> BTreeMap<&OperationId, &OperationId> {
    let mut undone = BTreeMap::new();
    for operation in operations {
        if let Some(target) = operation.undo_of.as_ref().filter(|_| !undone.contains_key(&operation.id)) {
            undone.entry(target).or_insert(&operation.id);
        }
    }
    undone
}

/// What `undo` undoes if nothing is named: the caller's last operation that is not an undo and still holds. One that was
/// brought back by `redo` counts as done then; what extraction and dreams did for a person counts as theirs.
#[must_use]
pub fn last_to_undo<'o>(operations: &'o [Operation], asker: &Author) -> Option<&'o Operation> {
    let undone = undone(operations);
    let find = |id: &OperationId| operations.iter().find(|operation| operation.id == *id);
    let standing = operations
        .iter()
        .filter(|operation| is_by(operation, asker) || is_for(operation, asker))
        .filter(|operation| !undone.contains_key(&operation.id))
        .filter_map(|operation| match &operation.undo_of {
            None => Some(operation),
            Some(target) => find(find(target)?.undo_of.as_ref()?),
        });
    let mut candidates = standing.filter(|operation| operation.undo_of.is_none() && has_effect(operation));
    candidates.find(|operation| !undone.contains_key(&operation.id))
}

/// What `redo` redoes: the caller's last undo that still holds.
#[must_use]
pub fn last_to_redo<'o>(operations: &'o [Operation], asker: &Author) -> Option<&'o Operation> {
    let undone = undone(operations);
    let is_undo = |id: &OperationId| {
        operations.iter().any(|operation| operation.id == *id && operation.undo_of.is_some())
    };
    operations.iter().find(|operation| {
        operation.undo_of.as_ref().is_some_and(|target| !is_undo(target))
            && is_by(operation, asker)
            && !undone.contains_key(&operation.id)
    })
}

/// Finds an operation by its id, or by a unique beginning of it. A unique end of at least four characters is accepted,
/// too: earlier versions printed the end.
///
/// # Errors
/// None has it, or more than one.
pub fn find<'o>(operations: &'o [Operation], wanted: &str) -> Result<&'o Operation, NoSuchOperation> {
    let wanted_lower = wanted.to_ascii_lowercase();
    let matches = |operation: &&Operation| {
        let id = operation.id.0.as_str();
        !wanted_lower.is_empty() && id.starts_with(&wanted_lower)
    };
    let ends =
        |operation: &&Operation| wanted_lower.len() >= MIN_DIGITS && operation.id.0.ends_with(&wanted_lower);
    if let Some(exact) = operations.iter().find(|operation| operation.id.0 == wanted_lower) {
        return Ok(exact);
    }
    let by_start: Vec<&Operation> = operations.iter().filter(matches).collect();
    let by_end = || operations.iter().filter(ends).collect();
    let mut found = if by_start.is_empty() { by_end() } else { by_start }.into_iter();
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (Some(one), Some(two)) => Err(NoSuchOperation::Ambiguous {
            wanted: wanted.to_owned(),
            candidates: {
                let ids = ShortIds::of(operations);
                let found = [one, two].into_iter().chain(found).take(8);
                found.map(|found| ids.short(&found.id).to_owned()).collect()
            },
        }),
        _ => Err(NoSuchOperation::Unknown { wanted: wanted.to_owned() }),
    }
}

/// A shorter end of an id is too likely to match by chance.
const MIN_DIGITS: usize = 4;

/// Why an id names no operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoSuchOperation {
    /// None has it.
    #[error("there is no operation `{wanted}`")]
    Unknown {
        /// What was asked for.
        wanted: String,
    },
    /// More than one has it.
    #[error("`{wanted}` is ambiguous: {}", candidates.join(", "))]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// Unique beginnings of some that begin or end like it.
        candidates: Vec<String>,
    },
}

/// Whether an operation changed anything; a version that was only seen is recorded too.
#[must_use]
pub fn has_effect(operation: &Operation) -> bool {
    // What carried out a plan may have done more than its changes of memory: a move did.
    operation.plan.is_some()
        || operation
            .changes
            .iter()
            .any(|change| change.before != change.after || change.renamed_from.is_some())
}

/// Whether the caller is the author. An agent answers for its own session only.
fn is_by(operation: &Operation, asker: &Author) -> bool {
    let author = &operation.author;
    author.kind == asker.kind
        && (author.kind == AuthorKind::Person || (&author.id, &author.session) == (&asker.id, &asker.session))
}

/// Whether memdir did it by itself for the person who asks.
fn is_for(operation: &Operation, asker: &Author) -> bool {
    asker.kind == AuthorKind::Person
        && matches!(operation.author.kind, AuthorKind::Extract | AuthorKind::Dream)
        && operation.undo_of.is_none()
}

#[cfg(test)]
pub(crate) mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::content_hash::ContentHash;
    use crate::operation::{ChangeRecord, StoreId};
    use crate::rel_path::RelPath;

    /// An operation from `path: before -> after`, `-` for nothing and `old=new` for a rename.
    pub(crate) fn operation(number: u64, changes: &[&str]) -> Operation {
        let version = |text: &str| (text != "-").then(|| ContentHash::of(text.as_bytes()));
        let changes = changes.iter().map(|change| {
            let (path, versions) = change.split_once(": ").unwrap();
            let (before, after) = versions.split_once(" -> ").unwrap();
            let (renamed_from, path) = match path.split_once('=') {
                Some((old, new)) => (Some(RelPath::parse(old).unwrap()), new),
                None => (None, path),
            };
            ChangeRecord {
                path: RelPath::parse(path).unwrap(),
                before: version(before),
                after: version(after),
                renamed_from,
            }
        });
        let time = Timestamp::from_second(1_700_000_000 + i64::try_from(number).unwrap()).unwrap();
        Operation {
            v: 1,
            id: OperationId::new(time, number),
            time,
            author: Author::person(),
            reason: format!("operation {number}"),
            store: StoreId::new(1),
            memory_dir: "/m".into(),
            changes: changes.collect(),
            undo_of: None,
            plan: None,
        }
    }

    fn undo(number: u64, of: &Operation) -> Operation {
        Operation { undo_of: Some(of.id.clone()), ..operation(number, &["a.md: 1 -> 0"]) }
    }

    #[test]
    fn undo_walks_back_and_redo_walks_forward() {
        let person = Author::person();
        let (one, two) = (operation(1, &["a.md: - -> 1"]), operation(2, &["a.md: 1 -> 2"]));
        let mut log = vec![two.clone(), one.clone()];
        let next = |log: &[Operation]| last_to_undo(log, &person).map(|found| found.reason.clone());
        let again = |log: &[Operation]| last_to_redo(log, &person).and_then(|found| found.undo_of.clone());
        assert_eq!((next(&log).as_deref(), again(&log)), (Some("operation 2"), None));
        log.insert(0, undo(3, &two));
        assert_eq!((next(&log).as_deref(), again(&log)), (Some("operation 1"), Some(two.id.clone())));
        log.insert(0, undo(4, &one));
        assert_eq!((next(&log), again(&log)), (None, Some(one.id.clone())));
        let redo = undo(5, &log[0]);
        log.insert(0, redo);
        assert_eq!((next(&log).as_deref(), again(&log)), (Some("operation 1"), Some(two.id.clone())));
        let redo = undo(6, &log[2].clone());
        log.insert(0, redo);
        assert_eq!((next(&log).as_deref(), again(&log)), (Some("operation 2"), None));
    }

    #[test]
    fn what_was_brought_back_last_is_taken_back_first() {
        let person = Author::person();
        let (one, two) = (operation(1, &["a.md: - -> 1"]), operation(3, &["b.md: - -> 2"]));
        let taken_back = undo(2, &one);
        let redo = undo(4, &taken_back);
        let mut log = vec![redo, two, taken_back, one.clone()];
        let next = |log: &[Operation]| last_to_undo(log, &person).map(|found| found.reason.clone());
        assert_eq!(next(&log).as_deref(), Some("operation 1"));
        log.insert(0, undo(5, &one));
        assert_eq!(next(&log).as_deref(), Some("operation 3"));
    }

    #[test]
    fn everybody_takes_back_their_own() {
        let agent = |session: &str| Author {
            kind: AuthorKind::Agent,
            id: Some("claude-code".into()),
            session: Some(session.into()),
        };
        let by = |number, author: &Author| Operation {
            author: author.clone(),
            ..operation(number, &["a.md: 1 -> 2"])
        };
        let seen = operation(4, &["b.md: 1 -> 1"]);
        let log = [seen, by(3, &agent("one")), by(2, &agent("two")), by(1, &Author::person())];
        let found = |asker: &Author| last_to_undo(&log, asker).map(|found| found.reason.clone());
        assert_eq!(found(&agent("two")).as_deref(), Some("operation 2"));
        assert_eq!(found(&Author::person()).as_deref(), Some("operation 1"));
        assert_eq!(found(&agent("three")), None);
    }

    #[test]
    fn a_unique_piece_of_an_id_is_enough() {
        let log = [operation(2, &[]), operation(1, &[])];
        for operation in &log {
            let id = operation.id.0.as_str();
            for wanted in [id, &id[10..], &id[..14], &id.to_uppercase()] {
                assert_eq!(find(&log, wanted).map(|found| &found.id), Ok(&operation.id), "{wanted}");
            }
        }
        assert!(find(&log, "01hf").unwrap_err().to_string().contains("ambiguous"));
        for unknown in ["", "zzzz", "memory"] {
            assert!(find(&log, unknown).unwrap_err().to_string().contains("no operation"), "{unknown}");
        }
    }
}
