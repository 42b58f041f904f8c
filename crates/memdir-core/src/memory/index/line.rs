//! One line of an index.

use crate::memory::js_text;
use crate::memory::links::{destination, new_destination, without_anchor};

/// The longest line that is written, in UTF-16 units: what the client itself generates.
pub const MAX_LINE_UNITS: usize = 150;

/// What a line of an index points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// The text of its link, as it is written.
    pub title: String,
    /// The file, relative to the memory directory, decoded and without an anchor.
    pub path: String,
    /// What is behind the link, without the dash or colon between them.
    pub hook: String,
}

/// Reads one line; `None` if it is something else than a list item that begins with a link to a Markdown file.
#[must_use]
pub fn parse_line(line: &str) -> Option<IndexEntry> {
    let item = line.trim().strip_prefix(['-', '*', '+'])?;
    let link = item.strip_prefix([' ', '\t'])?.trim_start().strip_prefix('[')?;
    let end = closing_bracket(link)?;
    let title = link.get(..end)?;
    let inner = link.get(end + 1..)?.strip_prefix('(')?;
    let (raw, offset) = destination(inner)?;
    let path = without_anchor(raw)?;
    let behind = inner.get(offset + raw.len()..)?;
    let hook = behind.get(behind.find(')')? + 1..)?;
    Some(IndexEntry { title: title.to_owned(), path, hook: without_separator(hook).to_owned() })
}

/// The line for a memory, at most [`MAX_LINE_UNITS`] long: the hook is cut with `…`, and left out where not even
/// one character of it would fit.
#[must_use]
pub fn format_line(title: &str, path: &str, hook: &str) -> String {
    with_hook(format!("- [{}]({})", escaped_title(title), new_destination(path)), hook)
}

/// A line that has its link already, with as much of a hook as fits.
pub(in crate::memory) fn with_hook(mut line: String, hook: &str) -> String {
    let hook = js_text::fold_white_space(hook);
    if hook.is_empty() {
        return line;
    }
    let room = MAX_LINE_UNITS.saturating_sub(js_text::units(&line) + 3);
    if js_text::units(&hook) <= room {
        line.push_str(" — ");
        line.push_str(&hook);
    } else if room >= 2 {
        line.push_str(" — ");
        line.push_str(cut_hook(&hook, room));
        line.push('…');
    }
    line
}

/// The beginning of a hook that fits together with `…`. It ends between two words, unless that would give up more
/// than half of the room.
fn cut_hook(hook: &str, room: usize) -> &str {
    let kept = js_text::prefix(hook, room - 1);
    let words = kept.rfind(' ').and_then(|space| kept.get(..space));
    let kept = words.filter(|words| js_text::units(words) * 2 > room).unwrap_or(kept);
    js_text::trim_end(kept)
}

/// The title with its brackets escaped, unless they are balanced already.
fn escaped_title(title: &str) -> String {
    let title = js_text::fold_white_space(title);
    if closing_bracket(&format!("{title}]")) == Some(title.len()) {
        return title;
    }
    let mut escaped = String::with_capacity(title.len());
    for character in title.chars() {
        if matches!(character, '[' | ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Where the bracket that closes the link's text is; brackets inside may be nested or escaped.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            '[' => depth += 1,
            ']' if depth == 0 => return Some(at),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn without_separator(hook: &str) -> &str {
    let hook = hook.trim();
    ["—", "–", "-", ":"].iter().find_map(|mark| hook.strip_prefix(mark)).unwrap_or(hook).trim_start()
}
