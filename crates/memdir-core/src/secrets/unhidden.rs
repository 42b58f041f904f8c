//! Text without the characters that hide a secret from a scanner and not from a reader.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use crate::hidden_char::is_hidden;

/// A text as a reader sees it, with the way back to the one that it was made of.
pub(super) struct Unhidden<'a> {
    original: &'a str,
    text: String,
    /// Where a run of equal distance begins in `text`, and where that is in the original; ascending.
    runs: Vec<(usize, usize)>,
}

impl<'a> Unhidden<'a> {
    /// The text without invisible and control characters, wide and mathematical letters made plain; `None` if that
    /// is the text itself, as it is for most.
    pub(super) fn of(original: &'a str) -> Option<Self> {
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t' | b'\r');
        if original.as_bytes().iter().fold(true, |plain, byte| plain & is_plain(byte)) {
            return None;
        }
        let first = first_disguise(original)?;
        let mut text = String::with_capacity(original.len());
        text.push_str(original.get(..first).unwrap_or_default());
        let mut runs = vec![(0, 0)];
        let mut distance = 0;
        for (position, character) in original.get(first..)?.char_indices() {
            let Some(character) = shown(character) else { continue };
            if first + position - text.len() != distance {
                distance = first + position - text.len();
                runs.push((text.len(), first + position));
            }
            text.push(character);
        }
        Some(Self { original, text, runs })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of the original that a range of the text was made of.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let last = self.text.get(range.clone()).and_then(|value| value.chars().next_back());
        let last = self.position(range.end - last.map_or(0, char::len_utf8));
        let length = self.original.get(last..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        self.position(range.start)..last + length
    }

    fn position(&self, at: usize) -> usize {
        let index = self.runs.partition_point(|run| run.0 <= at).saturating_sub(1);
        self.runs.get(index).map_or(at, |(plain, original)| original + (at - plain))
    }
}

/// Where the first wide letter or the first invisible character between two ASCII ones is: secrets are ASCII, and
/// the joiners of emoji and of other scripts need no second look at the text.
fn first_disguise(text: &str) -> Option<usize> {
    let is_graphic = |character: char| character.is_ascii_graphic();
    let mut last = ' ';
    let mut hidden = None;
    for (position, character) in text.char_indices() {
        match shown(character) {
            None if is_graphic(last) => hidden = hidden.or(Some(position)),
            None => {}
            Some(plain) if plain != character => return Some(hidden.unwrap_or(position)),
            Some(plain) => {
                if hidden.is_some() && is_graphic(plain) {
                    return hidden;
                }
                hidden = None;
                last = plain;
            }
        }
    }
    None
}

/// What a reader sees of a character; `None` if nothing.
fn shown(character: char) -> Option<char> {
    match u32::from(character) {
        0x09 | 0x0A | 0x0D | 0x20..=0x7E => Some(character),
        // Letters of the scripts that most texts are written in need no closer look.
        0xA0..=0xAC | 0xAE..=0x2FF | 0x370..=0x5FF | 0x2010..=0x2027 | 0x3000..=0x3163 | 0x3400..=0xD7FF => {
            Some(character)
        }
        code @ 0xFF01..=0xFF5E => char::from_u32(code - 0xFEE0),
        0x1D400..=0x1D7FF => std::iter::once(character).nfkc().next(),
        _ if is_hidden(character) => None,
        _ => Some(character),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_lead_back_to_what_they_were_made_of() {
        let check = |original: &str, plain: &str, part: &str, expected: &str| {
            let unhidden = Unhidden::of(original).unwrap();
            assert_eq!(unhidden.text(), plain);
            let start = plain.find(part).unwrap();
            let range = unhidden.original(&(start..start + part.len()));
            assert_eq!(original.get(range), Some(expected), "{original:?}");
        };
        check("a b\u{200b}c d", "a bc d", "bc", "b\u{200b}c");
        check("ab\u{200b}\u{200b}bc\u{200b} d", "abbc d", "bc", "bc");
        check("ä ｂｃ\u{ad} d", "ä bc d", "bc", "ｂｃ");
        check("é𝐛\0𝐜é", "ébcé", "bc", "𝐛\0𝐜");
        assert!(Unhidden::of("👩\u{200d}💻 a\u{200b} \u{feff}b کتاب\u{200c}ها").is_none());
        assert!(Unhidden::of("plain äöü 漢字 — text\r\n").is_none());
    }
}
