use memdir_core::memory::entrypoint::ENTRYPOINT;
use memdir_core::memory::index::{self, OVERFLOW};
use memdir_core::memory::text_merge::merge_text;
use memdir_core::rel_path::RelPath;

/// How two changes of one file become one: index lines as a set, topic files by field and by line.
///
/// `None` where both changed the same thing, or where bytes are no text: then both versions are kept.
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
    merge_text(base, ours, theirs).ok().map(String::into_bytes)
}
