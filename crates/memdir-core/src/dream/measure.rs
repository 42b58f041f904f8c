//! How tidy a memory directory is, in numbers.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::check::Files;
use super::live::{link_targets, log_day};
use super::reading::Readings;
use super::{index_path, overflow_path};
use crate::memory::auto_index::is_indexed;
use crate::memory::entrypoint::Usage;
use crate::memory::index::{Index, OVERFLOW};

/// How tidy a memory directory is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measure {
    /// How many memories there are.
    pub files: usize,
    /// How many daily logs.
    pub logs: usize,
    /// How many lines the memories have.
    pub lines: usize,
    /// How many statements they make.
    pub statements: usize,
    /// How many of these repeat another one.
    pub duplicates: usize,
    /// How many lines of the index agents load.
    pub index_lines: usize,
    /// How many UTF-16 units these have.
    pub index_units: usize,
    /// How many memories no line of the index leads to.
    pub unlisted: usize,
    /// How many links lead nowhere.
    pub dead_links: usize,
}

impl Measure {
    pub(super) fn of(files: &Files<'_>, readings: &Readings) -> Self {
        let mut measure = Self::default();
        let targets = link_targets(files, readings);
        let mut seen = HashSet::new();
        for (path, content) in files {
            if log_day(path.as_str()).is_some() {
                measure.logs += 1;
            }
            let Ok(text) = std::str::from_utf8(content) else { continue };
            if !is_indexed(path.as_str()) {
                continue;
            }
            measure.files += 1;
            measure.lines += text.lines().count();
            let reading = readings.of(text);
            let dead = reading.links().iter().filter(|link| targets.resolve(&link.target).is_empty());
            measure.dead_links += dead.count();
            for said in reading.statements(path).filter(|said| !said.range.is_empty()) {
                measure.statements += 1;
                let is_common = COMMON.iter().any(|start| said.normal.starts_with(start));
                if !is_common && said.normal.contains(' ') && !seen.insert(said.normal.clone()) {
                    measure.duplicates += 1;
                }
            }
        }
        measure.index(files);
        measure
    }

    fn index(&mut self, files: &Files<'_>) {
        let mut listed = HashSet::new();
        let existing: HashSet<&str> = files.keys().map(|path| path.as_str()).collect();
        for path in [index_path(), overflow_path()].into_iter().flatten() {
            let Some(text) = files.get(path).and_then(|content| std::str::from_utf8(content).ok()) else {
                continue;
            };
            let text = text.trim_start_matches('\u{feff}');
            if path.as_str() != OVERFLOW {
                let usage = Usage::of(text);
                (self.index_lines, self.index_units) = (usage.lines, usage.units);
            }
            for (_, entry) in Index::parse(text).entries() {
                self.dead_links += usize::from(!existing.contains(entry.path.as_str()));
                listed.insert(entry.path.clone());
            }
        }
        let memories = files
            .iter()
            .filter(|(path, content)| is_indexed(path.as_str()) && std::str::from_utf8(content).is_ok());
        self.unlisted = memories.filter(|(path, _)| !listed.contains(path.as_str())).count();
    }
}

/// What many memories say without repeating each other.
const COMMON: [&str; 3] = ["how to apply:", "said:", "stale since"];
