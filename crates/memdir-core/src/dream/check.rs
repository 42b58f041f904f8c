//! The rule that no plan of a dream may break, made by rules or by a model: nothing that was said is lost.
//!
//! Every statement of every file that a plan changes or removes must be in a live file afterwards, or be named as
//! superseded by another statement that is about the same and really is there. The rule looks at files and plan
//! alone, and believes nothing that the planner says about them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::live::{Live, is_live};
use super::reading::Readings;
use super::relation::{Context, Said, is_label_of};
use super::statement::{Statement, normal};
use super::subject::is_about_the_same;
use crate::plan::{Change, Plan};
use crate::rel_path::RelPath;

/// A file as it is before a plan is applied.
#[derive(Debug, Clone, Copy)]
pub struct Source<'s> {
    /// Where it lies.
    pub path: &'s RelPath,
    /// Its content.
    pub content: &'s [u8],
}

/// A statement that was removed because another one replaced it. It stays in history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Superseded {
    /// What was said.
    pub statement: String,
    /// The file that said it.
    pub source: RelPath,
    /// The statement that holds now.
    pub replaced_by: String,
}

/// A statement that would be lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// What is said.
    pub statement: String,
    /// The file that says it.
    pub source: RelPath,
}

/// Why a plan is refused as a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckRefused {
    /// A file is not what the plan was made from.
    #[error("`{path}` is not what the plan was made from")]
    Overtaken {
        /// The file.
        path: RelPath,
    },
    /// A file is not text, so what a change of it loses is not known.
    #[error("`{path}` is not UTF-8, and a dream leaves such files alone")]
    NotText {
        /// The file.
        path: RelPath,
    },
    /// Statements would be lost.
    #[error("{}", lost_message(.0))]
    Lost(Vec<Lost>),
    /// More is said to be superseded than one run may replace.
    #[error("{count} statements are said to be superseded, and one dream may replace {allowed} at most")]
    TooManySuperseded {
        /// How many.
        count: usize,
        /// How many there may be.
        allowed: usize,
    },
    /// One statement is said to replace too many.
    #[error(
        "`{replaced_by}` is said to replace {count} statements, and one statement can replace only a few"
    )]
    CatchAll {
        /// The statement.
        replaced_by: String,
        /// How many it is said to replace.
        count: usize,
    },
}

/// So many statements may be superseded in the smallest memory.
pub(super) const ALWAYS_ALLOWED: usize = 4;
/// Of more statements, one in so many.
const ONE_IN: usize = 4;
/// One statement may take the place of so many others.
const MOST_PER_REPLACEMENT: usize = 4;
/// So many lost statements are named.
const NAMED: usize = 200;

