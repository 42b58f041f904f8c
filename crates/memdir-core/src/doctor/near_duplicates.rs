//! Memories that say the same thing, exactly or nearly.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::index_lines::conflicts;
use super::{Finding, Fix, Patient, PatientFile, Severity};
use crate::memory::auto_index::is_indexed;
use crate::memory::change::{FoundFile, Indexes, remove};
use crate::memory::index::Index;
use crate::memory::topic::{Topic, decode};
use crate::near_text::near_pairs;
use crate::plan::Plan;

/// How many removals are worked out in one go: each holds the whole index, and no more are made in one go.
const MOST_REMOVALS: usize = 64;

pub(super) fn examine(patient: &Patient, findings: &mut Vec<Finding>) {
    let listed = listed(patient);
    let mut same: HashMap<&[u8], &PatientFile> = HashMap::new();
    // Oldest first: of two that are as good, the newer one is the copy.
    let oldest_first = patient
        .files
        .iter()
        .rev()
        .filter(|file| is_indexed(file.path.as_str()) && !file.content.trim_ascii().is_empty());
    for file in oldest_first.clone() {
        let kept = same.entry(&file.content).or_insert(file);
        if rank(file, &listed) < rank(kept, &listed) {
            *kept = file;
        }
    }
    let mut removals = if conflicts(patient).is_empty() { MOST_REMOVALS } else { 0 };
    let mut single = Vec::new();
    for file in oldest_first {
        let Some(kept) = same.get(file.content.as_slice()) else { continue };
        if kept.path == file.path {
            single.push(file);
            continue;
        }
        let plan = if removals > 0 { removal(patient, file) } else { None };
        removals = removals.saturating_sub(1);
        findings.push(Finding {
            id: "memory-duplicate",
            severity: Severity::Warning,
            path: Some(file.path.to_string()),
            line: None,
            what: format!("has exactly the content of `{}`", kept.path),
            why: "it takes room in the index, and an edit of one leaves the other as it was",
            fix: Fix::by_plan("remove it and its line in the index", plan),
        });
    }
    for (older, newer, share) in near_files(&single) {
        findings.push(Finding {
            id: "memory-near-duplicate",
            severity: Severity::Note,
            path: Some(newer.path.to_string()),
            line: None,
            what: format!("says nearly the same as `{}` ({share} % of it)", older.path),
            why: "two memories about one thing drift apart, and the agent cannot tell which one holds",
            fix: Fix::by_hand(format!("bring both into `{}`, then `memdir rm {}`", older.path, newer.path)),
        });
    }
}

/// Of equal files the one of the lowest rank stays: first one that no other user can change, then one that the index lists.
fn rank(file: &PatientFile, listed: &HashSet<String>) -> (bool, bool) {
    let is_exposed = file.access.foreign_owner || file.access.mode & 0o022 != 0;
    (is_exposed, !listed.contains(file.path.as_str()))
}

/// The paths that the index or its overflow lists.
fn listed(patient: &Patient) -> HashSet<String> {
    let both = [&patient.index, &patient.overflow].into_iter().flatten();
    let paths = both.flat_map(|content| {
        let text = decode(content).0;
        Index::parse(&text).entries().map(|(_, entry)| entry.path.clone()).collect::<Vec<_>>()
    });
    paths.collect()
}

fn removal(patient: &Patient, file: &PatientFile) -> Option<Arc<Plan>> {
    // Without an index there is no line to remove; another fix makes the index.
    patient.index.as_ref()?;
    let indexes =
        Indexes { index: patient.index.as_deref(), overflow: patient.overflow.as_deref(), files: Vec::new() };
    remove(FoundFile { path: &file.path, content: &file.content }, &[], &indexes).ok().map(Arc::new)
}

fn near_files<'p>(files: &[&'p PatientFile]) -> Vec<(&'p PatientFile, &'p PatientFile, usize)> {
    let bodies: Vec<String> = files.iter().map(|file| body_of(file)).collect();
    let pairs = near_pairs(bodies.iter().map(String::as_str)).into_iter();
    pairs.filter_map(|(one, other, share)| Some((*files.get(one)?, *files.get(other)?, share))).collect()
}

fn body_of(file: &PatientFile) -> String {
    let text = decode(&file.content).0;
    let (topic, _) = Topic::parse_head_of_whole(&text);
    text.get(topic.body).unwrap_or_default().to_owned()
}
