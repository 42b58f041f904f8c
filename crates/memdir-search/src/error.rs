use std::io;

use camino::Utf8PathBuf;

/// Why a search could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// A file of the index, or of the user's, could not be read.
    #[error("cannot read `{path}`")]
    Read {
        /// The file.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The index could not be written. Searching works without, only slower.
    #[error("cannot write the search index in `{path}`")]
    Write {
        /// The folder.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the index is damaged; the next search that may write builds it anew.
    #[error("the search index is damaged: {what}")]
    Damaged {
        /// What is wrong.
        what: &'static str,
    },
}

/// Something that has been read does not fit together.
pub(crate) fn damaged<T>(what: &'static str) -> Result<T, SearchError> {
    Err(SearchError::Damaged { what })
}
