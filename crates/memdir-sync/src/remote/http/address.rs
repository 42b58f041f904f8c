//! Where a team's memory is on a server: `https://TOKEN@host/team`.

use std::fmt;

use memdir_wire::server_api::TOKEN_PREFIX;

use crate::http::Address;
use crate::remote::RemoteError;

/// The address of a team on a server, with the token that opens it.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerAddress {
    scheme: String,
    token: String,
    /// Host, port, and whatever a proxy puts in front.
    place: String,
    team: String,
}

/// Whether an address leads to a server rather than to a repository: it contains a token.
#[must_use]
pub fn is_server(url: &str) -> bool {
    url.split_once("://").is_some_and(|(scheme, rest)| {
        matches!(scheme, "http" | "https") && rest.starts_with(TOKEN_PREFIX) && rest.contains('@')
    })
}

impl ServerAddress {
    /// Reads an address.
    ///
    /// # Errors
    /// It is none, or the token would go to another machine in the clear.
    pub fn parse(url: &str) -> Result<Self, RemoteError> {
        let no_address = || {
            refused(
                "this is not the address of a team server, which looks like `https://memdir_…@memory.example.com/team`",
            )
        };
        let (scheme, rest) = url.split_once("://").filter(|_| is_server(url)).ok_or_else(no_address)?;
        let (token, rest) = rest.split_once('@').ok_or_else(no_address)?;
        let (place, team) = rest.trim_end_matches('/').rsplit_once('/').ok_or_else(no_address)?;
        let is_word = |text: &str, more: &str| {
            !text.is_empty()
                && text.len() <= 500
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || more.as_bytes().contains(&byte))
        };
        if !is_word(token, "_") || !is_word(place, ".-_:[]/") || !is_word(team, "-") {
            return Err(no_address());
        }
        let address = Self {
            scheme: scheme.to_owned(),
            token: token.to_owned(),
            place: place.to_owned(),
            team: team.to_owned(),
        };
        let stays_here = Address::parse(&address.url("")).is_some_and(|address| address.is_loopback());
        if scheme == "http" && !stays_here {
            return Err(refused("a token is not sent unencrypted to another machine: use https"));
        }
        Ok(address)
    }

    /// The same address, opened by another token.
    pub(super) fn with_token(&self, token: &str) -> Result<Self, RemoteError> {
        Self::parse(&Self { token: token.to_owned(), ..self.clone() }.reveal())
    }

    /// The address in full, for our own state and for an invitation.
    #[must_use]
    pub fn reveal(&self) -> String {
        format!("{}://{}@{}/{}", self.scheme, self.token, self.place, self.team)
    }

    /// The token.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// The address of something of the team.
    pub(super) fn url(&self, rest: &str) -> String {
        format!("{}://{}/v1/teams/{}/{rest}", self.scheme, self.place, self.team)
    }
}

impl fmt::Debug for ServerAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}://{}/{}", self.scheme, self.place, self.team)
    }
}

/// A text as it may follow the question mark.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}

fn refused(message: &str) -> RemoteError {
    RemoteError::Here { message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_makes_an_address_a_servers() {
        for url in ["http://memdir_a_b@127.0.0.1:8787/crew", "https://memdir_a_b@memory.example.com/x/crew"] {
            assert!(is_server(url));
            let address = ServerAddress::parse(url).unwrap();
            assert_eq!(address.reveal(), url);
            assert!(!format!("{address:?}").contains("memdir_"));
        }
        for url in [
            "https://example.com/us/memory.git",
            "https://ghp_x@example.com/m.git",
            "git@memdir_x:y",
            "/srv/x",
        ] {
            assert!(!is_server(url), "{url}");
        }
        for url in [
            "http://memdir_a_b@memory.example.com/crew",
            "https://memdir_a_b@memory.example.com",
            "https://memdir_a_b@/crew",
            "https://memdir_a b@h/crew",
            "https://memdir_a_b@h/cr\new",
            "https://memdir_a_b@h\"/crew",
        ] {
            assert!(ServerAddress::parse(url).is_err(), "{url}");
        }
        let address = ServerAddress::parse("http://memdir_a_b@[::1]:80/crew").unwrap();
        assert_eq!(address.url("head"), "http://[::1]:80/v1/teams/crew/head");
        assert_eq!(escaped("entries/ä b&c.md"), "entries/%C3%A4%20b%26c.md");
    }
}
