//! What one environment variable gives a session that is thrown away afterwards: a place in a team for a while.
//!
//! The member who makes it makes the key too, and brings it into the team. So the session joins nothing, and the team ends it
//! as it ends any membership. How long it lasts, and whether it may write, is up to the server, whose token is in the address.

use memdir_core::base64;
use serde::{Deserialize, Serialize};

use crate::member::Member;
use crate::signing::SecretKey;
use crate::team_id::TeamId;

/// A session's place in a team.
#[derive(Debug)]
pub struct SessionToken {
    /// The team.
    pub team: TeamId,
    /// The address of its server, with the token that opens it for a while.
    pub remote: String,
    /// Whether the session only receives.
    pub read_only: bool,
    /// What the session is to the team.
    pub member: Member,
    /// The key with which it signs.
    pub key: SecretKey,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    team: String,
    remote: String,
    read_only: bool,
    member: Member,
    key: String,
}

const PREFIX: &str = "memdir-session-1:";
const MAX_TOKEN_BYTES: usize = 8192;

impl SessionToken {
    /// The token as one word.
    #[must_use]
    pub fn to_text(&self) -> String {
        let written = Written {
            team: self.team.to_string(),
            remote: self.remote.clone(),
            read_only: self.read_only,
            member: self.member.clone(),
            key: self.key.to_hex(),
        };
        format!("{PREFIX}{}", base64::encode(&serde_json::to_vec(&written).unwrap_or_default()))
    }

    /// Reads a token; `None` if it is none, is incomplete, or was changed on its way.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let encoded = text.trim().strip_prefix(PREFIX).filter(|rest| rest.len() <= MAX_TOKEN_BYTES)?;
        let written: Written = serde_json::from_slice(&base64::decode(encoded)?).ok()?;
        let (team, key) = (TeamId::parse(&written.team)?, SecretKey::from_hex(&written.key)?);
        let member =
            Member::parse(&written.member.render(), &team).filter(|member| member.key == key.public())?;
        Some(Self { team, remote: written.remote, read_only: written.read_only, member, key })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_back_only_with_the_key_of_its_member() {
        let key = SecretKey::from_seed([1; 32]);
        let (member, team) = Member::founder(&key, "ci", "n");
        let remote = "https://memdir_a_b@memory.example.com/crew".to_owned();
        let token = SessionToken { team, remote, read_only: true, member, key };
        let text = token.to_text();
        let read = SessionToken::from_text(&format!("{text}\n")).unwrap();
        assert_eq!((read.team, read.remote, read.member), (token.team, token.remote, token.member));
        assert!(read.read_only && read.key.public() == token.key.public());
        assert!(SessionToken::from_text(&text[1..]).is_none());
        assert!(SessionToken::from_text(&text[..text.len() - 8]).is_none());
        let other =
            SessionToken { key: SecretKey::from_seed([2; 32]), ..SessionToken::from_text(&text).unwrap() };
        assert!(SessionToken::from_text(&other.to_text()).is_none());
    }
}
