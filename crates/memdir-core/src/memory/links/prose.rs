//! The parts of a Markdown text that are not code.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::memory::code_fence::CodeFence;

/// The ranges of a text outside fenced code and code spans, none of them across a line end.
pub(super) fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut fence = CodeFence::default();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if !fence.is_code(line) {
            without_spans(line, offset, &mut pieces);
        }
        offset += line.len();
    }
    pieces
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
