//! A model that is asked over HTTP: the transport's errors in the words of the caller.

use std::time::Duration;

use memdir_core::model::answer::{MAX_BYTES, error_message};
use memdir_lib::model::TransportError;
use memdir_sync::http::{Answered, HttpError, Request, send};

use super::{free, made, timed_out, too_long};

/// Sends a body and brings back what was answered, all of it within `limit`.
pub(super) fn post(
    url: &str,
    headers: &[(String, String)],
    body: &str,
    limit: Duration,
) -> Result<Vec<u8>, TransportError> {
    let request = Request {
        method: "POST",
        url,
        headers,
        body: Some(body),
        limit,
        most_bytes: MAX_BYTES,
        compress: false,
    };
    send(&request).map_err(|error| failed(&error, limit)).and_then(accepted)
}

fn failed(error: &HttpError, limit: Duration) -> TransportError {
    match error {
        HttpError::Connect { .. } | HttpError::Unreachable(_) => free(format!("the model {error}")),
        HttpError::NoCurl(why) => free(why),
        HttpError::TimedOut => timed_out(limit),
        HttpError::TooLong => too_long(),
        HttpError::Broke(why) => made(format!("the connection to the model broke: {why}")),
        HttpError::Ended => made("the connection to the model ended in the middle of the answer"),
        HttpError::Malformed => made("the model's server does not speak HTTP"),
        HttpError::Curl(_) => made(format!("the model {error}")),
    }
}

/// The body of an answer that says yes. Nothing is asked twice: who is told to wait goes on by rules.
fn accepted(answered: Answered) -> Result<Vec<u8>, TransportError> {
    let said = error_message(&answered.body).map(|message| format!(": {message}")).unwrap_or_default();
    let wait = answered.retry_after.map(|wait| format!(", and asks to wait {wait} s")).unwrap_or_default();
    match answered.status {
        200..=299 => Ok(answered.body),
        300..=399 => Err(free("the model's server sends us elsewhere, and memdir does not follow")),
        429 => Err(free(format!("the model's server has had too many questions (429){wait}{said}"))),
        400..=499 => {
            Err(free(format!("the model's server refused the question ({}){said}", answered.status)))
        }
        _ => Err(made(format!("the model's server failed ({}){wait}{said}", answered.status))),
    }
}
