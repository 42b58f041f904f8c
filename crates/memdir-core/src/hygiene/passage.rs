//! Finds what a model quotes from a rendering in the text that was rendered.

use std::ops::Range;

use super::clean::{Taken, clean_noting};
use super::escape::insertions;
use super::render::without_line_prefixes;
use super::{escape, unescape};

#[cfg(test)]
mod tests;

/// The text with `new` in the place of `old`, which occurs there once: as it is stored, or as [`super::render()`]
/// showed it, with its backslashes, without invisible characters, and with or without the marks before its lines.
///
/// What was copied from a rendering is understood on both sides: `new` loses the backslashes that `old` had to lose.
/// Line ends become those of the text. An error is how often `old` occurs.
///
/// # Errors
/// It does not occur there, or more than once.
pub fn replace_passage(text: &str, old: &str, new: &str) -> Result<String, usize> {
    let (range, new) = match only(text, old) {
        Ok(range) => (range, new.to_owned()),
        Err(0) => find_shown(text, old, new)?,
        Err(count) => return Err(count),
    };
    let splits_line_end = text.get(..range.start).is_some_and(|before| before.ends_with('\r'))
        && text.get(range.start..).is_some_and(|rest| rest.starts_with('\n'));
    let range = range.start - usize::from(splits_line_end)..range.end;
    let mut replaced = String::with_capacity(text.len() + new.len());
    replaced.push_str(text.get(..range.start).unwrap_or_default());
    replaced.push_str(&with_line_ends_of(text, &new));
    replaced.push_str(text.get(range.end..).unwrap_or_default());
    Ok(replaced)
}

/// The place of a passage that was copied from a rendering, with what goes there.
fn find_shown(text: &str, old: &str, new: &str) -> Result<(Range<usize>, String), usize> {
    let shown = Shown::of(text);
    let old = old.replace("\r\n", "\n");
    let bare = without_line_prefixes(&old);
    let mut count = 0;
    for (wanted, is_bare) in
        [Some((old.as_str(), false)), bare.as_deref().map(|bare| (bare, true))].into_iter().flatten()
    {
        match shown.find(wanted) {
            Ok(range) => {
                let bare_new = if is_bare { without_line_prefixes(new) } else { None };
                return Ok((range, unescape_passage(bare_new.as_deref().unwrap_or(new))));
            }
            Err(found) => count = count.max(found),
        }
    }
    Err(count)
}

/// A text as it is shown, and the way back.
struct Shown {
    cleaned: String,
    taken: Vec<Taken>,
    escaped: String,
    /// Where in the cleaned text backslashes were put.
    backslashes: Vec<usize>,
}

impl Shown {
    fn of(text: &str) -> Self {
        let (cleaned, taken) = clean_noting(text);
        let escaped = escape(&cleaned).into_owned();
        let backslashes = insertions(&cleaned);
        Self { cleaned: cleaned.into_owned(), taken, escaped, backslashes }
    }

    /// Where the only passage is in the text that looks like this.
    fn find(&self, wanted: &str) -> Result<Range<usize>, usize> {
        let cleaned = match only(&self.escaped, wanted) {
            Ok(range) => self.cleaned_position(range.start)..self.cleaned_position(range.end),
            // What was shown may have begun elsewhere, where other words looked like structure.
            Err(0) => only(&self.cleaned, &unescape_passage(wanted))?,
            Err(count) => return Err(count),
        };
        Ok(self.start(cleaned.start)..self.end(cleaned.end))
    }

    fn cleaned_position(&self, escaped: usize) -> usize {
        let before = self.backslashes.iter().enumerate().take_while(|(count, at)| escaped > **at + count);
        escaped - before.count()
    }

    /// The first byte of a passage. Invisible characters before it do not belong to it.
    fn start(&self, cleaned: usize) -> usize {
        self.position(cleaned, |taken, at| at < cleaned || (at == cleaned && taken.shown == 0))
    }

    /// The byte behind a passage.
    fn end(&self, cleaned: usize) -> usize {
        self.position(cleaned, |_, at| at < cleaned)
    }

    fn position(&self, cleaned: usize, is_before: impl Fn(&Taken, usize) -> bool) -> usize {
        let mut hidden = 0;
        for taken in &self.taken {
            if !is_before(taken, taken.position - hidden) {
                break;
            }
            hidden += taken.length - taken.shown;
        }
        cleaned + hidden
    }
}

/// A passage without the backslashes that it was shown with: what begins a line in it begins one of a longer text.
fn unescape_passage(passage: &str) -> String {
    const BEFORE: &str = "-\n\n";
    const AFTER: &str = "\n\n-";
    let whole = format!("{BEFORE}{passage}{AFTER}");
    let bare = unescape(&whole);
    let bare = bare.strip_prefix(BEFORE).and_then(|rest| rest.strip_suffix(AFTER));
    bare.unwrap_or(passage).to_owned()
}

/// The place of the only occurrence, or how many there are.
fn only(text: &str, wanted: &str) -> Result<Range<usize>, usize> {
    let mut found = text.match_indices(wanted).map(|(at, _)| at..at + wanted.len());
    match (found.next(), found.count()) {
        (Some(range), 0) if !wanted.is_empty() => Ok(range),
        (first, more) => Err(more + usize::from(first.is_some())),
    }
}

/// The text with the line ends of another, where that has one kind.
fn with_line_ends_of(text: &str, new: &str) -> String {
    let lines = text.matches('\n').count();
    if lines == 0 || text.matches("\r\n").count() < lines {
        return new.to_owned();
    }
    new.replace("\r\n", "\n").replace('\n', "\r\n")
}
