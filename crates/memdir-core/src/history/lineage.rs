//! One file through time, under whatever names it had.

use jiff::Timestamp;

use crate::content_hash::ContentHash;
use crate::operation::{Operation, OperationId};
use crate::rel_path::RelPath;

/// A point in the past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moment {
    /// Right after this operation.
    After(OperationId),
    /// At this time.
    At(Timestamp),
}

impl Moment {
    /// Whether an operation was there already.
    fn includes(&self, operation: &Operation) -> bool {
        match self {
            Self::After(id) => operation.id == *id,
            Self::At(time) => operation.time <= *time,
        }
    }
}

/// A file as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// What it was called.
    pub path: RelPath,
    /// Which version it had.
    pub version: Version,
}

/// A version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// The one that it has now: nothing that is recorded has changed it since.
    Current,
    /// One that history names.
    Recorded(ContentHash),
    /// There was no file.
    None,
}

/// The operations that touched a file, newest first; its earlier names are followed.
#[must_use]
pub fn of_file<'o>(operations: &'o [Operation], path: &RelPath) -> Vec<&'o Operation> {
    let mut name = path.clone();
    let mut found = Vec::new();
    for operation in operations {
        let mut touched = false;
        let mut earlier = None;
        for change in &operation.changes {
            touched |= change.path == name || change.renamed_from.as_ref() == Some(&name);
            if change.path == name {
                earlier = change.renamed_from.clone().or(earlier);
            }
        }
        if touched {
            found.push(operation);
        }
        name = earlier.unwrap_or(name);
    }
    found
}

/// Which version a file had at a moment, found by walking back from now; `None` for an operation that is not
/// among the records.
#[must_use]
pub fn version_at(operations: &[Operation], path: &RelPath, moment: &Moment) -> Option<Past> {
    let mut past = Past { path: path.clone(), version: Version::Current };
    for operation in operations {
        if moment.includes(operation) {
            return Some(past);
        }
        let before = operation.changes.iter().find(|change| change.path == past.path);
        let away = operation.changes.iter().find(|change| change.renamed_from.as_ref() == Some(&past.path));
        let recorded = |hash: Option<ContentHash>| hash.map_or(Version::None, Version::Recorded);
        if let Some(change) = before {
            past.version = recorded(change.before);
            past.path = change.renamed_from.clone().unwrap_or(past.path);
        } else if let Some(change) = away {
            past.version = recorded(change.before);
        }
    }
    matches!(moment, Moment::At(_)).then_some(past)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::tests::operation;

    fn log() -> Vec<Operation> {
        let mut log = vec![
            operation(1, &["old.md: - -> 1", "MEMORY.md: - -> i"]),
            operation(2, &["old.md: 1 -> 2"]),
            operation(3, &["old.md=new.md: 2 -> 3"]),
            operation(4, &["other.md: - -> o"]),
            operation(5, &["new.md: 3 -> -"]),
        ];
        log.reverse();
        log
    }

    #[test]
    fn a_file_is_followed_to_its_first_name() {
        let names = |path: &str| -> Vec<String> {
            let path = RelPath::parse(path).unwrap();
            of_file(&log(), &path).iter().map(|found| found.reason.replace("operation ", "")).collect()
        };
        assert_eq!(names("new.md"), ["5", "3", "2", "1"]);
        assert_eq!(names("old.md"), ["3", "2", "1"]);
        assert_eq!(names("other.md"), ["4"]);
        assert_eq!(names("never.md"), [""; 0]);
    }

    #[test]
    fn a_version_is_found_by_operation_and_by_time() {
        let check = |path: &str, number: usize, expected: &str| {
            let log = log();
            let path = RelPath::parse(path).unwrap();
            let operation = &log[5 - number];
            for moment in [Moment::After(operation.id.clone()), Moment::At(operation.time)] {
                let past = version_at(&log, &path, &moment).unwrap();
                let version = match past.version {
                    Version::Current => "current".to_owned(),
                    Version::None => "none".to_owned(),
                    Version::Recorded(hash) => {
                        let known = ["1", "2", "3", "o", "i"];
                        let found = known.iter().find(|text| ContentHash::of(text.as_bytes()) == hash);
                        (*found.unwrap()).to_owned()
                    }
                };
                assert_eq!(format!("{} {version}", past.path), expected, "{moment:?}");
            }
        };
        check("new.md", 5, "new.md current");
        check("new.md", 4, "new.md 3");
        check("new.md", 3, "new.md 3");
        check("new.md", 2, "old.md 2");
        check("new.md", 1, "old.md 1");
        check("old.md", 1, "old.md 1");
        check("MEMORY.md", 3, "MEMORY.md current");
        check("other.md", 2, "other.md none");
        let path = RelPath::parse("new.md").unwrap();
        let before = Moment::At(Timestamp::UNIX_EPOCH);
        assert_eq!(version_at(&log(), &path, &before).unwrap().version, Version::None);
        assert_eq!(version_at(&log(), &path, &Moment::After(OperationId("x".into()))), None);
    }
}
