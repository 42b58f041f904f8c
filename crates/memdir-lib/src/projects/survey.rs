use std::collections::HashMap;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::operation::StoreId;
use memdir_core::project::encode_path::{Scheme, encode_with};
use memdir_core::project::findings::{Flag, KnownPath, judge};
use memdir_core::project::identity::IdentityKey;
use memdir_core::project::registry::{Place, ProjectRecord};
use memdir_core::project::reverse::{Naming, Walker, cut_of, naming};
use memdir_disk::identity_probe::inode_of;
use memdir_disk::project_dirs::{ProjectDir, look_at_one, scan};
use memdir_disk::real_look::RealLook;
use memdir_disk::registry::{Registry, RegistryContent, RegistryError};
use serde::Serialize;

use super::{Projects, is_own_root, lives};

/// Every project directory, and what kept us from knowing more.
#[derive(Debug, Default)]
pub struct Survey {
    /// The directories, in the order of their names.
    pub entries: Vec<ProjectEntry>,
    /// Registry files that could not be read.
    pub problems: Vec<RegistryError>,
}

impl Survey {
    /// Counts the directory of a journal with the project that it belongs to, also if the project moved since.
    #[must_use]
    pub fn with_journals_folded(mut self) -> Self {
        let (journals, mut entries): (Vec<_>, Vec<_>) =
            self.entries.into_iter().partition(ProjectEntry::is_journal);
        for journal in journals {
            let is_at_path = |entry: &ProjectEntry| entry.path == journal.path;
            let is_current = |entry: &ProjectEntry| !entry.flags.contains(&Flag::LegacyName);
            // After a move, the journal still names the old path.
            let was_there =
                |entry: &ProjectEntry| entry.former.iter().any(|path| Some(path) == journal.path.as_ref());
            let find = |is_its: &dyn Fn(&ProjectEntry) -> bool| entries.iter().position(is_its);
            let owner = find(&|entry| is_at_path(entry) && is_current(entry))
                .or_else(|| find(&is_at_path))
                .or_else(|| find(&was_there));
            match owner.and_then(|at| entries.get_mut(at)) {
                Some(owner) => {
                    owner.bytes += journal.bytes;
                    owner.last_used = owner.last_used.max(journal.last_used);
                }
                None => entries.push(journal),
            }
        }
        entries.sort_by(|one, other| one.slug.cmp(&other.slug));
        self.entries = entries;
        self
    }
}

/// One project directory, as `memdir project ls` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectEntry {
    /// The directory's name.
    pub slug: String,
    /// The real path behind it; `None` if it is unknown.
    pub path: Option<Utf8PathBuf>,
    /// The id of its memory, if the registry has one.
    pub store: Option<StoreId>,
    /// How many topic files its memory holds.
    pub memories: u64,
    /// How many transcripts of sessions.
    pub sessions: u64,
    /// The size of all its files.
    pub bytes: u64,
    /// When one of its files last changed.
    pub last_used: Option<Timestamp>,
    /// What there is to know about it.
    pub flags: Vec<Flag>,
    /// Where the project lives now, if it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<Utf8PathBuf>,
    /// Other living paths with the same name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collides_with: Vec<Utf8PathBuf>,
    /// Other living paths with the same identity.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<Utf8PathBuf>,
    /// Every path where the registry knows it to have been.
    #[serde(skip)]
    former: Vec<Utf8PathBuf>,
}

impl ProjectEntry {
    /// Whether this is the directory of a journal and nothing else.
    fn is_journal(&self) -> bool {
        let is_encoded = |path: &Utf8PathBuf| naming(&self.slug, path).is_some();
        self.memories + self.sessions == 0 && self.path.as_ref().is_some_and(|path| !is_encoded(path))
    }
}

impl Projects {
    /// Looks at every directory below `projects/`; writes nothing and starts no process.
    ///
    /// A move is known from the registry alone: record a sighting of the current project first, so that the one
    /// in which the user is is known.
    #[must_use]
    pub fn survey(&self) -> Survey {
        let content = self.registry_content();
        let known = Known::new(&content.projects, &self.projects_dir());
        let directories = scan(&self.projects_dir(), &|slug| known.records.contains_key(slug));
        let mut walker = Walker::new(&RealLook);
        let entries = directories
            .into_iter()
            .map(|directory| {
                let record = known.records.get(directory.slug.as_str()).copied();
                entry(directory, record, &known, &mut walker)
            })
            .collect();
        Survey { entries, problems: content.problems }
    }

