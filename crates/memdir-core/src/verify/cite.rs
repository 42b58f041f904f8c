//! Finding in a memory's text what can be looked up.

use std::collections::HashSet;

use super::{Citation, Cited};
use crate::memory::code_fence::CodeFence;
use crate::memory::links::links;

/// How many different things of one memory are looked up; what is behind them is not.
pub const MAX_CITATIONS: usize = 256;
/// Longer words are not names.
const MAX_WORD: usize = 256;

/// What a text refers to, in order, each once. What is in fenced code is an example, not a claim.
#[must_use]
pub fn citations(text: &str) -> Vec<Citation> {
    let mut found = Vec::new();
    let mut fence = CodeFence::default();
    for (at, line) in text.lines().enumerate() {
        if !fence.is_code(line) {
            in_line(line, at + 1, &mut found);
        }
        if found.len() > MAX_CITATIONS * 4 {
            break;
        }
    }
    let mut line = 1;
    let mut counted = 0;
    for link in links(text) {
        let before = text.as_bytes().get(counted..link.range.start).unwrap_or_default();
        line += memchr::memchr_iter(b'\n', before).count();
        counted = link.range.start;
        found.push(Citation { cited: Cited::Link(link.target), line });
    }
    found.sort_by_key(|citation| citation.line);
    let mut seen = HashSet::new();
    found.retain(|citation| seen.insert(citation.cited.clone()));
    found.truncate(MAX_CITATIONS);
    found
}

fn in_line(line: &str, number: usize, found: &mut Vec<Citation>) {
    let mut push = |cited| found.push(Citation { cited, line: number });
    for (at, piece) in line.split('`').enumerate() {
        if at % 2 == 1 {
            // An unclosed span is prose.
            let span = piece.trim();
            if let Some(cited) = of_span(span) {
                push(cited);
            }
            continue;
        }
        for word in piece.split(|c: char| {
            c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '"' | '\'' | '<' | '>' | ',')
        }) {
            let word = word.trim_matches(['.', ';', ':', '!', '?', '*']);
            if word.contains('/')
                && let Some(path @ Cited::Path { certain: true, .. }) = path_of(word)
            {
                push(path);
            }
        }
    }
}

/// What is between backticks.
fn of_span(span: &str) -> Option<Cited> {
    if span.is_empty() || span.len() > MAX_WORD {
        return None;
    }
    if span.contains(char::is_whitespace) {
        return command_of(span);
    }
    path_of(span).or_else(|| symbol_of(span))
}

/// A command that the project itself defines: a script, a target, a file that is run.
fn command_of(span: &str) -> Option<Cited> {
    let mut words = span.split_whitespace();
    let first = words.next()?;
    let second = words.next()?;
    let known = match first {
        "npm" | "pnpm" | "yarn" | "bun" => second == "run" && words.next().is_some_and(is_target),
        "make" | "just" => is_target(second),
        _ => first.starts_with("./") && path_of(first).is_some(),
    };
    known.then(|| Cited::Command(span.to_owned()))
}

fn is_target(word: &str) -> bool {
    let first = word.chars().next();
    first.is_some_and(char::is_alphanumeric)
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
}

/// A path, with or without a line behind it.
fn path_of(word: &str) -> Option<Cited> {
    if word.len() > MAX_WORD || word.contains("://") || word.contains("..") {
        return None;
    }
    let (path, line) = split_line(word);
    let directory = path.ends_with('/');
    let path = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
    let sound = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '@');
    if path.is_empty() || !path.chars().all(sound) || path.starts_with(['-', '@', '~']) || path.contains("//")
    {
        return None;
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let known = has_known_ending(name);
    if !path.contains('/') && !known && !directory {
        return None;
    }
    Some(Cited::Path { path: path.to_owned(), line, certain: known || line.is_some() })
}

/// Takes `:12`, `:12:5`, `:12-20` or `#L12` off the end.
fn split_line(word: &str) -> (&str, Option<usize>) {
    let Some(at) = word.find(":").or_else(|| word.find("#L")) else { return (word, None) };
    let (path, rest) = word.split_at(at);
    let rest = rest.trim_start_matches([':', '#', 'L']);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let behind = rest.get(digits..).unwrap_or_default();
    let sound = behind.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '-' | 'L' | ','));
    match rest.get(..digits).and_then(|number| number.parse().ok()) {
        Some(line) if sound && line > 0 => (path, Some(line)),
        _ => (word, None),
    }
}

fn has_known_ending(name: &str) -> bool {
    if NAMES.contains(&name) {
        return true;
    }
    if PRODUCTS.contains(&name.to_ascii_lowercase().as_str()) {
        return false;
    }
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && ENDINGS.contains(&ending.to_ascii_lowercase().as_str())
    })
}

/// A name that can only be one in code; a plain word is a word.
fn symbol_of(span: &str) -> Option<Cited> {
    let called = span.strip_suffix("()").unwrap_or(span);
    let name = called.strip_suffix('!').unwrap_or(called);
    let plain = name.replace("::", ".");
    let mut parts = plain.split('.');
    let sound = |part: &str| {
        let first = part.chars().next();
        first.is_some_and(|c| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    if plain.len() < 3 || !parts.all(sound) {
        return None;
    }
    let camel = name
        .chars()
        .zip(name.chars().skip(1))
        .any(|(left, right)| left.is_lowercase() && right.is_uppercase());
    let snake = name.trim_matches('_').contains('_');
    let coded = camel || snake || called.len() != span.len() || name.contains("::");
    coded.then(|| Cited::Symbol(span.to_owned()))
}

/// Endings that make a word the name of a file.
const ENDINGS: [&str; 62] = [
    "rs", "py", "ts", "tsx", "js", "jsx", "mjs", "cjs", "go", "java", "kt", "kts", "c", "h", "cc", "cpp",
    "hpp", "cs", "rb", "php", "swift", "scala", "sh", "bash", "zsh", "fish", "ps1", "toml", "yaml", "yml",
    "json", "jsonc", "md", "mdx", "txt", "lock", "sql", "html", "css", "scss", "ini", "cfg", "conf", "proto",
    "gradle", "xml", "vue", "svelte", "ex", "exs", "erl", "zig", "lua", "nix", "tf", "ipynb", "rst", "env",
    "csv", "graphql", "dart", "hs",
];
/// Files without an ending.
const NAMES: [&str; 7] =
    ["Makefile", "Dockerfile", "Justfile", "justfile", "Gemfile", "Rakefile", "Procfile"];
/// Names of things that look like files.
const PRODUCTS: [&str; 8] =
    ["node.js", "next.js", "vue.js", "nuxt.js", "three.js", "express.js", "d3.js", "react.js"];
