//! Members who take more than they were given.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use memdir_core::content_hash::ContentHash;
use memdir_server::limits::Limits;
use memdir_server::token::Token;
use memdir_testkit::{Cluster, NOW};

use super::engine::{Engine, InCluster, InFile};
use super::ghosts::{self, invite};
use super::people::Person;
use super::running::{Running, no_rates};

#[test]
fn a_member_being_removed_lets_no_one_in_on_sqlite() {
    no_stranger_comes_in(&InFile::new());
}

#[test]
fn a_member_being_removed_lets_no_one_in_on_postgres() {
    let cluster = Cluster::start();
    no_stranger_comes_in(&InCluster(cluster.database()));
}

/// Bob's invitations are used, by anyone, while Ada removes him.
fn no_stranger_comes_in(engine: &dyn Engine) {
    const INVITATIONS: usize = 60;
    let server = &Running::on(engine);
    let (admin, ada) = (server.team("crew"), Person::founder(1));
    let bob = Person::invited_by(&ada, 2);
    let bobs = join(server, &invite(server, &admin), &bob).unwrap();
    let (_, onto) = ada.publish(server, ("crew", &admin), None, vec![ada.record(), ada.round(1, 0)]);
    let (_, onto) = bob.publish(server, ("crew", &bobs), Some(onto), vec![bob.record(), bob.round(2, 0)]);
    let invitations: Vec<String> = (0..INVITATIONS).map(|_| invite(server, &bobs)).collect();
    let is_out = &AtomicBool::new(false);
    let came_in: Vec<String> = thread::scope(|scope| {
        let ghosts: Vec<_> = invitations
            .chunks(INVITATIONS / 4)
            .zip(0..)
            .map(|(some, chunk)| {
                scope.spawn(move || {
                    // Each of them has a key of their own, as everybody does.
                    let ghosts = (50 + chunk * 50..).map(Person::founder);
                    let not_yet = some.iter().zip(ghosts).take_while(|_| !is_out.load(Ordering::Relaxed));
                    not_yet.filter_map(|(one, ghost)| join(server, one, &ghost)).collect::<Vec<_>>()
                })
            })
            .collect();
        let puts = vec![ada.revocation_of(&bob), ada.round(3, 0)];
        let (out, _) = ada.publish(server, ("crew", &admin), Some(onto), puts);
        is_out.store(true, Ordering::Relaxed);
        assert_eq!(out.status, 201, "{}", out.json);
        ghosts.into_iter().flat_map(|ghost| ghost.join().unwrap()).collect()
    });
    for token in came_in.iter().chain([&bobs]) {
        assert_eq!(server.ask("GET", "/v1/teams/crew/head", Some(token), &[], None).status, 401);
    }
}

fn join(server: &Running, invitation: &str, person: &Person) -> Option<String> {
    let token = Token::from_random(&memdir_server::random::random().unwrap()).reveal();
    (ghosts::join(server, invitation, &token, person).status == 200).then_some(token)
}

#[test]
fn one_member_cannot_fill_the_team() {
    let engine = InFile::new();
    let server = &Running::with(&engine, Limits { member_files: 5, member_bytes: 20_000, ..no_rates() });
    let (admin, ada) = (server.team("crew"), Person::founder(1));
    let bob = Person::invited_by(&ada, 2);
    let bobs = join(server, &invite(server, &admin), &bob).unwrap();
    let (_, onto) = ada.publish(server, ("crew", &admin), None, vec![ada.record(), ada.round(1, 0)]);
    let puts = ["a.md", "b.md", "c.md"].map(|name| bob.entry(name, 1, 2, Some("text\n")));
    let first = [&[bob.record(), bob.round(2, 0)][..], &puts].concat();
    let (came, onto) = bob.publish(server, ("crew", &bobs), Some(onto), first);
    assert_eq!(came.status, 201, "his record, the round and three: {}", came.json);
    let more = vec![bob.entry("d.md", 1, 3, Some("text\n")), bob.round(3, 0)];
    let (refused, _) = bob.publish(server, ("crew", &bobs), Some(onto), more);
    assert_eq!((refused.status, refused.code()), (422, "quota"), "{}", refused.json);
    let long = vec![bob.entry("a.md", 2, 3, Some(&"long\n".repeat(5_000))), bob.round(3, 0)];
    let (refused, _) = bob.publish(server, ("crew", &bobs), Some(onto), long);
    assert_eq!((refused.status, refused.code()), (422, "quota"), "{}", refused.json);
    // The others have room, and what one of them writes anew is theirs.
    let puts = vec![
        ada.entry("a.md", 2, 3, Some("better\n")),
        ada.entry("d.md", 1, 3, Some("d\n")),
        ada.round(3, 0),
    ];
    let (came, onto) = ada.publish(server, ("crew", &admin), Some(onto), puts);
    assert_eq!(came.status, 201, "{}", came.json);
    let puts = vec![bob.entry("e.md", 1, 4, Some("text\n")), bob.round(4, 0)];
    let (came, _) = bob.publish(server, ("crew", &bobs), Some(onto), puts);
    assert_eq!(came.status, 201, "{}", came.json);
}

