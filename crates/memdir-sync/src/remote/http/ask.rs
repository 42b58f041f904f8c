//! One request to a server, and what its answer means.

use std::time::Duration;

use memdir_core::content_hash::ContentHash;
use memdir_wire::server_api::{ErrorAnswer, MAX_ANSWER_BYTES, NOTHING};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::address::ServerAddress;
use crate::http::{HttpError, Request, send};
use crate::layout::ENTRIES;
use crate::remote::{RefusalCause, RemoteError};

/// How a server is asked.
#[derive(Debug)]
pub(super) struct Asking {
    pub(super) address: ServerAddress,
    pub(super) limit: Duration,
    pub(super) requests: u32,
}

/// What a server answered.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) status: u16,
    body: Vec<u8>,
    error: Option<ErrorAnswer>,
}

const LIMIT: Duration = Duration::from_secs(120);
/// Contents in JSON take more room than in a file, and listings come on top.
const MOST_BYTES: usize = 8 * MAX_ANSWER_BYTES;

impl Asking {
    pub(super) fn new(address: ServerAddress) -> Self {
        Self { address, limit: LIMIT, requests: 0 }
    }

    /// Asks for something, unless it is still as in the version that is known.
    pub(super) fn get(&mut self, rest: &str, known: Option<ContentHash>) -> Result<Asked, RemoteError> {
        let header = known.map(|version| ("if-none-match".to_owned(), format!("\"{version}\"")));
        self.ask("GET", rest, header, None)
    }

    pub(super) fn post(
        &mut self,
        rest: &str,
        onto: Option<Option<ContentHash>>,
        body: &impl Serialize,
    ) -> Result<Asked, RemoteError> {
        self.ask("POST", rest, onto.map(if_match), Some(body_of(body)?))
    }

    pub(super) fn put(
        &mut self,
        rest: &str,
        onto: Option<Option<ContentHash>>,
        body: &impl Serialize,
    ) -> Result<Asked, RemoteError> {
        self.ask("PUT", rest, onto.map(if_match), Some(body_of(body)?))
    }

    pub(super) fn delete(&mut self, rest: &str) -> Result<Asked, RemoteError> {
        self.ask("DELETE", rest, None, None)
    }

    fn ask(
        &mut self,
        method: &str,
        rest: &str,
        header: Option<(String, String)>,
        body: Option<String>,
    ) -> Result<Asked, RemoteError> {
        self.requests += 1;
        let mut headers = vec![("authorization".to_owned(), format!("Bearer {}", self.address.token()))];
        headers.extend(header);
        let request = Request {
            method,
            url: &self.address.url(rest),
            headers: &headers,
            body: body.as_deref(),
            limit: self.limit,
            most_bytes: MOST_BYTES,
            compress: true,
        };
        let answered = send(&request).map_err(|error| unreachable(&error))?;
        let error = if answered.status < 400 { None } else { serde_json::from_slice(&answered.body).ok() };
        Ok(Asked { status: answered.status, body: answered.body, error })
    }
}

fn body_of(body: &impl Serialize) -> Result<String, RemoteError> {
    serde_json::to_string(body).map_err(|error| RemoteError::Here { message: error.to_string() })
}

fn if_match(onto: Option<ContentHash>) -> (String, String) {
    let named = onto.map_or_else(|| NOTHING.to_owned(), |version| version.to_string());
    ("if-match".to_owned(), format!("\"{named}\""))
}

fn unreachable(error: &HttpError) -> RemoteError {
    match error {
        HttpError::NoCurl(message) => RemoteError::Here { message: message.clone() },
        other => RemoteError::Unreachable { message: format!("the team server {other}") },
    }
}

impl Asked {
    /// The code of an answer that says no.
    pub(super) fn code(&self) -> Option<&str> {
        self.error.as_ref().map(|answer| answer.error.code.as_str())
    }

    /// The files without which everything else would be taken, where that is why it says no.
    fn refused_files(&self) -> Option<Vec<(String, String)>> {
        let error = &self.error.as_ref()?.error;
        let mut files: Vec<(&str, &str, &str)> =
            error.refused.iter().map(|file| (&*file.path, &*file.code, &*file.message)).collect();
        if files.is_empty() {
            files.push((error.path.as_deref()?, &error.code, &error.message));
        }
        // What is wrong with all of them at once, such as the clock, does not concern single files.
        let fits =
            files.iter().all(|(path, code, _)| path.starts_with(ENTRIES) && OF_ONE_FILE.contains(code));
        fits.then(|| files.into_iter().map(|(path, _, why)| (one_line(path), one_line(why))).collect())
    }

    /// What an answer that says yes says.
    pub(super) fn understood<T: DeserializeOwned>(self) -> Result<T, RemoteError> {
        if (200..300).contains(&self.status) {
            return serde_json::from_slice(&self.body).map_err(|_| RemoteError::Malformed {
                message: "its answer is not one that a team server gives".to_owned(),
            });
        }
        let message = match &self.error {
            Some(answer) => match &answer.error.path {
                Some(path) => format!("`{path}`: {}", answer.error.message),
                None => answer.error.message.clone(),
            },
            None => format!("it answered with status {}", self.status),
        };
        let message = one_line(&message);
        if let Some(files) = self.refused_files() {
            return Err(RemoteError::RefusedFiles { files });
        }
        let cause = match self.code() {
            Some("unauthorized" | "forbidden" | "not_found") => RefusalCause::Token,
            _ => RefusalCause::Server,
        };
        Err(match self.status {
            // It may go better next time.
            408 | 409 | 429 | 500..=506 | 508..=599 => RemoteError::Unreachable { message },
            _ => RemoteError::Refused { message: format!("the team server says: {message}"), cause },
        })
    }
}

/// The codes of what is wrong with one file, and not with what sends it.
const OF_ONE_FILE: [&str; 5] = ["secret", "too_large", "bad_path", "bad_entry", "collides"];

/// One line of a text that anyone may have written.
fn one_line(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(500).collect()
}
