use crate::outline::Obstacle;

/// Something in a file of the profile that was met while reading. The reading went on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileProblem {
    /// Bytes that are not UTF-8; the file is not changed.
    #[error("not valid UTF-8: memdir reads it as well as it can and will not change it")]
    NotUtf8,
    /// The file is not changed.
    #[error("{0}; memdir will not change the file until that is fixed")]
    Obstacle(Obstacle),
    /// A mark that is neither yes nor no: it counts as no.
    #[error("line {line}: `{found}` is neither yes nor no")]
    NeitherYesNorNo {
        /// Counted from 1.
        line: usize,
        /// What is there.
        found: String,
    },
}