    /// The real path behind a directory's name: from the registry, its sessions, or a walk over the disk guided by
    /// the name. A living path is preferred.
    #[must_use]
    pub fn reverse(&self, slug: &str) -> Option<Utf8PathBuf> {
        let mut paths = self.stated_paths(slug);
        if !paths.iter().any(|path| lives(path)) {
            let found = found_on_disk(slug, &paths, &mut Walker::new(&RealLook));
            paths.extend(found.into_iter().next());
        }
        paths.iter().find(|path| lives(path)).or(paths.first()).cloned()
    }

    /// The paths that the registry or, if none of those lives, the sessions state for a directory's name.
    fn stated_paths(&self, slug: &str) -> Vec<Utf8PathBuf> {
        let record = self.registry.as_ref().and_then(|registry| {
            registry.project(&self.projects_dir().join(slug).join("memory")).ok().flatten()
        });
        let recorded = record.iter().flat_map(|record| &record.paths).map(|seen| seen.path.clone());
        let mut paths: Vec<Utf8PathBuf> = recorded.collect();
        if !paths.iter().any(|path| lives(path)) {
            paths.extend(look_at_one(&self.projects_dir(), slug).and_then(|directory| directory.path));
        }
        paths
    }

    /// Whether a directory below `projects/` is that of another living project. A name that one of our own paths
    /// explains is not given up for a guess: two paths that an older client cut to one name both explain it.
    pub(super) fn is_used_by_another(&self, slug: &str, own: &[Utf8PathBuf]) -> bool {
        let is_ours = own.iter().any(|path| naming(slug, path).is_some());
        let owner = match is_ours {
            true => self.stated_paths(slug).into_iter().find(|path| lives(path)),
            false => self.reverse(slug),
        };
        owner.is_some_and(|path| !own.contains(&path) && lives(&path))
    }

    pub(super) fn registry_content(&self) -> RegistryContent {
        self.registry.as_ref().map(Registry::content).unwrap_or_default()
    }
}

/// The registry, turned so that a name and an identity lead to what is known.
struct Known<'record> {
    records: HashMap<&'record str, &'record ProjectRecord>,
    places: HashMap<&'record IdentityKey, Vec<Place>>,
}

impl<'record> Known<'record> {
    fn new(projects: &'record [ProjectRecord], projects_dir: &Utf8Path) -> Self {
        let mut known = Self { records: HashMap::new(), places: HashMap::new() };
        for project in projects {
            let directory = project.memory_dir.strip_prefix(projects_dir).ok().and_then(Utf8Path::parent);
            if let Some(slug) = directory.filter(|slug| !slug.as_str().contains('/')) {
                known.records.insert(slug.as_str(), project);
            }
            for seen in &project.paths {
                for key in &seen.keys {
                    known.places.entry(key).or_default().push(Place {
                        store: project.store.clone(),
                        memory_dir: project.memory_dir.clone(),
                        path: seen.path.clone(),
                        seen: seen.last_seen,
                    });
                }
            }
        }
        known
    }
}

fn entry(
    directory: ProjectDir,
    record: Option<&ProjectRecord>,
    known: &Known<'_>,
    walker: &mut Walker<'_>,
) -> ProjectEntry {
    let slug = &directory.slug;
    let seen = record.into_iter().flat_map(|record| &record.paths);
    let mut paths: Vec<KnownPath> =
        seen.map(|seen| KnownPath { path: seen.path.clone(), keys: seen.keys.clone() }).collect();
    let without_keys = |path: Utf8PathBuf| KnownPath { path, keys: Vec::new() };
    paths.extend(directory.path.map(without_keys));
    let known_paths: Vec<Utf8PathBuf> = paths.iter().map(|known| known.path.clone()).collect();
    paths.extend(found_on_disk(slug, &known_paths, walker).into_iter().map(without_keys));
    let renamed: Vec<Place> = record
        .filter(|_| !paths.iter().any(|known| lives(&known.path)))
        .map(renamed_places)
        .unwrap_or_default();
    let places_of = |key: &IdentityKey| {
        let mut places = known.places.get(key).cloned().unwrap_or_default();
        places.extend(renamed.iter().cloned());
        places
    };
    if let Some(path) = paths.iter().find(|known| lives(&known.path)).map(|known| known.path.clone()) {
        let others = cut_alike(slug, &path).into_iter();
        paths.extend(others.filter(|other| known_paths.iter().all(|known| known != other)).map(without_keys));
    }
    let found = judge(slug, &paths, &places_of, &lives);
    ProjectEntry {
        path: found.path,
        store: record.map(|record| record.store.clone()),
        memories: directory.memories,
        sessions: directory.sessions,
        bytes: directory.bytes,
        last_used: directory.last_used,
        flags: found.flags,
        moved_to: found.moved_to,
        collides_with: found.collides_with,
        copies: found.copies,
        former: record.into_iter().flat_map(|record| &record.paths).map(|seen| seen.path.clone()).collect(),
        slug: directory.slug,
    }
}

