//! Whether a value looks like a secret, or like what people write in its place.

mod examples;
mod letters;

use crate::base64;
pub(super) use letters::Letters;

/// How much a value must prove, by the name it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `password`, `passphrase`: chosen by people, so short and simple ones count.
    Password,
    /// `client_secret`, `credentials`: chosen or drawn by lot.
    Secret,
    /// `api_key`, `auth_token`: drawn by lot.
    Token,
    /// `key`, `foo_key`, `foo_token`: perhaps no secret at all.
    Loose,
}

/// How a name and a value are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// `name = "value"`: the value is marked off on both sides.
    Quoted,
    /// `name=value`, `name: value`.
    Bare,
    /// `the name for staging is value`, or a value further off.
    Prose,
}

/// Whether a value that was given to a name of this kind is a secret.
pub(super) fn is_secret(value: &str, kind: Kind, link: Link) -> bool {
    // Most values in running text are plain words.
    let is_plain_word = value.len() < 12 && value.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_plain_word && kind != Kind::Password
        || value.len() < 6
        || kind == Kind::Password && value.len() > 800
    {
        return false;
    }
    if is_placeholder(value) || is_reference(value) || is_digest(value) {
        return false;
    }
    match kind {
        Kind::Password => is_password(value, link),
        Kind::Secret => is_token(value) || (value.len() >= 9 && is_password(value, link)),
        Kind::Token => is_token(value) || is_uuid(value),
        Kind::Loose => is_loose_token(value),
    }
}

/// Whether a password found where only passwords are (a URL, a command line) is a real one.
pub(super) fn is_chosen_password(value: &str) -> bool {
    is_secret(value, Kind::Password, Link::Quoted)
}

/// Whether the part of a provider's token that varies was drawn by lot.
pub(super) fn is_random_after_prefix(value: &str) -> bool {
    if is_placeholder(value) {
        return false;
    }
    let tail_start = value.len().saturating_sub(20.max(value.len() * 2 / 3));
    let tail = value.get(tail_start..).unwrap_or(value);
    let letters = Letters::of(tail);
    let enough = if letters.length < 16 { 2.2 } else { 2.4 };
    letters.entropy >= enough
        && (letters.turns >= 2 || (letters.digits > 0 && letters.length >= 16) || letters.is_unreadable())
}

/// Base64 of `user:password`, where the password is a real one.
pub(super) fn is_encoded_user_and_password(value: &str) -> bool {
    let Some(decoded) = decode_base64(value).and_then(|bytes| String::from_utf8(bytes).ok()) else {
        return false;
    };
    match decoded.split_once(':') {
        Some((_, password)) => {
            decoded.bytes().all(|byte| (b' '..=b'~').contains(&byte))
                && !is_placeholder(password)
                && !examples::is_trivial_password(password)
                && password.len() >= 4
        }
        None => false,
    }
}

/// A web token that opens something: not a published sample, not a key that is public by design.
pub(super) fn is_private_web_token(value: &str) -> bool {
    if is_placeholder(value) {
        return false;
    }
    let payload = value.split('.').nth(1).and_then(decode_base64).unwrap_or_default();
    let payload = String::from_utf8_lossy(&payload);
    !examples::WEB_TOKEN_SAMPLES.iter().any(|sample| payload.contains(sample))
}

/// What people write where a secret would be.
pub(super) fn is_placeholder(value: &str) -> bool {
    let trimmed = value.trim_matches(|character: char| !character.is_alphanumeric());
    if trimmed.is_empty() || value.contains('…') || value.contains('•') {
        return true;
    }
    if examples::is_example(value) {
        return true;
    }
    if value.contains("...") || value.contains("***") || value.contains("[redacted") {
        return true;
    }
    let templates = [
        ("${", "}"),
        ("{{", "}}"),
        ("$(", ")"),
        ("#{", "}"),
        ("@{", "}"),
        ("%{", "}"),
        ("<%", "%>"),
        ("[[", "]]"),
    ];
    if templates.iter().any(|(open, close)| {
        value.find(open).and_then(|start| value.get(start..)).is_some_and(|rest| rest.contains(close))
    }) {
        return true;
    }
    if ["${", "{{", "<%", "<", "%("].iter().any(|open| value.starts_with(open))
        || (value.starts_with('%') && value.ends_with('%'))
    {
        return true;
    }
    if value.starts_with(['[', '{', '(']) && !Letters::of(value).is_drawn_by_lot() {
        return true;
    }
    letters::is_monotonous(value)
}

