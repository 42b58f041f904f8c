use serde_json::{Value, json};

use super::*;

fn session() -> Session {
    Session::new(ServerFacts { version: "1.0", instructions: "hello" })
}

fn receive(session: &mut Session, message: Value) -> Step {
    session.receive(Incoming::parse(message.to_string().as_bytes()))
}

fn request(session: &mut Session, method: &str, params: Value) -> Step {
    receive(session, json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
}

/// What is sent back; everything else fails the test.
fn sent(step: Step) -> Value {
    match step {
        Step::Send(value) => value,
        other => panic!("{other:?}"),
    }
}

fn code(step: Step) -> i64 {
    sent(step)["error"]["code"].as_i64().unwrap()
}

fn called(step: Step) -> Call {
    match step {
        Step::Call(call) => *call,
        other => panic!("{other:?}"),
    }
}

fn envelope(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "probe\u{1b}[2J", "version": "0"},
    })
}

fn initialized(version: &str, capabilities: Value) -> Session {
    let mut session = session();
    let params =
        json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": {"name": "c"}});
    let answer = sent(request(&mut session, "initialize", params));
    assert_eq!(answer["result"]["serverInfo"]["name"], "memdir");
    assert_eq!(answer["result"]["instructions"], "hello");
    let ready = receive(&mut session, json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    assert_eq!(ready, Step::Ready);
    session
}

#[test]
fn a_handshake_agrees_on_every_version_that_has_one() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut session = initialized(version, json!({}));
        assert_eq!(session.version().unwrap().as_str(), version);
        assert_eq!(session.takes_batches(), version == "2025-03-26");
        assert_eq!(sent(request(&mut session, "ping", json!({})))["result"], json!({}));
        let call = called(request(&mut session, "tools/list", json!({})));
        assert_eq!((&call.method, call.client.name.as_str()), (&Method::ListTools, "c"));
        assert_eq!(call.result(Map::new()), json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
        assert_eq!(call.error(&RpcError::resource_not_found("x"))["error"]["code"], -32002);
        assert_eq!(code(request(&mut session, "subscriptions/listen", json!({}))), -32601);
        assert_eq!(code(request(&mut session, "no/such", json!({}))), -32601);
    }
}

#[test]
fn a_discovery_names_every_version_and_needs_an_envelope() {
    let mut session = session();
    let answer = sent(request(&mut session, "server/discover", json!({"_meta": envelope("2026-07-28")})));
    let versions = json!(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]);
    let result = &answer["result"];
    assert_eq!(result["supportedVersions"], versions);
    assert_eq!((&result["resultType"], &result["cacheScope"]), (&json!("complete"), &json!("private")));
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "memdir");
    assert!(result["capabilities"]["tools"].is_object() && result["ttlMs"].is_u64());
    assert_eq!(code(request(&mut session, "server/discover", json!({}))), -32602);
    let half = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    assert_eq!(code(request(&mut session, "server/discover", half)), -32602);
    let number = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": 7}});
    assert_eq!(code(request(&mut session, "tools/list", number)), -32602);
    let unknown = sent(request(&mut session, "server/discover", json!({"_meta": envelope("2099-01-01")})));
    assert_eq!(unknown["error"]["code"], -32022);
    assert_eq!(unknown["error"]["data"], json!({"supported": versions, "requested": "2099-01-01"}));
}

#[test]
fn a_request_with_an_envelope_needs_no_handshake_and_is_answered_in_its_own_form() {
    let mut session = session();
    let call = called(request(&mut session, "tools/list", json!({"_meta": envelope("2026-07-28")})));
    assert_eq!(call.client.name, "probe[2J");
    let result = &call.result(Map::new())["result"];
    assert_eq!((&result["resultType"], &result["ttlMs"]), (&json!("complete"), &json!(3_600_000)));
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["version"], "1.0");
    assert_eq!(call.error(&RpcError::resource_not_found("x"))["error"]["code"], -32602);
    assert_eq!(code(request(&mut session, "ping", json!({"_meta": envelope("2026-07-28")}))), -32601);
    let named = json!({"name": "search", "_meta": envelope("2026-07-28")});
    assert!(
        called(request(&mut session, "tools/call", named)).result(Map::new())["result"]["ttlMs"].is_null()
    );
}

#[test]
fn roots_are_asked_for_once_and_again_when_they_change() {
    let mut session = initialized("2025-06-18", json!({"roots": {"listChanged": true}}));
    assert!(session.wants_roots());
    let asked = session.ask_roots();
    assert_eq!(asked["method"], "roots/list");
    assert!(session.awaits_roots() && !session.wants_roots());
    let stranger = json!({"jsonrpc": "2.0", "id": "other", "result": {"roots": [{"uri": "file:///x"}]}});
    assert_eq!(receive(&mut session, stranger), Step::Silence);
    let roots =
        json!({"roots": [{"uri": "file:///a", "name": "a"}, {"name": "no uri"}, {"uri": "file:///b"}]});
    let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": roots});
    let uris = vec!["file:///a".to_owned(), "file:///b".to_owned()];
    assert_eq!(receive(&mut session, answer.clone()), Step::Roots(uris));
    assert_eq!(receive(&mut session, answer), Step::Silence);
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"});
    assert_eq!(receive(&mut session, changed), Step::Ready);
    assert!(session.wants_roots());
    let again = session.ask_roots();
    assert_ne!(again["id"], asked["id"]);
    let refused = json!({"jsonrpc": "2.0", "id": again["id"], "error": {"code": -32601, "message": "no"}});
    assert_eq!(receive(&mut session, refused), Step::Roots(Vec::new()));
    assert!(!session.wants_roots());
}

