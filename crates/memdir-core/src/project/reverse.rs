//! From an encoded name back to the path that it means.
//!
//! The encoding loses what it replaces, so a name can only be confirmed: a path comes from somewhere, and counts
//! if one of the schemes gives it this name.

use std::collections::HashMap;

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;
use unicode_normalization::UnicodeNormalization;

use super::encode_path::{Scheme, encode, encode_with};
use crate::look::{Kind, Look};

/// How a path comes to have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// As today's client names it.
    Current,
    /// Only as an older client named it.
    Legacy,
}

/// Whether a path explains a name, and how; `None` if no scheme gives the path this name.
#[must_use]
pub fn naming(slug: &str, path: &Utf8Path) -> Option<Naming> {
    let path = path.as_str();
    if encode(path) == slug {
        return Some(Naming::Current);
    }
    let legacy =
        [Scheme::Cwd, Scheme::Observed89].into_iter().any(|scheme| encode_with(scheme, path) == slug);
    // One version composed the characters of the path before it encoded them.
    let composed = || !path.is_ascii() && encode(&path.nfc().collect::<String>()) == slug;
    (legacy || composed()).then_some(Naming::Legacy)
}

/// The fields of transcripts, session lists and journals that hold a project's path.
const FIELDS: [&str; 3] = ["\"cwd\"", "\"projectPath\"", "\"originalPath\""];

/// The first path in the head of a transcript or session list that explains the name.
///
/// Only looks for the fields: a quote inside a text is escaped in JSON, so what looks like a field is one, and a
/// head that ends within a line does no harm. A session's directory changes with `cd`; the first match counts.
#[must_use]
pub fn path_in_head(head: &[u8], slug: &str) -> Option<Utf8PathBuf> {
    let found = FIELDS.iter().filter_map(|field| {
        memmem::find_iter(head, field.as_bytes()).find_map(|start| {
            let path = string_value(head.get(start + field.len()..)?)?;
            let path = Utf8PathBuf::from(path);
            (path.is_absolute() && naming(slug, &path).is_some()).then_some((start, path))
        })
    });
    found.min_by_key(|(start, _)| *start).map(|(_, path)| path)
}

/// The project's path that a journal's `_session.json` names, whatever the directory is called.
#[must_use]
pub fn path_of_journal(session: &[u8]) -> Option<Utf8PathBuf> {
    path_in_journal(session).filter(|path| path.is_absolute())
}

/// The same as it is written: a person may have written `~/app`.
pub(crate) fn path_in_journal(session: &[u8]) -> Option<Utf8PathBuf> {
    let start = memmem::find(session, b"\"projectPath\"")? + "\"projectPath\"".len();
    string_value(session.get(start..)?).map(Utf8PathBuf::from)
}

/// The string after a field's name: a colon, perhaps blanks, a JSON string of bounded length.
fn string_value(after: &[u8]) -> Option<String> {
    let after = after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let window = after.get(..after.len().min(MAX_STRING))?;
    let mut escaped = false;
    let end = window.iter().skip(1).position(|byte| {
        let closes = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        closes
    })?;
    serde_json::from_slice(window.get(..end + 2)?).ok()
}

/// Room for the longest path with every character escaped.
const MAX_STRING: usize = 6 * 4096 + 2;

/// Finds living paths by walking the disk, guided by the name: only directories that can lead there are listed.
///
/// Keeps what it listed, so that a thousand names below one home cost little more than one.
pub struct Walker<'look> {
    look: &'look dyn Look,
    listings: HashMap<Utf8PathBuf, Vec<Listed>>,
    budget: usize,
}

struct Listed {
    name: String,
    encoded: String,
}

/// How many directories one walker lists before it gives up.
const MAX_LISTINGS: usize = 2_000;

/// How many paths are found for one name: one more than anybody reads.
const MAX_FOUND: usize = 8;

impl<'look> Walker<'look> {
    /// A walker over everything that can be seen.
    #[must_use]
    pub fn new(look: &'look dyn Look) -> Self {
        Self { look, listings: HashMap::new(), budget: MAX_LISTINGS }
    }

