//! Letters that people take for the same.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The word in lower case, without accents, apostrophes and the English possessive.
pub(super) fn fold(word: &str) -> String {
    let word = without_possessive(word);
    if word.is_ascii() {
        return word
            .bytes()
            .filter(|byte| *byte != b'\'')
            .map(|byte| byte.to_ascii_lowercase() as char)
            .collect();
    }
    let mut folded = String::with_capacity(word.len());
    for c in word.nfkd().filter(|c| !is_combining_mark(*c) && !is_apostrophe(*c)).flat_map(char::to_lowercase)
    {
        match c {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' => folded.push('d'),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            c if is_combining_mark(c) => {}
            c => folded.push(c),
        }
    }
    folded
}

pub(super) fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{02bc}')
}

fn without_possessive(word: &str) -> &str {
    let Some(rest) = word.strip_suffix(['s', 'S']) else { return word };
    match rest.strip_suffix(is_apostrophe) {
        Some(owner) if !owner.is_empty() => owner,
        _ => word,
    }
}
