//! Text as a YAML value on one line, quoted exactly where the client would quote it.
//!
//! The client rewrites every file that its own tools touch. Where our quoting differed from its, such a rewrite
//! would change lines that no one asked to change.

use std::borrow::Cow;
use std::fmt::Write;

/// The text as a value, plain where that is safe and in double quotes where it is not.
#[must_use]
pub fn quoted(text: &str) -> Cow<'_, str> {
    if is_plain(text) { Cow::Borrowed(text) } else { Cow::Owned(in_double_quotes(text)) }
}

fn is_plain(text: &str) -> bool {
    let starts_badly = text.starts_with(['-', '?', ':', '*', '&', '!', '|', '>', '%', '@', '<', '#', ' ']);
    let holds_mark = text.contains(['#', '`', '[', ']', '{', '}', ',', '"', '\''])
        || text.contains("...")
        || text.contains("---");
    let holds_colon = text.contains(": ") || text.ends_with(':');
    let holds_control = text.chars().any(needs_escape) || text.contains('\u{feff}');
    !(text.is_empty()
        || starts_badly
        || text.ends_with(' ')
        || holds_mark
        || holds_colon
        || holds_control
        || is_keyword(text)
        || is_number(text))
}

fn needs_escape(character: char) -> bool {
    matches!(character, '\0'..='\u{1f}' | '\u{7f}' | '\u{85}' | '\u{a0}' | '\u{2028}' | '\u{2029}')
}

/// Words that some YAML reader takes for a truth value or for nothing, in the three usual spellings.
fn is_keyword(text: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let upper_rest = text.chars().skip(1).all(|letter| letter.is_ascii_uppercase());
    let lower_rest = text.chars().skip(1).all(|letter| letter.is_ascii_lowercase());
    let usual = lower_rest || (upper_rest && text.starts_with(|first: char| first.is_ascii_uppercase()));
    text == "~" || (usual && WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)))
}

/// What some YAML reader takes for a number.
pub(super) fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let all = |digits: &str, test: fn(&u8) -> bool| !digits.is_empty() && digits.as_bytes().iter().all(test);
    if let Some(digits) = unsigned.strip_prefix("0x") {
        return all(digits, u8::is_ascii_hexdigit);
    }
    if let Some(digits) = unsigned.strip_prefix("0o") {
        return all(digits, u8::is_ascii_digit);
    }
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, ""));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole) && digits(fraction) && digits(exponent) && !(whole.is_empty() && fraction.is_empty())
}

fn in_double_quotes(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    let mut dashes = 0;
    for character in text.chars() {
        dashes = if character == '-' { dashes + 1 } else { 0 };
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            // Three dashes in a row would end the frontmatter for the client, even here.
            '-' if dashes == 3 => {
                quoted.push_str("\\x2d");
                dashes = 0;
            }
            _ if needs_escape(character) => push_escape(&mut quoted, character),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

fn push_escape(quoted: &mut String, character: char) {
    let short = match character {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            // Writing into a string cannot fail.
            let _ = write!(quoted, "\\x{:02x}", u32::from(character));
            return;
        }
    };
    quoted.push('\\');
    quoted.push(short);
}
