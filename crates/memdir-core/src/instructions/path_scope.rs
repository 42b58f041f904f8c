//! The `paths` of a rule: for which files it is meant.

use serde::Deserialize;

use super::braces::{self, Budget};
use super::glob::{self, Component, Dialect};
use crate::memory::{bounded_yaml, js_text};

/// The files that a rule with `paths` is withheld for until one of them is read.
///
/// The patterns work like lines of an ignore file: one without an inner slash matches at any depth, a directory
/// means all below it, case does not count, and a later `!` excludes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathScope {
    patterns: Vec<Pattern>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    negated: bool,
    directories_only: bool,
    components: Vec<Component>,
}

/// From how many patterns on a person is told: every file that is read is held against all of them.
const MANY_PATTERNS: usize = 1000;

/// What the frontmatter of a rule says about its scope.
#[derive(Debug, Default)]
pub(super) struct Scoped {
    /// `None`: the rule always counts.
    pub scope: Option<PathScope>,
    /// What a person should know about the value.
    pub problem: Option<&'static str>,
}

/// Reads the scope out of a frontmatter block, the fences not included.
///
/// What is neither text nor a list says nothing, and nothing but `**` means every file: both leave the rule in
/// force for all. Broken YAML is tried once more with its plain values quoted, which is how a bare `*.ts` works.
pub(super) fn scope_of(frontmatter: &str) -> Scoped {
    if memchr::memmem::find(frontmatter.as_bytes(), b"paths").is_none() {
        return Scoped::default();
    }
    let value = match parse(frontmatter).or_else(|| parse(&with_quoted_values(frontmatter))) {
        Some(header) => header.paths,
        None => {
            return Scoped {
                scope: None,
                problem: Some("frontmatter that is not YAML: its `paths` do not count"),
            };
        }
    };
    let mut written = Vec::new();
    if let Some(value) = value {
        value.collect(&mut written);
    }
    let mut budget = Budget::default();
    let mut problem = None;
    let mut patterns = Vec::new();
    for pattern in &written {
        match braces::expand(pattern, &mut budget, braces::simple_group) {
            Ok(expanded) => patterns.extend(expanded),
            Err(braces::TooMany) => {
                problem =
                    Some("braces in `paths` that expand to too many patterns: used as they are written");
                patterns.push(pattern.clone());
            }
        }
    }
    if problem.is_none() && patterns.len() > MANY_PATTERNS {
        problem = Some("`paths` that expand to more than 1,000 patterns: every one is tried for every file");
    }
    let patterns: Vec<&str> = patterns
        .iter()
        .map(|pattern| pattern.strip_suffix("/**").unwrap_or(pattern))
        .filter(|pattern| !pattern.is_empty())
        .collect();
    if patterns.iter().all(|pattern| *pattern == "**") {
        return Scoped { scope: None, problem };
    }
    let patterns = patterns.into_iter().filter_map(Pattern::parse).collect();
    Scoped { scope: Some(PathScope { patterns }), problem }
}

impl PathScope {
    /// The scope of one pattern; `None` if it says nothing.
    #[must_use]
    pub fn of_pattern(pattern: &str) -> Option<Self> {
        let pattern = pattern.strip_suffix("/**").unwrap_or(pattern);
        Pattern::parse(pattern).map(|pattern| Self { patterns: vec![pattern] })
    }

    /// Whether a file is meant, by its path below the directory that the rule belongs to.
    #[must_use]
    pub fn contains(&self, relative: &str) -> bool {
        let components: Vec<&str> = relative.split('/').collect();
        (1..=components.len()).any(|length| {
            let is_directory = length < components.len();
            self.selects(components.get(..length).unwrap_or_default(), is_directory)
        })
    }

    fn selects(&self, path: &[&str], is_directory: bool) -> bool {
        self.patterns.iter().fold(false, |selected, pattern| {
            if selected == pattern.negated && pattern.matches(path, is_directory) {
                !pattern.negated
            } else {
                selected
            }
        })
    }
}

impl Pattern {
    fn parse(text: &str) -> Option<Self> {
        if text.starts_with('#') {
            return None;
        }
        let (negated, text) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
        let (directories_only, text) = text.strip_suffix('/').map_or((false, text), |rest| (true, rest));
        if text.is_empty() {
            return None;
        }
        let mut components = Vec::new();
        if !text.contains('/') {
            components.push(Component::AnyDepth);
        }
        let anchored = text.strip_prefix('/').unwrap_or(text);
        components.extend(anchored.split('/').map(|component| Component::parse(component, Dialect::Ignore)));
        Some(Self { negated, directories_only, components })
    }

    fn matches(&self, path: &[&str], is_directory: bool) -> bool {
        (is_directory || !self.directories_only) && glob::matches(&self.components, path, Dialect::Ignore)
    }
}

#[derive(Deserialize)]
struct Header {
    #[serde(default)]
    paths: Option<Value>,
}

/// A value of YAML as far as `paths` is concerned.
#[derive(Deserialize)]
#[serde(untagged)]
enum Value {
    Text(String),
    List(Vec<Value>),
    Other(serde::de::IgnoredAny),
}

impl Value {
    fn collect(self, patterns: &mut Vec<String>) {
        match self {
            Self::Text(text) => patterns.extend(split_at_commas(&text)),
            Self::List(items) => items.into_iter().for_each(|item| item.collect(patterns)),
            Self::Other(_) => {}
        }
    }
}

/// The parts of a text between commas that are outside braces, trimmed, the empty ones left out.
fn split_at_commas(text: &str) -> Vec<String> {
    let mut depth = 0usize;
    let parts = text.split(|character| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    });
    parts.map(js_text::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn parse(yaml: &str) -> Option<Header> {
    if js_text::trim(yaml).is_empty() {
        return Some(Header { paths: None });
    }
    bounded_yaml(yaml)
}

/// The block with every plain value of a `key: value` line in quotes that holds a character of YAML's own, and
/// with blanks where tabs indent.
fn with_quoted_values(yaml: &str) -> String {
    let mut quoted = String::with_capacity(yaml.len() + 16);
    for line in yaml.split_inclusive('\n') {
        match quoted_line(line) {
            Some(line) => quoted.push_str(&line),
            None => {
                let text = line.trim_start_matches(['\t', ' ']);
                let indent = line.get(..line.len() - text.len()).unwrap_or_default();
                quoted.extend(indent.chars().map(|_| ' '));
                quoted.push_str(text);
            }
        }
    }
    quoted
}

fn quoted_line(line: &str) -> Option<String> {
    let (key, value) = line.split_once(':')?;
    let is_key = !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let trimmed = value.trim();
    let special = trimmed.contains(['{', '}', '[', ']', '*', '&', '#', '!', '|', '>', '%', '@', '`'])
        || trimmed.contains(": ");
    let plain = !trimmed.starts_with(['"', '\'']);
    (is_key && special && plain && value.starts_with([' ', '\t'])).then(|| {
        let escaped = trimmed.replace('\\', "\\\\").replace('"', "\\\"");
        format!("{key}: \"{escaped}\"\n")
    })
}

#[cfg(test)]
mod tests;
