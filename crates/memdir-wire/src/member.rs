//! Who belongs to a team, as records that are written once and never changed.

use memdir_core::hidden_char::holds_hidden;
use serde::{Deserialize, Serialize};

use crate::invitation::Grant;
use crate::signing::{PublicKey, SecretKey, Signature, Statement};
use crate::team_id::TeamId;

/// One member: a key, a name, and how they came in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    v: u32,
    team: TeamId,
    /// The member's key.
    pub key: PublicKey,
    /// What the member is called.
    pub name: String,
    introduction: Introduction,
    signature: Signature,
}

/// How a member came in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Introduction {
    /// They made the team: the random text that its id was made from.
    Founded { nonce: String },
    /// By an invitation: what the inviter signed, and the proof that they hold the invitation.
    Invited { grant: Grant, used: Signature },
}

/// The longest record about a member.
pub const MAX_RECORD_BYTES: usize = 4096;

/// The longest name of a member.
const MAX_NAME_CHARACTERS: usize = 60;

impl Member {
    /// The founder of a new team, and its id.
    #[must_use]
    pub fn founder(key: &SecretKey, name: &str, nonce: &str) -> (Self, TeamId) {
        let team = TeamId::founded_by(&key.public(), nonce);
        let introduction = Introduction::Founded { nonce: nonce.to_owned() };
        let signature = key.sign(&own_statement(&team, &key.public(), name));
        (
            Self {
                v: 1,
                team: team.clone(),
                key: key.public(),
                name: name.to_owned(),
                introduction,
                signature,
            },
            team,
        )
    }

    /// A person who uses an invitation.
    #[must_use]
    pub fn invited(key: &SecretKey, name: &str, team: &TeamId, grant: Grant, invitation: &SecretKey) -> Self {
        let statement = own_statement(team, &key.public(), name);
        Self {
            v: 1,
            team: team.clone(),
            key: key.public(),
            name: name.to_owned(),
            introduction: Introduction::Invited { grant, used: invitation.sign(&statement) },
            signature: key.sign(&statement),
        }
    }

    /// Reads a record of this team; `None` if it is none, or a signature in it does not fit.
    #[must_use]
    pub fn parse(bytes: &[u8], team: &TeamId) -> Option<Self> {
        let member: Self =
            (bytes.len() <= MAX_RECORD_BYTES).then(|| serde_json::from_slice(bytes).ok())??;
        if member.v != 1 || member.team != *team || !is_name(&member.name) || member.render() != bytes {
            return None;
        }
        let statement = own_statement(team, &member.key, &member.name);
        let introduced = match &member.introduction {
            Introduction::Founded { nonce } => TeamId::founded_by(&member.key, nonce) == *team,
            Introduction::Invited { grant, used } => {
                grant.is_for(team) && grant.invitation.verifies(&statement, used)
            }
        };
        (introduced && member.key.verifies(&statement, &member.signature)).then_some(member)
    }

    /// The record as the remote keeps it.
    #[must_use]
    pub fn render(&self) -> Vec<u8> {
        line(self)
    }

    /// The name of its file: an invitation brings in one member, and the founder came first.
    #[must_use]
    pub fn file_name(&self) -> String {
        match &self.introduction {
            Introduction::Founded { .. } => format!("{}.json", self.key),
            Introduction::Invited { grant, .. } => format!("{}.json", grant.invitation),
        }
    }

    /// Who brought them in; `None`: they founded the team.
    #[must_use]
    pub fn introduced_by(&self) -> Option<PublicKey> {
        match &self.introduction {
            Introduction::Founded { .. } => None,
            Introduction::Invited { grant, .. } => Some(grant.by),
        }
    }
}

/// Whether a text can be the name of a member: short, visible, one line.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let length = name.chars().count();
    (1..=MAX_NAME_CHARACTERS).contains(&length)
        && name.trim() == name
        && !holds_hidden(name)
        && !name.contains(['\n', '\r', '\t', '<', '>'])
}

fn own_statement(team: &TeamId, key: &PublicKey, name: &str) -> Statement {
    Statement::about("member").text(team.as_str()).bytes(key.as_bytes()).text(name)
}

/// The record that a key no longer speaks for a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revocation {
    v: u32,
    team: TeamId,
    /// The key that no longer counts.
    pub key: PublicKey,
    /// Who says so.
    pub by: PublicKey,
    signature: Signature,
}

impl Revocation {
    /// Takes a key out of a team.
    #[must_use]
    pub fn of(key: &PublicKey, team: &TeamId, by: &SecretKey) -> Self {
        let signature = by.sign(&revoking(team, key));
        Self { v: 1, team: team.clone(), key: *key, by: by.public(), signature }
    }

    /// Reads a record of this team; `None` if it is none. Whether its author may say so is for the roster.
    #[must_use]
    pub fn parse(bytes: &[u8], team: &TeamId) -> Option<Self> {
        let revocation: Self =
            (bytes.len() <= MAX_RECORD_BYTES).then(|| serde_json::from_slice(bytes).ok())??;
        let fits = revocation.v == 1 && revocation.team == *team && revocation.render() == bytes;
        (fits && revocation.by.verifies(&revoking(team, &revocation.key), &revocation.signature))
            .then_some(revocation)
    }

    /// The record as the remote keeps it.
    #[must_use]
    pub fn render(&self) -> Vec<u8> {
        line(self)
    }

    /// The name of its file.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.json", self.key)
    }
}

/// A record as one line, in the one way that is read again.
pub(crate) fn line(record: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(record).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

fn revoking(team: &TeamId, key: &PublicKey) -> Statement {
    Statement::about("revocation").text(team.as_str()).bytes(key.as_bytes())
}
