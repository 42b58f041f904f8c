use super::{Index, LOOKUP};
use crate::journal::relevance::EMPTY_WORDS;
use crate::journal::row::{Category, Row};

/// A line of the quick look-up: `- Auth decisions → decisions/*auth*.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookupLine {
    /// What one looks for.
    pub label: String,
    /// Where it is: a path below the journal, perhaps with a pattern.
    pub target: String,
}

/// How many topics of one kind are listed.
const MOST_TOPICS: usize = 4;
/// Words of file names that do not name a topic.
const NO_TOPIC: [&str; 14] = [
    "src",
    "lib",
    "app",
    "main",
    "mod",
    "index",
    "test",
    "tests",
    "decision",
    "decisions",
    "analysis",
    "file",
    "files",
    "crates",
];
/// The kinds of records with topics, by folder, and their plural.
const KINDS: [(Category, &str); 2] = [(Category::Decision, "decisions"), (Category::Analysis, "analyses")];

impl LookupLine {
    fn new(label: impl Into<String>, target: impl Into<String>) -> Self {
        Self { label: label.into(), target: target.into() }
    }

    /// Reads a line; an arrow may be `->`.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("- ")?;
        let (label, target) = rest.rsplit_once('→').or_else(|| rest.rsplit_once("->"))?;
        Some(Self::new(label.trim(), target.trim()))
    }

    /// The line.
    #[must_use]
    pub fn line(&self) -> String {
        format!("- {} → {}", self.label, self.target)
    }

    /// Whether the line follows from the records, so that it may be replaced.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        let is_of = |(category, plural): &(Category, &str)| {
            let word = self.target.strip_prefix(category.folder()).and_then(|rest| rest.strip_prefix("/*"));
            let word = word.and_then(|rest| rest.strip_suffix("*.md"));
            *self == everything(category, plural)
                || word.is_some_and(|word| *self == topic(category, plural, word))
        };
        fixed_lookups().contains(self) || KINDS.iter().any(is_of)
    }

    /// Whether the target is one file of the journal rather than a folder or a pattern.
    #[must_use]
    pub fn names_a_record(&self) -> bool {
        let path = &self.target;
        !path.contains('*') && path.ends_with(".md") && Category::of_path(path).is_some()
    }

    /// Whether it is a line of older versions, which had one for each record, with its title.
    #[must_use]
    pub fn is_titled(&self, title: &str) -> bool {
        self.label == crate::journal::text::one_line(title, 100).replace('→', "->")
    }

    /// Whether the target leads to one of the files.
    #[must_use]
    pub fn finds(&self, files: &[&str]) -> bool {
        let target = self.target.as_str();
        match target.strip_suffix('/') {
            Some(_) => true,
            None => files.iter().any(|file| matches_pattern(target, file)),
        }
    }
}

/// Whether a pattern with `*` for any characters matches a path.
fn matches_pattern(pattern: &str, path: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(before) = last.replace(part) {
            let Some(at) = rest.find(before) else { return false };
            rest = rest.get(at + before.len()..).unwrap_or_default();
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

/// Our lines for a set of rows: topics that several records share, all of a kind, and the places that every index has.
#[must_use]
pub fn lookups_for(rows: &[Row]) -> Vec<LookupLine> {
    let mut lines = Vec::new();
    for (category, plural) in &KINDS {
        let files = rows.iter().filter(|row| row.category == *category).map(|row| row.file.as_str());
        let stems: Vec<&str> = files.filter_map(|file| stem(category, file)).collect();
        if stems.is_empty() {
            continue;
        }
        lines.extend(topic_words(&stems).iter().map(|word| topic(category, plural, word)));
        lines.push(everything(category, plural));
    }
    lines.extend(fixed_lookups());
    lines
}

fn topic(category: &Category, plural: &str, word: &str) -> LookupLine {
    let mut letters = word.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let label = format!("{first}{} {plural}", letters.as_str());
    LookupLine::new(label, format!("{}/*{word}*.md", category.folder()))
}

fn everything(category: &Category, plural: &str) -> LookupLine {
    LookupLine::new(format!("All {plural}"), format!("{}/", category.folder()))
}

fn fixed_lookups() -> [LookupLine; 3] {
    [
        LookupLine::new("Current task", "context/current-task.md"),
        LookupLine::new("Blockers", "context/blockers.md"),
        LookupLine::new("Sub-agent outputs", "subagent/"),
    ]
}

/// The name of a file without folder, date, number and ending.
fn stem<'a>(category: &Category, file: &'a str) -> Option<&'a str> {
    let name = file.strip_prefix(category.folder())?.strip_prefix('/')?.strip_suffix(".md")?;
    Some(match category {
        Category::Decision => name.splitn(3, '_').nth(2).unwrap_or(name),
        _ => name,
    })
}

