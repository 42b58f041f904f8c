//! Taking a snapshot over into a memory that may have grown since.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Files, Snapshot};
use crate::memory::index;
use crate::memory::text_merge::merge_text;
use crate::plan::{Change, Content, Plan};
use crate::rel_path::{ENTRYPOINT, RelPath};

/// What taking a snapshot over would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakeOver {
    /// What to change in the memory directory.
    pub plan: Plan,
    /// What becomes of every file that the snapshot is about.
    pub outcomes: Vec<(RelPath, Outcome)>,
}

/// What becomes of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The snapshot brings it.
    Added,
    /// It is the one that was taken over before, and becomes the snapshot's.
    Updated,
    /// It is the one that was taken over before, and the snapshot has dropped it.
    Removed,
    /// Both changed, and both changes are in it.
    Merged,
    /// Both changed: the user's stays, the snapshot's is beside it.
    KeptBoth,
    /// It stays as the user has it.
    Kept,
    /// It is the same already.
    Same,
}

/// Merges a snapshot into a memory, both made from `base`: what was last taken over, nothing at first.
///
/// A file that only the snapshot changed becomes the snapshot's; what the user changed or deleted stays so; what
/// both changed is merged, or kept twice where they disagree.
#[must_use]
pub fn take_over(snapshot: &Snapshot, mine: &Files, base: &Files) -> TakeOver {
    let mut plan = Plan::new("take over a snapshot of an agent's memory");
    let mut outcomes = Vec::new();
    let paths: BTreeSet<&RelPath> = snapshot.files.keys().chain(base.keys()).collect();
    for path in paths {
        let (theirs, my, base) = (snapshot.files.get(path), mine.get(path), base.get(path));
        let write = |content: &Content| Change::Write {
            path: path.clone(),
            content: content.clone(),
            base: my.cloned(),
        };
        let outcome = match (theirs, my) {
            _ if theirs == my => Outcome::Same,
            _ if theirs == base => Outcome::Kept,
            (Some(theirs), None) if base.is_none() => {
                plan.changes.push(write(theirs));
                Outcome::Added
            }
            (Some(theirs), Some(_)) if my == base => {
                plan.changes.push(write(theirs));
                Outcome::Updated
            }
            (None, Some(my)) if Some(my) == base => {
                plan.changes.push(Change::Delete { path: path.clone(), base: my.clone() });
                Outcome::Removed
            }
            (Some(theirs), Some(my)) => match merged(path, base, my, theirs) {
                Some(content) => {
                    plan.changes.push(write(&content));
                    Outcome::Merged
                }
                None => {
                    keep_beside(&mut plan, path, theirs, mine, snapshot);
                    Outcome::KeptBoth
                }
            },
            (_, _) => Outcome::Kept,
        };
        outcomes.push((path.clone(), outcome));
    }
    TakeOver { plan, outcomes }
}

/// Both changes in one file, where that is possible: any two indexes, and files that have a common beginning.
fn merged(path: &RelPath, base: Option<&Content>, mine: &Content, theirs: &Content) -> Option<Content> {
    let text = |content: &Content| std::str::from_utf8(&content.0).map(str::to_owned).ok();
    let (mine, theirs) = (text(mine)?, text(theirs)?);
    if path.as_str() == ENTRYPOINT {
        let base = base.map_or(Some(String::new()), text)?;
        return Some(Content::from(index::merge(&base, &mine, &theirs).text));
    }
    merge_text(&text(base?)?, &mine, &theirs).ok().map(Content::from)
}

fn keep_beside(plan: &mut Plan, path: &RelPath, theirs: &Content, mine: &Files, snapshot: &Snapshot) {
    let stem = path.as_str().strip_suffix(".md").unwrap_or(path.as_str());
    let names = (1..100).map(|number| match number {
        1 => format!("{stem}.snapshot.md"),
        number => format!("{stem}.snapshot-{number}.md"),
    });
    for beside in names.filter_map(|name| RelPath::parse(&name).ok()) {
        match mine.get(&beside) {
            Some(present) if present == theirs => return,
            None if !snapshot.files.contains_key(&beside) => {
                plan.warnings.push(format!(
                    "you and the snapshot both changed `{path}`: yours stays, the snapshot's is `{beside}`"
                ));
                plan.changes.push(Change::Write { path: beside, content: theirs.clone(), base: None });
                return;
            }
            _ => {}
        }
    }
    plan.warnings.push(format!("you and the snapshot both changed `{path}`: yours stays"));
}
