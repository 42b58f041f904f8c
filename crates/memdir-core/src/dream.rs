//! Consolidation: a memory directory made tidy, as a plan that loses nothing.
//!
//! A dream has four parts. It *orients* itself (which topic files, logs and index lines there are), *gathers* what the
//! daily logs say, *consolidates* (duplicates become one, days become dates, what was contradicted says until when it
//! held, what is stale is marked, notes become memories) and *prunes* (the index is rebuilt under its limits). The
//! result is an ordinary [`Plan`] with an [`Account`] of it. Files are never edited in place, and logs never at all.
//!
//! [`plan`] makes such a plan by rules; [`question()`] asks a model for one and [`read_proposal`] takes it. Neither is believed: [`check()`] looks
//! for every statement of the files before among the files after, and refuses the plan as a whole if one is missing.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::plan::Plan;
use crate::rel_path::RelPath;

mod account;
mod check;
mod contradiction;
mod dates;
mod desk;
mod distil;
mod fix_index;
mod gates;
mod live;
mod measure;
mod merge;
mod planner;
mod proposal;
mod prune;
mod question;
mod reading;
mod relation;
mod repeated;
mod stale;
mod statement;
mod subject;
#[cfg(test)]
mod tests;

pub use account::{Account, Dated, Distilled, LeftAlone, Marked, Merged, Repeated, Replaced, Written};
pub use check::{CheckRefused, Lost, Source, Superseded, check, check_read};
pub use gates::{Gates, NotDue, due};
pub use measure::Measure;
pub use planner::plan;
pub use proposal::{MAX_PROPOSAL_BYTES, ProposalRefused, read_proposal};
pub use question::question;
pub use reading::Readings;

/// A memory directory as a dream finds it.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The content of MEMORY.md, if there is one.
    pub index: Option<Vec<u8>>,
    /// The content of its overflow file, if there is one.
    pub overflow: Option<Vec<u8>>,
    /// Every other Markdown file: memories, daily logs, and what belongs to the team.
    pub files: Vec<SceneFile>,
    /// What lies there and was not read, and why.
    pub unread: Vec<LeftAlone>,
    /// What agents read anyway and need not be told again: a name and a text each.
    pub documents: Vec<(String, String)>,
    /// What is not done again, by the keys of an earlier [`Account`].
    pub settled: BTreeSet<String>,
    /// Whose days count.
    pub zone: TimeZone,
    /// The time that counts as now.
    pub now: Timestamp,
}

/// One Markdown file of the directory.
#[derive(Debug, Clone)]
pub struct SceneFile {
    /// Where it lies.
    pub path: RelPath,
    /// Its content.
    pub content: Vec<u8>,
    /// When it last changed.
    pub modified: Timestamp,
    /// In how many sessions it was of use.
    pub used: u32,
    /// What it certainly cites and is gone, in a few words each.
    pub gone: Vec<String>,
}

/// What a dream would do, why nothing is lost by it, and what it is good for.
#[derive(Debug, Clone)]
pub struct Dream {
    /// What changes.
    pub plan: Plan,
    /// What was done to which statement.
    pub account: Account,
    /// The directory before.
    pub before: Measure,
    /// The directory after.
    pub after: Measure,
}

impl Scene {
    /// A directory in which nothing lies.
    #[must_use]
    pub fn empty(zone: TimeZone, now: Timestamp) -> Self {
        Self {
            index: None,
            overflow: None,
            files: Vec::new(),
            unread: Vec::new(),
            documents: Vec::new(),
            settled: BTreeSet::new(),
            zone,
            now,
        }
    }

    /// Everything that was read, as [`check()`] takes it.
    #[must_use]
    pub fn sources(&self) -> Vec<Source<'_>> {
        let indexes = [(index_path(), &self.index), (overflow_path(), &self.overflow)];
        let indexes = indexes.into_iter().filter_map(|(path, content)| Some((path?, content.as_deref()?)));
        let files = self.files.iter().map(|file| (&file.path, file.content.as_slice()));
        indexes.chain(files).map(|(path, content)| Source { path, content }).collect()
    }

    fn day_of(&self, time: Timestamp) -> jiff::civil::Date {
        time.to_zoned(self.zone.clone()).date()
    }
}

fn index_path() -> Option<&'static RelPath> {
    static PATH: std::sync::LazyLock<Option<RelPath>> =
        std::sync::LazyLock::new(|| RelPath::parse(crate::memory::entrypoint::ENTRYPOINT).ok());
    PATH.as_ref()
}

fn overflow_path() -> Option<&'static RelPath> {
    static PATH: std::sync::LazyLock<Option<RelPath>> =
        std::sync::LazyLock::new(|| RelPath::parse(crate::memory::index::OVERFLOW).ok());
    PATH.as_ref()
}
