//! Making and changing files.

use super::view::{lines, numbered};
use super::{EntryKind, MAX_FILE_BYTES, MemoryPath, MemoryToolAnswer, Outcome, ToolFiles};
use crate::hygiene::unescape;
use crate::plan::{Change, Content};
use crate::rel_path::RelPath;

/// How many lines around a change are shown.
const AROUND: usize = 2;
/// How many places of a text that is not unique are named.
const MAX_PLACES: usize = 100;

/// Makes a new file; one that exists is never overwritten.
pub(super) fn create(
    files: &dyn ToolFiles,
    path: &MemoryPath,
    text: &str,
) -> Result<Outcome, MemoryToolAnswer> {
    let shown = path.shown();
    let exists = || MemoryToolAnswer::error(format!("Error: File {shown} already exists"));
    let below = path.below().ok_or_else(exists)?;
    if files.found(below.as_str()).is_some() {
        return Err(exists());
    }
    refuse_file_as_folder(files, below, &shown)?;
    check_size(&shown, text)?;
    Ok(Outcome {
        answer: MemoryToolAnswer::done(format!("File created successfully at: {shown}")),
        changes: vec![Change::Write { path: below.clone(), content: text.into(), base: None }],
    })
}

/// Replaces a text that occurs exactly once.
pub(super) fn str_replace(
    files: &dyn ToolFiles,
    path: &MemoryPath,
    old: &str,
    new: &str,
) -> Result<Outcome, MemoryToolAnswer> {
    let shown = path.shown();
    let missing = format!("Error: The path {shown} does not exist. Please provide a valid path.");
    let (below, before, text) = existing(files, path, &missing)?;
    let mut places: Vec<usize> = if old.is_empty() { Vec::new() } else { occurrences(&text, old) };
    // `view` shows markup made inert; what a model copied from there means the original.
    let original = unescape(old);
    let old = if places.is_empty() && original != old {
        places = occurrences(&text, &original);
        original.as_ref()
    } else {
        old
    };
    let [place] = places.as_slice() else {
        return Err(MemoryToolAnswer::error(not_once(&shown, old, &text, &places)));
    };
    let (head, tail) =
        (text.get(..*place).unwrap_or_default(), text.get(place + old.len()..).unwrap_or_default());
    let changed = [head, new, tail].concat();
    check_size(&shown, &changed)?;
    let first = head.matches('\n').count() + 1;
    let last = first + new.matches('\n').count();
    let snippet = numbered(&lines(&changed), first.saturating_sub(AROUND).max(1), last + AROUND);
    let answer = MemoryToolAnswer::done(format!("The memory file has been edited.\n{snippet}"));
    Ok(write(answer, below, before, changed))
}

/// Inserts a text behind a line, as lines of its own.
pub(super) fn insert(
    files: &dyn ToolFiles,
    path: &MemoryPath,
    line: i64,
    new: &str,
) -> Result<Outcome, MemoryToolAnswer> {
    let shown = path.shown();
    let missing = format!("Error: The path {shown} does not exist");
    let (below, before, text) = existing(files, path, &missing)?;
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let Some(at) = usize::try_from(line).ok().filter(|at| *at <= all.len()) else {
        return Err(MemoryToolAnswer::error(format!(
            "Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, {}]",
            all.len()
        )));
    };
    let mut changed: String = all.iter().take(at).copied().collect();
    if !changed.is_empty() && !changed.ends_with('\n') {
        changed.push('\n');
    }
    changed.push_str(new);
    if !new.is_empty() && !new.ends_with('\n') {
        changed.push('\n');
    }
    changed.extend(all.iter().skip(at).copied());
    check_size(&shown, &changed)?;
    let answer = MemoryToolAnswer::done(format!("The file {shown} has been edited."));
    Ok(write(answer, below, before, changed))
}

fn write(answer: MemoryToolAnswer, path: RelPath, before: Vec<u8>, changed: String) -> Outcome {
    let change = Change::Write { path, content: changed.into(), base: Some(Content(before)) };
    Outcome { answer, changes: vec![change] }
}

/// The file that a command changes: its path, its bytes and its text.
fn existing(
    files: &dyn ToolFiles,
    path: &MemoryPath,
    missing: &str,
) -> Result<(RelPath, Vec<u8>, String), MemoryToolAnswer> {
    let below = path.below().ok_or_else(|| MemoryToolAnswer::error(missing))?;
    if !matches!(files.found(below.as_str()), Some(EntryKind::File { .. })) {
        return Err(MemoryToolAnswer::error(missing));
    }
    let bytes =
        files.read(below.as_str()).map_err(|reason| MemoryToolAnswer::error(format!("Error: {reason}")))?;
    // Changing a text that was decoded with losses would destroy the bytes around the change.
    let text = String::from_utf8(bytes.clone()).map_err(|_| {
        MemoryToolAnswer::error(format!(
            "Error: The file {} is not valid UTF-8 and cannot be edited",
            path.shown()
        ))
    })?;
    Ok((below.clone(), bytes, text))
}

fn refuse_file_as_folder(files: &dyn ToolFiles, path: &RelPath, shown: &str) -> Result<(), MemoryToolAnswer> {
    for (slash, _) in path.as_str().match_indices('/') {
        let folder = path.as_str().get(..slash).unwrap_or_default();
        if matches!(files.found(folder), Some(EntryKind::File { .. })) {
            return Err(MemoryToolAnswer::error(format!("Error: The path {shown} is below a file")));
        }
    }
    Ok(())
}

fn check_size(shown: &str, text: &str) -> Result<(), MemoryToolAnswer> {
    if text.len() <= MAX_FILE_BYTES {
        return Ok(());
    }
    Err(MemoryToolAnswer::error(format!("Error: File {shown} would be larger than {MAX_FILE_BYTES} bytes")))
}

/// Where a text occurs, overlaps included: two overlapping places are two as well.
fn occurrences(text: &str, wanted: &str) -> Vec<usize> {
    let step = wanted.chars().next().map_or(1, char::len_utf8);
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(wanted)) {
        places.push(from + at);
        from += at + step;
        if places.len() > MAX_PLACES {
            break;
        }
    }
    places
}

fn not_once(shown: &str, old: &str, text: &str, places: &[usize]) -> String {
    if places.is_empty() {
        return format!("No replacement was performed, old_str `{old}` did not appear verbatim in {shown}.");
    }
    let mut numbers: Vec<usize> =
        places.iter().map(|at| text.get(..*at).unwrap_or_default().matches('\n').count() + 1).collect();
    numbers.dedup();
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    format!(
        "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it is unique",
        numbers.join(", ")
    )
}
