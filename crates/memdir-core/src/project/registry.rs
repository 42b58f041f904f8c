//! What the registry remembers, and how two memories of the same thing become one.
//!
//! The serialised forms are part of docs/FORMAT.md. Reading and writing the files is the disk crate's business.

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::identity::IdentityKey;
use crate::operation::StoreId;

/// The version of the serialised forms.
pub const VERSION: u32 = 1;

/// How many paths or places one file keeps; the ones that were not seen for longest go first.
const KEPT: usize = 64;

/// One memory directory: its store id, and the projects that were seen to use it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectRecord {
    /// The version of this form.
    pub v: u32,
    /// The id that survives moves.
    pub store: StoreId,
    /// Where the memory is.
    pub memory_dir: Utf8PathBuf,
    /// The encoded name of the project, as the directory below `projects/` is called.
    pub slug: String,
    /// Whether the user trusts a memory directory that a repository's settings name.
    #[serde(default)]
    pub trusted: bool,
    /// The real paths that were seen to use this memory, the last seen first.
    #[serde(default)]
    pub paths: Vec<SeenPath>,
}

/// A real path of a project, as it was last seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenPath {
    /// The project's root directory.
    pub path: Utf8PathBuf,
    /// What it was identified by.
    #[serde(rename = "identity")]
    pub keys: Vec<IdentityKey>,
    /// When it was first seen here.
    pub first_seen: Timestamp,
    /// When it was last seen here.
    pub last_seen: Timestamp,
}

/// One identity: everywhere that a project with this evidence was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityRecord {
    /// The version of this form.
    pub v: u32,
    /// The evidence.
    pub key: IdentityKey,
    /// The places, the last seen first.
    #[serde(default)]
    pub places: Vec<Place>,
}

/// A place where a project was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The store of its memory.
    pub store: StoreId,
    /// Where that memory lay.
    pub memory_dir: Utf8PathBuf,
    /// The project's root directory.
    pub path: Utf8PathBuf,
    /// When it was last seen there.
    pub seen: Timestamp,
}

/// One look at a project: what a command knows when it runs there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The project's memory directory.
    pub memory_dir: Utf8PathBuf,
    /// The project's encoded name.
    pub slug: String,
    /// The project's root directory.
    pub path: Utf8PathBuf,
    /// What identifies it.
    pub keys: Vec<IdentityKey>,
    /// When.
    pub time: Timestamp,
}

impl ProjectRecord {
    /// A memory directory that has not been used yet.
    #[must_use]
    pub fn new(store: StoreId, memory_dir: &Utf8Path, slug: &str) -> Self {
        Self {
            v: VERSION,
            store,
            memory_dir: memory_dir.to_owned(),
            slug: slug.to_owned(),
            trusted: false,
            paths: Vec::new(),
        }
    }

    /// Takes a sighting in. Evidence about the repository outlives a look that asked only for the directory.
    pub fn sight(&mut self, sighting: &Sighting) {
        let known = self.paths.iter().position(|seen| seen.path == sighting.path);
        let mut seen = match known {
            Some(index) => self.paths.remove(index),
            None => SeenPath {
                path: sighting.path.clone(),
                keys: Vec::new(),
                first_seen: sighting.time,
                last_seen: sighting.time,
            },
        };
        seen.last_seen = seen.last_seen.max(sighting.time);
        if sighting.keys.iter().any(|key| !key.is_inode()) {
            seen.keys.clear();
        } else if !sighting.keys.is_empty() {
            seen.keys.retain(|key| !key.is_inode());
        }
        for key in &sighting.keys {
            if !seen.keys.contains(key) {
                seen.keys.push(key.clone());
            }
        }
        self.paths.push(seen);
        self.paths.sort_by(|one, other| (other.last_seen, &one.path).cmp(&(one.last_seen, &other.path)));
        self.paths.truncate(KEPT);
    }

    /// Whether a sighting would change nothing worth a write: the same place and evidence within a day.
    #[must_use]
    pub fn already_knows(&self, sighting: &Sighting) -> bool {
        self.paths.iter().any(|seen| {
            seen.path == sighting.path
                && sighting.keys.iter().all(|key| seen.keys.contains(key))
                && sighting.time.as_second() - seen.last_seen.as_second() < SECONDS_OF_A_DAY
        })
    }

    /// Whether the project at a path was identified by its repository, not only by its directory, when that had the
    /// remote that it has now.
    #[must_use]
    pub fn knows_repository_at(&self, path: &Utf8Path, remote: Option<&str>) -> bool {
        self.paths.iter().any(|seen| seen.path == path && seen.keys.iter().any(|key| key.has_remote(remote)))
    }

