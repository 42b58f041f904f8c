//! Whether what a memory says about its project is still so.
//!
//! A memory names files, lines, symbols, commands and other memories. [`citations`] finds these in its text, and
//! [`Verifier`] looks each of them up: fresh, changed or gone. What cannot be decided within bounds is left out
//! rather than guessed.

mod cite;
mod lookup;
mod project_view;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use cite::{MAX_CITATIONS, citations};
pub use lookup::Verifier;
pub use project_view::Effort;

/// Something that a memory refers to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Cited {
    /// A file or directory of the project.
    Path {
        /// As written, without `./` and a trailing slash.
        path: String,
        /// The line in it.
        line: Option<usize>,
        /// Whether it can be nothing else than a path: `src/a.rs` is one, `origin/main` may be none.
        certain: bool,
    },
    /// A name in code: `snake_case`, `camelCase`, `Type::method`, `call()`.
    Symbol(String),
    /// Something that one types to have the project do something.
    Command(String),
    /// Another memory.
    Link(String),
}

impl Cited {
    /// The word for its kind in machine output.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Path { .. } => "path",
            Self::Symbol(_) => "symbol",
            Self::Command(_) => "command",
            Self::Link(_) => "link",
        }
    }
}

impl std::fmt::Display for Cited {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Path { path, line: Some(line), .. } => write!(formatter, "{path}:{line}"),
            Self::Path { path: text, .. } | Self::Symbol(text) | Self::Command(text) => {
                formatter.write_str(text)
            }
            Self::Link(target) => write!(formatter, "[[{target}]]"),
        }
    }
}

/// One thing that a memory refers to, and where it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// What.
    pub cited: Cited,
    /// The line of the memory, counted from 1.
    pub line: usize,
}

/// What became of something that a memory refers to, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Freshness {
    /// It is there.
    Fresh,
    /// It is there, and no longer as the memory says.
    Changed,
    /// It is not there.
    Gone,
}

impl Freshness {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Changed => "changed",
            Self::Gone => "gone",
        }
    }
}

/// A citation that was looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The citation.
    pub citation: Citation,
    /// What became of it.
    pub freshness: Freshness,
    /// Why it is not fresh, in a few words.
    pub why: Option<String>,
}
