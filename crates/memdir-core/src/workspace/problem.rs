use crate::outline::Obstacle;

/// Something in the file that was met while reading. The reading went on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceProblem {
    /// Bytes that are not UTF-8; the file is not changed.
    #[error("not valid UTF-8: memdir reads it as well as it can and will not change it")]
    NotUtf8,
    /// The file is not changed.
    #[error("{0}; memdir will not change the file until that is fixed")]
    Obstacle(Obstacle),
    /// A row with fewer cells than the table has columns.
    #[error("line {line}: the row has fewer cells than the table has columns")]
    ShortRow {
        /// Counted from 1.
        line: usize,
    },
    /// A row with more cells than the table has columns: usually a bar that should be `\|`.
    #[error(
        "line {line}: the row has more cells than the table has columns; a bar within a cell is written `\\|`"
    )]
    LongRow {
        /// Counted from 1.
        line: usize,
    },
    /// A row that names nothing.
    #[error("line {line}: the row names no {what}")]
    NoName {
        /// Counted from 1.
        line: usize,
        /// What it should name.
        what: &'static str,
    },
    /// Two rows for one project; the first counts.
    #[error("line {line}: `{key}` is registered a second time")]
    Twice {
        /// Counted from 1.
        line: usize,
        /// The project.
        key: String,
    },
    /// A table whose columns say nothing that we know.
    #[error("line {line}: this table has no column for the {missing}")]
    UnknownTable {
        /// Counted from 1.
        line: usize,
        /// The column that is missing.
        missing: &'static str,
    },
}