/// Whether a value names where the secret is, rather than being it.
pub(super) fn is_reference(value: &str) -> bool {
    if let Some(name) = value.strip_prefix('$') {
        let name = name.trim_end_matches(['"', '\'']);
        if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:.".contains(&byte))
        {
            return !name.bytes().any(|byte| byte.is_ascii_lowercase())
                || !name.bytes().any(|byte| byte.is_ascii_digit());
        }
    }
    let starts = ["./", "../", "~/", "/", "\\\\", "!vault", "!secret", "!ref", "!sub", "ENC[", "ENC("];
    if starts.iter().any(|start| value.starts_with(start))
        && !has_symbol_mix(value)
        && !is_base64_by_lot(value)
    {
        return true;
    }
    // An alias, an anchor, a mention.
    if let Some(name) = value.strip_prefix(['@', '&', '*'])
        && Letters::of(name).turns <= 1
    {
        return true;
    }
    let contains = [
        "://",
        "process.env",
        "os.environ",
        "getenv",
        "env.",
        "ENV[",
        "secrets.",
        "config.",
        "settings.",
        "vault:",
        "arn:",
        "ssm:",
        "keyring:",
        "keychain:",
        "projects/",
        "System.get",
    ];
    if contains.iter().any(|part| value.contains(part)) {
        return true;
    }
    let is_name = |part: &str| {
        part.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if ["/*", "*/", "*.", "%22"].iter().any(|part| value.contains(part))
        && !value.contains(['#', '!', '$', '@'])
    {
        return true;
    }
    // `PROTOCOL_MESSAGE_TYPE_2`, `UserCredentials_0`: a name in a program.
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let is_constant = digits * 5 <= value.len()
        && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && value.split('_').map(str::len).max() < Some(16);
    let is_joined_words = value.split('_').all(|part| {
        part.bytes().all(|byte| byte.is_ascii_digit())
            || part.bytes().all(|byte| byte.is_ascii_alphabetic()) && Letters::of(part).turns <= 2
    });
    if value.contains('_') && (is_constant || is_joined_words) {
        return true;
    }
    // A call, an index or a path through an object: code, not a value.
    if let Some((callee, _)) = value.split_once(['(', '['])
        && callee.split(['.', ':', '>', '-', '?', '!']).all(|part| part.is_empty() || is_name(part))
        && callee.bytes().filter(u8::is_ascii_alphabetic).count() >= 2
        && !Letters::of(callee).is_drawn_by_lot()
    {
        return true;
    }
    let parts: Vec<&str> = value.split(['.', ':']).filter(|part| !part.is_empty()).collect();
    parts.len() >= 2 && parts.iter().all(|part| is_name(part) && Letters::of(part).turns <= 2)
}

/// Whether a value is a checksum, a password's hash or an encrypted text: safe to show by its design.
pub(super) fn is_digest(value: &str) -> bool {
    let prefixes = [
        "sha1-",
        "sha256-",
        "sha384-",
        "sha512-",
        "sha1:",
        "sha256:",
        "sha384:",
        "sha512:",
        "md5:",
        "md5-",
        "h1:",
        "blake3:",
        "blake2",
        "$2a$",
        "$2b$",
        "$2y$",
        "$argon2",
        "$scrypt",
        "$pbkdf2",
        "$1$",
        "$5$",
        "$6$",
        "pbkdf2_",
        "pbkdf2:",
        "scrypt:",
        "argon2",
        "bcrypt",
        "{SHA}",
        "{SSHA}",
        "{SSHA512}",
        "{bcrypt}",
        "SHA256:",
        "MD5:",
        "ssh-rsa",
        "ssh-ed25519",
        "ecdsa-sha2",
        "age1",
        "data:",
        "$ANSIBLE_VAULT",
        "vault:v",
        "AgA",
        "SCRAM-SHA",
        "crc32",
        "etag",
        "W/\"",
    ];
    prefixes.iter().any(|prefix| value.starts_with(prefix)) || is_chain_address(value)
}

/// An address on a block chain, which is public.
fn is_chain_address(value: &str) -> bool {
    value.len() == 42
        && value
            .strip_prefix("0x")
            .is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

fn is_password(value: &str, link: Link) -> bool {
    let length = value.chars().count();
    if !(6..=200).contains(&length) || value.contains(char::is_whitespace) {
        return false;
    }
    if examples::is_trivial_password(value)
        || examples::is_technical_word(value)
        || is_uuid(value) && link == Link::Prose
    {
        return false;
    }
    let letters = Letters::of(value);
    if letters.letters() == 0 {
        return letters.digits >= 6 && letters.symbols > 0 && !looks_like_a_number(value)
            || letters.digits >= 6 && link == Link::Quoted && !looks_like_a_number(value);
    }
    if letters.digits == 0 && letters.symbols == 0 {
        return letters.is_drawn_by_lot() && length >= 8 || letters.is_passphrase(value);
    }
    if letters.symbols == 0 && letters.turns == 0 {
        // Words and numbers with separators between them: an identifier, a version, a date.
        return letters.is_passphrase(value) && letters.digits > 0 && link != Link::Prose;
    }
    if letters.symbols > 0 && letters.digits == 0 && letters.upper == 0 {
        // `optional!`, `what?`: punctuation, unless it is inside the word.
        let inner =
            value.trim_end_matches(['!', '?', '=', '~', '+', '*']).trim_start_matches(['*', '+', '~']);
        return length >= 8 && (link == Link::Quoted || Letters::of(inner).symbols > 0);
    }
    length >= 7 || letters.symbols > 0
}

fn is_token(value: &str) -> bool {
    if value.contains(char::is_whitespace) || is_uuid(value) || looks_like_a_number(value) {
        return false;
    }
    let letters = Letters::of(value);
    match letters.length {
        0..10 => false,
        10..16 => letters.digits > 0 && letters.letters() > 0 && letters.turns >= 4 && letters.entropy >= 2.9,
        _ => letters.is_drawn_by_lot(),
    }
}

fn is_loose_token(value: &str) -> bool {
    let letters = Letters::of(value);
    let allowed = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-~.".contains(&byte));
    let slashes = value.bytes().filter(|&byte| byte == b'/').count();
    allowed
        && slashes <= letters.length / 16
        && letters.length >= 20
        && letters.upper > 0
        && letters.lower > 0
        && letters.digits > 0
        && letters.entropy >= 3.6
        && letters.turns * 4 >= letters.length
}

fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(index, byte)| {
            if matches!(index, 8 | 13 | 18 | 23) { byte == b'-' } else { byte.is_ascii_hexdigit() }
        })
}

