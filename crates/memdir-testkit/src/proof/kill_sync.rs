use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use memdir_wire::canonical::canonical;

use super::report::ProofReport;
use crate::{Git, NOW, TestHome};

/// Kills a sync that takes, sends, merges, keeps twice, renames and deletes, before each of its system calls (or every
/// `every`th), and checks that the next syncs end where an undisturbed one ends.
#[must_use]
pub fn kill_sync(program: &Utf8Path, every: usize) -> ProofReport {
    let mut report = ProofReport::new("Kill: a sync with a team, at every call");
    let ground = SyncGround::new(program);
    ground.save();
    ground.settle().unwrap();
    let expected = [ground.files("ada"), ground.files("bob")];
    if expected[0] != expected[1] || expected[0].len() < 6 {
        report.fail(format!("an undisturbed sync does not end equal: {expected:?}"));
    }
    ground.restore();
    let calls = ground.calls();
    let mut killed = 0;
    for (name, number) in calls.iter().step_by(every.max(1)) {
        ground.restore();
        let inject = format!("inject={name}:signal=KILL:when={number}");
        let trace = format!("trace={name}");
        let prefix = ["strace", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
        let output = ground.run(&prefix, "bob", &["team", "sync"]);
        killed += usize::from(output.status.code().is_none());
        if let Err(error) = ground.settle() {
            report.fail(format!("killed at {name} {number}: {error}"));
            continue;
        }
        for (person, expected) in ["ada", "bob"].iter().zip(&expected) {
            let found = ground.files(person);
            if found != *expected {
                report.fail(format!(
                    "killed at {name} {number}: {person} has {found:?} instead of {expected:?}"
                ));
            }
        }
    }
    report.count("system calls of the sync", calls.len());
    report.count("killed", killed);
    report
}

/// Two people and a repository, which can be set back to how they were.
struct SyncGround {
    home: TestHome,
    program: Utf8PathBuf,
}

impl SyncGround {
    fn new(program: &Utf8Path) -> Self {
        let home = TestHome::below(Utf8Path::new("/dev/shm"));
        let ground = Self { home, program: program.to_owned() };
        for person in ["ada", "bob"] {
            ground.home.dir(format!("world/{person}/project"));
        }
        Git::run(&ground.home.root().join("world"), &["init", "-q", "--bare", "team.git"]);
        let url = format!("file://{}/world/team.git", ground.home.root());
        ground.must_run("ada", &["team", "init", &url, "--name", "Ada"]);
        let token = ground.must_run("ada", &["team", "invite"]);
        ground.must_run("bob", &["team", "join", token.trim(), "--name", "Bob", "--local"]);
        for name in ["merged", "twice", "renamed", "deleted-here", "deleted-there", "taken"] {
            ground.write("ada", name, &format!("{name} one\n{name} two\n{name} three\n"));
        }
        for person in ["ada", "bob", "ada"] {
            ground.must_run(person, &["team", "sync"]);
        }
        // Ada has sent all of this; Bob comes back from the train with the other half.
        ground.write("ada", "merged", "merged ONE\nmerged two\nmerged three\n");
        ground.write("ada", "twice", "twice ADA\ntwice two\ntwice three\n");
        ground.write("ada", "renamed", "renamed one\nrenamed two\nrenamed three\nrenamed four\n");
        ground.write("ada", "taken", "taken one\n");
        ground.write("ada", "new-there", "new there\n");
        ground.remove("ada", "deleted-there");
        ground.must_run("ada", &["team", "sync"]);
        ground.write("bob", "merged", "merged one\nmerged two\nmerged three\nmerged four\n");
        ground.write("bob", "twice", "twice BOB\ntwice two\ntwice three\n");
        ground.write("bob", "new-here", "new here\n");
        let text = fs::read_to_string(ground.path("bob", "renamed")).unwrap();
        ground.remove("bob", "renamed");
        ground.write("bob", "new-name", &text);
        ground.remove("bob", "deleted-here");
        ground
    }

    fn person(&self, person: &str) -> Utf8PathBuf {
        self.home.root().join("world").join(person)
    }

    fn path(&self, person: &str, name: &str) -> Utf8PathBuf {
        let project = self.person(person).join("project");
        let slug = memdir_core::project::encode_path::encode(project.as_str());
        self.person(person).join(format!(".claude/projects/{slug}/memory/team/{name}.md"))
    }

    fn write(&self, person: &str, name: &str, text: &str) {
        let path = self.path(person, name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn remove(&self, person: &str, name: &str) {
        fs::remove_file(self.path(person, name)).unwrap();
    }

    fn run(&self, prefix: &[&str], person: &str, arguments: &[&str]) -> Output {
        let words = prefix.iter().copied().chain([self.program.as_str(), "--now", NOW]);
        let mut words = words.chain(arguments.iter().copied());
        let mut command = Command::new(words.next().unwrap());
        command.args(words).current_dir(self.person(person).join("project")).env_clear();
        command.env("HOME", self.person(person)).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command.stdin(Stdio::null()).output().unwrap()
    }

    fn must_run(&self, person: &str, arguments: &[&str]) -> String {
        let output = self.run(&[], person, arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Everybody syncs until nothing moves any more. What a killed sync had started may still run for a moment.
    fn settle(&self) -> Result<(), String> {
        for person in ["bob", "ada", "bob", "ada"] {
            let mut tries = 0;
            loop {
                let output = self.run(&[], person, &["team", "sync"]);
                if output.status.success() {
                    break;
                }
                tries += 1;
                if tries == 20 {
                    return Err(format!("{person} cannot sync: {}", String::from_utf8_lossy(&output.stderr)));
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        Ok(())
    }

    /// The team's folder of a person, as it is shared, and whatever is there that should not.
    fn files(&self, person: &str) -> BTreeMap<String, String> {
        let folder = self.path(person, "x").parent().unwrap().to_owned();
        let mut files = BTreeMap::new();
        for entry in folder.read_dir_utf8().unwrap() {
            let entry = entry.unwrap();
            let text = fs::read_to_string(entry.path()).unwrap();
            files.insert(entry.file_name().to_owned(), canonical(&text).into_owned());
        }
        if self.person(person).join(".local/share/memdir/sync").join("pending").exists() {
            files.insert("pending".to_owned(), String::new());
        }
        files
    }

    /// The calls of Bob's sync, each with its number among those of its name.
    fn calls(&self) -> Vec<(String, usize)> {
        let log = tempfile::NamedTempFile::new().unwrap();
        let path = log.path().to_str().unwrap();
        let output = self.run(&["strace", "-o", path], "bob", &["team", "sync"]);
        assert!(output.status.success(), "under strace: {}", String::from_utf8_lossy(&output.stderr));
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut calls = Vec::new();
        for line in fs::read_to_string(path).unwrap().lines() {
            let name = line.split('(').next().unwrap_or_default();
            let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if !is_name || name.is_empty() || name == "execve" || name.starts_with("exit") {
                continue;
            }
            let number = numbers.entry(name.to_owned()).or_default();
            *number += 1;
            calls.push((name.to_owned(), *number));
        }
        calls
    }

    fn save(&self) {
        copy(&self.home.root().join("world"), &self.home.root().join("kept"));
    }

    /// Puts every file back. The directories stay: another one in the place of a memory directory would be noticed.
    fn restore(&self) {
        let world = self.home.root().join("world");
        // A process that a killed sync left behind may still write there.
        for _ in 0..50 {
            let emptied =
                Command::new("find").args([world.as_str(), "-not", "-type", "d", "-delete"]).status();
            if emptied.unwrap().success() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        copy(&self.home.root().join("kept/."), &world);
    }
}

fn copy(from: &Utf8Path, to: &Utf8Path) {
    let status = Command::new("cp").args(["-a", "--", from.as_str(), to.as_str()]).status().unwrap();
    assert!(status.success(), "cannot copy {from}");
}
