//! The directory as a dream works on it: a copy in memory, which becomes a plan at the end.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use super::account::{Account, LeftAlone, key};
use super::check::{Files, allowed};
use super::live::log_day;
use super::reading::Readings;
use super::{Scene, index_path, overflow_path};
use crate::memory::auto_index::{can_be_linked, is_indexed};
use crate::merge_mark::is_merge_mark;
use crate::plan::{Change, Content, Plan};
use crate::rel_path::RelPath;

/// A file may be a little younger than now: clocks of file systems are coarse.
const SLACK: SignedDuration = SignedDuration::from_hours(1);

/// A file larger than this is not tidied.
const LARGEST: usize = 1 << 20;
/// The overflow of as many memories as are ever listed is smaller: a line takes about 100 bytes.
const LARGEST_INDEX: usize = 32 << 20;

pub(super) struct Desk<'s> {
    pub(super) scene: &'s Scene,
    /// What its texts say.
    pub(super) readings: &'s Readings,
    /// The memories that can be changed, by path.
    pub(super) topics: BTreeMap<RelPath, DeskFile>,
    /// The daily logs, oldest first. They are read and never changed.
    pub(super) logs: Vec<(Date, &'s RelPath, &'s str)>,
    /// Where what is on the desk was merged into.
    pub(super) merged: BTreeMap<RelPath, RelPath>,
    /// The index and its overflow; `None` for the first if they cannot be changed.
    pub(super) indexes: Option<DeskIndexes>,
    pub(super) account: Account,
    /// How many statements were superseded; labels do not count.
    pub(super) superseded: usize,
    /// How often something changed.
    pub(super) changes: usize,
    /// How many statements one dream may supersede.
    allowed: usize,
    done: BTreeSet<String>,
    /// At which change each part of a dream last looked at every memory.
    looked: BTreeMap<&'static str, usize>,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) struct DeskIndexes {
    pub(super) index: Option<String>,
    pub(super) overflow: Option<String>,
}

#[derive(Clone)]
pub(super) struct DeskFile {
    pub(super) text: String,
    /// When it last changed; not in the future.
    pub(super) modified: Timestamp,
    pub(super) used: u32,
    pub(super) gone: Vec<String>,
    /// The day on which it was last written, as far as it or the system says.
    pub(super) day: Date,
    /// Whether the file itself says so.
    pub(super) is_dated: bool,
    /// Whether that day can be told at all: a time that lies ahead was written by a wrong clock, or ours is wrong.
    pub(super) is_day_known: bool,
    /// At which change of the desk its text last changed.
    pub(super) changed: usize,
}

impl DeskFile {
    /// A file that this dream makes.
    pub(super) fn new(text: String, now: Timestamp, day: Date) -> Self {
        Self {
            text,
            modified: now,
            used: 0,
            gone: Vec::new(),
            day,
            is_dated: true,
            is_day_known: true,
            changed: 0,
        }
    }
}

impl<'s> Desk<'s> {
    pub(super) fn of(scene: &'s Scene, readings: &'s Readings) -> Self {
        let mut desk = Self {
            scene,
            readings,
            topics: BTreeMap::new(),
            logs: Vec::new(),
            merged: BTreeMap::new(),
            indexes: indexes(scene),
            account: Account { left_alone: scene.unread.clone(), ..Account::default() },
            superseded: 0,
            changes: 0,
            allowed: allowed(&scene.sources(), readings),
            done: BTreeSet::new(),
            looked: BTreeMap::new(),
        };
        for file in &scene.files {
            let path = file.path.as_str();
            let Ok(text) = std::str::from_utf8(&file.content) else {
                desk.leave(path, "it is not UTF-8");
                continue;
            };
            if file.content.len() > LARGEST {
                desk.leave(path, "it is larger than 1 MiB");
            } else if text.contains('\0') {
                desk.leave(path, "it holds a NUL");
            } else if let Some(day) = log_day(path) {
                desk.logs.push((day, &file.path, text));
            } else if !can_be_linked(path) {
                desk.leave(path, "a link cannot hold its name");
            } else if !is_indexed(path) {
                // Not ours to change: the team's, or hidden.
            } else if text.lines().any(is_merge_mark) {
                desk.leave(path, "it holds the marks of an unfinished merge");
            } else {
                // A clock that was wrong says nothing about when.
                let modified = file.modified.min(scene.now);
                let written = readings.of(text).topic.modified.filter(|time| *time <= scene.now);
                desk.topics.insert(
                    file.path.clone(),
                    DeskFile {
                        text: text.to_owned(),
                        modified,
                        used: file.used,
                        gone: file.gone.clone(),
                        day: scene.day_of(written.unwrap_or(modified)),
                        is_dated: written.is_some(),
                        is_day_known: written.is_some() || file.modified <= modified.max(scene.now + SLACK),
                        changed: 0,
                    },
                );
            }
        }
        if desk.indexes.is_none() {
            desk.leave("MEMORY.md", "it or its overflow is not UTF-8, holds the marks of an unfinished merge, or is larger than 32 MiB");
        }
        desk.logs.sort_by(|one, other| (one.0, one.1).cmp(&(other.0, other.1)));
        desk
    }

    fn leave(&mut self, path: &str, why: &str) {
        self.account.left_alone.push(LeftAlone { path: path.to_owned(), why: why.to_owned() });
    }

