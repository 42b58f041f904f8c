//! Takes out of a text what a person would not see and a model would.

mod characters;
mod sequence;

use std::borrow::Cow;

use characters::Kind;

/// Combining marks kept on one base; more is a flood that hides the lines around it.
const MARKS_PER_BASE: usize = 4;
/// The same for scripts that stack letters.
const STACKED_MARKS_PER_BASE: usize = 8;
/// Subdivision flags that fonts draw. Any other tag sequence shows as a plain black flag, so its letters are hidden.
const SUBDIVISION_FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];
const BLACK_FLAG: char = '\u{1F3F4}';

/// The text without control characters, terminal sequences, direction controls, tag characters, private use, and
/// joiners and selectors that have no effect there; every kind of line break becomes a line feed.
///
/// Emoji sequences, the joiners of Persian and Indic words, variants of ideographs and the drawn subdivision flags
/// stay as they are. Text that needs nothing is not copied. Linear, and the same when applied twice.
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    Cleaner::new(text, None).run()
}

/// One piece of a text for which [`clean`] shows something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken {
    /// Where it is in the text.
    pub(super) position: usize,
    /// How many bytes it has there.
    pub(super) length: usize,
    /// How many bytes are shown instead.
    pub(super) shown: usize,
}

/// The same, with every piece that was taken out, in order.
pub(super) fn clean_noting(text: &str) -> (Cow<'_, str>, Vec<Taken>) {
    let mut taken = Vec::new();
    let cleaned = Cleaner::new(text, Some(&mut taken)).run();
    (cleaned, taken)
}

struct Cleaner<'a, 'n> {
    text: &'a str,
    output: String,
    /// Everything before this has been copied or dropped; everything from here to the position is kept.
    kept_from: usize,
    /// Marks since the last base.
    marks: usize,
    /// What was removed.
    taken: Option<&'n mut Vec<Taken>>,
}

impl<'a, 'n> Cleaner<'a, 'n> {
    fn new(text: &'a str, taken: Option<&'n mut Vec<Taken>>) -> Self {
        Self { text, output: String::new(), kept_from: 0, marks: 0, taken }
    }

