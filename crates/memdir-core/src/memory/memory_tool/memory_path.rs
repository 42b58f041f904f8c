//! A path that a model gives to the memory tool.

use super::MemoryToolAnswer;
use crate::rel_path::RelPath;

/// The folder that represents the memory directory.
const ROOT: &str = "/memories";

/// A path below `/memories`, or `/memories` itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryPath {
    below: Option<RelPath>,
}

impl MemoryPath {
    /// Reads a path. `/memoriesX` is not below `/memories`; `..`, in whatever spelling, is refused.
    ///
    /// # Errors
    /// The answer for the model, which names the rule and the path.
    pub fn parse(input: &str) -> Result<Self, MemoryToolAnswer> {
        let refused =
            |rule: &str| MemoryToolAnswer::error(format!("Error: The path {input} is not allowed: {rule}"));
        let outside = || refused("it must be /memories or be below it");
        let rest = input.strip_prefix(ROOT).ok_or_else(outside)?;
        if !rest.is_empty() && !rest.starts_with('/') {
            return Err(outside());
        }
        let rest = rest.trim_matches('/');
        if rest.is_empty() {
            return Ok(Self { below: None });
        }
        let lower = rest.to_ascii_lowercase();
        if ["%2e", "%2f", "%5c", "%00"].iter().any(|encoded| lower.contains(encoded)) {
            return Err(refused("it holds an encoded separator"));
        }
        let below = RelPath::parse(rest).map_err(|error| refused(error.rule))?;
        Ok(Self { below: Some(below) })
    }

    /// The path in the directory; `""` for the directory itself.
    #[must_use]
    pub fn relative(&self) -> &str {
        self.below.as_ref().map_or("", RelPath::as_str)
    }

    /// The path as a name of a file or folder inside the directory; `None` for the directory itself.
    #[must_use]
    pub fn below(&self) -> Option<&RelPath> {
        self.below.as_ref()
    }

    /// The path as the model knows it.
    #[must_use]
    pub fn shown(&self) -> String {
        match &self.below {
            Some(below) => format!("{ROOT}/{below}"),
            None => ROOT.to_owned(),
        }
    }
}
