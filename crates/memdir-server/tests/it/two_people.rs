//! Two people with real memory directories, and a server between them.

use std::fs;
use std::net::SocketAddr;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::secrets::Fingerprint;
use memdir_core::settings::ClientFlags;
use memdir_disk::allow_list;
use memdir_lib::memory::Memory;
use memdir_server::limits::Limits;
use memdir_server::token::Scope;
use memdir_sync::options::Options;
use memdir_sync::report::SyncReport;
use memdir_sync::team::{Team, TeamError};
use memdir_testkit::{NOW, TestHome};
use memdir_wire::invitation::Invitation;

use super::engine::InFile;
use super::people::Person;
use super::running::{Running, no_rates};

pub(crate) struct Machine {
    home: TestHome,
}

impl Machine {
    fn path(&self, key: &str) -> Utf8PathBuf {
        let memory = Memory::open(&self.home.env(), &ClientFlags::default()).unwrap();
        memory.directory().join("team").join(key)
    }

    pub(crate) fn write(&self, key: &str, text: &str) {
        let path = self.path(key);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, key: &str) -> Option<String> {
        fs::read_to_string(self.path(key)).ok()
    }

    pub(crate) fn team(&self) -> Team {
        Team::open(&self.home.env(), &ClientFlags::default()).unwrap()
    }

    pub(crate) fn sync(&self) -> (SyncReport, u32) {
        self.try_sync().unwrap()
    }

    pub(crate) fn try_sync(&self) -> Result<(SyncReport, u32), TeamError> {
        self.team().sync_counted(&Options::default(), now())
    }

    /// The names of all files of the team.
    pub(crate) fn files(&self) -> Vec<String> {
        let found = self.path("").read_dir_utf8().unwrap();
        let mut names: Vec<String> = found.map(|entry| entry.unwrap().file_name().to_owned()).collect();
        names.sort();
        names
    }

    pub(crate) fn join(invitation: &str) -> Result<Self, TeamError> {
        let machine = Self { home: TestHome::new() };
        machine.join_by(invitation)?;
        Ok(machine)
    }

    fn join_by(&self, invitation: &str) -> Result<(), TeamError> {
        Team::join(&self.home.env(), &ClientFlags::default(), invitation, "Bob", now()).map(drop)
    }

    fn founding(server: &Running) -> Self {
        Self::founding_at(server, server.address)
    }

