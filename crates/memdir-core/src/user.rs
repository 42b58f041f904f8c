//! The user's profile: what agents know about the person they work for, in every project.
//!
//! Six Markdown files of dated list items under headings. What the user said counts at once; what an agent only
//! observed waits for the user's yes, and until then no agent is told.

use serde::Serialize;

mod edit;
mod exchange;
mod forget;
mod item;
mod problem;
mod render;
#[cfg(test)]
mod tests;

pub use edit::{NewItem, ProfileRefused, add, confirm, replace};
pub use exchange::{BadExport, Export, MAX_EXPORT_BYTES, merge_in};
pub use forget::{Topic, remove, remove_topic};
pub use item::{Item, ProfileFile};
pub use problem::ProfileProblem;
pub use render::{INTRODUCTION, RenderedProfile, render, usable_texts};

/// The profile's directory below the configuration directory.
pub const DIRECTORY: &str = "user";

/// The largest file that is read.
pub const MAX_BYTES: u64 = 1 << 20;

/// The files of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Who the user is.
    Profile,
    /// What the user wants.
    Preferences,
    /// How the user wants to be spoken to.
    Communication,
    /// What the user knows and works with.
    Technical,
    /// What agents noticed, each with whether the user confirmed it.
    Observations,
    /// What worked and what did not.
    Feedback,
}

impl Category {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 6] = [
        Self::Profile,
        Self::Preferences,
        Self::Communication,
        Self::Technical,
        Self::Observations,
        Self::Feedback,
    ];

    /// Its name, as in commands.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::Preferences => "preferences",
            Self::Communication => "communication",
            Self::Technical => "technical",
            Self::Observations => "observations",
            Self::Feedback => "feedback",
        }
    }

    /// The category with a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name.to_lowercase())
    }

    /// Its file.
    #[must_use]
    pub fn file(self) -> &'static str {
        match self {
            Self::Profile => "profile.md",
            Self::Preferences => "preferences.md",
            Self::Communication => "communication.md",
            Self::Technical => "technical.md",
            Self::Observations => "observations.md",
            Self::Feedback => "feedback.md",
        }
    }

    /// The title of its file.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Profile => "Profile",
            Self::Preferences => "Preferences",
            Self::Communication => "Communication",
            Self::Technical => "Technical",
            Self::Observations => "Observations",
            Self::Feedback => "Feedback",
        }
    }
}
