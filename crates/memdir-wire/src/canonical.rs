//! The part of a memory that is shared and signed: the file without the fields that the client rewrites on its own.
//!
//! The client sets `modified` at every write and adds `originSessionId` at the first. If those were signed, every agent
//! that touches a file would break its signature; if they travelled unsigned, another process could change them. So they
//! stay at home.

use std::borrow::Cow;

use jiff::Timestamp;
use memdir_core::content_hash::ContentHash;
use memdir_core::memory::frontmatter::{Frontmatter, remove, set};

/// The text as it is shared.
#[must_use]
pub fn canonical(text: &str) -> Cow<'_, str> {
    let mut shared = Cow::Borrowed(text);
    // A field that is there several times goes as often.
    while let Some(without) = without_one(&shared) {
        shared = Cow::Owned(without);
    }
    shared
}

/// The text without one of the fields that stay at home; `None` if it has none that can be taken out.
fn without_one(text: &str) -> Option<String> {
    let fields = Frontmatter::parse(text).0?;
    let key = fields.keys().into_iter().find(|key| LOCAL_FIELDS.contains(&key.as_str()))?;
    remove(text, &key).ok().filter(|without| without.len() < text.len())
}

/// The hash by which two machines know that they share the same text.
#[must_use]
pub fn shared_hash(text: &str) -> ContentHash {
    ContentHash::of(canonical(text).as_bytes())
}

/// A shared text as this machine keeps it: with the session that the local file names, and the time of the change.
///
/// Where a text cannot carry the fields without becoming another one it stays as it is.
#[must_use]
pub fn at_home(shared: &str, local: Option<&str>, modified: Timestamp) -> String {
    let session = local.and_then(|text| {
        let (fields, _) = Frontmatter::parse(text);
        fields?.text(SESSION, &mut Vec::new())
    });
    let has_metadata = Frontmatter::parse(shared)
        .0
        .is_some_and(|fields| fields.keys().iter().any(|key| key.starts_with("metadata.")));
    if !has_metadata {
        return shared.to_owned();
    }
    let mut text = shared.to_owned();
    let time = format!("{modified:.3}");
    for (key, value) in [(SESSION, session), (MODIFIED, Some(time))] {
        let Some(value) = value else { continue };
        if let Ok(with) = set(&text, key, &value)
            && canonical(&with) == shared
        {
            text = with;
        }
    }
    text
}

const MODIFIED: &str = "metadata.modified";
const SESSION: &str = "metadata.originSessionId";

/// The fields that stay at home, where older and newer clients put them.
const LOCAL_FIELDS: [&str; 4] = ["modified", "originSessionId", MODIFIED, SESSION];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_client_rewrites_is_not_shared() {
        let check = |text: &str, expected: &str| {
            assert_eq!(canonical(text), expected);
            assert_eq!(canonical(expected), expected);
        };
        check("no fields\n", "no fields\n");
        check("---\nname: a\nmodified: 2026\n---\nb\n", "---\nname: a\n---\nb\n");
        check(
            "---\nname: a\nmetadata:\n  type: project\n  originSessionId: x\n  modified: 2026-01-01\n---\n\nb\n",
            "---\nname: a\nmetadata:\n  type: project\n---\n\nb\n",
        );
        check("---\nmodified: 1\nmodified: 2\nname: a\n---\n", "---\nname: a\n---\n");
        check("---\nname: a\n", "---\nname: a\n");
    }

    #[test]
    fn a_shared_text_gets_its_local_fields_and_stays_the_same() {
        let time: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
        let shared = "---\nname: a\nmetadata:\n  type: project\n---\n\nb\n";
        let local = "---\nname: a\nmetadata:\n  type: project\n  originSessionId: s1\n---\n\nold\n";
        let text = at_home(shared, Some(local), time);
        assert!(
            text.contains("originSessionId: s1\n") && text.contains("2026-01-02T03:04:05.000Z"),
            "{text}"
        );
        assert_eq!(canonical(&text), shared);
        assert_eq!(at_home("plain\n", Some(local), time), "plain\n");
        assert_eq!(at_home("---\nname: a\n---\nb\n", None, time), "---\nname: a\n---\nb\n");
    }
}