    /// A member who reaches the server at another address.
    pub(crate) fn founding_at(server: &Running, address: SocketAddr) -> Self {
        let url = format!("http://{}@{address}/crew", server.team("crew"));
        let machine = Self { home: TestHome::new() };
        Team::init(&machine.home.env(), &ClientFlags::default(), (&url, "memdir"), "Ada", now()).unwrap();
        machine
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
    assert!(ada.sync().1 <= 2, "what is new, and what goes");
    // What both started from is asked for, too.
    let requests = bob.sync().1;
    assert!(requests <= 3, "{requests}");
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
fn the_founder_continues_with_another_token() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let ada = Machine::founding(&server);
    let other = server.token("crew", Scope::Admin, i64::MAX);
    let tokens = server.ask("GET", "/v1/teams/crew/tokens", Some(&other), &[], None).json;
    let lost = tokens["tokens"]
        .as_array()
        .unwrap()
        .iter()
        .find(|item| !other.contains(item["id"].as_str().unwrap()));
    let lost = format!("/v1/teams/crew/tokens/{}", lost.unwrap()["id"].as_str().unwrap());
    assert_eq!(server.ask("DELETE", &lost, Some(&other), &[], None).status, 200);
    ada.write("a.md", "written while the door was closed\n");
    assert!(ada.try_sync().is_err());

    let init = |token: &str, team: &str| {
        let url = format!("http://{token}@{}/{team}", server.address);
        Team::init(&ada.home.env(), &ClientFlags::default(), (&url, "memdir"), "Somebody", now())
    };
    let before = ada.team().membership().settings().address();
    assert!(init(&format!("{}x", &other[..other.len() - 1]), "crew").is_err(), "it opens nothing");
    assert!(matches!(init(&server.team("other"), "other"), Err(TeamError::HasTeam)));
    let (team, report) = init(&other, "crew").unwrap();
    assert_eq!((report.sent.len(), team.membership().settings().name()), (1, "Ada"));
    assert_eq!(ada.team().membership().settings().address(), before);
    let bob = Machine::join(&ada.team().membership().invite().unwrap()).unwrap();
    assert_eq!(bob.files(), ada.files());
}

#[test]
fn a_member_whose_token_ended_continues_with_another_one() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let ada = Machine::founding(&server);
    let bob = Machine::join(&ada.team().membership().invite().unwrap()).unwrap();
    let admin = server.token("crew", Scope::Admin, i64::MAX);
    let tokens = server.ask("GET", "/v1/teams/crew/tokens", Some(&admin), &[], None).json;
    let key = bob.team().membership().key().to_string();
    let of_bob = tokens["tokens"].as_array().unwrap().iter().find(|item| item["member"] == key.as_str());
    let ended = format!("/v1/teams/crew/tokens/{}", of_bob.unwrap()["id"].as_str().unwrap());
    assert_eq!(server.ask("DELETE", &ended, Some(&admin), &[], None).status, 200);
    bob.write("b.md", "written while the door was closed\n");
    let error = bob.try_sync().unwrap_err();
    assert!(error.hint().unwrap().contains("memdir team init"), "{error}");
    let token = server.token("crew", Scope::Write, i64::MAX);
    let url = format!("http://{token}@{}/crew", server.address);
    let (team, report) =
        Team::init(&bob.home.env(), &ClientFlags::default(), (&url, "memdir"), "Somebody", now()).unwrap();
    assert_eq!((report.sent.len(), team.membership().settings().name()), (1, "Bob"));
    assert_eq!(team.membership().key().to_string(), key, "the same member as before");
    ada.sync();
    assert_eq!(ada.read("b.md").as_deref(), Some("written while the door was closed\n"));
}

#[test]
fn a_server_of_format_1_is_upgraded_in_place() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let admin = server.team("crew");
    let ada = Person::founder(1);
    let old = ["a.md", "b.md"].map(|key| ada.entry(key, 1, 1, Some("first\nsecond\nthird\n")));
    let puts = [vec![ada.record(), ada.round(1, 0)], old.to_vec()].concat();
    assert_eq!(ada.publish(&server, ("crew", &admin), None, puts).0.status, 201);
    let there = |key: &str| {
        let files = server.ask("GET", "/v1/teams/crew/files?contents=true", Some(&admin), &[], None).json;
        let path = format!("entries/{key}");
        let file = files["files"].as_array().unwrap().iter().find(|file| file["path"] == path.as_str());
        file.unwrap()["content"].as_str().unwrap().to_owned()
    };
    assert!(there("a.md").contains("<!-- memdir {\"v\":1,"), "{}", there("a.md"));
    let token = server.token("crew", Scope::Invitation, i64::MAX);
    let url = format!("http://{token}@{}/crew", server.address);
    let invitation = Invitation::new(&ada.team, &url, "memdir", &ada.key(), [7; 32]).to_token();
    let bob = Machine::join(&invitation).unwrap();
    assert_eq!(bob.read("a.md").as_deref(), Some("first\nsecond\nthird\n"));
    bob.write("a.md", "first\nsecond\nthird, by Bob\n");
    assert!(bob.sync().0.notices.is_empty());
    assert!(there("a.md").contains("<!-- memdir {\"v\":2,"), "{}", there("a.md"));
    assert!(there("b.md").contains("<!-- memdir {\"v\":1,"), "nobody changed it");
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

