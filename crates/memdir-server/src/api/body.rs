//! The body of a request: bounded in size and time, unpacked, understood.

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, HeaderValue, header};
use http_body_util::{BodyExt, Limited};
use memdir_core::content_hash::ContentHash;
use memdir_wire::gzip::decompress;
use memdir_wire::server_api::{MAX_BODY_BYTES, NOTHING, PROTOCOL};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::asking::hold;
use crate::api_error::ApiError;
use crate::server::Server;

/// Reads a body as JSON of a version that we speak.
pub(super) async fn json<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: Body,
    server: &Server,
) -> Result<(T, Vec<u8>), ApiError> {
    let bytes = read(headers, body, server).await?;
    #[derive(Deserialize)]
    struct Versioned {
        v: u64,
    }
    // What a parser says may repeat what it read, so only the place is passed on.
    let unreadable = |error: serde_json::Error| {
        let message =
            format!("the body cannot be understood at line {}, column {}", error.line(), error.column());
        ApiError::new("bad_request", message)
    };
    let versioned: Versioned = serde_json::from_slice(&bytes).map_err(unreadable)?;
    if versioned.v != u64::from(PROTOCOL) {
        let message = format!("version {} is not spoken here; version {PROTOCOL} is", versioned.v);
        return Err(ApiError::new("wrong_version", message));
    }
    Ok((serde_json::from_slice(&bytes).map_err(unreadable)?, bytes))
}

async fn read(headers: &HeaderMap, body: Body, server: &Server) -> Result<Vec<u8>, ApiError> {
    let too_large =
        || ApiError::new("too_large", format!("a body has at most {MAX_BODY_BYTES} bytes; send it in parts"));
    let encoding =
        headers.get(header::CONTENT_ENCODING).map_or(b"identity".as_slice(), HeaderValue::as_bytes);
    let is = |name: &str| encoding.eq_ignore_ascii_case(name.as_bytes());
    let is_packed = is("gzip") || is("x-gzip");
    if !is_packed && !is("identity") {
        return Err(ApiError::new("wrong_encoding", "a body is sent as it is, or as gzip"));
    }
    let announced = body.size_hint().exact().map(|length| usize::try_from(length).unwrap_or(usize::MAX));
    let coming = announced.unwrap_or(MAX_BODY_BYTES);
    if coming > MAX_BODY_BYTES {
        return Err(too_large());
    }
    hold(server, if is_packed { coming } else { COPIES * coming }).await?;
    let collected =
        tokio::time::timeout(server.limits.body_time, Limited::new(body, MAX_BODY_BYTES).collect());
    let bytes = match collected.await {
        Err(_) => return Err(ApiError::new("timed_out", "the body took too long to come")),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => return Err(too_large()),
        Ok(Err(_)) => return Err(ApiError::new("bad_request", "the body did not come to its end")),
        Ok(Ok(collected)) => collected.to_bytes(),
    };
    if !is_packed {
        return Ok(bytes.to_vec());
    }
    let length = unpacked_length(&bytes);
    let length = length.ok_or_else(|| ApiError::new("bad_request", "the body is not gzip"))?;
    if length > MAX_BODY_BYTES {
        return Err(too_large());
    }
    hold(server, bytes.len() + COPIES * length).await?;
    let unpacking = tokio::task::spawn_blocking(move || decompress(&bytes, length));
    let damaged = || ApiError::new("bad_request", "the body is a damaged gzip");
    unpacking.await.ok().flatten().ok_or_else(damaged)
}

/// What is sent is in memory up to so many times while it is understood.
const COPIES: usize = 4;

/// The length that a compressed body claims; `None` if it is not gzip.
fn unpacked_length(packed: &Bytes) -> Option<usize> {
    let tail = packed.strip_prefix(&[0x1f, 0x8b])?.last_chunk()?;
    usize::try_from(u32::from_le_bytes(*tail)).ok()
}

/// The version that `If-Match` names, without which nothing is written.
pub(super) fn if_match(headers: &HeaderMap) -> Result<Option<ContentHash>, ApiError> {
    let mut values = headers.get_all(header::IF_MATCH).iter();
    let Some(value) = values.next() else {
        let message = "say in If-Match which version this is made from";
        return Err(ApiError::new("precondition_required", message));
    };
    let named = value.to_str().ok().filter(|_| values.next().is_none());
    let named = named.and_then(|text| text.trim().strip_prefix('"')?.strip_suffix('"'));
    match named {
        Some(NOTHING) => Ok(None),
        Some(text) if text.len() == 64 => match ContentHash::from_hex(text) {
            Some(version) => Ok(Some(version)),
            None => Err(no_version()),
        },
        _ => Err(no_version()),
    }
}

fn no_version() -> ApiError {
    ApiError::new("bad_request", "If-Match names one version, in quotes")
}