#[test]
fn invitations_that_wait_are_bounded_and_forgotten() {
    let file = InFile::new();
    let server = Running::on(&file);
    let token = server.team("crew");
    for _ in 0..100 {
        invite(&server, &token);
    }
    let one_more = server.ask("POST", "/v1/teams/crew/invitations", Some(&token), &[], Some("{\"v\":1}"));
    assert_eq!((one_more.status, one_more.code()), (422, "quota"));
    let now = NOW.parse::<jiff::Timestamp>().unwrap().as_second();
    let count = || server.wait(server.store.tokens("crew")).unwrap().len();
    server.wait(server.store.forget_invitations(now)).unwrap();
    assert_eq!(count(), 101, "they can still be used");
    server.wait(server.store.forget_invitations(now + 8 * 24 * 60 * 60)).unwrap();
    assert_eq!(count(), 1);
}

#[test]
fn what_is_gone_is_counted_for_a_while_on_sqlite() {
    gone_files_are_counted(&InFile::new());
}

#[test]
fn what_is_gone_is_counted_for_a_while_on_postgres() {
    let cluster = Cluster::start();
    gone_files_are_counted(&InCluster(cluster.database()));
}

/// Memories that come and go leave rows behind, which no member can have without end.
fn gone_files_are_counted(engine: &dyn Engine) {
    let server = Running::with(engine, Limits { team_files: 6, ..no_rates() });
    let (token, ada) = (server.team("crew"), Person::founder(1));
    let here = ("crew", token.as_str());
    let mut round = 1;
    let (_, mut onto) = ada.publish(&server, here, None, vec![ada.record(), ada.round(1, 0)]);
    let mut passing = |number: u64, onto: &mut ContentHash| {
        let name = format!("m{number}.md");
        for (version, text) in [(1, Some("here\n")), (2, None)] {
            round += 1;
            let puts = vec![ada.entry(&name, version, round, text), ada.round(round, 0)];
            let (put, next) = ada.publish(&server, here, Some(*onto), puts);
            if put.status != 201 {
                return put.code().to_owned();
            }
            *onto = next;
        }
        round += 1;
        let puts = vec![super::people::put(&format!("entries/{name}"), None), ada.round(round, round - 1)];
        let (gone, next) = ada.publish(&server, here, Some(*onto), puts);
        assert_eq!(gone.status, 201, "{}", gone.json);
        *onto = next;
        "gone".to_owned()
    };
    let went: Vec<String> = (0..6).map(|number| passing(number, &mut onto)).collect();
    assert_eq!(went, ["gone", "gone", "gone", "gone", "quota", "quota"]);
    let now = NOW.parse::<jiff::Timestamp>().unwrap().as_second();
    server.wait(server.store.forget_gone(now)).unwrap();
    assert_eq!(
        passing(6, &mut onto),
        "quota",
        "a member who was away for a moment hears of what was deleted"
    );
    server.wait(server.store.forget_gone(now + 1)).unwrap();
    assert_eq!(passing(7, &mut onto), "gone");
    let files = server.ask("GET", "/v1/teams/crew/files", Some(&token), &[], None);
    assert_eq!(files.json["files"].as_array().unwrap().len(), 3, "{}", files.json);
}

#[test]
fn a_name_is_as_long_on_every_engine() {
    let cluster = Cluster::start();
    let (file, database) = (InFile::new(), InCluster(cluster.database()));
    for engine in [&file as &dyn Engine, &database] {
        let server = Running::on(engine);
        let (token, ada) = (server.team("crew"), Person::founder(1));
        let folder = format!("{}/", "x".repeat(199));
        let check = |name: &str, expected: u16| {
            let puts = vec![ada.record(), ada.entry(name, 1, 1, Some("text\n")), ada.round(1, 0)];
            let (put, _) = ada.publish(&server, ("crew", &token), None, puts);
            assert_eq!(put.status, expected, "{} {}", name.len(), put.json);
        };
        check(&format!("{}{}.md", folder.repeat(4), "y".repeat(190)), 422);
        check(&format!("{}{}.md", folder.repeat(4), "y".repeat(189)), 201);
    }
}
