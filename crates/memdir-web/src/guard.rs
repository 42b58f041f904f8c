//! What every request goes through, and what every answer carries.
//!
//! A page of another site can make this browser send requests here, also under a name that points here. Such a request
//! gives itself away: by `Host`, by `Origin`, by `Sec-Fetch-Site`, or because it lacks cookie and token.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::access::token_of;
use crate::reply::plain;
use crate::viewer::Viewer;

/// The largest form. A memory has at most 16 MiB, but people do not edit that in a browser.
const MAX_BODY: usize = 8 << 20;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Refuses requests of other pages, and makes answers safe to show.
pub(crate) async fn check_sender(
    State(viewer): State<Arc<Viewer>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match refusal(&viewer, request.method(), request.headers()) {
        Some(why) => plain(StatusCode::FORBIDDEN, why),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    let mut set = |name, value| headers.insert(name, HeaderValue::from_static(value));
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::X_FRAME_OPTIONS, "DENY");
    // `no-referrer` would make browsers send `Origin: null` with our own forms.
    set(header::REFERRER_POLICY, "same-origin");
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn refusal(viewer: &Viewer, method: &Method, headers: &HeaderMap) -> Option<&'static str> {
    let all =
        |name: &str| -> Vec<&[u8]> { headers.get_all(name).iter().map(HeaderValue::as_bytes).collect() };
    if all("host") != [viewer.access.host.as_bytes()] {
        return Some("this viewer answers only under its own address");
    }
    let origin = viewer.access.origin();
    let is_change = !matches!(*method, Method::GET | Method::HEAD);
    let origins = all("origin");
    if origins.iter().any(|found| *found != origin.as_bytes()) || (is_change && origins.is_empty()) {
        return Some("requests of other pages are not answered");
    }
    // Browsers say where a request comes from; `none` is the address bar or a link in another program.
    let is_own = |found: &&[u8]| matches!(*found, b"same-origin" | b"none");
    if !all("sec-fetch-site").iter().all(is_own) {
        return Some("requests of other pages are not answered");
    }
    None
}

/// Lets only browsers in that opened a link, and changes only with the token of a form.
pub(crate) async fn check_browser(
    State(viewer): State<Arc<Viewer>>,
    request: Request,
    next: Next,
) -> Response {
    let cookies = request.headers().get_all(header::COOKIE);
    let Some(browser) = viewer.access.browser(cookies.iter().filter_map(|value| value.to_str().ok())) else {
        return plain(
            StatusCode::UNAUTHORIZED,
            "This browser has no access. Open the link that `memdir ui` printed; it works once.",
        );
    };
    let is_change = !matches!(*request.method(), Method::GET | Method::HEAD);
    let (mut parts, body) = request.into_parts();
    let body = if is_change {
        let Ok(bytes) = to_bytes(body, MAX_BODY).await else {
            return plain(StatusCode::PAYLOAD_TOO_LARGE, "This is too large to be saved here.");
        };
        if !token_of(&bytes).is_some_and(|token| browser.may_change(&token)) {
            return plain(
                StatusCode::FORBIDDEN,
                "The form is not from this viewer. Reload the page and try again.",
            );
        }
        Body::from(bytes)
    } else {
        body
    };
    if !parts.uri.path().ends_with("/events") {
        viewer.touch();
    }
    parts.extensions.insert(browser);
    next.run(Request::from_parts(parts, body)).await.into_response()
}
