//! What a sync did, and what it could not do.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use serde::Serialize;

use crate::conflict_copy::original_of;

/// What came of a sync.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SyncReport {
    /// What others wrote and is here now.
    pub received: Vec<Received>,
    /// What was sent.
    pub sent: Vec<Sent>,
    /// What both sides had changed and is one now.
    pub merged: Vec<String>,
    /// What both sides had changed and is kept twice.
    pub conflicts: Vec<KeptTwice>,
    /// What no member vouches for, and waits for the user.
    pub held: Vec<HeldEntry>,
    /// What is not an entry of this team.
    pub refused: Vec<Refused>,
    /// What is here and may not be shared.
    pub blocked: Vec<Refused>,
    /// Who was put out, as the user wanted: name and key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_out: Option<String>,
    /// Where the projects lie here that this is about, by what their memories are called on all machines.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub projects: BTreeMap<String, Utf8PathBuf>,
    /// What else the user should know.
    pub notices: Vec<String>,
}

/// Something that came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Received {
    /// Which memory.
    pub path: String,
    /// From whom.
    pub by: String,
    /// What happened to it.
    pub change: ChangeKind,
}

/// Something that went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sent {
    /// Which memory.
    pub path: String,
    /// What happened to it.
    pub change: ChangeKind,
    /// What the others have there; only where nothing is really sent.
    #[serde(skip)]
    pub before: Option<String>,
    /// What they would get; only where nothing is really sent.
    #[serde(skip)]
    pub after: Option<String>,
}

/// What happens to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It says something else.
    Changed,
    /// It is gone.
    Removed,
}

/// A memory of which two versions are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptTwice {
    /// Which memory.
    pub path: String,
    /// Where the other version lies.
    pub kept_as: String,
}

/// An entry whose author is not a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldEntry {
    /// Which memory.
    pub path: String,
    /// The key of its signer.
    pub author: String,
    /// What they were called when they were a member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why it waits although everything else is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Something that was not taken or not sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// What.
    pub path: String,
    /// Why.
    pub why: String,
}

impl SyncReport {
    /// Whether nothing came, went or needs a word.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what the next sync did, as if both were one.
    pub(crate) fn go_on(&mut self, next: Self) {
        fn add<T: PartialEq>(all: &mut Vec<T>, more: Vec<T>, is_same: impl Fn(&T, &T) -> bool) {
            for item in more {
                if !all.iter().any(|known| is_same(known, &item)) {
                    all.push(item);
                }
            }
        }
        add(&mut self.received, next.received, |one, other| one.path == other.path);
        add(&mut self.sent, next.sent, |one, other| one.path == other.path);
        add(&mut self.merged, next.merged, PartialEq::eq);
        add(&mut self.conflicts, next.conflicts, PartialEq::eq);
        add(&mut self.notices, next.notices, PartialEq::eq);
        (self.held, self.refused, self.blocked) = (next.held, next.refused, next.blocked);
    }

    /// Says which memories are kept twice because another machine could not merge two versions.
    pub(crate) fn name_copies(&mut self, command: &str, is_there: impl Fn(&str) -> bool) {
        let came = self.received.iter().filter(|came| came.change == ChangeKind::Added);
        let copied: Vec<String> = came
            .filter_map(|came| Some((original_of(&came.path).filter(|path| is_there(path))?, came)))
            .map(|(original, came)| {
                let (original, copy) = (self.shown(&original), self.shown(&came.path));
                format!(
                    "`{original}` is kept twice, the other version is `{copy}`: `{command}` says what to do"
                )
            })
            .collect();
        self.notices.extend(copied);
    }

    /// A memory as the user of this machine knows it.
    #[must_use]
    pub fn shown(&self, path: &str) -> String {
        let mut places = self.projects.iter();
        let place = places.find_map(|(prefix, root)| Some(format!("{root}: {}", path.strip_prefix(prefix)?)));
        place.unwrap_or_else(|| path.to_owned())
    }

    /// Whether anything of this is about a memory whose name begins so.
    pub(crate) fn names(&self, prefix: &str) -> bool {
        let received = self.received.iter().map(|received| &received.path);
        let sent = self.sent.iter().map(|sent| &sent.path);
        let twice = self.conflicts.iter().map(|twice| &twice.path);
        let held = self.held.iter().map(|held| &held.path);
        let refused = self.refused.iter().chain(&self.blocked).map(|refused| &refused.path);
        let mut paths = received.chain(sent).chain(&self.merged).chain(twice).chain(held).chain(refused);
        paths.any(|path| path.starts_with(prefix))
    }
}
