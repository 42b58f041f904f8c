//! Answers that say yes.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use memdir_core::content_hash::ContentHash;
use memdir_wire::gzip::{WORTHWHILE_BYTES, compress};
use memdir_wire::server_api::NOTHING;
use serde::Serialize;

/// An answer as JSON, compressed if that is wanted and worth it.
pub(super) async fn json(request: &HeaderMap, answer: impl Serialize + Send) -> Response {
    with_status(StatusCode::OK, request, answer).await
}

/// The same with another status.
pub(super) async fn with_status(
    status: StatusCode,
    request: &HeaderMap,
    answer: impl Serialize + Send,
) -> Response {
    let body = serde_json::to_vec(&answer).unwrap_or_default();
    let mut response = if body.len() >= WORTHWHILE_BYTES && takes_gzip(request) {
        let packed = pack(body).await;
        ([(header::CONTENT_ENCODING, "gzip")], packed).into_response()
    } else {
        body.into_response()
    };
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response
}

/// Much takes a while, and no other request should wait for it.
async fn pack(body: Vec<u8>) -> Vec<u8> {
    const AT_ONCE: usize = 64 << 10;
    if body.len() <= AT_ONCE {
        return compress(&body);
    }
    tokio::task::spawn_blocking(move || compress(&body)).await.unwrap_or_default()
}

/// An answer that says that nothing changed.
pub(super) fn not_modified(head: Option<ContentHash>) -> Response {
    tagged(StatusCode::NOT_MODIFIED.into_response(), head)
}

/// The same answer, with the version that it is about.
pub(super) fn tagged(mut response: Response, head: Option<ContentHash>) -> Response {
    if let Ok(value) = HeaderValue::from_str(&tag(head)) {
        response.headers_mut().insert(header::ETAG, value);
    }
    response
}

/// How a version is written in `ETag` and `If-Match`.
pub(super) fn tag(head: Option<ContentHash>) -> String {
    head.map_or_else(|| format!("\"{NOTHING}\""), |head| format!("\"{head}\""))
}

/// Whether `If-None-Match` names the newest version.
pub(super) fn is_known(request: &HeaderMap, head: Option<ContentHash>) -> bool {
    let tag = tag(head);
    request.get_all(header::IF_NONE_MATCH).iter().any(|value| {
        value.to_str().is_ok_and(|value| {
            value.split(',').any(|one| one.trim().strip_prefix("W/").unwrap_or(one.trim()) == tag)
        })
    })
}

fn takes_gzip(request: &HeaderMap) -> bool {
    request.get_all(header::ACCEPT_ENCODING).iter().any(|value| {
        value.to_str().is_ok_and(|value| {
            value.split(',').any(|one| {
                let mut parts = one.split(';').map(str::trim);
                parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"))
                    && !parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
            })
        })
    })
}
