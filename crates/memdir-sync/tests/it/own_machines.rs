//! One person, two machines, the same project at two paths.

use std::time::Duration;
use std::{fs, thread};

use camino::Utf8PathBuf;
use memdir_core::env::Env;
use memdir_core::operation::Author;
use memdir_lib::memory::Memory;
use memdir_sync::options::Options;
use memdir_sync::personal::{PERSONAL_BRANCH, Personal};
use memdir_sync::report::{ChangeKind, SyncReport};
use memdir_sync::team::Team;
use memdir_testkit::{Git, TestHome};

use crate::people::{Repository, flags, now};

pub(crate) struct Machine {
    home: TestHome,
    pub(crate) env: Env,
}

impl Machine {
    /// A machine on which the project lies at a path of its own.
    pub(crate) fn new(project: &str, origin: &TestHome) -> Self {
        let home = TestHome::new();
        let path = home.home().join(project);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        Git::run(&home.home(), &["clone", "-q", &format!("file://{}/origin", origin.root()), path.as_str()]);
        Git::run(&path, &["remote", "set-url", "origin", "https://example.com/us/app.git"]);
        let env = Env { cwd: path, ..home.env() };
        Self { home, env }
    }

    /// The same machine in another of its directories.
    fn at(&self, directory: &str) -> Env {
        Env { cwd: self.home.home().join(directory), ..self.env.clone() }
    }

    fn clone_to(&self, url: &str, directory: &str) -> Utf8PathBuf {
        let path = self.home.home().join(directory);
        Git::run(&self.home.home(), &["clone", "-q", url, path.as_str()]);
        path
    }

    pub(crate) fn init(&self, repository: &Repository, name: &str) -> SyncReport {
        Personal::init(&self.env, (&repository.url(), PERSONAL_BRANCH), name, now()).unwrap().1
    }

    pub(crate) fn join(&self, other: &Self, name: &str) -> SyncReport {
        let token = other.personal().membership().invite().unwrap();
        Personal::join(&self.env, &token, name, now()).unwrap().1
    }

    fn personal(&self) -> Personal {
        Personal::open(&self.env).unwrap()
    }

    fn left_out(&self) -> Vec<String> {
        let left_out = self.personal().left_out(now()).unwrap();
        left_out.into_iter().map(|left_out| format!("{}: {}", left_out.path, left_out.why)).collect()
    }

    pub(crate) fn memory(&self) -> Utf8PathBuf {
        Memory::open(&self.env, &flags()).unwrap().directory().to_owned()
    }

