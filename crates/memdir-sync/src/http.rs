//! As much of an HTTP client as memdir needs: one request, one answer, a bound on time and size.
//!
//! Numeric addresses are asked by our own few lines; names are looked up, and secrets kept in transit, by the system's
//! `curl` (ARCHITECTURE.md says why).

use std::io;
use std::time::Duration;

pub mod bounded_process;
mod by_curl;
mod plain;

pub use plain::Address;

/// A request.
#[derive(Debug, Clone, Copy)]
pub struct Request<'r> {
    /// The method.
    pub method: &'r str,
    /// The address.
    pub url: &'r str,
    /// Headers beyond those that every request has.
    pub headers: &'r [(String, String)],
    /// The body, which is JSON.
    pub body: Option<&'r str>,
    /// How long all of it may take.
    pub limit: Duration,
    /// The largest body that is read, unpacked.
    pub most_bytes: usize,
    /// Whether bodies are compressed in both directions where that is worth it.
    pub compress: bool,
}

/// What a server answered.
#[derive(Debug)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// How many seconds the server asks to wait.
    pub retry_after: Option<u32>,
    /// The body.
    pub body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// No server answers; nothing was sent.
    #[error("cannot be reached at `{host}`{why}")]
    Connect {
        /// Where.
        host: String,
        /// Why, with a colon in front.
        why: String,
    },
    /// `curl` did not get there; nothing was sent.
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    /// `curl` is needed and missing, or does not start.
    #[error("{0}")]
    NoCurl(String),
    /// It took too long; what was sent may have arrived, here and below.
    #[error("did not answer in time")]
    TimedOut,
    /// The answer is larger than anybody wants it.
    #[error("answered too much")]
    TooLong,
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broke(io::Error),
    /// The connection ended.
    #[error("the connection ended in the middle of the answer")]
    Ended,
    /// The answer is not HTTP.
    #[error("does not speak HTTP")]
    Malformed,
    /// `curl` failed in another way.
    #[error("did not answer: {0}")]
    Curl(String),
}

/// Sends a request and brings back what was answered.
///
/// # Errors
/// See [`HttpError`].
pub fn send(request: &Request<'_>) -> Result<Answered, HttpError> {
    match Address::parse(request.url) {
        Some(address) => plain::send(&address, request),
        None => by_curl::send(request),
    }
}
