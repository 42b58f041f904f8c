//! The body of a request: bounded in size and time, unpacked, understood.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, header};
use http_body_util::{BodyExt, Limited};
use memdir_core::content_hash::ContentHash;
use memdir_wire::gzip::decompress;
use memdir_wire::server_api::{MAX_BODY_BYTES, NOTHING, PROTOCOL};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::api_error::ApiError;
use crate::limits::Limits;

/// Reads a body as JSON of a version that we speak.
pub(super) async fn json<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: Body,
    limits: &Limits,
) -> Result<(T, Vec<u8>), ApiError> {
    let bytes = read(headers, body, limits).await?;
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

async fn read(headers: &HeaderMap, body: Body, limits: &Limits) -> Result<Vec<u8>, ApiError> {
    let too_large =
        || ApiError::new("too_large", format!("a body has at most {MAX_BODY_BYTES} bytes; send it in parts"));
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > MAX_BODY_BYTES as u64) {
        return Err(too_large());
    }
    let collected = tokio::time::timeout(limits.body_time, Limited::new(body, MAX_BODY_BYTES).collect());
    let bytes = match collected.await {
        Err(_) => return Err(ApiError::new("timed_out", "the body took too long to come")),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => return Err(too_large()),
        Ok(Err(_)) => return Err(ApiError::new("bad_request", "the body did not come to its end")),
        Ok(Ok(collected)) => collected.to_bytes(),
    };
    match headers.get(header::CONTENT_ENCODING).map(HeaderValue::as_bytes) {
        None | Some(b"identity") => Ok(bytes.to_vec()),
        Some(b"gzip") => {
            let unpacking = tokio::task::spawn_blocking(move || decompress(&bytes, MAX_BODY_BYTES));
            let unpacked = unpacking.await.ok().flatten();
            unpacked.ok_or_else(|| {
                ApiError::new("too_large", format!("it is no gzip, or has more than {MAX_BODY_BYTES} bytes"))
            })
        }
        Some(_) => Err(ApiError::new("wrong_encoding", "a body is sent as it is, or as gzip")),
    }
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
