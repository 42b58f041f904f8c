//! Coming in by an invitation, and letting others in.

use memdir_core::content_hash::ContentHash;
use memdir_wire::server_api::{JoinRequest, PROTOCOL, SessionRequest, TOKEN_PREFIX, TokenAnswer};
use memdir_wire::signing::{PublicKey, SecretKey};
use serde_json::json;

use super::address::ServerAddress;
use super::ask::Asking;
use crate::remote::RemoteError;

impl ServerAddress {
    /// The address that lets one more machine in, once.
    ///
    /// # Errors
    /// The server cannot be asked, or does not want to.
    pub fn invite(&self) -> Result<Self, RemoteError> {
        let request = json!({ "v": PROTOCOL });
        let answer: TokenAnswer =
            Asking::new(self.clone()).post("invitations", None, &request)?.understood()?;
        self.with_token(&answer.token)
    }

    /// The address that lets sessions in for some days, which sign with a key.
    ///
    /// # Errors
    /// The server cannot be asked, or does not want to.
    pub fn for_sessions(
        &self,
        member: &PublicKey,
        read_only: bool,
        (label, days): (&str, i64),
    ) -> Result<Self, RemoteError> {
        let request =
            SessionRequest { v: PROTOCOL, member: *member, read_only, label: label.to_owned(), days };
        let answer: TokenAnswer = Asking::new(self.clone()).post("sessions", None, &request)?.understood()?;
        self.with_token(&answer.token)
    }

    /// Has the server forget a member and everything that they wrote; `false` if that is not for this machine to say.
    ///
    /// # Errors
    /// The server cannot be asked.
    pub fn forget_member(&self, member: &PublicKey) -> Result<bool, RemoteError> {
        let asked = Asking::new(self.clone()).delete(&format!("members/{member}?data=true"))?;
        if asked.status == 403 {
            return Ok(false);
        }
        asked.understood::<serde_json::Value>().map(|_| true)
    }

    /// The address that is this machine's own from now on, in exchange for an invitation.
    ///
    /// # Errors
    /// The server cannot be asked, or another person used the invitation.
    pub fn join(&self, key: &SecretKey) -> Result<Self, RemoteError> {
        let token = token_of(key, self.token());
        let request = JoinRequest { v: PROTOCOL, token: token.clone(), member: key.public() };
        let _: TokenAnswer = Asking::new(self.clone()).post("join", None, &request)?.understood()?;
        self.with_token(&token)
    }
}

/// The token of a machine that uses an invitation: the same each time, so that an answer that was lost can be asked for
/// again.
fn token_of(key: &SecretKey, invitation: &str) -> String {
    let digits = |purpose: &str| {
        let text = format!("memdir v1 token of a member\n{purpose}\n{}\n{invitation}", key.to_hex());
        ContentHash::of(text.as_bytes()).to_string()
    };
    let id: String = digits("id").chars().take(16).collect();
    format!("{TOKEN_PREFIX}{id}_{}", digits("secret"))
}
