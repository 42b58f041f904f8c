//! Characters that a reader cannot see, or that change how others are shown.

/// Whether a character is invisible or steers the display: control and format characters, line and paragraph
/// separators, bidirectional controls, tags, variation selectors, fillers.
///
/// A name or a line that holds one can look like another that does not.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    let code = character as u32;
    character.is_control() || RANGES.iter().any(|&(first, last)| (first..=last).contains(&code))
}

/// Unicode's format characters and default-ignorable code points, the separators U+2028 and U+2029, and the blank
/// braille pattern. Control characters are left to the standard library.
const RANGES: [(u32, u32); 27] = [
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x0600, 0x0605),
    (0x061C, 0x061C),
    (0x06DD, 0x06DD),
    (0x070F, 0x070F),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D159, 0x1D159),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
];

/// Whether a text holds a hidden character that is not part of an emoji sequence.
///
/// A variation selector after a pictograph, and a joiner between two of them, make one visible sign.
#[must_use]
pub fn holds_hidden(text: &str) -> bool {
    let mut before = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let in_emoji = match character {
            '\u{FE0E}' | '\u{FE0F}' => before.is_some_and(is_emoji_base),
            '\u{200D}' => {
                before.is_some_and(|character| is_pictograph(character) || character == '\u{FE0F}')
                    && characters.peek().copied().is_some_and(is_pictograph)
            }
            _ => false,
        };
        if is_hidden(character) && !in_emoji {
            return true;
        }
        before = Some(character);
    }
    false
}

fn is_emoji_base(character: char) -> bool {
    is_pictograph(character) || matches!(character, '0'..='9' | '#' | '*' | '\u{A9}' | '\u{AE}')
}

/// The blocks in which pictographs are, skin tones included.
fn is_pictograph(character: char) -> bool {
    matches!(character,
        '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2194}'..='\u{21AA}' | '\u{231A}'..='\u{23FF}'
        | '\u{24C2}' | '\u{25AA}'..='\u{25FE}' | '\u{2600}'..='\u{27BF}' | '\u{2934}' | '\u{2935}'
        | '\u{2B05}'..='\u{2B55}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}' | '\u{1F000}'..='\u{1FAFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_hidden() {
        for hidden in
            ['\0', '\n', '\u{85}', '\u{AD}', '\u{200B}', '\u{202E}', '\u{2029}', '\u{3164}', '\u{E0041}']
        {
            assert!(is_hidden(hidden), "{hidden:?}");
        }
        for seen in ['a', ' ', 'é', '\u{301}', '日', 'ب', '🧠', '\u{A0}', '\u{3000}'] {
            assert!(!is_hidden(seen), "{seen:?}");
        }
    }

    #[test]
    fn emoji_sequences_are_seen() {
        for seen in ["👩\u{200D}💻", "❤\u{FE0F}", "1\u{FE0F}\u{20E3}", "👩🏽\u{200D}🚀", "🏳\u{FE0F}\u{200D}🌈"]
        {
            assert!(!holds_hidden(seen), "{seen}");
        }
        for hidden in ["a\u{200D}b", "👩\u{200D}", "\u{200D}💻", "a\u{FE0F}", "\u{FE0F}", "a\u{200C}b"] {
            assert!(holds_hidden(hidden), "{hidden:?}");
        }
    }
}
