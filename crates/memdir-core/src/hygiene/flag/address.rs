//! Addresses and paths inside a folded text.

use std::sync::LazyLock;

use super::concept::*;
use crate::word_list::{WordList, word_list};

/// Letters of an address that are looked at.
const LONGEST: usize = 400;

/// Hosts from which ordinary notes quote addresses, and to which ordinary work sends things.
static KNOWN_HOSTS: WordList = LazyLock::new(|| word_list(include_str!("words/known_hosts.txt")));
const LOCAL_ENDINGS: &[&str] =
    &[".internal", ".local", ".localhost", ".lan", ".corp", ".intranet", ".home", ".svc", ".localdomain"];
/// Parts of paths at which credentials lie.
static SECRET_PATHS: WordList = LazyLock::new(|| word_list(include_str!("words/secret_paths.txt")));
/// Endings of such paths that hold nothing secret.
const HARMLESS_ENDINGS: &[&str] =
    &[".pub", ".ssh/config", ".aws/config", "known_hosts", ".example", ".sample", ".template"];
const SCRIPT_ENDINGS: &[&str] =
    &[".sh", ".py", ".ps1", ".bat", ".exe", ".js", ".pl", ".rb", ".bin", ".cmd", ".mjs", ".vbs"];
/// Top-level domains that count without a scheme before them; endings of file names are left out.
const DOMAINS: &[&str] = &[
    "com", "net", "org", "io", "example", "invalid", "xyz", "ru", "cn", "site", "top", "info", "online",
    "ly", "gg", "cc", "tk", "biz", "test", "club", "live", "evil",
];

/// Whether an address, a path or an image can begin with this.
pub(super) fn could_begin_address(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '~' | '/' | '.' | '$' | '!')
}

/// The length and meaning of the address or path at the start of a folded text.
pub(super) fn address_at(rest: &str) -> Option<(usize, u128)> {
    if rest.starts_with('!') {
        return image_at(rest);
    }
    let end = rest
        .char_indices()
        .take(LONGEST)
        .find(|(_, c)| {
            c.is_whitespace()
                || matches!(c, '`' | '"' | '\'' | ')' | ',' | ';' | '|' | '，' | '。' | '、' | '」' | '”')
        })
        .map_or_else(
            || rest.char_indices().nth(LONGEST).map_or(rest.len(), |(index, _)| index),
            |(index, _)| index,
        );
    let chunk = rest.get(..end)?.trim_end_matches(['.', ':', '!', '?']);
    meaning_of(chunk).map(|meaning| (chunk.len(), meaning))
}

fn meaning_of(chunk: &str) -> Option<u128> {
    if let Some((scheme, address)) = chunk.split_once("://") {
        let is_scheme =
            scheme.len() <= 12 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+');
        return is_scheme.then(|| url_meaning(address));
    }
    if !chunk.contains(['.', '/', '@', '_']) {
        return None;
    }
    let could_be_secret = chunk.starts_with(['.', '/', '~'])
        || ["/.", "id_", "credentials", "service", "wallet", "cookies", ".ssh", ".aws"]
            .iter()
            .any(|part| chunk.contains(part));
    if could_be_secret
        && SECRET_PATHS.iter().any(|part| chunk.contains(part))
        && !HARMLESS_ENDINGS.iter().any(|end| chunk.ends_with(end))
    {
        return Some(SECRET_PATH);
    }
    if matches!(chunk.rsplit('/').next(), Some(".env" | ".env.local" | ".envrc")) {
        return Some(SECRET);
    }
    if let Some((name, host)) = chunk.split_once('@') {
        let is_mail = !name.is_empty() && host.contains('.') && !host.contains('/');
        return is_mail.then(|| if is_odd_host(host) { EMAIL | ODD_URL } else { EMAIL });
    }
    let host = chunk.split(['/', '?', ':']).next().unwrap_or_default();
    let is_address = host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok());
    let is_host =
        host.rsplit_once('.').is_some_and(|(name, domain)| !name.is_empty() && DOMAINS.contains(&domain));
    (is_address || is_host).then(|| url_meaning(chunk))
}

fn url_meaning(address: &str) -> u128 {
    let is_known = is_known_host(address);
    let mut meaning = if is_known { KNOWN_URL } else { URL };
    if is_odd_host(address) {
        meaning |= ODD_URL;
    }
    let path = address.split(['?', '#']).next().unwrap_or_default();
    if !is_known && SCRIPT_ENDINGS.iter().any(|ending| path.ends_with(ending)) {
        meaning |= SCRIPT_URL;
    }
    let query = address.split_once('?').map_or("", |(_, query)| query);
    if query.contains(['<', '{', '$', '['])
        || query.ends_with('=')
        || query.contains("…")
        || query.contains("...")
    {
        meaning |= PLACEHOLDER;
    }
    meaning
}

/// Whether an address, given without its scheme, lies on a well-known or internal host.
pub(super) fn is_known_host(address: &str) -> bool {
    let host = address.split(['/', '?', '#', ':', ' ', '`', '"', '\'', ')']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    KNOWN_HOSTS
        .iter()
        .any(|known| host.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
        || LOCAL_ENDINGS.iter().any(|ending| host.ends_with(ending))
        || host == "localhost"
        || host.starts_with("127.")
        || host.starts_with("10.")
        || host.starts_with("192.168.")
        || !host.contains('.')
}

/// Whether no ordinary note would name this host: a bare public address, a name that can never exist, a place for
/// one-off drops and tunnels.
fn is_odd_host(address: &str) -> bool {
    const ENDINGS: &[&str] = &[
        ".invalid",
        ".ngrok.io",
        ".ngrok.app",
        ".ngrok-free.app",
        ".trycloudflare.com",
        "webhook.site",
        ".pipedream.net",
        "requestbin.com",
        "interact.sh",
        ".oast.fun",
        ".oast.pro",
        ".burpcollaborator.net",
        "pastebin.com",
        "transfer.sh",
        "0x0.st",
        "file.io",
        "bit.ly",
        "tinyurl.com",
        ".onion",
        ".xyz",
        ".top",
        ".tk",
        ".zip",
        ".click",
        ".evil",
        "beeceptor.com",
        ".serveo.net",
        ".localtunnel.me",
        "canarytokens.com",
        "ix.io",
        "termbin.com",
        "api.telegram.org",
    ];
    let host = address.split(['/', '?', '#', ':']).next().unwrap_or_default();
    let is_number = host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok());
    (is_number && !is_known_host(address))
        || ENDINGS.iter().any(|ending| host.ends_with(ending))
        || host.contains("xn--")
}

/// A Markdown image with an address; its text is skipped, its address is not.
fn image_at(rest: &str) -> Option<(usize, u128)> {
    let label = rest.strip_prefix("![")?;
    let end = label.char_indices().take(LONGEST).find(|(_, c)| *c == ']')?.0;
    let target = label.get(end..)?.strip_prefix("](")?;
    target.starts_with("http").then_some((2 + end + 2, IMAGE))
}
