//! Changing lines of an index and leaving all others as they are.

use std::collections::HashSet;

use super::{Index, IndexEntry, format_line};

/// The index with a line for a memory behind its last entry; unchanged if it has one for that path.
#[must_use]
pub fn add_line(text: &str, title: &str, path: &str, hook: &str) -> String {
    add_lines(text, [IndexEntry { title: title.to_owned(), path: path.to_owned(), hook: hook.to_owned() }])
}

/// The index with lines for several memories, as [`add_line`] would add one after the other; the text is read once.
#[must_use]
pub fn add_lines(text: &str, entries: impl IntoIterator<Item = IndexEntry>) -> String {
    let index = Index::parse(text);
    let mut listed: HashSet<String> = index.entries().map(|(_, entry)| entry.path.clone()).collect();
    let behind = index.entries().last().map_or(index.lines.len(), |(number, _)| number);
    let end = line_end(text);
    let mut changed: String = index.lines.iter().take(behind).map(|line| line.raw).collect();
    for entry in entries {
        if !listed.contains(&entry.path) {
            push_line(&mut changed, &format_line(&entry.title, &entry.path, &entry.hook), end);
            listed.insert(entry.path);
        }
    }
    changed.extend(index.lines.iter().skip(behind).map(|line| line.raw));
    changed
}

/// The index with the hook of a memory's line replaced, its title and place kept; with a line added where there
/// was none. Two lines that say the same afterwards, left by two writers who disagreed, become one.
#[must_use]
pub fn update_line(text: &str, title: &str, path: &str, hook: &str) -> String {
    let index = Index::parse(text);
    if !index.entries().any(|(_, entry)| entry.path == path) {
        return add_line(text, title, path, hook);
    }
    let mut titles = HashSet::new();
    mapped(&index, |entry| {
        (entry.path == path)
            .then(|| titles.insert(entry.title.clone()).then(|| format_line(&entry.title, path, hook)))
    })
}

/// The index without the lines of a memory.
#[must_use]
pub fn remove_lines(text: &str, path: &str) -> String {
    mapped(&Index::parse(text), |entry| (entry.path == path).then_some(None))
}

/// The index with the lines of a memory pointing to its new path. A title that was the old file's stem follows.
#[must_use]
pub fn rename_lines(text: &str, old_path: &str, new_path: &str) -> String {
    mapped(&Index::parse(text), |entry| {
        (entry.path == old_path).then(|| {
            let follows = entry.title == stem(old_path) || entry.title == old_path;
            let title = if follows { stem(new_path) } else { &entry.title };
            Some(format_line(title, new_path, &entry.hook))
        })
    })
}

/// The index with some entries changed (`Some(Some(line))`) or removed (`Some(None)`).
pub(super) fn mapped(
    index: &Index<'_>,
    mut change: impl FnMut(&IndexEntry) -> Option<Option<String>>,
) -> String {
    let mut text = String::new();
    for line in &index.lines {
        match line.entry.as_ref().and_then(&mut change) {
            None => text.push_str(line.raw),
            Some(None) => {}
            Some(Some(new)) => {
                let content = line.raw.trim_end_matches(['\n', '\r']);
                let indent = content.len() - content.trim_start().len();
                text.push_str(line.raw.get(..indent).unwrap_or_default());
                text.push_str(&new);
                text.push_str(line.raw.get(content.len()..).unwrap_or_default());
            }
        }
    }
    text
}

/// The line end that a text uses.
pub(super) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
        _ => "\n",
    }
}

/// Appends a whole line, on a line of its own.
pub(super) fn push_line(text: &mut String, line: &str, end: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(end);
    }
    text.push_str(line);
    text.push_str(end);
}

/// A file's name without directories and `.md`.
pub(in crate::memory) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}