    pub(crate) fn write(&self, path: Utf8PathBuf, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn claude(&self, path: &str) -> Utf8PathBuf {
        self.home.home().join(".claude").join(path)
    }

    pub(crate) fn sync(&self) -> SyncReport {
        Personal::open(&self.env).unwrap().sync(&Options::default(), now()).unwrap().0
    }
}

#[test]
fn memory_profile_and_agents_follow_their_user() {
    let origin = TestHome::new();
    Git::init(&origin.root().join("origin"), "the root");
    let repository = Repository::new();
    let laptop = Machine::new("Users/a/app", &origin);
    let desktop = Machine::new("work/app", &origin);

    laptop.write(laptop.memory().join("MEMORY.md"), "# Mine\n\n- [a](a.md) — one\n");
    laptop.write(laptop.memory().join("a.md"), "---\nname: a\nmetadata:\n  type: user\n---\n\nI like tea.\n");
    laptop.write(laptop.memory().join("team/shared.md"), "The team's.\n");
    laptop.write(laptop.claude("user/preferences.md"), "# Preferences\n\n- Small commits\n");
    laptop.write(laptop.claude("agent-memory/reviewer/MEMORY.md"), "- [style](style.md) — how\n");
    laptop.init(&repository, "laptop");
    desktop.write(desktop.memory().join("MEMORY.md"), "- [b](b.md) — two\n");
    desktop.write(desktop.memory().join("b.md"), "Second.\n");
    desktop.join(&laptop, "desktop");
    laptop.sync();

    for machine in [&laptop, &desktop] {
        let index = fs::read_to_string(machine.memory().join("MEMORY.md")).unwrap();
        assert!(index.contains("(a.md)") && index.contains("(b.md)") && index.contains("# Mine"), "{index}");
        assert!(fs::read_to_string(machine.memory().join("a.md")).unwrap().contains("I like tea."));
        assert!(machine.memory().join("b.md").exists());
        assert!(machine.claude("user/preferences.md").exists());
        assert!(machine.claude("agent-memory/reviewer/MEMORY.md").exists());
    }
    // What belongs to a team travels with the team.
    assert!(!desktop.memory().join("team/shared.md").exists());
    assert_eq!((laptop.sync(), desktop.sync()), (SyncReport::default(), SyncReport::default()));
}

#[test]
fn a_project_whose_memory_is_off_is_neither_read_nor_deleted_elsewhere() {
    let origin = TestHome::new();
    Git::init(&origin.root().join("origin"), "the root");
    let repository = Repository::new();
    let mut laptop = Machine::new("app", &origin);
    laptop.write(laptop.memory().join("a.md"), "First.\n");
    laptop.init(&repository, "laptop");
    let desktop = Machine::new("app", &origin);
    desktop.join(&laptop, "desktop");

    let settings = laptop.env.cwd.join(".claude/settings.local.json");
    laptop.write(settings, "{\"autoMemoryEnabled\": false}\n");
    laptop.write(laptop.memory().join("a.md"), "Changed while memory is off.\n");
    laptop.env = laptop.at("");
    let left_out = laptop.left_out();
    assert!(left_out.iter().any(|why| why.contains("memory is off there")), "{left_out:?}");
    laptop.sync();
    desktop.sync();
    assert_eq!(fs::read_to_string(desktop.memory().join("a.md")).unwrap(), "First.\n");
}

#[test]
fn a_project_that_is_not_on_this_machine_is_left_alone_until_it_is() {
    let origin = TestHome::new();
    Git::init(&origin.root().join("origin"), "the root");
    let repository = Repository::new();
    let laptop = Machine::new("app", &origin);
    laptop.write(laptop.memory().join("a.md"), "First.\n");
    laptop.init(&repository, "laptop");
    let other_origin = TestHome::new();
    Git::init(&other_origin.root().join("origin"), "another root");
    let mut desktop = Machine::new("other", &other_origin);
    Git::run(&desktop.env.cwd, &["remote", "set-url", "origin", "https://example.com/us/other.git"]);
    desktop.join(&laptop, "desktop");
    assert_eq!(desktop.sync(), SyncReport::default());
    assert!(!desktop.memory().join("a.md").exists());
    let left_out = desktop.left_out();
    assert!(left_out.len() == 1 && left_out[0].starts_with("app-"), "{left_out:?}");
    // It is still there for the laptop, and for a clone that comes later, even if no machine sends anything in between.
    assert_eq!(laptop.sync().notices.len(), 1);
    assert!(laptop.memory().join("a.md").exists());
    let clone = desktop.clone_to(&format!("file://{}/origin", origin.root()), "elsewhere");
    Git::run(&clone, &["remote", "set-url", "origin", "git@example.com:us/app"]);
    desktop.env.cwd = clone;
    assert_eq!(desktop.sync().received.len(), 1);
    assert_eq!(fs::read_to_string(desktop.memory().join("a.md")).unwrap(), "First.\n");
    assert_eq!((desktop.left_out(), desktop.sync()), (vec![], SyncReport::default()));
    // A clone that goes again deletes nothing anywhere.
    fs::remove_dir_all(&desktop.env.cwd).unwrap();
    desktop.env.cwd = desktop.home.home();
    assert_eq!((desktop.sync().sent, laptop.sync().received), (vec![], vec![]));
}

#[test]
fn a_fresh_machine_gets_the_memory_of_every_project_that_is_there() {
    let origin = TestHome::new();
    Git::init(&origin.root().join("origin"), "the root");
    let repository = Repository::new();
    let laptop = Machine::new("Users/a/app", &origin);
    // Cloned from a folder: no address on a network tells that they are one.
    Git::init(&laptop.home.home().join("Users/a/tool"), "a tool");
    let tool = Env { cwd: laptop.home.home().join("Users/a/tool"), ..laptop.env.clone() };
    laptop.write(laptop.memory().join("a.md"), "First.\n");
    laptop.write(Memory::open(&tool, &flags()).unwrap().directory().join("t.md"), "Of the tool.\n");
    memdir_lib::work::work(&tool, &flags(), now(), &now).unwrap();
    laptop.init(&repository, "laptop");

    let mut desktop = Machine::new("work/app", &origin);
    let clone = desktop.clone_to(tool.cwd.as_str(), "work/tool");
    let plain = desktop.at("notes");
    desktop.home.dir("home/notes");
    let notes = Memory::open(&plain, &flags()).unwrap().directory().to_owned();
    desktop.write(notes.join("n.md"), "Only here.\n");
    // The client worked in both, and none of our commands ever did.
    for (memory, cwd) in [(&notes, &plain.cwd), (&tool_memory(&desktop, &clone), &clone)] {
        let line = format!(r#"{{"type":"user","cwd":"{cwd}","message":{{"role":"user","content":"x"}}}}"#);
        desktop.write(memory.parent().unwrap().join("s.jsonl"), &format!("{line}\n"));
    }
    desktop.join(&laptop, "desktop");
    assert_eq!(fs::read_to_string(desktop.memory().join("a.md")).unwrap(), "First.\n");
    desktop.env.cwd = clone;
    assert_eq!(fs::read_to_string(desktop.memory().join("t.md")).unwrap(), "Of the tool.\n");
    let left_out = desktop.left_out();
    assert!(left_out.len() == 1 && left_out[0].contains("notes: it has no repository"), "{left_out:?}");
    assert_eq!(laptop.sync().received, vec![]);
}

fn tool_memory(machine: &Machine, clone: &Utf8PathBuf) -> Utf8PathBuf {
    let env = Env { cwd: clone.clone(), ..machine.env.clone() };
    Memory::open(&env, &flags()).unwrap().directory().to_owned()
}

#[test]
fn a_remote_that_was_named_later_makes_both_the_same_project() {
    let origin = TestHome::new();
    Git::init(&origin.root().join("origin"), "the root");
    let repository = Repository::new();
    let laptop = Machine::new("app", &origin);
    Git::run(&laptop.env.cwd, &["remote", "remove", "origin"]);
    memdir_lib::work::work(&laptop.env, &flags(), now(), &now).unwrap();
    Git::run(&laptop.env.cwd, &["remote", "add", "origin", "https://example.com/us/app.git"]);
    laptop.write(laptop.memory().join("a.md"), "First.\n");
    laptop.init(&repository, "laptop");
    let desktop = Machine::new("app", &origin);
    desktop.join(&laptop, "desktop");
    assert!(desktop.memory().join("a.md").exists());
}

#[test]
fn what_cannot_be_merged_is_listed_with_the_paths_of_both() {
    let origin = TestHome::new();
    Git::init(&origin.root().join("origin"), "the root");
    let repository = Repository::new();
    let (laptop, desktop) = (Machine::new("app", &origin), Machine::new("work/app", &origin));
    laptop.write(laptop.memory().join("a.md"), "Mondays.\n");
    laptop.init(&repository, "laptop");
    desktop.join(&laptop, "desktop");
    laptop.write(laptop.memory().join("a.md"), "Tuesdays.\n");
    desktop.write(desktop.memory().join("a.md"), "Fridays.\n");
    assert_eq!(desktop.personal().conflicts(now()).unwrap(), vec![]);
    laptop.sync();
    let report = desktop.sync();
    assert!(report.conflicts[0].path.starts_with("projects/app-"), "{report:?}");
    let told = laptop.sync().notices;
    assert!(told.len() == 1 && told[0].contains("a.md` is kept twice, the other version is"), "{told:?}");
    for machine in [&laptop, &desktop] {
        let found = machine.personal().conflicts(now()).unwrap();
        assert_eq!((found.len(), &found[0].path), (1, &machine.memory().join("a.md")));
        let texts = [&found[0].path, &found[0].kept_as].map(|path| fs::read_to_string(path).unwrap());
        assert_eq!(texts, ["Tuesdays.\n", "Fridays.\n"]);
    }
    // It is over when one of the two is gone, whichever.
    fs::remove_file(laptop.memory().join("a.md")).unwrap();
    laptop.sync();
    desktop.sync();
    for machine in [&laptop, &desktop] {
        assert_eq!(machine.personal().conflicts(now()).unwrap(), vec![]);
    }
}

#[test]
fn a_machine_that_was_lost_is_taken_out() {
    let origin = TestHome::new();
    Git::init(&origin.root().join("origin"), "the root");
    let repository = Repository::new();
    let (laptop, desktop) = (Machine::new("app", &origin), Machine::new("app", &origin));
    laptop.init(&repository, "laptop");
    desktop.join(&laptop, "desktop");
    let taken_out = laptop.personal().revoke("desktop", now()).unwrap().taken_out;
    assert!(taken_out.as_ref().is_some_and(|gone| gone.starts_with("desktop (")), "{taken_out:?}");
    desktop.write(desktop.memory().join("a.md"), "From the finder.\n");
    let _ = desktop.personal().sync(&Options::default(), now());
    laptop.sync();
    assert!(!laptop.memory().join("a.md").exists());
    let gone = laptop.personal().revoke("desktop", now()).unwrap_err().to_string();
    assert_eq!(gone, "there is no member `desktop`");
}

#[test]
fn another_clone_of_a_project_deletes_nothing() {
    let origin = TestHome::new();
    Git::init(&origin.root().join("origin"), "the root");
    let repository = Repository::new();
    let laptop = Machine::new("app", &origin);
    let desktop = Machine::new("work/app", &origin);
    laptop.write(laptop.memory().join("a.md"), "First.\n");
    laptop.init(&repository, "laptop");
    desktop.join(&laptop, "desktop");
    // A second clone, which is used last and has no memory.
    let url = format!("file://{}/origin", origin.root());
    let second = laptop.clone_to(&url, "second");
    Git::run(&second, &["remote", "set-url", "origin", "https://example.com/us/app.git"]);
    let second = Machine { env: laptop.at("second"), home: laptop.home };
    // Later than any file of this test was made.
    let later = "2099-01-01T00:00:00Z".parse().unwrap();
    second.personal().sync(&Options::default(), later).unwrap();
    desktop.sync();
    assert!(desktop.memory().join("a.md").exists());
    assert!(second.memory().join("a.md").exists());
    // What is deleted where it is known is deleted.
    fs::remove_file(second.memory().join("a.md")).unwrap();
    second.personal().sync(&Options::default(), later).unwrap();
    desktop.sync();
    assert!(!desktop.memory().join("a.md").exists());
}

#[test]
fn an_index_without_lines_is_one() {
    let origin = TestHome::new();
    Git::init(&origin.root().join("origin"), "the root");
    let repository = Repository::new();
    let laptop = Machine::new("app", &origin);
    let desktop = Machine::new("work/app", &origin);
    laptop.write(laptop.memory().join("a.md"), "First.\n");
    laptop.write(laptop.memory().join("MEMORY.md"), "- [a](a.md) — one\n");
    laptop.init(&repository, "laptop");
    desktop.join(&laptop, "desktop");
    fs::remove_file(laptop.memory().join("a.md")).unwrap();
    laptop.write(laptop.memory().join("MEMORY.md"), "");
    // The program that writes it may have emptied it first.
    let why = &laptop.sync().blocked[0].why;
    assert_eq!(why, "it is empty: another process may be writing it");
    thread::sleep(Duration::from_millis(2_200));
    assert_eq!(laptop.sync().sent.len(), 1);
    desktop.sync();
    assert_eq!(fs::read_to_string(desktop.memory().join("MEMORY.md")).unwrap(), "");
    assert_eq!((laptop.sync(), desktop.sync()), (SyncReport::default(), SyncReport::default()));
    // Another file that is empty never goes.
    laptop.write(laptop.memory().join("b.md"), "");
    thread::sleep(Duration::from_millis(2_200));
    assert_eq!(laptop.sync().blocked.len(), 1);
}

#[test]
fn what_went_to_a_team_that_a_machine_is_not_in_is_named_there() {
    let origin = TestHome::new();
    Git::init(&origin.root().join("origin"), "the root");
    let (repository, of_team) = (Repository::new(), Repository::new());
    let laptop = Machine::new("app", &origin);
    let desktop = Machine::new("work/app", &origin);
    for name in ["a.md", "b.md", "c.md", "d.md"] {
        laptop.write(laptop.memory().join(name), &format!("What {name} says.\n"));
    }
    laptop.init(&repository, "laptop");
    desktop.join(&laptop, "desktop");
    let (mut team, _) = Team::init(&laptop.env, &flags(), (&of_team.url(), "memdir"), "Ada", now()).unwrap();
    let plan = team.plan_share("a").unwrap();
    team.memory_mut().apply(&plan, &Author::person(), now()).unwrap();
    team.sync(&Options::default(), now()).unwrap();
    fs::remove_file(laptop.memory().join("b.md")).unwrap();
    laptop.sync();

    let came = desktop.sync();
    let gone = came.received.iter().filter(|came| came.change == ChangeKind::Removed);
    assert_eq!(gone.count(), 2, "{came:?}");
    let shared = format!("`{}/a.md` was shared with a team from another of your machines", desktop.memory());
    assert!(came.notices.len() == 1 && came.notices[0].starts_with(&shared), "{came:?}");
    assert_eq!(desktop.personal().shared_with_teams(now()).unwrap().len(), 1);
    assert_eq!(laptop.personal().shared_with_teams(now()).unwrap(), []);

    let invitation = team.membership().invite().unwrap();
    Team::join(&desktop.env, &flags(), &invitation, "Ada at home", now()).unwrap();
    assert!(desktop.memory().join("team/a.md").exists());
    assert_eq!(desktop.personal().shared_with_teams(now()).unwrap(), []);
}

#[test]
fn an_index_of_which_every_line_changed_is_still_a_list() {
    let origin = TestHome::new();
    Git::init(&origin.root().join("origin"), "the root");
    let repository = Repository::new();
    let laptop = Machine::new("app", &origin);
    let desktop = Machine::new("work/app", &origin);
    for name in ["a", "b", "c", "d"] {
        laptop.write(laptop.memory().join(format!("{name}.md")), "Text.\n");
    }
    laptop.write(laptop.memory().join("MEMORY.md"), "- [a](a.md) — one\n- [b](b.md) — two\n");
    laptop.init(&repository, "laptop");
    desktop.join(&laptop, "desktop");
    laptop.write(laptop.memory().join("MEMORY.md"), "- [c](c.md) — three\n");
    let text = "- [a](a.md) — one\n- [b](b.md) — two\n- [d](d.md) — four\n";
    desktop.write(desktop.memory().join("MEMORY.md"), text);
    laptop.sync();
    assert!(desktop.sync().conflicts.is_empty());
    laptop.sync();
    for machine in [&laptop, &desktop] {
        let index = fs::read_to_string(machine.memory().join("MEMORY.md")).unwrap();
        assert!(index.contains("(c.md)") && index.contains("(d.md)"), "{index}");
        assert!(!index.contains("(a.md)"), "{index}");
    }
}
