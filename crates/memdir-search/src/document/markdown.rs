use memdir_core::memory::code_fence::CodeFence;

use super::{FileId, signs};
use crate::segment::{GroupRecord, SegmentBuilder, UnitDraft, UnitRecord, Weight};

/// A section longer than this is cut at its next empty line, so that a hit points near the words.
const UNIT_BYTES: usize = 600;

/// What the frontmatter of a memory says, as far as search wants to know.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Frontmatter<'a> {
    pub(crate) name: &'a str,
    title: &'a str,
    pub(crate) description: &'a str,
    pub(crate) kind: &'a str,
    tags: &'a str,
    /// When it was written, as it says itself: a copy or a checkout has a file time of its own.
    modified: &'a str,
    /// The memory that replaced it.
    pub(crate) superseded_by: &'a str,
    /// Phrases that say when it will be needed.
    pub(crate) cues: Vec<&'a str>,
}

/// Adds a file of Markdown. Nothing is refused: what is not understood is words.
pub(crate) fn add_markdown(builder: &mut SegmentBuilder, file: &FileId<'_>, bytes: &[u8]) {
    let text = signs::without_secrets(signs::text_of(bytes));
    let (front, body_start) = frontmatter(&text);
    let body = text.get(body_start..).unwrap_or_default();
    let heading = first_heading(body);
    let title = [front.title, front.name, heading].into_iter().find(|title| !title.is_empty());
    let file_name = file.path.rsplit('/').next().unwrap_or_default();
    // The index of a memory directory or a journal repeats what other files say, and they say it better.
    let is_index = matches!(file_name, "MEMORY.md" | "_index.md");
    // Without a name, the first line says best what it is about.
    let first_line = || body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let title = title.unwrap_or_else(|| if is_index { file_name } else { first_line() });
    let title = super::shorten(title, super::MAX_TITLE);
    let written = front.modified.parse().map_or(file.modified, |time: jiff::Timestamp| time.as_second());
    let file = &FileId { modified: written, ..file.clone() };
    let superseded_by = front.superseded_by.to_owned();
    builder.group(file.key, &GroupRecord { superseded_by, ..file.record(title, front.kind) });
    let mut inherited = builder.terms_of(title, Weight::TITLE);
    inherited.extend(builder.terms_of(front.description, Weight::TITLE));
    inherited.extend(builder.terms_of(front.tags, Weight::CONTEXT));
    for cue in &front.cues {
        inherited.extend(builder.terms_of(cue, Weight::CONTEXT));
    }
    if front.name.is_empty() || front.name != title {
        inherited.extend(builder.terms_of(front.name, Weight::CONTEXT));
    }
    let path = file.path.strip_suffix(".md").unwrap_or(file.path);
    if path != front.name {
        inherited.extend(builder.terms_of(path, Weight::CONTEXT));
    }
    let time = crate::query::day_in(file.path).map_or(file.modified, |day| time_on(day, file.modified));
    let time = crate::segment::minutes(time);
    let weight = if is_index { Weight::POINTER } else { Weight::BODY };
    let mut units = 0;
    for section in sections(body) {
        builder.text(section.text, weight);
        let mut inherited = inherited.clone();
        if section.heading != heading {
            inherited.extend(builder.terms_of(section.heading, Weight::CONTEXT));
        }
        let record = UnitRecord {
            offset: (body_start + section.offset) as u64,
            length: section.text.len() as u64,
            line: line_number(&text, body_start) + section.line,
            uuid: String::new(),
        };
        let draft = UnitDraft { record, flags: signs::flags(section.text), time, speaker: None };
        builder.end_unit(&draft, &inherited);
        units += 1;
    }
    if units == 0 {
        let record = UnitRecord { line: 1, length: text.len() as u64, ..UnitRecord::default() };
        builder.end_unit(&UnitDraft { record, time, ..UnitDraft::default() }, &inherited);
    }
}

