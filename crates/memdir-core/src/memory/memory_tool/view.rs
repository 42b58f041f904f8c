//! Showing folders and files.

use crate::hygiene::{clean, escape, model_line};

use super::{EntryKind, MAX_LISTED, MAX_VIEW_LINES, MemoryPath, MemoryToolAnswer, ToolFiles};

/// How deep a folder is shown.
const LEVELS: usize = 2;
/// How deep a folder is walked for its size.
const MAX_DEPTH: usize = 32;

/// Shows what is at a path.
pub(super) fn view(
    files: &dyn ToolFiles,
    path: &MemoryPath,
    range: Option<(i64, i64)>,
) -> Result<MemoryToolAnswer, MemoryToolAnswer> {
    match files.found(path.relative()) {
        Some(EntryKind::File { .. }) => file(files, path, range),
        Some(EntryKind::Folder) => Ok(folder(files, path)),
        // A store without any write yet is empty, not missing.
        None if path.below().is_none() => Ok(folder(files, path)),
        None => Err(MemoryToolAnswer::error(format!(
            "The path {} does not exist. Please provide a valid path.",
            path.shown()
        ))),
    }
}

fn file(
    files: &dyn ToolFiles,
    path: &MemoryPath,
    range: Option<(i64, i64)>,
) -> Result<MemoryToolAnswer, MemoryToolAnswer> {
    let text = read_text(files, path)?;
    let lines = lines(&text);
    let shown = path.shown();
    if lines.len() > MAX_VIEW_LINES {
        return Err(MemoryToolAnswer::error(format!(
            "File {shown} exceeds maximum line limit of 999,999 lines."
        )));
    }
    let (first, last) = match range {
        None => (1, lines.len()),
        Some((first, last)) => within(first, last, lines.len()).ok_or_else(|| {
            MemoryToolAnswer::error(format!(
                "Error: Invalid `view_range` parameter: [{first}, {last}]. It should be within the range of lines of the file: [1, {}]",
                lines.len()
            ))
        })?,
    };
    let numbered = numbered(&lines, first, last);
    Ok(MemoryToolAnswer::done(format!("Here's the content of {shown} with line numbers:\n{numbered}")))
}

fn within(first: i64, last: i64, count: usize) -> Option<(usize, usize)> {
    let first = usize::try_from(first).ok().filter(|first| *first >= 1)?;
    let last = if last == -1 { count } else { usize::try_from(last).ok()?.min(count) };
    (first <= last || (first == 1 && count == 0)).then_some((first, last))
}

/// The text of a file for the model; what is not UTF-8 is shown as U+FFFD.
pub(super) fn read_text(files: &dyn ToolFiles, path: &MemoryPath) -> Result<String, MemoryToolAnswer> {
    let bytes =
        files.read(path.relative()).map_err(|reason| MemoryToolAnswer::error(format!("Error: {reason}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The lines of a text. A newline at the end ends the last line and begins no other.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line)).collect()
}

/// A line as a model may see it: nothing invisible, no escape sequence, no markup that could pass for another speaker.
fn shown_line(line: &str) -> String {
    escape(&clean(line)).into_owned()
}

/// Some lines with their numbers, each right-aligned in six columns and followed by a tab.
pub(super) fn numbered(lines: &[&str], first: usize, last: usize) -> String {
    let chosen = lines.iter().enumerate().take(last).skip(first.saturating_sub(1));
    let numbered: Vec<String> =
        chosen.map(|(at, line)| format!("{:>6}\t{}", at + 1, shown_line(line))).collect();
    numbered.join("\n")
}

fn folder(files: &dyn ToolFiles, path: &MemoryPath) -> MemoryToolAnswer {
    let shown = path.shown();
    let mut rows = vec![(size_of(files, path.relative(), 0), String::new())];
    let mut left_out = 0;
    list(files, path.relative(), "", 1, &mut rows, &mut left_out);
    let mut content = format!(
        "Here're the files and directories up to 2 levels deep in {shown}, excluding hidden items and node_modules:"
    );
    for (size, name) in rows {
        content.push_str(&format!("\n{}\t{shown}{}", human(size), model_line(&name)));
    }
    if left_out > 0 {
        content.push_str(&format!("\n({left_out} more are not listed)"));
    }
    MemoryToolAnswer::done(content)
}

fn list(
    files: &dyn ToolFiles,
    folder: &str,
    prefix: &str,
    level: usize,
    rows: &mut Vec<(u64, String)>,
    left_out: &mut usize,
) {
    for name in visible_names(files, folder) {
        let path = joined(folder, &name);
        let Some(found) = files.found(&path) else { continue };
        if rows.len() > MAX_LISTED {
            *left_out += 1;
            continue;
        }
        let shown = format!("{prefix}/{name}");
        match found {
            EntryKind::File { size } => rows.push((size, shown)),
            EntryKind::Folder => {
                rows.push((size_of(files, &path, level), shown.clone()));
                if level < LEVELS {
                    list(files, &path, &shown, level + 1, rows, left_out);
                }
            }
        }
    }
}

fn visible_names(files: &dyn ToolFiles, folder: &str) -> Vec<String> {
    let mut names = files.names(folder);
    names.retain(|name| !name.starts_with('.') && name != "node_modules");
    names.sort_unstable();
    names
}

/// The bytes of all visible files below a folder.
fn size_of(files: &dyn ToolFiles, folder: &str, depth: usize) -> u64 {
    if depth > MAX_DEPTH {
        return 0;
    }
    let below = visible_names(files, folder).into_iter().map(|name| joined(folder, &name));
    let sizes = below.filter_map(|path| {
        Some(match files.found(&path)? {
            EntryKind::File { size } => size,
            EntryKind::Folder => size_of(files, &path, depth + 1),
        })
    });
    sizes.fold(0, u64::saturating_add)
}

pub(super) fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// A size as the documented examples write it: `0B`, `512B`, `5.5K`, `2M`.
fn human(size: u64) -> String {
    let mut unit = 1u64;
    let mut name = "B";
    for next in ["K", "M", "G"] {
        if size / unit < 1024 {
            break;
        }
        unit *= 1024;
        name = next;
    }
    let tenths = (u128::from(size) * 20 + u128::from(unit)) / (u128::from(unit) * 2);
    if size.is_multiple_of(unit) {
        format!("{}{name}", size / unit)
    } else {
        format!("{}.{}{name}", tenths / 10, tenths % 10)
    }
}