/// Refuses a plan that loses a statement. `sources` are all files of the directory that could be read.
///
/// # Errors
/// The first rule that the plan breaks, with what would be lost.
pub fn check(sources: &[Source<'_>], plan: &Plan, superseded: &[Superseded]) -> Result<(), CheckRefused> {
    check_read(sources, plan, superseded, &Readings::default())
}

/// The same as [`check()`] for texts some of which were read before: what a text says depends on nothing but the text.
///
/// # Errors
/// As [`check()`].
pub fn check_read(
    sources: &[Source<'_>],
    plan: &Plan,
    superseded: &[Superseded],
    readings: &Readings,
) -> Result<(), CheckRefused> {
    let before: Files<'_> = sources.iter().map(|source| (source.path, source.content)).collect();
    let after = applied(&before, plan)?;
    for (path, content) in &before {
        if after.get(path) != Some(content) && std::str::from_utf8(content).is_err() {
            return Err(CheckRefused::NotText { path: (*path).clone() });
        }
    }
    for (path, content) in &after {
        if before.get(path) != Some(content) && std::str::from_utf8(content).is_err() {
            return Err(CheckRefused::NotText { path: (*path).clone() });
        }
    }
    let comparison = compare(&before, &after, superseded, readings);
    if !comparison.lost.is_empty() {
        let lost = comparison.lost.into_iter().take(NAMED);
        let lost = lost.map(|(source, said)| Lost { statement: said.text, source }).collect();
        return Err(CheckRefused::Lost(lost));
    }
    let (count, allowed) = (comparison.superseded, allowed(sources, readings));
    if count > allowed {
        return Err(CheckRefused::TooManySuperseded { count, allowed });
    }
    match comparison.catch_all {
        Some((replaced_by, count)) => Err(CheckRefused::CatchAll { replaced_by, count }),
        None => Ok(()),
    }
}

/// How many statements one dream may supersede in a directory.
pub(super) fn allowed(sources: &[Source<'_>], readings: &Readings) -> usize {
    let live = sources.iter().filter(|source| is_live(source.path.as_str()));
    let texts = live.filter_map(|source| Some((source.path, std::str::from_utf8(source.content).ok()?)));
    let total: usize = texts.map(|(path, text)| readings.of(text).statements(path).count()).sum();
    ALWAYS_ALLOWED.max(total / ONE_IN)
}

/// The files of a directory by path.
pub(super) type Files<'f> = BTreeMap<&'f RelPath, &'f [u8]>;

/// What two states of a directory have to do with each other.
pub(super) struct Comparison {
    /// Statements that are in no file any more and are not superseded, with the files that said them.
    pub(super) lost: Vec<(RelPath, Statement)>,
    /// How many were superseded.
    superseded: usize,
    /// A statement that is said to replace too many.
    catch_all: Option<(String, usize)>,
}

/// Looks for every statement of `before` in `after`.
pub(super) fn compare(
    before: &Files<'_>,
    after: &Files<'_>,
    superseded: &[Superseded],
    readings: &Readings,
) -> Comparison {
    let live = Live::of(after, readings);
    let earlier = if superseded.is_empty() { None } else { Some(Live::of(before, readings)) };
    let replacements: HashMap<(String, &RelPath), &Superseded> =
        superseded.iter().map(|claim| ((normal(&claim.statement), &claim.source), claim)).collect();
    let mut lost = Vec::new();
    let mut used: HashMap<String, BTreeSet<String>> = HashMap::new();
    for (path, content) in before {
        let Ok(text) = std::str::from_utf8(content) else { continue };
        if after.get(path) == Some(content) {
            continue;
        }
        for statement in readings.of(text).must_stand(path) {
            if live.says(statement) {
                continue;
            }
            let claim = replacements.get(&(statement.normal.clone(), *path)).zip(earlier.as_ref());
            let replaced_by = claim.and_then(|(claim, earlier)| replacement(claim, &live, earlier));
            // A title only names a matter, and gives way to another name of it.
            let is_label = statement.range.is_empty()
                || statement.about.is_some()
                || !after.contains_key(path) && readings.of(text).is_heading(statement);
            match replaced_by {
                Some(replaced_by) if is_label && is_label_of(&statement.text, &replaced_by.text) => {}
                Some(replaced_by) if replaced_by.is_justified(statement) => {
                    used.entry(replaced_by.normal).or_default().insert(statement.normal.clone());
                }
                _ => lost.push(((*path).clone(), statement.clone())),
            }
        }
    }
    let superseded: HashSet<&String> = used.values().flatten().collect();
    let superseded = superseded.len();
    let catch_all = used.into_iter().map(|(replaced_by, replaced)| (replaced_by, replaced.len()));
    Comparison {
        lost,
        superseded,
        catch_all: catch_all
            .filter(|(_, count)| *count > MOST_PER_REPLACEMENT)
            .max_by_key(|(_, count)| *count),
    }
}

/// What is said to replace a statement, if it really is there.
struct Replacement {
    text: String,
    normal: String,
}

impl Replacement {
    /// Whether it is about the same, or of the same matter by the rule for merging.
    fn is_justified(&self, statement: &Statement) -> bool {
        let relation = || Said::of(&statement.text).relation(&Said::of(&self.text), Context::Open, true);
        is_about_the_same(&statement.normal, &self.normal) || relation().is_some()
    }
}

fn replacement(claim: &Superseded, live: &Live<'_>, earlier: &Live<'_>) -> Option<Replacement> {
    let new = normal(&claim.replaced_by);
    // Whoever plans may choose between what was said, and add nothing of their own.
    let is_there = !new.is_empty() && live.holds(&new) && earlier.told(&new);
    is_there.then(|| Replacement { text: claim.replaced_by.clone(), normal: new })
}

/// The directory after a plan.
fn applied<'f>(before: &Files<'f>, plan: &'f Plan) -> Result<Files<'f>, CheckRefused> {
    let mut after = before.clone();
    for change in &plan.changes {
        let overtaken = |path: &RelPath| CheckRefused::Overtaken { path: path.clone() };
        match change {
            Change::Write { path, content, base } => {
                if after.get(path).copied() != base.as_ref().map(|base| base.0.as_slice()) {
                    return Err(overtaken(path));
                }
                after.insert(path, content.0.as_slice());
            }
            Change::Delete { path, base } => {
                if after.remove(path) != Some(base.0.as_slice()) {
                    return Err(overtaken(path));
                }
            }
            Change::Rename { from, to, base } => {
                if after.contains_key(to) {
                    return Err(overtaken(to));
                }
                if after.remove(from) != Some(base.0.as_slice()) {
                    return Err(overtaken(from));
                }
                after.insert(to, base.0.as_slice());
            }
        }
    }
    Ok(after)
}

fn lost_message(lost: &[Lost]) -> String {
    const SHOWN: usize = 5;
    let count = lost.len();
    let mut message = match count {
        1 => "one statement would be lost".to_owned(),
        _ => format!("{count} statements would be lost"),
    };
    for Lost { statement, source } in lost.iter().take(SHOWN) {
        let short: String = statement.chars().take(120).collect();
        let short = short.split_whitespace().collect::<Vec<_>>().join(" ");
        message.push_str(&format!("\n  `{source}`: {short}"));
    }
    if count > SHOWN {
        message.push_str(&format!("\n  and {} more", count - SHOWN));
    }
    message
}