    /// The living directories that explain a name, in no particular order.
    pub fn find(&mut self, slug: &str) -> Vec<Utf8PathBuf> {
        // The observed scheme kept characters which today's alphabet replaces; compare in today's.
        let wanted = encode_with(Scheme::Cwd, slug);
        let mut found = Vec::new();
        let mut pending = vec![(Utf8PathBuf::from("/"), String::new())];
        while let Some((directory, encoded)) = pending.pop() {
            if naming(slug, &directory).is_some() {
                found.push(directory.clone());
                if found.len() == MAX_FOUND {
                    break;
                }
            }
            let so_far = format!("{encoded}-");
            if !leads_to(&so_far, &wanted) {
                continue;
            }
            for listed in towards(self.list(&directory), &so_far, &wanted) {
                let next = format!("{so_far}{}", listed.encoded);
                pending.push((directory.join(&listed.name), next));
            }
        }
        found
    }

    fn list(&mut self, directory: &Utf8Path) -> &[Listed] {
        if !self.listings.contains_key(directory) {
            let mut listed = Vec::new();
            if self.budget > 0 {
                self.budget -= 1;
                let directories =
                    self.look.list(directory).into_iter().filter(|entry| entry.kind == Kind::Dir);
                listed.extend(directories.map(|entry| Listed {
                    encoded: encode_with(Scheme::Cwd, &entry.name),
                    name: entry.name,
                }));
                listed.sort_unstable_by(|one, other| one.encoded.cmp(&other.encoded));
            }
            self.listings.insert(directory.to_owned(), listed);
        }
        self.listings.get(directory).map_or(&[], Vec::as_slice)
    }
}

/// The entries of a directory, sorted by encoded name, that can lead to the wanted name.
///
/// A whole name is made of whole components, so only those that end where a dash is need to be looked up; a
/// folder with thousands of projects is not compared with every name.
fn towards<'list>(listed: &'list [Listed], so_far: &str, wanted: &str) -> Vec<&'list Listed> {
    let rest = match wanted.strip_prefix(so_far) {
        Some(rest) if cut_of(wanted).is_none() => rest,
        _ => {
            let leads = |listed: &&Listed| leads_to(&format!("{so_far}{}", listed.encoded), wanted);
            return listed.iter().filter(leads).collect();
        }
    };
    let ends = rest.match_indices('-').map(|(end, _)| end).chain([rest.len()]);
    ends.filter_map(|end| rest.get(..end))
        .flat_map(|name| {
            let start = listed.partition_point(|listed| listed.encoded.as_str() < name);
            listed.iter().skip(start).take_while(move |listed| listed.encoded == name)
        })
        .collect()
}

/// How many units of a path a name of this length keeps, if a scheme may have cut it: then the path goes on, and
/// everything below can be meant.
#[must_use]
pub fn cut_of(slug: &str) -> Option<usize> {
    match slug.encode_utf16().count() {
        // A character of two units that did not fit was left out whole.
        units @ 88..=89 => Some(units),
        // The cut, a dash, and one to six digits of the hash.
        202..=207 => Some(200),
        _ => None,
    }
}

