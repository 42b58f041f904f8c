//! What is to be changed, as a value.
//!
//! Every change of a memory directory is a plan first: commands, hooks, extraction and undo make one, review
//! stores one, and the disk crate alone applies one. The serialised form is part of docs/FORMAT.md.

use serde::{Deserialize, Serialize};

use crate::content_hash::ContentHash;
use crate::rel_path::RelPath;

/// The version of the serialised form.
pub const VERSION: u32 = 1;

/// A set of changes to one memory directory, made from a known state of its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The version of this form.
    pub v: u32,
    /// Why, in one line that a person can read in the log.
    pub reason: String,
    /// The changes, in the order in which they are applied.
    pub changes: Vec<Change>,
    /// What the caller who applies it should be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What the asker said, before a format changed it: the write gate looks for secrets here too. Never stored.
    #[serde(skip)]
    pub raw: Vec<String>,
}

impl Plan {
    /// A plan that changes nothing yet.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { v: VERSION, reason: reason.into(), changes: Vec::new(), warnings: Vec::new(), raw: Vec::new() }
    }
}

/// One change to one file, with the state of the file that it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Change {
    /// Create the file or replace its content.
    Write {
        /// Which file.
        path: RelPath,
        /// The new content, whole.
        content: Content,
        /// The content that the new one was made from; `None`: there was no file.
        base: Option<Content>,
    },
    /// Remove the file.
    Delete {
        /// Which file.
        path: RelPath,
        /// The content that it was decided on.
        base: Content,
    },
    /// Give the file another name, its content unchanged.
    Rename {
        /// The old name.
        from: RelPath,
        /// The new name, where nothing may be.
        to: RelPath,
        /// The content that it was decided on.
        base: Content,
    },
}

impl Change {
    /// The file that the change is about; for a rename its old name.
    #[must_use]
    pub fn path(&self) -> &RelPath {
        match self {
            Self::Write { path, .. } | Self::Delete { path, .. } | Self::Rename { from: path, .. } => path,
        }
    }

    /// The precondition: the hash of what must be at the path, or `None` if nothing may.
    #[must_use]
    pub fn made_from(&self) -> Option<ContentHash> {
        match self {
            Self::Write { base, .. } => base.as_ref().map(Content::hash),
            Self::Delete { base, .. } | Self::Rename { base, .. } => Some(base.hash()),
        }
    }
}

/// The whole content of a file. Serialised as text where it is text, else as `{"base64": …}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content(pub Vec<u8>);

impl Content {
    /// The hash that names this version.
    #[must_use]
    pub fn hash(&self) -> ContentHash {
        ContentHash::of(&self.0)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self(text.into_bytes())
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bytes { base64: String },
}

impl Serialize for Content {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => Written::Bytes { base64: crate::base64::encode(&self.0) }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::Text(text) => Ok(text.into()),
            Written::Bytes { base64 } => crate::base64::decode(&base64)
                .map(Self)
                .ok_or_else(|| serde::de::Error::custom("content is not base64")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_stored_as_readable_json_and_reads_back() {
        let mut plan = Plan::new("add tabs");
        plan.changes.push(Change::Write {
            path: RelPath::parse("tabs.md").unwrap(),
            content: "Use tabs.\n".into(),
            base: None,
        });
        plan.changes
            .push(Change::Delete { path: RelPath::parse("old.md").unwrap(), base: Content(vec![0xff]) });
        let json = serde_json::to_string(&plan).unwrap();
        insta::assert_snapshot!(json, @r#"{"v":1,"reason":"add tabs","changes":[{"do":"write","path":"tabs.md","content":"Use tabs.\n","base":null},{"do":"delete","path":"old.md","base":{"base64":"/w=="}}]}"#);
        assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
    }

    #[test]
    fn a_plan_from_a_file_cannot_name_a_path_outside() {
        let json = r#"{"v":1,"reason":"x","changes":[{"do":"delete","path":"../x","base":""}]}"#;
        assert!(
            serde_json::from_str::<Plan>(json)
                .unwrap_err()
                .to_string()
                .contains("leaves the memory directory")
        );
    }
}
