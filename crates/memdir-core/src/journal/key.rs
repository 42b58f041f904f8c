//! Under which name a project's journal is, also when two projects would have the same one.

use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use crate::look::{Kind, Look};
use crate::project::reverse::path_in_journal;

/// The file that says whose journal a directory holds, and whether it is kept.
pub const SESSION_FILE: &str = "_session.json";
/// The file that a reader opens first.
pub const INDEX_FILE: &str = "_index.md";
/// The rows that no longer fit into the index, and the sessions that ended.
pub const ARCHIVE_FILE: &str = "_index-archive.md";
/// The folders of a journal, one for each category.
pub const FOLDERS: [&str; 5] = ["decisions", "analysis", "context", "progress", "subagent"];

/// The name of a project's journal below `projects/`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct ProjectKey(String);

impl ProjectKey {
    /// The key that a project has when no other wants it: the directory's own name in lower case, with dashes for
    /// underscores.
    ///
    /// A name that begins with a dash could be one of the client's encoded paths, so it is never used alone.
    #[must_use]
    pub fn of(root: &Utf8Path) -> Self {
        let name = root.file_name().unwrap_or("root").to_lowercase().replace('_', "-");
        if name.starts_with('-') || name.len() > LONGEST {
            return Self::distinct(root);
        }
        Self(name)
    }

    /// The key of a project that came second: its name and six digits of its path's hash.
    #[must_use]
    pub fn distinct(root: &Utf8Path) -> Self {
        let name = root.file_name().unwrap_or("root").to_lowercase().replace('_', "-");
        let end =
            name.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= LONGEST).last();
        let name = name.get(..end.unwrap_or(0)).unwrap_or_default();
        let hash = blake3::hash(root.as_str().as_bytes()).to_hex();
        Self(format!("{name}-{}", hash.get(..6).unwrap_or_default()))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What a file system allows, less the digits that a second project's key gets.
const LONGEST: usize = 243 - 7;

/// Where a project's journal is, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalPlace {
    /// Its name.
    pub key: ProjectKey,
    /// Its directory.
    pub directory: Utf8PathBuf,
    /// Whether there is one.
    pub exists: bool,
    /// The path that it names instead of the project's, where the project was renamed since.
    pub former_path: Option<Utf8PathBuf>,
}

/// A project, as far as finding its journal goes.
#[derive(Debug, Clone, Copy)]
pub struct Project<'a> {
    /// The folder that holds a directory for every project.
    pub projects_dir: &'a Utf8Path,
    /// The project's root directory, links resolved.
    pub root: &'a Utf8Path,
    /// The user's home directory: people write `~/app`.
    pub home: Option<&'a Utf8Path>,
    /// Where the registry knows the project to have been.
    pub former: &'a [Utf8PathBuf],
}

impl Project<'_> {
    /// Finds the journal: under the project's own key, under its second one, or where it was before a rename.
    ///
    /// A journal belongs to the project whose path it names. One that names a path that is gone belongs to this
    /// project only if the registry knows that path as a former one.
    #[must_use]
    pub fn find_journal(&self, look: &dyn Look) -> JournalPlace {
        let (own, second) = (ProjectKey::of(self.root), ProjectKey::distinct(self.root));
        let whose = self.whose(&own, look);
        for (key, whose) in [(&own, &whose), (&second, &self.whose(&second, look))] {
            match whose {
                Whose::Ours { former } => return self.place(key.clone(), true, former.clone()),
                Whose::Unsaid => return self.place(key.clone(), true, None),
                Whose::Others | Whose::Free => {}
            }
        }
        for path in self.former.iter().filter(|path| path.as_path() != self.root) {
            for key in [ProjectKey::of(path), ProjectKey::distinct(path)] {
                // Once it was written after the rename, it names the new path under the old key.
                if let Whose::Ours { former } = self.whose(&key, look) {
                    return self.place(key, true, former);
                }
            }
        }
        self.place(if whose == Whose::Free { own } else { second }, false, None)
    }

    fn place(&self, key: ProjectKey, exists: bool, former_path: Option<Utf8PathBuf>) -> JournalPlace {
        JournalPlace { directory: self.projects_dir.join(key.as_str()), key, exists, former_path }
    }

    fn whose(&self, key: &ProjectKey, look: &dyn Look) -> Whose {
        let directory = self.projects_dir.join(key.as_str());
        if look.kind(&directory) != Some(Kind::Dir) {
            return if look.kind(&directory).is_some() { Whose::Others } else { Whose::Free };
        }
        let read = |name: &str| look.read(&directory.join(name), MAX_SESSION_BYTES).ok();
        let named = read(SESSION_FILE)
            .and_then(|session| self.absolute(&path_in_journal(&session)?))
            .or_else(|| self.absolute(Utf8Path::new(&path_of_index(&read(INDEX_FILE)?)?)));
        match named {
            Some(path) if path == self.root || look.real_path(&path).as_deref() == Some(self.root) => {
                Whose::Ours { former: None }
            }
            Some(path) if self.former.contains(&path) && look.kind(&path).is_none() => {
                Whose::Ours { former: Some(path) }
            }
            Some(_) => Whose::Others,
            // If both files were deleted, the records are left: they are the truth, and their name is all there is.
            None if FOLDERS.iter().any(|folder| look.kind(&directory.join(folder)) == Some(Kind::Dir)) => {
                Whose::Unsaid
            }
            None => Whose::Free,
        }
    }

    fn absolute(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        match (path.strip_prefix("~"), self.home) {
            (Ok(below), Some(home)) => Some(home.join(below)),
            _ => path.is_absolute().then(|| path.to_owned()),
        }
    }
}

