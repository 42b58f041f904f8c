//! What a name says about the value beside it.

use std::sync::LazyLock;

use super::judge::Kind;
use crate::word_list::{WordList, word_list};

/// The kind of secret that a name announces, if it announces one.
///
/// The last word decides: `api_key` holds a key, `api_key_hash_algorithm` does not.
/// `context` is the text before the name, whose last words qualify it: `the API key`, `public key`.
pub(super) fn announces(name: &str, context: &str) -> Option<Kind> {
    let mut words = split_words(name);
    while words.len() > 1 && words.last().is_some_and(|word| is_qualifier(word)) {
        words.pop();
    }
    let last = words.pop()?;
    let before = words.pop().or_else(|| last_word(context)).unwrap_or_default();
    kind_of(&last, &before)
}

fn kind_of(last: &str, before: &str) -> Option<Kind> {
    let ends_with = |endings: &[&str]| endings.iter().any(|ending| last.ends_with(ending));
    if ["password", "passwd", "passwort", "passphrase", "passcode", "requirepass", "masterauth"]
        .iter()
        .any(|ending| last.ends_with(ending))
        || [
            "pass",
            "pwd",
            "pw",
            "psk",
            "kennwort",
            "wachtwoord",
            "senha",
            "heslo",
            "parola",
            "lozinka",
            "jelszo",
        ]
        .contains(&last)
        || last.len() <= 12 && ends_with(&["pwd", "pass", "pw"]) && !["bypass", "compass"].contains(&last)
    {
        return Some(Kind::Password);
    }
    if ends_with(&["secret", "credential", "credentials", "creds"])
        || ["secrets", "cred", "pepper"].contains(&last)
    {
        return Some(Kind::Secret);
    }
    // Counts only beside a user.
    if last == "login" || last == "logins" {
        return Some(Kind::Secret);
    }
    if ["presharedkey", "sharedkey"].contains(&last) {
        return Some(Kind::Token);
    }
    if let Some(stem) = last.strip_suffix("token") {
        let qualifier = if stem.is_empty() { before } else { stem };
        return (!NO_SECRET_TOKENS.contains(&qualifier)).then_some(Kind::Token);
    }
    if let Some(stem) = last.strip_suffix("key") {
        let qualifier = if stem.is_empty() { before } else { stem };
        if NO_SECRET_KEYS.contains(&qualifier) {
            return None;
        }
        return Some(if SECRET_KEYS.contains(&qualifier) { Kind::Token } else { Kind::Loose });
    }
    None
}

/// Splits `camelCase`, `snake_case`, `kebab-case` and dotted names into lower-case words.
fn split_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut current = String::new();
    let mut previous = ' ';
    for character in name.chars() {
        let begins = character.is_ascii_uppercase() && previous.is_ascii_lowercase();
        if (!character.is_ascii_alphanumeric() || begins) && !current.is_empty() {
            words.push(std::mem::take(&mut current));
        }
        if character.is_ascii_alphanumeric() {
            current.push(character.to_ascii_lowercase());
        }
        previous = character;
    }
    if !current.is_empty() {
        words.push(current);
    }
    words
}

fn last_word(context: &str) -> Option<String> {
    let trimmed = context.trim_end_matches([' ', '-', '*', '_', '`']);
    let start =
        trimmed.rfind(|character: char| !character.is_ascii_alphanumeric() && !"_-".contains(character));
    let word = trimmed.get(start.map_or(0, |at| at + 1)..).unwrap_or_default();
    split_words(word).pop()
}

/// Words after a name that leave its meaning: `DB_PASSWORD_PROD`, `SECRET_KEY_BASE`, `api_key_2`.
fn is_qualifier(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
        || [
            "prod",
            "production",
            "staging",
            "stage",
            "stg",
            "dev",
            "live",
            "sandbox",
            "test",
            "qa",
            "uat",
            "primary",
            "secondary",
            "old",
            "new",
            "current",
            "previous",
            "value",
            "val",
            "base",
            "b64",
            "base64",
            "raw",
            "plain",
            "plaintext",
            "string",
            "str",
            "env",
            "admin",
            "main",
            "backup",
            "ro",
            "rw",
            "v1",
            "v2",
            "v3",
            "eu",
            "us",
            "local",
            "default",
            "encoded",
            "write",
            "read",
            "readonly",
            "internal",
            "root",
            "user",
            "db",
        ]
        .contains(&word)
}

/// Keys that are secret by what they are for.
static SECRET_KEYS: WordList = LazyLock::new(|| word_list(include_str!("name/secret_keys.txt")));

/// Keys that name, sort, lock or verify, but open nothing.
static NO_SECRET_KEYS: WordList = LazyLock::new(|| word_list(include_str!("name/other_keys.txt")));

/// Tokens that count, page or parse, but open nothing.
static NO_SECRET_TOKENS: WordList = LazyLock::new(|| word_list(include_str!("name/other_tokens.txt")));
