//! One person, two machines, the same project at two paths.

use std::fs;

use camino::Utf8PathBuf;
use memdir_core::env::Env;
use memdir_lib::memory::Memory;
use memdir_sync::options::Options;
use memdir_sync::personal::{PERSONAL_BRANCH, Personal};
use memdir_sync::report::Report;
use memdir_testkit::{Git, TestHome};

use crate::people::{Repository, flags, now};

struct Machine {
    home: TestHome,
    env: Env,
}

impl Machine {
    /// A machine on which the project lies at a path of its own.
    fn new(project: &str, origin: &TestHome) -> Self {
        let home = TestHome::new();
        let path = home.home().join(project);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        Git::run(&home.home(), &["clone", "-q", &format!("file://{}/origin", origin.root()), path.as_str()]);
        Git::run(&path, &["remote", "set-url", "origin", "https://example.com/us/app.git"]);
        let env = Env { cwd: path, ..home.env() };
        let machine = Self { home, env };
        // A project is recognised once something was written there or a session ended.
        memdir_lib::work::work(&machine.env, &flags(), now(), &now).unwrap();
        machine
    }

    fn memory(&self) -> Utf8PathBuf {
        Memory::open(&self.env, &flags()).unwrap().directory().to_owned()
    }

    fn write(&self, path: Utf8PathBuf, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn claude(&self, path: &str) -> Utf8PathBuf {
        self.home.home().join(".claude").join(path)
    }

    fn sync(&self) -> Report {
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
    Personal::init(&laptop.env, (&repository.url(), PERSONAL_BRANCH), "laptop", now()).unwrap();
    let token = Personal::open(&laptop.env).unwrap().membership().invite().unwrap();
    desktop.write(desktop.memory().join("MEMORY.md"), "- [b](b.md) — two\n");
    desktop.write(desktop.memory().join("b.md"), "Second.\n");
    Personal::join(&desktop.env, &token, "desktop", now()).unwrap();
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
    assert_eq!((laptop.sync(), desktop.sync()), (Report::default(), Report::default()));
}

#[test]
fn a_project_that_is_not_on_this_machine_is_left_alone() {
    let origin = TestHome::new();
    Git::init(&origin.root().join("origin"), "the root");
    let repository = Repository::new();
    let laptop = Machine::new("app", &origin);
    laptop.write(laptop.memory().join("a.md"), "First.\n");
    Personal::init(&laptop.env, (&repository.url(), PERSONAL_BRANCH), "laptop", now()).unwrap();
    let token = Personal::open(&laptop.env).unwrap().membership().invite().unwrap();
    let other_origin = TestHome::new();
    Git::init(&other_origin.root().join("origin"), "another root");
    let desktop = Machine::new("other", &other_origin);
    Personal::join(&desktop.env, &token, "desktop", now()).unwrap();
    assert_eq!(desktop.sync(), Report::default());
    assert!(!desktop.memory().join("a.md").exists());
    // It is still there for the laptop, and for a clone that comes later.
    assert_eq!(laptop.sync().notices.len(), 1);
    assert!(laptop.memory().join("a.md").exists());
}
