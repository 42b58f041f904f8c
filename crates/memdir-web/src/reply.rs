//! What a page answers, and how errors look.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

/// The answer to a request.
#[derive(Debug)]
pub(crate) enum Reply {
    /// A page, or a part of one that the script asked for.
    Html(Markup),
    /// Look there instead: after every change.
    See(String),
    /// For the graph.
    Json(serde_json::Value),
}

/// Why there is no page.
#[derive(Debug)]
pub(crate) struct PageError {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
}

impl PageError {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    pub(crate) fn missing(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }
}

impl<E: std::error::Error> From<E> for PageError {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            if !message.contains(&cause_text) {
                message = format!("{message}: {cause_text}");
            }
            source = cause.source();
        }
        Self { status: StatusCode::CONFLICT, message }
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        match self {
            Self::Html(markup) => html_response(StatusCode::OK, markup),
            Self::See(address) => match HeaderValue::try_from(address) {
                Ok(address) => (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response(),
                Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "the next page has no valid address"),
            },
            Self::Json(value) => {
                let kind = HeaderValue::from_static("application/json");
                ([(header::CONTENT_TYPE, kind)], value.to_string()).into_response()
            }
        }
    }
}

pub(crate) fn html_response(status: StatusCode, markup: Markup) -> Response {
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    (status, [(header::CONTENT_TYPE, kind)], markup.into_string()).into_response()
}

/// A page for those who see no other.
pub(crate) fn plain(status: StatusCode, message: &str) -> Response {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; title { "memdir" } }
            body { p { (message) } }
        }
    };
    html_response(status, markup)
}
