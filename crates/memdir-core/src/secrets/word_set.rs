//! Finding many words at once, with next to no preparation.
//!
//! A program that starts for one hook must not spend milliseconds on an automaton. So the beginning of every
//! word is hashed into a bitmap that fits the fastest cache; where it says yes, the words are compared.

/// Words that are searched together, without regard to ASCII case.
pub(super) struct WordSet {
    /// Ordered by their bytes.
    words: Vec<Word>,
    /// For each first byte, where its words begin in `words`; one more for the end.
    by_first_byte: Box<[usize; 257]>,
    /// The beginnings of words of four bytes and more.
    long: Bitmap,
    /// The beginnings of shorter words; of two bytes, with every third.
    short: Bitmap,
}

struct Word {
    /// Lower case.
    bytes: Vec<u8>,
    /// The first four bytes, and which of them the word has.
    beginning: u32,
    mask: u32,
    /// The caller's number for the word.
    number: usize,
}

/// How many bytes of a word make its beginning.
const BEGINNING: usize = 4;

impl WordSet {
    /// A set of words of two bytes or more; a word's number is its place.
    pub(super) fn new<'word>(words: impl IntoIterator<Item = &'word str>) -> Self {
        let (mut long, mut short) = (Bitmap::new(), Bitmap::new());
        let mut words: Vec<Word> = words.into_iter().enumerate().map(Word::new).collect();
        words.sort_by(|first, second| first.bytes.cmp(&second.bytes));
        let mut by_first_byte = Box::new([0; 257]);
        for word in &words {
            match *word.bytes.as_slice() {
                [_, _, _, _, ..] => long.mark(word.beginning),
                [_, _, _] => short.mark(word.beginning >> 8),
                [_, _] => (0..=255).for_each(|third| short.mark(word.beginning >> 8 | third)),
                _ => {}
            }
            let first = word.bytes.first().map_or(0, |byte| usize::from(*byte));
            by_first_byte.iter_mut().skip(first + 1).for_each(|end| *end += 1);
        }
        Self { words, by_first_byte, long, short }
    }

    /// Calls `seen` for every occurrence of every word, in the order of their beginnings, until it answers `true`.
    pub(super) fn find(&self, text: &[u8], mut seen: impl FnMut(std::ops::Range<usize>, usize) -> bool) {
        let mut window = 0u32;
        for (index, byte) in text.iter().enumerate() {
            window = window << 8 | u32::from(byte.to_ascii_lowercase());
            if (self.long.holds(window) || self.short.holds(window >> 8))
                && index + 1 >= BEGINNING
                && self.compare(text, index + 1 - BEGINNING, &mut seen)
            {
                return;
            }
        }
        for start in text.len().saturating_sub(BEGINNING - 1)..text.len() {
            if self.compare(text, start, &mut seen) {
                return;
            }
        }
    }

    #[cold]
    fn compare(
        &self,
        text: &[u8],
        start: usize,
        seen: &mut impl FnMut(std::ops::Range<usize>, usize) -> bool,
    ) -> bool {
        let here = beginning_of(text.get(start..).unwrap_or_default());
        let first = (here >> 24) as usize;
        let range = match (self.by_first_byte.get(first), self.by_first_byte.get(first + 1)) {
            (Some(&from), Some(&to)) => from..to,
            _ => return false,
        };
        for word in self.words.get(range).unwrap_or_default() {
            if here & word.mask != word.beginning {
                continue;
            }
            let end = start + word.bytes.len();
            let fits = text.get(start..end).is_some_and(|here| here.eq_ignore_ascii_case(&word.bytes));
            if fits && seen(start..end, word.number) {
                return true;
            }
        }
        false
    }
}

impl Word {
    fn new((number, word): (usize, &str)) -> Self {
        let bytes = word.to_ascii_lowercase().into_bytes();
        let missing = BEGINNING.saturating_sub(bytes.len()) * 8;
        let mask = if missing >= 32 { 0 } else { u32::MAX << missing };
        Self { beginning: beginning_of(&bytes), mask, bytes, number }
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
        let set = WordSet::new(["pw", "PWD", "key", "monkey", "密码", "token"]);
        let mut seen = Vec::new();
        set.find("PW pwd monKey 密码tokepw".as_bytes(), |range, number| {
            seen.push((range.start, number));
            false
        });
        assert_eq!(seen, [(0, 0), (3, 0), (3, 1), (7, 3), (10, 2), (14, 4), (24, 0)]);
    }
}
