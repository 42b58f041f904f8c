//! The name under which the second of two versions is kept.

use camino::Utf8PathBuf;
use memdir_core::content_hash::ContentHash;
use memdir_core::memory::frontmatter::{self, Frontmatter};
use memdir_core::rel_path::MAX_COMPONENT_BYTES;
use serde::Serialize;

/// A memory of which two versions are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptTwice {
    /// One.
    pub path: Utf8PathBuf,
    /// The other.
    pub kept_as: Utf8PathBuf,
}

const MARK: &str = ".conflict-";
const DIGITS: usize = 8;

/// The key of a copy beside `key`. It follows from the content, so that a sync that is repeated makes no second one.
#[must_use]
pub fn conflict_key(key: &str, content: &ContentHash) -> String {
    let (folder, name) = key.rsplit_once('/').map_or(("", key), |(folder, name)| (folder, name));
    let stem = name.strip_suffix(".md").unwrap_or(name);
    let stem = copied_from(stem).unwrap_or(stem);
    let digits: String = content.to_string().chars().take(DIGITS).collect();
    let ending = format!("{MARK}{digits}.md");
    let mut end = stem.len().min(MAX_COMPONENT_BYTES.saturating_sub(ending.len()));
    while !stem.is_char_boundary(end) {
        end -= 1;
    }
    let name = format!("{}{ending}", stem.get(..end).unwrap_or_default());
    if folder.is_empty() { name } else { format!("{folder}/{name}") }
}

/// The key that a copy was made beside; `None` if it is not a copy.
#[must_use]
pub fn original_of(key: &str) -> Option<String> {
    let (folder, name) = key.rsplit_once('/').map_or(("", key), |(folder, name)| (folder, name));
    let stem = copied_from(name.strip_suffix(".md")?)?;
    Some(if folder.is_empty() { format!("{stem}.md") } else { format!("{folder}/{stem}.md") })
}

/// The text of a copy under a name of its own, so that the name of the original means one memory. Only the value of the
/// field `name` changes; a text that has none, or whose fields are broken, stays as it is.
#[must_use]
pub fn renamed_copy(text: &str, new_name: &str) -> String {
    let has_name = Frontmatter::parse(text).0.is_some_and(|fields| fields.value("name").is_some());
    let renamed = has_name.then(|| frontmatter::set(text, "name", new_name).ok()).flatten();
    renamed.unwrap_or_else(|| text.to_owned())
}

/// The text of a copy that lies under a key.
pub(crate) fn copy_of(text: &str, key: &str) -> String {
    let name = key.rsplit('/').next().unwrap_or_default();
    renamed_copy(text, name.strip_suffix(".md").unwrap_or(name))
}

/// A text under the name that another one has.
pub(crate) fn with_name_of(text: &str, other: &str) -> String {
    let name = Frontmatter::parse(other).0.and_then(|fields| fields.text("name", &mut Vec::new()));
    name.map_or_else(|| text.to_owned(), |name| renamed_copy(text, &name))
}

fn copied_from(stem: &str) -> Option<&str> {
    let (original, digits) = stem.rsplit_once(MARK)?;
    let is_copy = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_copy && !original.is_empty()).then_some(original)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_names_its_original_and_is_never_named_twice() {
        let content = ContentHash::of(b"x");
        let copy = conflict_key("a/deploy.md", &content);
        assert!(copy.starts_with("a/deploy.conflict-") && copy.ends_with(".md"), "{copy}");
        assert_eq!(original_of(&copy).as_deref(), Some("a/deploy.md"));
        assert_eq!(conflict_key(&copy, &content), copy);
        assert_eq!(original_of("a/deploy.md"), None);
        assert!(conflict_key(&format!("{}.md", "é".repeat(120)), &content).len() <= MAX_COMPONENT_BYTES);
    }

    #[test]
    fn a_copy_gets_a_name_of_its_own_and_nothing_else_changes() {
        for (text, expected) in [
            (
                "---\nname: x\ndescription: \"name: x\"\nmetadata:\n  name: x\n---\n\nname: x\n",
                "---\nname: y.conflict-1\ndescription: \"name: x\"\nmetadata:\n  name: x\n---\n\nname: x\n",
            ),
            (
                "---\r\n# who\r\ntype: project\r\nname:   'x'\r\nodd line\r\n---\r\nbody",
                "---\r\n# who\r\ntype: project\r\nname:   y.conflict-1\r\nodd line\r\n---\r\nbody",
            ),
            ("---\ndescription: d\nmetadata:\n  name: x\n---\nb\n", ""),
            ("---\nname: x\nnever closed\n", ""),
            ("name: x\n", ""),
            ("", ""),
        ] {
            let expected = if expected.is_empty() { text } else { expected };
            assert_eq!(renamed_copy(text, "y.conflict-1"), expected);
        }
    }
}
