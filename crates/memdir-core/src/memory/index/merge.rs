//! Two changed versions of an index, put together.
//!
//! Lines are a set: entries are known by their path, other lines by their text. What one side added or changed is
//! there afterwards, what one side removed and the other left alone is gone, and where both changed one entry, both
//! lines stay. The order is that of one side, chosen by comparing the texts so that it does not matter who is
//! called mine; lines that only the other side has follow the line that they followed there.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use super::Index;

/// Two versions of an index as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The merged text.
    pub text: String,
    /// The entries on which the sides disagree; both versions, where there are two, are in the text.
    pub conflicts: Vec<Conflict>,
}

/// An entry that was changed on both sides, or changed on one and removed on the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The file that it points to.
    pub path: String,
    /// The lines that were kept.
    pub lines: Vec<String>,
}

/// Merges two versions that were both made from `base`.
#[must_use]
pub fn merge(base: &str, mine: &str, theirs: &str) -> Merged {
    if mine == theirs || theirs == base {
        return Merged { text: mine.to_owned(), conflicts: Vec::new() };
    }
    if mine == base {
        return Merged { text: theirs.to_owned(), conflicts: Vec::new() };
    }
    let (base, first, second) = (Side::of(base), Side::of(mine.min(theirs)), Side::of(mine.max(theirs)));
    let mut conflicts = Vec::new();
    let mut kept: HashMap<&Key, Vec<&str>> = HashMap::new();
    for key in first.order.iter().chain(&second.order).collect::<HashSet<_>>() {
        let (lines, conflict) = decide(base.line(key), first.line(key), second.line(key));
        if let (true, Key::Entry(path, _)) = (conflict, key) {
            conflicts.push(Conflict {
                path: path.clone(),
                lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            });
        }
        kept.insert(key, lines);
    }
    conflicts.sort_by(|left, right| (&left.path, &left.lines).cmp(&(&right.path, &right.lines)));
    Merged { text: written(&first, &second, &kept), conflicts }
}

/// What a line is known by, and which of several equal ones it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Key {
    Entry(String, usize),
    Text(String, usize),
    Blank(usize),
}

struct Side<'t> {
    order: Vec<Key>,
    lines: HashMap<Key, &'t str>,
    line_end: &'static str,
    ends_with_newline: bool,
}

impl<'t> Side<'t> {
    fn of(text: &'t str) -> Self {
        let mut seen: BTreeMap<(u8, String), usize> = BTreeMap::new();
        let mut side = Self {
            order: Vec::new(),
            lines: HashMap::new(),
            line_end: super::edit::line_end(text),
            ends_with_newline: text.is_empty() || text.ends_with('\n'),
        };
        for line in &Index::parse(text).lines {
            let content =
                line.raw.strip_suffix(side.line_end).or(line.raw.strip_suffix('\n')).unwrap_or(line.raw);
            let (kind, name) = match &line.entry {
                Some(entry) => (0, entry.path.clone()),
                None if content.trim().is_empty() => (2, String::new()),
                None => (1, content.to_owned()),
            };
            let count = seen.entry((kind, name.clone())).or_default();
            let key = match kind {
                0 => Key::Entry(name, *count),
                1 => Key::Text(name, *count),
                _ => Key::Blank(*count),
            };
            *count += 1;
            side.order.push(key.clone());
            side.lines.insert(key, content);
        }
        side
    }

    fn line(&self, key: &Key) -> Option<&'t str> {
        self.lines.get(key).copied()
    }
}

/// The lines to keep for one key, and whether the sides disagree about it.
fn decide<'t>(
    base: Option<&'t str>,
    first: Option<&'t str>,
    second: Option<&'t str>,
) -> (Vec<&'t str>, bool) {
    if first == second || second == base {
        return (first.into_iter().collect(), false);
    }
    if first == base {
        return (second.into_iter().collect(), false);
    }
    let mut lines: Vec<&str> = first.into_iter().chain(second).collect();
    lines.sort_unstable();
    (lines, true)
}

/// The kept lines in the order of the first side, those of the second alone behind their neighbours there.
fn written(first: &Side<'_>, second: &Side<'_>, kept: &HashMap<&Key, Vec<&str>>) -> String {
    let known: HashSet<&Key> = first.order.iter().collect();
    let mut followers: HashMap<Option<&Key>, Vec<&Key>> = HashMap::new();
    let mut anchor = None;
    for key in &second.order {
        if known.contains(key) {
            anchor = Some(key);
        } else {
            followers.entry(anchor).or_default().push(key);
        }
    }
    let mut order: Vec<&Key> = followers.remove(&None).unwrap_or_default();
    for key in &first.order {
        order.push(key);
        order.extend(followers.remove(&Some(key)).unwrap_or_default());
    }
    let lines: Vec<&str> =
        order.into_iter().flat_map(|key| kept.get(key).into_iter().flatten()).copied().collect();
    let line_end = if first.line_end == second.line_end { first.line_end } else { "\n" };
    let mut text = lines.join(line_end);
    if !lines.is_empty() && (first.ends_with_newline || second.ends_with_newline) {
        text.push_str(line_end);
    }
    text
}
