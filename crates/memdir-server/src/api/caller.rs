//! Who asks, and whether they may.

use std::time::Instant;

use axum::http::{HeaderMap, header};

use super::asking::is_asked_by;
use crate::api_error::ApiError;
use crate::server::Server;
use crate::store::Caller;
use crate::token::{Scope, Token};

/// Whose request this is, if the token opens this team and covers what is asked.
pub(super) async fn authorise(
    server: &Server,
    headers: &HeaderMap,
    team: &str,
    needed: Scope,
) -> Result<Caller, ApiError> {
    let token = bearer(headers).ok_or_else(unauthorized)?;
    let caller = server.store.caller(token.id()).await?;
    let caller = caller.filter(|caller| token.is_known_by(&caller.token.hash)).ok_or_else(unauthorized)?;
    is_asked_by(&caller);
    let now = server.now().as_second();
    if caller.token.revoked.is_some() {
        let message = "this token was revoked: its member was removed, or the server's operator revoked it";
        return Err(ApiError::new("unauthorized", message));
    }
    if caller.token.expires <= now {
        return Err(ApiError::new("unauthorized", "this token is too old; ask for another one"));
    }
    server.token_rates.take(&caller.token.id, Instant::now()).map_err(|wait| {
        ApiError::new("too_many_requests", "too many requests with this token").after(wait)
    })?;
    if caller.team.name != team {
        return Err(ApiError::not_found());
    }
    if !caller.token.scope.covers(needed) {
        let message = format!("this token may not do that: it needs the scope `{}`", needed.as_str());
        return Err(ApiError::new("forbidden", message));
    }
    Ok(caller)
}

fn bearer(headers: &HeaderMap) -> Option<Token> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next().filter(|_| values.next().is_none())?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    Token::parse(token.trim())
}

fn unauthorized() -> ApiError {
    ApiError::new("unauthorized", "a token is needed that this server knows")
}