    /// Takes over what another copy of the record knows, so that two writers lose nothing. The older store id
    /// stays with the caller.
    pub fn merge(&mut self, other: &Self) {
        self.trusted |= other.trusted;
        for seen in &other.paths {
            self.sight(&Sighting {
                memory_dir: self.memory_dir.clone(),
                slug: self.slug.clone(),
                path: seen.path.clone(),
                keys: seen.keys.clone(),
                time: seen.last_seen,
            });
            if let Some(own) = self.paths.iter_mut().find(|own| own.path == seen.path) {
                own.first_seen = own.first_seen.min(seen.first_seen);
            }
        }
    }
}

const SECONDS_OF_A_DAY: i64 = 24 * 60 * 60;

impl IdentityRecord {
    /// An identity that was seen nowhere yet.
    #[must_use]
    pub fn new(key: IdentityKey) -> Self {
        Self { v: VERSION, key, places: Vec::new() }
    }

    /// Takes a place in.
    pub fn sight(&mut self, place: Place) {
        self.places.retain(|known| known.path != place.path || known.memory_dir != place.memory_dir);
        self.places.push(place);
        self.places.sort_by(|one, other| (other.seen, &one.path).cmp(&(one.seen, &other.path)));
        self.places.truncate(KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::super::identity::{Evidence, Inode};
    use super::*;

    fn keys(commit: Option<&str>, number: u64) -> Vec<IdentityKey> {
        let inode = Some(Inode { device: 1, number, birth_seconds: 0, birth_nanos: 0 });
        Evidence { inode, root_commit: commit.map(str::to_owned), ..Evidence::default() }.keys()
    }

    fn sighting(path: &str, second: i64, keys: Vec<IdentityKey>) -> Sighting {
        Sighting {
            memory_dir: "/c/projects/-p/memory".into(),
            slug: "-p".into(),
            path: path.into(),
            keys,
            time: Timestamp::from_second(second).unwrap(),
        }
    }

    fn record() -> ProjectRecord {
        ProjectRecord::new(StoreId::new(7), "/c/projects/-p/memory".into(), "-p")
    }

    #[test]
    fn the_written_form_is_the_documented_one() {
        let mut project = record();
        project.sight(&sighting("/p", 0, keys(Some("abc"), 9)));
        let json = serde_json::to_string_pretty(&project).unwrap();
        insta::assert_snapshot!(json, @r#"
        {
          "v": 1,
          "store": "0000000000000007",
          "memory_dir": "/c/projects/-p/memory",
          "slug": "-p",
          "trusted": false,
          "paths": [
            {
              "path": "/p",
              "identity": [
                "clone:abc ",
                "inode:1-9-0.000000000"
              ],
              "first_seen": "1970-01-01T00:00:00Z",
              "last_seen": "1970-01-01T00:00:00Z"
            }
          ]
        }
        "#);
        assert_eq!(serde_json::from_str::<ProjectRecord>(&json).unwrap(), project);
    }

    #[test]
    fn a_cheap_look_refreshes_the_directory_and_keeps_the_repository() {
        let mut project = record();
        project.sight(&sighting("/p", 5, keys(Some("abc"), 1)));
        project.sight(&sighting("/p", 9, keys(None, 2)));
        assert_eq!(project.paths.len(), 1);
        assert_eq!(project.paths[0].keys, keys(Some("abc"), 2));
        assert_eq!(project.paths[0].first_seen.as_second(), 5);
        // A full look replaces everything: another repository is there now.
        project.sight(&sighting("/p", 10, keys(Some("def"), 2)));
        assert_eq!(project.paths[0].keys, keys(Some("def"), 2));
    }

    #[test]
    fn only_a_fresh_sighting_of_the_same_thing_needs_no_write() {
        let mut project = record();
        project.sight(&sighting("/p", 0, keys(Some("abc"), 1)));
        assert!(project.already_knows(&sighting("/p", 60, keys(None, 1))));
        assert!(!project.already_knows(&sighting("/p", 90_000, keys(None, 1))));
        assert!(!project.already_knows(&sighting("/p", 60, keys(None, 2))));
        assert!(!project.already_knows(&sighting("/q", 60, keys(None, 1))));
    }

    #[test]
    fn merging_keeps_what_both_saw() {
        let (mut one, mut other) = (record(), record());
        one.sight(&sighting("/a", 1, keys(Some("x"), 1)));
        other.sight(&sighting("/b", 2, keys(None, 2)));
        other.sight(&sighting("/a", 3, keys(None, 1)));
        other.trusted = true;
        one.merge(&other);
        assert!(one.trusted);
        assert_eq!(one.paths.iter().map(|seen| seen.path.as_str()).collect::<Vec<_>>(), ["/a", "/b"]);
        assert_eq!(one.paths[0].keys, keys(Some("x"), 1));
        assert_eq!(one.paths[0].first_seen.as_second(), 1);
        let before = one.clone();
        one.merge(&other);
        assert_eq!(one, before);
    }

    #[test]
    fn a_file_stays_small() {
        let mut project = record();
        for second in 0..200 {
            project.sight(&sighting(&format!("/{second}"), second, Vec::new()));
        }
        assert_eq!(project.paths.len(), KEPT);
        assert_eq!(project.paths[0].path, "/199");
    }
}
