//! Texts that say nearly the same.
//!
//! Two texts are near if they share most of their runs of three words. Comparing every pair would take too long in
//! a large directory, so texts meet first in buckets of equal minimal hashes, where near ones meet almost surely.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// Shared runs of all runs, in hundredths, from which on two texts are near.
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

/// The pairs of near texts by their positions, the earlier one first, with what they share in hundredths.
pub(crate) fn near_pairs<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<(usize, usize, usize)> {
    let runs: Vec<HashSet<u64>> = texts.into_iter().map(runs_of).collect();
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
        (share >= NEAR).then_some((one, other, share))
    });
    near.collect()
}

/// The hashes of every three words in a row.
fn runs_of(text: &str) -> HashSet<u64> {
    let words: Vec<String> = text
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
