//! Finding many words at once, with next to no preparation.
//!
//! A program that starts for one hook must not spend milliseconds on an automaton. So the beginning of every
//! word is hashed into a bitmap that fits the fastest cache; where it says yes, the words are compared.

use std::ops::Range;

/// Words that are searched together, without regard to ASCII case, each with what it means.
pub(super) struct WordSet<Meaning> {
    /// Those with the same first byte are together, in the order in which they were given.
    words: Vec<Word<Meaning>>,
    /// For each first byte, where its words begin in `words`; one more for the end.
    by_first_byte: Box<[u16; 257]>,
    /// The beginnings of words of four bytes and more.
    long: Bitmap,
    /// The beginnings of shorter words; of two bytes, with every third.
    short: Bitmap,
}

#[derive(Clone, Copy)]
struct Word<Meaning> {
    text: &'static str,
    /// The first four bytes in lower case, and which of them the word has.
    beginning: u32,
    mask: u32,
    meaning: Meaning,
}

/// How many bytes of a word make its beginning.
const BEGINNING: usize = 4;

impl<Meaning: Copy> WordSet<Meaning> {
    /// A set of words of two bytes or more. A word may be given twice, with two meanings.
    pub(super) fn new(words: impl IntoIterator<Item = (&'static str, Meaning)>) -> Self {
        let (mut long, mut short) = (Bitmap::new(), Bitmap::new());
        let given: Vec<_> = words.into_iter().map(|(text, meaning)| Word::new(text, meaning)).collect();
        let mut counts = [0; 256];
        for word in &given {
            match word.text.len() {
                0 | 1 => {}
                2 => (0..=255).for_each(|third| short.mark(word.beginning >> 8 | third)),
                3 => short.mark(word.beginning >> 8),
                _ => long.mark(word.beginning),
            }
            if let Some(count) = counts.get_mut(word.first_byte()) {
                *count += 1;
            }
        }
        let mut by_first_byte = Box::new([0; 257]);
        let mut total = 0;
        for (end, count) in by_first_byte.iter_mut().skip(1).zip(counts) {
            total += count;
            *end = total;
        }
        let mut next = *by_first_byte;
        let mut ordered = given.clone();
        for word in given {
            if let Some(place) = next.get_mut(word.first_byte()) {
                if let Some(slot) = ordered.get_mut(usize::from(*place)) {
                    *slot = word;
                }
                *place += 1;
            }
        }
        Self { words: ordered, by_first_byte, long, short }
    }

    /// Calls `seen` for every occurrence of every word, in the order of their beginnings.
    ///
    /// Where several begin at one place, the shorter comes first, and of one word the meaning that was given first.
    pub(super) fn find(&self, text: &[u8], mut seen: impl FnMut(Range<usize>, Meaning)) {
        let mut window = 0u32;
        for (index, byte) in text.iter().enumerate() {
            window = window << 8 | u32::from(byte.to_ascii_lowercase());
            if (self.long.holds(window) || self.short.holds(window >> 8)) && index + 1 >= BEGINNING {
                self.compare(text, index + 1 - BEGINNING, &mut seen);
            }
        }
        for start in text.len().saturating_sub(BEGINNING - 1)..text.len() {
            self.compare(text, start, &mut seen);
        }
    }

    #[cold]
    fn compare(&self, text: &[u8], start: usize, seen: &mut impl FnMut(Range<usize>, Meaning)) {
        let rest = text.get(start..).unwrap_or_default();
        let here = beginning_of(rest);
        let first = (here >> 24) as usize;
        let range = match (self.by_first_byte.get(first), self.by_first_byte.get(first + 1)) {
            (Some(&from), Some(&to)) => usize::from(from)..usize::from(to),
            _ => return,
        };
        let mut found: Vec<&Word<Meaning>> = Vec::new();
        for word in self.words.get(range).unwrap_or_default() {
            if here & word.mask == word.beginning && word.begins(rest) {
                found.push(word);
            }
        }
        found.sort_by_key(|word| word.text.len());
        for word in found {
            seen(start..start + word.text.len(), word.meaning);
        }
    }
}

impl<Meaning> Word<Meaning> {
    fn new(text: &'static str, meaning: Meaning) -> Self {
        let missing = BEGINNING.saturating_sub(text.len()) * 8;
        let mask = if missing >= 32 { 0 } else { u32::MAX << missing };
        Self { text, beginning: beginning_of(text.as_bytes()), mask, meaning }
    }

    fn first_byte(&self) -> usize {
        (self.beginning >> 24) as usize
    }

    fn begins(&self, text: &[u8]) -> bool {
        text.get(..self.text.len()).is_some_and(|here| here.eq_ignore_ascii_case(self.text.as_bytes()))
    }
}

/// The first four bytes in lower case, filled up with zeros.
fn beginning_of(bytes: &[u8]) -> u32 {
    let mut beginning = [0; BEGINNING];
    for (folded, byte) in beginning.iter_mut().zip(bytes) {
        *folded = byte.to_ascii_lowercase();
    }
    u32::from_be_bytes(beginning)
}

/// A set of hashes; it may say yes for what was never put in.
struct Bitmap(Box<[u64; 1024]>);

impl Bitmap {
    fn new() -> Self {
        Self(Box::new([0; 1024]))
    }

    fn mark(&mut self, beginning: u32) {
        let (word, bit) = Self::place(beginning);
        if let Some(word) = self.0.get_mut(word) {
            *word |= 1 << bit;
        }
    }

    #[inline]
    fn holds(&self, beginning: u32) -> bool {
        let (word, bit) = Self::place(beginning);
        self.0.get(word).is_some_and(|word| word >> bit & 1 == 1)
    }

    #[inline]
    fn place(beginning: u32) -> (usize, u32) {
        let hash = beginning.wrapping_mul(0x9e37_79b1) >> 16;
        ((hash >> 6) as usize, hash & 63)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_occurrence_of_every_word_is_seen_in_order() {
        let words = ["PWD", "pw", "key", "monkey", "密码", "token", "pw"];
        let set = WordSet::new(words.into_iter().zip(0..));
        let mut seen = Vec::new();
        set.find("PW pwd monKey 密码tokepw".as_bytes(), |range, number| {
            seen.push((range.start, number));
        });
        assert_eq!(
            seen,
            [(0, 1), (0, 6), (3, 1), (3, 6), (3, 0), (7, 3), (10, 2), (14, 4), (24, 1), (24, 6)]
        );
    }
}
