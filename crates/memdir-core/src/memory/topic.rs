//! A topic file: one memory, in any of the forms found in the wild.
//!
//! Without frontmatter, with a `type` at the top level (the older form), or with `metadata: {type}` (the form that
//! the client leaves behind). New files are written in the last one, so that the client's own rewriting adds only
//! `originSessionId` and changes only `modified`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use jiff::Timestamp;

use super::frontmatter::{self, EditRefused, Frontmatter, METADATA};
use super::js_text;
use super::links::links;
use super::memory_type::MemoryType;
use super::problem::Problem;

pub mod cues;
mod expiry;
mod new_topic;
#[cfg(test)]
mod tests;
pub mod validity;

pub use new_topic::{NewTopic, client_slug, file_stem, header_name, one_line};

/// What a topic file says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// Its name. The client's rule empties names without ASCII letters or digits, so it may be `""`.
    pub name: Option<String>,
    /// What it is about, in one line.
    pub description: Option<String>,
    /// Its type.
    pub memory_type: Option<MemoryType>,
    /// When the client or we last wrote it, as the file itself says; the file's own time is another matter.
    pub modified: Option<Timestamp>,
    /// The session that first wrote it.
    pub origin_session: Option<String>,
    /// The targets of its `[[links]]` and of its links to other files, in order, each once.
    pub links: Vec<String>,
    /// Where its body is in the text, without the blank lines before it.
    pub body: Range<usize>,
    /// Whether it has a frontmatter at all.
    pub has_frontmatter: bool,
}

impl Topic {
    /// Reads a whole file.
    #[must_use]
    pub fn parse(text: &str) -> (Self, Vec<Problem>) {
        let (frontmatter, problems) = Frontmatter::parse(text);
        let (mut topic, problems) = Self::from_frontmatter(text, frontmatter.as_ref(), problems);
        let body = text.get(topic.body.clone()).unwrap_or_default();
        let mut seen = HashSet::new();
        topic.links = links(body).into_iter().map(|link| link.target).collect();
        topic.links.retain(|target| seen.insert(target.clone()));
        (topic, problems)
    }

    /// Reads the fields from the first part of a file, whose rest was not looked at. Links stay empty.
    #[must_use]
    pub fn parse_head(head: &str) -> (Self, Vec<Problem>) {
        let (frontmatter, problems) = Frontmatter::parse_head(head);
        Self::from_frontmatter(head, frontmatter.as_ref(), problems)
    }

    /// Reads the fields of a whole file and leaves its links alone.
    #[must_use]
    pub fn parse_head_of_whole(text: &str) -> (Self, Vec<Problem>) {
        let (frontmatter, problems) = Frontmatter::parse(text);
        Self::from_frontmatter(text, frontmatter.as_ref(), problems)
    }

    fn from_frontmatter(
        text: &str,
        frontmatter: Option<&Frontmatter<'_>>,
        mut problems: Vec<Problem>,
    ) -> (Self, Vec<Problem>) {
        let mut field = |key: &str| frontmatter.and_then(|fields| fields.text(key, &mut problems));
        let name = field("name");
        let description = field("description");
        let memory_type =
            field("metadata.type").or_else(|| field("type")).map(|word| MemoryType::parse(word.trim()));
        let modified = field("metadata.modified").or_else(|| field("modified"));
        let origin_session = field("metadata.originSessionId").or_else(|| field("originSessionId"));
        if let Some(MemoryType::Other(found)) = &memory_type {
            problems.push(Problem::UnknownType { found: found.clone() });
        }
        let time = modified.as_deref().and_then(|found| found.parse::<Timestamp>().ok());
        if let (Some(found), None) = (modified, time) {
            problems.push(Problem::BadTime { found });
        }
        let body_start = body_start(text, frontmatter.map_or(0, Frontmatter::body_start));
        let topic = Self {
            name,
            description,
            memory_type,
            modified: time,
            origin_session,
            links: Vec::new(),
            body: body_start..text.len(),
            has_frontmatter: frontmatter.is_some(),
        };
        (topic, problems)
    }
}

/// The text of a file's bytes; what is not UTF-8 becomes U+FFFD and is reported.
#[must_use]
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, Option<Problem>) {
    let text = String::from_utf8_lossy(bytes);
    let problem = matches!(text, Cow::Owned(_)).then_some(Problem::InvalidUtf8);
    (text, problem)
}

/// The text with one field changed, wherever this file keeps it.
///
/// `type` goes into `metadata` unless the file has it at the top level only; a name and a description take the form
/// that the client would give them. Every other byte stays.
///
/// # Errors
/// When the change cannot be made without touching something else.
pub fn set(text: &str, key: &str, value: &str) -> Result<String, EditRefused> {
    if let Some(changed) = validity::set(text, key, value) {
        return changed;
    }
    let place = place_of(text, key);
    match key {
        cues::CUES => cues::set_cues(text, &cues::split(value)),
        "name" => frontmatter::set(text, &place, &header_name(value)),
        "description" => frontmatter::set(text, &place, &one_line(value)),
        _ => frontmatter::set(text, &place, value),
    }
}

/// The text without one field, wherever this file keeps it.
///
/// # Errors
/// When the frontmatter has no end.
pub fn unset(text: &str, key: &str) -> Result<String, EditRefused> {
    frontmatter::remove(text, &place_of(text, key))
}

fn place_of(text: &str, key: &str) -> String {
    let nested = format!("{METADATA}.{key}");
    if matches!(key, "name" | "description" | METADATA) || key.starts_with("metadata.") {
        return key.to_owned();
    }
    let keys = Frontmatter::parse(text).0.map(|fields| fields.keys()).unwrap_or_default();
    let holds = |wanted: &str| keys.iter().any(|found| found == wanted);
    if !holds(&nested) && holds(key) { key.to_owned() } else { nested }
}

fn body_start(text: &str, from: usize) -> usize {
    let behind = text.get(from..).unwrap_or_default();
    let blank: usize = behind
        .split_inclusive('\n')
        .take_while(|line| line.ends_with('\n') && js_text::trim(line).is_empty())
        .map(str::len)
        .sum();
    from + blank
}
