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
            Value::Number(number) => Some(Self::Number(number.clone())),
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

/// Somebody wants an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What the answer is known by.
    pub id: Id,
    /// What is asked.
    pub method: String,
    /// With what.
    pub params: Map<String, Value>,
}

/// Somebody says something and wants no answer.
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
            return Self::too_long();
        }
        let read = serde_json::from_slice::<Value>(bytes).or_else(|error| {
            // Half a surrogate pair or a stray byte is no reason to leave a request without its answer.
            let text = String::from_utf8_lossy(bytes);
            serde_json::from_str(&without_lone_surrogates(&text)).map_err(|_| error)
        });
        match read {
            Ok(Value::Array(items)) => Self::batch(items),
            Ok(value) => Self::single(value),
            Err(error) => {
                let error = RpcError::new(RpcError::PARSE, format!("this is no JSON: {error}"));
                Self::Invalid { id: None, error }
            }
        }
    }

    /// What stands for a message that was longer than [`MAX_MESSAGE_BYTES`].
    #[must_use]
    pub fn too_long() -> Self {
        let message = format!("a message may have {MAX_MESSAGE_BYTES} bytes");
        Self::Invalid { id: None, error: RpcError::new(RpcError::INVALID_REQUEST, message) }
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

fn invalid(id: Option<Id>, message: &str) -> Incoming {
    Incoming::Invalid { id, error: RpcError::new(RpcError::INVALID_REQUEST, message) }
}

/// The answer that is an error.
pub(super) fn error_answer(id: Option<&Id>, error: &RpcError) -> Value {
    json!({"jsonrpc": "2.0", "id": id.map_or(Value::Null, Id::to_value), "error": error.to_value()})
}

/// The answer that is a result.
pub(super) fn result_answer(id: &Id, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.to_value(), "result": result})
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
        check(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\xff\"}", "request 1 a\u{fffd}");
        check(br#"{"jsonrpc":"2.0","id":1,"method":"a\ud800"}"#, "request 1 a\u{fffd}");
        check(&vec![b' '; MAX_MESSAGE_BYTES + 1], "invalid null -32600");
    }
}
