//! The life of a team, on every engine.

use memdir_core::content_hash::ContentHash;
use memdir_server::token::{Scope, Token};
use memdir_testkit::NOW;
use memdir_wire::server_api::{PROTOCOL, PartRequest, PublishRequest, version_id};

use super::engine::{Engine, InFile};
use super::people::{Person, put, tag};
use super::running::Running;

#[test]
fn the_life_of_a_team_in_sqlite() {
    story(&InFile::new());
}

pub(crate) fn story(engine: &dyn Engine) {
    let server = Running::on(engine);
    let token = server.team("crew");
    let ada = Person::founder(1);
    let mut onto = begins(&server, &token, &ada);
    onto = changes(&server, &token, &ada, onto);
    onto = grows(&server, &token, &ada, onto);
    onto = lets_others_in(&server, &token, &ada, onto);
    forgets(&server, &token, &ada, onto);
    // Another process on the same database says the same.
    let other = Running::on(engine);
    let paths = ["head", "files", "files?contents=true", "versions", "tokens", "audit"];
    for path in paths.map(|path| format!("/v1/teams/crew/{path}")) {
        let (one, two) = (
            server.ask("GET", &path, Some(&token), &[], None),
            other.ask("GET", &path, Some(&token), &[], None),
        );
        assert_eq!((one.status, &one.json), (200, &two.json), "{path}");
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(server.ask("GET", path, None, &[], None).status, 200);
    }
}

fn begins(server: &Running, token: &str, ada: &Person) -> ContentHash {
    let here = ("crew", token);
    let head = server.ask("GET", "/v1/teams/crew/head", Some(token), &[], None);
    assert_eq!(
        (head.status, &head.json["version"], &head.json["sequence"]),
        (200, &None::<u8>.into(), &0.into())
    );
    let known = server.ask("GET", "/v1/teams/crew/head", Some(token), &[("if-none-match", "\"0\"")], None);
    assert_eq!(known.status, 304);

    let puts = vec![ada.record(), ada.entry("a.md", 1, 1, Some("one\n")), ada.round(1, 0)];
    let request = ada.request(None, puts.clone());
    let body = serde_json::to_string(&request).unwrap();
    let blind = server.ask("POST", "/v1/teams/crew/versions", Some(token), &[], Some(&body));
    assert_eq!((blind.status, blind.code()), (428, "precondition_required"));
    let (first, version) = ada.publish(server, here, None, puts.clone());
    assert_eq!((first.status, &first.json["sequence"]), (201, &1.into()), "{}", first.json);
    let (again, _) = ada.publish(server, here, None, puts);
    assert_eq!(
        (again.status, &again.json["sequence"]),
        (200, &1.into()),
        "an answer may be lost and asked for again"
    );
    let (late, _) = ada.publish(server, here, None, vec![ada.round(2, 0)]);
    assert_eq!((late.status, late.code()), (412, "moved"));

    let head = server.ask("GET", "/v1/teams/crew/head", Some(token), &[], None);
    assert_eq!(head.json["version"], version.to_string());
    assert_eq!(head.json["team"], ada.team.as_str());
    version
}

