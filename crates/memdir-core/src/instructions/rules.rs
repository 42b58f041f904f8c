//! The files below a `.claude/rules` directory.

use std::collections::HashSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::Reason;
use crate::look::{Entry, Kind, Look, LookError};

/// A rule file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RuleFile {
    /// Its path with every link resolved, which is how the client lists it.
    pub path: Utf8PathBuf,
    /// How the walk came to it.
    pub found_as: Utf8PathBuf,
}

/// The rule files below a directory in the order of the disk, which is also the client's.
///
/// Where `within` is given, links must lead to a place inside it. Whatever does not is reported to `refuse`.
pub(super) fn rule_files(
    directory: &Utf8Path,
    within: Option<&Utf8Path>,
    look: &dyn Look,
    refuse: &mut dyn FnMut(&Utf8Path, Reason),
) -> Vec<RuleFile> {
    let mut walk = Walk { within, look, visited: HashSet::new(), found: Vec::new(), refuse, is_full: false };
    walk.enter(directory);
    walk.found
}

/// How many rule files one directory may hold before we stop.
const MAX_RULES: usize = 10_000;

struct Walk<'a> {
    within: Option<&'a Utf8Path>,
    look: &'a dyn Look,
    visited: HashSet<Utf8PathBuf>,
    found: Vec<RuleFile>,
    refuse: &'a mut dyn FnMut(&Utf8Path, Reason),
    is_full: bool,
}

struct Step {
    path: Utf8PathBuf,
    found_as: Utf8PathBuf,
    is_directory: bool,
}

impl Walk<'_> {
    fn enter(&mut self, given: &Utf8Path) {
        let Some(real) = self.look.real_path(given) else { return };
        if real != given && !self.may_lead_to(&real) {
            return (self.refuse)(given, Reason::LinkOutside);
        }
        // A stack of our own, because directories may be nested deeper than that of a thread allows.
        let mut pending = vec![Step { path: real, found_as: given.to_owned(), is_directory: true }];
        while let Some(step) = pending.pop() {
            if !step.is_directory {
                self.take(step);
            } else if self.visited.insert(step.path.clone()) {
                let entries = match self.look.listing(&step.path) {
                    Ok(entries) => entries,
                    Err(LookError::NotFound) => continue,
                    // A rules directory that is a file holds none, and the client does not mind.
                    Err(LookError::NotFile) => continue,
                    Err(_) => {
                        (self.refuse)(&step.found_as, Reason::Unreadable);
                        continue;
                    }
                };
                pending.extend(entries.into_iter().rev().filter_map(|entry| self.step(&step, &entry)));
            }
        }
    }

    /// Where an entry leads, if that can be a rule or hold some.
    fn step(&mut self, directory: &Step, entry: &Entry) -> Option<Step> {
        let is_markdown = entry.name.ends_with(".md");
        let mut path = directory.path.join(&entry.name);
        let found_as = directory.found_as.join(&entry.name);
        let mut kind = Some(entry.kind);
        if kind == Some(Kind::Link) {
            let Some(real) = self.look.real_path(&path) else {
                if is_markdown {
                    (self.refuse)(&found_as, Reason::Missing);
                }
                return None;
            };
            path = real;
            kind = self.look.kind(&path);
            if (is_markdown || kind == Some(Kind::Dir)) && !self.may_lead_to(&path) {
                (self.refuse)(&found_as, Reason::LinkOutside);
                return None;
            }
        }
        match kind {
            Some(Kind::Dir) => Some(Step { path, found_as, is_directory: true }),
            Some(Kind::File) if is_markdown => Some(Step { path, found_as, is_directory: false }),
            Some(Kind::Other) if is_markdown => {
                (self.refuse)(&found_as, Reason::NotFile);
                None
            }
            _ => None,
        }
    }

    fn take(&mut self, step: Step) {
        if self.found.len() < MAX_RULES {
            self.found.push(RuleFile { path: step.path, found_as: step.found_as });
        } else if !self.is_full {
            self.is_full = true;
            (self.refuse)(&step.found_as, Reason::TooMany);
        }
    }

    fn may_lead_to(&self, real: &Utf8Path) -> bool {
        self.within.is_none_or(|within| real.starts_with(within))
    }
}
