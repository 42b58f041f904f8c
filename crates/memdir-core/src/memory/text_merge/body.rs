//! Bodies, merged line by line.

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
    // The order of the sides must not matter, so the smaller text goes first.
    let swapped = theirs < mine;
    let (first, second) = if swapped { (theirs, mine) } else { (mine, theirs) };
    let chunks =
        chunks(&lines(base), &lines(first), &lines(second)).ok_or_else(|| vec![whole(mine, theirs)])?;
    let mut merged = String::with_capacity(mine.len().max(theirs.len()));
    let mut conflicts = Vec::new();
    for chunk in chunks {
        match chunk.merged() {
            Some(text) => push(&mut merged, &text),
            None => conflicts.push(chunk.conflict(swapped)),
        }
    }
    if conflicts.is_empty() { Ok(merged) } else { Err(conflicts) }
}

/// Appends text; a line that had no end because it was the last gets one when it no longer is.
fn push(merged: &mut String, text: &str) {
    if !merged.is_empty() && !merged.ends_with('\n') && !text.is_empty() {
        merged.push('\n');
    }
    merged.push_str(text);
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

/// A run of lines that both sides left alone, or one that at least one of them changed.
struct Chunk<'t> {
    base: Vec<&'t str>,
    first: Vec<&'t str>,
    second: Vec<&'t str>,
}

impl Chunk<'_> {
    fn merged(&self) -> Option<String> {
        if self.first == self.second || self.second == self.base {
            Some(self.first.concat())
        } else if self.first == self.base {
            Some(self.second.concat())
        } else if self.base.is_empty() {
            if let Some(whole) = longer_of(&self.first, &self.second) {
                return Some(whole.concat());
            }
            let mut both = String::new();
            push(&mut both, &self.first.concat());
            push(&mut both, &self.second.concat());
            Some(both)
        } else {
            None
        }
    }

    fn conflict(&self, swapped: bool) -> TextConflict {
        let text = |lines: &[&str]| (!lines.is_empty()).then(|| lines.concat());
        let (mine, theirs) = if swapped { (&self.second, &self.first) } else { (&self.first, &self.second) };
        TextConflict { place: "body".to_owned(), mine: text(mine), theirs: text(theirs) }
    }
}

/// Parts three texts where all of them agree. `None` if they are too long to compare.
fn chunks<'t>(base: &[&'t str], first: &[&'t str], second: &[&'t str]) -> Option<Vec<Chunk<'t>>> {
    let in_first = matches(base, first)?;
    let in_second = matches(base, second)?;
    let mut chunks = Vec::new();
    let mut starts = (0, 0, 0);
    let slice = |lines: &[&'t str], from: usize, to: usize| lines.get(from..to).unwrap_or_default().to_vec();
    let mut close = |ends: (usize, usize, usize), starts: (usize, usize, usize)| {
        if ends != starts {
            chunks.push(Chunk {
                base: slice(base, starts.0, ends.0),
                first: slice(first, starts.1, ends.1),
                second: slice(second, starts.2, ends.2),
            });
        }
    };
    for (at, pair) in in_first.iter().zip(&in_second).enumerate() {
        let (Some(left), Some(right)) = pair else { continue };
        close((at, *left, *right), starts);
        close((at + 1, left + 1, right + 1), (at, *left, *right));
        starts = (at + 1, left + 1, right + 1);
    }
    close((base.len(), first.len(), second.len()), starts);
    Some(chunks)
}

/// For every line of the base, the equal line of the other text that it stands for.
fn matches(base: &[&str], other: &[&str]) -> Option<Vec<Option<usize>>> {
    let same_start = base.iter().zip(other).take_while(|(left, right)| left == right).count();
    if base.len().max(other.len()) - same_start > MAX_COMPARED_LINES {
        return None;
    }
    let mut found: Vec<Option<usize>> = vec![None; base.len()];
    for operation in capture_diff_slices(Algorithm::Myers, base, other) {
        if let DiffOp::Equal { old_index, new_index, len } = operation {
            for step in 0..len {
                if let Some(slot) = found.get_mut(old_index + step) {
                    *slot = Some(new_index + step);
                }
            }
        }
    }
    Some(found)
}
