//! Reading a team's memory.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use memdir_core::content_hash::ContentHash;
use memdir_wire::server_api::{
    ContentsAnswer, ContentsRequest, Cursor, FileLine, FilesAnswer, HeadAnswer, KnownAnswer, KnownRequest,
    MAX_ANSWER_BYTES, MAX_PAGE_FILES, PROTOCOL, VersionsAnswer,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::answer::{is_known, json, not_modified, tagged};
use super::asking::hold;
use super::body;
use super::caller::authorise;
use super::named::Named;
use crate::api_error::ApiError;
use crate::server::Server;
use crate::store::{FileRow, Team};
use crate::token::Scope;

/// What is sent is in memory up to so many times while an answer is made of it.
const COPIES: usize = 3;

/// The newest version, answered from what the token's own line in the database brings along.
pub(super) async fn head(
    State(server): State<Arc<Server>>,
    Named(team): Named<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let caller = authorise(&server, &headers, &team, Scope::Read).await?;
    if is_known(&headers, caller.team.head) {
        return Ok(not_modified(caller.team.head));
    }
    let answer = head_of(&caller.team);
    Ok(tagged(json(&headers, answer).await, caller.team.head))
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct FilesQuery {
    /// Only what changed after this version.
    since: Option<String>,
    /// Or: where an earlier page ended.
    sequence: Option<u64>,
    path: Option<String>,
    /// Whether contents come along.
    contents: bool,
    /// At most so many files.
    limit: Option<usize>,
}

/// Names and hashes of all files, or of those that changed, with or without their contents.
pub(super) async fn files(
    State(server): State<Arc<Server>>,
    Named(team): Named<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let caller = authorise(&server, &headers, &team, Scope::Read).await?;
    let query: FilesQuery = query(&uri)?;
    if is_known(&headers, caller.team.head) {
        return Ok(not_modified(caller.team.head));
    }
    let mut seen = None;
    let cursor = match (&query.since, query.sequence, query.path) {
        (None, None, None) => Cursor { sequence: 0, path: String::new() },
        (None, Some(sequence), path) => Cursor { sequence, path: path.unwrap_or_default() },
        (Some(since), None, None) => {
            let known = ContentHash::from_hex(since);
            let sequence = match known {
                Some(version) => server.store.sequence_of(&team, &version).await,
                None => Ok(None),
            };
            let sequence = sequence?.ok_or_else(unknown_version)?;
            seen = Some(sequence);
            // No name comes before the empty one.
            Cursor { sequence: sequence + 1, path: String::new() }
        }
        _ => return Err(ApiError::new("bad_request", "say `since`, or `sequence` and `path`, not both")),
    };
    if cursor.sequence > caller.team.sequence + 1 {
        return Err(unknown_version());
    }
    if cursor.path.len() > 5000 || cursor.path.chars().any(char::is_control) {
        return Err(ApiError::new("bad_request", "no file has that name"));
    }
    let limit = query.limit.unwrap_or(MAX_PAGE_FILES).clamp(1, MAX_PAGE_FILES);
    let (team, files, next) = page(&server, caller.team, cursor, limit, query.contents).await?;
    // Asked last, so that nothing can be forgotten in between.
    if seen.is_some_and(|seen| seen < team.forgotten) {
        return Err(unknown_version());
    }
    let answer = FilesAnswer { head: head_of(&team), files, next };
    Ok(tagged(json(&headers, answer).await, team.head))
}

fn unknown_version() -> ApiError {
    let message = "there never was that version here, or it is too long ago; ask for everything";
    ApiError::new("unknown_version", message)
}

/// A page after a cursor. It is the last one only if nothing was published while it was read.
async fn page(
    server: &Server,
    team: Team,
    cursor: Cursor,
    limit: usize,
    contents: bool,
) -> Result<(Team, Vec<FileLine>, Option<Cursor>), ApiError> {
    let mut rows = server.store.files_after(&team.name, &cursor, limit + 1).await?;
    let mut is_last = rows.len() <= limit;
    rows.truncate(limit);
    if contents {
        let mut bytes = 0;
        let fits = |row: &&FileRow| {
            let is_first = bytes == 0;
            bytes += row.size as usize + 1;
            is_first || bytes <= MAX_ANSWER_BYTES
        };
        let fitting = rows.iter().take_while(fits).count();
        is_last &= fitting == rows.len();
        rows.truncate(fitting);
        hold(server, COPIES * rows.iter().map(|row| row.size as usize).sum::<usize>()).await?;
    }
    // What changes between the two questions comes without content; a member that wants it asks for it.
    let mut texts = if contents {
        let count = rows.iter().filter(|row| row.content.is_some()).count();
        server.store.contents_after(&team.name, &cursor, count).await?
    } else {
        HashMap::new()
    };
    let last = rows.last().map(|row| Cursor { sequence: row.sequence, path: row.path.clone() });
    let files = rows.into_iter().map(|row| {
        let content = row.content.and_then(|id| texts.remove(&id));
        FileLine { path: row.path, id: row.content, sequence: row.sequence, content }
    });
    let files = files.collect();
    let now = server.store.team(&team.name).await?.ok_or_else(ApiError::not_found)?;
    let next = if is_last && now.sequence == team.sequence { None } else { Some(last.unwrap_or(cursor)) };
    Ok((now, files, next))
}

/// Contents by their hashes, replaced ones included: a member that merges needs them.
pub(super) async fn contents(
    State(server): State<Arc<Server>>,
    Named(team): Named<String>,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, ApiError> {
    authorise(&server, &headers, &team, Scope::Read).await?;
    let (request, _): (ContentsRequest, _) = body::json(&headers, request, &server).await?;
    // How large they are comes first: only what is sent is read, and once, however often it is asked for.
    let (mut fitting, mut bytes) = (0, 0);
    'all: for some in request.ids.chunks(256) {
        for size in server.store.sizes(&team, some).await? {
            bytes += size;
            if bytes > MAX_ANSWER_BYTES && fitting > 0 {
                bytes -= size;
                break 'all;
            }
            fitting += 1;
        }
    }
    hold(&server, COPIES * bytes).await?;
    let asked = request.ids.get(..fitting).unwrap_or_default();
    let mut different = asked.to_vec();
    different.sort_unstable();
    different.dedup();
    let found = server.store.contents(&team, &different).await?;
    let found: HashMap<_, _> = different.into_iter().zip(found).collect();
    let contents = asked.iter().map(|id| found.get(id).cloned().flatten()).collect();
    Ok(json(&headers, ContentsAnswer { v: PROTOCOL, contents }).await)
}

/// The newest of the versions that a member saw, for a member that finds that the newest one does not follow from theirs.
pub(super) async fn known(
    State(server): State<Arc<Server>>,
    Named(team): Named<String>,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, ApiError> {
    authorise(&server, &headers, &team, Scope::Read).await?;
    let (request, _): (KnownRequest, _) = body::json(&headers, request, &server).await?;
    let newest = server.store.newest_of(&team, &request.versions).await;
    let newest = newest?;
    let answer = KnownAnswer {
        v: PROTOCOL,
        version: newest.map(|(version, _)| version),
        sequence: newest.map_or(0, |(_, sequence)| sequence),
    };
    Ok(json(&headers, answer).await)
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct VersionsQuery {
    limit: Option<usize>,
}

/// The newest versions, for people.
pub(super) async fn versions(
    State(server): State<Arc<Server>>,
    Named(team): Named<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    authorise(&server, &headers, &team, Scope::Read).await?;
    let query: VersionsQuery = query(&uri)?;
    let count = query.limit.unwrap_or(20).clamp(1, 1000);
    let versions = server.store.versions(&team, count).await?;
    Ok(json(&headers, VersionsAnswer { v: PROTOCOL, versions }).await)
}

/// What a team has now.
pub(super) fn head_of(team: &Team) -> HeadAnswer {
    HeadAnswer { v: PROTOCOL, version: team.head, sequence: team.sequence, team: team.wire_team.clone() }
}

/// The part of an address behind the question mark.
pub(super) fn query<T: DeserializeOwned>(uri: &Uri) -> Result<T, ApiError> {
    Query::try_from_uri(uri)
        .map(|Query(query)| query)
        .map_err(|_| ApiError::new("bad_request", "the query string cannot be parsed"))
}
