//! Bodies, merged line by line.

use std::borrow::Cow;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::TextConflict;

/// More lines than this between the first and the last difference are not compared line by line.
const MAX_COMPARED_LINES: usize = 4_000;

/// Merges two bodies.
pub(super) fn merge(base: &str, mine: &str, theirs: &str) -> Result<String, Vec<TextConflict>> {
    if mine == theirs || theirs == base {
        return Ok(mine.to_owned());
    }
    if mine == base {
        return Ok(theirs.to_owned());
    }
    if let Some(both) = both_appended(base, mine, theirs) {
        return Ok(both);
    }
    // A last line without an end is the same line as one with it.
    let is_open = |text: &str| !text.is_empty() && !text.ends_with('\n');
    let mut merged = merge_closed(&closed(base), &closed(mine), &closed(theirs))?;
    if is_open(mine) && is_open(theirs) && merged.ends_with('\n') {
        merged.truncate(merged.len() - if merged.ends_with("\r\n") { 2 } else { 1 });
    }
    Ok(merged)
}

/// A text whose last line has an end, like its other lines.
fn closed(text: &str) -> Cow<'_, str> {
    if text.is_empty() || text.ends_with('\n') {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{text}{}", if text.contains("\r\n") { "\r\n" } else { "\n" }))
}

fn merge_closed(base: &str, mine: &str, theirs: &str) -> Result<String, Vec<TextConflict>> {
    // The order of the sides must not matter, so the smaller text goes first.
    let swapped = theirs < mine;
    let (first, second) = if swapped { (theirs, mine) } else { (mine, theirs) };
    let base = lines(base);
    let too_long = || vec![whole(mine, theirs)];
    let first = Side::of(&base, lines(first)).ok_or_else(too_long)?;
    let second = Side::of(&base, lines(second)).ok_or_else(too_long)?;
    match (first.includes(&second, &base), second.includes(&first, &base)) {
        (true, false) => Ok(first.lines.concat()),
        (false, true) => Ok(second.lines.concat()),
        _ => merge_sides(&base, &first, &second, swapped),
    }
}

/// Takes every line from the side that changed it, and what was added from both.
fn merge_sides(
    base: &[&str],
    first: &Side<'_>,
    second: &Side<'_>,
    swapped: bool,
) -> Result<String, Vec<TextConflict>> {
    let mut merged = String::new();
    let mut conflicts = Vec::new();
    for at in 0..=base.len() {
        merged.push_str(&added_by_both(first.added_at(at), second.added_at(at)));
        let Some(old) = base.get(at).copied() else { break };
        let (left, right) = (first.stands_for(at), second.stands_for(at));
        if left == right || right == Some(old) {
            merged.push_str(left.unwrap_or_default());
        } else if left == Some(old) {
            merged.push_str(right.unwrap_or_default());
        } else {
            let (mine, theirs) = if swapped { (right, left) } else { (left, right) };
            let text = |line: Option<&str>| line.map(str::to_owned);
            conflicts.push(TextConflict { place: "body".to_owned(), mine: text(mine), theirs: text(theirs) });
        }
    }
    if conflicts.is_empty() { Ok(merged) } else { Err(conflicts) }
}

/// What both sides added at one place. The rest of a changed line stays with that line, so it comes first.
fn added_by_both(first: &Added<'_>, second: &Added<'_>) -> String {
    if let Some(whole) = longer_of(&first.lines, &second.lines) {
        return whole.concat();
    }
    let (first, second) = if second.goes_on && !first.goes_on { (second, first) } else { (first, second) };
    first.lines.concat() + &second.lines.concat()
}

/// Both sides only wrote on at the end: what both added is kept, the smaller text first.
fn both_appended(base: &str, mine: &str, theirs: &str) -> Option<String> {
    let (left, right) = (mine.strip_prefix(base)?, theirs.strip_prefix(base)?);
    let own_line = |added: &str| base.is_empty() || base.ends_with('\n') || added.starts_with(['\n', '\r']);
    if !own_line(left) || !own_line(right) {
        return None;
    }
    let (first, second) = (left.min(right), left.max(right));
    if let Some(whole) = longer_of(&lines(first), &lines(second)) {
        return Some(format!("{base}{}", whole.concat()));
    }
    let mut text = format!("{base}{first}");
    if !text.ends_with('\n') && !text.is_empty() && !second.starts_with(['\n', '\r']) {
        text.push('\n');
    }
    text.push_str(second);
    Some(text)
}

