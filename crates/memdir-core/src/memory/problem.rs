//! What is wrong with a memory's text, short of making it unreadable.

/// Something that was met while reading. The reading went on, and nothing was lost by it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Bytes that are not UTF-8 were read as U+FFFD.
    #[error("not valid UTF-8")]
    InvalidUtf8,
    /// A first line of `---`, and no closing one within reach.
    #[error("the frontmatter is never closed")]
    UnclosedFrontmatter,
    /// `---` inside a line of the frontmatter: the client takes it for the end.
    #[error("`---` inside the frontmatter ends it for the client")]
    DashesInFrontmatter,
    /// A line of the frontmatter that is neither a field, a comment nor part of a value.
    #[error("line {line} of the frontmatter is not understood")]
    BrokenLine {
        /// Counted from the opening `---`, which is line 1.
        line: usize,
    },
    /// A value that is not valid YAML; it was taken as it is.
    #[error("the value of `{key}` is not valid YAML")]
    BrokenValue {
        /// The field, with `metadata.` before a nested one.
        key: String,
    },
    /// A field that appears more than once; the last one counts.
    #[error("`{key}` appears more than once")]
    DuplicateKey {
        /// The field, with `metadata.` before a nested one.
        key: String,
    },
    /// A value of another kind where text is expected; the client ignores it.
    #[error("`{key}` is not text")]
    NotText {
        /// The field, with `metadata.` before a nested one.
        key: String,
    },
    /// A type outside the taxonomy; it is kept as it is.
    #[error("`{found}` is not one of user, feedback, project, reference")]
    UnknownType {
        /// The type as written.
        found: String,
    },
    /// A `modified` that is not a time.
    #[error("`{found}` is not a time")]
    BadTime {
        /// The value as written.
        found: String,
    },
}
