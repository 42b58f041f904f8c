//! People with a machine each, and a repository that they share.

use std::fs;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::Memory;
use memdir_sync::options::Options;
use memdir_sync::remote::git::DEFAULT_BRANCH;
use memdir_sync::report::SyncReport;
use memdir_sync::team::{Team, TeamError};
use memdir_testkit::{Git, NOW, TestHome};

/// A person with a machine.
pub(crate) struct Person {
    pub(crate) home: TestHome,
}

impl Person {
    pub(crate) fn new() -> Self {
        Self { home: TestHome::new() }
    }

    pub(crate) fn founder(url: &str) -> Self {
        let person = Self::new();
        person.found(url);
        person
    }

    pub(crate) fn found(&self, url: &str) {
        Team::init(&self.home.env(), &flags(), (url, DEFAULT_BRANCH), "Ada", now()).unwrap();
    }

    pub(crate) fn joining(other: &Self, name: &str) -> Self {
        let person = Self::new();
        person.join(&other.team().membership().invite().unwrap(), name).unwrap();
        person
    }

    pub(crate) fn join(&self, token: &str, name: &str) -> Result<SyncReport, TeamError> {
        Team::join(&self.home.env(), &flags(), token, name, now()).map(|(_, report)| report)
    }

    pub(crate) fn try_team(&self) -> Result<Team, TeamError> {
        Team::open(&self.home.env(), &flags())
    }

    pub(crate) fn team(&self) -> Team {
        Team::open(&self.home.env(), &flags()).unwrap()
    }

    pub(crate) fn memory(&self) -> Memory {
        Memory::open(&self.home.env(), &flags()).unwrap()
    }

    pub(crate) fn path(&self, key: &str) -> Utf8PathBuf {
        self.memory().directory().join("team").join(key)
    }

    pub(crate) fn write(&self, key: &str, text: &str) {
        let path = self.path(key);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, key: &str) -> Option<String> {
        fs::read_to_string(self.path(key)).ok()
    }

    pub(crate) fn remove(&self, key: &str) {
        fs::remove_file(self.path(key)).unwrap();
    }

    pub(crate) fn try_sync(&self, options: &Options) -> Result<SyncReport, TeamError> {
        self.team().sync(options, now())
    }

    pub(crate) fn sync(&self) -> SyncReport {
        self.try_sync(&Options::default()).unwrap()
    }

    /// Everything in the team's folder.
    pub(crate) fn shared(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        collect(&self.path(""), "", &mut found);
        found.sort();
        found
    }
}

fn collect(directory: &Utf8PathBuf, prefix: &str, found: &mut Vec<(String, String)>) {
    let Ok(entries) = directory.read_dir_utf8() else { return };
    for entry in entries.map(Result::unwrap) {
        let name = format!("{prefix}{}", entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path().to_owned(), &format!("{name}/"), found);
        } else {
            found.push((name, fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

pub(crate) fn flags() -> ClientFlags {
    ClientFlags::default()
}

pub(crate) fn now() -> Timestamp {
    NOW.parse().unwrap()
}

/// A bare repository that everybody can reach. It is gone with the home that holds it.
pub(crate) struct Repository {
    pub(crate) home: TestHome,
}

impl Repository {
    pub(crate) fn new() -> Self {
        let home = TestHome::new();
        Git::run(home.root(), &["init", "-q", "--bare", "team.git"]);
        Self { home }
    }

    pub(crate) fn directory(&self) -> Utf8PathBuf {
        self.home.root().join("team.git")
    }

    pub(crate) fn url(&self) -> String {
        format!("file://{}", self.directory())
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        Git::run(&self.directory(), arguments)
    }
}
