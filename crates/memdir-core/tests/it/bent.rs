//! Every parser over its corpus, bent at random for a bounded time: what `scripts/fuzz` does at length, on the stable toolchain.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "the corpora are files, and the environment says how long it takes"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::parsers::TARGETS;

/// How many inputs every target gets at least.
const RUNS: u64 = 40;
/// How many seconds all targets take together at least.
const SECONDS: &str = "MEMDIR_FUZZ_SECONDS";
/// Another seed: the one that a failure printed, to see it again. By default the suite tries the same inputs every time.
const SEED: &str = "MEMDIR_FUZZ_SEED";
const LONGEST: usize = 16 << 10;
/// Pieces that formats give a meaning to.
const WORDS: [&str; 24] = [
    "---\n",
    "\r\n",
    "\n\n",
    "```",
    "~~~",
    "# ",
    "- [a](b.md) — c",
    "[[",
    "]]",
    "| ",
    "|---|",
    "<!--",
    "-->",
    "</memory-quote>",
    "key: ",
    "\"",
    "\\u0000",
    "{",
    "}]",
    "\0",
    "\u{202e}",
    "\u{feff}",
    "99999999999999999999",
    "2026-01-19T22:30:00Z",
];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

/// One change: a flipped bit, a byte, a word, a piece that is gone, doubled or comes from another input.
fn bend(input: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    let at = random.below(input.len() + 1);
    let end = (at + 1 + random.below(64)).min(input.len());
    match random.below(7) {
        0 if at < input.len() => input[at] ^= 1 << random.below(8),
        1 if at < input.len() => input[at] = u8::try_from(random.below(256)).unwrap(),
        2 => drop(input.splice(at..at, WORDS[random.below(WORDS.len())].bytes())),
        3 if at < end => drop(input.drain(at..end)),
        4 if at < end => {
            let piece = input[at..end].to_vec();
            for _ in 0..=random.below(8) {
                input.splice(at..at, piece.iter().copied());
            }
        }
        5 => {
            let other = &others[random.below(others.len())];
            let from = random.below(other.len() + 1);
            let until = (from + random.below(256)).min(other.len());
            input.splice(at..at, other[from..until].iter().copied());
        }
        _ => input.truncate(at),
    }
    input.truncate(LONGEST);
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn bent_inputs_break_no_parser() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let seed = number(SEED).unwrap_or(0x6d65_6d64_6972) | 1;
    // Without a time, every run of the suite tries the same inputs.
    let seconds = number(SECONDS);
    let each = Duration::from_secs(seconds.unwrap_or(0)) / u32::try_from(TARGETS.len()).unwrap();
    for (name, body) in TARGETS {
        let mut random = Random(seed);
        let inputs = corpus(name);
        let begin = Instant::now();
        let mut runs = 0_u64;
        while runs < RUNS || begin.elapsed() < each {
            let mut input = inputs[random.below(inputs.len())].clone();
            for _ in 0..=random.below(6) {
                bend(&mut input, &inputs, &mut random);
            }
            let outcome = catch_unwind(AssertUnwindSafe(|| body(&input)));
            assert!(
                outcome.is_ok(),
                "{name} fails; {SEED}={seed} shows it again. The input, for its corpus:\n{}",
                input.escape_ascii()
            );
            runs += 1;
        }
        println!("{name}: {runs} inputs");
    }
}
