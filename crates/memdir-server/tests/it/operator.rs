//! What an operator does, with the program as it is.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use memdir_server::limits::Limits;
use memdir_testkit::Cluster;
use serde_json::Value;
use tempfile::TempDir;

use super::people::Person;
use super::process::{Process, command, operator, team};

#[test]
fn health_tells_a_ready_server_from_a_missing_one() {
    let directory = TempDir::new().unwrap();
    let server = Process::serve(&format!("sqlite:{}/team.db", directory.path().display()), &[]);
    let place = server.place.clone();
    operator(&["health", &place]);
    assert!(server.stop());
    let refused = command().args(["health", &place]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no server answers at"));
}

#[test]
fn a_team_moves_from_sqlite_to_postgres_and_back_from_a_backup() {
    let directory = TempDir::new().unwrap();
    let file = |name: &str| format!("{}/{name}", directory.path().display());
    let cluster = Cluster::start();
    let (first, second) = (format!("sqlite:{}", file("deep/team.db")), cluster.database());
    let token = team(&first, "crew");
    let ada = Person::founder(1);
    let server = Process::serve(&first, &[]);
    let puts = vec![ada.record(), ada.entry("a.md", 1, 1, Some("one\n")), ada.round(1, 0)];
    publish(&server, &token, &ada, puts);
    let before = everything(&server, &token);
    // While it runs.
    // An interrupted copy is not a backup.
    fs::write(file("one.db.unfinished"), "half").unwrap();
    operator(&["backup", &file("one.db"), "--db", &first]);
    for name in ["deep/team.db", "deep/team.db-wal", "one.db"] {
        let mode = fs::metadata(file(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name} can be read by others");
    }
    assert!(!fs::exists(file("one.db-wal")).unwrap() && !fs::exists(file("one.db.unfinished")).unwrap());
    // What it goes on to write would stay behind.
    let moving = ["move", "--from", &first, "--to", &second];
    let refused = command().args(moving).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("is in use: stop its server first"), "{said}");
    assert!(server.stop());
    // A copy of a stopped server's file holds everything.
    fs::copy(file("deep/team.db"), file("copied.db")).unwrap();
    let copied = Process::serve(&format!("sqlite:{}", file("copied.db")), &[]);
    assert_eq!(everything(&copied, &token), before);
    drop(copied);
    operator(&moving);
    let moved = Process::serve(&second, &[]);
    let refused = command().args(["move", "--from", &second, "--to", "sqlite:x.db"]).output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("is in use"));
    assert_eq!(everything(&moved, &token), before);
    operator(&["backup", &file("two.db"), "--db", &second]);
    let third = format!("sqlite:{}", file("three.db"));
    for backup in ["one.db", "two.db"] {
        drop(fs::remove_file(file("three.db")));
        let kept = fs::read(file(backup)).unwrap();
        fs::set_permissions(file(backup), fs::Permissions::from_mode(0o400)).unwrap();
        operator(&["restore", &file(backup), "--db", &third]);
        let restored = Process::serve(&third, &[]);
        assert_eq!(everything(&restored, &token), before, "{backup}");
        assert!(fs::read(file(backup)).unwrap() == kept, "a backup stays as it is");
    }
    let again = command().args(["restore", &file("one.db"), "--db", &third]).output().unwrap();
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(!again.status.success() && said.contains("holds teams already"), "{said}");
}

pub(crate) fn publish(
    server: &Process,
    token: &str,
    person: &Person,
    puts: Vec<memdir_wire::server_api::PutFile>,
) {
    let body = serde_json::to_string(&person.request(None, puts)).unwrap();
    let answered = asked(server, "POST", "versions", token, &[("if-match", "\"0\"")], Some(&body));
    assert_eq!(answered["sequence"], 1, "{answered}");
}

fn everything(server: &Process, token: &str) -> Vec<Value> {
    let paths = ["head", "files?contents=true", "versions", "tokens", "audit"];
    paths.iter().map(|path| asked(server, "GET", path, token, &[], None)).collect()
}

