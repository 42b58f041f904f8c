//! The routes, and what every request goes through.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};

use crate::api_error::{ApiError, ErrorCode};
use crate::rate::source_of;
use crate::server::Server;

mod access;
mod answer;
mod asking;
mod body;
mod caller;
mod named;
mod operations;
mod reading;
mod writing;

pub(crate) use operations::OPENAPI;

/// Where a proxy says that a request comes from.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// Where a request comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer {
    pub(crate) address: IpAddr,
    /// Whether that is the server's own machine.
    pub(crate) is_here: bool,
}

impl Peer {
    /// Who is at one end of a connection, if we are at the other: what comes from our own address comes from here.
    pub(crate) fn of(address: IpAddr, our_own: Option<IpAddr>) -> Self {
        let address = address.to_canonical();
        let is_here = address.is_loopback() || our_own.is_some_and(|own| own.to_canonical() == address);
        Self { address, is_here }
    }
}

/// A route, as the OpenAPI document lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The method.
    pub method: &'static str,
    /// The path.
    pub path: &'static str,
}

/// Every route there is.
pub const ROUTES: &[Route] = &[
    Route { method: "get", path: "/healthz" },
    Route { method: "get", path: "/readyz" },
    Route { method: "get", path: "/metrics" },
    Route { method: "get", path: "/openapi.json" },
    Route { method: "get", path: "/v1/teams/{team}/head" },
    Route { method: "get", path: "/v1/teams/{team}/files" },
    Route { method: "post", path: "/v1/teams/{team}/contents" },
    Route { method: "post", path: "/v1/teams/{team}/known" },
    Route { method: "get", path: "/v1/teams/{team}/versions" },
    Route { method: "post", path: "/v1/teams/{team}/versions" },
    Route { method: "put", path: "/v1/teams/{team}/parts/{version}/{part}" },
    Route { method: "post", path: "/v1/teams/{team}/invitations" },
    Route { method: "post", path: "/v1/teams/{team}/sessions" },
    Route { method: "post", path: "/v1/teams/{team}/join" },
    Route { method: "get", path: "/v1/teams/{team}/tokens" },
    Route { method: "post", path: "/v1/teams/{team}/tokens" },
    Route { method: "delete", path: "/v1/teams/{team}/tokens/{id}" },
    Route { method: "delete", path: "/v1/teams/{team}/members/{key}" },
    Route { method: "get", path: "/v1/teams/{team}/audit" },
];

/// The routes of a server.
pub(crate) fn router(server: Arc<Server>) -> Router {
    Router::new()
        .route("/healthz", get(operations::healthz))
        .route("/readyz", get(operations::readyz))
        .route("/metrics", get(operations::metrics))
        .route("/openapi.json", get(operations::openapi))
        .route("/v1/teams/{team}/head", get(reading::head))
        .route("/v1/teams/{team}/files", get(reading::files))
        .route("/v1/teams/{team}/contents", post(reading::contents))
        .route("/v1/teams/{team}/known", post(reading::known))
        .route("/v1/teams/{team}/versions", get(reading::versions).post(writing::publish))
        .route("/v1/teams/{team}/parts/{version}/{part}", put(writing::part))
        .route("/v1/teams/{team}/invitations", post(access::invite))
        .route("/v1/teams/{team}/sessions", post(access::add_session))
        .route("/v1/teams/{team}/join", post(access::join))
        .route("/v1/teams/{team}/tokens", get(access::tokens).post(access::add_token))
        .route("/v1/teams/{team}/tokens/{id}", delete(access::revoke_token))
        .route("/v1/teams/{team}/members/{key}", delete(access::forget_member))
        .route("/v1/teams/{team}/audit", get(access::audit))
        .fallback(|| async { ApiError::not_found() })
        .method_not_allowed_fallback(|| async {
            ApiError::new("method_not_allowed", "this address does not do that")
        })
        .layer(from_fn_with_state(Arc::clone(&server), around))
        .with_state(server)
}

/// What every request goes through: the gate, the rates, the time limit, the counters and the log.
async fn around(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "(none)".to_owned(), |route| route.as_str().to_owned());
    let asking = Arc::new(asking::Asking::default());
    let response = match admit(&server, &request, started) {
        Err(refused) => refused.into_response(),
        Ok(()) => {
            let answering = Arc::clone(&asking).answer(&server, next.run(request));
            let answered = tokio::time::timeout(server.limits.answer_time, answering).await;
            let late = "the answer took too long; what was sent may have arrived";
            answered.unwrap_or_else(|_| ApiError::new("unavailable", late).after(1).into_response())
        }
    };
    let took = started.elapsed();
    let status = response.status().as_u16();
    server.metrics.count(known_method(&method), &route, status, took);
    let mut fields = vec![
        ("method", known_method(&method).into()),
        ("route", route.into()),
        ("status", status.into()),
        ("ms", (took.as_micros() as f64 / 1000.0).into()),
    ];
    if let Some(ErrorCode { code, cause }) = response.extensions().get::<ErrorCode>() {
        fields.push(("code", (*code).into()));
        fields.extend(cause.as_ref().map(|cause| ("cause", (**cause).into())));
    }
    if let Some(asking::Who { token, team }) = asking.who() {
        fields.push(("token", token.as_str().into()));
        fields.push(("team", team.as_str().into()));
    }
    server.log.line(server.now(), "request", fields);
    response
}

fn admit(server: &Server, request: &Request, now: Instant) -> Result<(), ApiError> {
    let headers = request.headers();
    let all = |name| headers.get_all(name).iter().map(HeaderValue::as_bytes).collect::<Vec<_>>();
    if matches!(request.uri().path(), "/healthz" | "/readyz") {
        // The operator of a machine knows it by its address.
        server.gate.check_origins(&all(header::ORIGIN))?;
    } else {
        // An address in the request's own line counts as the host, too.
        if let Some(authority) = request.uri().authority() {
            server.gate.check(&[authority.as_str().as_bytes()], &[])?;
        }
        server.gate.check(&all(header::HOST), &all(header::ORIGIN))?;
    }
    let forwarded = || {
        let last = headers.get_all(FORWARDED_FOR).iter().next_back()?.to_str().ok()?.rsplit(',').next()?;
        last.trim().parse::<IpAddr>().ok()
    };
    let forwarded = server.gate.behind_proxy.then(forwarded).flatten();
    let address = forwarded.or_else(|| request.extensions().get::<Peer>().map(|peer| peer.address));
    let address = address.map(source_of).unwrap_or_default();
    server
        .address_rates
        .take(&address, now)
        .map_err(|wait| ApiError::new("too_many_requests", "too many requests from this address").after(wait))
}

/// Unknown methods are counted together, or any client could make counters without end.
fn known_method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}