#[test]
fn without_a_handshake_roots_come_with_the_request() {
    let mut session = session();
    let mut meta = envelope("2026-07-28");
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({"roots": {}});
    let params = json!({"name": "search", "arguments": {"query": "x"}, "_meta": meta});
    let asked = sent(request(&mut session, "tools/call", params.clone()));
    assert_eq!(asked["result"]["resultType"], "input_required");
    assert_eq!(asked["result"]["inputRequests"], json!({"roots": {"method": "roots/list"}}));
    assert_eq!(called(request(&mut session, "tools/list", json!({"_meta": meta}))).roots, None);
    let mut answered = params.clone();
    answered["inputResponses"] = json!({"roots": {"roots": [{"uri": "file:///a"}]}});
    let call = called(request(&mut session, "tools/call", answered));
    assert_eq!(call.roots, Some(vec!["file:///a".to_owned()]));
    assert_eq!(called(request(&mut session, "tools/call", params)).roots, None);
}

#[test]
fn a_subscriber_hears_of_changes() {
    let changed = Changed { list: true, updated: vec!["memory://memories/a.md".to_owned()] };
    let methods = |messages: Vec<Value>| -> Vec<String> {
        messages.iter().map(|message| message["method"].as_str().unwrap().to_owned()).collect()
    };
    assert!(session().tell(&changed).is_empty());
    let mut old = initialized("2025-06-18", json!({}));
    assert_eq!(methods(old.tell(&changed)), ["notifications/resources/list_changed"]);
    sent(request(&mut old, "resources/subscribe", json!({"uri": "memory://memories/a.md"})));
    let both = ["notifications/resources/list_changed", "notifications/resources/updated"];
    assert_eq!(methods(old.tell(&changed)), both);
    sent(request(&mut old, "resources/unsubscribe", json!({"uri": "memory://memories/a.md"})));
    assert_eq!(old.tell(&changed).len(), 1);

    let mut new = session();
    let filter = json!({"resourcesListChanged": true, "toolsListChanged": true, "resourceSubscriptions": ["memory://memories/a.md"]});
    let params = json!({"notifications": filter, "_meta": envelope("2026-07-28")});
    let call = called(request(&mut new, "subscriptions/listen", params));
    let Method::Listen(filter) = &call.method else { panic!("{call:?}") };
    let told = new.listen(&call.id, filter).unwrap();
    let honoured = json!({"resourcesListChanged": true, "resourceSubscriptions": ["memory://memories/a.md"]});
    assert_eq!(told["params"]["notifications"], honoured);
    let tagged = new.tell(&changed);
    assert_eq!(methods(tagged.clone()), both);
    assert!(
        tagged
            .iter()
            .all(|message| message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == 1)
    );
    assert_eq!(new.clone().end_listeners()[0]["result"]["resultType"], "complete");
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    assert!(matches!(receive(&mut new, cancelled), Step::Cancelled(_)));
    assert!(new.tell(&changed).is_empty());
}

#[test]
fn nothing_but_a_ping_is_answered_before_the_handshake() {
    let mut session = session();
    assert_eq!(sent(request(&mut session, "ping", json!({})))["result"], json!({}));
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "forget", "arguments": {"name": "x"}})),
        ("resources/list", json!({})),
        ("resources/subscribe", json!({"uri": "memory://memories/a.md"})),
        ("prompts/get", json!({"name": "start"})),
        ("no/such", json!({})),
    ] {
        assert_eq!(code(request(&mut session, method, params)), -32600, "{method}");
    }
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(receive(&mut session, ready), Step::Silence);
    assert!(!session.takes_news() && !session.waits_for_news());
    let modern = json!({"_meta": envelope("2026-07-28")});
    assert_eq!(called(request(&mut session, "tools/list", modern)).method, Method::ListTools);
    assert_eq!(code(request(&mut session, "tools/list", json!({}))), -32600);
}

#[test]
fn notifications_are_never_answered() {
    let mut session = session();
    for method in ["notifications/no/such", "tools/list", "ping", "notifications/cancelled", "initialize"] {
        let step = receive(&mut session, json!({"jsonrpc": "2.0", "method": method, "params": {"a": 1}}));
        assert_eq!(step, Step::Silence, "{method}");
    }
}

#[test]
fn parameters_that_do_not_fit_are_named() {
    let mut session = initialized("2025-11-25", json!({}));
    for (method, params) in [
        ("tools/call", json!({})),
        ("tools/call", json!({"name": 7})),
        ("tools/call", json!({"name": "x", "arguments": []})),
        ("resources/read", json!({"uri": null})),
        ("resources/list", json!({"cursor": 7})),
        ("prompts/get", json!({})),
        ("completion/complete", json!({"ref": {"type": "ref/other"}, "argument": {"value": ""}})),
        ("resources/subscribe", json!({})),
    ] {
        assert_eq!(code(request(&mut session, method, params.clone())), -32602, "{method} {params}");
    }
}
