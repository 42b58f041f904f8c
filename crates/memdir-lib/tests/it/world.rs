use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::project::encode_path::encode;
use memdir_core::project::registry::ProjectRecord;
use memdir_lib::projects::{Here, LookUp, Probe, ProjectEntry, Projects};
use memdir_testkit::{Git, TestHome};

/// A home with projects in it, and the library over it.
pub(crate) struct World {
    pub(crate) home: TestHome,
    pub(crate) projects: Projects,
}

impl World {
    pub(crate) fn new() -> Self {
        let home = TestHome::new();
        let projects = Projects::new(&home.home().join(".claude"), Some(&home.root().join("state")));
        Self { home, projects }
    }

    pub(crate) fn path(&self, path: &str) -> Utf8PathBuf {
        self.home.root().join(path)
    }

    pub(crate) fn dir(&self, path: &str) -> Utf8PathBuf {
        self.home.dir(path)
    }

    pub(crate) fn repository(&self, path: &str) -> Utf8PathBuf {
        let path = self.path(path);
        Git::init(&path, path.as_str());
        path
    }

    pub(crate) fn here(&self, path: &Utf8Path) -> Here {
        self.projects.here(path)
    }

    /// A command ran in a project that has memory.
    pub(crate) fn visit(&self, path: &Utf8Path) -> ProjectRecord {
        self.remember(path, "a.md", "a");
        self.see(path)
    }

    /// A command ran in a project.
    pub(crate) fn see(&self, path: &Utf8Path) -> ProjectRecord {
        let now: Timestamp = memdir_testkit::NOW.parse().unwrap();
        self.projects.record_sighting(&self.here(path), Probe::Full, now).unwrap()
    }

    pub(crate) fn remember(&self, path: &Utf8Path, name: &str, content: &str) {
        self.home.write(self.here(path).memory_dir.join(name), content);
    }

    pub(crate) fn look_up(&self, path: &Utf8Path) -> LookUp {
        self.projects.look_up(&self.here(path))
    }

    /// What the survey says about the directory named after a path.
    pub(crate) fn entry(&self, path: &Utf8Path) -> ProjectEntry {
        let slug = encode(path.as_str());
        self.projects.survey().entries.into_iter().find(|entry| entry.slug == slug).unwrap()
    }

    pub(crate) fn flags(&self, path: &Utf8Path) -> String {
        let flags: Vec<String> = self.entry(path).flags.iter().map(ToString::to_string).collect();
        flags.join(",")
    }
}

pub(crate) fn rename(from: &Utf8Path, to: &Utf8Path) {
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    std::fs::rename(from, to).unwrap();
}
