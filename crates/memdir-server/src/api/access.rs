//! Who has access, and who gave it to them.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use memdir_wire::server_api::{JoinRequest, PROTOCOL, SessionRequest, TokenAnswer};
use memdir_wire::signing::PublicKey;
use serde::{Deserialize, Serialize};

use super::answer::{json, with_status};
use super::body;
use super::caller::authorise;
use super::named::Named;
use super::reading::query;
use crate::api_error::ApiError;
use crate::limits::DAY;
use crate::random::{random, random_id};
use crate::remove_member::{removal, remove_member};
use crate::server::Server;
use crate::store::{Added, Caller, Event, MostTokens, NewToken, Redeemed};
use crate::token::{NO_LABEL, Scope, Token, is_label};

/// How long an invitation may wait.
const INVITATION_DAYS: i64 = 7;
/// How long a member's token lasts.
const MEMBER_DAYS: i64 = 400;
/// How many open invitations and tokens a team may have: a member who may invite cannot fill a disk with them.
const MOST: MostTokens = MostTokens { waiting: 100, in_all: 10_000 };
/// The longest that any token lasts.
const MOST_DAYS: i64 = 3650;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenRequest {
    #[serde(rename = "v")]
    _v: u32,
    scope: Option<String>,
    #[serde(default)]
    label: String,
    days: Option<i64>,
}

