//! The parts of a Markdown text that are not code.

use std::collections::BTreeMap;
use std::ops::Range;

/// The ranges of a text outside fenced code and code spans, none of them across a line end.
pub(super) fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let trimmed = line.trim();
        match (fence, fence_of(trimmed)) {
            (Some((mark, length)), Some((found, count)))
                if found == mark && count >= length && trimmed.chars().all(|character| character == mark) =>
            {
                fence = None;
            }
            (Some(_), _) => {}
            (None, Some(opened)) => fence = Some(opened),
            (None, None) => without_spans(line, start, &mut pieces),
        }
    }
    pieces
}

/// The mark and length of a code fence at the start of a line.
fn fence_of(trimmed: &str) -> Option<(char, usize)> {
    let mark = trimmed.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let rest = trimmed.trim_start_matches(mark);
    let count = trimmed.len() - rest.len();
    (count >= 3 && !(mark == '`' && rest.contains('`'))).then_some((mark, count))
}

fn without_spans(line: &str, offset: usize, pieces: &mut Vec<Range<usize>>) {
    let runs = backtick_runs(line);
    let mut by_length: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for run in &runs {
        by_length.entry(run.len()).or_default().push(run.start);
    }
    let mut start = 0;
    for run in runs {
        if run.start < start {
            continue;
        }
        let starts = by_length.get(&run.len()).map(Vec::as_slice).unwrap_or_default();
        let next = starts.partition_point(|candidate| *candidate <= run.start);
        if let Some(closing) = starts.get(next) {
            pieces.push(offset + start..offset + run.start);
            start = closing + run.len();
        }
    }
    pieces.push(offset + start..offset + line.len());
}

fn backtick_runs(line: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in memchr::memchr_iter(b'`', line.as_bytes()) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}
