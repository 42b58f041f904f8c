//! Names of directories that must never become a memory root.

use std::sync::LazyLock;

use camino::Utf8Path;

use crate::word_list::{WordList, word_list};

/// Whether a directory belongs to the operating system. Some accounts have their home in such a place: below
/// that home is theirs.
pub(super) fn is_system(path: &Utf8Path, home: Option<&Utf8Path>) -> bool {
    let lower = path.as_str().to_ascii_lowercase();
    // On macOS `/etc`, `/tmp` and `/var` are links into `/private`.
    let lower = lower
        .strip_prefix("/private")
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        .unwrap_or(&lower);
    let lower = Utf8Path::new(if lower.is_empty() { "/" } else { lower });
    if lower == "/" || ITSELF.iter().any(|place| lower == *place) {
        return true;
    }
    // Some systems have `/lib32`, `/lib64`, `/libx32`.
    let first = lower.components().nth(1).map(|component| component.as_str()).unwrap_or_default();
    if first.starts_with("lib")
        && (first == "lib" || first.bytes().any(|byte| byte.is_ascii_digit()) || first == "library")
    {
        return true;
    }
    if WITH_ALL_BELOW.iter().any(|place| lower.starts_with(place)) && !lower.starts_with(SHARED_MEMORY) {
        return true;
    }
    let is_own = home.is_some_and(|home| home.components().count() > 1 && path.starts_with(home));
    !is_own
        && UNLESS_HOME.iter().any(|place| lower.starts_with(place))
        && !OPEN_BELOW_VAR.iter().any(|place| lower.starts_with(place))
}

/// Whether it is where home directories are, of any user.
pub(super) fn is_some_home(path: &Utf8Path) -> bool {
    let parent = path.parent().map(|parent| parent.as_str().to_ascii_lowercase());
    matches!(parent.as_deref(), Some("/home" | "/users" | "/var/home"))
}

/// Whether it is, is in, or in this home contains a place where programs keep keys, tokens, passwords or cookies.
pub(super) fn holds_credentials(path: &Utf8Path, home: Option<&Utf8Path>) -> bool {
    let lower = format!("{}/", path.as_str().to_ascii_lowercase());
    let lies_in = |place: &&str| {
        lower.match_indices(*place).any(|(start, _)| lower.as_bytes().get(start + place.len()) == Some(&b'/'))
    };
    let below_home =
        home.and_then(|home| path.strip_prefix(home).ok()).map(|rest| rest.as_str().to_ascii_lowercase());
    let contains = |place: &&str| {
        below_home
            .as_deref()
            .is_some_and(|below| Utf8Path::new(place.trim_start_matches('/')).starts_with(below))
    };
    CREDENTIALS.iter().any(|place| lies_in(place) || contains(place))
}

/// Whether files there are run, or read by a shell, an editor or an agent when it starts.
pub(super) fn runs_by_itself(path: &Utf8Path, home: Option<&Utf8Path>) -> bool {
    let lower = format!("{}/", path.as_str().to_ascii_lowercase());
    let lies_in = |place: &&str| {
        lower.match_indices(*place).any(|(start, _)| lower.as_bytes().get(start + place.len()) == Some(&b'/'))
    };
    let below_home = home.and_then(|home| path.strip_prefix(home).ok());
    let first = below_home.and_then(|rest| rest.components().next()).map(|first| first.as_str());
    RUN_OR_READ.iter().any(lies_in) || first.is_some_and(|first| first == "bin" || first == "sbin")
}

/// Whether a file there would be taken by the client as an order: an agent, a command, a hook, a rule.
pub(super) fn steers_the_client(path: &Utf8Path, config_dir: &Utf8Path) -> bool {
    if path == config_dir.join("projects") {
        return true;
    }
    STEERING.iter().any(|name| path.starts_with(config_dir.join(name)))
        || has_pair(path, ".claude", STEERING)
        || path.file_name() == Some(".claude")
        || path.components().any(|component| component.as_str().eq_ignore_ascii_case(".git"))
}

fn has_pair(path: &Utf8Path, first: &str, seconds: &[&str]) -> bool {
    let names: Vec<_> = path.components().map(|component| component.as_str()).collect();
    names.windows(2).any(|pair| matches!(pair, [a, b] if *a == first && seconds.contains(b)))
}

/// Shared or collective directories: not themselves, but anything below.
static ITSELF: WordList = LazyLock::new(|| word_list(include_str!("places/system_itself.txt")));

/// The system's own, all the way down.
static WITH_ALL_BELOW: WordList =
    LazyLock::new(|| word_list(include_str!("places/system_with_all_below.txt")));

/// The system's own, but for the homes of some accounts.
const UNLESS_HOME: &[&str] = &["/root", "/var", "/run", SHARED_MEMORY];

/// A file system in memory that every user may write to: some sandboxes and tests have their home there.
const SHARED_MEMORY: &str = "/dev/shm";

/// Where temporary directories and, on some systems, homes are.
const OPEN_BELOW_VAR: &[&str] = &["/var/tmp", "/var/folders", "/var/home"];

/// Each begins at the start of a component and ends at the end of one. Lower case.
static CREDENTIALS: WordList = LazyLock::new(|| word_list(include_str!("places/credentials.txt")));

/// Directories whose files are run or read without anybody asking for it. Lower case.
static RUN_OR_READ: WordList = LazyLock::new(|| word_list(include_str!("places/run_or_read.txt")));

/// Below the client's configuration directory.
const STEERING: &[&str] = &[
    "CLAUDE.md",
    ".credentials.json",
    "agents",
    "commands",
    "hooks",
    "output-styles",
    "plugins",
    "rules",
    "settings.json",
    "settings.local.json",
    "skills",
    "workflows",
];
