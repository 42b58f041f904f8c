//! What the server does not keep for ever.

use memdir_core::content_hash::ContentHash;
use memdir_disk::sync_dir::SyncDir;
use memdir_server::store::{Event, Leaving};
use memdir_sync::remote::http::{HttpRemote, ServerAddress};
use memdir_sync::remote::{Remote, Version};
use memdir_testkit::{Cluster, NOW, TestHome};

use super::engine::{Engine, InCluster, InFile};
use super::people::{Person, put};
use super::running::Running;

fn now() -> i64 {
    NOW.parse::<jiff::Timestamp>().unwrap().as_second()
}

/// What a member that saw a version last is answered: the code, or the names of what changed.
fn since(server: &Running, token: &str, version: ContentHash) -> Result<Vec<String>, String> {
    let path = format!("/v1/teams/crew/files?since={version}");
    let answer = server.ask("GET", &path, Some(token), &[], None);
    if answer.status != 200 {
        return Err(answer.code().to_owned());
    }
    let files = answer.json["files"].as_array().unwrap();
    Ok(files.iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect())
}

#[test]
fn a_member_who_missed_forgotten_rows_asks_for_everything_on_sqlite() {
    gone_and_forgotten(&InFile::new());
}

#[test]
fn a_member_who_missed_forgotten_rows_asks_for_everything_on_postgres() {
    let cluster = Cluster::start();
    gone_and_forgotten(&InCluster(cluster.database()));
}

fn gone_and_forgotten(engine: &dyn Engine) {
    let server = &Running::on(engine);
    let (token, ada) = (server.team("crew"), Person::founder(1));
    let here = ("crew", token.as_str());
    let puts = [
        vec![ada.record(), ada.entry("a.md", 1, 1, Some("a\n")), ada.round(1, 0)],
        vec![ada.entry("a.md", 2, 2, None), ada.round(2, 0)],
        vec![put("entries/a.md", None), ada.round(3, 2)],
        vec![ada.entry("b.md", 1, 4, Some("b\n")), ada.round(4, 2)],
    ];
    let home = TestHome::new();
    let machine = |name: &str| {
        let address = ServerAddress::parse(&format!("http://{token}@{}/crew", server.address)).unwrap();
        HttpRemote::new(SyncDir::of(home.root(), name), address, ada.team.clone())
    };
    let mut seen: Vec<ContentHash> = Vec::new();
    for puts in puts {
        let (put, version) = ada.publish(server, here, seen.last().copied(), puts);
        assert_eq!(put.status, 201, "{}", put.json);
        if seen.is_empty() {
            assert_eq!(listed(&mut machine("away")).len(), 3);
        }
        seen.push(version);
    }
    assert_eq!(since(server, &token, seen[1]).unwrap(), ["entries/a.md", "entries/b.md", "round.json"]);
    server.wait(server.store.forget_gone(now() + 1)).unwrap();
    let unknown = Err("unknown_version".to_owned());
    assert_eq!([since(server, &token, seen[0]), since(server, &token, seen[1])], [unknown.clone(), unknown]);
    assert_eq!(since(server, &token, seen[2]).unwrap(), ["entries/b.md", "round.json"]);
    assert_eq!(since(server, &token, seen[3]).unwrap(), Vec::<String>::new());
    // A member that asks for everything gets it, a page at a time.
    let (mut path, mut found) = ("/v1/teams/crew/files?limit=1".to_owned(), 0);
    loop {
        let page = server.ask("GET", &path, Some(&token), &[], None);
        assert_eq!(page.status, 200, "{}", page.json);
        found += page.json["files"].as_array().unwrap().len();
        let next = &page.json["next"];
        let Some(name) = next["path"].as_str() else { break };
        path = format!("/v1/teams/crew/files?limit=1&sequence={}&path={name}", next["sequence"]);
    }
    assert_eq!(found, 3);
    // So does a machine that was away all the while, and for it the newest version follows from what it saw.
    let mut away = machine("away");
    assert_eq!(listed(&mut away), listed(&mut machine("new")));
    let version = |number: usize| Version(seen[number].to_string());
    assert!(away.descends(&version(3), &version(0)).unwrap());
}

/// What a machine knows of.
fn listed(machine: &mut HttpRemote) -> Vec<String> {
    let head = machine.head().unwrap().unwrap();
    machine.view(&head).unwrap().into_iter().map(|file| file.path).collect()
}

#[test]
fn of_versions_and_events_the_newest_are_kept_on_sqlite() {
    lists_are_bounded(&InFile::new());
}

