//! What is private although no rule for secrets knows its form: bare keys, pass phrases, log-ins, the
//! numbers of cards, people and telephones.

use std::ops::Range;

use super::language::Language;
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

/// The text without what it quotes: another person's words, unless it is a word or two.
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
            places.extend(pass_phrase(&words, place));
        }
    }
    places.sort_by_key(|place| place.start);
    places.dedup_by(|next, last| next.start < last.end);
    places
}

/// The words behind `the password is`, or behind a colon, if they may be a pass phrase: none of them holds a sentence
/// together, as in `the password is kept in the vault`.
fn pass_phrase(words: &[(usize, &str)], place: usize) -> Option<Range<usize>> {
    const LINKS: [&str; 18] = [
        "is", "was", "be", "to", "=", "es", "era", "sera", "ist", "lautet", "war", "est", "e", "seja", "是",
        "为", "は", "auf",
    ];
    const LINK_ENDS: [char; 6] = [':', '：', '=', '是', '为', 'は'];
    const STATES: [&str; 16] = [
        "stored",
        "kept",
        "rotated",
        "required",
        "needed",
        "wrong",
        "missing",
        "expired",
        "hashed",
        "encrypted",
        "managed",
        "checked",
        "shared",
        "reset",
        "optional",
        "invalid",
    ];
    let (_, name) = words.get(place)?;
    let is_link = |word: &str| LINKS.contains(&fold(word).as_ref()) || word.ends_with(LINK_ENDS);
    let link = if name.ends_with(LINK_ENDS) {
        place
    } else {
        (place + 1..place + 6).find(|at| words.get(*at).is_some_and(|(_, word)| is_link(word)))?
    };
    let is_part = |word: &str| {
        let folded = fold(word);
        word.chars().all(|character| character.is_alphanumeric() || character == '-')
            && !Language::is_small_word(&folded)
            && !STATES.contains(&folded.as_ref())
    };
    let phrase: Vec<_> =
        words.get(link + 1..)?.iter().take(12).take_while(|(_, word)| is_part(word)).collect();
    let fewest =
        if words.get(link).is_some_and(|(_, word)| word.ends_with([':', '：', '='])) { 1 } else { 3 };
    let (first, last) = (phrase.first()?, phrase.last()?);
    (phrase.len() >= fewest).then(|| first.0..last.0 + last.1.len())
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
    const WORDS: [&str; 17] = [
        "password",
        "passphrase",
        "passwd",
        "phrase",
        "frase",
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
    WORDS.contains(&fold(word.trim_end_matches([':', '='])).as_ref())
        || ["密码", "口令", "パスワード", "パスフレーズ", "暗証番号"].iter().any(|part| word.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_private_is_found_and_taken_out() {
        for private in [
            "from now on use the passphrase \"correct horse battery staple\" for the vault",
            "the password is correct horse battery staple",
            "Passphrase: correct horse battery staple",
            "das Passwort für den Tresor lautet richtig Pferd Batterie Heftklammer",
            "la contraseña es caballo correcto batería grapa",
            "le mot de passe du coffre est cheval correct batterie agrafe",
            "a senha do cofre é cavalo correto bateria grampo",
            "密码是 correct horse battery staple",
            "パスワードは correct horse battery staple です",
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
            "the password is kept in 1Password, ask Dana for the pass",
            "the password is rotated every month by the ops team",
            "das Passwort ist im Tresor",
            "la contraseña está en el gestor, no la pongas en el código",
            "the phrase is too long for a button",
            "see https://linear.app/acme/team/PAY/all and src/very/long/path/to/FileNumber2.tsx",
            "we keep 12 000 000 rows",
        ] {
            assert_eq!(without_private(open), open);
        }
        let said = "He told me: \"always use tabs in this repository\". I say \"no\".";
        assert_eq!(without_quotations(said), "He told me: \"…\". I say \"no\".");
    }
}
