//! Frontmatters, merged field by field.

use std::collections::{HashMap, HashSet};

use super::TextConflict;
use crate::memory::frontmatter::{Frontmatter, METADATA, Piece};

/// Merges two frontmatters, fences included. Comments and other lines between the fields count by their text.
pub(super) fn merge(
    base: Option<&Frontmatter<'_>>,
    mine: &Frontmatter<'_>,
    theirs: &Frontmatter<'_>,
) -> Result<String, Vec<TextConflict>> {
    let base = base.map(Frontmatter::pieces).unwrap_or_default();
    let (open, close) = mine.fence_lines().min(theirs.fence_lines());
    let inner = merge_pieces(&base, &mine.pieces(), &theirs.pieces())?;
    Ok(format!("{open}{inner}{close}"))
}

fn merge_pieces(
    base: &[Piece<'_>],
    mine: &[Piece<'_>],
    theirs: &[Piece<'_>],
) -> Result<String, Vec<TextConflict>> {
    let (base, mine, theirs) = (Side::of(base), Side::of(mine), Side::of(theirs));
    let swapped = theirs.text() < mine.text();
    let (first, second) = if swapped { (&theirs, &mine) } else { (&mine, &theirs) };
    let mut merged = String::new();
    let mut conflicts = Vec::new();
    for key in order(first, second) {
        match decide(key, base.pieces.get(key), mine.pieces.get(key), theirs.pieces.get(key)) {
            Ok(text) => merged.push_str(&text),
            Err(found) => conflicts.extend(found),
        }
    }
    if conflicts.is_empty() { Ok(merged) } else { Err(conflicts) }
}

/// The pieces of one side, by what they are known by.
struct Side<'p> {
    order: Vec<String>,
    pieces: HashMap<String, &'p Piece<'p>>,
}

impl<'p> Side<'p> {
    fn of(pieces: &'p [Piece<'p>]) -> Self {
        let mut side = Self { order: Vec::new(), pieces: HashMap::new() };
        let mut seen: HashMap<String, usize> = HashMap::new();
        for piece in pieces {
            let name = piece.key.clone().unwrap_or_else(|| format!("\n{}", piece.raw));
            let count = seen.entry(name.clone()).or_default();
            let key = if *count == 0 { name } else { format!("{name}\n{count}") };
            *count += 1;
            side.order.push(key.clone());
            side.pieces.insert(key, piece);
        }
        side
    }

    fn text(&self) -> String {
        self.order.iter().filter_map(|key| self.pieces.get(key)).map(|piece| piece.raw).collect()
    }
}

/// The keys in the order of the first side, those of the second alone behind their neighbours there.
fn order<'s>(first: &'s Side<'_>, second: &'s Side<'_>) -> Vec<&'s String> {
    let known: HashSet<&String> = first.order.iter().collect();
    let mut followers: HashMap<Option<&String>, Vec<&String>> = HashMap::new();
    let mut anchor = None;
    for key in &second.order {
        if known.contains(key) {
            anchor = Some(key);
        } else {
            followers.entry(anchor).or_default().push(key);
        }
    }
    let mut order = followers.remove(&None).unwrap_or_default();
    for key in &first.order {
        order.push(key);
        order.extend(followers.remove(&Some(key)).unwrap_or_default());
    }
    order
}

fn decide(
    key: &str,
    base: Option<&&Piece<'_>>,
    mine: Option<&&Piece<'_>>,
    theirs: Option<&&Piece<'_>>,
) -> Result<String, Vec<TextConflict>> {
    let raw = |piece: Option<&&Piece<'_>>| piece.map(|piece| piece.raw.to_owned());
    let (old, left, right) = (raw(base), raw(mine), raw(theirs));
    if left == right || right == old {
        return Ok(left.unwrap_or_default());
    }
    if left == old {
        return Ok(right.unwrap_or_default());
    }
    let name = key.rsplit('.').next().unwrap_or(key);
    if let (Some(left), Some(right)) = (&left, &right) {
        // Times that compare as text: the later one is the truth. The first session stays the first.
        match name {
            "modified" => return Ok(left.max(right).clone()),
            "originSessionId" => return Ok(left.min(right).clone()),
            _ => {}
        }
    }
    if let (METADATA, Some(left), Some(right)) = (key, mine, theirs)
        && !left.children.is_empty()
        && !right.children.is_empty()
    {
        let old = base.map(|piece| piece.children.as_slice()).unwrap_or_default();
        return merge_pieces(old, &left.children, &right.children);
    }
    Err(vec![TextConflict { place: key.trim_start_matches('\n').to_owned(), mine: left, theirs: right }])
}