fn changes(server: &Running, token: &str, ada: &Person, first: ContentHash) -> ContentHash {
    let here = ("crew", token);
    let puts =
        vec![ada.entry("a.md", 2, 2, Some("two\n")), ada.entry("b.md", 1, 2, Some("b\n")), ada.round(2, 0)];
    let (changed, second) = ada.publish(server, here, Some(first), puts);
    assert_eq!(changed.status, 201, "{}", changed.json);
    let delta = server.ask(
        "GET",
        &format!("/v1/teams/crew/files?contents=true&since={first}"),
        Some(token),
        &[],
        None,
    );
    let names = |answer: &serde_json::Value| {
        answer["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| file["path"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&delta.json), ["entries/a.md", "entries/b.md", "round.json"]);
    assert!(delta.json["files"][0]["content"].as_str().unwrap().starts_with("two\n"));
    // A page at a time, and the last one says so.
    let (mut path, mut found) = ("/v1/teams/crew/files?limit=1".to_owned(), Vec::new());
    loop {
        let page = server.ask("GET", &path, Some(token), &[], None);
        found.extend(names(&page.json));
        let next = &page.json["next"];
        if next.is_null() {
            break;
        }
        path = format!(
            "/v1/teams/crew/files?limit=1&sequence={}&path={}",
            next["sequence"],
            next["path"].as_str().unwrap()
        );
    }
    assert_eq!(found.len(), 4, "{found:?}");
    // What a file held before is there for the process that merges.
    let old = ada.entry("a.md", 1, 1, Some("one\n")).content.unwrap();
    let ids = format!("{{\"v\":1,\"ids\":[\"{}\",\"{second}\"]}}", ContentHash::of(old.as_bytes()));
    let contents = server.ask("POST", "/v1/teams/crew/contents", Some(token), &[], Some(&ids));
    assert_eq!(contents.json["contents"], serde_json::json!([old, null]));
    let unknown = server.ask(
        "GET",
        &format!("/v1/teams/crew/files?since={}", ContentHash::of(b"x")),
        Some(token),
        &[],
        None,
    );
    assert_eq!((unknown.status, unknown.code()), (409, "unknown_version"));
    let known = format!("{{\"v\":1,\"versions\":[\"{first}\",\"{second}\",\"{}\"]}}", ContentHash::of(b"x"));
    let known = server.ask("POST", "/v1/teams/crew/known", Some(token), &[], Some(&known));
    assert_eq!(
        (known.json["version"].as_str(), &known.json["sequence"]),
        (Some(second.to_string().as_str()), &2.into())
    );

    // A deletion is an entry, too, and goes when it is old.
    let (gone, third) =
        ada.publish(server, here, Some(second), vec![ada.entry("b.md", 2, 3, None), ada.round(3, 0)]);
    assert_eq!(gone.status, 201, "{}", gone.json);
    let taken = vec![put("entries/b.md", None), ada.round(4, 2)];
    let (early, _) = ada.publish(server, here, Some(third), taken);
    assert_eq!((early.status, early.code()), (422, "kept"));
    let (forgotten, fourth) =
        ada.publish(server, here, Some(third), vec![put("entries/b.md", None), ada.round(4, 3)]);
    assert_eq!(forgotten.status, 201, "{}", forgotten.json);
    let delta = server.ask("GET", &format!("/v1/teams/crew/files?since={third}"), Some(token), &[], None);
    assert_eq!(delta.json["files"][0]["id"], serde_json::Value::Null);
    fourth
}

/// More than one body holds.
fn grows(server: &Running, token: &str, ada: &Person, onto: ContentHash) -> ContentHash {
    let line = "a sentence that one member wrote down for the others to read\n".repeat(50);
    let entries: Vec<_> =
        (0..700).map(|number| ada.entry(&format!("many/{number}.md"), 1, 5, Some(&line))).collect();
    let last = vec![ada.round(5, 3)];
    let version = version_id(&ada.team, Some(&onto), entries.iter().chain(&last));
    let publish = |parts: u32| {
        let request = PublishRequest {
            v: PROTOCOL,
            team: ada.team.clone(),
            version,
            subject: "much".to_owned(),
            parts,
            puts: last.clone(),
        };
        let body = serde_json::to_string(&request).unwrap();
        server.ask(
            "POST",
            "/v1/teams/crew/versions",
            Some(token),
            &[("if-match", &tag(Some(onto)))],
            Some(&body),
        )
    };
    let stranger = Person { team: ada.team.clone(), ..Person::founder(9) };
    let puts = vec![stranger.entry("stranger.md", 1, 5, Some("kept by no server\n"))];
    let part = serde_json::to_string(&PartRequest { v: PROTOCOL, team: ada.team.clone(), puts }).unwrap();
    let path = format!("/v1/teams/crew/parts/{version}/0");
    let forged = server.ask("PUT", &path, Some(token), &[("if-match", &tag(Some(onto)))], Some(&part));
    assert_eq!((forged.status, forged.code()), (422, "not_yours"), "only one's own words wait");
    let parts: Vec<_> = entries.chunks(250).collect();
    for (number, puts) in parts.iter().enumerate() {
        let early = publish(parts.len() as u32);
        assert_eq!((early.status, early.code()), (409, "incomplete"));
        let part = PartRequest { v: PROTOCOL, team: ada.team.clone(), puts: puts.to_vec() };
        let body = serde_json::to_string(&part).unwrap();
        let path = format!("/v1/teams/crew/parts/{version}/{number}");
        let sent = server.ask("PUT", &path, Some(token), &[("if-match", &tag(Some(onto)))], Some(&body));
        assert_eq!(sent.status, 200, "{}", sent.json);
    }
    let published = publish(parts.len() as u32);
    assert_eq!(published.status, 201, "{}", published.json);
    version
}

/// A member goes with everything that they wrote.
fn forgets(server: &Running, token: &str, ada: &Person, onto: ContentHash) {
    let dan = Person::invited_by(ada, 20);
    let text = "only Dan ever said this\n";
    let puts = vec![
        dan.record(),
        dan.entry("dan.md", 1, 9, Some("an earlier word of Dan\n")),
        dan.entry("both.md", 1, 9, Some("both\n")),
        dan.round(9, 3),
    ];
    let own = server.token("crew", Scope::Write, i64::MAX);
    let (came, onto) = dan.publish(server, ("crew", &own), Some(onto), puts);
    assert_eq!(came.status, 201, "{}", came.json);
    let puts = vec![dan.entry("dan.md", 2, 10, Some(text)), dan.round(10, 3)];
    let (came, onto) = dan.publish(server, ("crew", &own), Some(onto), puts);
    assert_eq!(came.status, 201, "{}", came.json);
    let puts = vec![ada.entry("both.md", 2, 11, Some("both, by Ada\n")), ada.round(11, 3)];
    let (came, onto) = ada.publish(server, ("crew", token), Some(onto), puts);
    assert_eq!(came.status, 201, "{}", came.json);
    let path = format!("/v1/teams/crew/members/{}?data=true", dan.key().public());
    let gone = server.ask("DELETE", &path, Some(token), &[], None);
    assert_eq!((gone.status, &gone.json["tokens"], &gone.json["memories"]), (200, &1.into(), &1.into()));
    let since = format!("/v1/teams/crew/files?contents=true&since={onto}");
    let delta = server.ask("GET", &since, Some(token), &[], None);
    assert_eq!(delta.json["files"][0]["path"], "entries/dan.md");
    assert!(delta.json["files"][0]["id"].is_null() && delta.json["files"][1].is_null(), "{}", delta.json);
    let all =
        server.ask("GET", "/v1/teams/crew/files?contents=true", Some(token), &[], None).json.to_string();
    assert!(all.contains("both, by Ada") && !all.contains("only Dan"));
    for put in [
        dan.entry("dan.md", 2, 10, Some(text)),
        dan.entry("dan.md", 1, 9, Some("an earlier word of Dan\n")),
        dan.entry("both.md", 1, 9, Some("both\n")),
    ] {
        let ids = format!("{{\"v\":1,\"ids\":[\"{}\"]}}", ContentHash::of(put.content.unwrap().as_bytes()));
        let found = server.ask("POST", "/v1/teams/crew/contents", Some(token), &[], Some(&ids));
        assert!(found.json["contents"][0].is_null(), "{}", found.json);
    }
    // The team goes on from there.
    let head = server.ask("GET", "/v1/teams/crew/head", Some(token), &[], None);
    let head = ContentHash::from_hex(head.json["version"].as_str().unwrap());
    let puts = vec![ada.entry("dan.md", 3, 12, Some("Ada says it anew\n")), ada.round(12, 3)];
    let (went, _) = ada.publish(server, ("crew", token), head, puts);
    assert_eq!(went.status, 201, "{}", went.json);
}

fn lets_others_in(server: &Running, token: &str, ada: &Person, onto: ContentHash) -> ContentHash {
    let invited = server.ask("POST", "/v1/teams/crew/invitations", Some(token), &[], Some("{\"v\":1}"));
    assert_eq!(invited.status, 201, "{}", invited.json);
    let invitation = invited.json["token"].as_str().unwrap().to_owned();
    let bob = Person::invited_by(ada, 2);
    let own = Token::from_random(&[3; 40]).reveal();
    let join = |own: &str| {
        let body = format!("{{\"v\":1,\"token\":\"{own}\",\"member\":\"{}\"}}", bob.key().public());
        server.ask("POST", "/v1/teams/crew/join", Some(&invitation), &[], Some(&body))
    };
    assert_eq!(join(&own).status, 200);
    assert_eq!(join(&own).status, 200, "the answer may be lost");
    let other = join(&Token::from_random(&[4; 40]).reveal());
    assert_eq!((other.status, other.code()), (409, "invitation_used"));

    let puts = vec![bob.record(), bob.entry("bob.md", 1, 6, Some("from Bob\n")), bob.round(6, 3)];
    let (came, onto) = bob.publish(server, ("crew", &own), Some(onto), puts);
    assert_eq!(came.status, 201, "{}", came.json);
    let (forged, _) = ada.publish(server, ("crew", &own), Some(onto), vec![ada.round(7, 3)]);
    assert_eq!(
        (forged.status, forged.code()),
        (422, "not_yours"),
        "a member cannot sign with another member's key"
    );
    // What Bob makes of his access ends with it.
    let made = server.ask("POST", "/v1/teams/crew/invitations", Some(&own), &[], Some("{\"v\":1}"));
    let (unused, used) = (made.json["token"].as_str().unwrap().to_owned(), Token::from_random(&[5; 40]));
    let made = server.ask("POST", "/v1/teams/crew/invitations", Some(&own), &[], Some("{\"v\":1}"));
    let carol = Person::invited_by(&bob, 7);
    let join = |invitation: &str, token: &Token, member: &Person| {
        let (token, key) = (token.reveal(), member.key().public());
        let body = format!("{{\"v\":1,\"token\":\"{token}\",\"member\":\"{key}\"}}");
        server.ask("POST", "/v1/teams/crew/join", Some(invitation), &[], Some(&body))
    };
    assert_eq!(join(made.json["token"].as_str().unwrap(), &used, &Person::founder(8)).status, 200);
    let made = server.ask("POST", "/v1/teams/crew/invitations", Some(&own), &[], Some("{\"v\":1}"));
    let carols = Token::from_random(&[6; 40]);
    assert_eq!(join(made.json["token"].as_str().unwrap(), &carols, &carol).status, 200);
    let (came, onto) = carol.publish(
        server,
        ("crew", &carols.reveal()),
        Some(onto),
        vec![carol.record(), carol.round(7, 3)],
    );
    assert_eq!(came.status, 201, "{}", came.json);
    // Replaced by Ada, and forgotten with Bob.
    let bobs = ContentHash::of(bob.entry("bob.md", 1, 6, Some("from Bob\n")).content.unwrap().as_bytes());
    let puts = vec![ada.entry("bob.md", 2, 8, Some("from Ada\n")), ada.revocation_of(&bob), ada.round(8, 3)];
    let (out, onto) = ada.publish(server, ("crew", token), Some(onto), puts);
    assert_eq!(out.status, 201, "{}", out.json);
    let (refused, _) = bob.publish(server, ("crew", &own), Some(onto), vec![bob.round(9, 3)]);
    assert_eq!(
        (refused.status, refused.code()),
        (401, "unauthorized"),
        "a removed member reads nothing more"
    );
    let (refused, _) = bob.publish(server, ("crew", token), Some(onto), vec![bob.round(9, 3)]);
    assert_eq!((refused.status, refused.code()), (422, "not_a_member"));
    for ended in [own.clone(), used.reveal()] {
        let path = "/v1/teams/crew/files?contents=true";
        assert_eq!(server.ask("GET", path, Some(&ended), &[], None).status, 401);
    }
    assert_eq!(join(&unused, &Token::from_random(&[8; 40]), &Person::founder(8)).status, 401);
    let kept = server.ask("GET", "/v1/teams/crew/head", Some(&carols.reveal()), &[], None);
    assert_eq!(kept.status, 200, "Carol is a member, although the member who invited her is gone");
    let held = |server: &Running| {
        let ids = format!("{{\"v\":1,\"ids\":[\"{bobs}\"]}}");
        server.ask("POST", "/v1/teams/crew/contents", Some(token), &[], Some(&ids)).json["contents"][0]
            .is_string()
    };
    assert!(held(server));
    let path = format!("/v1/teams/crew/members/{}", bob.key().public());
    assert_eq!(server.ask("DELETE", &path, Some(token), &[], None).status, 200);
    assert!(!held(server));
    assert_eq!(server.ask("GET", "/v1/teams/crew/head", Some(&own), &[], None).status, 401);

    let now = NOW.parse::<jiff::Timestamp>().unwrap().as_second();
    let ended = server.token("crew", Scope::Read, now);
    assert_eq!(server.ask("GET", "/v1/teams/crew/head", Some(&ended), &[], None).status, 401);
    let reader = server.token("crew", Scope::Read, now + 1);
    assert_eq!(server.ask("GET", "/v1/teams/crew/head", Some(&reader), &[], None).status, 200);
    let id = Token::parse(&reader).unwrap().id().to_owned();
    assert_eq!(
        server.ask("DELETE", &format!("/v1/teams/crew/tokens/{id}"), Some(token), &[], None).status,
        200
    );
    assert_eq!(server.ask("GET", "/v1/teams/crew/head", Some(&reader), &[], None).status, 401);
    let tokens = server.ask("GET", "/v1/teams/crew/tokens", Some(token), &[], None);
    assert!(tokens.json["tokens"].as_array().unwrap().len() >= 4);
    let shown = tokens.json.to_string();
    assert!(!shown.contains(&token[24..]) && !shown.contains("hash"), "{shown}");
    let audit = server.ask("GET", "/v1/teams/crew/audit", Some(token), &[], None).json.to_string();
    for event in ["team made", "invited", "joined", "put out", "member removed", "token ended"] {
        assert!(audit.contains(event), "{event}: {audit}");
    }
    onto
}
