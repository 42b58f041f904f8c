//! The temporary names of one operation inside a memory directory.

use jiff::Timestamp;
use memdir_core::operation::OperationId;
use memdir_core::rel_path::{RelPath, TEMPORARY_PREFIX};

use crate::process_mark::ProcessMark;

/// Whether a file name is one that an operation gave to a temporary file, so that recovery knows what to do with it.
#[must_use]
pub fn is_temporary_name(name: &str) -> bool {
    Temporary::parse(name).is_some()
}

/// A name that says whose it is, which operation it serves and for which file, so that a process that finds it
/// later knows what to do with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Temporary {
    pub(crate) owner: ProcessMark,
    pub(crate) operation: OperationId,
    pub(crate) file: String,
    pub(crate) stage: Stage,
}

/// What is under a temporary name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// A file that is being written: worthless once its writer is gone.
    Writing,
    /// A file that is complete, ours or a displaced one: it must be looked at.
    Swapped,
}

impl Temporary {
    /// A name for a file of an operation; `number` tells the tries apart.
    pub(crate) fn name(operation: &OperationId, path: &RelPath, number: u32, stage: Stage) -> String {
        let (owner, file, ending) = (ProcessMark::own(), file_tag(path), stage.ending());
        format!("{TEMPORARY_PREFIX}{owner}-{operation}-{file}-{number}{ending}")
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        let rest = name.strip_prefix(TEMPORARY_PREFIX)?;
        let stage =
            [Stage::Writing, Stage::Swapped].into_iter().find(|stage| rest.ends_with(stage.ending()))?;
        let mut parts = rest.strip_suffix(stage.ending())?.split('-');
        let owner = ProcessMark::parse(parts.next()?)?;
        let operation = OperationId(parts.next()?.to_owned());
        let file = parts.next()?.to_owned();
        // Where files cannot be exchanged, a second ending tells the old file from the new one.
        parts.next()?.trim_end_matches(stage.ending()).parse::<u32>().ok()?;
        parts.next().is_none().then_some(Self { owner, operation, file, stage })
    }

    /// The id of what replaces a file that follows from others: history has no such operation.
    pub(crate) fn derived_operation(random: u64) -> OperationId {
        OperationId::new(Timestamp::UNIX_EPOCH, random)
    }

    /// Whether it was to take the place of a file that follows from others, which can be made again.
    pub(crate) fn is_of_derived_file(&self) -> bool {
        const TIME_LETTERS: usize = 10;
        let epoch = Self::derived_operation(0);
        self.operation.0.get(..TIME_LETTERS) == epoch.0.get(..TIME_LETTERS)
    }

    pub(crate) fn stands_for(&self, path: &RelPath) -> bool {
        self.file == file_tag(path)
    }
}

impl Stage {
    fn ending(self) -> &'static str {
        match self {
            Self::Writing => ".tmp",
            Self::Swapped => ".swap",
        }
    }
}

fn file_tag(path: &RelPath) -> String {
    blake3::hash(path.as_str().as_bytes()).to_hex().chars().take(12).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_strangers_do_not() {
        let (operation, path) = (OperationId("01hf7yat00zzzzzzzz".into()), RelPath::parse("a/b.md").unwrap());
        for stage in [Stage::Writing, Stage::Swapped] {
            let name = Temporary::name(&operation, &path, 7, stage);
            let read = Temporary::parse(&name).unwrap();
            assert_eq!((read.owner, &read.operation, read.stage), (ProcessMark::own(), &operation, stage));
            assert!(read.stands_for(&path) && !read.stands_for(&RelPath::parse("b.md").unwrap()));
        }
        for name in [
            "x.tmp",
            ".memdir-.tmp",
            ".memdir-1.2.3-op-file-x.tmp",
            ".memdir-1.2.3-op-file-1",
            ".memdir-notes.md",
        ] {
            assert_eq!(Temporary::parse(name), None, "{name}");
        }
    }
}
