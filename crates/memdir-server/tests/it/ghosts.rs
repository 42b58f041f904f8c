//! Tokens of a member that no other member sees.

use memdir_server::token::{Scope, Token};
use memdir_testkit::Cluster;

use super::engine::{Engine, InCluster, InFile};
use super::people::Person;
use super::running::{HttpAnswer, Running};

#[test]
fn a_taken_key_cannot_join_on_sqlite() {
    every_membership_has_a_key_of_its_own(&InFile::new());
}

#[test]
fn a_taken_key_cannot_join_on_postgres() {
    let cluster = Cluster::start();
    every_membership_has_a_key_of_its_own(&InCluster(cluster.database()));
}

/// A newcomer under the key of a remaining member would stay with that member when they are removed.
fn every_membership_has_a_key_of_its_own(engine: &dyn Engine) {
    let server = &Running::on(engine);
    let (admin, ada) = (server.team("crew"), Person::founder(1));
    let (bob, carol) = (Person::invited_by(&ada, 2), Person::invited_by(&ada, 3));
    let dan = Person::invited_by(&ada, 4);
    let (bobs, carols) = (Token::from_random(&[12; 40]).reveal(), Token::from_random(&[13; 40]).reveal());
    let (_, onto) =
        ada.publish(server, ("crew", &admin), None, vec![ada.record(), dan.record(), ada.round(1, 0)]);
    assert_eq!(join(server, &invite(server, &admin), &bobs, &bob).status, 200);
    let (_, onto) = bob.publish(server, ("crew", &bobs), Some(onto), vec![bob.record(), bob.round(2, 0)]);
    let carols_invitation = invite(server, &admin);
    assert_eq!(join(server, &carols_invitation, &carols, &carol).status, 200);

    let invitation = invite(server, &bobs);
    let ghosts = Token::from_random(&[19; 40]).reveal();
    // The founder, himself, one who has a token and said nothing yet, one who is a member and has no token.
    for taken in [&ada, &bob, &carol, &dan] {
        let refused = join(server, &invitation, &ghosts, taken);
        assert_eq!((refused.status, refused.code()), (422, "not_yours"), "{}", refused.json);
    }
    // An answer may be lost, whatever was published since.
    let puts = vec![carol.record(), carol.round(3, 0)];
    let (came, onto) = carol.publish(server, ("crew", &carols), Some(onto), puts);
    assert_eq!(came.status, 201, "{}", came.json);
    assert_eq!(join(server, &carols_invitation, &carols, &carol).status, 200);
    let other = join(server, &carols_invitation, &ghosts, &carol);
    assert_eq!((other.status, other.code()), (422, "not_yours"));

    // A refusal used nothing up. A newcomer that never becomes a member goes with the member that invited them.
    let ghost = Person::founder(9);
    assert_eq!(join(server, &invitation, &ghosts, &ghost).status, 200);
    assert_eq!(join(server, &invitation, &ghosts, &ghost).status, 200);
    let of_ghost = invite(server, &ghosts);
    let read = |token: &str| server.ask("GET", "/v1/teams/crew/head", Some(token), &[], None).status;
    assert_eq!([read(&bobs), read(&ghosts), read(&carols)], [200, 200, 200]);
    let puts = vec![ada.revocation_of(&bob), ada.round(4, 0)];
    let (out, _) = ada.publish(server, ("crew", &admin), Some(onto), puts);
    assert_eq!(out.status, 201, "{}", out.json);
    assert_eq!([read(&bobs), read(&ghosts), read(&carols)], [401, 401, 200]);
    let late = join(server, &of_ghost, &Token::from_random(&[20; 40]).reveal(), &Person::founder(10));
    assert_eq!(late.status, 401, "{}", late.json);
    let tokens = server.wait(server.store.tokens("crew")).unwrap();
    let lasting = tokens.iter().filter(|token| token.revoked.is_none() && token.scope != Scope::Invitation);
    assert_eq!(lasting.count(), 2, "Ada's and Carol's");
}

pub(crate) fn invite(server: &Running, token: &str) -> String {
    let made = server.ask("POST", "/v1/teams/crew/invitations", Some(token), &[], Some("{\"v\":1}"));
    assert_eq!(made.status, 201, "{}", made.json);
    made.json["token"].as_str().unwrap().to_owned()
}

pub(crate) fn join(server: &Running, invitation: &str, token: &str, person: &Person) -> HttpAnswer {
    let body = format!("{{\"v\":1,\"token\":\"{token}\",\"member\":\"{}\"}}", person.key().public());
    server.ask("POST", "/v1/teams/crew/join", Some(invitation), &[], Some(&body))
}
