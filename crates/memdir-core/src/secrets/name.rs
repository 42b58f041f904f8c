//! What a name says about the value beside it.

use super::judge::Kind;

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
const SECRET_KEYS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "encryption",
    "signing",
    "master",
    "account",
    "shared",
    "subscription",
    "service",
    "role",
    "app",
    "application",
    "admin",
    "deploy",
    "license",
    "licence",
    "host",
    "server",
    "sdk",
    "write",
    "read",
    "ingest",
    "ingestion",
    "insert",
    "user",
    "webhook",
    "session",
    "cookie",
    "jwt",
    "hmac",
    "aes",
    "rsa",
    "ssh",
    "gpg",
    "root",
    "wireguard",
    "preshared",
    "data",
    "storage",
    "functions",
    "function",
    "integration",
    "team",
    "org",
    "project",
    "personal",
    "developer",
    "dev",
    "prod",
    "staging",
    "live",
    "bot",
    "sign",
    "verification",
    "recovery",
    "unseal",
    "transit",
    "kms",
    "fernet",
    "django",
    "flask",
    "rails",
    "laravel",
    "openai",
    "anthropic",
    "stripe",
    "sendgrid",
    "twilio",
    "datadog",
    "cloudflare",
    "aws",
    "gcp",
    "azure",
    "github",
    "gitlab",
    "google",
    "slack",
    "heroku",
    "algolia",
    "mailgun",
    "newrelic",
    "sentry",
    "grafana",
    "linear",
    "notion",
    "supabase",
    "firebase",
    "mistral",
    "cohere",
    "deepl",
    "gemini",
    "pinecone",
    "replicate",
    "groq",
    "xai",
    "elastic",
    "honeycomb",
    "decryption",
    "crypto",
    "security",
    "client",
    "consumer",
    "ws",
    "rest",
    "maps",
    "management",
    "x",
    "rapidapi",
];

/// Keys that name, sort, lock or verify, but open nothing.
const NO_SECRET_KEYS: &[&str] = &[
    "public",
    "publishable",
    "pub",
    "cache",
    "primary",
    "foreign",
    "sort",
    "partition",
    "idempotency",
    "routing",
    "row",
    "object",
    "dedup",
    "deduplication",
    "group",
    "map",
    "registry",
    "hash",
    "range",
    "composite",
    "natural",
    "surrogate",
    "lookup",
    "index",
    "unique",
    "candidate",
    "shard",
    "hot",
    "short",
    "shortcut",
    "arrow",
    "function",
    "any",
    "press",
    "site",
    "translation",
    "i18n",
    "message",
    "event",
    "query",
    "react",
    "json",
    "yaml",
    "dictionary",
    "config",
    "setting",
    "property",
    "storage_key",
    "s3",
    "bucket",
    "file",
    "image",
    "color",
    "issue",
    "project_key",
    "jira",
    "commit",
    "trace",
    "job",
    "task",
    "queue",
    "topic",
    "metric",
    "label",
    "tag",
    "answer",
    "mon",
    "tur",
    "mac",
    "don",
    "jo",
    "hoc",
    "whis",
    "whiskey",
    "ssh-ed25519",
    "host_public",
    "verify",
    "verifying",
    "measurement",
    "checksum",
    "fingerprint",
    "artifact",
    "build",
    "state",
    "store",
    "kv",
    "etcd",
    "redis",
    "memcache",
    "session_key",
    "header",
    "meta",
    "i",
    "the",
    "escape",
    "enter",
    "tab",
    "space",
    "shift",
    "control",
    "command",
    "meta",
    "hotkey",
];

/// Tokens that count, page or parse, but open nothing.
const NO_SECRET_TOKENS: &[&str] = &[
    "page",
    "next",
    "nextpage",
    "continuation",
    "cursor",
    "cancellation",
    "stop",
    "start",
    "eos",
    "bos",
    "pad",
    "mask",
    "special",
    "csrf",
    "xsrf",
    "sync",
    "design",
    "color",
    "max",
    "min",
    "input",
    "output",
    "prompt",
    "completion",
    "lexer",
    "parser",
    "syntax",
    "first",
    "last",
    "unknown",
    "resume",
    "change",
    "public",
    "client_public",
    "erc20",
    "idempotency",
    "request",
    "search",
    "query",
    "word",
    "sub",
    "end",
    "begin",
    "separator",
    "fencing",
    "lock",
    "invalidation",
    "abort",
    "cancel",
    "etag",
    "version",
    "delta",
];
