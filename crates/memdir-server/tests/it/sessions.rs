//! Sessions that are thrown away: one variable lets them in, and nothing of them stays.

use std::fs;

use camino::Utf8PathBuf;
use jiff::Timestamp;
use memdir_core::env::{Env, MEMDIR_TEAM_TOKEN};
use memdir_core::settings::ClientFlags;
use memdir_lib::memory::Memory;
use memdir_server::token::{Scope, Token};
use memdir_sync::options::Options;
use memdir_sync::report::SyncReport;
use memdir_sync::team::{Team, TeamError};
use memdir_testkit::{NOW, TestHome};
use memdir_wire::session_token::SessionToken;

use super::engine::InFile;
use super::people::Person;
use super::running::Running;

/// A machine, with or without a token in its environment.
struct Machine {
    home: TestHome,
    token: Option<String>,
}

impl Machine {
    fn founding(server: &Running) -> Self {
        let machine = Self { home: TestHome::new(), token: None };
        let url = format!("http://{}@{}/crew", server.team("crew"), server.address);
        machine.write("deploy.md", "first\nsecond\nthird\n");
        Team::init(&machine.env(), &ClientFlags::default(), (&url, "memdir"), "Ada", now()).unwrap();
        machine
    }

    fn with(token: &str) -> Self {
        Self { home: TestHome::new(), token: Some(token.to_owned()) }
    }

    fn env(&self) -> Env {
        let vars = self.token.iter().map(|token| (MEMDIR_TEAM_TOKEN.to_owned(), token.clone())).collect();
        Env { vars, ..self.home.env() }
    }

    fn team(&self) -> Team {
        Team::open_first(&self.env(), &ClientFlags::default(), now()).unwrap()
    }

    fn sync(&self) -> Result<SyncReport, TeamError> {
        self.team().sync(&Options::default(), now())
    }

    fn folder(&self) -> Utf8PathBuf {
        Memory::open(&self.env(), &ClientFlags::default()).unwrap().directory().join("team")
    }

    fn write(&self, key: &str, text: &str) {
        fs::create_dir_all(self.folder()).unwrap();
        fs::write(self.folder().join(key), text).unwrap();
    }

    fn read(&self, key: &str) -> Option<String> {
        fs::read_to_string(self.folder().join(key)).ok()
    }
}

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

/// The half of a session's token that the server knows.
fn on_server(token: &str) -> String {
    let remote = SessionToken::from_text(token).unwrap().remote;
    remote.trim_start_matches("http://").split_once('@').unwrap().0.to_owned()
}

#[test]
fn a_session_takes_part_without_joining_and_leaves_nothing_behind() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let ada = Machine::founding(&server);
    let token = ada.team().session_token("ci", (false, 1), now()).unwrap();
    for round in ["one", "two"] {
        let session = Machine::with(&token);
        assert!(session.team().is_session());
        session.sync().unwrap();
        assert!(session.read("deploy.md").unwrap().ends_with("second\nthird\n"));
        session.write("deploy.md", &format!("first, by {round}\nsecond\nthird\n"));
        session.write(&format!("{round}.md"), &format!("found by session {round}\n"));
        let ended = session.team().end_session(now()).unwrap();
        assert_eq!(ended.kept, Vec::<String>::new());
        assert_eq!(session.folder().read_dir_utf8().map_or(0, Iterator::count), 0);
        let left = session.home.tree("home");
        for text in ["second", "found by", &token, &on_server(&token)] {
            assert!(!left.contains(text), "{text}: {left}");
        }
        let memory = Memory::open(&session.env(), &ClientFlags::default()).unwrap();
        let log = memory.log(100).unwrap();
        for change in log.operations.iter().flat_map(|operation| &operation.changes) {
            for hash in [change.before, change.after].into_iter().flatten() {
                assert_eq!(memory.recorded(hash).unwrap(), None, "{change:?}");
            }
        }
        let report = ada.sync().unwrap();
        assert!(report.received.iter().all(|came| came.by == "ci"), "{report:?}");
        assert_eq!(ada.read(&format!("{round}.md")), Some(format!("found by session {round}\n")));
        assert_eq!(ada.read("deploy.md"), Some(format!("first, by {round}\nsecond\nthird\n")));
    }
    let members = ada.team().membership().status().unwrap().roster.members().count();
    assert_eq!(members, 2, "two sessions are one member");
    // Another member joins as before.
    ada.team().membership().invite().unwrap();

    let late = Machine::with(&token);
    late.sync().unwrap();
    ada.team().revoke("ci", now()).unwrap();
    late.write("late.md", "too late\n");
    assert!(late.sync().is_err());
    assert_eq!(late.read("late.md").as_deref(), Some("too late\n"), "nothing is lost here");
    ada.sync().unwrap();
    assert_eq!(ada.read("late.md"), None);
}

