//! What a value's letters say about how it came to be.

use std::sync::LazyLock;

use crate::word_list::{WordList, word_list};

/// Counts over a value that tell what was drawn by lot from what was typed as words.
pub(in crate::secrets) struct Letters {
    /// Characters in all.
    pub(in crate::secrets) length: usize,
    pub(in crate::secrets) lower: usize,
    pub(in crate::secrets) upper: usize,
    pub(in crate::secrets) digits: usize,
    /// Signs that do not join words: `!`, `#`, `%`, but not `-`, `_`, `.`, `/`.
    pub(in crate::secrets) symbols: usize,
    /// How often the class changes inside a word, a capital at its beginning not counted.
    pub(in crate::secrets) turns: usize,
    /// Bits a character, by Shannon.
    pub(in crate::secrets) entropy: f32,
    /// The part of neighbouring letters that are common in written language.
    common_pairs: f32,
    /// Whether all letters are hexadecimal digits.
    hexadecimal: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Symbol,
    Joint,
}

impl Letters {
    pub(in crate::secrets) fn of(value: &str) -> Self {
        let mut counts = [0u32; 256];
        let mut letters = Self {
            length: 0,
            lower: 0,
            upper: 0,
            digits: 0,
            symbols: 0,
            turns: 0,
            entropy: 0.0,
            common_pairs: 0.0,
            hexadecimal: true,
        };
        let mut previous = (Class::Joint, 0u8);
        // A capital that begins a word is not a sign of chance: `camelCase`, `Upper`.
        let mut upper_run = 0;
        let (mut pairs, mut common) = (0u32, 0u32);
        for &byte in value.as_bytes() {
            if (0x80..0xC0).contains(&byte) {
                continue;
            }
            if let Some(count) = counts.get_mut(usize::from(byte)) {
                *count += 1;
            }
            letters.length += 1;
            letters.hexadecimal &= byte.is_ascii_hexdigit() || byte == b'-';
            let class = match byte {
                b'a'..=b'z' | 0x80.. => Class::Lower,
                b'A'..=b'Z' => Class::Upper,
                b'0'..=b'9' => Class::Digit,
                b'-' | b'_' | b'.' | b'/' | b',' | b':' | b' ' | b'=' | b'\'' => Class::Joint,
                _ => Class::Symbol,
            };
            match class {
                Class::Lower => letters.lower += 1,
                Class::Upper => letters.upper += 1,
                Class::Digit => letters.digits += 1,
                Class::Symbol => letters.symbols += 1,
                Class::Joint => {}
            }
            let is_turn = match (previous.0, class) {
                (Class::Joint, _) | (_, Class::Joint) => false,
                (Class::Upper, Class::Lower) => upper_run > 1,
                (before, now) => before != now,
            };
            letters.turns += usize::from(is_turn);
            upper_run = if class == Class::Upper { upper_run + 1 } else { 0 };
            if previous.1.is_ascii_alphabetic() && byte.is_ascii_alphabetic() {
                pairs += 1;
                common += u32::from(is_common_pair(previous.1, byte));
            }
            previous = (class, byte);
        }
        letters.common_pairs = if pairs == 0 { 0.0 } else { common as f32 / pairs as f32 };
        let total = letters.length as f32;
        letters.entropy = counts
            .iter()
            .filter(|&&count| count > 0)
            .map(|&count| {
                let share = count as f32 / total;
                -share * share.log2()
            })
            .sum();
        letters
    }

    pub(in crate::secrets) fn letters(&self) -> usize {
        self.lower + self.upper
    }

    /// Whether the value reads like the output of a random generator.
    pub(in crate::secrets) fn is_drawn_by_lot(&self) -> bool {
        let long = self.length >= 16;
        let mixed = self.digits > 0 && self.letters() > 0;
        if self.hexadecimal && mixed && long {
            return self.length >= 20 && self.entropy >= 2.6;
        }
        if mixed {
            return self.entropy >= if long { 3.0 } else { 2.5 }
                && self.turns >= 3.max(self.length / 12)
                && !(self.common_pairs > 0.66 && self.turns * 4 < self.length);
        }
        if self.lower > 0 && self.upper > 0 {
            return self.turns * 6 >= self.length
                && self.turns >= 2
                && self.common_pairs < 0.62
                && self.entropy >= 2.5;
        }
        // One case, no digits: only unreadable text counts.
        self.letters() >= 12 && self.digits == 0 && self.common_pairs < 0.36 && self.entropy >= 3.0
    }

