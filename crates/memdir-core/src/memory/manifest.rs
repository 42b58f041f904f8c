//! What a directory holds, from the first lines of its files.
//!
//! A directory of thousands of memories is listed by reading a bounded head of each; nothing here needs a body.

use jiff::Timestamp;

use super::frontmatter::Frontmatter;
use super::memory_type::MemoryType;
use super::problem::Problem;
use super::topic::validity::Validity;
use super::topic::{self, Topic};

/// How many bytes of a file are read for its header.
pub const HEAD_BYTES: usize = 2048;
/// How many lines of a file the client looks at for its description.
pub const HEAD_LINES: usize = 30;

/// One memory, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestEntry {
    /// Its path in the directory.
    pub path: String,
    /// Its name, if it says one.
    pub name: Option<String>,
    /// What it is about, if it says so.
    pub description: Option<String>,
    /// Its type, if it says one.
    pub memory_type: Option<MemoryType>,
    /// When the file was last written, as the file system says: it is this time that the client goes by.
    pub modified: Timestamp,
    /// What was wrong with the header.
    pub problems: Vec<Problem>,
    /// How long and where it counts.
    pub validity: Validity,
}

impl ManifestEntry {
    /// Reads the header of a file from its first bytes; `whole`: there are no more than these.
    #[must_use]
    pub fn from_head(path: &str, head: &[u8], whole: bool, modified: Timestamp) -> Self {
        let head = if whole { head } else { whole_characters(head) };
        let (text, problem) = topic::decode(head);
        let (topic, mut problems) =
            if whole { Topic::parse_head_of_whole(&text) } else { Topic::parse_head(&text) };
        problems.extend(problem);
        let Topic { name, description, memory_type, .. } = topic;
        let validity = Validity::of(&text);
        Self { path: path.to_owned(), name, description, memory_type, modified, problems, validity }
    }
}

/// How many whole days ago something was written; 0 for what is in the future.
#[must_use]
pub fn age_days(modified: Timestamp, now: Timestamp) -> u64 {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let elapsed = now.as_millisecond().saturating_sub(modified.as_millisecond());
    u64::try_from(elapsed.div_euclid(DAY)).unwrap_or(0)
}

/// The description that the client finds: in the first lines only, up to the first `---`, and none where one line of
/// the frontmatter is broken.
#[must_use]
pub fn client_description(head: &str) -> Option<String> {
    let text = head.strip_prefix('\u{feff}').unwrap_or(head);
    let end = memchr::memchr_iter(b'\n', text.as_bytes()).nth(HEAD_LINES - 1).map_or(text.len(), |at| at + 1);
    let text = text.get(..end)?;
    let behind = super::entrypoint::without_frontmatter(text);
    if behind.len() == text.len() {
        return None;
    }
    let inner = text.get(..text.len() - behind.len() - 3)?;
    let closed = format!("{inner}\n---\n");
    let (fields, problems) = Frontmatter::parse(&closed);
    if problems.iter().any(|problem| matches!(problem, Problem::BrokenLine { .. })) {
        return None;
    }
    fields?.text("description", &mut Vec::new())
}

/// The bytes without a character that was cut at their end.
fn whole_characters(head: &[u8]) -> &[u8] {
    match std::str::from_utf8(head) {
        Err(error) if error.error_len().is_none() => head.get(..error.valid_up_to()).unwrap_or(head),
        _ => head,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Timestamp {
        time.parse().unwrap()
    }

    #[test]
    fn ages_are_whole_days() {
        let check =
            |modified: &str, days| assert_eq!(age_days(at(modified), at("2026-01-10T12:00:00Z")), days);
        check("2026-01-10T11:59:59Z", 0);
        check("2026-01-09T12:00:00Z", 1);
        check("2026-01-08T12:00:00.001Z", 1);
        check("2025-01-10T12:00:00Z", 365);
        check("2027-01-10T12:00:00Z", 0);
    }

    #[test]
    fn a_header_is_read_from_the_first_bytes() {
        let text =
            format!("---\nname: x\ndescription: é\nmetadata:\n  type: user\n  k: {}", "日".repeat(2000));
        let entry = ManifestEntry::from_head(
            "x.md",
            &text.as_bytes()[..HEAD_BYTES],
            false,
            at("2026-01-01T00:00:00Z"),
        );
        assert_eq!(entry.problems, []);
        assert_eq!((entry.memory_type, entry.description.as_deref()), (Some(MemoryType::User), Some("é")));
        let bare = ManifestEntry::from_head("y.md", b"text", true, at("2026-01-01T00:00:00Z"));
        assert_eq!((bare.memory_type, bare.description), (None, None));
        let broken =
            ManifestEntry::from_head("z.md", b"---\nname: z\n\xff", true, at("2026-01-01T00:00:00Z"));
        assert_eq!(broken.problems, [Problem::UnclosedFrontmatter, Problem::InvalidUtf8]);
    }
}
