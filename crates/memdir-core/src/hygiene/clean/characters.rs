//! Which characters carry nothing that a reader sees, and where a few of them are needed all the same.
//!
//! The ranges were drawn by hand from Unicode 16: `DerivedCoreProperties.txt` (Default_Ignorable_Code_Point),
//! `UnicodeData.txt` (Cc, Cf, Co), `emoji-data.txt` (Extended_Pictographic) and `Scripts.txt`. Format characters
//! that have a shape of their own (Arabic number signs, the end of ayah) are text and stay. The pictograph ranges
//! are generous: they only decide whether a selector or joiner *after* such a character may stay.

/// What [`super::clean`] does with a character that is not plain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Ordinary text.
    Plain,
    /// A combining mark: kept, but only a few on one base.
    Mark,
    /// Breaks a line for some readers and not for others.
    Line,
    /// Never seen, never needed.
    Invisible,
    /// Begins a terminal control sequence.
    Sequence,
    /// U+200B, which Thai, Lao, Khmer and Burmese put between words.
    Space,
    /// U+200C.
    NonJoiner,
    /// U+200D.
    Joiner,
    /// U+FE00..U+FE0F and U+E0100..U+E01EF.
    Selector,
    /// The selectors and separator of Mongolian.
    Mongolian,
    /// The arrangement controls of Egyptian hieroglyphs.
    Hieroglyph,
    /// U+E0000..U+E007F, which can spell hidden ASCII.
    Tag,
}

/// The kind of one character.
#[inline]
pub(crate) fn kind(character: char) -> Kind {
    match u32::from(character) {
        0x09 | 0x0A | 0x20..=0x7E | 0xA0..=0xAC | 0xAE..=0x2FF => Kind::Plain,
        // Han, kana, Hangul, Cyrillic, Greek letters and pictographs hold no mark and nothing invisible.
        0x3400..=0xA66E | 0xAC00..=0xD7AF | 0x30A0..=0x3163 | 0x3041..=0x3098 => Kind::Plain,
        0x370..=0x482 | 0x48A..=0x590 | 0x1F000..=0x1FBFF => Kind::Plain,
        // Letters of Hebrew, Arabic and Devanagari, punctuation, symbols and Han punctuation.
        0x5D0..=0x5EA | 0x620..=0x64A | 0x671..=0x6D3 | 0x904..=0x939 | 0x1E00..=0x200A => Kind::Plain,
        0x2010..=0x2027 | 0x202F..=0x205F | 0x2070..=0x20CF | 0x2100..=0x2CEE | 0x3000..=0x3029 => {
            Kind::Plain
        }
        0x1B | 0x90 | 0x98 | 0x9B | 0x9D..=0x9F => Kind::Sequence,
        0x0B..=0x0D | 0x85 | 0x2028 | 0x2029 => Kind::Line,
        0x200B => Kind::Space,
        0x200C => Kind::NonJoiner,
        0x200D => Kind::Joiner,
        0xFE00..=0xFE0F | 0xE0100..=0xE01EF => Kind::Selector,
        0x180B..=0x180F => Kind::Mongolian,
        0x13430..=0x13440 | 0x13447..=0x1345F => Kind::Hieroglyph,
        0xE0000..=0xE007F => Kind::Tag,
        code if is_invisible(code) => Kind::Invisible,
        _ if unicode_normalization::char::is_combining_mark(character) => Kind::Mark,
        _ => Kind::Plain,
    }
}

fn is_invisible(code: u32) -> bool {
    matches!(code,
        // Controls; NUL to DEL are C0, the rest C1.
        0x00..=0x08 | 0x0E..=0x1F | 0x7F..=0x9F
        // Soft hyphen, grapheme joiner, Arabic letter mark, fillers of Hangul, inherent vowels of Khmer.
        | 0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x3164 | 0xFFA0
        // Direction: marks, embeddings, overrides, isolates; invisible operators; deprecated format characters.
        | 0x200E | 0x200F | 0x202A..=0x202E | 0x2060..=0x206F
        // Byte-order mark, reserved ignorables, interlinear annotation.
        | 0xFEFF | 0xFFF0..=0xFFFB
        // Shorthand and musical format controls, reserved ignorables of plane 14.
        | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0080..=0xE00FF | 0xE01F0..=0xE0FFF
        // Private use: no two readers agree on what it shows.
        | 0xE000..=0xF8FF | 0xF0000..=0x10FFFF
        // Noncharacters.
        | 0xFDD0..=0xFDEF)
        || code & 0xFFFE == 0xFFFE
}

