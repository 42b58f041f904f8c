//! An index made from the files of a directory.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::entrypoint::{ENTRYPOINT, MAX_LINES, MAX_UNITS, clean};
use super::index::{Index, IndexEntry, OVERFLOW, add_lines, format_line, stem, with_hook};
use super::js_text;

#[cfg(test)]
mod tests;

/// How many entries are generated: seven tenths of what is loaded, so that there is room to grow.
pub const MAX_GENERATED_LINES: usize = MAX_LINES * 7 / 10;
/// How many units are generated, line ends included.
pub const MAX_GENERATED_UNITS: usize = MAX_UNITS * 7 / 10;

/// The folder of a memory directory to which memories go that no longer count: out of index and recall, never deleted.
pub const ARCHIVE: &str = "archive";

/// A file that may get a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexSource {
    /// Its path in the directory.
    pub path: String,
    /// What it says it is about.
    pub description: Option<String>,
    /// When it was last written.
    pub modified: Timestamp,
}

/// The index that the client makes where there are files and no MEMORY.md: newest first, until one of the limits is
/// reached. `None` if no file qualifies.
#[must_use]
pub fn generate(mut files: Vec<IndexSource>) -> Option<String> {
    files.retain(|file| is_indexed(&file.path));
    newest_first(&mut files);
    let mut text = String::new();
    let mut units = 0;
    for file in files.iter().take(MAX_GENERATED_LINES) {
        let line = generated_line(file);
        units += js_text::units(&line) + 1;
        if units > MAX_GENERATED_UNITS {
            break;
        }
        text.push_str(&line);
        text.push('\n');
    }
    (!text.is_empty()).then_some(text)
}

/// The index rebuilt from the files, in the user's own order and below the user's own headings.
///
/// Hooks follow the descriptions, titles stay; lines of files that are gone and second lines for one file go; files
/// without a line get one, newest first, behind the last. Everything that is not an entry stays as it is. Nothing is cut:
/// what does not fit is for [`super::index::balance`]. Lines of files that are there but could not be read stay.
#[must_use]
pub fn reindex(text: &str, mut files: Vec<IndexSource>, unread: &[&str]) -> String {
    files.retain(|file| is_indexed(&file.path));
    newest_first(&mut files);
    let mut rebuilt = String::with_capacity(text.len());
    let by_path: HashMap<&str, &IndexSource> = files.iter().map(|file| (file.path.as_str(), file)).collect();
    let mut seen = HashSet::new();
    for line in Index::parse(text).lines {
        let Some(entry) = line.entry.filter(|entry| entry.path != OVERFLOW) else {
            rebuilt.push_str(line.raw);
            continue;
        };
        if unread.contains(&entry.path.as_str()) {
            rebuilt.push_str(line.raw);
            continue;
        }
        let Some(file) = by_path.get(entry.path.as_str()) else { continue };
        if !seen.insert(entry.path.clone()) {
            continue;
        }
        let content = line.raw.trim_end();
        let indent = content.len() - content.trim_start().len();
        let new = format_line(&entry.title, &entry.path, &hook(file));
        if hook(file).is_empty() || super::index::parse_line(&new).is_some_and(|new| new.hook == entry.hook) {
            rebuilt.push_str(line.raw);
        } else {
            rebuilt.push_str(line.raw.get(..indent).unwrap_or_default());
            rebuilt.push_str(&new);
            rebuilt.push_str(line.raw.get(content.len()..).unwrap_or_default());
        }
    }
    let without_line = files.iter().filter(|file| !seen.contains(&file.path));
    let entries = without_line.map(|file| IndexEntry {
        title: stem(&file.path).to_owned(),
        path: file.path.clone(),
        hook: hook(file),
    });
    add_lines(&rebuilt, entries)
}

/// Whether a file gets a line: Markdown, not hidden, not a log, not the team's, not in the archive, and with a name that a link can hold.
#[must_use]
pub fn is_indexed(path: &str) -> bool {
    let mut components = path.split('/').rev();
    let name = components.next().unwrap_or_default();
    let folders_count = components.all(|folder| {
        !folder.starts_with('.')
            && !folder.eq_ignore_ascii_case("logs")
            && !folder.eq_ignore_ascii_case("team")
            && !folder.eq_ignore_ascii_case(ARCHIVE)
    });
    let name_counts =
        name.ends_with(".md") && !name.starts_with('.') && !matches!(name, ENTRYPOINT | OVERFLOW);
    folders_count && name_counts && can_be_linked(path)
}

/// Whether a link in an index can name a file.
#[must_use]
pub fn can_be_linked(path: &str) -> bool {
    !path.contains(['[', ']', '(', ')']) && !path.contains(char::is_control) && !path.starts_with('#')
}

fn newest_first(files: &mut [IndexSource]) {
    files.sort_by(|left, right| right.modified.cmp(&left.modified).then_with(|| left.path.cmp(&right.path)));
}

fn generated_line(file: &IndexSource) -> String {
    with_hook(format!("- [{}]({})", stem(&file.path), file.path), &hook(file))
}

/// The description as it may be before a model, in one line.
fn hook(file: &IndexSource) -> String {
    js_text::fold_white_space(&clean(file.description.as_deref().unwrap_or_default()))
}
