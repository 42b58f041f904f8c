//! What a dream did, statement by statement.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::check::Superseded;
use crate::content_hash::ContentHash;
use crate::rel_path::RelPath;

/// What a dream did, so that it can be shown, checked and judged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Account {
    /// Memories that became one.
    pub merged: Vec<Merged>,
    /// Statements that another one replaced.
    pub superseded: Vec<Superseded>,
    /// Facts that a later one contradicted: both days are in the text.
    pub replaced: Vec<Replaced>,
    /// Days that got their dates.
    pub dated: Vec<Dated>,
    /// Memories that were marked as stale.
    pub marked: Vec<Marked>,
    /// Memories that got a line in the index.
    pub linked: Vec<String>,
    /// Lines of the index whose file is gone, and that are plain text or gone now.
    pub unlinked: Vec<String>,
    /// Notes of the daily logs that became memories or part of one.
    pub distilled: Vec<Distilled>,
    /// Items that stood twice in one file.
    pub repeated: Vec<Repeated>,
    /// Files that a model wrote.
    pub written: Vec<Written>,
    /// How many notes stay in their logs alone.
    pub left_in_logs: usize,
    /// Files that were not touched, and why.
    pub left_alone: Vec<LeftAlone>,
    /// The keys of what was done. What is among [`super::Scene::settled`] is not done again.
    pub keys: Vec<String>,
}

/// Memories that became one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merged {
    /// The one that stays.
    pub into: RelPath,
    /// The one that went.
    pub from: RelPath,
    /// Why.
    #[serde(default)]
    pub why: String,
}

/// A fact that a later one contradicted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replaced {
    /// The file that said it.
    pub path: RelPath,
    /// What was so.
    pub was: String,
    /// Since when, as far as is known.
    pub from: Date,
    /// Until when.
    pub until: Date,
    /// What is so now.
    pub now: String,
}

/// A day that got its date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dated {
    /// The file.
    pub path: RelPath,
    /// The sentence, with the date.
    pub statement: String,
}

/// A memory that was marked as stale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marked {
    /// The file.
    pub path: RelPath,
    /// Why.
    pub why: String,
}

/// A note of a daily log that became a memory, or part of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distilled {
    /// The log.
    pub from: RelPath,
    /// The memory.
    pub into: RelPath,
    /// The note.
    pub statement: String,
    /// Whether the memory is new.
    pub is_new: bool,
}

/// A file as a model wrote it: no statement is lost in it, but its form is the model's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The file.
    pub path: RelPath,
    /// Whether it is new.
    pub is_new: bool,
    /// How many lines it has that were not in it before.
    pub lines_added: usize,
    /// How many lines are no longer in it.
    pub lines_removed: usize,
}

/// An item that stood twice in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeated {
    /// The file.
    pub path: RelPath,
    /// The item.
    pub statement: String,
}

/// A file that was not touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftAlone {
    /// Its path in the directory, made printable.
    pub path: String,
    /// Why.
    pub why: String,
}

/// Names one thing that a dream did, so that it can be known again.
pub(super) fn key(what: &str, text: &str) -> String {
    let hash = ContentHash::of(format!("{what}\0{text}").as_bytes()).to_string();
    format!("{what}:{}", hash.get(..24).unwrap_or(&hash))
}
