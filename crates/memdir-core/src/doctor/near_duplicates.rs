//! Memories that say the same thing, exactly or nearly.
//!
//! Two texts are near if they share most of their runs of three words. Comparing every pair would take too long in
//! a large directory, so texts meet first in buckets of equal minimal hashes, where near ones meet almost surely.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use super::index_lines::conflicts;
use super::{Finding, Fix, Patient, PatientFile, Severity};
use crate::memory::auto_index::is_indexed;
use crate::memory::change::{FoundFile, Indexes, remove};
use crate::memory::index::Index;
use crate::memory::topic::{Topic, decode};
use crate::plan::Plan;

/// Shared runs of all runs, in hundredths, from which on two memories are near.
const NEAR: usize = 70;
/// Shorter texts are alike by chance.
const FEWEST_WORDS: usize = 12;
/// Words behind these do not count.
const MOST_WORDS: usize = 4_000;
/// Minimal hashes, in bands that must agree as a whole.
const BANDS: usize = 8;
const ROWS: usize = 3;
/// How many texts of one bucket are compared.
const MOST_IN_BUCKET: usize = 32;
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
    for (older, newer, share) in near_pairs(&single) {
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

/// Of equal files the one of the lowest rank stays: nobody else can change it, then the index lists it.
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
    // Without an index there is no line to remove, and making an index is another mend.
    patient.index.as_ref()?;
    let indexes =
        Indexes { index: patient.index.as_deref(), overflow: patient.overflow.as_deref(), files: Vec::new() };
    remove(FoundFile { path: &file.path, content: &file.content }, &[], &indexes).ok().map(Arc::new)
}

fn near_pairs<'p>(files: &[&'p PatientFile]) -> Vec<(&'p PatientFile, &'p PatientFile, usize)> {
    let runs: Vec<HashSet<u64>> = files.iter().map(|file| runs_of(file)).collect();
    let mut buckets: HashMap<(usize, u64), Vec<usize>> = HashMap::new();
    let mut candidates = BTreeSet::new();
    for (at, runs) in runs.iter().enumerate().filter(|(_, runs)| runs.len() + 2 >= FEWEST_WORDS) {
        for band in 0..BANDS {
            let minima: Vec<u64> = (0..ROWS)
                .map(|row| {
                    let seed = (band * ROWS + row) as u64 + 1;
                    runs.iter().map(|run| mixed(*run, seed)).min().unwrap_or(0)
                })
                .collect();
            let bucket = buckets.entry((band, hash(&minima))).or_default();
            candidates.extend(bucket.iter().map(|other| (*other, at)));
            if bucket.len() < MOST_IN_BUCKET {
                bucket.push(at);
            }
        }
    }
    let near = candidates.into_iter().filter_map(|(one, other)| {
        let (first, second) = (runs.get(one)?, runs.get(other)?);
        let shared = first.intersection(second).count();
        let all = first.len() + second.len() - shared;
        let share = shared * 100 / all.max(1);
        (share >= NEAR).then_some((*files.get(one)?, *files.get(other)?, share))
    });
    near.collect()
}

/// The hashes of every three words in a row.
fn runs_of(file: &PatientFile) -> HashSet<u64> {
    let text = decode(&file.content).0;
    let (topic, _) = Topic::parse_head_of_whole(&text);
    let body = text.get(topic.body).unwrap_or_default();
    let words: Vec<String> = body
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
        .map(str::to_lowercase)
        .collect();
    words.windows(3).map(hash).collect()
}

fn hash<T: std::hash::Hash + ?Sized>(value: &T) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

/// Another order of the same hashes for every seed.
fn mixed(value: u64, seed: u64) -> u64 {
    let mut mixed = value ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
