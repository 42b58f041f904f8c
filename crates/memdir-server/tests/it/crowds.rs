//! Many requests at the same moment.

use std::sync::Barrier;
use std::thread;

use memdir_core::content_hash::ContentHash;
use memdir_server::limits::Limits;
use memdir_testkit::Cluster;
use memdir_wire::server_api::{PROTOCOL, PartRequest};

use super::engine::{Engine, InCluster, InFile};
use super::people::{Person, tag};
use super::running::{HttpAnswer, Running, no_rates};

#[test]
fn bounds_hold_in_a_crowd_on_sqlite() {
    bounds_hold(&InFile::new());
}

#[test]
fn bounds_hold_in_a_crowd_on_postgres() {
    let cluster = Cluster::start();
    bounds_hold(&InCluster(cluster.database()));
}

fn at_once<T: Send>(count: usize, ask: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (ready, ask) = (&Barrier::new(count), &ask);
    thread::scope(|scope| {
        let run = |number| {
            scope.spawn(move || {
                ready.wait();
                ask(number)
            })
        };
        let threads: Vec<_> = (0..count).map(run).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn bounds_hold(engine: &dyn Engine) {
    const WAITING: u64 = 20_000;
    let server = &Running::with(engine, Limits { waiting_bytes: WAITING, ..no_rates() });
    let (token, ada) = (&server.team("crew"), Person::founder(1));
    let invite = || server.ask("POST", "/v1/teams/crew/invitations", Some(token), &[], Some("{\"v\":1}"));
    for _ in 0..90 {
        assert_eq!(invite().status, 201);
    }
    let made = at_once(30, |_| invite());
    assert_eq!(count(&made, 201, ""), 10, "100 are the most");
    assert_eq!(count(&made, 422, "quota"), 20);

    let part = |number: usize| {
        let text = "a line of a memory that is rather long\n".repeat(120);
        let puts = vec![ada.entry(&format!("{number}.md"), 1, 1, Some(&text))];
        serde_json::to_string(&PartRequest { v: PROTOCOL, team: ada.team.clone(), puts }).unwrap()
    };
    let version = ContentHash::of(b"a version that is never published");
    let sent = at_once(12, |number| {
        let path = format!("/v1/teams/crew/parts/{version}/{number}");
        server.ask("PUT", &path, Some(token), &[("if-match", &tag(None))], Some(&part(number)))
    });
    let fitting = WAITING as usize / part(10).len();
    assert!(fitting > 1 && fitting < 12, "{fitting}");
    assert_eq!((count(&sent, 200, ""), count(&sent, 422, "quota")), (fitting, 12 - fitting));
    assert_eq!(server.wait(server.store.parts("crew", &version)).unwrap().len(), fitting);
}

fn count(answers: &[HttpAnswer], status: u16, code: &str) -> usize {
    let other = answers.iter().find(|answer| !matches!(answer.status, 200 | 201 | 422));
    assert!(other.is_none(), "{:?}", other.map(|other| &other.json));
    answers.iter().filter(|answer| (answer.status, answer.code()) == (status, code)).count()
}

#[test]
fn one_request_sent_several_times_at_once_is_one_version_on_sqlite() {
    sent_at_once(&InFile::new());
}

#[test]
fn one_request_sent_several_times_at_once_is_one_version_on_postgres() {
    let cluster = Cluster::start();
    sent_at_once(&InCluster(cluster.database()));
}

fn sent_at_once(engine: &dyn Engine) {
    let server = &Running::on(engine);
    let (token, ada) = (server.team("crew"), &Person::founder(1));
    let (_, mut onto) = ada.publish(server, ("crew", &token), None, vec![ada.record(), ada.round(1, 0)]);
    for round in 2..12 {
        let here = ("crew", token.as_str());
        let sent = at_once(6, |_| ada.publish(server, here, Some(onto), vec![ada.round(round, 0)]));
        let mut statuses: Vec<u16> = sent.iter().map(|(answer, _)| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 200, 200, 200, 200, 201], "round {round}");
        onto = sent[0].1;
    }
}

#[test]
fn a_lost_race_is_not_a_database_error() {
    let cluster = Cluster::start();
    let server = &Running::on(&InCluster(cluster.database()));
    let (token, ada) = (server.team("crew"), &Person::founder(1));
    let here = ("crew", token.as_str());
    let (_, mut onto) = ada.publish(server, here, None, vec![ada.record(), ada.round(1, 0)]);
    for round in 2..12 {
        let sent = at_once(6, |number| {
            let name = format!("{number}.md");
            let puts = vec![ada.entry(&name, round, round, Some("a memory\n")), ada.round(round, 0)];
            ada.publish(server, here, Some(onto), puts)
        });
        let won: Vec<ContentHash> =
            sent.iter().filter(|(answer, _)| answer.status == 201).map(|(_, version)| *version).collect();
        assert_eq!(won.len(), 1);
        assert_eq!(sent.iter().filter(|(answer, _)| answer.code() == "moved").count(), 5);
        onto = won[0];
    }
    const LOG: &str = "SELECT pg_read_file(current_setting('data_directory') || '/../log')";
    let log = server.wait(server.store.storage().read(LOG, vec![vec![]])).unwrap()[0][0].text(0).unwrap();
    assert!(log.contains("ready to accept connections"), "{log}");
    for noise in ["duplicate key", "current transaction is aborted"] {
        assert!(!log.contains(noise), "{log}");
    }
}

#[test]
fn what_is_put_again_unchanged_replaces_nothing() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let (token, ada) = (server.team("crew"), Person::founder(1));
    let here = ("crew", token.as_str());
    let (_, onto) = ada.publish(&server, here, None, vec![ada.record(), ada.round(1, 0)]);
    let (again, _) = ada.publish(&server, here, Some(onto), vec![ada.record(), ada.round(2, 0)]);
    assert_eq!(again.status, 201, "{}", again.json);
    let old_bytes = || server.wait(server.store.team("crew")).unwrap().unwrap().old_bytes;
    let counted = old_bytes();
    server.wait(server.store.prune("crew", 0)).unwrap();
    assert_eq!(counted, old_bytes(), "as it is when it is counted anew");
    assert_eq!(counted, ada.round(1, 0).content.unwrap().len() as u64);
}