    /// Whether something may be done: not if the user took the same back before. What may be is noted as done.
    pub(super) fn may(&mut self, what: &str, text: &str) -> bool {
        let key = key(what, text);
        if self.scene.settled.contains(&key) {
            return false;
        }
        if self.done.insert(key.clone()) {
            self.account.keys.push(key);
        }
        true
    }

    /// Whether something was done in an earlier dream or in this one.
    pub(super) fn is_done(&self, what: &str, text: &str) -> bool {
        let key = key(what, text);
        self.scene.settled.contains(&key) || self.done.contains(&key)
    }

    /// How many more statements this dream may supersede.
    pub(super) fn supersedes_left(&self) -> usize {
        self.allowed.saturating_sub(self.superseded)
    }

    /// The memories whose text changed since this part of a dream last asked: to others it would say the same again.
    pub(super) fn fresh(&mut self, part: &'static str) -> Vec<RelPath> {
        let since = self.looked.insert(part, self.changes + 1).unwrap_or(0);
        let fresh = self.topics.iter().filter(|(_, file)| file.changed >= since);
        fresh.map(|(path, _)| path.clone()).collect()
    }

    /// Whether a part of a dream that looks at things which do not change asks for the first time.
    pub(super) fn is_first(&mut self, part: &'static str) -> bool {
        self.looked.insert(part, self.changes).is_none()
    }

    /// Puts a new memory on the desk.
    pub(super) fn add(&mut self, path: RelPath, file: DeskFile) {
        self.changes += 1;
        let changed = self.changes;
        self.topics.insert(path, DeskFile { changed, ..file });
    }

    /// Takes a memory off the desk, because another one says all of it.
    pub(super) fn take_away(&mut self, path: &RelPath, into: &RelPath) -> Option<DeskFile> {
        self.changes += 1;
        self.merged.insert(path.clone(), into.clone());
        self.topics.remove(path)
    }

    /// Gives a memory another text.
    pub(super) fn rewrite(&mut self, path: &RelPath, text: String) {
        if let Some(file) = self.topics.get_mut(path).filter(|file| file.text != text) {
            file.text = text;
            file.modified = self.scene.now;
            self.changes += 1;
            file.changed = self.changes;
        }
    }

    /// Where a file is to be found now.
    pub(super) fn home_of<'p>(&'p self, path: &'p RelPath) -> &'p RelPath {
        let mut path = path;
        for _ in 0..64 {
            match self.merged.get(path) {
                Some(into) => path = into,
                None => break,
            }
        }
        path
    }

    /// Every file as it is on the desk.
    pub(super) fn files(&self) -> Files<'_> {
        let mut files: Files<'_> = self.untouchable();
        files.extend(self.topics.iter().map(|(path, file)| (path, file.text.as_bytes())));
        if let Some(indexes) = &self.indexes {
            let both = [(index_path(), &indexes.index), (overflow_path(), &indexes.overflow)];
            files
                .extend(both.into_iter().filter_map(|(path, text)| Some((path?, text.as_ref()?.as_bytes()))));
        }
        files
    }

    /// What is not on the desk and stays as it is.
    fn untouchable(&self) -> Files<'_> {
        let scene = self.scene.files.iter().filter(|file| !self.was_topic(&file.path));
        let mut files: Files<'_> = scene.map(|file| (&file.path, file.content.as_slice())).collect();
        if self.indexes.is_none() {
            let both = [(index_path(), &self.scene.index), (overflow_path(), &self.scene.overflow)];
            files.extend(both.into_iter().filter_map(|(path, text)| Some((path?, text.as_deref()?))));
        }
        files
    }

    fn was_topic(&self, path: &RelPath) -> bool {
        self.topics.contains_key(path) || self.merged.contains_key(path)
    }

    /// What was there before and is other now, as a plan.
    pub(super) fn plan(&self, reason: String) -> Plan {
        let mut plan = Plan::new(reason);
        let before: BTreeMap<&RelPath, &[u8]> =
            self.scene.sources().into_iter().map(|source| (source.path, source.content)).collect();
        let after = self.files();
        let mut changes: Vec<Change> = Vec::new();
        for (path, content) in &after {
            if before.get(path) != Some(content) {
                changes.push(Change::Write {
                    path: (*path).clone(),
                    content: Content(content.to_vec()),
                    base: before.get(path).map(|content| Content(content.to_vec())),
                });
            }
        }
        for (path, content) in before.iter().filter(|(path, _)| !after.contains_key(*path)) {
            changes.push(Change::Delete { path: (*path).clone(), base: Content(content.to_vec()) });
        }
        plan.changes = changes;
        plan
    }
}

/// The index, if it can be changed: while a merge is unfinished it is not known which of two versions holds.
fn indexes(scene: &Scene) -> Option<DeskIndexes> {
    let text = |content: &Option<Vec<u8>>| match content {
        None => Some(None),
        Some(bytes) => {
            let text = std::str::from_utf8(bytes).ok()?;
            let is_whole = bytes.len() <= LARGEST_INDEX && !text.lines().any(is_merge_mark);
            is_whole.then(|| Some(text.to_owned()))
        }
    };
    Some(DeskIndexes { index: text(&scene.index)?, overflow: text(&scene.overflow)? })
}
