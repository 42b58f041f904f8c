//! What is nobody else's business although no rule for secrets knows its form: bare keys, pass phrases, log-ins, the
//! numbers of cards, people and telephones.

use std::ops::Range;

use super::token::{fold, opaque};

/// Whether a text holds something private.
pub(super) fn is_private(text: &str) -> bool {
    !private_places(text).is_empty()
}

/// The text without what is private in it.
pub(super) fn without_private(text: &str) -> String {
    let mut kept = text.to_owned();
    for place in private_places(text).into_iter().rev() {
        if kept.is_char_boundary(place.start) && kept.is_char_boundary(place.end) {
            kept.replace_range(place, "[redacted:private]");
        }
    }
    kept
}

/// The text without what stands in it between quotation marks: somebody else's words, unless it is a word or two.
pub(super) fn without_quotations(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let quoted = match first {
            '"' | '\u{201c}' | '\u{201e}' | '\u{ab}' | '\u{300c}' | '\u{300e}' => opaque(rest, &kept),
            _ => None,
        };
        let quoted = quoted.and_then(|length| rest.split_at_checked(length));
        if let Some((quotation, behind)) = quoted
            && (quotation.split_whitespace().count() > 2
                || !quotation.is_ascii() && quotation.chars().count() > 10)
        {
            kept.push_str("\"…\"");
            rest = behind;
            continue;
        }
        kept.push(first);
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
    }
    kept
}

fn private_places(text: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut words: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let bare = word.trim_matches(['"', '\'', '`', ',', '.', ';', '(', ')', '!', '?']);
        if !bare.is_empty() {
            words.push((at + word.find(bare).unwrap_or(0), bare));
        }
        at += piece.len();
    }
    for (place, (start, word)) in words.iter().enumerate() {
        let range = *start..start + word.len();
        if is_bare_key(word) || is_person_number(word) || is_log_in(word) {
            places.push(range);
        } else if word.starts_with(|first: char| first.is_ascii_digit() || first == '+') {
            places.extend(long_number(text, *start));
        } else if is_user(word)
            && words.get(place + 1).is_some_and(|(_, mark)| matches!(*mark, "/" | ":" | "|"))
            && let Some((other, value)) = words.get(place + 2)
            && is_mixed(value)
        {
            places.push(*other..other + value.len());
        } else if is_pass_word(word) {
            let behind = text.get(range.end..).unwrap_or_default();
            let quote = behind.char_indices().take(24).find_map(|(offset, _)| {
                let rest = behind.get(offset..)?;
                Some(offset..offset + opaque(rest, " ")?)
            });
            places.extend(quote.map(|quote| range.end + quote.start..range.end + quote.end));
        }
    }
    places.sort_by_key(|place| place.start);
    places.dedup_by(|next, last| next.start < last.end);
    places
}

/// A key without a word beside it that says so.
fn is_bare_key(word: &str) -> bool {
    let has = |test: fn(&u8) -> bool| word.bytes().any(|byte| test(&byte));
    let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_key = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    let is_varied = has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase);
    (is_hex && word.len() >= 32 && is_varied)
        || is_key && word.len() >= 24 && is_varied && has(u8::is_ascii_uppercase) && !word.starts_with('/')
}

/// `078-05-1120`.
fn is_person_number(word: &str) -> bool {
    let parts: Vec<usize> = word
        .split('-')
        .map(|part| if part.bytes().all(|byte| byte.is_ascii_digit()) { part.len() } else { 0 })
        .collect();
    parts == [3, 2, 4]
}

/// A card or a telephone, which people write in groups.
fn long_number(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    let end = rest
        .find(|character: char| {
            !character.is_ascii_digit() && !matches!(character, ' ' | '-' | '+' | '(' | ')')
        })
        .unwrap_or(rest.len());
    let number = rest.get(..end)?.trim_end_matches([' ', '-', '(', ')']);
    let digits: Vec<u32> = number.chars().filter_map(|character| character.to_digit(10)).collect();
    let is_telephone = number.starts_with('+') && (9..=15).contains(&digits.len());
    let is_card = (13..=19).contains(&digits.len()) && is_luhn(&digits);
    (is_telephone || is_card).then(|| start..start + number.len())
}

fn is_luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, digit * 2) {
            (0, _) => *digit,
            (_, double) if double > 9 => double - 9,
            (_, double) => double,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// `admin:Xk29fjq0`.
fn is_log_in(word: &str) -> bool {
    word.split_once(':').is_some_and(|(user, value)| is_user(user) && is_mixed(value))
}

fn is_user(word: &str) -> bool {
    matches!(
        fold(word).as_ref(),
        "admin" | "root" | "user" | "login" | "postgres" | "guest" | "administrator" | "test"
    )
}

fn is_mixed(value: &str) -> bool {
    value.len() >= 6
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn is_pass_word(word: &str) -> bool {
    const WORDS: [&str; 14] = [
        "password",
        "passphrase",
        "passcode",
        "pass",
        "pin",
        "passwort",
        "kennwort",
        "contrasena",
        "clave",
        "senha",
        "motdepasse",
        "passe",
        "secret",
        "credentials",
    ];
    WORDS.contains(&fold(word).as_ref())
        || ["密码", "口令", "パスワード", "暗証番号"].iter().any(|part| word.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_private_is_found_and_taken_out() {
        for private in [
            "from now on use the passphrase \"correct horse battery staple\" for the vault",
            "log in as admin / hunter2-Tango please",
            "it is admin:Xk29fjq0 on staging",
            "the card is 4111 1111 1111 1111",
            "my number is 078-05-1120",
            "call +1 415 555 0199",
            "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY01",
            "use 9e107d9d372bb6826bd81d3542a419d6 there",
        ] {
            assert!(is_private(private), "{private}");
            assert!(without_private(private).contains("[redacted:private]"), "{private}");
        }
        for open in [
            "the release is due on 2026-12-15 because of the fair",
            "use port 8080 and version 1.2.3 of node",
            "never log passwords, ask the vault",
            "see https://linear.app/acme/team/PAY/all and src/very/long/path/to/FileNumber2.tsx",
            "we keep 12 000 000 rows",
        ] {
            assert_eq!(without_private(open), open);
        }
        let said = "He told me: \"always use tabs in this repository\". I say \"no\".";
        assert_eq!(without_quotations(said), "He told me: \"…\". I say \"no\".");
    }
}
