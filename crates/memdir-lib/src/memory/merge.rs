use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::index::{self, OVERFLOW};
use memdir_core::memory::text_merge::merge_text;
use memdir_core::rel_path::RelPath;

/// How two changes of one file become one: index lines as a set, topic files by field and by line.
///
/// `None` where both changed the same thing, or where bytes are not UTF-8: then both versions are kept.
pub(crate) fn merge(path: &RelPath, base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let text = |bytes| std::str::from_utf8(bytes).ok();
    let (ours, theirs) = (text(ours)?, text(theirs)?);
    let base = match base {
        Some(base) => text(base)?,
        None => "",
    };
    if [ENTRYPOINT, OVERFLOW].contains(&path.as_str()) {
        return Some(index::merge(base, ours, theirs).text.into_bytes());
    }
    merge_text(base, ours, theirs).ok().or_else(|| appended(base, ours, theirs)).map(String::into_bytes)
}

/// What one side only added at the end goes behind whatever the other side made of the rest.
fn appended(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let behind = |text: &str, grown: &str| {
        let added = grown.strip_prefix(base).filter(|added| !added.is_empty() && !base.is_empty())?;
        let end = if text.ends_with('\n') || added.starts_with('\n') { "" } else { "\n" };
        Some(format!("{text}{end}{added}"))
    };
    behind(ours, theirs).or_else(|| behind(theirs, ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_at_the_end_stays_behind_a_changed_one() {
        let path = RelPath::parse("a.md").unwrap();
        let merged = |base: &str, ours: &str, theirs: &str| {
            let merged = merge(&path, Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes());
            merged.map(|bytes| String::from_utf8(bytes).unwrap())
        };
        assert_eq!(merged("a\nb1\n", "a\nb\n", "a\nb1\nc\n").as_deref(), Some("a\nb\nc\n"));
        assert_eq!(merged("a\nb1\n", "a\nb1\nc\n", "a\nb\n").as_deref(), Some("a\nb\nc\n"));
        assert_eq!(merged("a\nb1", "a\nb", "a\nb1\nc\n").as_deref(), Some("a\nb\nc\n"));
        assert_eq!(merged("a\nb1\n", "a\nb\n", "a\nb2\n"), None);
    }
}