#[test]
fn a_session_that_may_only_receive_sends_nothing() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let ada = Machine::founding(&server);
    let token = ada.team().session_token("reader", (true, 7), now()).unwrap();
    let session = Machine::with(&token);
    session.sync().unwrap();
    assert_eq!(session.read("deploy.md").as_deref(), Some("first\nsecond\nthird\n"));
    session.write("deploy.md", "mine\nsecond\nthird\n");
    session.write("new.md", "new\n");
    let report = session.sync().unwrap();
    assert!(report.sent.is_empty(), "{report:?}");
    let blocked: Vec<&str> = report.blocked.iter().map(|refused| refused.path.as_str()).collect();
    assert_eq!(blocked, ["deploy.md", "new.md"]);
    ada.write("deploy.md", "first\nsecond\nthird, by Ada\n");
    ada.sync().unwrap();
    session.sync().unwrap();
    assert_eq!(session.read("deploy.md").as_deref(), Some("mine\nsecond\nthird, by Ada\n"));
    ada.sync().unwrap();
    assert_eq!(ada.read("new.md"), None);
    let ended = session.team().end_session(now()).unwrap();
    assert_eq!(ended.kept, ["deploy.md", "new.md"], "what was never sent stays");
    assert_eq!(session.read("new.md").as_deref(), Some("new\n"));
}

#[test]
fn a_sessions_token_lets_nobody_in_and_ends() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let ada = Machine::founding(&server);
    let token = ada.team().session_token("ci", (false, 1), now()).unwrap();
    let (session, bearer) = (Machine::with(&token), on_server(&token));
    session.sync().unwrap();
    assert!(session.team().membership().invite().is_err());
    assert!(session.team().session_token("more", (false, 400), now()).is_err());
    assert!(session.team().revoke("Ada", now()).is_err());
    for (path, body) in [("invitations", "{\"v\":1}"), ("tokens", "{\"v\":1,\"scope\":\"admin\"}")] {
        let answer = server.ask("POST", &format!("/v1/teams/crew/{path}"), Some(&bearer), &[], Some(body));
        assert_eq!(answer.status, 403, "{path}: {}", answer.json);
    }
    // Signed as it should be, a record of a new member is refused all the same.
    let parts = SessionToken::from_text(&token).unwrap();
    let seed = hex(&parts.key.to_hex());
    let ci = Person { seed, team: parts.team.clone(), record: parts.member.clone() };
    let mallory = Person::invited_by(&ci, 9);
    let head = server.ask("GET", "/v1/teams/crew/head", Some(&bearer), &[], None).json;
    let head = memdir_core::content_hash::ContentHash::from_hex(head["version"].as_str().unwrap());
    let puts = vec![mallory.record(), ci.round(9, 0)];
    let (answer, _) = ci.publish(&server, ("crew", &bearer), head, puts);
    assert_eq!((answer.status, answer.code()), (403, "forbidden"), "{}", answer.json);

    let expired = server.token("crew", Scope::Session, now().as_second());
    assert!(Token::parse(&expired).is_some());
    let remote = parts.remote.replace(&bearer, &expired);
    let late = Machine::with(&SessionToken { remote, ..parts }.to_text());
    let error = late.sync().unwrap_err().to_string();
    assert!(error.contains("too old"), "{error}");
    let bad = Machine { home: TestHome::new(), token: Some("memdir-session-1:x".to_owned()) };
    let opened = Team::open_first(&bad.env(), &ClientFlags::default(), now());
    assert!(matches!(opened, Err(TeamError::NoSessionToken)));
}

fn hex(text: &str) -> [u8; 32] {
    let mut seed = [0; 32];
    for (place, byte) in seed.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * place..2 * place + 2], 16).unwrap();
    }
    seed
}
