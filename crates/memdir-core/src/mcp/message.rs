use serde_json::{Map, Value, json};

use super::RpcError;
use crate::lone_surrogates::without_lone_surrogates;

/// A longer message is not read.
pub const MAX_MESSAGE_BYTES: usize = 4 << 20;
/// No batch holds more messages than this.
const MAX_BATCH: usize = 256;

/// The id of a request: what its answer is known by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Id {
    /// Any number, as it was written.
    Number(serde_json::Number),
    /// A text.
    Text(String),
}

impl Id {
    pub(super) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) if can_be_given_back(number) => Some(Self::Number(number.clone())),
            Value::String(text) => Some(Self::Text(text.clone())),
            _ => None,
        }
    }

    /// As JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.clone()),
        }
    }
}

/// The sender wants an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What the answer is known by.
    pub id: Id,
    /// What is asked.
    pub method: String,
    /// With what.
    pub params: Map<String, Value>,
}

/// The sender wants no answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    /// What happened.
    pub method: String,
    /// To what.
    pub params: Map<String, Value>,
}

/// The answer to a request of ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The request's id.
    pub id: Id,
    /// What came of it; `None` for an error.
    pub result: Option<Value>,
}

/// One message from the other side.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// To be answered.
    Request(Request),
    /// Not to be answered.
    Notification(Notification),
    /// An answer to us.
    Response(Response),
    /// Several at once.
    Batch(Vec<Incoming>),
    /// Nothing that can be understood, with the id if that much was.
    Invalid {
        /// The id that the error goes to; unknown ids are answered with `null`.
        id: Option<Id>,
        /// What is wrong.
        error: RpcError,
    },
}

impl Incoming {
    /// Reads one message. Never fails: what cannot be understood is a message that must be answered with an error.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        if bytes.len() > MAX_MESSAGE_BYTES {
            return Self::too_long(bytes, bytes);
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Self::Invalid { id: None, error: RpcError::new(RpcError::PARSE, "this is not UTF-8") };
        };
        let read = serde_json::from_str::<Value>(text).or_else(|error| {
            // Half a surrogate pair is not a reason to leave a request without its answer.
            serde_json::from_str(&without_lone_surrogates(text)).map_err(|_| error)
        });
        match read {
            Ok(Value::Array(items)) => Self::batch(items),
            Ok(value) => Self::single(value),
            Err(error) => {
                let error = RpcError::new(RpcError::PARSE, format!("this is not JSON: {error}"));
                Self::Invalid { id: None, error }
            }
        }
    }

    /// What replaces a message that was longer than [`MAX_MESSAGE_BYTES`], from how it begins and how it ends:
    /// its sender shall learn which one it was.
    #[must_use]
    pub fn too_long(start: &[u8], end: &[u8]) -> Self {
        let message = format!("a message may have {MAX_MESSAGE_BYTES} bytes");
        let error = RpcError::new(RpcError::INVALID_REQUEST, message);
        Self::Invalid { id: id_at_start(start).or_else(|| id_at_end(end)), error }
    }

    fn batch(items: Vec<Value>) -> Self {
        if items.is_empty() || items.len() > MAX_BATCH {
            return invalid(None, "a batch holds from 1 to 256 messages");
        }
        Self::Batch(items.into_iter().map(Self::single).collect())
    }

    fn single(value: Value) -> Self {
        let Value::Object(mut fields) = value else { return invalid(None, "a message is an object") };
        let id = fields.get("id").and_then(Id::of);
        if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return invalid(id, "`jsonrpc` must be \"2.0\"");
        }
        if !fields.contains_key("method") {
            let is_answer = fields.contains_key("result") || fields.contains_key("error");
            return match id {
                Some(id) if is_answer => Self::Response(Response { id, result: fields.remove("result") }),
                id => invalid(id, "there is no `method`"),
            };
        }
        let Some(Value::String(method)) = fields.remove("method") else {
            return invalid(id, "`method` must be a text");
        };
        let params = match fields.remove("params") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => {
                let error = RpcError::invalid_params("`params` must be an object");
                return Self::Invalid { id, error };
            }
        };
        match (fields.contains_key("id"), id) {
            (false, _) => Self::Notification(Notification { method, params }),
            (true, Some(id)) => Self::Request(Request { id, method, params }),
            (true, None) => invalid(None, "`id` must be a number or a text"),
        }
    }
}

