//! For the operator of the server.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::{FORWARDED_FOR, Peer};
use crate::api_error::ApiError;
use crate::server::Server;

/// The description of everything that can be asked.
pub(crate) const OPENAPI: &str = include_str!("../openapi.json");

/// The process runs.
pub(super) async fn healthz() -> Response {
    answer("{\"v\":1,\"status\":\"ok\"}")
}

/// The database answers, too.
pub(super) async fn readyz(State(server): State<Arc<Server>>) -> Result<Response, ApiError> {
    server.store.check().await?;
    Ok(answer("{\"v\":1,\"status\":\"ready\"}"))
}

/// Counters, for programs on this machine.
pub(super) async fn metrics(
    State(server): State<Arc<Server>>,
    request: Request,
) -> Result<Response, ApiError> {
    let is_forwarded = request.headers().contains_key(FORWARDED_FOR);
    if is_forwarded || !request.extensions().get::<Peer>().is_some_and(|peer| peer.is_here) {
        return Err(ApiError::new("forbidden", "counters are shown on the server's own machine only"));
    }
    let text = server.metrics.render(server.store.storage().engine(), server.log.dropped());
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response())
}

pub(super) async fn openapi() -> Response {
    answer(OPENAPI)
}

fn answer(body: &'static str) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}
