use serde_json::Value;

use super::Head;
use crate::base64;
use crate::mcp::{Request, RpcError};

/// Checks what a request without a handshake says twice, in its headers and in its body: a proxy that routes by one of
/// them must not be told something else by the other.
///
/// # Errors
/// They differ, or a header is missing.
pub fn check_mirrored(head: &Head, request: &Request) -> Result<(), RpcError> {
    let mismatch = |name: &str| {
        RpcError::new(
            RpcError::HEADER_MISMATCH,
            format!("the header `{name}` does not say what the body says"),
        )
    };
    let meta = request.params.get("_meta");
    let version = meta.and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion"));
    if version.and_then(Value::as_str) != head.header("mcp-protocol-version") || version.is_none() {
        return Err(mismatch("MCP-Protocol-Version"));
    }
    if head.header("mcp-method") != Some(request.method.as_str()) {
        return Err(mismatch("Mcp-Method"));
    }
    let name = match request.method.as_str() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    match request.params.get(name) {
        Some(Value::String(said)) if head.header("mcp-name").and_then(decoded).as_ref() != Some(said) => {
            Err(mismatch("Mcp-Name"))
        }
        _ => Ok(()),
    }
}

/// A header's value, which may be wrapped because headers hold no more than plain letters.
fn decoded(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(wrapped) => String::from_utf8(base64::decode(wrapped)?).ok(),
        None => Some(value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mcp::{Id, Incoming};

    #[test]
    fn headers_and_body_say_the_same() {
        let check = |method: &str, params: Value, headers: &str, is_right: bool| {
            let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            let Incoming::Request(request) = Incoming::parse(message.to_string().as_bytes()) else {
                panic!()
            };
            assert_eq!(request.id, Id::Number(1.into()));
            let text = format!("POST / HTTP/1.1\r\n{headers}\r\n");
            let (head, _) = Head::parse(text.as_bytes()).unwrap().unwrap();
            assert_eq!(check_mirrored(&head, &request).is_ok(), is_right, "{headers}");
        };
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
        let version = "MCP-Protocol-Version: 2026-07-28\r\n";
        let list = json!({"_meta": meta});
        check("tools/list", list.clone(), &format!("{version}Mcp-Method: tools/list\r\n"), true);
        check("tools/list", list.clone(), &format!("{version}Mcp-Method: tools/call\r\n"), false);
        check("tools/list", list.clone(), version, false);
        check("tools/list", list.clone(), "Mcp-Method: tools/list\r\n", false);
        check("tools/list", json!({}), "Mcp-Method: tools/list\r\n", false);
        let old = "MCP-Protocol-Version: 2025-06-18\r\nMcp-Method: tools/list\r\n";
        check("tools/list", list, old, false);
        let call = json!({"_meta": meta, "name": "größe"});
        let named = |name: &str| format!("{version}Mcp-Method: tools/call\r\nMcp-Name: {name}\r\n");
        check("tools/call", call.clone(), &named("=?base64?Z3LDtsOfZQ==?="), true);
        check("tools/call", call.clone(), &named("=?base64?%%?="), false);
        check("tools/call", call, &named("other"), false);
    }
}
