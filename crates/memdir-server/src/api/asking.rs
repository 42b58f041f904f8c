//! What is known of a request while it is under way: who asks, and what room they take.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::response::{IntoResponse, Response};

use crate::api_error::ApiError;
use crate::memory_budget::{Held, SMALL_BYTES};
use crate::server::Server;
use crate::store::Caller;

tokio::task_local! {
    static ASKING: Arc<Asking>;
}

/// A request that is under way.
#[derive(Default)]
pub(super) struct Asking {
    who: OnceLock<Who>,
    held: Mutex<Option<Held>>,
}

/// Who asks: the half of the token that is not a secret, and the team.
#[derive(Debug, Clone)]
pub(super) struct Who {
    pub(super) token: String,
    pub(super) team: String,
}

/// Remembers who asks, for the log, whatever becomes of the request.
pub(super) fn is_asked_by(caller: &Caller) {
    let who = || Who { token: caller.token.id.clone(), team: caller.team.name.clone() };
    // Outside of a request there is nothing to remember.
    let _ = ASKING.try_with(|asking| asking.who.get_or_init(who).token.len());
}

/// Takes room for so many bytes, in the place of what this request took before, until its answer is sent.
pub(super) async fn hold(server: &Server, bytes: usize) -> Result<(), ApiError> {
    match ASKING.try_with(Arc::clone) {
        Ok(asking) => asking.hold(server, bytes).await,
        Err(_) => Ok(()),
    }
}

impl Asking {
    /// Answers a request.
    pub(super) async fn answer(
        self: Arc<Self>,
        server: &Server,
        answering: impl Future<Output = Response>,
    ) -> Response {
        let response = ASKING.scope(Arc::clone(&self), answering).await;
        match response.body().size_hint().exact() {
            Some(bytes) if bytes <= SMALL_BYTES as u64 => response,
            _ => self.hold_until_sent(server, response).await.unwrap_or_else(ApiError::into_response),
        }
    }

    /// Who asks, once that is known.
    pub(super) fn who(&self) -> Option<&Who> {
        self.who.get()
    }

    fn put_down(&self) -> Option<Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    async fn hold(&self, server: &Server, bytes: usize) -> Result<(), ApiError> {
        drop(self.put_down());
        let Some(who) = self.who() else { return Ok(()) };
        let held = server.room.take(&who.team, &who.token, bytes).await?;
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = held;
        Ok(())
    }

    /// The same answer, which gives its room back when the last byte of it is gone.
    async fn hold_until_sent(&self, server: &Server, response: Response) -> Result<Response, ApiError> {
        if self.who().is_none() {
            // Help is part of the program itself.
            return Ok(response);
        }
        let (parts, body) = response.into_parts();
        let failed = |_| ApiError::new("failed", "the answer could not be made");
        let bytes = to_bytes(body, usize::MAX).await.map_err(failed)?;
        let mut held = self.put_down();
        if held.as_ref().is_none_or(|held| held.bytes() < bytes.len()) {
            drop(held);
            self.hold(server, bytes.len()).await?;
            held = self.put_down();
        }
        if let Some(held) = &mut held {
            held.shrink_to(bytes.len());
        }
        let sending = Bytes::from_owner(Sending { bytes, _held: held });
        Ok(Response::from_parts(parts, Body::from(sending)))
    }
}

/// Bytes on their way.
struct Sending {
    bytes: Bytes,
    _held: Option<Held>,
}

impl AsRef<[u8]> for Sending {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
