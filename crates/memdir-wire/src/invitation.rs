//! A line of text that lets one person in.
//!
//! The inviter makes a key for the occasion and signs it. Who holds the line holds that key, and with it signs their own
//! key in: everybody can check the chain at once, and the inviter need not be online.

use memdir_core::base64;
use serde::{Deserialize, Serialize};

use crate::signing::{PublicKey, SecretKey, Signature, Statement};
use crate::team_id::TeamId;

/// What an inviter signed: this key may bring one member into the team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Who invites.
    pub by: PublicKey,
    /// The key made for the occasion.
    pub invitation: PublicKey,
    signature: Signature,
}

impl Grant {
    fn new(team: &TeamId, by: &SecretKey, invitation: &PublicKey) -> Self {
        let signature = by.sign(&granting(team, invitation));
        Self { by: by.public(), invitation: *invitation, signature }
    }

    /// Whether the inviter signed this for that team.
    #[must_use]
    pub fn is_for(&self, team: &TeamId) -> bool {
        self.by.verifies(&granting(team, &self.invitation), &self.signature)
    }
}

fn granting(team: &TeamId, invitation: &PublicKey) -> Statement {
    Statement::about("invitation").text(team.as_str()).bytes(invitation.as_bytes())
}

/// An invitation as it is passed on, by a way that only the invited reads.
#[derive(Debug)]
pub struct Invitation {
    /// The team.
    pub team: TeamId,
    /// Where its memory is kept.
    pub remote: String,
    /// The branch there.
    pub branch: String,
    /// What the inviter signed.
    pub grant: Grant,
    /// The private half of the key made for the occasion.
    pub key: SecretKey,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    team: String,
    remote: String,
    branch: String,
    grant: Grant,
    key: String,
}

const PREFIX: &str = "memdir-invitation-1:";
const MAX_TOKEN_BYTES: usize = 8192;

impl Invitation {
    /// Invites the holder of the key that belongs to `seed`.
    #[must_use]
    pub fn new(team: &TeamId, remote: &str, branch: &str, by: &SecretKey, seed: [u8; 32]) -> Self {
        let key = SecretKey::from_seed(seed);
        let grant = Grant::new(team, by, &key.public());
        Self { team: team.clone(), remote: remote.to_owned(), branch: branch.to_owned(), grant, key }
    }

    /// The invitation as one word.
    #[must_use]
    pub fn to_token(&self) -> String {
        let written = Written {
            team: self.team.to_string(),
            remote: self.remote.clone(),
            branch: self.branch.clone(),
            grant: self.grant.clone(),
            key: self.key.to_hex(),
        };
        format!("{PREFIX}{}", base64::encode(&serde_json::to_vec(&written).unwrap_or_default()))
    }

    /// Reads an invitation; `None` if it is none, is incomplete, or was changed on its way.
    #[must_use]
    pub fn from_token(token: &str) -> Option<Self> {
        let encoded = token.trim().strip_prefix(PREFIX).filter(|rest| rest.len() <= MAX_TOKEN_BYTES)?;
        let written: Written = serde_json::from_slice(&base64::decode(encoded)?).ok()?;
        let (team, key) = (TeamId::parse(&written.team)?, SecretKey::from_hex(&written.key)?);
        let fits = written.grant.is_for(&team) && written.grant.invitation == key.public();
        fits.then_some(Self {
            team,
            remote: written.remote,
            branch: written.branch,
            grant: written.grant,
            key,
        })
    }
}
