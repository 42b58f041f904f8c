//! Text measured and trimmed the way the client's language does it.
//!
//! The client counts UTF-16 code units and trims its own set of white space; every limit of MEMORY.md is
//! expressed in those, so a check whether text fits has to count the same way.

/// The length of a text in UTF-16 code units.
#[must_use]
pub fn units(text: &str) -> usize {
    let starts = text.bytes().filter(|byte| byte & 0xC0 != 0x80).count();
    let pairs = text.bytes().filter(|byte| *byte >= 0xF0).count();
    starts + pairs
}

/// The longest beginning of a text that has at most `limit` units and ends between two characters.
#[must_use]
pub fn prefix(text: &str, limit: usize) -> &str {
    let mut used = 0;
    for (offset, character) in text.char_indices() {
        used += character.len_utf16();
        if used > limit {
            return text.get(..offset).unwrap_or_default();
        }
    }
    text
}

/// The text without white space at both ends.
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_white_space)
}

/// The text without white space at its beginning.
#[must_use]
pub fn trim_start(text: &str) -> &str {
    text.trim_start_matches(is_white_space)
}

/// The text without white space at its end.
#[must_use]
pub fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_white_space)
}

/// Every run of white space as one blank, none at the ends.
#[must_use]
pub fn fold_white_space(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split(is_white_space).filter(|word| !word.is_empty()) {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

/// White space and line ends as ECMAScript defines them: the byte-order mark is one, U+0085 is not.
#[must_use]
pub fn is_white_space(character: char) -> bool {
    matches!(
        character,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_counted_as_utf16() {
        for text in ["", "abc", "é", "日本", "😀", "a😀b日é"] {
            assert_eq!(units(text), text.encode_utf16().count(), "{text}");
        }
    }

    #[test]
    fn a_prefix_never_ends_inside_a_character() {
        let check = |text, limit, expected| assert_eq!(prefix(text, limit), expected);
        check("a😀b", 1, "a");
        check("a😀b", 2, "a");
        check("a😀b", 3, "a😀");
        check("a😀b", 9, "a😀b");
        check("", 0, "");
    }

    #[test]
    fn white_space_is_the_clients() {
        assert_eq!(trim("\u{feff}\u{a0}\u{2028} x \u{85}\u{3000}"), "x \u{85}");
        assert_eq!(fold_white_space(" a\n\tb\u{a0}\u{2028}c "), "a b c");
    }
}