/// Whether the answer can name the same number: larger ones were rounded when they were read.
fn can_be_given_back(number: &serde_json::Number) -> bool {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    !number.is_f64() || number.as_f64().is_some_and(|value| value.abs() < LARGEST)
}

/// The id of a message, if it comes before everything that is longer than a word.
fn id_at_start(bytes: &[u8]) -> Option<Id> {
    let mut rest = bytes.trim_ascii_start().strip_prefix(b"{")?;
    loop {
        let (key, behind) = scalar(rest)?;
        let (value, behind) = scalar(behind.trim_ascii_start().strip_prefix(b":")?)?;
        if key == "id" {
            return Id::of(&value);
        }
        rest = behind.trim_ascii_start().strip_prefix(b",")?;
    }
}

/// The id of a message, if it is the last thing in it: what is there belongs to no inner object.
fn id_at_end(bytes: &[u8]) -> Option<Id> {
    let body = bytes.trim_ascii_end().strip_suffix(b"}")?;
    let start = body.len().saturating_sub(MAX_ID_BYTES);
    let tail = body.get(start..)?;
    let at = tail.windows(4).rposition(|window| window == b"\"id\"")?;
    let before = tail.get(..at)?.trim_ascii_end();
    let (value, behind) = scalar(tail.get(at + 4..)?.trim_ascii_start().strip_prefix(b":")?)?;
    let is_member = before.ends_with(b",") && behind.trim_ascii().is_empty();
    if is_member { Id::of(&value) } else { None }
}

/// No id that is looked for in a message that is not read is longer.
const MAX_ID_BYTES: usize = 256;

/// The text or number at the beginning, and what follows it.
fn scalar(bytes: &[u8]) -> Option<(Value, &[u8])> {
    let bytes = bytes.trim_ascii_start();
    let bounded = bytes.get(..bytes.len().min(MAX_ID_BYTES))?;
    let length = match bounded.first()? {
        b'"' => {
            let mut is_escaped = false;
            let is_end = |byte: &u8| {
                let ends = *byte == b'"' && !is_escaped;
                is_escaped = *byte == b'\\' && !is_escaped;
                ends
            };
            bounded.iter().skip(1).position(is_end)? + 2
        }
        _ => {
            let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
            bounded.iter().take_while(|byte| is_part(byte)).count()
        }
    };
    let value = serde_json::from_slice(bounded.get(..length)?).ok()?;
    Some((value, bytes.get(length..)?))
}

/// The request that a message takes back, if it is one that can be.
#[must_use]
pub fn cancelled_request(message: &Incoming) -> Option<Id> {
    match message {
        Incoming::Notification(told) if told.method == "notifications/cancelled" => {
            told.params.get("requestId").and_then(Id::of)
        }
        _ => None,
    }
}

fn invalid(id: Option<Id>, message: &str) -> Incoming {
    Incoming::Invalid { id, error: RpcError::new(RpcError::INVALID_REQUEST, message) }
}

/// The answer that is an error.
pub(super) fn error_answer(id: Option<&Id>, error: &RpcError) -> Value {
    json!({"jsonrpc": "2.0", "id": id.map_or(Value::Null, Id::to_value), "error": error.to_value()})
}

