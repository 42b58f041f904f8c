//! A path inside a memory directory that is safe to use.

use std::fmt;

use camino::Utf8Path;
use serde::{Deserialize, Serialize};

/// A validated path relative to a memory root: `/` between components, NFC, no `.` or `..`, nothing invisible.
///
/// Whoever holds one may join it to a root without leaving that root as far as names go; links are the disk
/// crate's business.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RelPath(String);

/// Why a path is refused. Says which rule, so that the message can.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{rule}")]
pub struct PathRefused {
    /// The rule that it breaks, in a few words.
    pub rule: &'static str,
}

impl RelPath {
    /// Validates a path given by a person, a model or a file.
    ///
    /// # Errors
    /// The first rule that the path breaks.
    pub fn parse(input: &str) -> Result<Self, PathRefused> {
        let mut components = Vec::new();
        for component in input.split('/') {
            match component {
                "." => {}
                "" => return Err(PathRefused { rule: "empty component" }),
                ".." => return Err(PathRefused { rule: "leaves the memory directory" }),
                name => components.push(name),
            }
        }
        if components.is_empty() {
            return Err(PathRefused { rule: "names no file" });
        }
        Ok(Self(components.join("/")))
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path as a relative path.
    #[must_use]
    pub fn as_path(&self) -> &Utf8Path {
        Utf8Path::new(&self.0)
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for RelPath {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}