    fn run(mut self) -> Cow<'a, str> {
        let mut position = 0;
        while let Some(&byte) = self.text.as_bytes().get(position) {
            if byte.is_ascii() {
                let plain = plain_ascii_length(self.text.as_bytes().get(position..).unwrap_or_default());
                if plain > 0 {
                    self.marks = 0;
                    position += plain;
                    continue;
                }
            }
            // Plain letters of other scripts in a row, then at most one character that needs a judgement.
            for character in self.text.get(position..).unwrap_or_default().chars() {
                if !character.is_ascii() && characters::kind(character) == Kind::Plain {
                    self.marks = 0;
                    position += character.len_utf8();
                } else if character.is_ascii() && plain_ascii_length(&[character as u8]) == 1 {
                    break;
                } else {
                    position += self.take(position, character);
                    break;
                }
            }
        }
        self.finish()
    }

    /// Judges the character at `position` and says how many bytes that settles.
    #[inline]
    fn take(&mut self, position: usize, character: char) -> usize {
        let length = character.len_utf8();
        match characters::kind(character) {
            Kind::Plain => self.marks = 0,
            Kind::Mark => {
                let most =
                    if characters::stacks(character) { STACKED_MARKS_PER_BASE } else { MARKS_PER_BASE };
                if self.marks >= most {
                    self.replace(position, length, "");
                } else {
                    self.marks += 1;
                }
            }
            Kind::Line => {
                let is_crlf = character == '\r' && self.text.as_bytes().get(position + 1) == Some(&b'\n');
                self.replace(position, length, if is_crlf { "" } else { "\n" });
                self.marks = 0;
            }
            Kind::Invisible => self.replace(position, length, ""),
            Kind::Sequence => {
                let whole = self.text.get(position..).map_or(length, sequence::sequence_length).max(length);
                self.replace(position, whole, "");
                return whole;
            }
            Kind::Tag => {
                let flag = self.subdivision_flag_length(position);
                if flag > 0 {
                    return flag;
                }
                self.replace(position, length, "");
            }
            kind => {
                if !self.belongs(kind, position, character) {
                    self.replace(position, length, "");
                }
            }
        }
        length
    }

    fn replace(&mut self, position: usize, length: usize, replacement: &str) {
        self.output.push_str(self.text.get(self.kept_from..position).unwrap_or_default());
        self.output.push_str(replacement);
        self.kept_from = position + length;
        if let Some(taken) = &mut self.taken {
            taken.push(Taken { position, length, shown: replacement.len() });
        }
    }

    /// The last character that stays before `position`.
    fn previous(&self, position: usize) -> Option<char> {
        let kept = self.text.get(self.kept_from..position).unwrap_or_default();
        kept.chars().next_back().or_else(|| self.output.chars().next_back())
    }

    fn belongs(&self, kind: Kind, position: usize, character: char) -> bool {
        let Some(previous) = self.previous(position) else { return false };
        let next = self.text.get(position + character.len_utf8()..).and_then(|rest| rest.chars().next());
        match kind {
            Kind::Selector => characters::selects(previous, character),
            Kind::Mongolian => matches!(u32::from(previous), 0x1820..=0x18AA),
            Kind::Hieroglyph => matches!(u32::from(previous), 0x13000..=0x1345F),
            Kind::Space => {
                characters::is_unspaced(previous)
                    && next.is_some_and(characters::is_unspaced)
                    && self.room(next)
            }
            Kind::NonJoiner | Kind::Joiner => {
                characters::is_virama(previous)
                    || (characters::joins(previous) && next.is_some_and(characters::joins) && self.room(next))
                    || (kind == Kind::Joiner
                        && (characters::is_arabic(previous)
                            || (is_emoji_end(previous) && next.is_some_and(characters::is_pictograph))))
            }
            _ => false,
        }
    }

    /// Whether the next character will stay: a mark that the limit drops cannot justify what precedes it.
    fn room(&self, next: Option<char>) -> bool {
        self.marks < MARKS_PER_BASE || next.is_some_and(|next| characters::kind(next) == Kind::Plain)
    }

    /// The bytes of the tag characters at `position` if they complete a flag that fonts draw.
    fn subdivision_flag_length(&self, position: usize) -> usize {
        if self.previous(position) != Some(BLACK_FLAG) {
            return 0;
        }
        let rest = self.text.get(position..).unwrap_or_default();
        let name: String = rest
            .chars()
            .take(6)
            .filter_map(|tag| char::from_u32(u32::from(tag).wrapping_sub(0xE0000)))
            .collect();
        match name.strip_suffix('\u{7F}') {
            Some(code) if SUBDIVISION_FLAGS.contains(&code) => 6 * 4,
            _ => 0,
        }
    }

    fn finish(mut self) -> Cow<'a, str> {
        if self.kept_from == 0 && self.output.is_empty() {
            return Cow::Borrowed(self.text);
        }
        self.output.push_str(self.text.get(self.kept_from..).unwrap_or_default());
        Cow::Owned(self.output)
    }
}

/// What a joiner may follow inside an emoji: a pictograph (a skin tone is one) or the selector that made it colourful.
fn is_emoji_end(character: char) -> bool {
    characters::is_pictograph(character) || character == '\u{FE0F}'
}

/// How many bytes at the start are ASCII that always stays. Eight at a time, because a program that is compiled for
/// size has no vectors.
#[inline]
fn plain_ascii_length(bytes: &[u8]) -> usize {
    let is_plain = |byte: u8| (byte.wrapping_sub(0x20) < 0x5F) | (byte == b'\n') | (byte == b'\t');
    let mut length = 0;
    for eight in bytes.as_chunks::<8>().0 {
        // A line feed or a tab costs a second look.
        if !are_printable(*eight) && !eight.iter().all(|&byte| is_plain(byte)) {
            break;
        }
        length += 8;
    }
    length + bytes.iter().skip(length).take_while(|&&byte| is_plain(byte)).count()
}

/// Whether eight bytes are all between the space and the tilde.
fn are_printable(bytes: [u8; 8]) -> bool {
    const EACH: u64 = u64::from_ne_bytes([1; 8]);
    let bytes = u64::from_ne_bytes(bytes);
    // The top bit of a byte is set in the first where it is above the tilde, in the second where it is below the space;
    // a borrow from a byte that is below may make another look so too, which changes nothing.
    let above = bytes | (bytes & (EACH * 0x7F)).wrapping_add(EACH);
    let below = bytes.wrapping_sub(EACH * 0x20);
    (above | below) & (EACH * 0x80) == 0
}

#[cfg(test)]
mod tests;
