//! Texts that say nearly the same.
//!
//! Two texts are near if they share most of their runs of three words. Comparing every pair would take too long in
//! a large directory, so texts meet first in buckets of equal minimal hashes, where near ones meet almost surely.

use std::collections::{BTreeSet, HashMap};

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
/// Of the minimal hashes of two near texts about seven in ten are equal. With fewer than these, one pair in a million
/// that is just near would be passed over.
const FEWEST_EQUAL: usize = 8;

/// The minimal hashes of a text.
type Signature = [u64; BANDS * ROWS];

/// The pairs of near texts by their positions, the earlier one first, with what they share in hundredths.
pub(crate) fn near_pairs<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<(usize, usize, usize)> {
    let texts: Vec<&str> = texts.into_iter().collect();
    let signatures: Vec<Option<Signature>> = texts.iter().map(|text| signature(&runs_of(text))).collect();
    let mut buckets: HashMap<(usize, u64), Vec<usize>> = HashMap::new();
    let mut candidates = BTreeSet::new();
    for (at, signature) in signatures.iter().enumerate() {
        let Some(signature) = signature else { continue };
        for (band, minima) in signature.chunks_exact(ROWS).enumerate() {
            let key = minima.iter().fold(0, |key, minimum| mixed(key ^ minimum, 1));
            let bucket = buckets.entry((band, key)).or_default();
            let alike = |other: &&usize| {
                let other = signatures.get(**other).and_then(Option::as_ref);
                other.is_some_and(|other| equal(signature, other) >= FEWEST_EQUAL)
            };
            candidates.extend(bucket.iter().filter(alike).map(|other| (*other, at)));
            if bucket.len() < MOST_IN_BUCKET {
                bucket.push(at);
            }
        }
    }
    // Only candidates are compared run by run, so only their runs are held.
    let mut runs: HashMap<usize, Vec<u64>> = HashMap::new();
    for at in candidates.iter().flat_map(|(one, other)| [*one, *other]) {
        runs.entry(at).or_insert_with(|| texts.get(at).map(|text| runs_of(text)).unwrap_or_default());
    }
    let near = candidates.into_iter().filter_map(|(one, other)| {
        let (first, second) = (runs.get(&one)?, runs.get(&other)?);
        let shared = shared(first, second);
        let all = first.len() + second.len() - shared;
        let share = shared * 100 / all.max(1);
        (share >= NEAR).then_some((one, other, share))
    });
    near.collect()
}

/// The minimal hashes of runs; `None` if there are too few of them.
fn signature(runs: &[u64]) -> Option<Signature> {
    if runs.len() + 2 < FEWEST_WORDS {
        return None;
    }
    let mut signature = [u64::MAX; BANDS * ROWS];
    for run in runs {
        for (minimum, seed) in signature.iter_mut().zip(1..) {
            *minimum = (*minimum).min(mixed(*run, seed));
        }
    }
    Some(signature)
}

fn equal(one: &Signature, other: &Signature) -> usize {
    one.iter().zip(other).filter(|(one, other)| one == other).count()
}

/// How many numbers two sorted lists share.
fn shared(one: &[u64], other: &[u64]) -> usize {
    let mut others = other.iter().peekable();
    let is_shared = |run: &&u64| {
        while others.next_if(|other| other < run).is_some() {}
        others.peek() == Some(run)
    };
    one.iter().filter(is_shared).count()
}

/// The hashes of every three words in a row, sorted, each once.
fn runs_of(text: &str) -> Vec<u64> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<u64> = words.take(MOST_WORDS).map(word_hash).collect();
    let mut runs: Vec<u64> = words
        .windows(3)
        .map(|words| words.iter().zip(1..).fold(0, |run, (word, seed)| mixed(run ^ word, seed)))
        .collect();
    runs.sort_unstable();
    runs.dedup();
    runs
}

/// FNV-1a over the lower-case characters of a word: half of the time went into a stronger hash.
fn word_hash(word: &str) -> u64 {
    let lower = word.chars().flat_map(char::to_lowercase);
    lower.fold(0xcbf2_9ce4_8422_2325, |hash, character| {
        (hash ^ u64::from(u32::from(character))).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Another order of the same hashes for every seed.
fn mixed(value: u64, seed: u64) -> u64 {
    let mut mixed = value ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
