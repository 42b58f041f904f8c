use std::fmt;

use serde::Serialize;

use crate::outline::plain;

/// How one project relates to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Relation {
    /// The project that the relation starts from.
    pub from: String,
    /// What it is.
    pub kind: RelationKind,
    /// The project that it leads to.
    pub to: String,
    /// What the user wrote beside it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// The kinds of relations that have a name; anything else that a person wrote is kept as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RelationKind {
    /// It needs the other.
    DependsOn,
    /// It began as a copy of the other.
    ForkOf,
    /// The other takes over what is done here.
    UpstreamOf,
    /// It belongs to the other.
    PartOf,
    /// It has to do with the other.
    RelatedTo,
    /// What a person wrote.
    Other(String),
}

impl RelationKind {
    /// Reads a kind as people write it: `depends on`, `Depends-On`, `dependency`, `fork`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let written = plain(text);
        let folded = written.to_lowercase().replace(['-', '_'], " ");
        match folded.trim_start_matches("is ").trim_start_matches("a ").trim() {
            "depends on" | "depends" | "dependency" | "dependency of" | "dependencies" | "uses" | "needs"
            | "requires" => Self::DependsOn,
            "fork of" | "fork" | "forked from" | "forks" => Self::ForkOf,
            "upstream of" | "upstream" => Self::UpstreamOf,
            "part of" | "submodule of" | "member of" => Self::PartOf,
            "related to" | "related" | "relates to" => Self::RelatedTo,
            _ => Self::Other(written.to_owned()),
        }
    }

    /// The kind as it is written in the file.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::DependsOn => "depends on",
            Self::ForkOf => "fork of",
            Self::UpstreamOf => "upstream of",
            Self::PartOf => "part of",
            Self::RelatedTo => "related to",
            Self::Other(text) => text,
        }
    }

    /// How the relation reads from its other end.
    #[must_use]
    pub fn from_the_other_end(&self) -> &str {
        match self {
            Self::DependsOn => "is needed by",
            Self::ForkOf => "was forked as",
            Self::UpstreamOf => "follows",
            Self::PartOf => "contains",
            Self::RelatedTo => "is related to",
            Self::Other(text) => text,
        }
    }
}

impl fmt::Display for RelationKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for RelationKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Relation {
    /// Whether the relation has to do with a project.
    #[must_use]
    pub fn concerns(&self, key: &str) -> bool {
        same(&self.from, key) || same(&self.to, key)
    }

    /// The other project, and how the relation reads from the side of this one: `depends on`, `is needed by`.
    #[must_use]
    pub fn seen_from(&self, key: &str) -> (&str, &str) {
        if same(&self.from, key) {
            (&self.to, self.kind.as_str())
        } else {
            (&self.from, self.kind.from_the_other_end())
        }
    }

    /// Reads a relation from a list item: `- a depends on b`, `- a → b: fork of`.
    pub(super) fn from_item(item: &str) -> Option<Self> {
        let item = item.trim();
        let (from, rest) = match item.split_once('→').or_else(|| item.split_once("->")) {
            Some(sides) => sides,
            None => return Self::from_sentence(item),
        };
        let rest = rest.trim();
        let (to, kind, note) = match rest.split_once(['(', ':']) {
            Some((to, words)) => {
                let words = words.trim().trim_end_matches(')');
                match RelationKind::parse(words) {
                    RelationKind::Other(note) => (to, RelationKind::RelatedTo, note),
                    kind => (to, kind, String::new()),
                }
            }
            None => (rest, RelationKind::RelatedTo, String::new()),
        };
        Self::between(from, kind, to, note)
    }

    fn from_sentence(item: &str) -> Option<Self> {
        let phrases = [
            (" depends on ", RelationKind::DependsOn),
            (" is a fork of ", RelationKind::ForkOf),
            (" fork of ", RelationKind::ForkOf),
            (" is upstream of ", RelationKind::UpstreamOf),
            (" upstream of ", RelationKind::UpstreamOf),
            (" is part of ", RelationKind::PartOf),
            (" part of ", RelationKind::PartOf),
            (" is related to ", RelationKind::RelatedTo),
            (" related to ", RelationKind::RelatedTo),
        ];
        let (from, kind, rest) = phrases
            .into_iter()
            .find_map(|(phrase, kind)| item.split_once(phrase).map(|(from, rest)| (from, kind, rest)))?;
        let (to, note) = rest.split_once([':', '(', ',', ';']).unwrap_or((rest, ""));
        Self::between(from, kind, to, note.trim().trim_end_matches(')').to_owned())
    }

    /// A sentence is not a name: both sides must be one word.
    fn between(from: &str, kind: RelationKind, to: &str, note: String) -> Option<Self> {
        let (from, to) = (plain(from), plain(to.trim().trim_end_matches('.')));
        let is_name = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
        (is_name(from) && is_name(to)).then(|| Self { from: from.to_owned(), kind, to: to.to_owned(), note })
    }
}

/// Whether two texts name the same project.
pub(super) fn same(one: &str, other: &str) -> bool {
    one == other || one.to_lowercase() == other.to_lowercase()
}
