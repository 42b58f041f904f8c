use crate::memory::frontmatter::EditRefused;
use crate::rel_path::RelPath;

/// Why a change was not planned. Nothing has been touched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangeRefused {
    /// A memory of that name is there already.
    #[error("`{path}` exists already")]
    Exists {
        /// Its path.
        path: RelPath,
    },
    /// The index is kept by the other commands.
    #[error("`{path}` is the index, not a memory")]
    IsIndex {
        /// Its path.
        path: RelPath,
    },
    /// An edit would lose bytes that are not UTF-8.
    #[error("`{path}` is not valid UTF-8, so it cannot be edited without loss")]
    NotText {
        /// Its path.
        path: RelPath,
    },
    /// A text with a zero byte, which agents' tools cut off or refuse.
    #[error("the text of `{path}` holds a zero byte, so it is not plain text")]
    Nul {
        /// The file.
        path: RelPath,
    },
    /// A name without anything in it.
    #[error("`{path}` needs a name")]
    NoName {
        /// The file.
        path: RelPath,
    },
    /// A description that cannot be a line of an index.
    #[error(
        "the description of `{path}` has {length} characters; at most {} are allowed",
        super::MAX_DESCRIPTION
    )]
    LongDescription {
        /// The file.
        path: RelPath,
        /// How long it is.
        length: usize,
    },
    /// Two memories cannot replace each other.
    #[error("`{path}` cannot replace `{other}`, which replaces it or is the same memory")]
    Circular {
        /// The file.
        path: RelPath,
        /// What it should have replaced.
        other: RelPath,
    },
    /// The frontmatter does not allow it.
    #[error("cannot change `{path}`: {reason}")]
    Field {
        /// The file.
        path: RelPath,
        /// What is in the way.
        reason: EditRefused,
    },
}
