//! The name under which the second of two versions is kept.

use camino::Utf8PathBuf;
use memdir_core::content_hash::ContentHash;
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

/// The key that a copy was made beside; `None` if it is no copy.
#[must_use]
pub fn original_of(key: &str) -> Option<String> {
    let (folder, name) = key.rsplit_once('/').map_or(("", key), |(folder, name)| (folder, name));
    let stem = copied_from(name.strip_suffix(".md")?)?;
    Some(if folder.is_empty() { format!("{stem}.md") } else { format!("{folder}/{stem}.md") })
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
}
