//! Text that a person does not read as what a model reads.

use super::super::Reason;
use super::super::clean;
use crate::base64;

/// Selectors or zero-width characters in a row that no script and no emoji needs.
const HIDDEN_RUN: usize = 6;
/// Blobs shorter than this hold no sentence.
const SHORTEST_BLOB: usize = 16;
/// Blobs of one text that are decoded.
const MOST_BLOBS: usize = 64;
/// Bytes of a blob that are decoded.
const LONGEST_BLOB: usize = 16_384;

/// What the characters themselves hide.
pub(super) fn reasons_of(text: &str) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if has_hidden_characters(text) {
        reasons.push(Reason::HiddenText);
    }
    if text.split(|c: char| !c.is_alphanumeric()).any(mixes_look_alikes) {
        reasons.push(Reason::LookAlikeLetters);
    }
    reasons
}

/// Other texts that this one could mean, each worth reading in its place.
pub(super) fn hidden_texts(text: &str) -> Vec<String> {
    let mut hidden = Vec::new();
    hidden.extend(text_in_tags(text));
    let cleaned = clean(text);
    hidden.extend(joined_letters(&cleaned));
    hidden.extend(blobs(&cleaned));
    let whole_texts = [
        Some(cleaned.chars().map(rotate).collect()),
        Some(cleaned.lines().map(|line| line.chars().rev().collect::<String>() + "\n").collect()),
        without_digits_for_letters(&cleaned),
    ];
    hidden.extend(whole_texts.into_iter().flatten().filter(|text| is_worth_reading(text)));
    hidden
}

/// Whether a text that was turned around holds a word without which the rules would find nothing.
fn is_worth_reading(text: &str) -> bool {
    const WORDS: [&[u8]; 10] = [
        b"ignore",
        b"disregard",
        b"instruction",
        b"system",
        b"forget",
        b"password",
        b"secret",
        b"curl",
        b"overrid",
        b"user",
    ];
    let lower = text.to_ascii_lowercase();
    WORDS.iter().any(|word| memchr::memmem::find(lower.as_bytes(), word).is_some())
}

/// The text with letters of other scripts replaced by the Latin ones that they imitate, in words that mix both.
pub(super) fn with_plain_letters(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    for word in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        if word.bytes().any(|byte| byte.is_ascii_alphabetic()) && word.chars().any(|c| latin_for(c).is_some())
        {
            output.extend(word.chars().map(|c| latin_for(c).unwrap_or(c)));
        } else {
            output.push_str(word);
        }
    }
    output
}

fn has_hidden_characters(text: &str) -> bool {
    if text.is_ascii() {
        return false;
    }
    let mut run = 0;
    for character in text.chars() {
        match u32::from(character) {
            // Overrides turn the order of what is seen around.
            0x202D | 0x202E => return true,
            0x200B..=0x200F | 0x2060..=0x2064 | 0xFE00..=0xFE0F | 0xE0100..=0xE01EF | 0xFEFF => run += 1,
            _ => run = 0,
        }
        if run >= HIDDEN_RUN {
            return true;
        }
    }
    text_in_tags(text).is_some()
}

/// ASCII spelt in tag characters, if there is more of it than a flag needs.
fn text_in_tags(text: &str) -> Option<String> {
    if !text.contains(|c: char| matches!(u32::from(c), 0xE0020..=0xE007E)) {
        return None;
    }
    // What cleaning keeps are flags.
    let kept = clean(text);
    let hidden: String = text
        .chars()
        .filter_map(|c| u32::from(c).checked_sub(0xE0000).filter(|code| (0x20..0x7F).contains(code)))
        .filter_map(char::from_u32)
        .collect();
    let in_flags = kept.chars().filter(|c| matches!(u32::from(*c), 0xE0020..=0xE007E)).count();
    (hidden.len() >= in_flags + 2).then_some(hidden)
}

/// Whether a Latin word holds a letter of another script that looks Latin, before another Latin letter.
fn mixes_look_alikes(word: &str) -> bool {
    if word.is_ascii() || word.chars().count() < 4 {
        return false;
    }
    let latin = word.chars().filter(char::is_ascii_alphabetic).count();
    let all_known = word.chars().all(|c| c.is_ascii_alphanumeric() || latin_for(c).is_some());
    let mut characters = word.chars().peekable();
    let mut leads_latin = false;
    while let Some(character) = characters.next() {
        leads_latin |=
            latin_for(character).is_some() && characters.peek().is_some_and(char::is_ascii_alphabetic);
    }
    latin >= 2 && all_known && leads_latin
}

