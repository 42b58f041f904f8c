use std::fmt;
use std::str::FromStr;

/// The kinds of files that have a form of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A decision.
    Decision,
    /// An analysis.
    Analysis,
    /// A sub-agent's output.
    SubAgent,
    /// The project's own page.
    Project,
    /// A note, and whatever else has a title.
    Note,
}

impl Kind {
    /// The fields, in their order.
    #[must_use]
    pub fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Decision => &["Date", "Category", "Status", "Supersedes", "Superseded by"],
            Self::Analysis => &["Analyzed", "Path", "Type"],
            Self::SubAgent => &["Agent", "Date", "Task", "Parent Context"],
            Self::Project => &["Path", "Type", "Last Updated"],
            Self::Note => &["Date"],
        }
    }

    /// The headings, in their order.
    #[must_use]
    pub fn sections(self) -> &'static [&'static str] {
        match self {
            Self::Decision => &["Context", "Decision", "Alternatives Considered", "Consequences"],
            Self::Analysis => &["Summary", "Key Findings", "Issues Found", "Recommendations"],
            Self::SubAgent => &["Summary", "Details", "Files Analyzed", "Recommendations"],
            Self::Project => &["Overview", "Role", "Tech Stack", "Related Projects", "Notes"],
            Self::Note => &[],
        }
    }

    /// The section whose beginning summarises the whole.
    #[must_use]
    pub fn telling_section(self) -> Option<&'static str> {
        match self {
            Self::Decision => Some("Decision"),
            Self::Analysis | Self::SubAgent => Some("Summary"),
            Self::Project => Some("Overview"),
            Self::Note => None,
        }
    }

    /// The section that takes a text which has no headings of its own.
    #[must_use]
    pub fn main_section(self) -> Option<&'static str> {
        match self {
            Self::SubAgent => Some("Details"),
            kind => kind.telling_section(),
        }
    }

    /// The field that says when.
    #[must_use]
    pub fn date_field(self) -> &'static str {
        match self {
            Self::Decision | Self::SubAgent | Self::Note => "Date",
            Self::Analysis => "Analyzed",
            Self::Project => "Last Updated",
        }
    }
}

/// A word that a field does not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not a {field}: {}", allowed.join(", "))]
pub struct UnknownWord {
    /// What was given.
    pub word: String,
    /// For which field.
    pub field: &'static str,
    /// The words that it takes.
    pub allowed: &'static [&'static str],
}

macro_rules! words {
    ($(#[$documentation:meta])* $name:ident, $field:literal, [$($variant:ident = $word:literal),+ $(,)?]) => {
        $(#[$documentation])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = concat!("`", $word, "`.")] $variant),+
        }

        impl $name {
            /// The words, in the protocol's order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                match word.trim().to_lowercase().as_str() {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(UnknownWord { word: word.to_owned(), field: $field, allowed: Self::WORDS }),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.as_str())
            }
        }
    };
}

words!(
    /// What a decision is about.
    DecisionCategory,
    "category",
    [
        Architecture = "architecture",
        Implementation = "implementation",
        Configuration = "configuration",
        Dependency = "dependency",
        Process = "process",
    ]
);
words!(
    /// Whether a decision is in force.
    DecisionStatus,
    "status",
    [Decided = "decided", Pending = "pending", Superseded = "superseded"]
);
words!(
    /// What was analysed.
    AnalysisType,
    "type",
    [File = "file", Component = "component", Module = "module", Service = "service"]
);
words!(
    /// What a project is.
    ProjectType,
    "type",
    [Application = "application", Library = "library", Fork = "fork", Config = "config"]
);
