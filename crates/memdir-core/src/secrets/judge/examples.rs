//! Published samples, placeholders and default passwords: what is shown everywhere and opens nothing.

use std::sync::LazyLock;

use super::letters::Letters;
use crate::secrets::word_set::WordSet;
use crate::word_list::{WordList, word_list};

/// Values that vendors print in their own documentation or ship in emulators.
static KNOWN_SAMPLES: WordList = LazyLock::new(|| word_list(include_str!("words/known_samples.txt")));

/// Parts of the payload of web tokens that are printed as samples, or public by their design.
pub(super) const WEB_TOKEN_SAMPLES: &[&str] = &[
    "\"sub\":\"1234567890\"",
    "\"sub\": \"1234567890\"",
    "\"role\":\"anon\"",
    "\"role\": \"anon\"",
    "http://example.com/is_root",
];

/// Words that every template contains and no real secret does.
static PLACEHOLDER_WORDS: WordList = LazyLock::new(|| word_list(include_str!("words/placeholders.txt")));

/// Words that are in templates too, but also in the fixed part of some providers' tokens.
static WEAK_PLACEHOLDER_WORDS: WordList =
    LazyLock::new(|| word_list(include_str!("words/weak_placeholders.txt")));

/// The stems of passwords that are not secrets: defaults, tutorials, jokes.
static TRIVIAL_STEMS: WordList = LazyLock::new(|| word_list(include_str!("words/trivial_passwords.txt")));

/// Names of algorithms, formats and protocols that hold letters and digits as passwords do.
static TECHNICAL_STEMS: WordList = LazyLock::new(|| word_list(include_str!("words/technical_words.txt")));

/// Whether the value is printed in documentation, or contains a word that marks a template.
pub(super) fn is_example(value: &str) -> bool {
    let (mut strong, mut weak) = (false, false);
    EXAMPLES.find(value.as_bytes(), |_, evidence| match evidence {
        Evidence::Strong => strong = true,
        Evidence::Weak => weak = true,
    });
    strong || weak && Letters::of(value).turns * 6 < value.len()
}

/// How much a word says: a weak one may be in a value that was drawn by lot.
#[derive(Clone, Copy)]
enum Evidence {
    Strong,
    Weak,
}

static EXAMPLES: LazyLock<WordSet<Evidence>> = LazyLock::new(|| {
    let strong = KNOWN_SAMPLES.iter().chain(PLACEHOLDER_WORDS.iter()).map(|word| (*word, Evidence::Strong));
    WordSet::new(strong.chain(WEAK_PLACEHOLDER_WORDS.iter().map(|word| (*word, Evidence::Weak))))
});

/// Whether a password is a default that everybody knows: `postgres`, `admin123`, `P@ssw0rd!`.
pub(super) fn is_trivial_password(value: &str) -> bool {
    let plain: String =
        value.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase();
    if plain.len() < 24 && TRIVIAL_STEMS.contains(&plain.as_str()) && !plain.is_empty() {
        let rest = value.len() - plain.len();
        return rest <= 5;
    }
    // Digits in the place of letters.
    let unmasked: String = value
        .trim_end_matches(|character: char| character.is_ascii_digit() || "!?.#$@".contains(character))
        .chars()
        .filter_map(|character| match character {
            '0' => Some('o'),
            '1' | '!' => Some('i'),
            '3' => Some('e'),
            '4' | '@' => Some('a'),
            '5' | '$' => Some('s'),
            '7' => Some('t'),
            letter if letter.is_ascii_alphabetic() => Some(letter.to_ascii_lowercase()),
            _ => None,
        })
        .collect();
    unmasked.len() >= 3 && TRIVIAL_STEMS.contains(&unmasked.as_str())
}

/// Whether the value is the name of an algorithm, a format or a protocol: `SHA-256`, `argon2id`, `HTTP/2`.
pub(super) fn is_technical_word(value: &str) -> bool {
    let plain: String =
        value.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let begins =
        ["sha", "aes", "oauth", "pbkdf2", "argon2", "base64", "hmac", "utf", "rsa", "x509", "tls", "http"];
    TECHNICAL_STEMS.contains(&plain.as_str())
        || value.split(['-', '_', '/', '+']).all(|part| {
            let part = part.to_ascii_lowercase();
            part.is_empty()
                || TECHNICAL_STEMS.contains(&part.as_str())
                || TRIVIAL_STEMS.contains(&part.as_str())
                || part.bytes().all(|byte| byte.is_ascii_digit())
        })
        || begins.iter().any(|start| plain.starts_with(start))
            && plain.len() <= 24
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_/.".contains(&byte))
            && value.split(['-', '_', '/', '.']).all(|part| part.len() <= 12)
}
