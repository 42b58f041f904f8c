//! What is wrong, or worth knowing, about a project's directory: moved, copied, shared, lost, named the old way.

use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::encode_path::{Scheme, encode, encode_with};
use super::identity::IdentityKey;
use super::registry::{Place, ProjectRecord};
use super::reverse::{Naming, naming};

/// Something to know about a project's directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Flag {
    /// The project lives at another path now, and its memory stayed behind.
    #[serde(rename = "moved")]
    Moved,
    /// The same project lives at another path too.
    #[serde(rename = "copy")]
    Copy,
    /// Two living paths have this one name, so that two projects share one memory.
    #[serde(rename = "collision")]
    Collision,
    /// No living path is known for it.
    #[serde(rename = "orphan")]
    Orphan,
    /// Only an older client's scheme explains the name.
    #[serde(rename = "legacy name")]
    LegacyName,
}

impl fmt::Display for Flag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Moved => "moved",
            Self::Copy => "copy",
            Self::Collision => "collision",
            Self::Orphan => "orphan",
            Self::LegacyName => "legacy name",
        })
    }
}

/// A path that may be the one behind a directory's name, with what identified it when it was last seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownPath {
    /// The path.
    pub path: Utf8PathBuf,
    /// Its identity; empty if it was not looked up.
    pub keys: Vec<IdentityKey>,
}

/// What was found about one directory below `projects/`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// The path behind the name: a living one if there is one.
    pub path: Option<Utf8PathBuf>,
    /// The flags, without repetition.
    pub flags: Vec<Flag>,
    /// Where the project lives now, if it moved.
    pub moved_to: Option<Utf8PathBuf>,
    /// Other living paths with the same name.
    pub collides_with: Vec<Utf8PathBuf>,
    /// Other living paths with the same identity.
    pub copies: Vec<Utf8PathBuf>,
}

/// Judges one directory: its name, the paths that may be behind it (best first), every place where an identity
/// was seen, and whether a path lives.
#[must_use]
pub fn judge(
    slug: &str,
    known: &[KnownPath],
    places_of: &dyn Fn(&IdentityKey) -> Vec<Place>,
    lives: &dyn Fn(&Utf8Path) -> bool,
) -> Findings {
    let living: Vec<&KnownPath> = known.iter().filter(|known| lives(&known.path)).collect();
    let mut findings = Findings {
        path: living.first().copied().or(known.first()).map(|known| known.path.clone()),
        ..Findings::default()
    };
    let elsewhere = |keys: &mut dyn Iterator<Item = &IdentityKey>| {
        let mut found: Vec<Place> = keys
            .flat_map(places_of)
            .filter(|place| known.iter().all(|known| known.path != place.path) && lives(&place.path))
            .collect();
        found.sort_by_key(|place| std::cmp::Reverse(place.seen));
        let mut paths: Vec<Utf8PathBuf> = Vec::new();
        for place in found {
            if !paths.contains(&place.path) {
                paths.push(place.path);
            }
        }
        paths
    };
    if living.is_empty() {
        let found = elsewhere(&mut known.iter().flat_map(|known| &known.keys));
        findings.moved_to = found.into_iter().next();
        findings.flags.push(if findings.moved_to.is_some() { Flag::Moved } else { Flag::Orphan });
    } else {
        // A directory itself cannot be in two places: only its content can have been copied.
        let keys = living.iter().flat_map(|known| &known.keys).filter(|key| !key.is_inode());
        findings.copies = elsewhere(&mut { keys });
        if !findings.copies.is_empty() {
            findings.flags.push(Flag::Copy);
        }
    }
    if let Some(path) = &findings.path {
        findings.collides_with = colliding(slug, path, living.iter().map(|known| known.path.as_path()));
        if !findings.collides_with.is_empty() {
            findings.flags.push(Flag::Collision);
        }
        if naming(slug, path) == Some(Naming::Legacy) {
            findings.flags.push(Flag::LegacyName);
        }
    }
    findings
}

/// What `memdir path` can say about a project at the cost of one or two small files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hints {
    /// Other living projects that share this memory directory because their names are encoded alike.
    pub collides_with: Vec<Utf8PathBuf>,
    /// Where this very project was before, with the memory that it left behind.
    pub moved_from: Option<Place>,
}

/// Judges the project in which a command runs: what the registry knows about its memory directory and about its
/// identity. `holds` says whether a path still is what the evidence says.
#[must_use]
pub fn hint(
    path: &Utf8Path,
    memory_dir: &Utf8Path,
    project: Option<&ProjectRecord>,
    places: &[Place],
    holds: &dyn Fn(&Place) -> bool,
    lives: &dyn Fn(&Utf8Path) -> bool,
) -> Hints {
    let others = project.into_iter().flat_map(|project| &project.paths).map(|seen| seen.path.as_path());
    let others: Vec<&Utf8Path> =
        others.filter(|other| *other != path && encode(other.as_str()) == encode(path.as_str())).collect();
    Hints {
        collides_with: others.into_iter().filter(|other| lives(other)).map(Utf8Path::to_owned).collect(),
        moved_from: places
            .iter()
            .find(|place| place.path != path && place.memory_dir != memory_dir && !holds(place))
            .cloned(),
    }
}