/// A token that lets one more machine in, once.
pub(super) async fn invite(
    State(server): State<Arc<Server>>,
    Named(team): Named<String>,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, ApiError> {
    let caller = authorise(&server, &headers, &team, Scope::Write).await?;
    let (request, _): (TokenRequest, _) = body::json(&headers, request, &server).await?;
    if request.scope.is_some() {
        return Err(ApiError::new("bad_request", "an invitation has no scope"));
    }
    let days = days(request.days, INVITATION_DAYS, INVITATION_DAYS)?;
    let wanted = Wanted { scope: Scope::Invitation, label: &request.label, member: None, days };
    make(&server, &headers, &caller, &wanted, "invited").await
}

/// A token for sessions that are thrown away.
pub(super) async fn add_session(
    State(server): State<Arc<Server>>,
    Named(team): Named<String>,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, ApiError> {
    let caller = authorise(&server, &headers, &team, Scope::Write).await?;
    let (request, _): (SessionRequest, _) = body::json(&headers, request, &server).await?;
    let days = days(Some(request.days), MEMBER_DAYS, MEMBER_DAYS)?;
    let scope = if request.read_only { Scope::Read } else { Scope::Session };
    // The end of a key's membership ends its tokens, so no other member may tie theirs to it.
    let lines = server.store.tokens(&team).await?;
    let is_member = match &caller.team.wire_team {
        Some(id) => server.rosters.of(&server.store, &team, id).await?.knows(&request.member),
        None => false,
    };
    if is_member || lines.iter().any(|line| line.member == Some(request.member)) {
        return Err(ApiError::new("not_yours", "that key belongs to another member"));
    }
    let wanted = Wanted { scope, label: &request.label, member: Some(request.member), days };
    make(&server, &headers, &caller, &wanted, "session token made").await
}

/// A token for whatever is not a member: a mirror, a dashboard, another operator.
pub(super) async fn add_token(
    State(server): State<Arc<Server>>,
    Named(team): Named<String>,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, ApiError> {
    let caller = authorise(&server, &headers, &team, Scope::Admin).await?;
    let (request, _): (TokenRequest, _) = body::json(&headers, request, &server).await?;
    let scope = request.scope.as_deref().and_then(Scope::of_token);
    let scope = scope.ok_or_else(|| ApiError::new("bad_request", "a scope is `read`, `write` or `admin`"))?;
    let days = days(request.days, MEMBER_DAYS, MOST_DAYS)?;
    let wanted = Wanted { scope, label: &request.label, member: None, days };
    make(&server, &headers, &caller, &wanted, "token made").await
}

/// A token that is asked for.
struct Wanted<'w> {
    scope: Scope,
    label: &'w str,
    member: Option<PublicKey>,
    days: i64,
}

async fn make(
    server: &Server,
    headers: &HeaderMap,
    caller: &Caller,
    wanted: &Wanted<'_>,
    event: &'static str,
) -> Result<Response, ApiError> {
    let Wanted { scope, label, member, days } = *wanted;
    if !is_label(label) {
        return Err(ApiError::new("bad_request", NO_LABEL));
    }
    let now = server.now().as_second();
    let token = Token::from_random(&random().map_err(no_randomness)?);
    let new = NewToken {
        id: token.id().to_owned(),
        scope,
        hash: token.hash(),
        label: label.to_owned(),
        member,
        made_by: caller.token.id.clone(),
        expires: now + days * DAY,
    };
    let event = happened(caller, event, token.id(), now)?;
    match server.store.add_token_by(&caller.team.name, &new, &MOST, &event).await? {
        Added::Yes => {}
        Added::No => return Err(ApiError::ended()),
        Added::TooManyWait => {
            let message = format!("{} invitations wait to be used; that is the most", MOST.waiting);
            return Err(ApiError::new("quota", message));
        }
        Added::TooMany => {
            let message = format!("the team has {} tokens; that is the most", MOST.in_all);
            return Err(ApiError::new("quota", message));
        }
    }
    let answer = TokenAnswer { v: PROTOCOL, token: token.reveal(), expires: new.expires };
    Ok(with_status(StatusCode::CREATED, headers, answer).await)
}

/// An invitation becomes the token that the new member made.
pub(super) async fn join(
    State(server): State<Arc<Server>>,
    Named(team): Named<String>,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, ApiError> {
    let caller = authorise(&server, &headers, &team, Scope::Invitation).await?;
    let (request, _): (JoinRequest, _) = body::json(&headers, request, &server).await?;
    let token =
        Token::parse(&request.token).ok_or_else(|| ApiError::new("bad_request", "the token is none"))?;
    let now = server.now().as_second();
    let new = NewToken {
        id: token.id().to_owned(),
        scope: Scope::Write,
        hash: token.hash(),
        label: String::new(),
        member: Some(request.member),
        made_by: caller.token.id.clone(),
        expires: now + MEMBER_DAYS * DAY,
    };
    let event = happened(&caller, "joined", token.id(), now)?;
    // A newcomer with the key of a remaining member would stay with that member: a membership has a key of its own.
    let is_member = match &caller.team.wire_team {
        Some(id) => server.rosters.of(&server.store, &team, id).await?.knows(&request.member),
        None => false,
    };
    let redeemed = match is_member {
        true => Redeemed::Taken,
        false => server.store.redeem(&team, &caller.token.id, &new, &event).await?,
    };
    if redeemed != Redeemed::Yes {
        // The answer to the first time may have been lost.
        let before = server.store.redeemed(&team, &caller.token.id, token.id()).await?;
        if !before.is_some_and(|hash| token.is_known_by(&hash)) {
            return Err(match redeemed {
                Redeemed::Taken => ApiError::new("not_yours", "that key belongs to another member"),
                _ => ApiError::new("invitation_used", "this invitation was already used"),
            });
        }
    }
    let answer = TokenAnswer { v: PROTOCOL, token: token.reveal(), expires: new.expires };
    Ok(json(&headers, answer).await)
}

#[derive(Serialize)]
struct TokenShown {
    id: String,
    scope: &'static str,
    label: String,
    member: Option<PublicKey>,
    created: i64,
    expires: i64,
    revoked: Option<i64>,
}

/// The tokens of a team, without what makes them work.
pub(super) async fn tokens(
    State(server): State<Arc<Server>>,
    Named(team): Named<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    authorise(&server, &headers, &team, Scope::Admin).await?;
    let lines = server.store.tokens(&team).await?;
    let tokens: Vec<TokenShown> = lines
        .into_iter()
        .map(|line| TokenShown {
            id: line.id,
            scope: line.scope.as_str(),
            label: line.label,
            member: line.member,
            created: line.created,
            expires: line.expires,
            revoked: line.revoked,
        })
        .collect();
    #[derive(Serialize)]
    struct Answer {
        v: u32,
        tokens: Vec<TokenShown>,
    }
    Ok(json(&headers, Answer { v: PROTOCOL, tokens }).await)
}

/// Ends a token.
pub(super) async fn revoke_token(
    State(server): State<Arc<Server>>,
    Named((team, id)): Named<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let caller = authorise(&server, &headers, &team, Scope::Admin).await?;
    if id.len() != 16 || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(ApiError::not_found());
    }
    let event = happened(&caller, "token ended", &id, server.now().as_second())?;
    let ended = server.store.revoke_token(&team, &id, &event).await;
    if !ended? {
        return Err(ApiError::not_found());
    }
    done(&headers).await
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RemovalQuery {
    /// Whether what they wrote goes even if it was not replaced.
    data: bool,
}

/// Ends whatever a member has here, and forgets what of theirs is not the team's any more, or all of it.
pub(super) async fn forget_member(
    State(server): State<Arc<Server>>,
    Named((team, key)): Named<(String, String)>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let caller = authorise(&server, &headers, &team, Scope::Admin).await?;
    let query: RemovalQuery = query(&uri)?;
    let member = PublicKey::from_hex(&key).ok_or_else(ApiError::not_found)?;
    let short = member.short();
    let event = happened(&caller, removal(query.data), &short, server.now().as_second())?;
    let removed = remove_member(&server.store, &server.rosters, &member, query.data, &event).await?;
    let removed = removed.ok_or_else(ApiError::not_found)?;
    #[derive(Serialize)]
    struct Answer {
        v: u32,
        tokens: usize,
        memories: usize,
    }
    let answer = Answer { v: PROTOCOL, tokens: removed.tokens, memories: removed.memories };
    Ok(json(&headers, answer).await)
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct AuditQuery {
    limit: Option<usize>,
}

/// What was done to whose access.
pub(super) async fn audit(
    State(server): State<Arc<Server>>,
    Named(team): Named<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    authorise(&server, &headers, &team, Scope::Admin).await?;
    let query: AuditQuery = query(&uri)?;
    let count = query.limit.unwrap_or(100).clamp(1, 10_000);
    let lines = server.store.audit(&team, count).await?;
    #[derive(Serialize)]
    struct Line {
        time: i64,
        actor: String,
        event: String,
        subject: String,
    }
    #[derive(Serialize)]
    struct Answer {
        v: u32,
        events: Vec<Line>,
    }
    let line = |(time, actor, event, subject)| Line { time, actor, event, subject };
    let events = lines.into_iter().map(line).collect();
    Ok(json(&headers, Answer { v: PROTOCOL, events }).await)
}

async fn done(headers: &HeaderMap) -> Result<Response, ApiError> {
    #[derive(Serialize)]
    struct Answer {
        v: u32,
    }
    Ok(json(headers, Answer { v: PROTOCOL }).await)
}

fn happened<'e>(
    caller: &'e Caller,
    event: &'e str,
    subject: &'e str,
    time: i64,
) -> Result<Event<'e>, ApiError> {
    let id = random_id().map_err(no_randomness)?;
    Ok(Event { id, time, team: &caller.team.name, actor: &caller.token.id, event, subject })
}

fn no_randomness(_: std::io::Error) -> ApiError {
    ApiError::new("failed", "the system has no randomness")
}

fn days(asked: Option<i64>, usual: i64, most: i64) -> Result<i64, ApiError> {
    let days = asked.unwrap_or(usual);
    if (1..=most).contains(&days) {
        Ok(days)
    } else {
        Err(ApiError::new("bad_request", format!("it lasts from 1 to {most} days")))
    }
}