fn asked(
    server: &Process,
    method: &str,
    rest: &str,
    token: &str,
    more: &[(&str, &str)],
    body: Option<&str>,
) -> Value {
    let mut headers = vec![("authorization".to_owned(), format!("Bearer {token}"))];
    headers.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let answered = memdir_sync::http::send(&memdir_sync::http::Request {
        method,
        url: &format!("http://{}/v1/teams/crew/{rest}", server.place),
        headers: &headers,
        body,
        limit: std::time::Duration::from_secs(30),
        most_bytes: 64 << 20,
        compress: true,
    });
    serde_json::from_slice(&answered.unwrap().body).unwrap()
}

#[test]
fn erased_text_is_in_no_file() {
    let directory = TempDir::new().unwrap();
    let path = format!("{}/team.db", directory.path().display());
    let db = format!("sqlite:{path}");
    let (token, ada) = (team(&db, "crew"), Person::founder(1));
    let server = Process::serve(&db, &[]);
    let text = "no other memory says this\n";
    let puts = vec![ada.record(), ada.entry("a.md", 1, 1, Some(text)), ada.round(1, 0)];
    publish(&server, &token, &ada, puts);
    let holds = |path: &str| {
        let content = fs::read(path).unwrap_or_default();
        content.windows(text.len() - 1).any(|window| window == text.trim_end().as_bytes())
    };
    let files = [path.clone(), format!("{path}-wal")];
    assert!(files.iter().any(|file| holds(file)));
    operator(&["remove-member", "crew", &ada.key().public().to_string(), "--with-data", "--db", &db]);
    assert!(!files.iter().any(|file| holds(file)), "and the server still runs");
    assert!(server.stop());
}

#[test]
fn tokens_are_looked_after_from_the_command_line() {
    let directory = TempDir::new().unwrap();
    let db = format!("sqlite:{}/team.db", directory.path().display());
    let printed = operator(&["init", "crew", "--db", &db, "--address", "https://memory.example.com/"]);
    assert!(
        printed.starts_with("memdir team init 'https://memdir_")
            && printed.ends_with("@memory.example.com/crew'\n"),
        "{printed}"
    );
    let twice = command().args(["init", "crew", "--db", &db]).output().unwrap();
    assert!(!twice.status.success());
    let nowhere = ["init", "other", "--db", &db, "--address", "ftp://memory.example.com"];
    assert!(!command().args(nowhere).output().unwrap().status.success());
    assert!(
        !operator(&["teams", "--db", &db]).contains("other"),
        "a team whose first token was never printed"
    );
    for bad in ["", "Crew", "a b", "../x", "-x"] {
        assert!(
            !command().args(["init", "--db", &db, "--", bad]).output().unwrap().status.success(),
            "{bad}"
        );
    }
    let token = operator(&["token", "crew", "--scope", "read", "--label", "mirror", "--db", &db]);
    let id = &token[7..23];
    let bent = command().args(["token", "crew", "--label", "a\tb\nc", "--db", &db]).output().unwrap();
    assert!(!bent.status.success(), "a label is one line");
    let listed = operator(&["tokens", "crew", "--db", &db]);
    assert!(listed.contains(id) && listed.contains("mirror") && !listed.contains(&token[24..60]), "{listed}");
    operator(&["revoke", "crew", id, "--db", &db]);
    assert!(operator(&["tokens", "crew", "--db", &db]).contains("ended"));
    assert!(operator(&["audit", "crew", "--db", &db]).contains("operator\ttoken ended"));
    // No secret of a token is in the database.
    let content = fs::read(format!("{}/team.db", directory.path().display())).unwrap();
    assert!(!content.windows(64).any(|window| window == &token.as_bytes()[24..88]));
}

#[test]
fn it_does_not_listen_beyond_this_machine_without_tls() {
    let directory = TempDir::new().unwrap();
    let db = format!("sqlite:{}/team.db", directory.path().display());
    let refused = command().args(["serve", "--db", &db, "--listen", "0.0.0.0:0"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("--without-tls"), "{said}");
    for db in ["mysql://x", "sqlite", "postgres://ada:sesame@127.0.0.1:1/x"] {
        let refused = command().args(["serve", "--db", db, "--listen", "127.0.0.1:0"]).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            !refused.status.success() && said.starts_with("error: ") && !said.contains("sesame"),
            "{said}"
        );
    }
}

