//! What kind of thing a memory is about.

use std::fmt;

use serde::{Serialize, Serializer};

/// The taxonomy of the client. A type outside of it is kept as it was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryType {
    /// Who the user is: role, expertise, preferences.
    User,
    /// Corrections and confirmed ways of working.
    Feedback,
    /// Ongoing work, deadlines and decisions.
    Project,
    /// Where things outside the repository are found.
    Reference,
    /// Anything else.
    Other(String),
}

impl MemoryType {
    /// The four types, in the order in which they are listed.
    pub const KNOWN: [Self; 4] = [Self::User, Self::Feedback, Self::Project, Self::Reference];

    /// The one of the four that a word means.
    #[must_use]
    pub fn known(word: &str) -> Option<Self> {
        Self::KNOWN.into_iter().find(|known| known.as_str() == word)
    }

    /// The type that a word means.
    #[must_use]
    pub fn parse(word: &str) -> Self {
        Self::known(word).unwrap_or_else(|| Self::Other(word.to_owned()))
    }

    /// The word for it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Feedback => "feedback",
            Self::Project => "project",
            Self::Reference => "reference",
            Self::Other(other) => other,
        }
    }
}

impl fmt::Display for MemoryType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for MemoryType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