#[test]
fn of_versions_and_events_the_newest_are_kept_on_postgres() {
    let cluster = Cluster::start();
    lists_are_bounded(&InCluster(cluster.database()));
}

fn lists_are_bounded(engine: &dyn Engine) {
    let server = &Running::on(engine);
    let (token, ada) = (server.team("crew"), Person::founder(1));
    let here = ("crew", token.as_str());
    let mut seen: Vec<ContentHash> = Vec::new();
    for round in 1..=6 {
        let puts = match round {
            1 => vec![ada.record(), ada.entry("a.md", 1, 1, Some("a\n")), ada.round(1, 0)],
            2 => vec![ada.entry("a.md", 2, 2, None), ada.round(2, 0)],
            3 => vec![put("entries/a.md", None), ada.round(3, 2)],
            round => vec![ada.round(round, 2)],
        };
        let (put, version) = ada.publish(server, here, seen.last().copied(), puts);
        assert_eq!(put.status, 201, "{}", put.json);
        seen.push(version);
        let id = memdir_server::random::random_id().unwrap();
        let event = Event { id, time: round as i64, team: "crew", actor: "x", event: "seen", subject: "" };
        server.wait(server.store.record(&event)).unwrap();
    }
    let sequences = || {
        let listed = server.wait(server.store.versions("crew", 100)).unwrap();
        listed.iter().map(|line| line.sequence).collect::<Vec<_>>()
    };
    server.wait(server.store.forget_beyond("crew", 3, 2, now())).unwrap();
    assert_eq!(sequences(), [6, 5, 4, 3, 2, 1], "a member who was away for a while is known");
    server.wait(server.store.forget_beyond("crew", 3, 2, now() + 1)).unwrap();
    assert_eq!(sequences(), [6, 5, 4]);
    assert_eq!(since(server, &token, seen[2]), Err("unknown_version".to_owned()));
    assert_eq!(since(server, &token, seen[3]).unwrap(), ["round.json"]);
    // What only they had not heard of goes with them.
    server.wait(server.store.forget_gone(0)).unwrap();
    let files = server.wait(server.store.team("crew")).unwrap().unwrap().files;
    assert_eq!(files, 2, "a record and the round");
    assert_eq!(since(server, &token, seen[3]).unwrap(), ["round.json"]);
    let events = server.wait(server.store.audit("crew", 100)).unwrap();
    let times: Vec<i64> = events.iter().map(|(time, ..)| *time).collect();
    assert_eq!(times, [now(), 6], "the team was made, and the last event");
}

#[test]
fn a_repeated_revocation_is_not_an_event() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let (token, ada) = (server.team("crew"), Person::founder(1));
    let bob = Person::invited_by(&ada, 2);
    let here = ("crew", token.as_str());
    let (_, mut onto) = ada.publish(&server, here, None, vec![ada.record(), bob.record(), ada.round(1, 0)]);
    for round in 2..5 {
        let puts = vec![ada.revocation_of(&bob), ada.round(round, 0)];
        let (put, version) = ada.publish(&server, here, Some(onto), puts);
        assert_eq!(put.status, 201, "{}", put.json);
        onto = version;
    }
    let events = server.wait(server.store.audit("crew", 100)).unwrap();
    assert_eq!(events.iter().filter(|(_, _, event, _)| event == "put out").count(), 1, "{events:?}");
}

#[test]
fn a_member_is_removed_as_the_team_is_now_or_not_yet() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let (token, ada) = (server.team("crew"), Person::founder(1));
    let here = ("crew", token.as_str());
    let (_, onto) = ada.publish(&server, here, None, vec![ada.record(), ada.round(1, 0)]);
    let team = server.wait(server.store.team("crew")).unwrap().unwrap();
    let key = ada.key().public();
    // Nothing of hers was found, and then she wrote something.
    let puts = vec![ada.entry("a.md", 1, 2, Some("a\n")), ada.round(2, 0)];
    assert_eq!(ada.publish(&server, here, Some(onto), puts).0.status, 201);
    let earlier =
        Leaving { team: &team, member: &key, name: "p1", tokens: &[], known_tokens: 1, with_data: false };
    let event = || {
        let id = memdir_server::random::random_id().unwrap();
        Event { id, time: now(), team: "crew", actor: "operator", event: "member removed", subject: "" }
    };
    assert_eq!(server.wait(server.store.remove_member(&earlier, &event())).unwrap(), None);
    let team = server.wait(server.store.team("crew")).unwrap().unwrap();
    let current = Leaving { team: &team, with_data: true, ..earlier };
    assert_eq!(server.wait(server.store.remove_member(&current, &event())).unwrap(), Some(1));
}