#[test]
fn one_memory_that_the_server_refuses_keeps_no_other_from_going() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let ada = Machine::founding(&server);
    let bob = Machine::join(&ada.team().membership().invite().unwrap()).unwrap();
    // Harmless, says Ada; the server knows nothing of that.
    let value = format!("ghp_{}", "R7xQ2mWk9ZpL4vTn8YcJ1sBd6HfGa3EuXo5i");
    let state_dir = ada.home.env().state_dir().unwrap();
    let fingerprint = Fingerprint::of(&value, &allow_list::fingerprint_key(&state_dir).unwrap());
    allow_list::allow(&state_dir, fingerprint).unwrap();
    ada.write("token.md", &format!("an example: {value}\n"));
    ada.write("fine.md", "fine\n");
    for _ in 0..2 {
        let report = ada.sync().0;
        let blocked: Vec<_> = report.blocked.iter().map(|blocked| blocked.path.as_str()).collect();
        assert_eq!(blocked, ["token.md"], "it is said at every sync");
        assert!(report.blocked[0].why.contains("the server refused it: line 1 looks like a secret"));
    }
    bob.sync();
    assert_eq!((bob.read("fine.md").as_deref(), bob.read("token.md")), (Some("fine\n"), None));
    // What comes from others is taken meanwhile, and the memory goes when the secret is gone.
    bob.write("fine.md", "fine, by Bob\n");
    bob.sync();
    ada.write("token.md", "an example without one\n");
    assert!(ada.sync().0.blocked.is_empty());
    bob.sync();
    assert_eq!(ada.read("fine.md").as_deref(), Some("fine, by Bob\n"));
    assert_eq!(bob.read("token.md").as_deref(), Some("an example without one\n"));
}

#[test]
fn an_invitation_is_as_good_as_before_when_the_first_sync_is_refused() {
    let engine = InFile::new();
    // Ada's record, the count and one memory: there is no room for another record.
    let server = Running::with(&engine, Limits { team_files: 2, ..no_rates() });
    let ada = Machine::founding(&server);
    let invitation = ada.team().membership().invite().unwrap();
    let bob = Machine { home: TestHome::new() };
    let refused = bob.join_by(&invitation).unwrap_err().to_string();
    assert!(refused.contains("files"), "{refused}");
    let address = server.address;
    drop(server);
    let _roomier = Running::at(&engine, address);
    bob.join_by(&invitation).unwrap();
    assert!(Machine::join(&invitation).is_err(), "it still brings in one");
    ada.write("a.md", "one\n");
    ada.sync();
    bob.sync();
    assert_eq!(bob.read("a.md").as_deref(), Some("one\n"));
}

#[test]
fn a_member_goes_with_everything_that_they_wrote() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let ada = Machine::founding(&server);
    let bob = Machine::join(&ada.team().membership().invite().unwrap()).unwrap();
    let carol = Machine::join(&ada.team().membership().invite().unwrap()).unwrap();
    bob.write("bob.md", "Bob alone said this\n");
    bob.write("both.md", "Bob said this first\n");
    bob.sync();
    ada.sync();
    ada.write("both.md", "Ada says this\n");
    ada.sync();
    carol.sync();
    assert_eq!(carol.read("bob.md").as_deref(), Some("Bob alone said this\n"));
    let bobs = bob.team().membership().key().to_string();
    let report = ada.team().revoke_with_data(&bobs[..12], now()).unwrap();
    assert!(report.notices.iter().any(|notice| notice.contains("1 memories")), "{report:?}");
    assert!(bob.team().sync(&Options::default(), now()).is_err(), "his access is over");
    for machine in [&carol, &ada] {
        machine.sync();
        assert_eq!(machine.read("bob.md"), None);
        assert_eq!(machine.read("both.md").as_deref(), Some("Ada says this\n"));
    }
    // Not even in what is left of it on disk.
    server.wait(server.store.storage().finish()).unwrap();
    let file = fs::read(engine.path()).unwrap();
    let holds = |text: &str| file.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(holds("Ada says this") && !holds("Bob alone said") && !holds("Bob said this first"));
}