/// One of two additions that holds all lines of the other in their order: a merge that is made twice adds nothing twice.
fn longer_of<'s, 't>(first: &'s [&'t str], second: &'s [&'t str]) -> Option<&'s [&'t str]> {
    let (short, long) = if first.len() <= second.len() { (first, second) } else { (second, first) };
    let mut rest = long.iter().map(|line| line.trim_end_matches(['\r', '\n']));
    let holds = short.iter().all(|line| rest.any(|other| other == line.trim_end_matches(['\r', '\n'])));
    holds.then_some(long)
}

fn whole(mine: &str, theirs: &str) -> TextConflict {
    TextConflict { place: "body".to_owned(), mine: Some(mine.to_owned()), theirs: Some(theirs.to_owned()) }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// One side: what became of every line of the base, and what was added between them.
struct Side<'t> {
    lines: Vec<&'t str>,
    hunks: Vec<Hunk>,
    /// For every line of the base the one that is there now; `None` where it was removed.
    now: Vec<Option<&'t str>>,
    /// What was added before each line of the base, and behind the last.
    added: Vec<Added<'t>>,
}

/// Lines that one side added at one place.
#[derive(Debug, Clone, Default)]
struct Added<'t> {
    lines: Vec<&'t str>,
    /// The line before them was changed with them: one line may have become several.
    goes_on: bool,
}

impl<'t> Side<'t> {
    /// `None` if the texts are too long to compare.
    fn of(base: &[&'t str], lines: Vec<&'t str>) -> Option<Self> {
        let hunks = hunks(base, &lines)?;
        let mut now: Vec<Option<&'t str>> = base.iter().copied().map(Some).collect();
        let mut added = vec![Added::default(); base.len() + 1];
        for hunk in &hunks {
            // Changed lines are paired in their order; lines left over were removed or added.
            let mut changed = lines.get(hunk.new.clone()).unwrap_or_default().iter().copied();
            for slot in now.get_mut(hunk.old.clone()).unwrap_or_default() {
                *slot = changed.next();
            }
            if let Some(place) = added.get_mut(hunk.old.end) {
                *place = Added { lines: changed.collect(), goes_on: !hunk.old.is_empty() };
            }
        }
        Some(Self { lines, hunks, now, added })
    }

    fn stands_for(&self, at: usize) -> Option<&'t str> {
        self.now.get(at).copied().flatten()
    }

    fn added_at(&self, at: usize) -> &Added<'t> {
        const NOTHING: &Added<'static> = &Added { lines: Vec::new(), goes_on: false };
        self.added.get(at).unwrap_or(NOTHING)
    }

    /// Whether all that another side did is in this one already, as after a merge that is made twice.
    fn includes(&self, part: &Self, base: &[&str]) -> bool {
        let keeps = |side: &Self, at: usize, line: &str| side.stands_for(at) == Some(line);
        if base.iter().enumerate().any(|(at, line)| keeps(self, at, line) && !keeps(part, at, line)) {
            return false;
        }
        let Some(further) = hunks(&part.lines, &self.lines) else { return false };
        part.hunks.iter().all(|hunk| {
            let removes = hunk.new.len() < hunk.old.len();
            further.iter().all(|later| {
                let takes_back = later.old.clone().any(|line| hunk.new.contains(&line));
                // Where lines were removed, new ones may be another version of them.
                let touches = later.old.start <= hunk.new.end && hunk.new.start <= later.old.end;
                let brings_back = removes && touches && later.new.len() > later.old.len();
                !(takes_back || brings_back)
            })
        })
    }
}

/// Lines of one text that are in the place of lines of another. Either may be none.
struct Hunk {
    old: Range<usize>,
    new: Range<usize>,
}

/// Where two texts differ. `None` if they are too long to compare.
fn hunks(old: &[&str], new: &[&str]) -> Option<Vec<Hunk>> {
    let same_start = old.iter().zip(new).take_while(|(left, right)| left == right).count();
    if old.len().max(new.len()) - same_start > MAX_COMPARED_LINES {
        return None;
    }
    let mut hunks = Vec::new();
    let mut starts = (0, 0);
    let mut close = |starts: (usize, usize), ends: (usize, usize)| {
        if starts != ends {
            hunks.push(Hunk { old: starts.0..ends.0, new: starts.1..ends.1 });
        }
    };
    for operation in capture_diff_slices(Algorithm::Myers, old, new) {
        if let DiffOp::Equal { old_index, new_index, len } = operation {
            close(starts, (old_index, new_index));
            starts = (old_index + len, new_index + len);
        }
    }
    close(starts, (old.len(), new.len()));
    Some(hunks)
}
