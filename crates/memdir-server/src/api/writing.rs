//! Changing a team's memory.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use memdir_core::content_hash::ContentHash;
use memdir_wire::server_api::{HeadAnswer, MAX_PARTS, PROTOCOL, PartRequest, PublishRequest};

use super::answer::{json, tagged, with_status};
use super::body;
use super::caller::authorise;
use super::named::Named;
use super::reading::head_of;
use crate::api_error::ApiError;
use crate::check_put::{Care, check_all};
use crate::publish::{Desk, Published, check_sender, check_team};
use crate::server::Server;
use crate::store::Waits;
use crate::token::Scope;

/// A part of a version that is too large for one body. It is checked at once, and no member sees it.
pub(super) async fn part(
    State(server): State<Arc<Server>>,
    Named((team, version, part)): Named<(String, String, String)>,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, ApiError> {
    let caller = authorise(&server, &headers, &team, Scope::Session).await?;
    let version = ContentHash::from_hex(&version).ok_or_else(ApiError::not_found)?;
    let part = part.parse().ok().filter(|part| *part < MAX_PARTS).ok_or_else(ApiError::not_found)?;
    let onto = body::if_match(&headers)?;
    let (request, bytes): (PartRequest, _) = body::json(&headers, request, &server).await?;
    if onto != caller.team.head {
        return Err(ApiError::moved());
    }
    check_team(&caller, &request.team)?;
    let now = server.now();
    let checking = tokio::task::spawn_blocking(move || {
        let files = request.puts.into_iter().map(|put| (put, Care::Full)).collect();
        check_all(files, &request.team, now)
    });
    let puts = checking.await.map_err(|_| ApiError::new("failed", "the server is stopping"))??;
    check_sender(&caller, &puts)?;
    drop(puts);
    let (from, named) = ((team.as_str(), caller.token.id.as_str()), (&version, part));
    let most = server.limits.waiting_bytes;
    match server.store.add_part(from, named, bytes, most, now.as_second()).await? {
        Waits::Yes => {}
        Waits::Ended => return Err(ApiError::ended()),
        Waits::NoRoom => {
            return Err(ApiError::new("quota", "too many parts of versions wait to be published"));
        }
    }
    Ok(json(&headers, head_of(&caller.team)).await)
}

/// A version that is to follow the one that `If-Match` names.
pub(super) async fn publish(
    State(server): State<Arc<Server>>,
    Named(team): Named<String>,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, ApiError> {
    let caller = authorise(&server, &headers, &team, Scope::Session).await?;
    let onto = body::if_match(&headers)?;
    // Every version is kept for 90 days and read by every member: reading is cheap, publishing is not.
    server.publish_rates.take(&caller.token.id, Instant::now()).map_err(|wait| {
        ApiError::new("too_many_requests", "this token publishes too many versions").after(wait)
    })?;
    let (request, _): (PublishRequest, _) = body::json(&headers, request, &server).await?;
    let _large = match request.parts {
        0 => None,
        _ => Some(server.room.take_large_version(&caller.token.id).await?),
    };
    let (version, wire_team) = (request.version, request.team.clone());
    let desk =
        Desk { store: &server.store, rosters: &server.rosters, limits: &server.limits, now: server.now() };
    let published = desk.publish(&caller, onto, request).await;
    let (status, sequence) = match published {
        Ok(Published::Now(sequence)) => {
            server.metrics.published.fetch_add(1, Ordering::Relaxed);
            (StatusCode::CREATED, sequence)
        }
        Ok(Published::Before(sequence)) => (StatusCode::OK, sequence),
        Err(error) => {
            if error.code == "moved" {
                server.metrics.moved.fetch_add(1, Ordering::Relaxed);
            }
            return Err(error);
        }
    };
    let answer = HeadAnswer { v: PROTOCOL, version: Some(version), sequence, team: Some(wire_team) };
    Ok(tagged(with_status(status, &headers, answer).await, Some(version)))
}
