//! Names that look like a separator, a dot component or the index without being it.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::{ENTRYPOINT, PathRefused};

pub(super) fn check(name: &str) -> Result<(), PathRefused> {
    if name.contains('\\') {
        return PathRefused::because("holds a backslash");
    }
    if name.is_ascii() {
        return check_skeleton(name, name);
    }
    if name.contains(SEPARATORS) {
        return PathRefused::because("holds a look-alike of a slash or backslash");
    }
    let compatible: String = name.nfkc().collect();
    if compatible.contains(['/', '\\']) {
        return PathRefused::because("becomes another path under compatibility normalisation");
    }
    check_skeleton(name, &compatible)
}

fn check_skeleton(name: &str, compatible: &str) -> Result<(), PathRefused> {
    let bare: String = compatible
        .chars()
        .filter(|&character| !character.is_whitespace() && !is_combining_mark(character))
        .collect();
    if matches!(bare.as_str(), "" | "." | "..") {
        return PathRefused::because("looks like `.` or `..`");
    }
    // In plain ASCII another case is another file here; a look-alike of the index in any case never is honest.
    let reserved = skeleton(ENTRYPOINT);
    let own = skeleton(&bare);
    let alike = if name.is_ascii() { own == reserved } else { own.eq_ignore_ascii_case(&reserved) };
    if alike && name != ENTRYPOINT {
        return PathRefused::because("looks like MEMORY.md but is another name");
    }
    Ok(())
}

/// Slashes and backslashes in disguise.
const SEPARATORS: [char; 10] = [
    '\u{2044}', '\u{2215}', '\u{2216}', '\u{29F5}', '\u{29F8}', '\u{29F9}', '\u{FF0F}', '\u{FF3C}',
    '\u{FE68}', '\u{27CB}',
];

/// A name with every letter that can pass for one of `MEMORY.md` replaced by that one. Only those: the point is to
/// protect one name, not to compare any two.
fn skeleton(text: &str) -> String {
    text.chars().map(prototype).collect::<String>().replace("rn", "m")
}

fn prototype(character: char) -> char {
    match character {
        // Coptic, Cyrillic, Greek, Cherokee, Canadian, runic, Lisu, Lycian and Old Italic forms.
        'Μ' | 'Ϻ' | 'М' | 'Ⲙ' | 'Ꮇ' | 'ᗰ' | 'ᛖ' | 'ꓟ' | '\u{102B0}' | '\u{10311}' => 'M',
        'Ε' | 'Е' | 'ⴹ' | 'Ꭼ' | 'ꓰ' | '⋿' | '\u{10286}' | '\u{118A6}' | '\u{118AE}' => 'E',
        '0' | 'Ο' | 'О' | 'Օ' | 'Ⲟ' | '߀' | '০' | '୦' | '〇' | 'ዐ' | 'ଠ' | 'ⵔ' | 'ꓳ' | '\u{10292}'
        | '\u{102AB}' | '\u{10404}' | '\u{104C2}' | '\u{114D0}' | '\u{118B5}' | '\u{118E0}' => 'O',
        'Ʀ' | 'Ꭱ' | 'Ꮢ' | 'ᖇ' | 'ꓣ' | '\u{104B4}' | '\u{16F35}' => 'R',
        'Υ' | 'ϒ' | 'У' | 'Ү' | 'Ⲩ' | 'Ꭹ' | 'Ꮍ' | 'ꓬ' | '\u{102B2}' | '\u{118A4}' | '\u{16F43}' => {
            'Y'
        }
        'м' | 'ⲙ' | 'ᴍ' => 'm',
        'е' | 'ҽ' | '℮' | 'ꬲ' | 'ε' => 'e',
        'ο' | 'о' | 'օ' | 'ഠ' | 'ဝ' | 'ס' | 'ه' | 'ᴏ' | 'ⲟ' | 'ჿ' | 'ꬽ' => 'o',
        'г' | 'ᴦ' | 'ꭇ' | 'ꭈ' | 'ⲅ' | 'ꮁ' => 'r',
        'у' | 'ү' | 'γ' | 'ყ' | 'ʏ' | 'ỿ' | 'ꭚ' | 'ᶌ' => 'y',
        'ԁ' | 'Ꮷ' | 'ᑯ' | 'ꓒ' => 'd',
        '۔' | '܁' | '܂' | '꘎' | 'ꓸ' | '٠' | '۰' | '。' | '·' | '\u{10A50}' | '\u{1D16D}' => '.',
        other => other,
    }
}
