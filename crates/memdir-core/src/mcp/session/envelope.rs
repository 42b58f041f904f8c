//! What every request says about itself where there is no handshake.

use serde_json::{Map, Value, json};

use super::super::{ADVERTISED, RpcError, Version};
use super::{Client, client};

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub(super) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
pub(super) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// Who asks, and in which version.
pub(super) struct Envelope {
    pub(super) version: Version,
    pub(super) client: Client,
}

/// Reads the envelope; `None` if the request belongs to a handshake.
pub(super) fn read(method: &str, params: &Map<String, Value>) -> Result<Option<Envelope>, RpcError> {
    let meta = params.get("_meta").and_then(Value::as_object);
    let version = meta.and_then(|meta| meta.get(PROTOCOL_VERSION));
    if version.is_none() && method != "server/discover" {
        return Ok(None);
    }
    let missing = |key: &str| RpcError::invalid_params(format!("`_meta` must hold `{key}`"));
    let version = version.and_then(Value::as_str).ok_or_else(|| missing(PROTOCOL_VERSION))?;
    let of_client = |key: &str| meta.and_then(|meta| meta.get(key));
    let capabilities = of_client(CLIENT_CAPABILITIES).filter(|value| value.is_object());
    let capabilities = capabilities.ok_or_else(|| missing(CLIENT_CAPABILITIES))?;
    let known = ADVERTISED.into_iter().find(|known| known.as_str() == version);
    let version = known.ok_or_else(|| RpcError {
        code: RpcError::UNSUPPORTED_VERSION,
        message: "this version of the protocol is not served".to_owned(),
        data: Some(json!({"supported": ADVERTISED.map(Version::as_str), "requested": version})),
    })?;
    Ok(Some(Envelope { version, client: client(of_client(CLIENT_INFO), Some(capabilities)) }))
}
