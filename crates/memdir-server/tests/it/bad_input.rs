//! Invalid requests: a clear error with a stable code, and nothing changed.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use memdir_core::content_hash::ContentHash;
use memdir_server::limits::Limits;
use memdir_wire::server_api::PutFile;

use super::engine::InFile;
use super::people::{Person, put, tag};
use super::running::{Running, no_rates};

/// A team with one memory; gives back the server, the token, its founder and the newest version.
fn crew(limits: Limits) -> (Running, String, Person, ContentHash, InFile) {
    let engine = InFile::new();
    let server = Running::with(&engine, limits);
    let token = server.team("crew");
    let ada = Person::founder(1);
    let puts = vec![ada.record(), ada.entry("a.md", 1, 1, Some("one\n")), ada.round(1, 0)];
    let (first, onto) = ada.publish(&server, ("crew", &token), None, puts);
    assert_eq!(first.status, 201, "{}", first.json);
    (server, token, ada, onto, engine)
}

#[test]
fn files_that_may_not_be_put_are_refused_by_code() {
    let (server, token, ada, onto, _engine) = crew(no_rates());
    let bob = Person::founder(2);
    let check = |what: &str, puts: Vec<PutFile>, code: &str| {
        let (answer, _) = ada.publish(&server, ("crew", &token), Some(onto), puts);
        assert_eq!(answer.code(), code, "{what}: {}", answer.json);
        assert!((400..500).contains(&answer.status), "{what}");
    };
    let with = |more: PutFile| vec![more, ada.round(2, 0)];
    check("nothing", vec![], "bad_request");
    check("no round", vec![ada.entry("b.md", 1, 2, Some("b\n"))], "bad_request");
    check("an old round", vec![ada.round(1, 0)], "replayed");
    check("a round without end", vec![ada.round(u64::MAX, 0)], "from_the_future");
    check("the same again", with(ada.entry("a.md", 1, 1, Some("one\n"))), "replayed");
    check("an older version", with(ada.entry("a.md", 0, 1, Some("zero\n"))), "replayed");
    check("a later round", with(ada.entry("b.md", 1, 3, Some("b\n"))), "from_the_future");
    check("a leap of rounds", vec![ada.round(2_000_000, 0)], "from_the_future");
    check("a leap of versions", with(ada.entry("b.md", 2_000_000, 2, Some("b\n"))), "from_the_future");
    check("a version without end", with(ada.entry("b.md", u64::MAX, 2, Some("b\n"))), "from_the_future");
    check(
        "years ahead",
        with(ada.entry_at("b.md", 1, 2, Some("b\n"), "2099-01-01T00:00:00Z")),
        "from_the_future",
    );
    check("twice", vec![ada.round(2, 0), ada.round(2, 0)], "duplicate_path");
    check("capitals", with(ada.entry("A.md", 1, 2, Some("b\n"))), "collides");
    let both =
        vec![ada.entry("x.md", 1, 2, Some("b\n")), ada.entry("X.md", 1, 2, Some("b\n")), ada.round(2, 0)];
    check("capitals among each other", both, "collides");
    check(
        "a secret",
        with(ada.entry(
            "b.md",
            1,
            2,
            Some(&format!("token: ghp_{}\n", "R7xQ2mWk9ZpL4vTn8YcJ1sBd6HfGa3EuXo5i")),
        )),
        "secret",
    );
    let name = format!("ghp_{}.md", "R7xQ2mWk9ZpL4vTn8YcJ1sBd6HfGa3EuXo5i");
    check("a secret for a name", with(ada.entry(&name, 1, 2, Some("b\n"))), "secret");
    check("another author", with(bob.entry("b.md", 1, 2, Some("b\n"))), "other_team");
    let stranger = Person { team: ada.team.clone(), ..Person::founder(3) };
    check("a stranger", with(stranger.entry("b.md", 1, 2, Some("b\n"))), "not_a_member");
    check("a stranger's round", vec![stranger.round(2, 0)], "not_a_member");
    let moved = PutFile { path: "entries/c.md".to_owned(), ..ada.entry("b.md", 1, 2, Some("b\n")) };
    check("another path", with(moved), "bad_entry");
    let mut bent = ada.entry("b.md", 1, 2, Some("b\n"));
    bent.content = bent.content.map(|text| text.replacen("b\n", "B\n", 1));
    check("a changed letter", with(bent), "bad_entry");
    check("no entry", with(put("entries/b.md", Some("plain\n".to_owned()))), "bad_entry");
    check("too large", with(ada.entry("b.md", 1, 2, Some(&"a line\n".repeat(36_000)))), "too_large");
    check("a removal", with(put("entries/a.md", None)), "kept");
    check("a removal of nothing", with(put("entries/none.md", None)), "kept");
    check("a member goes", with(PutFile { content: None, ..ada.record() }), "kept");
    check("no record", with(put("members/x.json", Some("{}\n".to_owned()))), "bad_record");
    check("uninvited", with(Person::invited_by(&stranger, 4).record()), "bad_record");
    check("a stranger's revocation", with(stranger.revocation_of(&ada)), "bad_record");
    for path in [
        "entries/../a.md",
        "entries//a.md",
        "/etc/passwd",
        "entries/a.txt",
        "entries/.hidden.md",
        "entries/MEMORY.md",
        "README.md",
        "",
        "entries/con.md",
    ] {
        let file = PutFile { path: path.to_owned(), ..ada.entry("b.md", 1, 2, Some("b\n")) };
        check(path, with(file), "bad_path");
    }
    // All files that are not wanted are named at once.
    let secret = format!("token: ghp_{}\n", "R7xQ2mWk9ZpL4vTn8YcJ1sBd6HfGa3EuXo5i");
    let puts = vec![
        ada.entry("b.md", 1, 2, Some(&secret)),
        ada.entry("c.md", 1, 2, Some("fine\n")),
        ada.entry("d.md", 1, 2, Some(&secret)),
        ada.round(2, 0),
    ];
    let (several, _) = ada.publish(&server, ("crew", &token), Some(onto), puts);
    let named: Vec<_> =
        several.json["error"]["refused"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(named, ["entries/b.md", "entries/d.md"]);
    let head = server.ask("GET", "/v1/teams/crew/head", Some(&token), &[], None);
    assert_eq!(head.json["version"], onto.to_string(), "nothing of that was taken");
    // A rename that changes capitals only is none of those.
    let puts = vec![ada.entry("A.md", 1, 2, Some("one\n")), ada.entry("a.md", 2, 2, None), ada.round(2, 0)];
    let (renamed, _) = ada.publish(&server, ("crew", &token), Some(onto), puts);
    assert_eq!(renamed.status, 201, "{}", renamed.json);
}

#[test]
fn a_secret_in_a_subject_is_not_kept_and_what_has_one_for_a_name_can_go() {
    let (server, token, ada, onto, _engine) = crew(no_rates());
    let secret = format!("ghp_{}", "R7xQ2mWk9ZpL4vTn8YcJ1sBd6HfGa3EuXo5i");
    let puts = vec![ada.entry(&format!("{secret}.md"), 1, 2, None), ada.round(2, 0)];
    let mut request = ada.request(Some(onto), puts);
    request.subject = format!("Delete {secret}.md");
    let body = serde_json::to_string(&request).unwrap();
    let headers = [("if-match", tag(Some(onto)))];
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    let put = server.ask("POST", "/v1/teams/crew/versions", Some(&token), &headers, Some(&body));
    assert_eq!(put.status, 201, "{}", put.json);
    let versions = server.ask("GET", "/v1/teams/crew/versions", Some(&token), &[], None).json;
    assert!(!versions.to_string().contains(&secret), "{versions}");
    assert_eq!(versions["versions"][1]["subject"], "a test", "others stay as they are");
}

#[test]
fn the_index_of_one_persons_memory_travels_and_a_teams_does_not() {
    let (server, token, ada, onto, _engine) = crew(no_rates());
    let puts = vec![ada.entry("projects/x/MEMORY.md", 1, 2, Some("# Index\n")), ada.round(2, 0)];
    let (taken, onto) = ada.publish(&server, ("crew", &token), Some(onto), puts);
    assert_eq!(taken.status, 201, "{}", taken.json);
    for path in ["MEMORY.md", "projects/../MEMORY.md", "projects/x/memory.md", ".x/MEMORY.md"] {
        let (refused, _) = ada.publish(
            &server,
            ("crew", &token),
            Some(onto),
            vec![ada.entry(path, 1, 3, Some("# Index\n")), ada.round(3, 0)],
        );
        assert_eq!(refused.code(), "bad_path", "{path}");
    }
}

#[test]
fn bodies_that_are_none_are_refused_by_code() {
    let (server, token, ada, onto, _engine) = crew(no_rates());
    let check = |body: &str, more: &[(&str, &str)], status: u16, code: &str| {
        let mut headers = more.to_vec();
        let tag = tag(Some(onto));
        if !headers.iter().any(|(name, _)| *name == "if-match") {
            headers.push(("if-match", &tag));
        }
        let answer = server.ask("POST", "/v1/teams/crew/versions", Some(&token), &headers, Some(body));
        assert_eq!((answer.status, answer.code()), (status, code), "{body:.80} {more:?}");
        assert!(
            !answer.json.to_string().contains("sesame"),
            "an answer repeats what was sent: {}",
            answer.json
        );
    };
    let good = serde_json::to_string(&ada.request(Some(onto), vec![ada.round(2, 0)])).unwrap();
    check("", &[], 400, "bad_request");
    check("sesame", &[], 400, "bad_request");
    check("[]", &[], 400, "bad_request");
    check("{\"v\":1}", &[], 400, "bad_request");
    check("{\"v\":1,\"v\":1}", &[], 400, "bad_request");
    check(&good.replacen("\"v\":1", "\"v\":2", 1), &[], 400, "wrong_version");
    check(&good.replacen("\"v\":1", "\"v\":1,\"sesame\":1", 1), &[], 400, "bad_request");
    check(&good.replacen("\"v\":1", "\"v\":1,\"parts\":0", 1), &[], 400, "bad_request");
    check(&good.replacen("\"parts\":0", "\"parts\":\"sesame\"", 1), &[], 400, "bad_request");
    check(&good.replacen("\"parts\":0", "\"parts\":3", 1), &[], 409, "incomplete");
    check(&"[".repeat(100_000), &[], 400, "bad_request");
    check(&format!("{{\"v\":1,\"x\":\"{}\"}}", "y".repeat(1 << 20)), &[], 413, "too_large");
    check(&good, &[("if-match", "*")], 400, "bad_request");
    check(&good, &[("if-match", "\"sesame\"")], 400, "bad_request");
    check(&good, &[("if-match", "W/\"0\"")], 400, "bad_request");
    check(&good, &[("content-encoding", "br")], 415, "wrong_encoding");
    let mut other = ada.request(Some(onto), vec![ada.round(2, 0)]);
    other.version = ContentHash::of(b"sesame");
    check(&serde_json::to_string(&other).unwrap(), &[], 400, "bad_request");
    // What an address names is text, and what is not UTF-8 is answered like everything else.
    for path in ["/v1/teams/%ff/head", "/v1/teams/crew/tokens/%ff", "/v1/teams/crew/members/%c3%28"] {
        let method = if path.ends_with("head") { "GET" } else { "DELETE" };
        let answer = server.ask(method, path, Some(&token), &[], None);
        assert_eq!((answer.status, answer.code()), (404, "not_found"), "{path}");
    }
    for path in [
        "files?since=sesame",
        "files?sequence=x",
        "files?sesame=1",
        "files?since=a&sequence=1",
        "versions?limit=-1",
        "files?sequence=1&path=%00",
    ] {
        let answer = server.ask("GET", &format!("/v1/teams/crew/{path}"), Some(&token), &[], None);
        assert!(matches!(answer.code(), "bad_request" | "unknown_version"), "{path}: {}", answer.json);
    }
    let (fine, _) = ada.publish(&server, ("crew", &token), Some(onto), vec![ada.round(2, 0)]);
    assert_eq!(fine.status, 201, "and all is well afterwards");
}

#[test]
fn a_bomb_is_not_unpacked() {
    let (server, token, _, onto, _engine) = crew(no_rates());
    let bomb = memdir_wire::gzip::compress(&vec![b' '; 4 << 20]);
    let head = format!(
        "POST /v1/teams/crew/versions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nif-match: {}\r\n\
         content-encoding: gzip\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        tag(Some(onto)),
        bomb.len()
    );
    let answer = server.raw(&[head.as_bytes(), &bomb].concat());
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[test]
fn an_early_refusal_announces_the_end_of_the_connection() {
    let (server, token, ..) = crew(no_rates());
    let head = format!(
        "POST /v1/teams/crew/versions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nif-match: {}\r\n\
         content-length: {}\r\n\r\n",
        tag(None),
        2 << 20
    );
    let answer = server.raw(head.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("\r\nconnection: close\r\n"), "{answer}");
}

#[test]
fn what_is_packed_may_be_called_so_in_several_ways_and_must_be_it() {
    let (server, token, ..) = crew(no_rates());
    let good = memdir_wire::gzip::compress(b"{\"v\":1,\"versions\":[]}");
    let mut bent = good.clone();
    bent[14] ^= 0x10;
    let mut lying = memdir_wire::gzip::compress(&vec![b' '; 2 << 20]);
    let tail = lying.len() - 4;
    lying[tail..].copy_from_slice(&100u32.to_le_bytes());
    let check = |encoding: &str, body: &[u8], status: u16, code: &str| {
        let head = format!(
            "POST /v1/teams/crew/known HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
             content-encoding: {encoding}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let answer = server.raw(&[head.as_bytes(), body].concat());
        let fits = answer.starts_with(&format!("HTTP/1.1 {status}")) && answer.contains(code);
        assert!(fits, "{encoding}: {answer}");
    };
    for encoding in ["gzip", "GZIP", "x-gzip"] {
        check(encoding, &good, 200, "\"version\":null");
        check(encoding, b"{\"v\":1,\"versions\":[]}", 400, "bad_request");
        check(encoding, b"", 400, "bad_request");
        check(encoding, &bent, 400, "bad_request");
        check(encoding, &lying, 400, "bad_request");
        check(encoding, &good[..good.len() - 1], 4, "error");
    }
    check("Identity", b"{\"v\":1,\"versions\":[]}", 200, "\"version\":null");
    check("deflate", &good, 415, "wrong_encoding");
}

#[test]
fn who_speaks_no_http_or_slowly_is_hung_up_on() {
    let limits = Limits {
        head_time: Duration::from_millis(300),
        body_time: Duration::from_millis(300),
        connections: 4,
        ..no_rates()
    };
    let (server, token, ..) = crew(limits);
    assert!(server.raw(b"sesame\r\n\r\n").starts_with("HTTP/1.1 400"));
    let long = format!("GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "y".repeat(100_000));
    assert!(server.raw(long.as_bytes()).starts_with("HTTP/1.1 4"));
    // A head that never ends, and a body that does not.
    let slow = server.raw(b"GET /healthz HTTP/1.1\r\nhost: lo");
    assert!(slow.is_empty() || slow.starts_with("HTTP/1.1 408"), "{slow}");
    let body = format!(
        "POST /v1/teams/crew/known HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
         content-length: 100\r\n\r\n{{"
    );
    let answer = server.raw(body.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("timed_out"), "{answer}");
    // More connections than there are places: those beyond are closed at once, and the others go on.
    let mut held: Vec<TcpStream> = (0..4).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    for stream in &mut held {
        stream.write_all(b"GET /healthz HTTP/1.1\r\n").unwrap();
    }
    let mut beyond = TcpStream::connect(server.address).unwrap();
    beyond.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert_eq!(beyond.read(&mut [0; 1]).unwrap_or(0), 0);
    drop(held);
    let mut tries = 0;
    while !server
        .raw(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .contains("200 OK")
    {
        tries += 1;
        assert!(tries < 200, "the server never came back");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn no_address_takes_all_places() {
    let limits = Limits { connections: 8, address_connections: 2, ..no_rates() };
    let (server, ..) = crew(limits);
    // What a connection before it has left may not have been noticed.
    std::thread::sleep(Duration::from_millis(200));
    let mut held: Vec<TcpStream> = (0..4).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    for stream in &mut held {
        stream.write_all(b"G").unwrap();
    }
    let mut beyond = TcpStream::connect(server.address).unwrap();
    beyond.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    assert_eq!(beyond.read(&mut [0; 1]).unwrap_or(0), 0, "this machine has half of the places");
    // Another address comes in.
    let answer = server.wait(async {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
        let mut stream = socket.connect(server.address).await.unwrap();
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    });
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn an_invitation_waits_for_a_week_at_most() {
    let (server, token, ..) = crew(no_rates());
    for (days, status) in [(1, 201), (7, 201), (8, 400), (3650, 400), (0, 400)] {
        let body = format!("{{\"v\":1,\"days\":{days}}}");
        let answer = server.ask("POST", "/v1/teams/crew/invitations", Some(&token), &[], Some(&body));
        assert_eq!(answer.status, status, "{days}: {}", answer.json);
    }
}

#[test]
fn rates_and_quotas_hold() {
    let limits = Limits { token_rate: 1, team_files: 4, team_bytes: 20_000, ..no_rates() };
    let (server, token, ada, onto, _engine) = crew(limits);
    let puts =
        vec![ada.entry("b.md", 1, 2, Some("b\n")), ada.entry("c.md", 1, 2, Some("c\n")), ada.round(2, 0)];
    let (many, _) = ada.publish(&server, ("crew", &token), Some(onto), puts);
    assert_eq!((many.status, many.code()), (422, "quota"));
    let puts = vec![ada.entry("b.md", 1, 2, Some(&"long\n".repeat(5_000))), ada.round(2, 0)];
    let (large, _) = ada.publish(&server, ("crew", &token), Some(onto), puts);
    assert_eq!((large.status, large.code()), (422, "quota"));
    let last =
        (0..20).map(|_| server.ask("GET", "/v1/teams/crew/head", Some(&token), &[], None)).last().unwrap();
    assert_eq!((last.status, last.code()), (429, "too_many_requests"));
}

#[test]
fn a_token_publishes_no_faster_than_its_rate_and_reads_on() {
    let (server, token, ada, mut onto, _engine) = crew(Limits { publish_rate: 1, ..no_rates() });
    let mut refused = None;
    for round in 2..30 {
        let puts = vec![ada.entry("a.md", round, round, Some(&format!("{round}\n"))), ada.round(round, 0)];
        let (put, next) = ada.publish(&server, ("crew", &token), Some(onto), puts);
        match put.status {
            201 => onto = next,
            _ => {
                refused = Some((round, put));
                break;
            }
        }
    }
    let (round, put) = refused.unwrap();
    assert_eq!((put.status, put.code()), (429, "too_many_requests"), "{}", put.json);
    assert!(round > 10, "ten seconds' worth at once, not {round}");
    assert_eq!(server.ask("GET", "/v1/teams/crew/head", Some(&token), &[], None).status, 200);
}

/// A team with so much to read that no connection takes all of it at once; gives back the length of one text, too.
fn crew_with_much(limits: Limits) -> (Running, String, usize, InFile) {
    let (server, token, ada, mut onto, engine) = crew(limits);
    let line = "a sentence that one member wrote down for the others to read\n".repeat(4_000);
    for round in 2..12 {
        let puts = vec![ada.entry(&format!("{round}.md"), 1, round, Some(&line)), ada.round(round, 0)];
        let (put, next) = ada.publish(&server, ("crew", &token), Some(onto), puts);
        assert_eq!(put.status, 201, "{}", put.json);
        onto = next;
    }
    (server, token, line.len(), engine)
}

/// Asks for everything, several times, so that it is more than what the system keeps for a connection.
fn ask_and_do_not_read(server: &Running, token: &str, times: usize) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    let request = format!(
        "GET /v1/teams/crew/files?contents=true HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\r\n"
    );
    for _ in 0..times {
        stream.write_all(request.as_bytes()).unwrap();
    }
    stream
}

#[test]
fn unread_answers_are_bounded() {
    // A token may have 6 MiB under way, which is one answer that is being made; a team twice as much.
    let (server, token, ..) = crew_with_much(Limits { room_bytes: 24 << 20, ..no_rates() });
    let mirror = server.token("crew", memdir_server::token::Scope::Read, i64::MAX);
    let everything =
        |token: &str| server.ask("GET", "/v1/teams/crew/files?contents=true", Some(token), &[], None);
    // A request at the same time may get the answer, and the other one the refusal.
    let mut held = Vec::new();
    let refused = (0..30).find_map(|_| {
        held.push(ask_and_do_not_read(&server, &token, 40));
        std::thread::sleep(Duration::from_millis(300));
        Some(everything(&token)).filter(|answer| answer.status == 429)
    });
    assert_eq!(refused.unwrap().code(), "too_many_requests");
    // Small things, and others, go on.
    assert_eq!(server.ask("GET", "/v1/teams/crew/head", Some(&token), &[], None).status, 200);
    assert_eq!(everything(&mirror).status, 200);
    drop(held);
    let mut soon = (0..200).map(|_| {
        std::thread::sleep(Duration::from_millis(20));
        everything(&token).status
    });
    assert!(soon.any(|status| status == 200));
}

#[test]
fn the_same_content_asked_for_often_is_answered_as_often_as_it_fits() {
    let (server, token, length, _engine) = crew_with_much(no_rates());
    let files = server.ask("GET", "/v1/teams/crew/files", Some(&token), &[], None).json;
    let large =
        files["files"].as_array().unwrap().iter().find(|file| file["path"] == "entries/2.md").unwrap();
    let nothing = ContentHash::of(b"nothing").to_string();
    let ids = [vec![nothing.as_str()], vec![large["id"].as_str().unwrap(); 300]].concat();
    let body = serde_json::json!({ "v": 1, "ids": ids }).to_string();
    let answer = server.ask("POST", "/v1/teams/crew/contents", Some(&token), &[], Some(&body));
    let contents = answer.json["contents"].as_array().unwrap();
    assert!(contents[0].is_null() && contents[1].as_str().unwrap().len() > length);
    let sent: usize = contents.iter().filter_map(serde_json::Value::as_str).map(str::len).sum();
    let most = memdir_wire::server_api::MAX_ANSWER_BYTES;
    assert!(sent <= most && sent + length + 1000 > most, "{sent}");
    assert!(contents[1..].iter().all(|content| *content == contents[1]));
}

#[test]
fn refused_requests_are_logged_with_who_sent_them() {
    let engine = InFile::new();
    let (server, lines) = Running::logged(&engine, Limits { token_rate: 1, ..no_rates() });
    let token = server.team("crew");
    let id = memdir_server::token::Token::parse(&token).unwrap().id().to_owned();
    let path = "/v1/teams/crew/versions";
    let statuses: Vec<u16> = (0..11)
        .map(|number| server.ask("POST", path, Some(&token), &[], (number > 0).then_some("{}")).status)
        .collect();
    assert_eq!((statuses[0], statuses[10]), (428, 429));
    assert_eq!(server.ask("POST", path, Some("memdir_x"), &[], Some("{}")).status, 401);
    let logged = lines.about("/v1/teams/{team}/versions", 12);
    for line in &logged[..11] {
        assert_eq!((&line["token"], &line["team"]), (&id.as_str().into(), &"crew".into()), "{line}");
    }
    assert!(logged[11].get("token").is_none(), "no token was accepted: {}", logged[11]);
}

#[test]
fn who_does_not_read_is_hung_up_on() {
    let limits = Limits { read_time: Duration::from_millis(300), ..no_rates() };
    let (server, token, length, _engine) = crew_with_much(limits);
    let mut stream = ask_and_do_not_read(&server, &token, 8);
    let connections = || {
        let text = server.raw(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        text.lines().find_map(|line| line.strip_prefix("memdir_connections ")?.parse::<u32>().ok())
    };
    let mut tries = 0;
    std::thread::sleep(Duration::from_millis(300));
    while connections() != Some(1) {
        tries += 1;
        assert!(tries < 500, "it waits for ever");
        std::thread::sleep(Duration::from_millis(50));
    }
    // The server hung up: all that comes is what lay on the way.
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut arrived = Vec::new();
    // A connection that was cut off ends in one of two ways.
    let ended = stream.read_to_end(&mut arrived);
    assert!(ended.is_ok() || ended.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset));
    assert!(arrived.len() < 8 * 10 * length, "{} bytes came all the same", arrived.len());
}

#[test]
fn what_was_replaced_is_bounded_too() {
    let limits = Limits { team_bytes: 100_000, ..no_rates() };
    let (server, token, ada, mut onto, _engine) = crew(limits);
    let line = "a sentence that one member wrote down for the others to read\n".repeat(500);
    let mut last = 201;
    for round in 2..20 {
        let text = format!("{round}\n{line}");
        let puts = vec![ada.entry("a.md", round, round, Some(&text)), ada.round(round, 0)];
        let (put, next) = ada.publish(&server, ("crew", &token), Some(onto), puts);
        last = put.status;
        if last != 201 {
            assert_eq!((last, put.code()), (429, "too_many_requests"));
            break;
        }
        onto = next;
    }
    assert_eq!(last, 429, "old texts fill the disk");
    let teams = server.wait(server.store.teams_with_old_bytes(100_000)).unwrap();
    assert_eq!(teams, ["crew"]);
    server.wait(server.store.forget_oldest("crew", 50_000)).unwrap();
    assert!(server.wait(server.store.teams_with_old_bytes(50_000)).unwrap().is_empty());
    let round =
        server.ask("GET", "/v1/teams/crew/head", Some(&token), &[], None).json["sequence"].as_u64().unwrap();
    let puts = vec![ada.entry("a.md", round + 9, round + 9, Some("short\n")), ada.round(round + 9, 0)];
    let (put, _) = ada.publish(&server, ("crew", &token), Some(onto), puts);
    assert_eq!(put.status, 201, "{}", put.json);
}
