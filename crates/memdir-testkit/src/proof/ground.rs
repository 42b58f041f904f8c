use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_core::env::Env;
use memdir_core::operation::{AuthorKind, StoreId};
use memdir_core::rel_path::TEMPORARY_PREFIX;
use memdir_disk::history::{History, Outcome};

use super::mounts::Mounts;
use crate::{NOW, TestHome};

/// Every visible file of a memory directory with its content.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// A home in which the real program writes, and which can be set back to how it was.
pub(super) struct Ground {
    pub(super) home: Arc<TestHome>,
    program: Utf8PathBuf,
    memory_dir: Utf8PathBuf,
    mounts: Option<Mounts>,
}

impl Ground {
    /// A home in memory, where a sync costs nothing.
    pub(super) fn in_memory(program: &Utf8Path) -> Self {
        let shared = Utf8Path::new("/dev/shm");
        assert!(shared.is_dir(), "the proofs need a tmpfs at {shared}");
        Self::below(shared, program)
    }

    /// A home below any directory.
    pub(super) fn below(directory: &Utf8Path, program: &Utf8Path) -> Self {
        let home = Arc::new(TestHome::below(directory));
        let slug = memdir_core::project::encode_path::encode(home.project().as_str());
        let memory_dir = home.home().join(".claude/projects").join(slug).join("memory");
        Self { home, program: program.to_owned(), memory_dir, mounts: None }
    }

    /// A home that is a small, private tmpfs.
    pub(super) fn mounted(program: &Utf8Path, options: &str) -> Self {
        let ground = Self::in_memory(program);
        let (home, project) = (ground.home.home(), ground.home.project());
        ground
            .with_mounts(&format!("mount -t tmpfs -o mode=700,{options} proof '{home}' && mkdir '{project}'"))
    }

    /// The same home, seen through mounts that a line of shell makes.
    pub(super) fn with_mounts(&self, line: &str) -> Self {
        let mounts = Mounts::new();
        mounts.run(line);
        Self {
            home: Arc::clone(&self.home),
            program: self.program.clone(),
            memory_dir: self.memory_dir.clone(),
            mounts: Some(mounts),
        }
    }

    /// Where its own, private mounts are made.
    pub(super) fn mounts(&self) -> &Mounts {
        self.mounts.as_ref().unwrap()
    }

    /// A path of this home as this process can reach it.
    fn seen(&self, path: &Utf8Path) -> Utf8PathBuf {
        self.mounts.as_ref().map_or(path.to_owned(), |mounts| mounts.seen(path))
    }

    /// Where the memories are, as this process can reach it.
    pub(super) fn memory_dir(&self) -> Utf8PathBuf {
        self.seen(&self.memory_dir)
    }

    fn state_dir(&self) -> Utf8PathBuf {
        let env = Env { home: Some(self.home.home()), cwd: self.home.project(), vars: [].into() };
        self.seen(&env.state_dir().unwrap())
    }

    /// The words of a command of the program, for whatever runs it.
    pub(super) fn words(&self, arguments: &[&str]) -> Vec<String> {
        let program = [self.program.as_str(), "--now", NOW];
        program.iter().chain(arguments).map(|&word| word.to_owned()).collect()
    }

    /// A command of the program in the project folder, behind the given words (a tracer, say).
    pub(super) fn command_behind(&self, prefix: &[&str], arguments: &[&str]) -> Command {
        let words = self.words(arguments);
        let inside =
            self.mounts.as_ref().map(|mounts| mounts.entry(&self.home.project())).unwrap_or_default();
        let words = words.iter().map(String::as_str);
        let mut all = inside.iter().map(String::as_str).chain(prefix.iter().copied()).chain(words);
        let mut command = Command::new(all.next().unwrap());
        command.args(all).current_dir(self.home.project()).env_clear();
        command.env("HOME", self.home.home()).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command.env("TMPDIR", self.home.root());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        self.command_behind(&[], arguments)
    }

    /// Runs a command that has to succeed.
    pub(super) fn must_run(&self, arguments: &[&str]) {
        let output = self.command(arguments).output().unwrap();
        assert!(acknowledged(&output), "{arguments:?}: {}", stderr(&output));
    }

    /// The visible files: what a person or an agent finds.
    ///
    /// What follows from the records of a journal, and the mark of the last dream, are left out: they are made again.
    pub(super) fn files(&self) -> Files {
        let mut files = Files::new();
        self.walk_stores(&mut |name, path| {
            let is_derived = DERIVED.contains(&name);
            if !is_temporary(name) && !is_derived {
                files.insert(name.to_owned(), fs::read(path).unwrap_or_default());
            }
        });
        files
    }

    /// Visits the files of memory, journal and profile.
    fn walk_stores(&self, visit: &mut dyn FnMut(&str, &Utf8Path)) {
        let memory = self.memory_dir();
        walk(&memory, "", visit);
        let Some(config) = memory.ancestors().nth(3) else { return };
        walk(&config.join("projects/project"), "journal/", visit);
        walk(&config.join("user"), "user/", visit);
    }

