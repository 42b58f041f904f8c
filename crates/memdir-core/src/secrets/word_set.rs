//! Finding many words at once, with next to no preparation.
//!
//! A program that starts for one hook must not spend milliseconds on an automaton. So the beginning of every
//! word is hashed into a bitmap that fits the fastest cache; where it says yes, the words are compared.

/// Words that are searched together, without regard to ASCII case.
pub(super) struct WordSet {
    /// Lower-case words in order, each with the caller's number for it.
    words: Vec<(Vec<u8>, usize)>,
    /// The beginnings of words of four bytes and more.
    long: Bitmap,
    /// The beginnings of shorter words; of two bytes, with every third.
    short: Bitmap,
}

/// How many bytes of a word make its beginning.
const BEGINNING: usize = 4;

impl WordSet {
    /// A set of words of two bytes or more; a word's number is its place.
    pub(super) fn new<'word>(words: impl IntoIterator<Item = &'word str>) -> Self {
        let mut words: Vec<(Vec<u8>, usize)> = words
            .into_iter()
            .enumerate()
            .map(|(number, word)| (word.to_ascii_lowercase().into_bytes(), number))
            .collect();
        words.sort();
        let (mut long, mut short) = (Bitmap::new(), Bitmap::new());
        for (word, _) in &words {
            match *word.as_slice() {
                [first, second, third, fourth, ..] => {
                    long.mark(u32::from_be_bytes([first, second, third, fourth]));
                }
                [first, second, third] => short.mark(u32::from_be_bytes([0, first, second, third])),
                [first, second] => {
                    (0..=255).for_each(|third| short.mark(u32::from_be_bytes([0, first, second, third])));
                }
                _ => {}
            }
        }
        Self { words, long, short }
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
        let rest = text.get(start..).unwrap_or_default();
        let mut here = [0; BEGINNING];
        for (folded, byte) in here.iter_mut().zip(rest) {
            *folded = byte.to_ascii_lowercase();
        }
        let [first, second, ..] = here;
        // The words that share the first two bytes, and of those the few that share more.
        let from = self.words.partition_point(|(word, _)| word.as_slice() < &[first, second][..]);
        for (word, number) in self.words.get(from..).unwrap_or_default() {
            let shared = word.len().min(BEGINNING);
            match word.get(..shared).cmp(&here.get(..shared)) {
                std::cmp::Ordering::Less => continue,
                std::cmp::Ordering::Greater => break,
                std::cmp::Ordering::Equal => {}
            }
            let end = start + word.len();
            if text.get(start..end).is_some_and(|here| here.eq_ignore_ascii_case(word))
                && seen(start..end, *number)
            {
                return true;
            }
        }
        false
    }
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