fn looks_like_a_number(value: &str) -> bool {
    let digits: Vec<u8> = value.bytes().filter(u8::is_ascii_digit).collect();
    value.bytes().all(|byte| byte.is_ascii_digit() || b".,:-+_/ TZ".contains(&byte))
        && (value.bytes().any(|byte| !byte.is_ascii_digit())
            || digits.len() < 6
            || letters::is_monotonous(value))
}

fn has_symbol_mix(value: &str) -> bool {
    let letters = Letters::of(value);
    letters.symbols >= 2 && letters.digits > 0 && letters.upper > 0
}

/// Random base64 may begin with a slash; a path has more of them, or a dot.
fn is_base64_by_lot(value: &str) -> bool {
    let slashes = value.bytes().filter(|byte| *byte == b'/').count();
    value.len() >= 20
        && slashes * 10 <= value.len()
        && !value.contains('.')
        && Letters::of(value).is_drawn_by_lot()
}

fn decode_base64(value: &str) -> Option<Vec<u8>> {
    let mut standard: String = value
        .trim_end_matches('=')
        .chars()
        .map(|character| match character {
            '-' => '+',
            '_' => '/',
            other => other,
        })
        .collect();
    while !standard.len().is_multiple_of(4) {
        standard.push('=');
    }
    base64::decode(&standard)
}
