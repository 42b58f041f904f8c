//! Requests whose token ends between their head and their body.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use memdir_server::storage::Step;
use memdir_server::token::{Scope, Token};
use memdir_testkit::Cluster;
use memdir_wire::server_api::{PROTOCOL, PartRequest};

use super::engine::{Engine, InCluster, InFile};
use super::people::{Person, tag};
use super::running::Running;

#[test]
fn a_token_that_ends_meanwhile_changes_nothing_on_sqlite() {
    nothing_comes_late(&InFile::new());
}

#[test]
fn a_token_that_ends_meanwhile_changes_nothing_on_postgres() {
    let cluster = Cluster::start();
    nothing_comes_late(&InCluster(cluster.database()));
}

fn nothing_comes_late(engine: &dyn Engine) {
    let server = &Running::on(engine);
    let (admin, ada) = (server.team("crew"), Person::founder(1));
    let (_, onto) = ada.publish(server, ("crew", &admin), None, vec![ada.record(), ada.round(1, 0)]);
    let puts = vec![ada.entry("late.md", 1, 2, Some("late\n")), ada.round(2, 0)];
    let version = ada.request(Some(onto), puts.clone());
    let part = PartRequest { v: PROTOCOL, team: ada.team.clone(), puts: puts.clone() };
    let requests = [
        ("POST", "/v1/teams/crew/versions".to_owned(), serde_json::to_string(&version).unwrap()),
        ("PUT", format!("/v1/teams/crew/parts/{}/0", version.version), serde_json::to_string(&part).unwrap()),
    ];
    let revoke = |id: &str| {
        let path = format!("/v1/teams/crew/tokens/{id}");
        assert_eq!(server.ask("DELETE", &path, Some(&admin), &[], None).status, 200);
    };
    let expire = |id: &str| {
        let step = Step::exactly_one("UPDATE tokens SET expires = 1 WHERE id = $1", vec![id.into()]);
        server.wait(server.store.storage().write(vec![step])).unwrap();
    };
    for (method, path, body) in &requests {
        for end in [&revoke as &dyn Fn(&str), &expire] {
            let token = server.token("crew", Scope::Write, i64::MAX);
            let head = format!(
                "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nif-match: {}\r\n\
                 content-length: {}\r\nexpect: 100-continue\r\nconnection: close\r\n\r\n",
                tag(Some(onto)),
                body.len()
            );
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            // The server asks for the body once it has believed the token.
            let mut go_on = [0; 25];
            stream.read_exact(&mut go_on).unwrap();
            assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
            end(Token::parse(&token).unwrap().id());
            stream.write_all(body.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert!(answer.starts_with("HTTP/1.1 401"), "{method} {path}: {answer}");
            assert!(answer.contains("unauthorized"), "{answer}");
        }
    }
    let head = server.ask("GET", "/v1/teams/crew/head", Some(&admin), &[], None);
    assert_eq!(head.json["sequence"], 1);
    assert!(server.wait(server.store.parts("crew", &version.version)).unwrap().is_empty());
    // A client that may still speak is heard.
    let (went, _) = ada.publish(server, ("crew", &admin), Some(onto), puts);
    assert_eq!(went.status, 201, "{}", went.json);
}