/// The answer that is a result.
pub(super) fn result_answer(id: &Id, result: Value) -> Value {
    // Written out, because `json!` copies what it is given, and this may be long.
    let parts = [("jsonrpc", "2.0".into()), ("id", id.to_value()), ("result", result)];
    parts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A message of ours that wants no answer.
pub(super) fn notification(method: &str, params: Map<String, Value>) -> Value {
    match params.is_empty() {
        true => json!({"jsonrpc": "2.0", "method": method}),
        false => json!({"jsonrpc": "2.0", "method": method, "params": params}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message in a few words.
    fn shown(message: &Incoming) -> String {
        let id = |id: &Id| id.to_value().to_string();
        match message {
            Incoming::Request(request) => format!("request {} {}", id(&request.id), request.method),
            Incoming::Notification(notification) => format!("notification {}", notification.method),
            Incoming::Response(response) => {
                format!("response {} {}", id(&response.id), response.result.is_some())
            }
            Incoming::Batch(items) => {
                format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", "))
            }
            Incoming::Invalid { id, error } => {
                format!("invalid {} {}", id.as_ref().map_or(Value::Null, Id::to_value), error.code)
            }
        }
    }

    #[test]
    fn every_text_is_a_message_or_an_error_that_says_which_request_it_was() {
        let check = |text: &[u8], expected: &str| assert_eq!(shown(&Incoming::parse(text)), expected);
        check(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "request 1 ping");
        check(br#"{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}"#, "request \"a\" ping");
        check(br#"{"jsonrpc":"2.0","id":1.5,"method":"ping","params":null}"#, "request 1.5 ping");
        check(br#"{"jsonrpc":"2.0","method":"notifications/x"}"#, "notification notifications/x");
        check(br#"{"jsonrpc":"2.0","id":2,"result":{}}"#, "response 2 true");
        check(br#"{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":""}}"#, "response 2 false");
        check(br#"[{"jsonrpc":"2.0","id":1,"method":"ping"},7]"#, "[request 1 ping, invalid null -32600]");
        check(br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, "invalid 1 -32602");
        check(br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "invalid null -32600");
        check(br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, "invalid null -32600");
        check(br#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#, "invalid 3 -32600");
        check(br#"{"jsonrpc":"2.0","id":3,"method":7}"#, "invalid 3 -32600");
        check(br#"{"jsonrpc":"2.0","id":3}"#, "invalid 3 -32600");
        check(b"[]", "invalid null -32600");
        check(b"7", "invalid null -32600");
        check(b"{\"jsonrpc\":", "invalid null -32700");
        check(b"\0", "invalid null -32700");
        check(b"", "invalid null -32700");
        check(&[b'['; 10_000], "invalid null -32700");
        check(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\xff\"}", "invalid null -32700");
        check(br#"{"jsonrpc":"2.0","id":1,"method":"a\ud800"}"#, "request 1 a\u{fffd}");
        check(&vec![b' '; MAX_MESSAGE_BYTES + 1], "invalid null -32600");
        check(br#"{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}"#, "request 9007199254740993 ping");
        check(br#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}"#, "invalid null -32600");
    }

    #[test]
    fn the_id_of_a_message_that_is_too_long_is_found_where_it_is_certain() {
        let long = "x".repeat(MAX_MESSAGE_BYTES);
        let check = |text: String, expected: &str| {
            assert_eq!(shown(&Incoming::parse(text.as_bytes())), format!("invalid {expected} -32600"));
        };
        check(format!(r#"{{"jsonrpc":"2.0","id":7,"method":"a","params":{{"x":"{long}"}}}}"#), "7");
        check(format!(r#" {{ "id" : "a\"b" , "method":"a","params":"{long}"}}"#), r#""a\"b""#);
        check(format!(r#"{{"method":"a","params":{{"id":1,"x":"{long}"}},"jsonrpc":"2.0","id":8}} "#), "8");
        check(format!(r#"{{"method":"a","params":{{"x":"{long}","id":8}}}}"#), "null");
        check(format!(r#"{{"method":"a","params":{{"x":"{long}"}},"id":{{"id":8}}}}"#), "null");
        check(format!(r#"{{"method":"a","params":{{"x":"{long}\"id\":8}}"#), "null");
        check(format!(r#"{{"method":"a","params":"{long},\"id\":8}}"#), "null");
        check(format!("{{\"{long}"), "null");
        check(format!("{long}{long}"), "null");
    }
}