/// A directory below another with this encoded name, whether it is a project of its own or not.
pub(crate) fn directory_below(root: &Utf8Path, slug: &str) -> Option<Utf8PathBuf> {
    Walker::new(&RealLook).find(slug).into_iter().find(|path| path.starts_with(root))
}

/// Living projects besides the known ones that explain a name, those that today's scheme explains first. Names of
/// journals are not encoded paths and lead nowhere.
fn found_on_disk(slug: &str, known: &[Utf8PathBuf], walker: &mut Walker<'_>) -> Vec<Utf8PathBuf> {
    // A name that was cut leads everywhere below: not worth a walk if its path is known.
    let is_found = cut_of(slug).is_some() && known.iter().any(|path| lives(path));
    if !slug.starts_with('-') || is_found {
        return Vec::new();
    }
    let found = walker.find(slug).into_iter().filter(|path| !known.contains(path));
    let (roots, parts): (Vec<_>, Vec<_>) = found.partition(|path| is_own_root(path));
    // An older client kept one directory for each subdirectory and worktree. They explain a name that nothing else does.
    let is_explained = !roots.is_empty() || known.iter().any(|path| lives(path));
    let mut found = if is_explained { roots } else { parts };
    found.sort_by_key(|path| (naming(slug, path) != Some(Naming::Current), path.as_str().len()));
    found
}

/// Directories beside one with a name that was cut to 89 units, which the cut gives the same name.
pub(super) fn cut_alike(slug: &str, path: &Utf8Path) -> Vec<Utf8PathBuf> {
    let name = |path: &Utf8Path| encode_with(Scheme::Observed89, path.as_str());
    if !matches!(cut_of(slug), Some(88..=89)) || name(path) != slug {
        return Vec::new();
    }
    // The part of the path at which the name is full: what differs from there on is not in the name.
    let Some(full) = path.ancestors().take_while(|part| name(part) == slug).last() else { return Vec::new() };
    let Some(Ok(entries)) = full.parent().map(fs::read_dir) else { return Vec::new() };
    let names = entries.take(MAX_SIBLINGS).flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let beside = names.map(|name| full.with_file_name(name));
    beside.filter(|other| other != full && name(other) == slug && lives(other)).collect()
}

/// Where a project went that was renamed itself or below a renamed parent: beside the part of its path that is
/// gone, the same directory is looked for under the new name.
fn renamed_places(record: &ProjectRecord) -> Vec<Place> {
    let mut places = Vec::new();
    for seen in &record.paths {
        let Some(key) = seen.keys.iter().find(|key| key.is_inode()) else { continue };
        let Some(living) = seen.path.ancestors().find(|path| lives(path)) else { continue };
        let Ok(gone) = seen.path.strip_prefix(living) else { continue };
        let below: Utf8PathBuf = gone.components().skip(1).collect();
        let Ok(entries) = fs::read_dir(living) else { continue };
        let names =
            entries.take(MAX_SIBLINGS).flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let candidates = names.map(|name| living.join(name)).map(|path| match below.as_str() {
            "" => path,
            _ => path.join(&below),
        });
        let found = candidates
            .into_iter()
            .find(|path| inode_of(path).map(IdentityKey::of_inode).as_ref() == Some(key));
        places.extend(found.map(|path| Place {
            store: record.store.clone(),
            memory_dir: record.memory_dir.clone(),
            path,
            seen: seen.last_seen,
        }));
    }
    places
}

const MAX_SIBLINGS: usize = 4_096;
