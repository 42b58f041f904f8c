//! The word of one member for another.

use serde::{Deserialize, Serialize};

use crate::member::{MAX_RECORD_BYTES, line};
use crate::signing::{PublicKey, SecretKey, Signature, Statement};
use crate::team_id::TeamId;

/// Says that a person is a member although the member that brought them in was removed. It gives its author no right over them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Voucher {
    v: u32,
    team: TeamId,
    /// The key of the member.
    pub key: PublicKey,
    /// Who says so.
    pub by: PublicKey,
    signature: Signature,
}

impl Voucher {
    /// Vouches for a member of a team.
    #[must_use]
    pub fn of(key: &PublicKey, team: &TeamId, by: &SecretKey) -> Self {
        let signature = by.sign(&vouching(team, key));
        Self { v: 1, team: team.clone(), key: *key, by: by.public(), signature }
    }

    /// Reads a record of this team; `None` if it is none. Whether its author's word counts is for the roster.
    #[must_use]
    pub fn parse(bytes: &[u8], team: &TeamId) -> Option<Self> {
        let voucher: Self =
            (bytes.len() <= MAX_RECORD_BYTES).then(|| serde_json::from_slice(bytes).ok())??;
        let fits = voucher.v == 1 && voucher.team == *team && voucher.render() == bytes;
        (fits && voucher.by.verifies(&vouching(team, &voucher.key), &voucher.signature)).then_some(voucher)
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

fn vouching(team: &TeamId, key: &PublicKey) -> Statement {
    Statement::about("voucher").text(team.as_str()).bytes(key.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_refused() {
        let key = SecretKey::from_seed([1; 32]);
        let team = TeamId::founded_by(&key.public(), "n");
        let voucher = Voucher::of(&SecretKey::from_seed([2; 32]).public(), &team, &key);
        let bytes = voucher.render();
        assert_eq!(Voucher::parse(&bytes, &team), Some(voucher));
        for at in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            assert_eq!(Voucher::parse(&flipped, &team), None, "bit {at}");
        }
    }
}
