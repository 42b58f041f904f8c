//! Every address, with every kind of token, for one's own team and another, under every host and origin.

use memdir_core::content_hash::ContentHash;
use memdir_server::token::{Scope, Token};
use memdir_server::{ROUTES, Route};
use memdir_testkit::{Cluster, NOW};

use super::engine::{Engine, InCluster, InFile};
use super::people::Person;
use super::running::Running;

/// What a route needs: nothing, or a scope.
fn needs(route: &Route) -> Option<Scope> {
    let path = route.path;
    if !path.starts_with("/v1/") {
        return None;
    }
    Some(match (route.method, path.rsplit_once("{team}/").unwrap().1) {
        (_, "join") => Scope::Invitation,
        ("post", "versions") | ("put", _) => Scope::Session,
        ("post", "invitations" | "sessions") => Scope::Write,
        (_, "tokens" | "audit") | ("delete", _) => Scope::Admin,
        _ => Scope::Read,
    })
}

struct Kind {
    name: &'static str,
    token: Option<String>,
    /// What it may do; `None`: it is no longer a token of this server.
    scope: Option<Scope>,
}

#[test]
fn no_team_reads_another_in_sqlite() {
    everybody_tries_everything(&InFile::new());
}

#[test]
fn no_team_reads_another_in_postgres() {
    let cluster = Cluster::start();
    everybody_tries_everything(&InCluster(cluster.database()));
}

fn everybody_tries_everything(engine: &dyn Engine) {
    let server = Running::on(engine);
    let admin = server.team("crew");
    let foreign_admin = server.team("other");
    let ada = Person::founder(1);
    let puts = vec![ada.record(), ada.entry("a.md", 1, 1, Some("kept from others\n")), ada.round(1, 0)];
    let (first, _) = ada.publish(&server, ("crew", &admin), None, puts);
    assert_eq!(first.status, 201);
    let now = NOW.parse::<jiff::Timestamp>().unwrap().as_second();
    let revoked = server.token("crew", Scope::Admin, i64::MAX);
    let id = Token::parse(&revoked).unwrap().id().to_owned();
    assert_eq!(
        server.ask("DELETE", &format!("/v1/teams/crew/tokens/{id}"), Some(&admin), &[], None).status,
        200
    );
    let mut wrong_secret = admin.clone();
    let last = if wrong_secret.pop() == Some('0') { '1' } else { '0' };
    wrong_secret.push(last);
    let kind = |name, token: String, scope| Kind { name, token: Some(token), scope };
    let kinds = [
        Kind { name: "none", token: None, scope: None },
        kind("garbage", "memdir_x".to_owned(), None),
        kind("unknown", Token::from_random(&[9; 40]).reveal(), None),
        kind("wrong secret", wrong_secret, None),
        kind("expired", server.token("crew", Scope::Admin, now), None),
        kind("revoked", revoked, None),
        kind("read", server.token("crew", Scope::Read, i64::MAX), Some(Scope::Read)),
        kind("session", server.token("crew", Scope::Session, i64::MAX), Some(Scope::Session)),
        kind("write", server.token("crew", Scope::Write, i64::MAX), Some(Scope::Write)),
        kind("admin", admin.clone(), Some(Scope::Admin)),
        kind("invitation", server.token("crew", Scope::Invitation, i64::MAX), Some(Scope::Invitation)),
    ];
    let (mut cases, mut wrong) = (0, Vec::new());
    for route in ROUTES {
        for kind in &kinds {
            for team in ["crew", "other", "nobody", "..", "CREW"] {
                if !route.path.contains("{team}") && team != "crew" {
                    continue;
                }
                let expected = match (needs(route), kind.scope) {
                    (None, _) => Expected::Open,
                    (Some(_), None) => Expected::Status(401),
                    (Some(_), Some(_)) if team != "crew" => Expected::Status(404),
                    (Some(needed), Some(scope)) if scope.covers(needed) => Expected::In,
                    _ => Expected::Status(403),
                };
                // Nothing that is let in may change what the next case finds.
                let path = path_of(route, team);
                let method = route.method.to_uppercase();
                let body = matches!(route.method, "post" | "put").then_some("{}");
                let answer = server.ask(&method, &path, kind.token.as_deref(), &[], body);
                let fits = match expected {
                    Expected::Open => answer.status == 200,
                    Expected::Status(status) => answer.status == status,
                    Expected::In => !matches!(answer.status, 401 | 403),
                };
                let leaks = answer.json.to_string().contains("kept from others");
                cases += 1;
                if !fits || leaks && !matches!(expected, Expected::In) {
                    wrong.push(format!(
                        "{method} {path} with {}: {} {}",
                        kind.name, answer.status, answer.json
                    ));
                }
            }
        }
    }
    // Another team's token opens nothing here, whatever it may do there.
    for route in ROUTES.iter().filter(|route| route.path.contains("{team}")) {
        let answer = server.ask(
            &route.method.to_uppercase(),
            &path_of(route, "crew"),
            Some(&foreign_admin),
            &[],
            matches!(route.method, "post" | "put").then_some("{}"),
        );
        cases += 1;
        if answer.status != 404 {
            wrong.push(format!("{} {} with another team's: {}", route.method, route.path, answer.status));
        }
    }
    let hosts = [
        ("localhost", true),
        ("127.0.0.1", true),
        ("[::1]", true),
        ("memory.example.com", true),
        ("evil.example", false),
        ("memory.example.com.evil.example", false),
        ("0.0.0.0", false),
        ("", false),
    ];
    let origins = [
        (None, true),
        (Some("http://localhost"), true),
        (Some("https://memory.example.com"), true),
        (Some("null"), false),
        (Some("https://evil.example"), false),
    ];
    for route in ROUTES {
        for (host, host_fits) in hosts {
            for (origin, origin_fits) in origins {
                let origin_line = origin.map(|origin| format!("origin: {origin}\r\n")).unwrap_or_default();
                let request = format!(
                    "{} {} HTTP/1.1\r\nhost: {host}\r\n{origin_line}connection: close\r\ncontent-length: 0\r\n\r\n",
                    route.method.to_uppercase(),
                    path_of(route, "crew")
                );
                let answer = server.raw(request.as_bytes());
                let let_in = if needs(route).is_none() { "HTTP/1.1 200" } else { "HTTP/1.1 401" };
                // Those who ask whether it runs know it by any name.
                let any_host = matches!(route.path, "/healthz" | "/readyz");
                let fits = (host_fits || any_host) && origin_fits;
                let expected = if fits { let_in } else { "HTTP/1.1 403" };
                let expected = if host.is_empty() && !any_host { "HTTP/1.1 4" } else { expected };
                cases += 1;
                if !answer.starts_with(expected) {
                    wrong.push(format!(
                        "{} {host} {origin:?}: {}",
                        route.path,
                        answer.lines().next().unwrap_or_default()
                    ));
                }
            }
        }
    }
    assert!(cases >= 500, "{cases}");
    assert!(wrong.is_empty(), "{} of {cases}:\n{}", wrong.len(), wrong.join("\n"));
}

enum Expected {
    Open,
    In,
    Status(u16),
}

fn path_of(route: &Route, team: &str) -> String {
    let version = ContentHash::of(b"x").to_string();
    let key = "0".repeat(64);
    route
        .path
        .replace("{team}", team)
        .replace("{version}", &version)
        .replace("{part}", "0")
        .replace("{id}", "0000000000000000")
        .replace("{key}", &key)
}
