//! Changes that wait for the user: who wants them, why, and how to know them again.

use camino::Utf8PathBuf;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::content_hash::ContentHash;
use crate::memory::entrypoint::ENTRYPOINT;
use crate::memory::index::OVERFLOW;
use crate::operation::Author;
use crate::plan::{Change, Plan};
use crate::rel_path::RelPath;

/// A plan that waits until the user accepts or rejects it. The serialised form is part of docs/FORMAT.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagedPlan {
    /// The version of this form.
    pub v: u32,
    /// Unique, sorts by time, names its file: made like the id of an operation.
    pub id: String,
    /// When it was proposed.
    pub time: Timestamp,
    /// Who wants it.
    pub author: Author,
    /// The directory that it is about.
    pub memory_dir: Utf8PathBuf,
    /// What is to change, from what, and why.
    pub plan: Plan,
}

/// The version of the serialised form.
pub const VERSION: u32 = 1;

/// Whether a text has the form of an id, so that it may name a file.
#[must_use]
pub fn is_id(text: &str) -> bool {
    text.len() == 18 && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// What a plan wants, whatever its author and time: two proposals of the same have the same fingerprint.
///
/// The index does not count beside other files, because its other lines change all the time; nor do the fields that
/// say when and in which session a memory was written, nor the state that the plan was made from.
#[must_use]
pub fn fingerprint(plan: &Plan) -> ContentHash {
    let is_index = |path: &RelPath| [ENTRYPOINT, OVERFLOW].contains(&path.as_str());
    let only_index = plan.changes.iter().all(|change| is_index(change.path()));
    let mut wanted: Vec<String> = plan
        .changes
        .iter()
        .filter(|change| only_index || !is_index(change.path()))
        .map(|change| match change {
            Change::Write { path, content, .. } => {
                format!("write\0{path}\0{}", ContentHash::of(&without_times(&content.0)))
            }
            Change::Delete { path, .. } => format!("delete\0{path}"),
            Change::Rename { from, to, .. } => format!("rename\0{from}\0{to}"),
        })
        .collect();
    wanted.sort();
    ContentHash::of(wanted.join("\n").as_bytes())
}

/// The content without the lines of its frontmatter that change at every writing.
fn without_times(content: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(content.len());
    let mut fences = 0;
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        let trimmed = line.trim_ascii();
        if trimmed == b"---" {
            fences += 1;
        }
        let changes_always = trimmed.starts_with(b"modified:") || trimmed.starts_with(b"originSessionId:");
        if fences != 1 || !changes_always {
            kept.extend_from_slice(line);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(changes: &[(&str, &str)]) -> Plan {
        let mut plan = Plan::new("any reason");
        plan.changes = changes
            .iter()
            .map(|(path, content)| Change::Write {
                path: RelPath::parse(path).unwrap(),
                content: (*content).into(),
                base: None,
            })
            .collect();
        plan
    }

    #[test]
    fn the_same_proposal_is_known_again() {
        let header = |second: &str| {
            format!("---\nname: x\nmetadata:\n  modified: 2026-01-01T00:00:0{second}Z\n---\n\n")
        };
        let first = plan(&[("x.md", &format!("{}Use tabs.\n", header("1"))), ("MEMORY.md", "- [x](x.md)\n")]);
        let later =
            plan(&[("x.md", &format!("{}Use tabs.\n", header("2"))), ("MEMORY.md", "- a\n- [x](x.md)\n")]);
        let other = plan(&[("x.md", &format!("{}Use spaces.\n", header("1")))]);
        assert_eq!(fingerprint(&first), fingerprint(&later));
        assert_ne!(fingerprint(&first), fingerprint(&other));
        let in_body = |text: &str| plan(&[("x.md", text)]);
        assert_ne!(fingerprint(&in_body("modified: 1\n")), fingerprint(&in_body("modified: 2\n")));
        let index = |text: &str| plan(&[("MEMORY.md", text)]);
        assert_ne!(
            fingerprint(&index("a\n")),
            fingerprint(&index("b\n")),
            "alone, the index is what it is about"
        );
    }

    #[test]
    fn only_an_id_names_a_file() {
        assert!(is_id("01hf7yat00zzzzzzzz"));
        for text in ["", "../../../etc/passwd", "01hf7yat00zzzzzzz/", "01HF7YAT00ZZZZZZZZ"] {
            assert!(!is_id(text), "{text}");
        }
    }
}