/// The words that at least two names share, those that cover most names first.
fn topic_words<'a>(stems: &[&'a str]) -> Vec<&'a str> {
    let is_topic = |word: &&str| {
        let lower = word.to_lowercase();
        word.len() >= 3
            && !word.bytes().all(|byte| byte.is_ascii_digit())
            && !EMPTY_WORDS.contains(&lower.as_str())
            && !NO_TOPIC.contains(&lower.as_str())
    };
    let split =
        |stem: &&'a str| stem.split(|c: char| !c.is_alphanumeric()).filter(is_topic).collect::<Vec<_>>();
    let mut words: Vec<&str> = stems.iter().flat_map(split).collect();
    words.sort_unstable();
    words.dedup();
    let mut uncovered: Vec<&str> = stems.to_vec();
    let mut topics = Vec::new();
    while topics.len() < MOST_TOPICS {
        let count = |word: &str| uncovered.iter().filter(|stem| stem.contains(word)).count();
        // Of equally frequent words the longest says most, then the first in the alphabet.
        let best = words.iter().max_by_key(|word| (count(word), word.len(), std::cmp::Reverse(**word)));
        let Some(best) = best.copied().filter(|word| count(word) >= 2) else { break };
        uncovered.retain(|stem| !stem.contains(best));
        topics.push(best);
    }
    topics
}

impl Index {
    /// The lines of the quick look-up as they are, empty ones and the closing note left out.
    #[must_use]
    pub fn lookup_lines(&self) -> Vec<String> {
        let Some(section) = self.document.section(LOOKUP) else { return Vec::new() };
        let lines = section.map(|at| self.document.line(at).to_owned());
        lines.filter(|line| !line.trim().is_empty() && line != super::NOTE).collect()
    }

    /// Makes our lines of the look-up anew, and keeps the user's own. A line that `is_stale` says leads nowhere goes.
    pub fn refresh_lookups(&mut self, is_stale: impl Fn(&LookupLine) -> bool) {
        let Some(section) = self.document.section(LOOKUP) else { return };
        let start = section.start;
        let mut targets: Vec<String> = Vec::new();
        for at in section.rev() {
            let Some(line) = LookupLine::parse(self.document.line(at)) else { continue };
            if line.is_ours() || is_stale(&line) {
                self.document.remove(at);
            } else {
                targets.push(line.target);
            }
        }
        let ours = lookups_for(&self.rows()).into_iter();
        let ours = ours.filter(|line| !targets.contains(&line.target) && !is_stale(line));
        for (number, line) in ours.enumerate() {
            self.document.insert(start + number, line.line());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(category: Category, file: &str) -> Row {
        Row::new(category, file, "2026-01-19T22:30:00Z", "x")
    }

    #[test]
    fn records_are_grouped_by_the_topics_that_they_share() {
        let rows = [
            row(Category::Decision, "decisions/2026-01-19_003_auth-cookies.md"),
            row(Category::Decision, "decisions/2026-01-19_002_auth-tokens.md"),
            row(Category::Decision, "decisions/2026-01-18_001_use-tabs.md"),
            row(Category::Analysis, "analysis/src_services_AuthService.md"),
            row(Category::Context, "context/2026-01-19_100000_note.md"),
        ];
        let lines: Vec<String> = lookups_for(&rows).iter().map(LookupLine::line).collect();
        assert_eq!(
            lines,
            [
                "- Auth decisions → decisions/*auth*.md",
                "- All decisions → decisions/",
                "- All analyses → analysis/",
                "- Current task → context/current-task.md",
                "- Blockers → context/blockers.md",
                "- Sub-agent outputs → subagent/",
            ]
        );
        for line in &lines {
            let line = LookupLine::parse(line).unwrap();
            let files: Vec<&str> = rows.iter().map(|row| row.file.as_str()).collect();
            assert!(line.is_ours());
            assert!(line.finds(&files) || line.target.starts_with("context/"), "{line:?}");
        }
        assert!(!LookupLine::parse("- mine → decisions/*auth*.md").unwrap().is_ours());
    }

    #[test]
    fn a_pattern_matches_as_a_shell_would() {
        let check = |pattern: &str, path: &str, expected: bool| {
            assert_eq!(matches_pattern(pattern, path), expected, "{pattern} {path}");
        };
        check("decisions/2026-01-19_001_*.md", "decisions/2026-01-19_001_auth.md", true);
        check("decisions/*auth*.md", "decisions/2026_auth.md", true);
        check("decisions/*auth*.md", "decisions/2026_tabs.md", false);
        check("decisions/a.md", "decisions/a.md", true);
        check("decisions/a.md", "decisions/a.md.md", false);
        check("*", "anything", true);
    }
}
