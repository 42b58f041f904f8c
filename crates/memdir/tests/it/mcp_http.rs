//! `memdir mcp --http` over a real socket.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use memdir_testkit::TestHome;
use serde_json::{Value, json};

use crate::mcp_client::command;

struct HttpServer {
    home: TestHome,
    child: Child,
    address: String,
    token: String,
}

/// A status, the headers in small letters, and the body.
struct HttpAnswer {
    status: u16,
    headers: String,
    body: String,
}

impl HttpAnswer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

impl HttpServer {
    fn start() -> Self {
        let home = TestHome::new();
        let mut child = command(&home)
            .args(["mcp", "--http", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
        let token = fs::read_to_string(home.home().join(".local/share/memdir/mcp-token")).unwrap();
        Self { home, child, address, token: token.trim().to_owned() }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// The headers that every good request has.
    fn headers(&self) -> Vec<(&'static str, String)> {
        vec![
            ("Host", self.address.clone()),
            ("Authorization", format!("Bearer {}", self.token)),
            ("Content-Type", "application/json".to_owned()),
            ("Accept", "application/json, text/event-stream".to_owned()),
        ]
    }

    fn request(&self, method: &str, headers: &[(&str, String)], body: &str) -> HttpAnswer {
        let mut stream = self.connect();
        send(&mut stream, method, headers, body);
        let mut stream = BufReader::new(stream);
        let mut answer = receive(&mut stream);
        if answer.header("content-type") == Some("text/event-stream") {
            stream.read_to_string(&mut answer.body).unwrap();
        }
        answer
    }

    fn post(&self, session: Option<&str>, message: &Value) -> HttpAnswer {
        let mut headers = self.headers();
        headers.extend(session.map(|id| ("Mcp-Session-Id", id.to_owned())));
        self.request("POST", &headers, &message.to_string())
    }

    /// Greets the server and gives back the session.
    fn greet(&self, capabilities: Value) -> String {
        let client = json!({"name": "http-client", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client});
        let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let answer = self.post(None, &message);
        assert_eq!(answer.json()["result"]["protocolVersion"], "2025-11-25");
        let session = answer.header("mcp-session-id").unwrap().to_owned();
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.post(Some(&session), &ready).status, 202);
        session
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn send(stream: &mut TcpStream, method: &str, headers: &[(&str, String)], body: &str) {
    stream.write_all(request(method, headers, body).as_bytes()).unwrap();
}

fn request(method: &str, headers: &[(&str, String)], body: &str) -> String {
    let mut text = format!("{method} /mcp HTTP/1.1\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    text
}

fn receive(stream: &mut impl BufRead) -> HttpAnswer {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("{line:?}")).parse().unwrap();
    let mut headers = String::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        if line.trim_end().is_empty() {
            break;
        }
        let (name, value) = line.trim_end().split_once(": ").unwrap();
        headers.push_str(&format!("{}: {value}\n", name.to_lowercase()));
    }
    let mut answer = HttpAnswer { status, headers, body: String::new() };
    match answer.header("content-length").map(|length| length.parse().unwrap()) {
        Some(length) => {
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            answer.body = String::from_utf8(body).unwrap();
        }
        None if answer.header("content-type") == Some("text/event-stream") => {}
        None => assert_eq!(answer.status, 204),
    }
    answer
}

/// The next message of a stream.
fn event(stream: &mut impl BufRead) -> Value {
    loop {
        let mut line = String::new();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream has ended");
        if let Some(data) = line.strip_prefix("data: ") {
            return serde_json::from_str(data).unwrap();
        }
    }
}

fn call(id: u64, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

#[test]
fn a_session_lives_from_its_handshake_to_its_deletion() {
    let server = HttpServer::start();
    let session = server.greet(json!({}));
    let tools = server.post(Some(&session), &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    assert_eq!((tools.status, tools.json()["result"]["tools"].as_array().unwrap().len()), (200, 7));
    let arguments =
        json!({"name": "tabs", "description": "wants tabs", "type": "feedback", "text": "Use tabs."});
    let saved = server.post(Some(&session), &call(2, "save", arguments)).body;
    assert!(saved.contains("added tabs.md"), "{saved}");
    let found = server.post(Some(&session), &call(3, "search", json!({"query": "tabs"})));
    assert!(found.body.contains("memory://memories/tabs.md"), "{}", found.body);
    let log = command(&server.home).args(["log", "--json"]).output().unwrap();
    let log: Value = serde_json::from_slice(&log.stdout).unwrap();
    let author = json!({"kind": "agent", "id": "http-client", "session": session});
    assert_eq!(log["items"][0]["author"], author);

    assert_eq!(server.post(None, &call(4, "search", json!({"query": "x"}))).status, 400);
    assert_eq!(server.post(Some("other"), &call(4, "search", json!({"query": "x"}))).status, 404);
    let mut headers = server.headers();
    headers.push(("Mcp-Session-Id", session.clone()));
    assert_eq!(server.request("DELETE", &headers, "").status, 204);
    assert_eq!(server.request("DELETE", &headers, "").status, 404);
    assert_eq!(server.post(Some(&session), &call(5, "search", json!({"query": "x"}))).status, 404);
}

#[test]
fn strangers_are_not_let_in() {
    let server = HttpServer::start();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let check = |name: &'static str, value: Option<&str>, expected: u16| {
        let mut headers = server.headers();
        headers.retain(|(known, _)| *known != name);
        headers.extend(value.map(|value| (name, value.to_owned())));
        assert_eq!(server.request("POST", &headers, &ping).status, expected, "{name} {value:?}");
    };
    check("Authorization", None, 401);
    check("Authorization", Some("Bearer wrong"), 401);
    check("Host", None, 403);
    check("Host", Some("evil.example"), 403);
    check("Origin", Some("https://evil.example"), 403);
    check("Origin", Some("null"), 403);
    check("Content-Type", Some("text/plain"), 415);
    check("Accept", Some("text/html"), 406);
    check("MCP-Protocol-Version", Some("1999-01-01"), 400);
    check("Origin", Some("http://localhost:1234"), 400);
    assert_eq!(server.request("PUT", &server.headers(), "").status, 405);
    assert_eq!(server.request("GET", &server.headers(), "").status, 400);
    let beyond = command(&server.home).args(["mcp", "--http", "0.0.0.0:0"]).output().unwrap();
    assert_eq!(beyond.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&beyond.stderr).contains("loopback"));
}

#[test]
fn roots_are_asked_for_on_the_stream_of_the_first_request_that_needs_them() {
    let server = HttpServer::start();
    let elsewhere = server.home.dir("home/elsewhere");
    let session = server.greet(json!({"roots": {}}));
    let mut headers = server.headers();
    headers.push(("Mcp-Session-Id", session.clone()));
    let arguments = json!({"name": "here", "description": "d", "type": "user", "text": "t"});
    let mut stream = server.connect();
    send(&mut stream, "POST", &headers, &call(1, "save", arguments).to_string());
    let mut stream = BufReader::new(stream);
    assert_eq!(receive(&mut stream).header("content-type"), Some("text/event-stream"));
    let asked = event(&mut stream);
    assert_eq!(asked["method"], "roots/list");
    let roots = json!({"roots": [{"uri": format!("file://{elsewhere}")}]});
    let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": roots});
    assert_eq!(server.post(Some(&session), &answer).status, 202);
    let mut said = event(&mut stream);
    if said["method"] == "notifications/resources/list_changed" {
        said = event(&mut stream);
    }
    let path = said["result"]["structuredContent"]["paths"][0].as_str().unwrap();
    assert!(path.contains("-elsewhere/memory/here.md"), "{path}");
}

#[test]
fn a_stream_tells_what_changes() {
    let server = HttpServer::start();
    let session = server.greet(json!({}));
    let mut headers = server.headers();
    headers.push(("Mcp-Session-Id", session.clone()));
    let mut stream = server.connect();
    send(&mut stream, "GET", &headers, "");
    let mut stream = BufReader::new(stream);
    assert_eq!(receive(&mut stream).status, 200);
    assert_eq!(server.request("GET", &headers, "").status, 409);
    let arguments = json!({"name": "tabs", "description": "d", "type": "feedback", "text": "t"});
    let saved = server.post(Some(&session), &call(1, "save", arguments));
    assert_eq!(saved.header("content-type"), Some("application/json"));
    assert_eq!(event(&mut stream)["method"], "notifications/resources/list_changed");
    assert_eq!(server.request("DELETE", &headers, "").status, 204);
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
}

#[test]
fn requests_that_say_everything_themselves_need_no_session() {
    let server = HttpServer::start();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let ask = |method: &str, mut params: Value, name: Option<&str>, version: &str| {
        params["_meta"] = meta.clone();
        let mut headers = server.headers();
        headers.push(("MCP-Protocol-Version", version.to_owned()));
        headers.push(("Mcp-Method", method.to_owned()));
        headers.extend(name.map(|name| ("Mcp-Name", name.to_owned())));
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        server.request("POST", &headers, &message.to_string())
    };
    let found = ask("server/discover", json!({}), None, "2026-07-28");
    assert_eq!((found.status, &found.json()["result"]["resultType"]), (200, &json!("complete")));
    assert!(found.header("mcp-session-id").is_none());
    let params = json!({"name": "search", "arguments": {"query": "x"}});
    assert_eq!(ask("tools/call", params.clone(), Some("search"), "2026-07-28").status, 200);
    let mismatch = ask("tools/call", params, Some("other"), "2026-07-28");
    assert_eq!((mismatch.status, &mismatch.json()["error"]["code"]), (400, &json!(-32020)));
    assert_eq!(ask("tools/list", json!({}), None, "2025-06-18").json()["error"]["code"], -32020);
    let unknown = ask("no/such", json!({}), None, "2026-07-28");
    assert_eq!((unknown.status, &unknown.json()["error"]["code"]), (404, &json!(-32601)));

    let filter = json!({"notifications": {"resourcesListChanged": true}, "_meta": meta});
    let message = json!({"jsonrpc": "2.0", "id": "ear", "method": "subscriptions/listen", "params": filter});
    let mut headers = server.headers();
    headers.push(("MCP-Protocol-Version", "2026-07-28".to_owned()));
    headers.push(("Mcp-Method", "subscriptions/listen".to_owned()));
    let mut stream = server.connect();
    send(&mut stream, "POST", &headers, &message.to_string());
    let mut stream = BufReader::new(stream);
    assert_eq!(receive(&mut stream).header("content-type"), Some("text/event-stream"));
    assert_eq!(event(&mut stream)["method"], "notifications/subscriptions/acknowledged");
    let add = ["add", "--type", "user", "--name", "a", "--description", "d", "--text", "t"];
    assert!(command(&server.home).args(add).status().unwrap().success());
    assert_eq!(event(&mut stream)["method"], "notifications/resources/list_changed");
}

#[test]
fn whatever_is_sent_the_next_connection_is_served() {
    let server = HttpServer::start();
    let good = format!(
        "Host: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n",
        server.address, server.token
    );
    let check = |text: &[u8], expected: &str| {
        let mut stream = server.connect();
        stream.write_all(text).unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        assert_eq!(line.split(' ').nth(1).unwrap_or_default(), expected, "{}", String::from_utf8_lossy(text));
    };
    check(b"nonsense\r\n\r\n", "400");
    check(b"GET / HTTP/3.0\r\n\r\n", "505");
    check(&vec![b'x'; 20_000], "431");
    check(format!("POST /mcp HTTP/1.1\r\n{good}Content-Length: 99999999\r\n\r\n").as_bytes(), "413");
    check(format!("POST /mcp HTTP/1.1\r\n{good}\r\n").as_bytes(), "411");
    check(format!("POST /mcp HTTP/1.1\r\n{good}Transfer-Encoding: chunked\r\n\r\nzz\r\n").as_bytes(), "400");
    check(format!("POST /other HTTP/1.1\r\n{good}Content-Length: 2\r\n\r\n{{}}").as_bytes(), "404");
    check(format!("POST /mcp HTTP/1.1\r\n{good}Content-Length: 1\r\n\r\n{{").as_bytes(), "400");
    check(
        format!("POST /mcp HTTP/1.1\r\n{good}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}").as_bytes(),
        "400",
    );
    let smuggled = format!(
        "POST /mcp HTTP/1.1\r\n{good}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    );
    check(smuggled.as_bytes(), "400");
    drop(server.connect());

    // Two requests on one connection, the first of them in pieces.
    let session = server.greet(json!({}));
    let ping = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}).to_string();
    let (one, other) = ping.split_at(10);
    let head = format!("POST /mcp HTTP/1.1\r\n{good}Mcp-Session-Id: {session}\r\n");
    let chunked = format!(
        "{head}Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n{:x}\r\n{one}\r\n{:x}\r\n{other}\r\n0\r\n\r\n",
        one.len(),
        other.len()
    );
    let mut stream = server.connect();
    stream
        .write_all(format!("{chunked}{head}Content-Length: {}\r\n\r\n{ping}", ping.len()).as_bytes())
        .unwrap();
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    assert!(line.starts_with("HTTP/1.1 100"), "{line}");
    stream.read_line(&mut line).unwrap();
    for _ in 0..2 {
        assert_eq!(receive(&mut stream).json(), json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    }
}

#[test]
fn a_silent_client_shuts_no_other_out() {
    let server = HttpServer::start();
    let silent: Vec<TcpStream> = (0..150).map(|_| server.connect()).collect();
    let session = server.greet(json!({}));
    let tools = server.post(Some(&session), &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    assert_eq!(tools.status, 200);
    drop(silent);
}

#[test]
fn of_many_clients_at_once_each_gets_a_status() {
    let server = HttpServer::start();
    let mut streams: Vec<TcpStream> = (0..300).map(|_| server.connect()).collect();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let ping = request("POST", &server.headers(), &ping);
    for stream in &mut streams {
        // Who was told already that there is no room cannot send any more.
        let _ = stream.write_all(ping.as_bytes());
    }
    let answers = streams.into_iter().map(|stream| receive(&mut BufReader::new(stream)).status);
    let (refused, served): (Vec<u16>, Vec<u16>) = answers.partition(|status| *status == 503);
    assert!(refused.len() > 100 && served.len() >= 60, "{} refused, {served:?}", refused.len());
    assert!(served.iter().all(|status| *status == served[0]), "{served:?}");
}
