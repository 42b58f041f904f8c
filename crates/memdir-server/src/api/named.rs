//! What an address names.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::api_error::ApiError;

/// The names in an address. What is not UTF-8 names nothing.
pub(super) struct Named<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Named<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let named = Path::from_request_parts(parts, state).await;
        named.map(|Path(names)| Self(names)).map_err(|_| ApiError::not_found())
    }
}
