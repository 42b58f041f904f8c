//! Why a memory is not shown exactly as it is stored.

use serde::Serialize;

/// One thing that was found in a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Invisible characters were removed.
    InvisibleCharacters,
    /// Markup that could pass for structure was made inert.
    ForgedStructure,
    /// Active content of a page was made inert.
    ActiveMarkup,
    /// The text is longer than what is shown.
    TooLong,
    /// The text is larger than what is read at all.
    TooLarge,
    /// Asks to set instructions aside, or gives the model a new role.
    OverridesInstructions,
    /// Asks to keep something from the user.
    Concealment,
    /// Asks to send private content elsewhere.
    Exfiltration,
    /// Points at credentials, or asks for them.
    CredentialAccess,
    /// Has code fetched and run, or a dependency replaced by one from elsewhere.
    RemoteCode,
    /// Changes tools, permissions, hooks or servers of the agent.
    PermissionChange,
    /// Asks to switch a protection off.
    WeakensSecurity,
    /// Asks to destroy memories, history or data.
    Destructive,
    /// Asks to answer falsely, or only for certain models.
    FalseAnswers,
    /// Asks to be copied or kept for ever.
    SelfPersistence,
    /// Holds text in invisible characters.
    HiddenText,
    /// Words mix letters of scripts that look alike.
    LookAlikeLetters,
    /// Hides one of these in an encoding.
    EncodedPayload,
    /// A link or include that reaches outside the memory.
    OutsideReference,
}

impl Reason {
    /// What was found, as a few words for a person.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::InvisibleCharacters => "holds invisible characters",
            Self::ForgedStructure => "holds markup that could pass for structure",
            Self::ActiveMarkup => "holds active markup",
            Self::TooLong => "is longer than what is shown",
            Self::TooLarge => "is too large to read",
            Self::OverridesInstructions => "asks to set instructions aside",
            Self::Concealment => "asks to keep something from the user",
            Self::Exfiltration => "asks to send content elsewhere",
            Self::CredentialAccess => "reaches for credentials",
            Self::RemoteCode => "has code from elsewhere run",
            Self::PermissionChange => "changes tools or permissions",
            Self::WeakensSecurity => "asks to switch a protection off",
            Self::Destructive => "asks to destroy data",
            Self::FalseAnswers => "asks for false answers",
            Self::SelfPersistence => "asks to be copied or kept for ever",
            Self::HiddenText => "holds hidden text",
            Self::LookAlikeLetters => "mixes letters that look alike",
            Self::EncodedPayload => "hides a message in an encoding",
            Self::OutsideReference => "refers to files outside the memory",
        }
    }
}