/// When on a day a file was written. A day has no hour, but the file has, if it was last written on that day, wherever
/// on earth that was counted; a file that was touched later has only the day.
fn time_on(day: i64, modified: i64) -> i64 {
    const HOUR: i64 = 3_600;
    let (start, end) = (day * 24 * HOUR, (day + 1) * 24 * HOUR - 60);
    if (start - 14 * HOUR..end + 12 * HOUR).contains(&modified) { modified.clamp(start, end) } else { start }
}

/// What the frontmatter says, and the text behind it.
pub(crate) fn front_and_body(text: &str) -> (Frontmatter<'_>, &str) {
    let (front, start) = frontmatter(text);
    (front, text.get(start..).unwrap_or_default())
}

/// The line of the text that starts at an offset, less one.
fn line_number(text: &str, offset: usize) -> u64 {
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    memchr::memchr_iter(b'\n', before).count() as u64
}

/// The frontmatter, and where the body starts behind it.
fn frontmatter(text: &str) -> (Frontmatter<'_>, usize) {
    let mut front = Frontmatter::default();
    let mut lines = text.split_inclusive('\n');
    let is_start = |line: &&str| line.trim_start_matches('\u{feff}').trim_end() == "---";
    let Some(first) = lines.next().filter(is_start) else { return (front, 0) };
    let mut offset = first.len();
    let mut in_cues = false;
    for line in lines {
        offset += line.len();
        if line.trim_end() == "---" {
            return (front, offset);
        }
        if in_cues && let Some(cue) = line.trim_start().strip_prefix("- ") {
            front.cues.push(unquoted(cue));
            continue;
        }
        let Some((key, value)) = line.split_once(':') else { continue };
        in_cues = key.trim() == "cues";
        if in_cues {
            front.cues = list(value.trim());
            continue;
        }
        let value = unquoted(value);
        // `type` may be below `metadata`, which then wins, as for the client.
        let nested = key.starts_with([' ', '\t']);
        match key.trim() {
            "name" if !nested => front.name = value,
            "title" if !nested => front.title = value,
            "description" | "summary" if !nested => front.description = value,
            "tags" | "keywords" | "aliases" => front.tags = value,
            "modified" => front.modified = value,
            "superseded_by" => front.superseded_by = value,
            "type" if nested || front.kind.is_empty() => front.kind = value,
            _ => {}
        }
    }
    (Frontmatter::default(), 0)
}

fn unquoted(value: &str) -> &str {
    value.trim().trim_matches(['"', '\''])
}

/// The phrases of a list in one line: `[one, "two, with a comma"]`, or `one; two`.
fn list(value: &str) -> Vec<&str> {
    let (inner, separator) = match value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => (inner, ','),
        None => (unquoted(value), ';'),
    };
    let mut quote = None;
    let parts = inner.split(|c: char| {
        match quote {
            Some(open) if c == open => quote = None,
            None if separator == ',' && matches!(c, '"' | '\'') => quote = Some(c),
            _ => {}
        }
        quote.is_none() && c == separator
    });
    parts.map(unquoted).filter(|part| !part.is_empty()).collect()
}

fn first_heading(body: &str) -> &str {
    body.lines().find_map(heading_text).unwrap_or_default()
}

/// The text of a heading line.
fn heading_text(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    ((1..=6).contains(&level) && rest.starts_with(' ')).then(|| rest.trim())
}

struct Section<'a> {
    text: &'a str,
    heading: &'a str,
    offset: usize,
    /// From 1.
    line: u64,
}

