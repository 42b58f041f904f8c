//! What a project holds, looked at once and within bounds.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use camino::{Utf8Path, Utf8PathBuf};

use crate::look::{Kind, Look};

/// The largest file that is read.
pub(super) const MAX_FILE: u64 = 1 << 20;
/// How deep directories are listed.
const MAX_DEPTH: usize = 16;

/// How much of a project is looked at before the rest counts as unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// How many entries of directories are listed.
    entries: usize,
    /// How many bytes are read to learn the project's words.
    bytes: u64,
}

impl Effort {
    /// For a caller that asks how fresh memories are.
    pub const FULL: Self = Self { entries: 50_000, bytes: 64 << 20 };
    /// For a caller that asks something else and should not wait: a few milliseconds.
    pub const QUICK: Self = Self { entries: 4_000, bytes: 2 << 20 };
}

/// Directories that tools fill: they hold no source.
const SKIPPED: [&str; 8] =
    ["node_modules", "target", "dist", "build", "vendor", "venv", "__pycache__", "coverage"];

/// Every path below a project's root.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Relative paths of files and directories.
    paths: Vec<String>,
    by_name: HashMap<String, Vec<usize>>,
    files: Vec<usize>,
    /// Whether everything was listed.
    pub(super) complete: bool,
}

impl Names {
    pub(super) fn of(root: &Utf8Path, look: &dyn Look, effort: Effort) -> Self {
        let mut names = Self { complete: true, ..Self::default() };
        let mut pending = vec![(Utf8PathBuf::new(), 0)];
        while let Some((below, depth)) = pending.pop() {
            let mut entries = look.list(&root.join(&below));
            entries.sort_by(|one, other| one.name.cmp(&other.name));
            for entry in entries {
                if names.paths.len() >= effort.entries {
                    names.complete = false;
                    return names;
                }
                let path = below.join(&entry.name);
                let position = names.paths.len();
                names.by_name.entry(entry.name.clone()).or_default().push(position);
                names.paths.push(path.to_string());
                match entry.kind {
                    Kind::Dir if SKIPPED.contains(&entry.name.as_str()) || hidden(&entry.name) => {}
                    Kind::Dir if depth < MAX_DEPTH => pending.push((path, depth + 1)),
                    Kind::Dir => names.complete = false,
                    Kind::File => names.files.push(position),
                    Kind::Link | Kind::Other => {}
                }
            }
        }
        names
    }

    /// A path that ends with this one at a component's border.
    pub(super) fn ending_with(&self, path: &str) -> Option<&str> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let found = self.by_name.get(name)?.iter().filter_map(|position| self.paths.get(*position));
        found.map(String::as_str).find(|found| {
            found.strip_suffix(path).is_some_and(|front| front.is_empty() || front.ends_with('/'))
        })
    }

    pub(super) fn holds_name(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter_map(|position| self.paths.get(*position)).map(String::as_str)
    }
}

fn hidden(name: &str) -> bool {
    name.starts_with('.') && name != ".github"
}

/// Every word of a project's text files, as hashes.
#[derive(Debug, Default)]
pub(super) struct Words {
    hashes: HashSet<u64>,
    /// Whether every file was read.
    pub(super) complete: bool,
}

impl Words {
    pub(super) fn of(root: &Utf8Path, names: &Names, look: &dyn Look, effort: Effort) -> Self {
        let mut words = Self { hashes: HashSet::new(), complete: names.complete };
        let mut bytes = 0;
        for file in names.files() {
            if bytes > effort.bytes {
                words.complete = false;
                break;
            }
            let Ok(content) = look.read(&root.join(file), MAX_FILE) else {
                words.complete = false;
                continue;
            };
            bytes += content.len() as u64;
            if content.iter().take(1024).any(|byte| *byte == 0) {
                continue;
            }
            words.hashes.extend(words_of(&content).map(hash));
        }
        words
    }

    pub(super) fn holds(&self, word: &str) -> bool {
        self.hashes.contains(&hash(word.as_bytes()))
    }
}

/// The words of a text: runs of letters, digits and underscores; whatever is not ASCII counts as a letter.
pub(super) fn words_of(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content
        .split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80))
        .filter(|word| !word.is_empty() && word.len() <= 256)
}

fn hash(word: &[u8]) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(word)
}
