use std::collections::HashSet;

use serde::Serialize;

use super::OtherAgent;
use super::gather::SourceFile;
use crate::hygiene::clean;
use crate::memory::js_text;
use crate::memory::memory_type::MemoryType;
use crate::memory::topic::{Topic, client_slug, one_line};
use crate::outline::{LineKind, Outline};

/// A memory that could be made from what another agent keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proposal {
    /// Its name, of letters, digits and dashes.
    pub name: String,
    /// Its type.
    #[serde(rename = "type", serialize_with = "as_word")]
    pub memory_type: MemoryType,
    /// What it is about, in one line.
    pub description: String,
    /// Its text, as it is in the source.
    pub body: String,
    /// The file that it comes from.
    pub source: String,
}

fn as_word<S: serde::Serializer>(memory_type: &MemoryType, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(memory_type.as_str())
}

/// The most memories that one import proposes.
pub(super) const MAX_PROPOSALS: usize = 500;
/// How much of a name a heading or a file may give.
pub(super) const MAX_NAME: usize = 48;
/// How long a description is.
const MAX_DESCRIPTION: usize = 110;

/// Makes memories from files: one of each section of the second level where a file has several, else one of a file.
#[must_use]
pub fn propose(agent: OtherAgent, files: &[SourceFile]) -> Vec<Proposal> {
    let mut taken = HashSet::new();
    let mut proposals = Vec::new();
    for file in files {
        let (topic, _) = Topic::parse_head_of_whole(&file.text);
        let body = file.text.get(topic.body.clone()).unwrap_or_default();
        for (heading, text) in parts(body) {
            if proposals.len() >= MAX_PROPOSALS {
                return proposals;
            }
            let said = topic.description.clone().filter(|_| heading.is_none());
            let description = said.unwrap_or_else(|| describe(heading, text));
            proposals.push(Proposal {
                name: free_name(agent, file, heading, &mut taken),
                memory_type: memory_type(agent, file.of_user),
                description: shortened(&one_line(&clean(&description))),
                body: text.trim().to_owned(),
                source: file.path.to_string(),
            });
        }
    }
    proposals
}

/// The sections of the second level with their headings, and what precedes them; the whole where there is one.
fn parts(body: &str) -> Vec<(Option<&str>, &str)> {
    let outline = Outline::of(body);
    let starts: Vec<(usize, &str)> = outline
        .lines
        .iter()
        .filter_map(|line| match line.kind {
            LineKind::Heading { level: 2, title } => Some((line.start, title)),
            _ => None,
        })
        .collect();
    if starts.len() < 2 {
        return if says_something(body) { vec![(None, body)] } else { Vec::new() };
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([body.len()]);
    let first = starts.first().map_or(0, |(start, _)| *start);
    let before = (None, body.get(..first).unwrap_or_default());
    let sections = starts.iter().zip(ends);
    let sections =
        sections.map(|((start, title), end)| (Some(*title), body.get(*start..end).unwrap_or_default()));
    std::iter::once(before).chain(sections).filter(|(_, text)| says_something(text)).collect()
}

/// Whether there is more than headings and comments.
fn says_something(text: &str) -> bool {
    let mut lines = Outline::of(text).lines.into_iter();
    lines.any(|line| matches!(line.kind, LineKind::Text | LineKind::Code) && !line.text.trim().is_empty())
}

/// The heading and the first line of prose.
fn describe(heading: Option<&str>, text: &str) -> String {
    let outline = Outline::of(text);
    let prose = outline.lines.iter().filter(|line| line.kind == LineKind::Text);
    let first = prose.map(|line| line.text.trim().trim_start_matches(['-', '*', '+', '>', ' ']));
    let first = first.into_iter().find(|line| !line.is_empty()).unwrap_or_default();
    let title = heading.map(ToOwned::to_owned).or_else(|| {
        outline.lines.iter().find_map(|line| match line.kind {
            LineKind::Heading { title, .. } => Some(title.to_owned()),
            _ => None,
        })
    });
    match title {
        Some(title) if !title.is_empty() => format!("{title}: {first}"),
        _ => first.to_owned(),
    }
}

pub(super) fn shortened(text: &str) -> String {
    let text = text.trim().trim_end_matches(':');
    if js_text::units(text) <= MAX_DESCRIPTION {
        return text.to_owned();
    }
    let cut: String = text.chars().take(MAX_DESCRIPTION - 1).collect();
    let whole_words = cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words);
    format!("{whole_words}…")
}

fn free_name(
    agent: OtherAgent,
    file: &SourceFile,
    heading: Option<&str>,
    taken: &mut HashSet<String>,
) -> String {
    let piece = |text: &str| {
        let slug = client_slug(text);
        slug.get(..slug.len().min(MAX_NAME)).unwrap_or_default().trim_end_matches('-').to_owned()
    };
    let stem = piece(file.path.file_stem().unwrap_or_default());
    let mut name = agent.name().to_owned();
    // Some keep a file of the same name for the user and for the project.
    let keeps_both = matches!(agent.name(), "gemini" | "qwen");
    let whose = if file.of_user && keeps_both { "user" } else { "" };
    for part in [stem, whose.to_owned(), heading.map(piece).unwrap_or_default()] {
        if !part.is_empty() && !name.ends_with(&part) {
            name = format!("{name}-{part}");
        }
    }
    let mut free = name.clone();
    for number in 2.. {
        if taken.insert(free.clone()) {
            break;
        }
        free = format!("{name}-{number}");
    }
    free
}

fn memory_type(agent: OtherAgent, of_user: bool) -> MemoryType {
    match agent {
        _ if of_user => MemoryType::User,
        _ if agent.0.keeps_rules => MemoryType::Feedback,
        _ => MemoryType::Project,
    }
}