    /// What should not be there while no process writes: temporary files, and operations without an end.
    pub(super) fn leftovers(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.walk_stores(&mut |name, _| {
            if is_temporary(name) {
                found.push(format!("temporary file {name}"));
            }
        });
        walk(&self.state_dir(), "", &mut |name, _| {
            // The cache is derived. Its temporary names are fixed, so the next writer replaces what a killed one left.
            let is_cache = name.starts_with("cache/");
            if !is_cache && (name.ends_with(".tmp") || is_temporary(name)) {
                found.push(format!("temporary file {name} among our state"));
            }
        });
        for (operation, outcome) in self.operations() {
            if outcome == Outcome::Open {
                found.push(format!("operation without an end: {operation}"));
            }
        }
        found
    }

    /// What the histories of this home hold of our own operations: why, and how it ended.
    pub(super) fn operations(&self) -> Vec<(String, Outcome)> {
        let state_dir = self.state_dir();
        let Ok(stores) = state_dir.join("history").read_dir_utf8() else { return Vec::new() };
        let names = stores.map(|store| store.unwrap().file_name().to_owned());
        let histories = names.map(|store| History::of(&state_dir, &StoreId(store)).read().unwrap());
        histories
            .flat_map(|recorded| recorded.operations)
            .filter(|(operation, _)| operation.author.kind != AuthorKind::Foreign)
            .map(|(operation, outcome)| (operation.reason, outcome))
            .collect()
    }

    fn histories(&self) -> Vec<History> {
        let state_dir = self.state_dir();
        let Ok(stores) = state_dir.join("history").read_dir_utf8() else { return Vec::new() };
        let names = stores.map(|store| StoreId(store.unwrap().file_name().to_owned()));
        names.map(|store| History::of(&state_dir, &store)).collect()
    }

    /// Every version that the histories of this home name and hold, with the reason of its operation.
    pub(super) fn versions(&self) -> Vec<(String, Vec<u8>)> {
        let mut versions = Vec::new();
        for history in self.histories() {
            for (operation, _) in history.read().unwrap().operations {
                let hashes = operation.changes.iter().flat_map(|change| [change.before, change.after]);
                let contents = history.contents(&hashes.flatten().collect()).unwrap();
                versions.extend(contents.into_values().map(|content| (operation.reason.clone(), content)));
                versions.push((operation.reason.clone(), operation.reason.into_bytes()));
            }
        }
        versions
    }

    /// What of the histories cannot be read.
    pub(super) fn damages(&self) -> Vec<String> {
        self.histories().iter().flat_map(|history| history.read().unwrap().problems).collect()
    }

    /// The files of the histories.
    pub(super) fn segments(&self) -> Vec<Utf8PathBuf> {
        let entries = self.histories().into_iter().flat_map(|history| history.dir().read_dir_utf8().unwrap());
        entries.map(|entry| entry.unwrap().into_path()).collect()
    }

    /// Keeps everything as it is now under a name.
    pub(super) fn save(&self, name: &str) {
        let kept = self.home.root().join(name);
        let _ = fs::remove_dir_all(&kept);
        copy(&self.seen(&self.home.home()), &kept);
    }

    /// Sets everything back to how it was when it was saved.
    pub(super) fn restore(&self, name: &str) {
        let home = self.seen(&self.home.home());
        for entry in home.read_dir_utf8().unwrap() {
            let entry = entry.unwrap();
            let path = entry.path();
            if entry.file_name() != "project" {
                fs::remove_dir_all(path).or_else(|_| fs::remove_file(path)).unwrap();
            }
        }
        copy(&self.home.root().join(name), &home);
    }
}

const DERIVED: [&str; 4] =
    [".consolidate-lock", "journal/_index.md", "journal/_index-archive.md", "journal/_session.json"];

/// Whether a command said that it did what it was asked to. The memory tool has its own way of saying no.
pub(super) fn acknowledged(output: &Output) -> bool {
    output.status.success() && !String::from_utf8_lossy(&output.stdout).contains("\"is_error\":true")
}

pub(super) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

fn is_temporary(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|last| last.starts_with(TEMPORARY_PREFIX))
}

/// Visits every file below a directory, with its name relative to it.
fn walk(directory: &Utf8Path, prefix: &str, visit: &mut dyn FnMut(&str, &Utf8Path)) {
    let Ok(entries) = directory.read_dir_utf8() else { return };
    for entry in entries {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(entry.path(), &format!("{name}/"), visit),
            _ => visit(&name, entry.path()),
        }
    }
}

fn copy(from: &Utf8Path, to: &Utf8Path) {
    fs::create_dir_all(to).unwrap();
    fs::set_permissions(to, fs::Permissions::from_mode(0o700)).unwrap();
    for entry in from.read_dir_utf8().unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}