/// The Latin letter that a letter of another script looks like.
pub(crate) fn latin_for(character: char) -> Option<char> {
    const PAIRS: [(&str, &str); 3] = [
        ("аеорсухіѕјԁԛԝһАВЕКМНОРСТУХІЅЈ", "aeopcyxisjdqwhABEKMHOPCTYXISJ"),
        ("οαερινυκΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "oaepivukABEZHIKMNOPTYX"),
        ("օսոհ", "ounh"),
    ];
    if character.is_ascii() {
        return None;
    }
    PAIRS
        .iter()
        .find_map(|(from, to)| from.chars().position(|c| c == character).and_then(|at| to.chars().nth(at)))
}

/// `i g n o r e  a l l`, `i.g.n.o.r.e`: single letters with one separator between them, wider gaps between words.
fn joined_letters(text: &str) -> Option<String> {
    let mut output = String::new();
    let mut found = false;
    for line in text.lines() {
        for words in line.split("  ") {
            let letters: Vec<&str> =
                words.split([' ', '.', '-', '_', '*', '·']).filter(|part| !part.is_empty()).collect();
            let singles = letters.iter().filter(|part| part.chars().count() == 1).count();
            if singles >= 3 && singles * 10 >= letters.len() * 9 {
                found = true;
                output.extend(letters);
            } else {
                output.push_str(words);
            }
            output.push(' ');
        }
        output.push('\n');
    }
    found.then(|| split_run_together(&output))
}

/// Where spacing also swallowed the gaps between words, cuts before the words that the rules know best.
fn split_run_together(text: &str) -> String {
    let mut output = text.to_ascii_lowercase();
    for word in [
        "ignore",
        "disregard",
        "forget",
        "all",
        "any",
        "previous",
        "prior",
        "instructions",
        "rules",
        "the",
        "your",
        "system",
        "prompt",
    ] {
        output = output.replace(word, &format!(" {word} "));
    }
    output
}

/// Texts in base64, hexadecimal and percent encoding.
fn blobs(text: &str) -> Vec<String> {
    let mut decoded = Vec::new();
    let is_digit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_' | '%');
    let blobs = text.split(|c: char| !is_digit(c)).filter(|blob| blob.len() >= SHORTEST_BLOB);
    for blob in blobs.take(MOST_BLOBS) {
        let blob = blob.get(..blob.len().min(LONGEST_BLOB)).unwrap_or_default();
        let candidates = [decode_base64(blob), decode_hexadecimal(blob), decode_percent(blob)];
        decoded.extend(candidates.into_iter().flatten().filter(|text| is_prose(text)));
    }
    decoded
}

fn decode_base64(blob: &str) -> Option<String> {
    let digits: String = blob.trim_end_matches('=').replace('-', "+").replace('_', "/");
    let whole = digits.len() - usize::from(digits.len() % 4 == 1);
    let mut padded = digits.get(..whole)?.to_owned();
    while !padded.len().is_multiple_of(4) {
        padded.push('=');
    }
    String::from_utf8(base64::decode(&padded)?).ok()
}

fn decode_hexadecimal(blob: &str) -> Option<String> {
    let bytes: Option<Vec<u8>> = blob
        .as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok())
        .collect();
    String::from_utf8(bytes?).ok()
}

fn decode_percent(blob: &str) -> Option<String> {
    if !blob.contains("%20") {
        return None;
    }
    let mut bytes = Vec::with_capacity(blob.len());
    let mut rest = blob.as_bytes();
    while let [first, tail @ ..] = rest {
        if let (b'%', [high, low, after @ ..]) = (first, tail)
            && let Some(byte) =
                str::from_utf8(&[*high, *low]).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok())
        {
            bytes.push(byte);
            rest = after;
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

/// Whether decoded bytes read like a sentence.
fn is_prose(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic() || *c == ' ').count();
    text.contains(' ')
        && letters * 10 >= text.chars().count() * 7
        && !text.chars().any(|c| c.is_control() && c != '\n')
}

fn rotate(character: char) -> char {
    let turn = |base: u8, letter: u8| char::from(base + (letter - base + 13) % 26);
    match character {
        'a'..='z' => u8::try_from(character).map_or(character, |letter| turn(b'a', letter)),
        'A'..='Z' => u8::try_from(character).map_or(character, |letter| turn(b'A', letter)),
        _ => character,
    }
}

/// `1gn0r3` as `ignore`, if at least two words mix letters and digits that way.
fn without_digits_for_letters(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '@' | '$');
    let mixed = text
        .split(|c: char| !is_part(c))
        .filter(|word| {
            word.len() >= 4
                && word.bytes().any(|byte| byte.is_ascii_alphabetic())
                && word
                    .bytes()
                    .any(|byte| matches!(byte, b'0' | b'1' | b'3' | b'4' | b'5' | b'7' | b'@' | b'$'))
        })
        .count();
    (mixed >= 2).then(|| {
        text.chars()
            .map(|c| match c {
                '0' => 'o',
                '1' => 'i',
                '3' => 'e',
                '4' | '@' => 'a',
                '5' | '$' => 's',
                '7' => 't',
                c => c,
            })
            .collect()
    })
}