fn colliding<'a>(
    slug: &str,
    path: &Utf8Path,
    living: impl Iterator<Item = &'a Utf8Path>,
) -> Vec<Utf8PathBuf> {
    let name = encode(path.as_str());
    let is_cut_alike = |other: &Utf8Path| {
        slug != name
            && [path, other].iter().all(|path| encode_with(Scheme::Observed89, path.as_str()) == slug)
    };
    let mut found: Vec<Utf8PathBuf> = Vec::new();
    for other in living {
        let is_alike = encode(other.as_str()) == name || is_cut_alike(other);
        if other != path && is_alike && !found.iter().any(|known| known == other) {
            found.push(other.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::identity::{Evidence, Inode};
    use super::*;
    use crate::operation::StoreId;

    fn clone_key(commit: &str) -> IdentityKey {
        Evidence { root_commit: Some(commit.to_owned()), ..Evidence::default() }.keys().remove(0)
    }

    fn inode_key(number: u64) -> IdentityKey {
        IdentityKey::of_inode(Inode { device: 1, number, birth_seconds: 0, birth_nanos: 0 })
    }

    fn known(path: &str, keys: &[IdentityKey]) -> KnownPath {
        KnownPath { path: path.into(), keys: keys.to_vec() }
    }

    fn place(path: &str, second: i64) -> Place {
        Place {
            store: StoreId::new(1),
            memory_dir: format!("/c/projects/{}/memory", encode(path)).into(),
            path: path.into(),
            seen: Timestamp::from_second(second).unwrap(),
        }
    }

    /// Judges with every place having every identity, and the given paths living.
    fn check(slug: &str, known: &[KnownPath], places: &[Place], living: &[&str], expected: &str) {
        let found = judge(slug, known, &|_| places.to_vec(), &|path| living.contains(&path.as_str()));
        let flags: Vec<String> = found.flags.iter().map(ToString::to_string).collect();
        assert_eq!(flags.join(","), expected, "{found:?}");
    }

    #[test]
    fn a_directory_is_judged_by_what_lives() {
        let old = [known("/old", &[inode_key(1), clone_key("c")])];
        check("-old", &old, &[], &["/old"], "");
        check("-old", &old, &[place("/old", 1)], &["/old"], "");
        check("-old", &old, &[place("/new", 2)], &["/new"], "moved");
        check("-old", &old, &[place("/new", 2)], &[], "orphan");
        check("-old", &old, &[place("/new", 2)], &["/new", "/old"], "copy");
        check("-gone", &[], &[], &[], "orphan");
        // Evidence of the directory alone never makes a copy.
        check("-old", &[known("/old", &[inode_key(1)])], &[place("/new", 2)], &["/new", "/old"], "");
    }

    #[test]
    fn names_tell_collisions_and_older_schemes() {
        check("-a-b", &[known("/a_b", &[]), known("/a-b", &[])], &[], &["/a-b", "/a_b"], "collision");
        check("-a-b", &[known("/a_b", &[]), known("/a-b", &[])], &[], &["/a-b"], "");
        check("-a_b", &[known("/a_b", &[])], &[], &["/a_b"], "legacy name");
        check("-a_b", &[known("/a_b", &[])], &[], &[], "orphan,legacy name");
    }

    #[test]
    fn the_last_seen_place_is_where_it_moved() {
        let places = [place("/one", 1), place("/two", 2)];
        let found =
            judge("-old", &[known("/old", &[inode_key(1)])], &|_| places.to_vec(), &|path| path != "/old");
        assert_eq!(found.moved_to.unwrap(), "/two");
        assert_eq!(found.path.unwrap(), "/old");
    }

    #[test]
    fn a_command_hears_of_its_neighbours_and_its_past() {
        let mut project = ProjectRecord::new(StoreId::new(1), "/m".into(), "-a-b");
        for path in ["/a_b", "/a-b", "/other"] {
            project.sight(&crate::project::registry::Sighting {
                memory_dir: "/m".into(),
                slug: "-a-b".into(),
                path: path.into(),
                keys: Vec::new(),
                time: Timestamp::UNIX_EPOCH,
            });
        }
        let places = [place("/a_b", 3), place("/living", 2), place("/gone", 1)];
        let hints = hint(
            "/a_b".into(),
            "/m".into(),
            Some(&project),
            &places,
            &|place| place.path == "/living",
            &|_| true,
        );
        assert_eq!(hints.collides_with, ["/a-b"]);
        assert_eq!(hints.moved_from.unwrap().path, "/gone");
    }
}