/// Whether text may hold several marks on this one: Tibetan stacks letters as marks.
pub(crate) fn stacks(mark: char) -> bool {
    matches!(u32::from(mark), 0xF71..=0xFBC)
}

/// Emoji and other symbols that a selector or joiner can follow.
pub(crate) fn is_pictograph(character: char) -> bool {
    matches!(u32::from(character),
        0xA9 | 0xAE | 0x203C | 0x2049 | 0x2122 | 0x2139 | 0x2190..=0x21FF | 0x2300..=0x23FF | 0x24C2
        | 0x25A0..=0x27BF | 0x2900..=0x297F | 0x2B00..=0x2BFF | 0x3030 | 0x303D | 0x3297 | 0x3299
        | 0x1F000..=0x1FAFF | 0x1FC00..=0x1FFFD)
}

/// Scripts whose letters join or stack, where a (non-)joiner changes what is seen.
pub(crate) fn joins(character: char) -> bool {
    is_arabic(character) || is_indic(character)
}

/// Arabic, Syriac, Thaana, N'Ko, Mandaic and Mongolian: letters that join along the line.
pub(crate) fn is_arabic(character: char) -> bool {
    matches!(u32::from(character),
        0x620..=0x65F | 0x66E..=0x6D3 | 0x6D5..=0x6DC | 0x6E1..=0x6E8 | 0x6EA..=0x6EF | 0x6FA..=0x7BF | 0x7CA..=0x7F5
        | 0x840..=0x8E1 | 0x8E3..=0x8FF | 0x1820..=0x18AA | 0xFB50..=0xFDCF | 0xFDF0..=0xFDFF | 0xFE70..=0xFEFC)
}

/// Devanagari to Sinhala, Tibetan, Burmese, Khmer, Balinese to Javanese, Meetei Mayek.
pub(crate) fn is_indic(character: char) -> bool {
    matches!(u32::from(character),
        0x900..=0x963 | 0x970..=0xDFF | 0xF40..=0xFBC | 0x1000..=0x103F | 0x1050..=0x109F | 0x1780..=0x17D3
        | 0x1B00..=0x1B4C | 0xA8E0..=0xA8FF | 0xA980..=0xA9C0 | 0xAAE0..=0xAAF6 | 0xABC0..=0xABEA | 0x11000..=0x114FF)
}

/// The sign that removes a vowel; a joiner after it chooses the half form, also at the end of a word.
pub(crate) fn is_virama(character: char) -> bool {
    matches!(
        u32::from(character),
        0x94D
            | 0x9CD
            | 0xA4D
            | 0xACD
            | 0xB4D
            | 0xBCD
            | 0xC4D
            | 0xCCD
            | 0xD4D
            | 0xDCA
            | 0x1039
            | 0x103A
            | 0x17D2
    )
}

/// Scripts that are written without spaces and mark word ends with U+200B.
pub(crate) fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character), 0xE01..=0xEDF | 0x1000..=0x109F | 0x1780..=0x17D3 | 0x1950..=0x1AAD | 0xAA60..=0xAADF)
}

/// Whether this selector asks for a variant that exists after this base.
pub(crate) fn selects(base: char, selector: char) -> bool {
    let is_ideograph = matches!(u32::from(base), 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFD);
    match u32::from(selector) {
        0xFE0E | 0xFE0F => is_pictograph(base) || matches!(base, '0'..='9' | '#' | '*'),
        0xFE00..=0xFE02 => {
            is_ideograph
                || matches!(u32::from(base), 0x2200..=0x22FF | 0x2A00..=0x2AFF | 0x1000..=0x109F
                    | 0x3001..=0x3002 | 0xA840..=0xA877 | 0xFF01..=0xFF1F)
        }
        // Registered ideographic sequences stay low; the rest of the range is only good for hiding bytes.
        0xE0100..=0xE011F => is_ideograph,
        _ => false,
    }
}