#[test]
fn teams_are_listed_and_removed() {
    let directory = TempDir::new().unwrap();
    let path = format!("{}/team.db", directory.path().display());
    let db = format!("sqlite:{path}");
    let (token, ada) = (team(&db, "crew"), Person::founder(1));
    team(&db, "other");
    let server = Process::serve(&db, &[]);
    let puts = vec![ada.record(), ada.entry("a.md", 1, 1, Some("one\n")), ada.round(1, 0)];
    publish(&server, &token, &ada, puts);
    let listed = operator(&["teams", "--db", &db]);
    assert!(listed.starts_with("crew\t3\t") && listed.ends_with("\t0\t1\nother\t0\t0\t0\t0\n"), "{listed}");
    let doubt = command().args(["remove-team", "crew", "--db", &db]).output().unwrap();
    assert!(!doubt.status.success() && String::from_utf8_lossy(&doubt.stderr).contains("--yes"));
    operator(&["remove-team", "crew", "--yes", "--db", &db]);
    assert!(operator(&["teams", "--db", &db]).starts_with("other"));
    let gone = asked(&server, "GET", "head", &token, &[], None);
    assert_eq!(gone["error"]["code"], "unauthorized", "{gone}");
}

#[test]
fn only_a_backup_is_restored() {
    let directory = TempDir::new().unwrap();
    let file = |name: &str| format!("{}/{name}", directory.path().display());
    fs::write(file("empty.db"), "").unwrap();
    fs::write(file("text.db"), "no database\n".repeat(1_000)).unwrap();
    let to = format!("sqlite:{}", file("to.db"));
    for name in ["empty.db", "text.db", "nothing.db"] {
        let before = fs::read(file(name)).unwrap_or_default();
        let refused = command().args(["restore", &file(name), "--db", &to]).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains(name), "{said}");
        assert!(fs::read(file(name)).unwrap_or_default() == before, "{name} is as it was");
    }
}

#[test]
fn invalid_names_and_texts_are_harmless() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    for name in ["https://memory.example.com", "memory.example.com:443", ""] {
        let refused =
            command().args(["serve", "--db", "sqlite:/nowhere/x.db", "--name", name]).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(2) && said.contains("a host alone"), "{name}: {said}");
    }
    let described = command().env("BAD", OsStr::from_bytes(b"\xff")).arg("openapi").output().unwrap();
    assert!(described.status.success(), "{}", String::from_utf8_lossy(&described.stderr));
}

#[test]
fn an_unread_log_stops_nothing() {
    let directory = TempDir::new().unwrap();
    let db = format!("sqlite:{}/team.db", directory.path().display());
    team(&db, "crew");
    let (server, unread) = Process::serve_unread(&db);
    let ask = || {
        let answered = memdir_sync::http::send(&memdir_sync::http::Request {
            method: "GET",
            url: &format!("http://{}/healthz", server.place),
            headers: &[],
            body: None,
            limit: std::time::Duration::from_secs(20),
            most_bytes: 64 << 10,
            compress: false,
        });
        answered.map(|answer| answer.status).ok()
    };
    // A pipe has room for a few hundred lines.
    for number in 0..1_500 {
        assert_eq!(ask(), Some(200), "request {number}");
    }
    assert!(server.stop());
    drop(unread);
}

#[test]
fn a_second_stop_signal_stops_at_once() {
    let directory = TempDir::new().unwrap();
    let db = format!("sqlite:{}/team.db", directory.path().display());
    let token = team(&db, "crew");
    let server = Process::serve(&db, &[]);
    // A request of which the rest never comes.
    let mut client = TcpStream::connect(&server.place).unwrap();
    let head = format!(
        "POST /v1/teams/crew/known HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
         expect: 100-continue\r\ncontent-length: 9\r\n\r\n"
    );
    client.write_all(head.as_bytes()).unwrap();
    let mut heard = [0; 12];
    client.read_exact(&mut heard).unwrap();
    assert_eq!(&heard, b"HTTP/1.1 100", "it waits for the body");
    let begin = Instant::now();
    assert!(server.stop_at_once(), "it stops in order");
    assert!(begin.elapsed() < Limits::default().stop_time / 2, "{:?}", begin.elapsed());
}
