//! Why a request was not answered with what it asked for: a status, a code that never changes, a sentence.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use memdir_wire::server_api::{ErrorAnswer, ErrorBody, PROTOCOL, RefusedFile};

use crate::storage::StorageError;

/// An answer that says no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// The status.
    pub status: StatusCode,
    /// The code, for programs.
    pub code: &'static str,
    /// The sentence, for people. It never repeats what a memory says.
    pub message: String,
    /// The file that is the reason.
    pub path: Option<String>,
    /// All files that are, where several may be.
    pub refused: Box<[RefusedFile]>,
    /// What only the operator should know.
    pub cause: Option<Box<str>>,
    /// How many seconds to wait.
    pub retry_after: Option<u32>,
}

/// Every code, with its status: what the OpenAPI document promises.
pub const CODES: &[(&str, u16)] = &[
    ("bad_request", 400),
    ("wrong_version", 400),
    ("unauthorized", 401),
    ("forbidden", 403),
    ("wrong_host", 403),
    ("wrong_origin", 403),
    ("not_found", 404),
    ("method_not_allowed", 405),
    ("timed_out", 408),
    ("duplicate_path", 400),
    ("unknown_version", 409),
    ("incomplete", 409),
    ("invitation_used", 409),
    ("moved", 412),
    ("too_large", 413),
    ("wrong_encoding", 415),
    ("bad_path", 422),
    ("bad_entry", 422),
    ("bad_record", 422),
    ("not_a_member", 422),
    ("not_yours", 422),
    ("other_team", 422),
    ("secret", 422),
    ("replayed", 422),
    ("from_the_future", 422),
    ("collides", 422),
    ("kept", 422),
    ("quota", 422),
    ("precondition_required", 428),
    ("too_many_requests", 429),
    ("failed", 500),
    ("unavailable", 503),
    ("storage_full", 507),
];

impl ApiError {
    /// An error with a code of [`CODES`].
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        let status = CODES.iter().find(|(known, _)| *known == code).map_or(500, |(_, status)| *status);
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self {
            status,
            code,
            message: message.into(),
            path: None,
            refused: Box::default(),
            cause: None,
            retry_after: None,
        }
    }

    /// One error for several files; `None` if there are none. The problem of the first is given for all.
    #[must_use]
    pub fn of_files(errors: Vec<Self>) -> Option<Self> {
        let file = |error: &Self| {
            let (code, message) = (error.code.to_owned(), error.message.clone());
            Some(RefusedFile { path: error.path.clone()?, code, message })
        };
        let refused = errors.iter().filter_map(file).take(MOST_REFUSED).collect();
        let first = errors.into_iter().next()?;
        Some(Self { refused, ..first })
    }

    /// The same, because of a file.
    #[must_use]
    pub fn at(mut self, path: &str) -> Self {
        // A name from a client is shortened to the longest valid length.
        self.path = Some(path.chars().take(500).collect());
        self
    }

    /// The same, with a time to wait.
    #[must_use]
    pub fn after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// No client is told whether it is another team's, or was never there.
    #[must_use]
    pub fn not_found() -> Self {
        Self::new("not_found", "there is nothing here, or nothing that this token opens")
    }

    /// The token ended while the request was under way.
    #[must_use]
    pub fn ended() -> Self {
        Self::new("unauthorized", "the token has ended meanwhile")
    }

    /// Another process was faster.
    #[must_use]
    pub fn moved() -> Self {
        Self::new("moved", "the newest version is another one by now; look at it, and make yours anew")
    }
}

impl From<StorageError> for ApiError {
    fn from(error: StorageError) -> Self {
        // What a database says may name what it holds; the log has it, the client does not.
        let cause = Some(error.to_string().into());
        let error = match error {
            StorageError::Unavailable(_) => {
                Self::new("unavailable", "the database cannot be reached now; try the same again").after(1)
            }
            StorageError::Full(_) => {
                Self::new("storage_full", "the server has no room left; nothing was changed")
            }
            StorageError::Failed(_) => Self::new("failed", "the server failed; its log says why"),
        };
        Self { cause, ..error }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let code = self.code;
        // The rest of a body that is not read any further would look like the next request.
        let is_cut_short = matches!(code, "too_large" | "timed_out") && self.path.is_none();
        let (path, refused) = (self.path, self.refused.into_vec());
        let error = ErrorBody { code: code.to_owned(), message: self.message, path, refused };
        let body = serde_json::to_vec(&ErrorAnswer { v: PROTOCOL, error }).unwrap_or_default();
        let mut response = (self.status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
        if let Some(wait) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait));
        }
        if is_cut_short {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(ErrorCode { code, cause: self.cause });
        response
    }
}

/// So many files are named.
const MOST_REFUSED: usize = 1_000;

/// Why an answer says no, for the log.
#[derive(Debug, Clone)]
pub struct ErrorCode {
    /// The code.
    pub code: &'static str,
    /// What was behind it.
    pub cause: Option<Box<str>>,
}