/// Whether a path encoded so far can still become the wanted name.
fn leads_to(so_far: &str, wanted: &str) -> bool {
    let kept = cut_of(wanted).and_then(|cut| wanted.get(..cut));
    wanted.starts_with(so_far)
        || kept.is_some_and(|kept| so_far.starts_with(kept) || kept.starts_with(so_far))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::look::MapLook;

    #[test]
    fn a_transcript_names_its_directory() {
        let check = |head: &str, slug: &str, expected: Option<&str>| {
            assert_eq!(path_in_head(head.as_bytes(), slug).as_deref(), expected.map(Utf8Path::new), "{head}");
        };
        check(r#"{"type":"user","cwd":"/p/a_b","x":1}"#, "-p-a-b", Some("/p/a_b"));
        check(r#"{ "cwd" : "/p/a_b" }"#, "-p-a-b", Some("/p/a_b"));
        // The session went into a directory below before the line that counts.
        check("{\"cwd\":\"/p/a_b/c\"}\n{\"cwd\":\"/p/a_b\"}\n", "-p-a-b", Some("/p/a_b"));
        check(r#"{"entries":[{"projectPath":"/p"}],"originalPath":"/p"}"#, "-p", Some("/p"));
        check(r#"{"cwd":"/caf\u00e9 \"x\""}"#, &encode("/café \"x\""), Some("/café \"x\""));
        // What a prompt says about itself is text, not a field.
        check(r#"{"content":"\"cwd\":\"/p\""}"#, "-p", None);
        check(r#"{"cwd":"/elsewhere"}"#, "-p", None);
        check(r#"{"cwd":"relative"}"#, "relative", None);
        check(r#"{"cwd":"/cut off"#, "-cut-off", None);
        check(r#"{"cwd":7,"cwd":"/p"}"#, "-p", Some("/p"));
    }

    #[test]
    fn a_name_is_explained_by_its_scheme() {
        let check =
            |slug: &str, path: &str, expected| assert_eq!(naming(slug, path.into()), expected, "{path}");
        let long = format!("/{}", "x".repeat(240));
        check("-a-b", "/a_b", Some(Naming::Current));
        check("-a_b", "/a_b", Some(Naming::Legacy));
        check(&format!("-{}", "x".repeat(240)), &long, Some(Naming::Legacy));
        check(&format!("-{}", "x".repeat(88)), &long, Some(Naming::Legacy));
        check("-caf-", "/cafe\u{301}", Some(Naming::Legacy));
        check("-cafe-", "/cafe\u{301}", Some(Naming::Current));
        check("-b", "/a", None);
    }

    #[test]
    fn a_journal_names_its_project() {
        assert_eq!(path_of_journal(br#"{"projectPath": "/p/app"}"#).unwrap(), "/p/app");
        assert_eq!(path_of_journal(br#"{"projectPath": "app"}"#), None);
        assert_eq!(path_of_journal(b"\"projectPath\""), None);
    }

    #[test]
    fn the_walk_finds_every_living_path_of_a_name() {
        let long = format!("/w/{}/{}", "y".repeat(150), "z".repeat(150));
        let look = MapLook::new()
            .dir("/w/a_b/c")
            .dir("/w/a-b/c")
            .dir("/w/a/b/c")
            .dir("/w/a/bc")
            .file("/w/a.b/c", "a file")
            .link("/w/a+b", "/w/a_b")
            .dir(&long);
        let mut walker = Walker::new(&look);
        let mut found = walker.find("-w-a-b-c");
        found.sort();
        assert_eq!(found, ["/w/a/b/c", "/w/a-b/c", "/w/a_b/c"]);
        assert_eq!(walker.find("-w-a_b-c"), ["/w/a_b/c"]);
        assert_eq!(walker.find(&encode(&long)), [long.as_str()]);
        assert!(walker.find(&encode_with(Scheme::Observed89, &long)).contains(&Utf8PathBuf::from(&long)));
        // A long name that no scheme cut does not lead into every directory below.
        let whole = format!("/w/{}", "y".repeat(150));
        let mut walker = Walker::new(&look);
        assert_eq!(walker.find(&encode(&whole)), [whole.as_str()]);
        assert!(!walker.listings.contains_key(Utf8Path::new(&whole)));
        assert_eq!(walker.find("-"), ["/"]);
        assert!(walker.find("").is_empty());
        assert!(walker.find("-w-nowhere").is_empty());
    }

    proptest! {
        #[test]
        fn the_walk_finds_what_lives(parts in proptest::collection::vec("[a-b_. é-]{1,70}", 1..5)) {
            let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !matches!(*part, "." | "..")).collect();
            prop_assume!(!parts.is_empty());
            let path = format!("/{}", parts.join("/"));
            let look = MapLook::new().dir(&path);
            for scheme in Scheme::ALL {
                let found = Walker::new(&look).find(&encode_with(scheme, &path));
                prop_assert!(found.contains(&Utf8PathBuf::from(&path)), "{} {:?}", scheme, found);
            }
        }

        #[test]
        fn no_head_breaks_it(head in proptest::collection::vec(any::<u8>(), 0..200), slug in "[a-z-]{0,9}") {
            let mut bytes = b"\"cwd\":\"".to_vec();
            bytes.extend(head);
            let _ = path_in_head(&bytes, &slug);
            let _ = path_of_journal(&bytes);
        }
    }
}