    /// Letters that spell nothing: `GQNBQRMKTSXF`.
    pub(in crate::secrets) fn is_unreadable(&self) -> bool {
        self.letters() >= 12 && self.common_pairs < 0.6 && self.entropy >= 3.0
    }

    /// Four or more plain words, joined: `velvet-tractor-anthem-gopher`.
    pub(in crate::secrets) fn is_passphrase(&self, value: &str) -> bool {
        let words: Vec<&str> = value.split(['-', '_', '.']).collect();
        let plain = words.iter().filter(|word| {
            (3..=10).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase())
        });
        (4..=10).contains(&words.len())
            && plain.count() >= 4
            && !words.iter().any(|word| COMMON_IN_CONFIGURATION.contains(&word.to_ascii_lowercase().as_str()))
    }
}

/// Values that only count, repeat or spell the alphabet.
pub(super) fn is_monotonous(value: &str) -> bool {
    let folded: Vec<u8> =
        value.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase()).collect();
    if folded.len() < 4 {
        return false;
    }
    let pairs = folded.len() - 1;
    let steps = folded.windows(2).filter(|pair| match pair {
        [first, second] => {
            let difference = i16::from(*second) - i16::from(*first);
            matches!(difference, 0 | 1) || (*first == b'9' && *second == b'0')
        }
        _ => false,
    });
    // Where the tail alone counts up, the rest is the provider's own prefix.
    let tail = folded.get(folded.len() / 3..).unwrap_or(&folded);
    let mut seen = [false; 256];
    let mut distinct = 0;
    for &byte in tail {
        if let Some(slot) = seen.get_mut(usize::from(byte)) {
            distinct += usize::from(!*slot);
            *slot = true;
        }
    }
    let repeats = (1..=8).any(|period| {
        tail.len() >= period * 3
            && tail.iter().zip(tail.iter().skip(period)).all(|(first, second)| first == second)
    });
    let words: Vec<&str> = value.split(' ').collect();
    let mut distinct_words = words.clone();
    distinct_words.sort_unstable();
    distinct_words.dedup();
    steps.count() * 20 >= pairs * 11
        || (tail.len() >= 8 && distinct <= 3)
        || repeats
        || (words.len() >= 6 && distinct_words.len() * 3 < words.len() * 2)
}

/// Words that occur in settings and identifiers, so a value made of them is not a passphrase.
static COMMON_IN_CONFIGURATION: WordList =
    LazyLock::new(|| word_list(include_str!("words/common_in_configuration.txt")));

/// For each letter, those that often follow it in English words: nine of ten pairs in running text.
const COMMON_FOLLOWERS: [&str; 26] = [
    "bcdgilmnprstuy",  // a
    "aeilou",          // b
    "aehiklorstu",     // c
    "aeios",           // d
    "acdeflmnprstvx",  // e
    "aefio",           // f
    "eis",             // g
    "aeiotu",          // h
    "abcdeglmnorstvz", // i
    "",                // j
    "e",               // k
    "adeilostuy",      // l
    "aeilop",          // m
    "acdegiost",       // n
    "cdlmnoprstuvw",   // o
    "aeloprstu",       // p
    "u",               // q
    "acdegikmorstuy",  // r
    "aehiopstu",       // s
    "aehioprstuy",     // t
    "bceilmnprst",     // u
    "aei",             // v
    "hio",             // w
    "",                // x
    "o",               // y
    "e",               // z
];

fn is_common_pair(first: u8, second: u8) -> bool {
    let row = usize::from(first.to_ascii_lowercase().wrapping_sub(b'a'));
    COMMON_FOLLOWERS
        .get(row)
        .is_some_and(|followers| followers.as_bytes().contains(&second.to_ascii_lowercase()))
}