/// Cuts a body at its headings, and where a section is long at empty lines.
fn sections(body: &str) -> Vec<Section<'_>> {
    let mut sections = Vec::new();
    let (mut start, mut start_line, mut heading) = (0, 1, "");
    let (mut offset, mut number, mut fence) = (0, 0, CodeFence::default());
    let mut cut = |range: std::ops::Range<usize>, heading, line| {
        let text = body.get(range.clone()).unwrap_or_default();
        let blank = text.len() - text.trim_start().len();
        if blank < text.len() {
            let skipped = text.get(..blank).unwrap_or_default();
            let line = line + skipped.matches('\n').count() as u64;
            sections.push(Section { text: text.trim(), heading, offset: range.start + blank, line });
        }
    };
    for line in body.split_inclusive('\n') {
        number += 1;
        let new_heading = if fence.is_code(line) { None } else { heading_text(line.trim_end()) };
        if new_heading.is_some() || (line.trim().is_empty() && offset - start >= UNIT_BYTES) {
            cut(start..offset, heading, start_line);
            (start, start_line) = (offset, number);
        }
        heading = new_heading.unwrap_or(heading);
        offset += line.len();
    }
    cut(start..body.len(), heading, start_line);
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frontmatter_in_every_form() {
        let check = |text: &str, name: &str, kind: &str, body: &str| {
            let (front, start) = frontmatter(text);
            assert_eq!((front.name, front.kind, &text[start..]), (name, kind, body), "{text}");
        };
        check("---\nname: a\ntype: user\n---\nb", "a", "user", "b");
        check("---\r\nname: \"a b\"\r\nmetadata:\r\n  type: feedback\r\n---\r\nb", "a b", "feedback", "b");
        check("---\ntype: user\nmetadata:\n  type: project\n---\n", "", "project", "");
        check("---\nname: a\nno end", "", "", "---\nname: a\nno end");
        check("no front", "", "", "no front");
    }

    #[test]
    fn cues_in_every_form() {
        let check = |field: &str, expected: &[&str]| {
            let text = format!("---\nname: a\nmetadata:\n{field}\n  type: user\n---\nb");
            let (front, _) = frontmatter(&text);
            assert_eq!((front.cues.as_slice(), front.kind), (expected, "user"), "{text}");
        };
        check("  cues:\n    - deploy at night\n    - \"when: x\"", &["deploy at night", "when: x"]);
        check("  cues: [one, \"two, three\", 'four']", &["one", "two, three", "four"]);
        check("  cues: one, two; three", &["one, two", "three"]);
        check("cues:\n- one\n- two", &["one", "two"]);
        check("  cues:", &[]);
        check("  other:\n    - no", &[]);
    }

    #[test]
    fn a_day_takes_its_hour_from_the_file() {
        let check = |modified: &str, expected: &str| {
            let seconds = |text: &str| text.parse::<jiff::Timestamp>().unwrap().as_second();
            let day = seconds("2026-11-15T00:00:00Z") / 86_400;
            assert_eq!(time_on(day, seconds(modified)), seconds(expected), "{modified}");
        };
        check("2026-11-15T10:20:30Z", "2026-11-15T10:20:30Z");
        check("2026-11-14T21:30:00Z", "2026-11-15T00:00:00Z");
        check("2026-11-16T07:00:00Z", "2026-11-15T23:59:00Z");
        check("2026-12-01T10:00:00Z", "2026-11-15T00:00:00Z");
        check("2020-01-01T10:00:00Z", "2026-11-15T00:00:00Z");
    }

    #[test]
    fn sections_know_their_lines() {
        let check = |body: &str, expected: &[(&str, &str, u64)]| {
            let found: Vec<_> =
                sections(body).iter().map(|section| (section.text, section.heading, section.line)).collect();
            assert_eq!(found, expected);
        };
        check("", &[]);
        check("a\n\n# H\nb\n\n## I\n\n\nc", &[("a", "", 1), ("# H\nb", "H", 3), ("## I\n\n\nc", "I", 6)]);
        check("```\n# no\n```\n#no", &[("```\n# no\n```\n#no", "", 1)]);
        let long = "x".repeat(700);
        check(&format!("\n\n{long}\n\nb"), &[(&long, "", 3), ("b", "", 5)]);
    }
}