/// Far more than a session file holds.
const MAX_SESSION_BYTES: u64 = 1 << 20;

#[derive(Debug, PartialEq, Eq)]
enum Whose {
    Ours {
        former: Option<Utf8PathBuf>,
    },
    /// There are records, and nothing says whose.
    Unsaid,
    Others,
    Free,
}

/// The path that the head of an index names.
fn path_of_index(index: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(index);
    let head = text.lines().take(20).take_while(|line| !line.starts_with("## "));
    head.filter_map(|line| line.strip_prefix("Path:")).map(|path| path.trim().to_owned()).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::MapLook;

    #[test]
    fn a_key_is_the_directorys_name_made_plain() {
        let check = |path: &str, expected: &str| assert_eq!(ProjectKey::of(path.into()).as_str(), expected);
        check("/home/u/workspace/korweb_companion_app", "korweb-companion-app");
        check("/home/u/projects/my-cool-app", "my-cool-app");
        check("/home/u/My_App.rs", "my-app.rs");
        check("/", "root");
        // The client's own name for `/home` is `-home`.
        for path in ["/x/-home", "/x/_home"] {
            let key = ProjectKey::of(path.into());
            assert!(
                key == ProjectKey::distinct(path.into()) && key.as_str().len() == "-home-".len() + 6,
                "{key}"
            );
        }
        assert!(ProjectKey::of(format!("/{}", "ü".repeat(120)).as_str().into()).as_str().len() <= 243);
    }

    fn find(look: &MapLook, root: &str, former: &[&str]) -> String {
        let former: Vec<Utf8PathBuf> = former.iter().map(|path| Utf8PathBuf::from(*path)).collect();
        let project = Project {
            projects_dir: "/c/projects".into(),
            root: root.into(),
            home: Some("/h".into()),
            former: &former,
        };
        let JournalPlace { directory, exists, former_path, .. } = project.find_journal(look);
        let state = if exists { "found" } else { "new" };
        let former = former_path.map(|path| format!(" of {path}")).unwrap_or_default();
        format!("{state} {directory}{former}")
    }

    #[test]
    fn two_projects_of_one_name_have_two_journals() {
        let session = |path: &str| format!("{{\"active\": true, \"projectPath\": \"{path}\"}}");
        let look = MapLook::default()
            .file("/a/app/x", "")
            .file("/b/app/x", "")
            .file("/c/projects/app/_session.json", session("/a/app"));
        let second = ProjectKey::distinct("/b/app".into());
        assert_eq!(find(&look, "/a/app", &[]), "found /c/projects/app");
        assert_eq!(find(&look, "/b/app", &[]), format!("new /c/projects/{second}"));
        let look = look.file(&format!("/c/projects/{second}/_session.json"), session("/b/app"));
        assert_eq!(find(&look, "/b/app", &[]), format!("found /c/projects/{second}"));
        assert_eq!(find(&look, "/a/app", &[]), "found /c/projects/app");
    }

    #[test]
    fn a_rename_is_followed_only_where_the_registry_knows_it() {
        let look = MapLook::default()
            .file("/h/new/x", "")
            .file("/c/projects/old/_session.json", "{\"projectPath\": \"/h/old\"}")
            .file("/c/projects/new2/_session.json", "{\"projectPath\": \"/gone/new2\"}");
        assert_eq!(find(&look, "/h/new", &["/h/old"]), "found /c/projects/old of /h/old");
        assert_eq!(find(&look, "/h/new", &[]), "new /c/projects/new");
        assert!(find(&look, "/h/new2", &[]).starts_with("new /c/projects/new2-"));
        let written_since = MapLook::default()
            .file("/h/new/x", "")
            .file("/c/projects/old/_session.json", "{\"projectPath\": \"/h/new\"}");
        assert_eq!(find(&written_since, "/h/new", &["/h/old"]), "found /c/projects/old");
        // A copy is not a rename: the old path lives.
        let copied = look.file("/h/old/x", "");
        assert_eq!(find(&copied, "/h/new", &["/h/old"]), "new /c/projects/new");
    }

    #[test]
    fn a_journal_without_its_session_is_known_by_its_index_or_its_name() {
        let index =
            MapLook::default().file("/c/projects/app/_index.md", "# Memory Index: app\nPath: ~/app\n");
        assert_eq!(find(&index, "/h/app", &[]), "found /c/projects/app");
        assert!(find(&index, "/x/app", &[]).starts_with("new /c/projects/app-"));
        let files = MapLook::default().file("/c/projects/app/decisions/x.md", "");
        assert_eq!(find(&files, "/x/app", &[]), "found /c/projects/app");
        let clients = MapLook::default().file("/c/projects/app/memory/MEMORY.md", "");
        assert_eq!(find(&clients, "/x/app", &[]), "new /c/projects/app");
    }
}
