//! One person with two machines, and a server of their own between them.

use std::fs;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::env::Env;
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::Memory;
use memdir_sync::options::Options;
use memdir_sync::personal::{PERSONAL_BRANCH, Personal};
use memdir_testkit::{Git, NOW, TestHome};

use super::engine::InFile;
use super::running::Running;

#[test]
fn private_memory_and_its_index_follow_their_user() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let url = format!("http://{}@{}/mine", server.team("mine"), server.address);
    let now: Timestamp = NOW.parse().unwrap();
    let origin = TestHome::new();
    Git::init(&origin.dir("origin"), "first");
    let (laptop, desktop) = (TestHome::new(), TestHome::new());
    let project = |home: &TestHome, name: &str| {
        let path = home.home().join(name);
        fs::create_dir_all(home.home()).unwrap();
        Git::run(&home.home(), &["clone", "-q", &format!("file://{}/origin", origin.root()), path.as_str()]);
        Git::run(&path, &["remote", "set-url", "origin", "https://example.com/us/app.git"]);
        Env { cwd: path, ..home.env() }
    };
    let (here, there) = (project(&laptop, "here"), project(&desktop, "there"));
    let file = |env: &Env, name: &str| -> Utf8PathBuf {
        Memory::open(env, &ClientFlags::default()).unwrap().directory().join(name)
    };
    for env in [&here, &there] {
        fs::create_dir_all(file(env, "")).unwrap();
    }
    fs::write(file(&here, "MEMORY.md"), "# Index\n\n- [one](one.md) - first\n").unwrap();
    fs::write(file(&here, "one.md"), "---\nname: one\nmetadata:\n  type: user\n---\n\nabout me\n").unwrap();
    Personal::init(&here, (&url, PERSONAL_BRANCH), "laptop", now).unwrap();
    let invitation = Personal::open(&here).unwrap().membership().invite().unwrap();
    fs::write(file(&there, "MEMORY.md"), "# Index\n\n- [two](two.md) - second\n").unwrap();
    fs::write(file(&there, "two.md"), "the second\n").unwrap();
    Personal::join(&there, &invitation, "desktop", now).unwrap();
    Personal::open(&here).unwrap().sync(&Options::default(), now).unwrap();
    for env in [&here, &there] {
        let index = fs::read_to_string(file(env, "MEMORY.md")).unwrap();
        assert!(index.contains("(one.md)") && index.contains("(two.md)"), "{index}");
        assert!(fs::read_to_string(file(env, "one.md")).unwrap().ends_with("about me\n"));
        assert_eq!(fs::read_to_string(file(env, "two.md")).unwrap(), "the second\n");
    }
}
