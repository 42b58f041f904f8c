//! Two people with real memory directories, and a server between them.

use std::fs;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::Memory;
use memdir_sync::options::Options;
use memdir_sync::report::Report;
use memdir_sync::team::{Team, TeamError};
use memdir_testkit::{NOW, TestHome};

use super::engine::InFile;
use super::running::Running;

struct Machine {
    home: TestHome,
}

impl Machine {
    fn path(&self, key: &str) -> Utf8PathBuf {
        let memory = Memory::open(&self.home.env(), &ClientFlags::default()).unwrap();
        memory.directory().join("team").join(key)
    }

    fn write(&self, key: &str, text: &str) {
        let path = self.path(key);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, key: &str) -> Option<String> {
        fs::read_to_string(self.path(key)).ok()
    }

    fn team(&self) -> Team {
        Team::open(&self.home.env(), &ClientFlags::default()).unwrap()
    }

    fn sync(&self) -> (Report, u32) {
        self.team().sync_counted(&Options::default(), now()).unwrap()
    }

    fn join(invitation: &str) -> Result<Self, TeamError> {
        let home = TestHome::new();
        Team::join(&home.env(), &ClientFlags::default(), invitation, "Bob", now())?;
        Ok(Self { home })
    }
}

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

#[test]
fn what_one_writes_the_other_reads_and_both_edits_merge() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let url = format!("http://{}@{}/crew", server.team("crew"), server.address);
    let ada = Machine { home: TestHome::new() };
    ada.write("deploy.md", "first\nsecond\nthird\n");
    Team::init(&ada.home.env(), &ClientFlags::default(), (&url, "memdir"), "Ada", now()).unwrap();
    let address = ada.team().membership().settings().address();
    assert!(!address.contains("memdir_"), "{address}");

    let invitation = ada.team().membership().invite().unwrap();
    let bob = Machine::join(&invitation).unwrap();
    assert_eq!(bob.read("deploy.md").as_deref(), Some("first\nsecond\nthird\n"));
    assert!(Machine::join(&invitation).is_err(), "an invitation works once");
    ada.sync();
    assert_eq!((ada.sync().1, bob.sync().1), (1, 1), "nothing to do is one request");

    ada.write("deploy.md", "first, by Ada\nsecond\nthird\n");
    bob.write("deploy.md", "first\nsecond\nthird, by Bob\n");
    assert!(ada.sync().1 <= 3);
    // What both started from is asked for, too.
    let requests = bob.sync().1;
    assert!(requests <= 4, "{requests}");
    ada.sync();
    for machine in [&ada, &bob] {
        assert_eq!(machine.read("deploy.md").as_deref(), Some("first, by Ada\nsecond\nthird, by Bob\n"));
    }
    let log = ada.team().membership().log(10).unwrap();
    assert_eq!(log.first().map(|commit| commit.author.as_str()), Some("Bob"));
    // A deletion travels, too.
    fs::remove_file(bob.path("deploy.md")).unwrap();
    bob.sync();
    ada.sync();
    assert_eq!(ada.read("deploy.md"), None);
}

#[test]
fn a_server_that_was_restored_from_a_backup_gets_everything_again() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let token = server.team("crew");
    let url = format!("http://{token}@{}/crew", server.address);
    let ada = Machine { home: TestHome::new() };
    ada.write("a.md", "one\n");
    ada.write("b.md", "kept\n");
    Team::init(&ada.home.env(), &ClientFlags::default(), (&url, "memdir"), "Ada", now()).unwrap();
    let backup = InFile::new();
    let other = Running::on(&backup);
    let rows = other
        .wait(memdir_server::copy::copy(server.store.storage().as_ref(), other.store.storage().as_ref()));
    assert!(rows.unwrap() > 0);
    ada.write("a.md", "two\n");
    ada.write("c.md", "new\n");
    ada.sync();
    // The same place, as it was before.
    let address = server.address;
    drop(server);
    let restored = Running::at(&backup, address);
    let (report, _) = ada.sync();
    assert!(report.notices.iter().any(|notice| notice.contains("went back")), "{report:?}");
    ada.sync();
    let files =
        restored.ask("GET", "/v1/teams/crew/files?contents=true", Some(&token), &[], None).json.to_string();
    for text in ["two\\n", "kept\\n", "new\\n"] {
        assert!(files.contains(text), "{text}: {files}");
    }
    for (key, text) in [("a.md", "two\n"), ("b.md", "kept\n"), ("c.md", "new\n")] {
        assert_eq!(ada.read(key).as_deref(), Some(text));
    }
    assert_eq!(fs::read_dir(ada.path("")).unwrap().count(), 4, "no copies: three memories and the index");
}
